"""Labels that may be wrong: out-of-fold margins, nearly equal texts with different labels, and how many to expect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.model import TextModel
from textperceptron.model.classes import Classes, Label, plain_labels
from textperceptron.report.near_duplicates import near_duplicates
from textperceptron.report.page.findings import likely_wrong, score_margins
from textperceptron.report.splits import folds as make_folds
from textperceptron.report.splits import never_held_out
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe

Floats = npt.NDArray[np.float64]

_WORDS = 5


@dataclass(frozen=True)
class Suspect:
    """A text whose label may be wrong.

    Attributes
    ----------
    index : int
        Its position in the texts.
    text : str
    label : str, int or bool
        As given.
    predicted : str, int or bool
        By a model that has not learnt from the text.
    margin : float
        Score of the label; with more than two classes, minus the best of the others. Below 0.
    words : tuple of (str, float)
        The terms that speak most against the label: what they add to the score of ``predicted`` over that of the label.
    """

    index: int
    text: str
    label: Label
    predicted: Label
    margin: float
    words: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Conflict:
    """Nearly equal texts with different labels.

    Attributes
    ----------
    indices : tuple of int
    labels : tuple of labels
        One for each.
    text : str
        The first of them.
    """

    indices: tuple[int, ...]
    labels: tuple[Label, ...]
    text: str


@dataclass(frozen=True)
class Audit:
    """What :func:`audit_labels` found.

    Attributes
    ----------
    n_texts : int
        Number of texts.
    n_mistakes : int
        Texts that are predicted otherwise by a model that has not learnt from them.
    n_wrong : int
        Estimated number of wrong labels.
    wrong_of : dict
        The same by label.
    suspects : tuple of Suspect
        Lowest margin first.
    conflicts : tuple of Conflict
        Largest group first.
    margins : array of float
        Out-of-fold margin of every text; nan for the only text of a class.
    not_checked : tuple of labels
        Classes with a single text.
    """

    n_texts: int
    n_mistakes: int
    n_wrong: int
    wrong_of: dict[Label, int]
    suspects: tuple[Suspect, ...]
    conflicts: tuple[Conflict, ...]
    margins: Floats
    not_checked: tuple[Label, ...] = ()

    @property
    def accuracy(self) -> float:
        """Share of the texts that are predicted as labelled."""
        return 1 - self.n_mistakes / max(1, self.n_checked)

    @property
    def n_checked(self) -> int:
        """Number of texts that were held out once."""
        return int(np.isfinite(self.margins).sum())

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "texts": self.n_texts, "mistakes": self.n_mistakes, "accuracy": self.accuracy,
            "estimated_wrong": self.n_wrong, "estimated_wrong_of": {str(k): n for k, n in self.wrong_of.items()},
            "not_checked": list(self.not_checked), "suspects": [asdict(each) for each in self.suspects],
            "conflicts": [asdict(each) for each in self.conflicts],
        }  # fmt: skip


def audit_labels(
    texts: Sequence[str],
    labels: Sequence[Any],
    settings: Settings | str = DEFAULT_RECIPE,
    *,
    count: int = 100,
    folds: int = 5,
    n_jobs: int | None = None,
    callback: Callable[[int, int, Any], object] | None = None,
) -> Audit:
    """Find labels that may be wrong.

    Each text is classified by a model that was trained on the other folds. Those with the lowest margin are the most
    suspicious. The number of wrong labels is estimated as in confident learning (Northcutt et al. 2021): a label is
    counted as wrong if the score of another class is at least the mean score of that class on the texts labelled with
    it, and higher than that of the label.

    Parameters
    ----------
    texts : sequence of str
    labels : sequence of str, int or bool
        One per text, of at least two classes.
    settings : Settings or str
        Settings, or the name of a recipe.
    count : int
        Number of suspects to return, 0 for all: texts with a margin below 0.
    folds : int
    n_jobs : int, optional
        Threads; the result is the same for any number.
    callback : callable, optional
        Called with the number of a model, the number of models and the progress of its training.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If labels are missing, of one class, or several per text; or there are too few texts for the folds.

    Examples
    --------
    >>> from textperceptron import load_corpus
    >>> from textperceptron.report import audit_labels
    >>> reviews = load_corpus("reviews").train
    >>> labels = ["neg" if label == "pos" and k == 4 else label for k, label in enumerate(reviews.labels)]
    >>> found = audit_labels(reviews.texts, labels, count=3)
    >>> found.n_texts, len(found.suspects), found.suspects[0].margin < found.suspects[1].margin < 0
    (480, 3, True)
    """
    if len(texts) != len(labels):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels: give one per text.")
    if any(isinstance(label, tuple | list | set | frozenset) for label in labels):
        raise ValueError("texts have several labels: audit one of them at a time, as present or absent.")
    settings = recipe(settings) if isinstance(settings, str) else settings
    known = plain_labels(labels)
    if len(set(known)) < 2:
        raise ValueError(f"all {len(texts)} texts have the same label: an audit needs at least two classes.")
    classes = Classes.among(known)
    codes = classes.codes(known)
    splits = list(make_folds(known, folds, settings.learner.seed))
    scores = np.full(len(texts) if len(classes) == 2 else (len(texts), len(classes)), np.nan)
    candidates: list[Suspect] = []
    for k, (rest, held_out) in enumerate(splits):
        model = TextModel.train(
            [texts[i] for i in rest], [known[i] for i in rest], settings, n_jobs=n_jobs,
            callback=None if callback is None else partial(callback, k + 1, folds),
        )  # fmt: skip
        found = model.scores([texts[i] for i in held_out], n_jobs)
        scores[held_out] = found
        margins = score_margins(found, codes[held_out])
        worst = [j for j in np.argsort(margins, kind="stable").tolist() if margins[j] < 0]
        for j in worst[: count or None]:
            index = int(held_out[j])
            candidates.append(_suspect(model, index, texts[index], int(codes[index]), float(margins[j])))
    candidates.sort(key=lambda each: each.margin)
    checked = np.sort(np.concatenate([held_out for _, held_out in splits]))
    margins = np.full(len(texts), np.nan)
    margins[checked] = score_margins(scores[checked], codes[checked])
    wrong = np.bincount(codes[checked][likely_wrong(scores[checked], codes[checked])], minlength=len(classes))
    return Audit(
        len(texts), int((margins < 0).sum()), int(wrong.sum()),
        {label: n for label, n in zip(classes.labels, wrong.tolist(), strict=True) if n},
        tuple(candidates[: count or None]), _conflicts(texts, known, n_jobs), margins,
        tuple(never_held_out(known, splits)),
    )  # fmt: skip


def _suspect(model: TextModel, index: int, text: str, code: int, margin: float) -> Suspect:
    label = model.classes[code]
    predicted = model.predict_one(text)
    found = model.explain(text, flip=False)
    if found.is_binary:
        sign = -1 if code == 1 else 1
        against = [(term.name, sign * term.contributions[0]) for term in found.merged_terms]
    else:
        other = max((k for k in range(len(found.classes)) if k != code), key=lambda k: found.scores[k])
        against = [(term.name, term.contributions[other] - term.contributions[code]) for term in found.merged_terms]
    against = sorted((each for each in against if each[1] > 0), key=lambda each: -each[1])
    return Suspect(index, text, label, predicted, margin, tuple(against[:_WORDS]))


def _conflicts(texts: Sequence[str], labels: Sequence[Label], n_jobs: int | None) -> tuple[Conflict, ...]:
    groups = [
        Conflict(tuple(group), tuple(labels[k] for k in group), texts[group[0]])
        for group in near_duplicates(texts, n_jobs)
        if len({labels[k] for k in group}) > 1
    ]
    return tuple(sorted(groups, key=lambda each: (-len(each.indices), each.indices)))
