"""TextModel: text in, label out; tokeniser, columns, weights and classes in one object."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Callback, OverflowedError
from textperceptron.pipeline.explain import Explanation, explained, heaviest_terms
from textperceptron.pipeline.files import read_parts, write_parts
from textperceptron.pipeline.history import Epoch
from textperceptron.pipeline.labels import Label
from textperceptron.pipeline.making import keeper_for, make, make_more
from textperceptron.pipeline.one_text import short_way
from textperceptron.pipeline.parts import Parts
from textperceptron.pipeline.shrink import Comparison, compare, halved_parts, pruned_parts
from textperceptron.pipeline.summary import Summary
from textperceptron.recipes import DEFAULT_RECIPE, Settings, recipe

_BLOCK = 4096  # texts whose rows are held at once


class TextModel:
    """A text classifier that needs neither scikit-learn nor scipy, and can be kept in one file.

    Make it with :meth:`train` or :meth:`load`.

    Parameters
    ----------
    parts : Parts
        What these two put together.

    Attributes
    ----------
    settings : Settings
    classes : tuple of labels
        Sorted; all str, all int or all bool.
    n_columns : int
        Terms that have weights.
    summary : Summary
        How training went; ``history``, ``stopped_by`` and ``n_updates`` are parts of it.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    >>> model = TextModel.train(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["fine", "so dull"]), model.predict_one("a fine cast")
    (['pos', 'neg'], 'pos')
    >>> [name for name, weight in model.heaviest("pos", 2)]
    ['fine', 'fine film']
    """

    def __init__(self, parts: Parts) -> None:
        self._adopt(parts)

    def _adopt(self, parts: Parts) -> None:
        self.parts = parts
        self._one_text = short_way(parts.features, parts.model)

    @classmethod
    def train(
        cls,
        texts: Iterable[Any],
        labels: Iterable[Any],
        settings: Settings | str = DEFAULT_RECIPE,
        *,
        classes: Iterable[Any] = (),
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
        classes : iterable of labels
            Further classes, which :meth:`train_more` will bring texts of.
        sample_weight : array of a number for each text, optional
        n_jobs : int, optional
            Threads; the result is the same for any number.
        callback : callable, optional
            Called with a :class:`textperceptron.learn.Progress` every tenth of a second or so of learning, and after
            every epoch at least; of one-vs-one, after every pair of classes.
        checkpoint : str or path, optional
            A file to keep the state of training in, from time to time and after Ctrl-C. It is left there at the end.
            One-vs-all then learns on one thread.
        every : float
            Seconds between two writings of it.
        resume : bool
            Go on from the checkpoint if there is one; the model is then, to the byte, that of a training which was
            never interrupted.

        Raises
        ------
        ValueError
            If texts, labels and settings do not fit together, or the checkpoint is of another training.
        OSError
            If the checkpoint cannot be read or written.
        KeyboardInterrupt
            After Ctrl-C.
        """
        settings = recipe(settings) if isinstance(settings, str) else settings
        parts = make(
            texts, list(labels), settings,
            classes=classes, sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
            keeper_of=keeper_for(checkpoint, every, resume, settings, sample_weight),
        )  # fmt: skip
        return cls(parts)

    def train_more(
        self,
        texts: Iterable[Any],
        labels: Iterable[Any],
        *,
        epochs: int = 1,
        classes: Iterable[Any] = (),
        sample_weight: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        """Learn from further texts, on from where training stopped.

        The vocabulary stays; terms that it does not hold are not learnt. A label that is new adds a class, which begins
        at zero; ``classes`` may name more of them. Going over the texts of :meth:`train` once more is one more epoch.

        Raises
        ------
        ValueError
            If the model was loaded from a file without the state of training, or cannot go on (one-vs-one, early
            stopping, calibration).
        """
        parts, training = self.parts, self.parts.training
        if training is None:
            raise ValueError(
                "there is no state of training to go on from: one-vs-one and classes trained one by one leave none, "
                "and a file has one if it was saved with trainable=True."
            )
        try:
            parts, error = make_more(
                parts, training, texts, list(labels),
                epochs=epochs, classes=classes, sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
            )  # fmt: skip
        except BaseException as problem:
            if not isinstance(problem, ValueError) or isinstance(problem, OverflowedError):
                self.parts = replace(self.parts, training=None)  # it has moved on without the model
            raise
        self._adopt(parts)
        if error is not None:
            raise error

    @property
    def settings(self) -> Settings:
        """How the model was made."""
        return self.parts.settings

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels, sorted."""
        return self.parts.classes.labels

    @property
    def n_columns(self) -> int:
        """Terms that have weights."""
        return self.parts.features.n_columns

    @property
    def summary(self) -> Summary:
        """How training went."""
        return self.parts.summary

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
        return self.parts.classes.of(self.codes(texts, n_jobs))

    def codes(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the place of each text's label in ``classes``."""
        features, model = self.parts.features, self.parts.model
        parts = [model.codes(features.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
        return np.concatenate([np.empty(0, np.intp), *parts])

    def predict_one(self, text: str) -> Label:
        """Return the label of one text: the way for answering one question at a time. Threads may share a model."""
        one = self._one_text
        if one is None or type(text) is not str:
            return self.predict([text])[0]
        return self.parts.classes.labels[one.code(text)]

    def scores(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return a score a text, above 0 for ``classes[1]``; of more classes one for each, (n_texts, n_classes)."""
        features, model = self.parts.features, self.parts.model
        parts = [model.scores(features.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
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
        if self.parts.calibration is None:
            raise ValueError(
                "the model has scores, not probabilities: train with calibrate=True, which holds out texts to learn "
                "probabilities from."
            )
        return self.parts.calibration.probabilities(self.scores(texts, n_jobs))

    def explain(self, text: str) -> Explanation:
        """Return what each term of a text adds to the scores.

        Raises
        ------
        ValueError
            If the scores are no sums (the voted perceptron).
        """
        return explained(self.parts, text)

    def heaviest(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        """Return the terms that speak most for a class, with their weights; the heaviest first.

        Raises
        ------
        ValueError
            If there is no such class, or columns have no names or no weights.
        """
        return heaviest_terms(self.parts, self.parts.classes.code(label), n)

    def pruned(self, *, keep: int | None = None, limit: float | None = None) -> TextModel:
        """Return a model of fewer columns, which cannot be trained on.

        Parameters
        ----------
        keep : int, optional
            How many columns stay: those with the largest weight for any class, whatever its sign.
        limit : float, optional
            Leave out columns whose weights are all below this, whatever their signs.

        Raises
        ------
        ValueError
            If columns have no names or no weights, or none would be left.
        """
        return TextModel(pruned_parts(self.parts, keep, limit))

    def halved(self) -> TextModel:
        """Return a model whose weights are rounded to 11 bits, and kept in two bytes each; it cannot be trained on.

        Its file also leaves out the hash table of the vocabulary, which is made anew by loading it.

        Raises
        ------
        ValueError
            If there are no weights (the voted perceptron).
        """
        return TextModel(halved_parts(self.parts))

    def compare(self, other: TextModel, texts: Iterable[Any], labels: Iterable[Any]) -> Comparison:
        """Return how another model, say a smaller one, does on the same texts.

        Raises
        ------
        ValueError
            If there are no texts.
        """
        texts = list(texts)
        return compare(self.predict(texts), other.predict(texts), list(labels))

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
        return write_parts(path, self.parts, trainable=trainable)

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
        return cls(read_parts(path))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.classes[:4])) + (", …" if len(self.classes) > 4 else "")
        return f"<TextModel of {self.n_columns} columns and {len(self.classes)} classes: {shown}>"


def _blocks(texts: Iterable[Any]) -> Iterator[list[Any]]:
    if isinstance(texts, str | bytes):
        raise ValueError("texts is one string: put it into a list, or use predict_one.")
    items = iter(texts)
    while block := list(islice(items, _BLOCK)):
        yield block
