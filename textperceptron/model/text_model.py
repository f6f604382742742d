"""TextModel: text in, label out; tokeniser, columns, weights and classes in one object."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn import Callback, OverflowedError
from textperceptron.model.serialize import load_parts, save_parts
from textperceptron.model.trained_model import TrainedModel
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe

if TYPE_CHECKING:
    from textperceptron.model.shrink import Comparison
    from textperceptron.text.counted_texts import CountedTexts


class TextModel(TrainedModel):
    """A text classifier that needs neither scikit-learn nor scipy, and can be kept in one file.

    Make it with :meth:`train` or :meth:`load`.

    Parameters
    ----------
    parts : ModelParts
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
    >>> [name for name, weight in model.top_terms("pos", 2)]
    ['fine', 'a fine']
    """

    @classmethod
    def train(
        cls,
        texts: Iterable[Any] | CountedTexts,
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
        texts : iterable of str or bytes, or CountedTexts
            Read once. Texts whose terms are counted already must have been counted with the same settings.
        labels : iterable of str, int or bool
            One a text, all of one type.
        settings : Settings or name of a recipe
        classes : iterable of labels
            Further classes, which :meth:`update` will bring texts of.
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
            If the checkpoint cannot be read, or no file can be written in its place when training begins.
        KeyboardInterrupt
            After Ctrl-C.

        Warns
        -----
        CheckpointWarning
            If a checkpoint cannot be written later: the disk is full, the folder gone. Training goes on and tries again
            when the next one is due; the older one, if any, is still there.
        """
        with deferred_interrupts():
            from textperceptron.model.train import open_checkpoint, train_model

        settings = recipe(settings) if isinstance(settings, str) else settings
        parts = train_model(
            texts, list(labels), settings,
            classes=classes, sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
            checkpoint=open_checkpoint(checkpoint, every, resume, settings, sample_weight),
        )  # fmt: skip
        return cls(parts)

    def update(
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
        with deferred_interrupts():
            from textperceptron.model.train import update_model

        parts, fitted = self.parts, self.parts.fitted
        if fitted is None or not fitted.can_update:
            raise ValueError(
                "there is no state of training to update: one-vs-one and classes trained one by one leave none, and a "
                "file has one if it was saved with trainable=True."
            )
        try:
            parts, error = update_model(
                parts, fitted, texts, list(labels),
                epochs=epochs, classes=classes, sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
            )  # fmt: skip
        except BaseException as problem:
            if not isinstance(problem, ValueError) or isinstance(problem, OverflowedError):
                self.parts = replace(self.parts, fitted=None)  # its state has moved on without the model
            raise
        self.parts = parts
        if error is not None:
            raise error

    def pruned(self, *, keep: int | None = None, min_weight: float | None = None) -> TextModel:
        """Return a model of fewer columns, which cannot be trained on.

        Parameters
        ----------
        keep : int, optional
            How many columns stay: those with the largest weight for any class, whatever its sign.
        min_weight : float, optional
            Leave out columns whose weights are all below this, whatever their signs.

        Raises
        ------
        ValueError
            If columns have no names or no weights, or none would be left.
        """
        with deferred_interrupts():
            from textperceptron.model.shrink import prune

        return TextModel(prune(self.parts, keep, min_weight))

    def halved(self) -> TextModel:
        """Return a model whose weights are rounded to 11 bits, and kept in two bytes each; it cannot be trained on.

        Its file also leaves out the hash table of the vocabulary, which is made anew by loading it.

        Raises
        ------
        ValueError
            If there are no weights (the voted perceptron).
        """
        with deferred_interrupts():
            from textperceptron.model.shrink import halve

        return TextModel(halve(self.parts))

    def compare(self, other: TextModel, texts: Iterable[Any], labels: Iterable[Any]) -> Comparison:
        """Return how another model, say a smaller one, does on the same texts.

        Raises
        ------
        ValueError
            If there are no texts.
        """
        with deferred_interrupts():
            from textperceptron.model.shrink import compare

        texts = list(texts)
        return compare(self.predict(texts), other.predict(texts), list(labels))

    def save(self, path: str | os.PathLike[str], *, trainable: bool = False) -> int:
        """Write the model to a file, whole or not at all; return its size in bytes.

        Parameters
        ----------
        path : str or path
        trainable : bool
            Keep the state of training too, for :meth:`update` after loading; of an averaged model it takes three
            times the room of the weights.

        Raises
        ------
        ValueError
            If there is no state of training to keep.
        OSError
            If it cannot be written; a file that was there before still is.
        """
        return save_parts(path, self.parts, trainable=trainable)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, verify: bool = False) -> TextModel:
        """Open a model file; its arrays are mapped into memory.

        Parameters
        ----------
        path : str or path
        verify : bool
            Read all of the file first and compare its digest, which finds every change of its bytes; 53 MB take 40 ms.

        Raises
        ------
        ValueError
            If it is no model file, a damaged one, or one of a newer format; or has no digest to verify (format 1).
        OSError
            If it cannot be read.

        Warns
        -----
        SlowPatternWarning
            If its ``token_pattern`` is none of the built-in ones and may take very long on some texts.
        """
        return cls(load_parts(path, verify=verify))
