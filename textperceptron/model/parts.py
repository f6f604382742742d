"""The parts of a text model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from textperceptron.learn import EpochRecord, Rows, StoppedBy
from textperceptron.learn.models.base import Model
from textperceptron.model.classes import Classes, Label
from textperceptron.model.features import Features
from textperceptron.model.provenance import Provenance
from textperceptron.settings import Settings
from textperceptron.settings.corpus_columns import CorpusColumns
from textperceptron.settings.learner import label_set_sizes
from textperceptron.settings.typed_json import NOT_STORED

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration
    from textperceptron.learn.fitted import Fitted
    from textperceptron.learn.threshold import ClassThreshold

STORED_TOP_TERMS = 20
"""Top terms of a class that a header has, fewer if there are very many classes."""

COUNT_LIMIT = 1 << 53
"""Exclusive upper bound of all counts in a file: their sums fit 64 bits, and each is exact as a float64."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the rows.

    Attributes
    ----------
    epoch : int
        Number of the epoch, from 1.
    rows : int
        Training rows: not held out, and with a weight above 0.
    mistakes, updates : int
        One-vs-all: sums over all classes.
    online_loss : float or None
        Mean of the learner's loss per row, each taken before the row's own update; None for one-vs-all.
    validation_accuracy : float or None
        On the rows that ``early_stopping`` holds out.
    seconds : float or None
        Duration; None if the epoch comes from a file.
    """

    epoch: int
    rows: int
    mistakes: int
    updates: int
    online_loss: float | None
    validation_accuracy: float | None
    seconds: float | None = field(default=None, compare=False, metadata=NOT_STORED)

    @property
    def progressive_accuracy(self) -> float | None:
        """Accuracy on each row before its own update; None for one-vs-all.

        With a ``margin``, a row counts as correct if its score exceeds the margin.
        """
        return None if self.online_loss is None or not self.rows else 1 - self.mistakes / self.rows

    @classmethod
    def from_record(cls, record: EpochRecord, rows: int) -> Epoch:
        """Convert a record of the training loop."""
        return cls(rows=rows, **record)

    def to_record(self) -> EpochRecord:
        """Convert to a record of the training loop; unknown seconds become 0."""
        return EpochRecord(
            epoch=self.epoch, mistakes=self.mistakes, updates=self.updates, online_loss=self.online_loss,
            validation_accuracy=self.validation_accuracy, seconds=self.seconds or 0.0,
        )  # fmt: skip


class Prediction(NamedTuple):
    """A label of a text, and how sure the model is of it.

    Attributes
    ----------
    label : str, int or bool
    score : float
        The score of the label. With two classes, both labels have the same score with different signs, and that of
        the predicted label is not negative.
    probability : float or None
        None unless the model was trained with ``calibrate``.
    """

    label: Label
    score: float
    probability: float | None = None


@dataclass(frozen=True)
class Summary:
    """How a model was trained.

    Attributes
    ----------
    rows_of_class : tuple of int
        Training texts per class or label, in the order of the classes.
    n_texts : int or None
        Number of training texts if each has any number of labels, else None.
    history : tuple of Epoch
        Empty for classes that were trained one after the other.
    n_updates : int
        Total number of updates.
    stopped_by : str
        ``converged``, ``validation``, ``small_change``, ``budget`` or ``interrupted``.
    """

    rows_of_class: tuple[int, ...]
    history: tuple[Epoch, ...]
    n_updates: int
    stopped_by: StoppedBy
    n_texts: int | None = field(default=None, metadata=NOT_STORED)  # stored beside it: only some models have it

    @property
    def n_rows(self) -> int:
        """Number of training texts."""
        return sum(self.rows_of_class) if self.n_texts is None else self.n_texts

    @property
    def class_sizes(self) -> list[int]:
        """Texts per class to resolve ``"auto"`` by."""
        n_classes = len(self.rows_of_class)
        return list(self.rows_of_class) if self.n_texts is None else label_set_sizes(n_classes)


@dataclass(frozen=True, slots=True)
class ModelParts:
    """Settings, classes, features, weights, and how training went.

    Attributes
    ----------
    calibration : Platt, Temperature or None
        Converts scores to probabilities.
    fitted : Fitted or None
        The training state, which an update needs.
    half_exponent : int or None
        The power of two that scales the weights, if the file stores them as float16.
    corpus_columns : CorpusColumns or None
        The columns of the corpus that texts and labels came from, and merged labels.
    thresholds : tuple of ClassThreshold
        Those that the weights contain, with their figures on held-out texts.
    provenance : Provenance
        The digest of the training texts, the measured accuracy, and notes.
    """

    settings: Settings
    classes: Classes
    features: Features
    model: Model
    summary: Summary
    calibration: Calibration | None = None
    fitted: Fitted | None = None
    half_exponent: int | None = None
    corpus_columns: CorpusColumns | None = None
    thresholds: tuple[ClassThreshold, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def multilabel(self) -> bool:
        """Whether a text has any number of labels, instead of one."""
        return self.summary.n_texts is not None

    @property
    def is_binary(self) -> bool:
        """Whether one score decides between two classes."""
        return len(self.classes) == 2 and not self.multilabel

    def labels_of(self, rows: Rows, n_jobs: int | None = None) -> list[Any]:
        """Return the label of each row; or its labels, those whose score is above 0, in the order of the classes."""
        if self.multilabel:
            return self.classes.sets_of(self.model.scores(rows, n_jobs) > 0)
        return self.classes.of(self.model.codes(rows, n_jobs))

    def rows(self, texts: Iterable[Any], n_jobs: int | None = None) -> Rows:
        """Vectorise texts, with column pairs if the learner has ``pair_bits``."""
        return self.features.rows(texts, n_jobs).with_pairs(self.settings.learner.pair_bits)
