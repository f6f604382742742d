"""Pairs that were formed on the fly: how many, how many collide, and the heaviest by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._validation import at_least, integer
from textperceptron.learn.column_pairs import PairedRows, survey
from textperceptron.model.parts import Parts
from textperceptron.text.conjunctions.names import conjunction_names

# Places that are looked at together for heavy weights, of all classes.
_BLOCK = 1 << 20

Weights = Callable[[slice | npt.NDArray[np.int64]], npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class HeavyPair:
    """A pair with its weight.

    Attributes
    ----------
    name : str
        Its words in alphabetical order, joined by ``-and-``.
    columns : tuple of int
    weight : float
        For more than two classes the one that is furthest from 0.
    label : object
        The class for which the weight speaks; for more than two classes the one that has it.
    n_rows : int
        In how many rows the pair is.
    n_others : int
        How many pairs, each in no more rows, have the same weight because they are hashed to the same place.
    """

    name: str
    columns: tuple[int, int]
    weight: float
    label: Any
    n_rows: int
    n_others: int


@dataclass(frozen=True, slots=True)
class PairReport:
    """What became of the pairs of a matrix; printed, a table.

    Attributes
    ----------
    n_occurrences : int
        Pairs in rows: an epoch learns from so many.
    n_pairs : int
        Different ones.
    n_places : int
        Weights that they share.
    n_colliding : int
        Pairs that share a weight with another.
    heaviest : list of HeavyPair
        Those with the weights furthest from 0. Of several pairs that share a weight, the one in most rows.
    """

    n_occurrences: int
    n_pairs: int
    n_places: int
    n_colliding: int
    heaviest: list[HeavyPair]

    def __str__(self) -> str:
        share = self.n_colliding / max(1, self.n_pairs)
        lines = [
            f"{self.n_occurrences:,} pairs in rows, {self.n_pairs:,} different, on {self.n_places:,} weights",
            f"{self.n_colliding:,} ({share:.1%}) share a weight with another",
        ]
        names = max((len(pair.name) for pair in self.heaviest), default=0)
        labels = max((len(str(pair.label)) for pair in self.heaviest), default=0)
        for pair in self.heaviest:
            others = f", with {pair.n_others:,} rarer" if pair.n_others else ""
            rows = f"in {pair.n_rows:,} rows{others}"
            lines.append(f"{pair.name:{names}}{pair.weight:+11.4g}  {pair.label!s:{labels}}  {rows}")
        return "\n".join(lines)


def pair_report(
    rows: PairedRows, weights: Weights, classes: npt.NDArray[Any], names: Sequence[str], top: int
) -> PairReport:
    """Report the pairs of rows; ``weights`` returns those of some columns, a row a class."""
    integer("top", top)
    at_least("top", top, 0)
    wanted = _heaviest_places(rows, weights, int(top))
    found = survey(rows, wanted)
    table = weights(rows.n_words + wanted)
    heavy = table[abs(table).argmax(axis=0), np.arange(len(wanted))]
    whose = abs(table).argmax(axis=0) if len(table) > 1 else (heavy > 0).astype(np.intp)
    order = [k for k in np.argsort(-abs(heavy), kind="stable") if found.in_rows[k]]
    joined = conjunction_names(names, found.columns[order])
    heaviest = [
        HeavyPair(
            name, (int(found.columns[k, 0]), int(found.columns[k, 1])), float(heavy[k]), classes[whose[k]],
            int(found.in_rows[k]), int(found.sharing[k]) - 1,
        )
        for k, name in zip(order, joined, strict=True)
    ]  # fmt: skip
    n_occurrences = rows.n_stored - len(rows.indices)
    return PairReport(n_occurrences, found.n_different, 1 << rows.bits, found.n_different - found.n_alone, heaviest)


def report_of(parts: Parts, texts: Iterable[Any], top: int) -> PairReport:
    """Report the pairs of texts that a model with ``pair_bits`` forms.

    Raises
    ------
    ValueError
        If it forms none, or columns have no names.
    """
    vocabulary, codes = parts.features.vocabulary, range(len(parts.classes))
    rows = parts.rows(texts)
    if not isinstance(rows, PairedRows):
        raise ValueError("the model forms no pairs on the fly: train with pair_bits=22, or call top_terms.")
    if vocabulary is None:
        raise ValueError("hashed columns have no names, nor have their pairs. Train without n_features.")
    tables = [parts.model.weights_of(code) for code in (codes if len(codes) > 2 else codes[1:])]
    classes = parts.classes.array
    return pair_report(
        rows, lambda columns: np.stack([table[columns] for table in tables]), classes, vocabulary.names(), top
    )


def checked_pairs(pairs: npt.ArrayLike, n_columns: int) -> npt.NDArray[np.int64]:
    """Return pairs of columns as an array, or raise ValueError if they are none."""
    array = np.asarray(pairs)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"pairs are an array of {array.dtype} and shape {array.shape}: give two column numbers a pair."
        )
    bad = np.flatnonzero((array < 0).any(1) | (array >= n_columns).any(1) | (array[:, 0] == array[:, 1]))
    if len(bad):
        raise ValueError(
            f"pairs[{bad[0]}] is {array[bad[0]].tolist()}: use two different columns from 0 to {n_columns - 1}."
        )
    return array.astype(np.int64)


def _heaviest_places(rows: PairedRows, weights: Weights, top: int) -> npt.NDArray[np.int64]:
    """Return the places of the ``top`` weights that are furthest from 0, ascending; none of weight 0."""
    places, sizes = np.empty(0, np.int64), np.empty(0)
    for start in range(0, 1 << rows.bits, _BLOCK):
        block = slice(rows.n_words + start, rows.n_words + min(start + _BLOCK, 1 << rows.bits))
        size = abs(weights(block)).max(axis=0)
        here = np.flatnonzero(size)
        if len(here) > top:
            here = here[np.argpartition(-size[here], top - 1)[:top]] if top else here[:0]
        places, sizes = np.append(places, start + here), np.append(sizes, size[here])
        strongest = np.argsort(-sizes, kind="stable")[:top]
        places, sizes = places[strongest], sizes[strongest]
    return np.sort(places)
