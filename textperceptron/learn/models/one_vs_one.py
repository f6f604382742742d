"""One-vs-one: a model for each pair of classes, which vote."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.base import Array
from textperceptron.learn.one_vs_one import BinaryPairModel
from textperceptron.learn.one_vs_one_tiles import PairTables
from textperceptron.learn.one_vs_one_voting import DenseVoter, PairVoter, voter_of
from textperceptron.learn.rows import Rows


class OneVsOneModel:
    """The models of all class pairs, (0, 1) first, then (0, 2) and so on.

    Parameters
    ----------
    pairs : sequence of BinaryPairModel
        With ascending columns.
    n_columns, n_classes : int
    """

    def __init__(self, pairs: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> None:
        self._pairs: Sequence[BinaryPairModel] | None = pairs
        self._tables: PairTables | None = None
        self.n_columns, self.n_classes = n_columns, n_classes

    @classmethod
    def of_tables(cls, tables: PairTables, n_classes: int) -> OneVsOneModel:
        """Wrap dense tables, from which models are made on first use."""
        model = cls([], tables.n_columns, n_classes)
        model._pairs, model._tables = None, tables
        return model

    @property
    def pairs(self) -> Sequence[BinaryPairModel]:
        """The models one by one."""
        if self._pairs is None:
            assert self._tables is not None
            self._pairs = self._tables.models()
        return self._pairs

    @cached_property
    def voter(self) -> PairVoter:
        """The weights, arranged for voting on first use."""
        if self._tables is not None:
            return DenseVoter(self._tables, self.n_classes)
        return voter_of(self.pairs, self.n_columns, self.n_classes)

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the votes of every class, and behind the decimal point how sure they are (see ``OneVsOne``)."""
        votes, confidence = np.empty((2, rows.n_rows, self.n_classes))
        for piece, _, place in rows.pieces(np.arange(rows.n_rows)):
            votes[place], confidence[place] = self.voter.votes(piece, n_jobs)
        return votes_and_confidence(votes, confidence)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the number of each row's class: most votes, then the highest summed score, then the first."""
        winners = np.empty(rows.n_rows, np.intp)
        for piece, _, place in rows.pieces(np.arange(rows.n_rows)):
            winners[place] = self.voter.winners(piece, n_jobs)
        return winners

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry adds to the summed scores of each class, which decide between equal votes."""
        added = np.zeros((len(columns), self.n_classes))
        for pair in self.pairs:
            place = np.minimum(np.searchsorted(pair.columns, columns), max(0, len(pair.columns) - 1))
            known = pair.columns[place] == columns if len(pair.columns) else np.zeros(len(columns), bool)
            each = np.where(known, pair.weights[place], 0) * values
            added[:, pair.upper] += each
            added[:, pair.lower] -= each
        return added

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return the sums of each class's intercepts."""
        sums = np.zeros(self.n_classes)
        for pair in self.pairs:
            sums[pair.upper] += pair.weights[-1]
            sums[pair.lower] -= pair.weights[-1]
        return sums

    def weights_of(self, code: int) -> Array:
        """Return the sum of every column's weights for a class against each other one."""
        total = np.zeros(self.n_columns)
        for pair in self.pairs:
            if code in (pair.lower, pair.upper):
                total[pair.columns] += pair.weights[:-1] if code == pair.upper else -pair.weights[:-1]
        return total

    def largest_weights(self) -> Array:
        """Return the largest weight of every column in any pair, without its sign."""
        largest = np.zeros(self.n_columns)
        for pair in self.pairs:
            largest[pair.columns] = np.maximum(largest[pair.columns], np.abs(pair.weights[:-1]))
        return largest

    def map_weights(self, change: Callable[[Array], Array]) -> OneVsOneModel:
        """Return the model with other weights, which are changed all at once."""
        ends = np.cumsum([len(pair.weights) for pair in self.pairs])[:-1]
        changed = np.split(change(np.concatenate([pair.weights for pair in self.pairs])), ends)
        pairs = [replace(pair, weights=weights) for pair, weights in zip(self.pairs, changed, strict=True)]
        return OneVsOneModel(pairs, self.n_columns, self.n_classes)

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> OneVsOneModel:
        """Return the model of some columns alone."""
        number = np.full(self.n_columns, -1, np.int64)
        number[kept] = np.arange(len(kept))
        return OneVsOneModel([_renumbered(pair, number) for pair in self.pairs], len(kept), self.n_classes)


def votes_and_confidence(votes: npt.NDArray[Any], confidence: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return votes plus ``c / (3 (|c| + 1))`` for a sum of scores c: votes decide, and then the scores."""
    return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))


def _renumbered(pair: BinaryPairModel, number: npt.NDArray[np.int64]) -> BinaryPairModel:
    columns = number[pair.columns]
    stay = np.flatnonzero(columns >= 0)
    stay = stay[np.argsort(columns[stay])]
    return replace(pair, columns=columns[stay], weights=np.append(pair.weights[stay], pair.weights[-1:]))


def in_order(pair: BinaryPairModel) -> BinaryPairModel:
    """Return a model with ascending columns, as look-ups need them."""
    order = np.argsort(pair.columns)
    return replace(pair, columns=pair.columns[order], weights=np.append(pair.weights[order], pair.weights[-1:]))


def all_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Return the classes of each pair.

    Examples
    --------
    >>> from textperceptron.learn.models.one_vs_one import all_pairs
    >>> all_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(itertools.combinations(range(n_classes), 2))
