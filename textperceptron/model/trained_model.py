"""What a trained model answers: labels and scores of texts, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.model.classes import Label
from textperceptron.model.parts import ModelParts
from textperceptron.model.top_terms import top_terms
from textperceptron.model.training_summary import Epoch, Summary
from textperceptron.settings import Settings

if TYPE_CHECKING:
    from textperceptron._kernels import TextScorer
    from textperceptron.model.explain import Explanation
    from textperceptron.model.pair_report import PairReport

_BLOCK = 4096  # texts whose rows are held at once


class TrainedModel:
    """The half of :class:`textperceptron.TextModel` that changes nothing: how it was made, what it says of texts."""

    def __init__(self, parts: ModelParts) -> None:
        self.parts = parts
        # Stored with its parts: another thread may replace them.
        self._scorer: tuple[ModelParts | None, TextScorer | None] = None, None

    @property
    def _text_scorer(self) -> TextScorer | None:
        """The scorer of single texts, created when first used; None if the model does not support it."""
        made_for, one = self._scorer
        return one if made_for is self.parts else self._make_scorer(self.parts)

    def _make_scorer(self, parts: ModelParts) -> TextScorer | None:
        with deferred_interrupts():
            from textperceptron.model.predict_one import fast_scorer

        one = fast_scorer(parts.features, parts.model)
        self._scorer = parts, one
        return one

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
        parts = self.parts  # read once: another thread may train the model further
        return parts.classes.of(_codes(parts, texts, n_jobs))

    def codes(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the place of each text's label in ``classes``."""
        return _codes(self.parts, texts, n_jobs)

    def predict_one(self, text: str) -> Label:
        """Return the label of one text: the way for answering one question at a time. Threads may share a model."""
        parts = self.parts
        made_for, one = self._scorer
        if made_for is not parts:
            one = self._make_scorer(parts)
        if one is None or type(text) is not str:
            return self.predict([text])[0]
        return parts.classes.labels[one.code(text)]

    def scores(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return a score a text, above 0 for ``classes[1]``; of more classes one for each, (n_texts, n_classes)."""
        return _scores(self.parts, texts, n_jobs)

    def probabilities(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the probability of every class, of shape (n_texts, n_classes).

        Raises
        ------
        ValueError
            If training held out no texts to learn them from.
        """
        parts = self.parts
        if parts.calibration is None:
            raise ValueError(
                "the model has scores, not probabilities: train with calibrate=True, which holds out texts to learn "
                "probabilities from."
            )
        return parts.calibration.probabilities(_scores(parts, texts, n_jobs))

    def explain(self, text: str) -> Explanation:
        """Return what each term of a text adds to the scores.

        Raises
        ------
        ValueError
            If the scores are no sums (the voted perceptron).
        """
        with deferred_interrupts():
            from textperceptron.model.explain import explain

        return explain(self.parts, text)

    def top_terms(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        """Return the terms with the largest weights for a class, largest first.

        Only those that have a column: pairs on the fly (``pair_bits``) are in :meth:`pair_report`.

        Raises
        ------
        ValueError
            If there is no such class, or columns have no names or no weights.
        """
        return top_terms(self.parts, self.parts.classes.code(label), n)

    def pair_report(self, texts: Iterable[Any], top: int = 20) -> PairReport:
        """Return which pairs on the fly (``pair_bits``) texts have, how many share a weight, and the heaviest by name.

        Parameters
        ----------
        texts : iterable of str or bytes
            Those that were learnt from. Of others, only pairs in them can be named.
        top : int
            How many pairs to name, those whose weights are furthest from 0.

        Raises
        ------
        ValueError
            If the model forms no pairs, or columns have no names.
        """
        with deferred_interrupts():
            from textperceptron.model.pair_report import report_texts

        return report_texts(self.parts, texts, top)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.classes[:4])) + (", …" if len(self.classes) > 4 else "")
        return f"<TextModel of {self.n_columns} columns and {len(self.classes)} classes: {shown}>"


def _codes(parts: ModelParts, texts: Iterable[Any], n_jobs: int | None) -> npt.NDArray[np.intp]:
    found = [parts.model.codes(parts.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
    return np.concatenate([np.empty(0, np.intp), *found])


def _scores(parts: ModelParts, texts: Iterable[Any], n_jobs: int | None) -> npt.NDArray[np.float64]:
    found = [parts.model.scores(parts.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
    if not found:
        n_classes = len(parts.classes.labels)
        return np.empty(0) if n_classes == 2 else np.empty((0, n_classes))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _blocks(texts: Iterable[Any]) -> Iterator[list[Any]]:
    if isinstance(texts, str | bytes):
        raise ValueError("texts is one string: put it into a list, or use predict_one.")
    items = iter(texts)
    while block := list(islice(items, _BLOCK)):
        yield block
