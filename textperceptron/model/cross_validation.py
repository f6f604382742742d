"""Train on a part of the texts and predict the rest, for any number of splits and settings."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs
from textperceptron.learn.rows import Rows
from textperceptron.learn.training_data import LabelSets
from textperceptron.model.features import Features, rows_of
from textperceptron.model.targets import Targets
from textperceptron.model.text_profile import resolve_auto
from textperceptron.model.train import fit_rows
from textperceptron.settings import Settings, TextSettings
from textperceptron.text.counted_texts import CountedTexts, count_texts
from textperceptron.text.frames import TextColumn

if TYPE_CHECKING:
    from textperceptron.learn.fitted import Fitted

Confusion = npt.NDArray[np.int64]
Split = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Predictions:
    """What is predicted for texts that a model has not learnt from.

    Attributes
    ----------
    codes : array of int
        Index of the predicted class of each text.
    scores : array
        One number per text for two classes, else one per text and class.
    probabilities : array of shape (n_texts, n_classes) or None
        For a calibrated model.
    """

    codes: npt.NDArray[np.intp]
    scores: npt.NDArray[np.float64]
    probabilities: npt.NDArray[np.float64] | None = None

    @classmethod
    def concatenated(cls, parts: Sequence[Predictions]) -> Predictions:
        """Return the predictions of several parts, one after the other."""
        probabilities = [each.probabilities for each in parts if each.probabilities is not None]
        return cls(
            np.concatenate([each.codes for each in parts]),
            np.concatenate([each.scores for each in parts]),
            np.concatenate(probabilities) if probabilities else None,
        )


class CrossValidation:
    """Trains on the rest of a split, as ``TextModel.train`` would, and predicts the held-out texts.

    Columns and log-count ratios come from the training texts alone, as if the held-out texts did not exist. But text is
    tokenised only once for all splits, and for all settings with the same terms.

    Parameters
    ----------
    texts : sequence of str or bytes, or TextColumn
    labels : sequence of str, int or bool, or of lists of them
    splits : iterable of (rest, held_out)
        Indices of the training texts and of the held-out texts.
    n_jobs : int, optional
        Threads for counting terms.
    cache_size : int
        Number of counted corpora, and of training and held-out rows, to cache.
    unique : bool
        Whether only the first occurrence of a term per text is counted: enough if all settings are binary.
    sample_weight : array-like of shape (n_texts,), optional
        The weight of each text in training.
    """

    def __init__(
        self,
        texts: Sequence[Any] | TextColumn,
        labels: Sequence[Any],
        splits: Iterable[Split],
        n_jobs: int | None = None,
        *,
        cache_size: int = 6,
        unique: bool = False,
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        self._weight = None if sample_weight is None else np.asarray(sample_weight)
        self.targets = Targets.of(labels)
        self.classes = self.targets.classes
        self.splits = list(splits)
        self._texts, self._n_jobs, self._unique = texts, n_jobs, unique
        self._counted: OnceCache[CountedTexts] = OnceCache(cache_size)
        self._hashed: OnceCache[Rows] = OnceCache(cache_size)
        self._rows: OnceCache[tuple[Rows, Rows]] = OnceCache(cache_size)

    def evaluate(
        self,
        settings: Settings,
        split: int,
        check_cancelled: Callable[[Any], object] | None = None,
        *,
        n_jobs: int | None = None,
    ) -> Confusion:
        """Return the confusion matrix: entry (i, j) counts the texts of class i that were predicted as class j.

        If texts have several labels, entry (k, k) counts the texts that rightly got label k. The matrix has one more
        row and column: entry (k, -1) counts the texts of label k that did not get it, entry (-1, k) those that wrongly
        got it.

        ``check_cancelled`` is called during training; an exception that it raises stops it. ``n_jobs`` is the number
        of threads for training.

        Raises
        ------
        ValueError
            If these settings cannot be trained on these texts.
        """
        codes = self.targets.take(self.splits[split][1])
        fitted, rows = self._fit(settings, split, check_cancelled, n_jobs)
        model = fitted.model
        if not isinstance(codes, LabelSets):
            return _counts((codes, model.codes(rows, n_jobs)), len(self.classes))
        n_labels = len(self.classes)
        found, true = model.scores(rows, n_jobs) > 0, codes.indicator(n_labels)
        labels = np.tile(np.arange(n_labels), (len(true), 1))
        either = true | found
        cells = np.where(true, labels, n_labels)[either], np.where(found, labels, n_labels)[either]
        return _counts(cells, n_labels + 1)

    def scores(
        self,
        settings: Settings,
        split: int,
        check_cancelled: Callable[[Any], object] | None = None,
        *,
        n_jobs: int | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the scores of the held-out texts of a split; arguments and errors as in :meth:`evaluate`."""
        fitted, rows = self._fit(settings, split, check_cancelled, n_jobs)
        return fitted.model.scores(rows, n_jobs)

    def predict(
        self,
        settings: Settings,
        split: int,
        check_cancelled: Callable[[Any], object] | None = None,
        *,
        n_jobs: int | None = None,
    ) -> Predictions:
        """Return all that is predicted for the held-out texts, of one label each; parameters as in :meth:`evaluate`."""
        fitted, rows = self._fit(settings, split, check_cancelled, n_jobs)
        scores = fitted.model.scores(rows, n_jobs)
        calibration = fitted.calibration
        probabilities = None if calibration is None else calibration.probabilities(scores)
        return Predictions(fitted.model.codes(rows, n_jobs), scores, probabilities)

    def _fit(
        self, settings: Settings, split: int, check_cancelled: Callable[[Any], object] | None, n_jobs: int | None
    ) -> tuple[Fitted, Rows]:
        """Return the result of training on the rest of a split, and the rows of its held-out texts."""
        settings = self.targets.resolve_default(settings)
        text = self.resolve_auto(settings.text)
        rows = self._rows.get((text, split), lambda: self.rows(text, split, n_jobs))
        training_rows, held_out_rows = (each.with_pairs(settings.learner.pair_bits) for each in rows)
        rest = self.splits[split][0]
        fitted = fit_rows(
            training_rows, self.targets.take(rest), self.classes, settings.learner,
            sample_weight=None if self._weight is None else self._weight[rest],
            n_jobs=n_jobs, callback=check_cancelled,
        )  # fmt: skip
        return fitted, held_out_rows

    def resolve_auto(self, settings: TextSettings) -> TextSettings:
        """Return the settings without ``"auto"``, as training on all texts would have them."""
        return resolve_auto(self._texts, settings, len(self.targets.class_sizes))[0]

    def counted(self, settings: TextSettings) -> CountedTexts:
        """Return the terms of all texts, counted once."""
        terms = settings.terms_only()
        return self._counted.get(
            terms, lambda: count_texts(self._texts, terms, unique=self._unique, n_jobs=self._n_jobs)
        )

    def rows(self, settings: TextSettings, split: int, n_jobs: int | None = None) -> tuple[Rows, Rows]:
        """Return training rows and held-out rows, with the columns of the former."""
        rest, held_out = self.splits[split]
        if settings.n_features is not None:  # hashed: the column of a term does not depend on the texts
            rows = self._hashed.get(settings, lambda: Features(settings, None).rows(self._texts, self._n_jobs))
            return rows.take(rest), rows.take(held_out)
        counted = self.counted(settings)
        columns = counted.choose(settings, rest)
        training_rows, held_out_rows = (
            rows_of(counted.rows(columns, settings, which, n_jobs=count_jobs(n_jobs)), settings, columns.n_words)
            for which in (rest, held_out)
        )
        return training_rows, held_out_rows


def _counts(cells: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], size: int) -> Confusion:
    counts = np.zeros((size, size), np.int64)
    np.add.at(counts, cells, 1)
    return counts


class _Entry(Generic[Item]):
    def __init__(self) -> None:
        self.lock = Lock()
        self.items: list[Item] = []


class OnceCache(Generic[Item]):
    """Thread-safe LRU cache of ``size`` items; each item is computed once.

    A thread that needs an item while another computes it waits for that item only.

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
