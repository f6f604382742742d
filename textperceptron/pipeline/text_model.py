"""TextModel: text in, label out; tokeniser, columns, weights and classes in one object."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Callback
from textperceptron.learn.calibration import Calibration
from textperceptron.learn.models import Model
from textperceptron.model_file import ModelFileError, open_container, write_container
from textperceptron.pipeline import storage, stored_models
from textperceptron.pipeline.checkpoint import Checkpoint
from textperceptron.pipeline.explain import Explanation, explained, largest
from textperceptron.pipeline.features import Features
from textperceptron.pipeline.going_on import teach_more
from textperceptron.pipeline.history import Epoch
from textperceptron.pipeline.labels import Classes, Label
from textperceptron.pipeline.outcome import Training
from textperceptron.pipeline.stored_states import state_arrays
from textperceptron.pipeline.stored_training import stored_training
from textperceptron.pipeline.summary import Summary
from textperceptron.pipeline.training import teach
from textperceptron.recipes import Settings, recipe

_BLOCK = 4096  # texts whose rows are held at once

# Terms of each class that a file lists for whoever inspects it, and how many of all classes.
_LISTED, _LISTED_IN_ALL = 20, 10_000


class TextModel:
    """A text classifier that needs neither scikit-learn nor scipy, and can be kept in one file.

    Make it with :meth:`train` or :meth:`load`.

    Attributes
    ----------
    settings : Settings
    classes : tuple of labels
        Sorted; all str, all int or all bool.
    summary : Summary
        How training went.

    Examples
    --------
    >>> from textperceptron.pipeline import TextModel
    >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    >>> model = TextModel.train(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["fine", "so dull"]), model.predict_one("a fine cast")
    (['pos', 'neg'], 'pos')
    >>> [name for name, weight in model.heaviest("pos", 2)]
    ['fine', 'acting']
    """

    def __init__(
        self,
        settings: Settings,
        classes: Classes,
        features: Features,
        model: Model,
        summary: Summary,
        calibration: Calibration | None = None,
        training: Training | None = None,
    ) -> None:
        self.settings = settings
        self.summary = summary
        self.features = features
        self.model = model
        self.calibration = calibration
        self._classes = classes
        self._training = training

    @classmethod
    def train(
        cls,
        texts: Iterable[Any],
        labels: Iterable[Any],
        settings: Settings | str = "mira",
        *,
        sample_weight: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        every: float = 60.0,
        resume: bool = False,
    ) -> TextModel:
        """Learn from texts and their labels.

        Parameters
        ----------
        texts : iterable of str or bytes
            Read once.
        labels : iterable of str, int or bool
            One a text, all of one type.
        settings : Settings or name of a recipe
        sample_weight : array of a number for each text, optional
        n_jobs : int, optional
            Threads; the result is the same for any number.
        callback : callable, optional
            Called with a :class:`textperceptron.learn.Progress` every tenth of a second or so of learning, and after
            every epoch at least.
        checkpoint : str or path, optional
            A file to keep the state of training in, from time to time and after Ctrl-C. It is left there at the end.
        every : float
            Seconds between two writings of it.
        resume : bool
            Go on from the checkpoint if there is one; the model is then, to the byte, that of a training which was
            never interrupted.

        Raises
        ------
        ValueError
            If texts, labels and settings do not fit together.
        KeyboardInterrupt
            After Ctrl-C.
        """
        settings = recipe(settings) if isinstance(settings, str) else settings
        labels = list(labels)
        classes = Classes.among(labels)
        if len(classes) < 2:
            found = f"only one class, {classes.labels[0]!r}" if len(classes) else "no labels"
            raise ValueError(f"there is {found}: a classifier needs texts of two classes to learn from.")
        features, rows = Features.learn(texts, settings.text, n_jobs)
        if rows.n_rows != len(labels):
            raise ValueError(f"there are {rows.n_rows} texts and {len(labels)} labels: give one label a text.")
        codes = classes.codes(labels)
        keeper = None
        if checkpoint is not None:
            keeper = Checkpoint(checkpoint, every, resume, settings, rows, codes, sample_weight)
        elif resume:
            raise ValueError("resume=True needs the checkpoint to go on from: name its file.")
        outcome = teach(
            rows, codes, classes, settings.learner,
            sample_weight=sample_weight, n_jobs=n_jobs, callback=callback, keeper=keeper,
        )  # fmt: skip
        if outcome.error is not None:
            raise outcome.error
        summary = Summary(
            tuple(np.bincount(codes, minlength=len(classes)).tolist()),
            tuple(outcome.history), outcome.n_updates, outcome.stopped_by,
        )  # fmt: skip
        return cls(settings, classes, features, outcome.model, summary, outcome.calibration, outcome.training)

    def train_more(
        self,
        texts: Iterable[Any],
        labels: Iterable[Any],
        *,
        epochs: int = 1,
        sample_weight: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        """Learn from further texts, on from where training stopped.

        The vocabulary stays; terms that it does not hold are not learnt. A label that is new adds a class, which begins
        at zero. Going over the texts of :meth:`train` once more is one more epoch.

        Raises
        ------
        ValueError
            If the model was loaded from a file without the state of training, or cannot go on (one-vs-one, early
            stopping, calibration).
        """
        if self._training is None:
            raise ValueError(
                "there is no state of training to go on from: one-vs-one and classes trained one by one leave none, "
                "and a file has one if it was saved with trainable=True."
            )
        labels = list(labels)
        classes = self._classes.with_more(labels)
        rows = self.features.rows(texts, n_jobs)
        if rows.n_rows != len(labels):
            raise ValueError(f"there are {rows.n_rows} texts and {len(labels)} labels: give one label a text.")
        training, self._training = self._training, None  # a failure leaves no state that does not fit the model
        outcome = teach_more(
            training, rows, labels, self._classes, classes, self.settings.learner,
            epochs=epochs, sample_weight=sample_weight, callback=callback,
        )  # fmt: skip
        places = [classes.code(label) for label in self.classes]
        counts = np.bincount(classes.codes(labels), minlength=len(classes))
        counts[places] += self.summary.rows_of_class
        self.summary = Summary(
            tuple(counts.tolist()), (*self.history, *outcome.history),
            self.n_updates + outcome.n_updates, outcome.stopped_by,
        )  # fmt: skip
        self._classes, self.model, self._training = classes, outcome.model, outcome.training
        if outcome.error is not None:
            raise outcome.error

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels, sorted."""
        return self._classes.labels

    @property
    def n_columns(self) -> int:
        """Terms that have weights."""
        return self.features.n_columns

    @property
    def history(self) -> tuple[Epoch, ...]:
        """A record of each epoch; empty for classes that were trained one after the other."""
        return self.summary.history

    @property
    def stopped_by(self) -> str:
        """Why training ended."""
        return self.summary.stopped_by

    @property
    def n_updates(self) -> int:
        """Updates in all."""
        return self.summary.n_updates

    def predict(self, texts: Iterable[Any], n_jobs: int | None = None) -> list[Label]:
        """Return the label of each text; texts of any number are read block by block."""
        labels: list[Label] = []
        for block in _blocks(texts):
            labels += self._classes.of(self.model.codes(self.features.rows(block, n_jobs), n_jobs))
        return labels

    def predict_one(self, text: str) -> Label:
        """Return the label of one text."""
        return self.predict([text])[0]

    def scores(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return a score a text, above 0 for ``classes[1]``; of more classes one for each, (n_texts, n_classes)."""
        parts = [self.model.scores(self.features.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
        if not parts:
            return np.empty(0) if len(self.classes) == 2 else np.empty((0, len(self.classes)))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def probabilities(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the probability of every class, of shape (n_texts, n_classes).

        Raises
        ------
        ValueError
            If training held out no texts to learn them from.
        """
        if self.calibration is None:
            raise ValueError(
                "the model has scores, not probabilities: train with calibrate=True, which holds out texts to learn "
                "probabilities from."
            )
        return self.calibration.probabilities(self.scores(texts, n_jobs))

    def explain(self, text: str) -> Explanation:
        """Return what each term of a text adds to the scores.

        Raises
        ------
        ValueError
            If the scores are no sums (the voted perceptron).
        """
        rows = self.features.rows([text])
        contributions = self.model.contributions(rows.indices, rows.values)
        names = self.features.names_in(text, rows.indices.tolist())
        label = self._classes.of(self.model.codes(rows))[0]
        classes = self.classes[1:] if len(self.classes) == 2 else self.classes
        return explained(label, classes, names, rows.values.astype(np.float64), contributions, self.model.intercepts())

    def heaviest(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        """Return the terms that speak most for a class, with their weights; the heaviest first.

        Raises
        ------
        ValueError
            If there is no such class, or columns have no names or no weights.
        """
        weights = self.model.weights_of(self._classes.code(label))
        vocabulary = self.features.vocabulary
        if vocabulary is None:
            raise ValueError("hashed columns have no names. Train without n_features, or explain a text.")
        return [(vocabulary.name(column), float(weights[column])) for column in largest(weights, n)]

    def save(self, path: str | os.PathLike[str], *, trainable: bool = False) -> int:
        """Write the model to a file, whole or not at all; return its size in bytes.

        Parameters
        ----------
        path : str or path
        trainable : bool
            Keep the state of training too, for :meth:`train_more` after loading; of an averaged model it takes three
            times the room of the weights.

        Raises
        ------
        ValueError
            If there is no state of training to keep.
        OSError
            If it cannot be written; a file that was there before still is.
        """
        state: dict[str, npt.NDArray[Any]] = {}
        if trainable:
            if self._training is None:
                raise ValueError("there is no state of training to keep: save it without trainable.")
            state = state_arrays(self._training.state, "state")
        description, arrays = stored_models.written(self.model)
        header = storage.header_of(self.settings, self._classes, self.calibration, self.summary)
        header |= {"model": description, "n_columns": self.n_columns, "heaviest": self._heaviest_of_all()}
        names = storage.vocabulary_arrays(self.features.vocabulary)
        return write_container(path, "model", header, arrays | names | state)

    def _heaviest_of_all(self) -> list[list[tuple[str, float]]] | None:
        """Return some terms of each class for a header, or None where there are none."""
        n = max(1, min(_LISTED, _LISTED_IN_ALL // len(self.classes)))
        try:
            return [self.heaviest(label, n) for label in self.classes]
        except ValueError:  # no names, or no weights
            return None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextModel:
        """Open a model file; its arrays stay on disk until they are used.

        Raises
        ------
        ValueError
            If it is no model file, a damaged one, or one of a newer format.
        OSError
            If it cannot be read.
        """
        file = open_container(path, "model")
        try:
            told = storage.read_description(file.header)
            features = storage.read_features(file, told)
            model = stored_models.read(file.header["model"], file, told.n_columns, len(told.classes))
            training = stored_training(file, told.settings.learner, model)
        except ModelFileError as problem:
            raise ModelFileError(f"{os.fspath(path)}: {problem}") from None
        return cls(told.settings, told.classes, features, model, told.summary, told.calibration, training)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.classes[:4])) + (", …" if len(self.classes) > 4 else "")
        return f"<TextModel of {self.features.n_columns} columns and {len(self.classes)} classes: {shown}>"


def _blocks(texts: Iterable[Any]) -> Iterator[list[Any]]:
    if isinstance(texts, str | bytes):
        raise ValueError("texts is one string: put it into a list, or use predict_one.")
    items = iter(texts)
    while block := list(islice(items, _BLOCK)):
        yield block
