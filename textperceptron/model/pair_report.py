"""Report on column pairs (``pair_bits``): how many there are, how many collide, and which have the largest weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._validation import at_least, integer
from textperceptron.learn.column_pairs import PairedRows, count_collisions
from textperceptron.model.parts import ModelParts
from textperceptron.text.conjunctions.names import conjunction_names

_BLOCK = 1 << 20  # weights per class searched at once

Weights = Callable[[slice | npt.NDArray[np.int64]], npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """A conjunction of two columns, with its weight.

    Attributes
    ----------
    name : str
        The names of its columns in alphabetical order, joined by ``-and-``.
    columns : tuple of int
    weight : float
        With more than two classes, the weight furthest from 0.
    label : object
        The class that the weight favours; with more than two classes, the class of the weight.
    n_rows : int
        Number of rows that contain the pair.
    n_others : int
        Number of other pairs with the same hash, which share the weight; none is in more rows.
    """

    name: str
    columns: tuple[int, int]
    weight: float
    label: Any
    n_rows: int
    n_others: int


@dataclass(frozen=True, slots=True)
class PairReport:
    """The column pairs of a matrix; prints as a table.

    Attributes
    ----------
    n_occurrences : int
        Pairs, summed over all rows.
    n_pairs : int
        Distinct pairs.
    n_weights : int
        Weights that the pairs share.
    n_colliding : int
        Pairs that share their weight with another.
    top_pairs : list of ColumnPair
        The pairs with the weights furthest from 0. Of the pairs that share a weight, only the most frequent.
    """

    n_occurrences: int
    n_pairs: int
    n_weights: int
    n_colliding: int
    top_pairs: list[ColumnPair]

    def __str__(self) -> str:
        share = self.n_colliding / max(1, self.n_pairs)
        lines = [
            f"{self.n_occurrences:,} column pairs in rows, {self.n_pairs:,} distinct, {self.n_weights:,} weights",
            f"{self.n_colliding:,} ({share:.1%}) share a weight with another",
        ]
        names = max((len(pair.name) for pair in self.top_pairs), default=0)
        labels = max((len(str(pair.label)) for pair in self.top_pairs), default=0)
        for pair in self.top_pairs:
            others = f", with {pair.n_others:,} rarer" if pair.n_others else ""
            rows = f"in {pair.n_rows:,} rows{others}"
            lines.append(f"{pair.name:{names}}{pair.weight:+11.4g}  {pair.label!s:{labels}}  {rows}")
        return "\n".join(lines)


def pair_report(
    rows: PairedRows, weights: Weights, classes: npt.NDArray[Any], names: Sequence[str], top: int
) -> PairReport:
    """Report the column pairs of rows; ``weights(columns)`` returns the weights of columns, one row per class."""
    integer("top", top)
    at_least("top", top, 0)
    slots = _top_slots(rows, weights, int(top))
    found = count_collisions(rows, slots)
    table = weights(rows.n_base_columns + slots)
    strongest = abs(table).argmax(axis=0)
    weight = table[strongest, np.arange(len(slots))]
    codes = strongest if len(table) > 1 else (weight > 0).astype(np.intp)
    order = [k for k in np.argsort(-abs(weight), kind="stable") if found.n_rows[k]]
    top_pairs = [
        ColumnPair(
            name, (int(found.columns[k, 0]), int(found.columns[k, 1])), float(weight[k]), classes[codes[k]],
            int(found.n_rows[k]), int(found.n_sharing[k]) - 1,
        )
        for k, name in zip(order, conjunction_names(names, found.columns[order]), strict=True)
    ]  # fmt: skip
    n_occurrences = rows.n_stored - len(rows.indices)
    return PairReport(n_occurrences, found.n_distinct, 1 << rows.bits, found.n_distinct - found.n_alone, top_pairs)


def report_texts(parts: ModelParts, texts: Iterable[Any], top: int) -> PairReport:
    """Report the column pairs that a model with ``pair_bits`` forms in texts.

    Raises
    ------
    ValueError
        If the model has no ``pair_bits``, or columns have no names.
    """
    vocabulary, codes = parts.features.vocabulary, range(len(parts.classes))
    rows = parts.rows(texts)
    if not isinstance(rows, PairedRows):
        raise ValueError("the model has no column pairs: train with pair_bits=22, or call top_terms.")
    if vocabulary is None:
        raise ValueError("hashed columns have no names, so their pairs have none either. Train without n_features.")
    tables = [parts.model.weights_of(code) for code in (codes if len(codes) > 2 else codes[1:])]
    classes = parts.classes.array
    return pair_report(
        rows, lambda columns: np.stack([table[columns] for table in tables]), classes, vocabulary.names(), top
    )


def check_pairs(pairs: npt.ArrayLike, n_columns: int) -> npt.NDArray[np.int64]:
    """Return pairs of column numbers as an array of shape (n_pairs, 2).

    Raises
    ------
    ValueError
        If the array has another shape or type, or a pair is out of range.
    """
    array = np.asarray(pairs)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"pairs has type {array.dtype} and shape {array.shape}: pass integers of shape (n_pairs, 2), two column "
            "numbers per pair."
        )
    bad = np.flatnonzero((array < 0).any(1) | (array >= n_columns).any(1) | (array[:, 0] == array[:, 1]))
    if len(bad):
        raise ValueError(
            f"pairs[{bad[0]}] is {array[bad[0]].tolist()}: use two different columns from 0 to {n_columns - 1}."
        )
    return array.astype(np.int64)


def _top_slots(rows: PairedRows, weights: Weights, top: int) -> npt.NDArray[np.int64]:
    """Return the hash slots of the ``top`` weights furthest from 0, ascending; weights of 0 are left out."""
    slots, sizes = np.empty(0, np.int64), np.empty(0)
    for start in range(0, 1 << rows.bits, _BLOCK):
        block = slice(rows.n_base_columns + start, rows.n_base_columns + min(start + _BLOCK, 1 << rows.bits))
        size = abs(weights(block)).max(axis=0)
        here = np.flatnonzero(size)
        if len(here) > top:
            here = here[np.argpartition(-size[here], top - 1)[:top]] if top else here[:0]
        slots, sizes = np.append(slots, start + here), np.append(sizes, size[here])
        strongest = np.argsort(-sizes, kind="stable")[:top]
        slots, sizes = slots[strongest], sizes[strongest]
    return np.sort(slots)
