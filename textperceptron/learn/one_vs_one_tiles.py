"""One-vs-one training, 16 pairs of classes in one walk: a tile is four classes against four others.

A row is scored once for the four pairs of its class in a tile, so all 190 pairs of 20 classes cost each row five walks
instead of 19; and the tables that are learnt are those that vote.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._memory import mmap_zeros
from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.label_sets import LabelSets
from textperceptron.learn.loop import Callback, cancellable, train
from textperceptron.learn.one_vs_one import BinaryPairModel, EpochOrders
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules import MulticlassRule, OneVsOneTileRule
from textperceptron.learn.state import EMPTY, Array
from textperceptron.learn.weight_tables import BlockedTable

# Weights up to which the tables are dense: 512 MB of float32.
DENSE_WEIGHTS = 1 << 27

TILE = 16  # models of a table, see _kernels/one_vs_all.pyx and _kernels/pair_blocks.pyx
_SIDE = 4  # classes of a tile's side

Pair = tuple[int, int]


class Count(NamedTuple):
    """What a model has done."""

    n_iter: int
    n_updates: int
    n_seen: int


@dataclass(frozen=True)
class PairTables:
    """The models of all pairs of classes, 16 to a table, a cache line for each column.

    Attributes
    ----------
    tables : array of shape (n_tables, n_columns + 1, 16)
        The intercepts are in the last line.
    pairs : list of pairs of int
        Whose weights stand in each lane of the tables, one table after the other.
    max_abs_weight : float
        At least the largest absolute weight of a column.
    n_whole : int
        How many tables, the first, are four classes against four others.
    counts : list of Count
        What each model has done, in the order of ``pairs``.
    """

    tables: Array = field(repr=False)
    pairs: list[Pair] = field(repr=False)
    max_abs_weight: float
    n_whole: int
    counts: list[Count] = field(repr=False)

    @classmethod
    def of(cls, models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> PairTables:
        """Put the weights of all pairs, in their order, into tables."""
        tiles = _tiles(n_classes)
        size = len(tiles) * (n_columns + 1) * TILE
        tables = mmap_zeros(size, models[0].weights.dtype).reshape(len(tiles), n_columns + 1, TILE)
        pairs = [pair for tile in tiles for pair in tile]
        model_of = {(model.lower, model.upper): model for model in models}
        for place, pair in enumerate(pairs):
            table, lane, model = tables[place // TILE], place % TILE, model_of[pair]
            table[model.columns, lane] = model.weights[:-1]
            table[-1, lane] = model.weights[-1]
        max_abs_weight = max(float(np.abs(model.weights[:-1]).max(initial=0)) for model in models)
        counts = [Count(model.n_iter, model.n_updates, model.n_seen) for model in map(model_of.__getitem__, pairs)]
        return cls(tables, pairs, max_abs_weight, _n_whole(n_classes), counts)

    @property
    def n_columns(self) -> int:
        """Columns of the rows that the models are for."""
        return int(self.tables.shape[1]) - 1

    def models(self) -> list[BinaryPairModel]:
        """Return the models one by one, (0, 1) first, then (0, 2) and so on; copies."""
        models = []
        for place in np.lexsort(np.array(self.pairs).T[::-1]):
            weights = self.tables[place // TILE, :, place % TILE]
            kept = np.append(np.flatnonzero(weights[:-1]), self.n_columns)
            lower, upper = self.pairs[place]
            models.append(BinaryPairModel(lower, upper, kept[:-1], weights[kept], *self.counts[place]))
        return models


def fits_dense_tables(n_columns: int, n_classes: int) -> bool:
    """Whether the models of all pairs of classes are few enough for dense tables."""
    n_tiles = -(-math.comb(n_classes, 2) // TILE)
    return n_tiles * TILE * (n_columns + 1) <= DENSE_WEIGHTS


def train_tiles(
    inner: MulticlassRule,
    rows: Rows,
    codes: npt.NDArray[np.int32],
    n_classes: int,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    when_done: Callable[[int], object] | None = None,
) -> PairTables:
    """Train a model for each pair of classes; each has the bits that ``train_one_vs_one`` gives it.

    The callback sees the progress of each tile, from the thread that trains it; what it raises ends training.
    ``when_done`` is told how many pairs are done whenever a tile is.
    """
    tiles = _tiles(n_classes)
    layout = BlockedTable(rows.n_columns, TILE)
    tables = mmap_zeros(len(tiles) * layout.size, rows.dtype).reshape(len(tiles), layout.size)
    orders = EpochOrders(plan, codes)
    labels = LabelSets.of_codes(codes)
    stop = threading.Event()

    def learn(_: None, number: int) -> tuple[float, list[Count]]:
        rule = OneVsOneTileRule(inner=inner, layout=layout, first=0, pairs=tuple(tiles[number]), n_classes=n_classes)
        state = rule.start(rows)
        state.weights = tables[number]
        run = train(
            rule, rows, labels, plan, weight=weight, state=state, callback=cancellable(stop, callback),
            epoch_order=lambda epoch: orders.of_classes(epoch, rule.learning(state)),
        )  # fmt: skip
        if run.error is not None:
            raise run.error
        tables[number] = rule.final_weights(state)
        done = zip(state.epochs_of_class, state.updates_of_class, state.seen_of_class, strict=True)
        counts = [Count(*map(int, each)) for each in itertools.islice(done, len(rule.pairs))]
        # A mean is not beyond what has been averaged, but for its own rounding.
        return float(state.max_abs_weight[0]) * (1 + 1e-6), counts

    results: list[tuple[float, list[Count]]] = []
    for result in ordered_map(learn, range(len(tiles)), [None] * count_jobs(n_jobs), on_cancel=stop.set):
        results.append(result)
        if when_done is not None:
            when_done(sum(len(counts) for _, counts in results))
    return PairTables(
        tables.reshape(len(tiles), layout.n_columns + 1, TILE),
        [pair for tile in tiles for pair in tile],
        max(max_abs_weight for max_abs_weight, _ in results),
        _n_whole(n_classes),
        [count for _, counts in results for count in counts],
    )


def _n_whole(n_classes: int) -> int:
    return math.comb(n_classes // _SIDE, 2)


def _tiles(n_classes: int) -> list[list[Pair]]:
    """Divide all pairs into tiles of 16: four classes against four while there are such, then what is left.

    Only the last may be smaller.
    """
    groups = [range(first, min(first + _SIDE, n_classes)) for first in range(0, n_classes, _SIDE)]
    blocks = [list(itertools.product(*two)) for two in itertools.combinations(groups, 2)]
    whole = [block for block in blocks if len(block) == TILE]
    left = [block for block in blocks if len(block) < TILE] + [list(itertools.combinations(g, 2)) for g in groups]
    rest = list(itertools.chain.from_iterable(left))
    return whole + [rest[first : first + TILE] for first in range(0, len(rest), TILE)]
