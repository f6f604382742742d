"""The one-vs-one model: a binary model per class pair, which vote."""

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
    """The models of all class pairs, in the order (0, 1), (0, 2) and so on.

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
        """Wrap dense tables; the models of the class pairs are made on first use."""
        model = cls([], tables.n_columns, n_classes)
        model._pairs, model._tables = None, tables
        return model

    @property
    def pairs(self) -> Sequence[BinaryPairModel]:
        """The model of each class pair."""
        if self._pairs is None:
            assert self._tables is not None
            self._pairs = self._tables.models()
        return self._pairs

    @cached_property
    def voter(self) -> PairVoter:
        """The weights arranged for voting, on first use."""
        if self._tables is not None:
            return DenseVoter(self._tables, self.n_classes)
        return voter_of(self.pairs, self.n_columns, self.n_classes)

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the votes of every class, plus a fraction for its summed scores (see ``OneVsOne``)."""
        votes, confidence = np.empty((2, rows.n_rows, self.n_classes))
        for block, _, span in rows.blocks(np.arange(rows.n_rows)):
            votes[span], confidence[span] = self.voter.votes(block, n_jobs)
        return votes_and_confidence(votes, confidence)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the class code of each row: most votes, then the highest sum of scores, then the first."""
        winners = np.empty(rows.n_rows, np.intp)
        for block, _, span in rows.blocks(np.arange(rows.n_rows)):
            winners[span] = self.voter.winners(block, n_jobs)
        return winners

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry adds to the summed scores of each class, which break ties of votes."""
        added = np.zeros((len(columns), self.n_classes))
        for pair in self.pairs:
            index = np.minimum(np.searchsorted(pair.columns, columns), max(0, len(pair.columns) - 1))
            known = pair.columns[index] == columns if len(pair.columns) else np.zeros(len(columns), bool)
            each = np.where(known, pair.weights[index], 0) * values
            added[:, pair.upper] += each
            added[:, pair.lower] -= each
        return added

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return the summed intercepts of each class."""
        sums = np.zeros(self.n_classes)
        for pair in self.pairs:
            sums[pair.upper] += pair.weights[-1]
            sums[pair.lower] -= pair.weights[-1]
        return sums

    def weights_of(self, code: int) -> Array:
        """Return the weight of every column for a class, summed over its class pairs."""
        total = np.zeros(self.n_columns)
        for pair in self.pairs:
            if code in (pair.lower, pair.upper):
                total[pair.columns] += pair.weights[:-1] if code == pair.upper else -pair.weights[:-1]
        return total

    def largest_weights(self) -> Array:
        """Return the largest absolute weight of every column, over all class pairs."""
        largest = np.zeros(self.n_columns)
        for pair in self.pairs:
            largest[pair.columns] = np.maximum(largest[pair.columns], np.abs(pair.weights[:-1]))
        return largest

    def map_weights(self, change: Callable[[Array], Array]) -> OneVsOneModel:
        """Return the model with ``change(weights)``, called once for the weights of all class pairs."""
        ends = np.cumsum([len(pair.weights) for pair in self.pairs])[:-1]
        changed = np.split(change(np.concatenate([pair.weights for pair in self.pairs])), ends)
        pairs = [replace(pair, weights=weights) for pair, weights in zip(self.pairs, changed, strict=True)]
        return OneVsOneModel(pairs, self.n_columns, self.n_classes)

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> OneVsOneModel:
        """Return the model without the other columns."""
        new_column = np.full(self.n_columns, -1, np.int64)
        new_column[kept] = np.arange(len(kept))
        return OneVsOneModel([_renumbered(pair, new_column) for pair in self.pairs], len(kept), self.n_classes)


def votes_and_confidence(votes: npt.NDArray[Any], confidence: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return votes plus ``c / (3 (|c| + 1))`` for summed scores c: scores only break ties of votes."""
    return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))


def _renumbered(pair: BinaryPairModel, new_column: npt.NDArray[np.int64]) -> BinaryPairModel:
    columns = new_column[pair.columns]
    kept = np.flatnonzero(columns >= 0)
    kept = kept[np.argsort(columns[kept])]
    return replace(pair, columns=columns[kept], weights=np.append(pair.weights[kept], pair.weights[-1:]))


def sort_columns(pair: BinaryPairModel) -> BinaryPairModel:
    """Return the model with ascending columns, as binary search needs them."""
    order = np.argsort(pair.columns)
    return replace(pair, columns=pair.columns[order], weights=np.append(pair.weights[order], pair.weights[-1:]))


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Return all class pairs.

    Examples
    --------
    >>> from textperceptron.learn.models.one_vs_one import class_pairs
    >>> class_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(itertools.combinations(range(n_classes), 2))
