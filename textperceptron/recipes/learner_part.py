"""What learns from the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textperceptron.learn import Plan
from textperceptron.learn.checks import between, one_of, positive
from textperceptron.learn.layout import choose_layout
from textperceptron.learn.rules import ArowRule, BatchRule, MiraRule, PerceptronRule, Rule, VotedRule

LearnerName = Literal["perceptron", "averaged", "mira", "arow", "batch", "voted"]
Multiclass = Literal["native", "one-vs-all", "one-vs-one"]
Label = str | int | bool

LEARNERS = ("perceptron", "averaged", "mira", "arow", "batch", "voted")

PARAMETERS_OF = {
    "perceptron": ("eta0", "margin"),
    "averaged": ("eta0", "margin"),
    "voted": ("eta0", "margin", "kernel", "degree", "coef0"),
    "batch": ("alpha", "margin", "normalize"),
    "mira": ("C", "variant", "average"),
    "arow": ("r",),
}
"""The settings that mean something to a learner, and nothing to some others."""


@dataclass(frozen=True, kw_only=True)
class LearnerPart:
    """A learner, its parameters under the names that the estimators use, and how training goes.

    Attributes
    ----------
    learner : str
        ``perceptron``, ``averaged``, ``mira``, ``arow``, ``batch`` or ``voted``. Parameters of another learner are
        kept and have no effect.
    multiclass : str
        What is done with more than two classes.
    class_weight : "balanced", tuple of (label, weight) or None
    column_weight : "log_count_ratio" or None
    ratio_alpha : float
        What is added to every count before ratios are taken.
    seed : int
        The estimators' ``random_state``.

    The others are those of the estimators, see ``docs/learners.md``.

    Examples
    --------
    >>> from textperceptron.recipes import LearnerPart
    >>> LearnerPart(learner="mira", C=0.01).rule()
    MiraRule(fit_intercept=True, average=True, C=0.01, variant='pa1')
    """

    learner: LearnerName = "mira"
    multiclass: Multiclass = "native"
    eta0: float = 1.0
    margin: float = 0.0
    C: float = 1.0
    variant: Literal["pa", "pa1", "pa2"] = "pa1"
    average: bool = True
    r: float = 1.0
    alpha: float = 1.0
    normalize: bool = True
    kernel: Literal["linear", "poly"] = "linear"
    degree: int = 2
    coef0: float = 1.0
    fit_intercept: bool = True
    max_iter: int = 10
    shuffle: bool | Literal["once"] = True
    seed: int = 0
    tol: float | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    class_weight: Literal["balanced"] | tuple[tuple[Label, float], ...] | None = None
    column_weight: Literal["log_count_ratio"] | None = None
    ratio_alpha: float = 1.0
    calibrate: bool = False
    hash_bits: int | None = None

    def __post_init__(self) -> None:
        one_of("learner", self.learner, LEARNERS)
        one_of("multiclass", self.multiclass, ("native", "one-vs-all", "one-vs-one"))
        one_of("column_weight", self.column_weight, (None, "log_count_ratio"))
        one_of("calibrate", self.calibrate, (True, False))
        if self.class_weight is not None and not isinstance(self.class_weight, tuple):
            one_of("class_weight", self.class_weight, ("balanced", None))
        positive("ratio_alpha", self.ratio_alpha)
        between("validation_fraction", self.validation_fraction, 0, 1)
        if self.hash_bits is not None:
            choose_layout(1, 3, self.hash_bits)
        self.rule()
        self.plan()
        if self.calibrate and self.multiclass == "one-vs-one":
            raise ValueError("calibrate=True: votes of one-vs-one have no probabilities. Use native or one-vs-all.")
        if self.column_weight is not None and self.learner == "voted":
            raise ValueError("column_weight: the voted perceptron keeps rows, not weights, and takes none.")

    def rule(self) -> Rule:
        """Return the rule of a binary problem."""
        intercept = self.fit_intercept
        if self.learner in ("perceptron", "averaged"):
            average = self.learner == "averaged"
            return PerceptronRule(eta=self.eta0, margin=self.margin, average=average, fit_intercept=intercept)
        if self.learner == "mira":
            return MiraRule(C=self.C, variant=self.variant, average=self.average, fit_intercept=intercept)
        if self.learner == "arow":
            return ArowRule(r=self.r, fit_intercept=intercept)
        if self.learner == "batch":
            return BatchRule(alpha=self.alpha, normalize=self.normalize, margin=self.margin, fit_intercept=intercept)
        one_of("kernel", self.kernel, ("linear", "poly"))
        poly = self.kernel == "poly"
        return VotedRule(
            eta=self.eta0, margin=self.margin, fit_intercept=intercept,
            degree=self.degree if poly else 1, coef0=self.coef0 if poly else 0.0,
        )  # fmt: skip

    def plan(self, max_iter: int | None = None) -> Plan:
        """Return order and stopping rules, for another number of epochs if one is given."""
        return Plan(
            max_iter=self.max_iter if max_iter is None else max_iter,
            shuffle=False if self.learner == "batch" else self.shuffle,
            seed=self.seed, tol=self.tol, early_stopping=self.early_stopping,
            validation_fraction=self.validation_fraction, n_iter_no_change=self.n_iter_no_change,
        )  # fmt: skip
