"""Settings and a fold → how often each class was taken for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows
from textperceptron.learn.column_pairs import paired
from textperceptron.model.classes import Classes
from textperceptron.model.features import Features, rows_of
from textperceptron.model.training import teach
from textperceptron.report import folds
from textperceptron.settings import Settings, TextPart
from textperceptron.text.recount import CountedDocuments
from textperceptron.tuning.metric import Confusion
from textperceptron.tuning.shelf import Shelf

Places = npt.NDArray[np.int64]


class Evaluator:
    """Trains on all folds but one, as ``TextModel.train`` would, and counts what is said about the texts of that one.

    Columns, and which of them there are, come from the texts that are learnt from, and so do log-count ratios: the
    result is that of training on these texts alone. But the text is cut into terms once for all folds, and for all
    settings that agree in what a term is.

    Parameters
    ----------
    texts : sequence of str or bytes
    labels : sequence of str, int or bool
    n_folds : int
    seed : int
        Decides which texts are in which fold.
    n_jobs : int, optional
        Threads that count terms.
    kept : int
        Countings of the corpus, and pairs of rows of folds, that are kept.
    """

    def __init__(
        self,
        texts: Sequence[Any],
        labels: Sequence[Any],
        n_folds: int,
        seed: int = 0,
        n_jobs: int | None = None,
        kept: int = 6,
    ) -> None:
        self.classes = Classes.among(labels)
        self._texts, self._n_jobs = texts, n_jobs
        self._codes = self.classes.codes(labels)
        self._folds = list(folds(labels, n_folds, seed))
        self._counted: Shelf[CountedDocuments] = Shelf(kept)
        self._hashed: Shelf[Rows] = Shelf(kept)
        self._rows: Shelf[tuple[Rows, Rows]] = Shelf(kept)

    def evaluate(self, settings: Settings, fold: int, heed: Callable[[Any], None] | None = None) -> Confusion:
        """Return a table: row i and column j say how many texts of class i were taken for class j.

        ``heed`` is called now and then; what it raises ends the training.

        Raises
        ------
        ValueError
            If these texts cannot be learnt with these settings.
        """
        rest, held_out = self._folds[fold]
        words = self._rows.get((settings.text, fold), lambda: self.rows(settings.text, fold))
        training_rows, asked = (paired(rows, settings.learner.pair_bits) for rows in words)
        outcome = teach(training_rows, self._codes[rest], self.classes, settings.learner, callback=heed)
        if outcome.error is not None:
            raise outcome.error
        confusion = np.zeros((len(self.classes), len(self.classes)), np.int64)
        np.add.at(confusion, (self._codes[held_out], outcome.model.codes(asked)), 1)
        return confusion

    def rows(self, part: TextPart, fold: int) -> tuple[Rows, Rows]:
        """Return the rows to learn from and those to ask about, with the columns that the former have."""
        rest, held_out = self._folds[fold]
        if part.n_features is not None:  # the column of a term does not depend on other texts
            rows = self._hashed.get(part, lambda: Features(part, None).rows(self._texts, self._n_jobs))
            return rows.take(rest), rows.take(held_out)
        terms = part.text_settings()  # whatever becomes of them: the same for all parts that agree in what a term is
        counted = self._counted.get(terms, lambda: CountedDocuments(self._texts, terms, self._n_jobs))
        columns = counted.choose(rest, part.column_settings(), binary=part.binary, dtype=part.dtype)
        training_rows, asked = (
            rows_of(counted.rows(which, columns, binary=part.binary, dtype=part.dtype), part)
            for which in (rest, held_out)
        )
        return training_rows, asked
