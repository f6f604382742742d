"""Choose thresholds of scores on rows that the model did not see.

``out_of_fold_scores`` trains and scores per fold; ``best_threshold`` chooses for the scores of one class or label, and
``choose_thresholds`` for the classes of a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron.learn.macro_f1 import macro_f1_offsets, rivals
from textperceptron.learn.training_data import LabelSets
from textperceptron.settings.threshold import Target, ThresholdRule

# Epochs count from 0 and stay far below this; other splits have other numbers (calibration.py, plan.py).
_SPLIT = (1 << 32) + 2

N_FOLDS = 5
_ROUNDING = 1e-9  # 0.9 of 10 rows are 9
_MAX_ROUNDS = 20

Codes = npt.NDArray[np.intp]
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
F1 = ThresholdRule.parse("f1")


@dataclass(frozen=True, slots=True)
class ClassThreshold:
    """The threshold of a class, and what it gives on the held-out rows that it was chosen on.

    Attributes
    ----------
    code : int
        The class.
    raised : float
        What is added to its score.
    n_rows, support : int
        Number of held-out rows, and of those of the class.
    predicted, hits : int
        Number of rows predicted as the class, and of those that belong to it.
    predicted_before, hits_before : int
        The same with no threshold.
    """

    code: int
    raised: float
    n_rows: int
    support: int
    predicted: int
    hits: int
    predicted_before: int
    hits_before: int

    @property
    def recall(self) -> float:
        """Fraction of the held-out rows of the class that were predicted as it."""
        return self.hits / max(1, self.support)

    @property
    def precision(self) -> float:
        """Fraction of the held-out rows predicted as the class that belong to it."""
        return self.hits / max(1, self.predicted)

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return 2 * self.hits / max(1, self.support + self.predicted)

    @property
    def recall_before(self) -> float:
        """Recall with no threshold."""
        return self.hits_before / max(1, self.support)

    @property
    def precision_before(self) -> float:
        """Precision with no threshold."""
        return self.hits_before / max(1, self.predicted_before)

    @property
    def f1_before(self) -> float:
        """F1 with no threshold."""
        return 2 * self.hits_before / max(1, self.support + self.predicted_before)


def best_threshold(scores: Scores, positive: Mask, rule: ThresholdRule = F1, costs: Scores | None = None) -> float:
    """Return the threshold above which scores are best by a rule; 0 if no score is positive.

    It is halfway between two neighbouring scores. Of equally good thresholds, it is the lowest.

    Parameters
    ----------
    scores : array of shape (n_rows,)
    positive : array of bool
        Whether each row belongs to the class.
    rule : ThresholdRule
        The number of its first target is the one to reach. A precision that no threshold reaches: the highest.
    costs : array of shape (n_rows,), optional
        For ``cost``: what it costs to predict each row as the class; by default 1 for a row of another, and the
        number less for a row of it.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn.threshold import best_threshold
    >>> from textperceptron.settings.threshold import ThresholdRule
    >>> scores, positive = np.array([-3.0, -2.0, -1.0, 0.0, 1.0]), np.array([False, True, False, True, True])
    >>> best_threshold(scores, positive), best_threshold(scores, positive, ThresholdRule.parse("recall=0.6"))
    (-2.5, -0.5)
    """
    if not positive.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    taken = np.arange(len(order) + 1)  # as many rows are above the threshold
    hits = np.append(0, np.cumsum(positive[order]))
    n_positive, number = hits[-1], rule.targets[0].number
    if rule.method == "f1":
        value = 2 * hits / (taken + n_positive)
    elif rule.method == "recall":
        value = np.where(hits >= number * n_positive - _ROUNDING, -taken, -np.inf)
    elif rule.method == "precision":
        precision = hits / np.maximum(taken, 1)
        value = np.where(precision >= number - _ROUNDING, taken, precision - 1)
    else:
        costs = np.where(positive, -number, 1.0) if costs is None else costs
        value = -np.append(0, np.cumsum(costs[order]))
    value[1:-1][ranked[:-1] == ranked[1:]] = -np.inf  # no threshold separates equal scores
    best = int(np.flatnonzero(value >= value.max() - _ROUNDING)[-1])
    if best == 0:
        return float(ranked[0] + abs(ranked[0]) + 1)
    below = ranked[best] if best < len(ranked) else ranked[-1] - 2 * abs(ranked[-1]) - 2
    return float((ranked[best - 1] + below) / 2)


def find_targets(rule: ThresholdRule, sizes: npt.NDArray[np.int64], names: Sequence[str]) -> dict[int, ThresholdRule]:
    """Return the codes of the classes that a rule names, each with the rule for it alone.

    Parameters
    ----------
    rule : ThresholdRule
    sizes : array of int
        Number of rows per class.
    names : sequence of str
        The labels of the classes.

    Raises
    ------
    ValueError
        If there is no such class, or none is named among more than two, or one has fewer than two rows.
    """
    if len(sizes) > 2 and rule.method == "f1" and not rule.names_class:
        return dict.fromkeys(range(len(sizes)), rule)
    found = {}
    for target in rule.targets:
        if target.label is None and len(sizes) != 2:
            example = rule.for_target(Target(names[0] if names else "CLASS", target.number))
            raise ValueError(
                f"threshold='{rule}' is for the rarer of two classes, and there are {len(sizes)}. Name a class, such "
                f"as threshold='{example}'."
            )
        if target.label is not None and target.label not in names:
            known = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
            raise ValueError(f"threshold='{rule}': there is no class {target.label!r}. There are {known}.")
        code = int(np.argmin(sizes)) if target.label is None else names.index(target.label)
        found[code] = rule.for_target(target)
    if min(sizes if len(sizes) == 2 else [sizes[code] for code in found]) < 2:
        each = "each class" if len(sizes) == 2 else "each class that it names"
        raise ValueError(f"threshold='{rule}' needs at least two rows of {each}. Give more rows, or no threshold.")
    return found


def choose_thresholds(scores: Scores, codes: Codes, targets: Mapping[int, ThresholdRule]) -> tuple[ClassThreshold, ...]:
    """Return the thresholds of classes, chosen on the scores of held-out rows.

    The score of a class is compared with the highest of the others. With costs of several classes, thresholds are
    chosen in turn until none changes.

    Parameters
    ----------
    scores : array of shape (n_rows,), or (n_rows, n_classes) with more than two classes
    codes : array of int
        The class of each row.
    targets : mapping
        From :func:`find_targets`.
    """
    table = np.stack([-scores / 2, scores / 2], axis=1) if scores.ndim == 1 else scores
    if len(targets) == table.shape[1] > 2 and all(rule == F1 for rule in targets.values()):
        raised = macro_f1_offsets(table, codes)
    else:
        raised = _best_in_turn(table, codes, targets)
    plain, predicted = table.argmax(axis=1), (table + raised).argmax(axis=1)

    def counts(found: Codes, code: int) -> tuple[int, int]:
        return int((found == code).sum()), int(((found == code) & (codes == code)).sum())

    return tuple(
        ClassThreshold(
            code, float(raised[code]), len(codes), int((codes == code).sum()),
            *counts(predicted, code), *counts(plain, code),
        )
        for code in targets
    )  # fmt: skip


def _best_in_turn(table: Scores, codes: Codes, targets: Mapping[int, ThresholdRule]) -> Scores:
    """Return what is added to the scores of the classes."""
    raised, miss = np.zeros(table.shape[1]), np.ones(table.shape[1])
    for code, rule in targets.items():
        miss[code] = rule.targets[0].number
    for _ in range(_MAX_ROUNDS):
        before = raised.copy()
        for code, rule in targets.items():
            rival, bar = rivals(table, raised, code)
            costs = np.where(codes == rival, miss[rival], 0.0)
            costs[codes == code] = -miss[code]
            raised[code] = -best_threshold(-bar, codes == code, rule, costs)
        if len(targets) == 1 or np.array_equal(raised, before):
            break
    return raised


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
