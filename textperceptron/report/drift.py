"""How two corpora differ: by the terms that tell them apart, and in the eyes of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.model import TextModel
from textperceptron.model.top_terms import positive_terms
from textperceptron.report.interval import Proportion
from textperceptron.report.page.findings import unknown_words
from textperceptron.report.splits import folds as make_folds
from textperceptron.report.suggest import decision_margins
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe

MAX_TEXTS = 5000  # of each corpus, for the classifier between them


@dataclass(frozen=True)
class ModelView:
    """A corpus in the eyes of a model.

    Attributes
    ----------
    n_texts : int
    unknown_rate : float or None
        Share of the words that the model does not know; None if its columns are no words or have no names.
    frequent_unknown : tuple of (str, int)
        The most frequent of them.
    shares : dict
        Share of the texts that are predicted as each class.
    median_margin : float
        Median distance of a text from another label.
    """

    n_texts: int
    unknown_rate: float | None
    frequent_unknown: tuple[tuple[str, int], ...]
    shares: dict[Any, float]
    median_margin: float


@dataclass(frozen=True)
class Drift:
    """What :func:`compare_corpora` found.

    Attributes
    ----------
    n_texts : tuple of int
        Texts of A and B.
    accuracy : Proportion
        Share of the texts that a classifier assigns to the right corpus, by cross-validation on equally many of both:
        one half if they do not differ.
    terms_of_a, terms_of_b : tuple of (str, float)
        The terms that the classifier has the largest weights for.
    views : tuple of ModelView
        A and B in the eyes of a model; empty without one.
    """

    n_texts: tuple[int, int]
    accuracy: Proportion
    terms_of_a: tuple[tuple[str, float], ...]
    terms_of_b: tuple[tuple[str, float], ...]
    views: tuple[ModelView, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the interval of the accuracy is above one half."""
        return self.accuracy.interval[0] > 0.5

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "texts": list(self.n_texts), "accuracy": self.accuracy.as_dict(), "differs": self.differs,
            "terms_of_a": [list(each) for each in self.terms_of_a],
            "terms_of_b": [list(each) for each in self.terms_of_b],
            "model": [
                {**asdict(view), "shares": {str(label): share for label, share in view.shares.items()}}
                for view in self.views
            ],
        }  # fmt: skip


def compare_corpora(
    a: Sequence[str],
    b: Sequence[str],
    model: TextModel | None = None,
    settings: Settings | str = DEFAULT_RECIPE,
    *,
    folds: int = 5,
    top: int = 10,
    n_jobs: int | None = None,
    callback: Callable[[int, int, Any], object] | None = None,
) -> Drift:
    """Compare two corpora of texts.

    A classifier learns to tell them apart, from equally many texts of both: at most 5,000, drawn at random. What it
    finds, it may find in anything: topics, spelling, or a mark that one export adds. A text that occurs in both, or
    several times, is left out after its first occurrence.

    Parameters
    ----------
    a, b : sequence of str
    model : TextModel, optional
        Also compare what this model predicts for them, and how many of their words it knows.
    settings : Settings or str
        Settings of the classifier between them, or the name of a recipe.
    folds : int
    top : int
        Number of terms on each side.
    n_jobs : int, optional
        Threads; the result is the same for any number.
    callback : callable, optional
        Called with the number of a model, the number of models and the progress of its training.

    Returns
    -------
    Drift

    Raises
    ------
    ValueError
        If there are too few texts for the folds.

    Examples
    --------
    >>> from textperceptron import load_corpus
    >>> from textperceptron.report import compare_corpora
    >>> reviews, topics = load_corpus("reviews"), load_corpus("topics")
    >>> compare_corpora(reviews.train.texts, topics.train.texts).differs
    True
    >>> compare_corpora(reviews.train.texts, reviews.test.texts).differs
    False
    """
    settings = recipe(settings) if isinstance(settings, str) else settings
    seen: set[str] = set()
    distinct = []
    for texts in (a, b):
        distinct.append(list(dict.fromkeys(text for text in texts if text.strip() and text not in seen)))
        seen.update(distinct[-1])
    n = min(MAX_TEXTS, *map(len, distinct))
    if n < folds:
        raise ValueError(
            f"A has {len(distinct[0])} different texts, and B has {len(distinct[1])} that are not in A: {folds} folds "
            f"need {folds} of each. Use more texts."
        )
    generator = np.random.default_rng([settings.learner.seed, len(a), len(b)])
    chosen = [[each[k] for k in sorted(generator.permutation(len(each))[:n].tolist())] for each in distinct]
    texts, labels = chosen[0] + chosen[1], ["a"] * n + ["b"] * n
    right = 0
    for k, (rest, held_out) in enumerate(make_folds(labels, folds, settings.learner.seed)):
        apart = _train(texts, labels, rest, settings, n_jobs, callback, (k + 1, folds + 1))
        predicted = apart.predict([texts[i] for i in held_out], n_jobs)
        right += sum(label == labels[i] for label, i in zip(predicted, held_out, strict=True))
    apart = _train(texts, labels, np.arange(2 * n), settings, n_jobs, callback, (folds + 1, folds + 1))
    terms_of_a, terms_of_b = (tuple(positive_terms(apart.top_terms(side, top))) for side in ("a", "b"))
    views = () if model is None else tuple(_view(model, each, n_jobs) for each in (a, b))
    return Drift((len(a), len(b)), Proportion(right, 2 * n), terms_of_a, terms_of_b, views)


def _train(
    texts: list[str], labels: list[str], which: npt.NDArray[np.int64], settings: Settings, n_jobs: int | None,
    callback: Callable[[int, int, Any], object] | None, number: tuple[int, int],
) -> TextModel:  # fmt: skip
    return TextModel.train(
        [texts[k] for k in which], [labels[k] for k in which], settings, n_jobs=n_jobs,
        callback=None if callback is None else partial(callback, *number),
    )  # fmt: skip


def _view(model: TextModel, texts: Sequence[str], n_jobs: int | None) -> ModelView:
    scores = model.scores(texts, n_jobs)
    margins = decision_margins(model, scores)
    if model.multilabel:
        counts = (scores > 0).sum(axis=0)
    else:
        counts = np.bincount(model.codes(texts, n_jobs), minlength=len(model.classes))
    words = unknown_words(model, texts)
    return ModelView(
        len(texts), None if words is None else words.rate, () if words is None else tuple(words.frequent[:10]),
        dict(zip(model.classes, (counts / max(1, len(texts))).tolist(), strict=True)),
        float(np.median(margins)) if len(margins) else 0.0,
    )  # fmt: skip
