"""Choose thresholds of scores on rows that the model did not see.

``out_of_fold_scores`` trains and scores per fold; ``best_threshold`` chooses for the scores of one class or label.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from textperceptron.learn.training_data import LabelSets

# Epochs count from 0 and stay far below this; other splits have other numbers (calibration.py, plan.py).
_SPLIT = (1 << 32) + 2

N_FOLDS = 5

Codes = npt.NDArray[np.intp]
Scores = npt.NDArray[np.float64]


def best_threshold(scores: Scores, positive: npt.NDArray[np.bool_]) -> float:
    """Return the threshold above which scores have the highest F1; 0 if no score is positive.

    It is halfway between two neighbouring scores; ties go to the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn.threshold import best_threshold
    >>> best_threshold(np.array([-3.0, -2.0, -1.0, 1.0]), np.array([False, False, True, True]))
    -1.5
    """
    if not positive.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(positive[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + positive.sum())
    f1[:-1][ranked[:-1] == ranked[1:]] = -1  # no threshold separates equal scores
    best = int(np.flatnonzero(f1 == f1.max())[-1])
    below = ranked[best + 1] if best + 1 < len(ranked) else ranked[best] - 2 * abs(ranked[best]) - 2
    return float((ranked[best] + below) / 2)


def best_thresholds(scores: Scores, sets: LabelSets) -> Scores:
    """Return the threshold of each label: halfway between the best of its own F1 and the best for all labels alike.

    The threshold with the highest F1 of a label of few rows is a matter of chance, and a low one lets the label through
    everywhere. Of 90 labels (Reuters, cross-validated) their own thresholds have a micro F1 of 73.9 and a macro F1 of
    54.3, one for all of them 89.4 and 50.0, halfway 89.8 and 55.3. A label that no row has gets the one for all.
    """
    common = best_threshold(scores.ravel(), sets.indicator(scores.shape[1]).ravel())
    own = [
        best_threshold(column, positive) if (positive := sets.positive(code)).any() else common
        for code, column in enumerate(scores.T)
    ]
    return (np.array(own) + common) / 2


def out_of_fold_scores(
    codes: Codes, which: npt.NDArray[np.bool_], seed: int, score_without: Callable[[Codes, int], Scores]
) -> tuple[Codes, Scores]:
    """Return the rows that were held out once, ascending, and the scores of each by a model that did not see it.

    Parameters
    ----------
    codes : array of int
        The class of each row: each fold has an equal share of each. Zeros for folds of all rows alike.
    which : array of bool
        The rows to hold out, one fold after another.
    seed : int
    score_without : callable
        Called with a fold and its number, from 0 to at most ``N_FOLDS - 1``: trains on the other rows and returns the
        scores of the fold, one per row or one per row and class.
    """
    folds = stratified_folds(codes, which, seed)
    scores = [score_without(fold, number) for number, fold in enumerate(folds)]
    rows = np.concatenate(folds)
    order = np.argsort(rows)
    return rows[order], np.concatenate(scores)[order]


def stratified_folds(codes: Codes, which: npt.NDArray[np.bool_], seed: int) -> list[Codes]:
    """Return the rows of each fold: an equal share of the rows ``which`` of each class.

    A class with one row is in no fold, so that every model has all classes.

    Raises
    ------
    ValueError
        If no class has two rows.
    """
    generator = np.random.default_rng([seed, _SPLIT])
    rows = [generator.permutation(np.flatnonzero((codes == code) & which)) for code in np.unique(codes[which])]
    rows = [each for each in rows if len(each) > 1]
    folds = [np.sort(np.concatenate([each[fold::N_FOLDS] for each in rows])) for fold in range(N_FOLDS) if rows]
    if not folds:
        raise ValueError("a threshold is chosen on held-out rows, and no class has two. Give more rows.")
    return [fold for fold in folds if len(fold)]
