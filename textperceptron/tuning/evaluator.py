"""Settings and a fold → confusion matrix."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

from textperceptron.learn import Rows
from textperceptron.learn.column_pairs import with_pairs
from textperceptron.model.classes import Classes
from textperceptron.model.features import Features, rows_of
from textperceptron.model.train import fit_rows
from textperceptron.report import folds
from textperceptron.settings import Settings, TextSettings
from textperceptron.text.counted_texts import CountedTexts, count_texts
from textperceptron.tuning.metric import Confusion

Item = TypeVar("Item")


class Evaluator:
    """Trains on all folds but one, as ``TextModel.train`` would, and predicts the held-out fold.

    The columns and log-count ratios come from the training texts: the result is that of training on these texts
    alone. But text is tokenised only once for all folds, and for all settings with the same terms.

    Parameters
    ----------
    texts : sequence of str or bytes
    labels : sequence of str, int or bool
    n_folds : int
    seed : int
        Seed of the folds.
    n_jobs : int, optional
        Threads for counting terms.
    cache_size : int
        Number of counted corpora, and of training and held-out rows, to keep.
    """

    def __init__(
        self,
        texts: Sequence[Any],
        labels: Sequence[Any],
        n_folds: int,
        seed: int = 0,
        n_jobs: int | None = None,
        cache_size: int = 6,
    ) -> None:
        self.classes = Classes.among(labels)
        self._texts, self._n_jobs = texts, n_jobs
        self._codes = self.classes.codes(labels)
        self._folds = list(folds(labels, n_folds, seed))
        self._counted: OnceCache[CountedTexts] = OnceCache(cache_size)
        self._hashed: OnceCache[Rows] = OnceCache(cache_size)
        self._rows: OnceCache[tuple[Rows, Rows]] = OnceCache(cache_size)

    def evaluate(
        self, settings: Settings, fold: int, check_cancelled: Callable[[Any], None] | None = None
    ) -> Confusion:
        """Return the confusion matrix: entry (i, j) counts the texts of class i that were predicted as class j.

        ``check_cancelled`` is called during training; an exception that it raises stops it.

        Raises
        ------
        ValueError
            If these settings cannot be trained on these texts.
        """
        rest, held_out = self._folds[fold]
        words = self._rows.get((settings.text, fold), lambda: self.rows(settings.text, fold))
        training_rows, asked = (with_pairs(rows, settings.learner.pair_bits) for rows in words)
        fitted = fit_rows(training_rows, self._codes[rest], self.classes, settings.learner, callback=check_cancelled)
        confusion = np.zeros((len(self.classes), len(self.classes)), np.int64)
        np.add.at(confusion, (self._codes[held_out], fitted.model.codes(asked)), 1)
        return confusion

    def rows(self, settings: TextSettings, fold: int) -> tuple[Rows, Rows]:
        """Return training rows and held-out rows, with the columns of the former."""
        rest, held_out = self._folds[fold]
        if settings.n_features is not None:  # hashed: the column of a term does not depend on the texts
            rows = self._hashed.get(settings, lambda: Features(settings, None).rows(self._texts, self._n_jobs))
            return rows.take(rest), rows.take(held_out)
        terms = settings.terms_only()
        counted = self._counted.get(terms, lambda: count_texts(self._texts, terms, n_jobs=self._n_jobs))
        columns = counted.choose(settings, rest)
        training_rows, asked = (
            rows_of(counted.rows(columns, settings, which, n_jobs=1), settings) for which in (rest, held_out)
        )
        return training_rows, asked


class _Entry(Generic[Item]):
    def __init__(self) -> None:
        self.lock = Lock()
        self.items: list[Item] = []


class OnceCache(Generic[Item]):
    """Thread-safe cache of the ``size`` items used last; each item is made once.

    A thread that needs an item in the making waits for that item only.

    Examples
    --------
    >>> cache = OnceCache(1)
    >>> cache.get("a", lambda: "made"), cache.get("a", lambda: "made again"), cache.get("b", lambda: "other")
    ('made', 'made', 'other')
    >>> cache.get("a", lambda: "made again")
    'made again'
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, _Entry[Item]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """Return the item of a key; call ``make`` if it is not cached."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.items:
                entry.items.append(make())
            return entry.items[0]
