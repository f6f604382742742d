"""One-vs-one training, 16 class pairs in one pass: a tile is four classes against four others.

A row is scored once for the four pairs of its class in a tile, so the 190 pairs of 20 classes score each row five times
instead of 19. The trained tables are also the ones that vote.
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
from textperceptron.learn.loop import cancellable, train
from textperceptron.learn.one_vs_one import BinaryPairModel, EpochOrders
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import MulticlassRule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import LabelSets, TrainingData
from textperceptron.learn.weight_tables import BlockedTable

# Largest size of all tables together: 512 MB of float32.
MAX_TILE_WEIGHTS = 1 << 27

TILE = 16  # models per table, see _kernels/one_vs_all.pyx and _kernels/one_vs_one_dense.pyx
_SIDE = 4  # classes on each side of a tile

ClassPair = tuple[int, int]


class TrainingCounts(NamedTuple):
    """Numbers of epochs, updates and examples of a model."""

    n_iter: int
    n_updates: int
    n_seen: int


@dataclass(frozen=True)
class PairTables:
    """The models of all class pairs, 16 per table, a cache line per column.

    Attributes
    ----------
    tables : array of shape (n_tables, n_columns + 1, 16)
        The intercepts are in the last line.
    pairs : list of pairs of int
        The class pair of each lane, table by table.
    max_abs_weight : float
        An upper bound of the absolute weights of columns.
    n_whole : int
        Number of tables, which come first, that are four classes against four others.
    counts : list of TrainingCounts
        In the order of ``pairs``.
    """

    tables: Array = field(repr=False)
    pairs: list[ClassPair] = field(repr=False)
    max_abs_weight: float
    n_whole: int
    counts: list[TrainingCounts] = field(repr=False)

    @classmethod
    def of(cls, models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> PairTables:
        """Copy the weights of the models of all class pairs into tables."""
        tiles = _tiles(n_classes)
        size = len(tiles) * (n_columns + 1) * TILE
        tables = mmap_zeros(size, models[0].weights.dtype).reshape(len(tiles), n_columns + 1, TILE)
        pairs = [pair for tile in tiles for pair in tile]
        model_of = {(model.lower, model.upper): model for model in models}
        for number, pair in enumerate(pairs):
            table, lane, model = tables[number // TILE], number % TILE, model_of[pair]
            table[model.columns, lane] = model.weights[:-1]
            table[-1, lane] = model.weights[-1]
        max_abs_weight = max(float(np.abs(model.weights[:-1]).max(initial=0)) for model in models)
        ordered = [model_of[pair] for pair in pairs]
        counts = [TrainingCounts(model.n_iter, model.n_updates, model.n_seen) for model in ordered]
        return cls(tables, pairs, max_abs_weight, _n_whole(n_classes), counts)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.tables.shape[1]) - 1

    def models(self) -> list[BinaryPairModel]:
        """Return copies of the models, in the order (0, 1), (0, 2) and so on."""
        models = []
        for number in np.lexsort(np.array(self.pairs).T[::-1]):
            weights = self.tables[number // TILE, :, number % TILE]
            kept = np.append(np.flatnonzero(weights[:-1]), self.n_columns)
            lower, upper = self.pairs[number]
            models.append(BinaryPairModel(lower, upper, kept[:-1], weights[kept], *self.counts[number]))
        return models


def fits_dense_tables(n_columns: int, n_classes: int) -> bool:
    """Whether the tables of all class pairs are small enough to be dense."""
    n_tiles = -(-math.comb(n_classes, 2) // TILE)
    return n_tiles * TILE * (n_columns + 1) <= MAX_TILE_WEIGHTS


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVsOneTileRule(OneVsAllRule):
    """Trains up to 16 class pairs, one per lane: rows of the upper class are positive, other classes are skipped."""

    pairs: tuple[ClassPair, ...]
    n_classes: int

    def signs(self, state: OneVsAllState) -> npt.NDArray[np.float32]:
        """Return the sign of every class for every lane; 0 for converged pairs and other classes."""
        signs = np.zeros((self.n_classes, self.table.stride), np.float32)
        for lane, (lower, upper) in enumerate(self.pairs):
            if state.active[lane]:
                signs[lower, lane], signs[upper, lane] = -1, 1
        return signs

    def active_classes(self, state: OneVsAllState) -> npt.NDArray[np.bool_]:
        """Return a mask of the classes of pairs that have not converged."""
        return np.asarray(self.signs(state).any(axis=1))

    def bind(self, data: TrainingData, state: State) -> None:
        """Do nothing: a tile is trained once, from the start."""

    def begin_epoch(self, data: TrainingData, state: State) -> None:
        """Reset the update counters, and set the signs of the pairs that have not converged."""
        OneVsAllRule.begin_epoch(self, data, state)
        assert isinstance(state, OneVsAllState)
        state.label_signs = self.signs(state)


def train_tiles(
    inner: MulticlassRule,
    rows: Rows,
    codes: npt.NDArray[np.int32],
    n_classes: int,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    n_jobs: int | None = None,
    on_progress: Callable[[int], object] | None = None,
) -> PairTables:
    """Train a model for each class pair, with the same bits as ``train_one_vs_one``.

    ``on_progress`` is called with the number of finished pairs after each slice and each tile, from the thread that
    trains; an exception that it raises ends training.
    """
    tiles = _tiles(n_classes)
    table = BlockedTable(rows.n_columns, TILE)
    tables = mmap_zeros(len(tiles) * table.size, rows.dtype).reshape(len(tiles), table.size)
    orders = EpochOrders(plan, codes)
    labels = LabelSets.of_codes(codes)
    stop = threading.Event()
    results: list[tuple[float, list[TrainingCounts]]] = []

    def report(_: object = None) -> None:
        if on_progress is not None:
            on_progress(sum(len(counts) for _, counts in results))

    def learn(_: None, number: int) -> tuple[float, list[TrainingCounts]]:
        rule = OneVsOneTileRule(inner=inner, table=table, first=0, pairs=tuple(tiles[number]), n_classes=n_classes)
        state = rule.start(rows)
        state.weights = tables[number]
        run = train(
            rule, rows, labels, plan, weight=weight, state=state, callback=cancellable(stop, report),
            epoch_order=lambda epoch: orders.of_classes(epoch, rule.active_classes(state)),
        )  # fmt: skip
        if run.error is not None:
            raise run.error
        tables[number] = rule.final_weights(state)
        done = zip(state.epochs_of_class, state.updates_of_class, state.seen_of_class, strict=True)
        counts = [TrainingCounts(*map(int, each)) for each in itertools.islice(done, len(rule.pairs))]
        # A mean exceeds what has been averaged by its rounding at most.
        return float(state.max_abs_weight[0]) * (1 + 1e-6), counts

    for result in ordered_map(learn, range(len(tiles)), [None] * count_jobs(n_jobs), on_cancel=stop.set):
        results.append(result)
        report()
    return PairTables(
        tables.reshape(len(tiles), table.n_columns + 1, TILE),
        [pair for tile in tiles for pair in tile],
        max(max_abs_weight for max_abs_weight, _ in results),
        _n_whole(n_classes),
        [count for _, counts in results for count in counts],
    )


def _n_whole(n_classes: int) -> int:
    return math.comb(n_classes // _SIDE, 2)


def _tiles(n_classes: int) -> list[list[ClassPair]]:
    """Return all class pairs in tiles of 16: first four classes against four others, then the remaining pairs.

    Only the last tile can be smaller.
    """
    sides = [range(first, min(first + _SIDE, n_classes)) for first in range(0, n_classes, _SIDE)]
    blocks = [list(itertools.product(*two)) for two in itertools.combinations(sides, 2)]
    whole = [block for block in blocks if len(block) == TILE]
    smaller = [block for block in blocks if len(block) < TILE] + [list(itertools.combinations(s, 2)) for s in sides]
    rest = list(itertools.chain.from_iterable(smaller))
    return whole + [rest[first : first + TILE] for first in range(0, len(rest), TILE)]
