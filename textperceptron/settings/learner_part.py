"""What learns from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from textperceptron._validation import at_least, between, fraction, integer, one_of, positive
from textperceptron.learn import Plan, rules
from textperceptron.learn.column_pairs import check_pair_options
from textperceptron.learn.rules import Rule
from textperceptron.learn.weight_tables import choose_table

LearnerName = Literal["perceptron", "averaged", "mira", "arow", "batch", "voted"]
Multiclass = Literal["native", "one-vs-all", "one-vs-one", "auto"]
Label = str | int | bool

# Weights up to which "auto" takes one-vs-all: 20 classes of three million columns. Each takes 16 bytes in training.
_MOST_ONE_VS_ALL = 1 << 26

# How many times the texts of the other a class may have for "auto" to take log-count ratios: what only the larger class
# has by chance speaks against the smaller one in all its texts.
_EVEN = 3

LARGEST_DEGREE = 1000
"""Of a kernel: far beyond what rows can be learnt with, and few enough multiplications to end."""

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
        What is done with more than two classes. ``auto`` is one-vs-all up to 2**26 weights (classes × columns), and
        beyond that, and with ``pair_bits``, native, without ``column_weight``.
    class_weight : "balanced", tuple of (label, weight) or None
    column_weight : "log_count_ratio", "auto" or None
        ``auto`` is log-count ratios for more than two classes (not natively), and for two of which neither has more
        than three times the texts of the other; with ``pair_bits`` it is none.
    ratio_alpha : float
        What is added to every count before ratios are taken.
    pair_bits : int or None
        Form all pairs of a text's columns on the fly, on ``2**pair_bits`` weights that they share.
    ratio_binary : bool
        Whether a text counts once for each of its terms, whatever the value.
    ratio_balanced : bool
        Whether ``ratio_alpha`` is shared out by the number of texts of the classes.
    interpolation : float or None
        How much of the model is what was learnt; the rest is the ratios alone, which is naive Bayes. Without ratios
        it has no effect.
    seed : int
        The estimators' ``random_state``.

    The others are those of the estimators, see ``docs/learners.md``.

    Examples
    --------
    >>> from textperceptron.settings import LearnerPart
    >>> LearnerPart(learner="mira", C=0.01).rule()
    MiraRule(fit_intercept=True, interpolation=None, average=True, C=0.01, variant='pa1')
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
    column_weight: Literal["log_count_ratio", "auto"] | None = None
    ratio_alpha: float = 1.0
    calibrate: bool = False
    hash_bits: int | None = None
    pair_bits: int | None = None
    interpolation: float | None = None
    ratio_binary: bool = False
    ratio_balanced: bool = False

    def __post_init__(self) -> None:
        one_of("learner", self.learner, LEARNERS)
        one_of("multiclass", self.multiclass, ("native", "one-vs-all", "one-vs-one", "auto"))
        one_of("column_weight", self.column_weight, (None, "log_count_ratio", "auto"))
        one_of("calibrate", self.calibrate, (True, False))
        if self.class_weight is not None and not isinstance(self.class_weight, tuple):
            one_of("class_weight", self.class_weight, ("balanced", None))
        positive("ratio_alpha", self.ratio_alpha)
        one_of("ratio_binary", self.ratio_binary, (True, False))
        one_of("ratio_balanced", self.ratio_balanced, (True, False))
        between("validation_fraction", self.validation_fraction, 0, 1)
        if self.hash_bits is not None:
            choose_table(1, 3, self.hash_bits)
        for learner in LEARNERS:
            if learner == self.learner or not self._has_defaults_of(learner):
                self._rule_of(learner)  # which checks its parameters: those of others are kept too
        self.plan()
        at_least("degree", self.degree, 1)  # of a kernel that may not be used
        integer("degree", self.degree)
        if self.degree > LARGEST_DEGREE:
            raise ValueError(f"degree={self.degree}: use a number up to {LARGEST_DEGREE}.")
        at_least("coef0", self.coef0, 0)
        if self.calibrate and self.multiclass == "one-vs-one":
            raise ValueError("calibrate=True: votes of one-vs-one have no probabilities. Use native or one-vs-all.")
        if self.interpolation is not None:
            fraction("interpolation", self.interpolation)
        beside_pairs = None if self.column_weight == "auto" else self.column_weight
        check_pair_options(self.pair_bits, column_weight=beside_pairs, hash_bits=self.hash_bits)
        if self.pair_bits is not None and self.learner == "voted":
            raise ValueError(
                "pair_bits: the voted perceptron keeps rows, not weights. Use kernel='poly', which joins all."
            )
        if self.column_weight == "log_count_ratio" and self.learner == "voted":
            raise ValueError(
                "column_weight: the voted perceptron keeps rows, not weights, and takes none. Use column_weight=None, "
                "or the averaged perceptron."
            )

    def settled(self, rows_of_class: Sequence[int], n_columns: int) -> LearnerPart:
        """Return what ``"auto"`` means for classes of so many texts, and so many columns.

        Examples
        --------
        >>> from textperceptron.settings import recipe
        >>> learner = recipe("best").learner.settled([500, 480], 100_000)
        >>> learner.multiclass, learner.column_weight
        ('one-vs-all', 'log_count_ratio')
        >>> recipe("best").learner.settled([500, 10], 100_000).column_weight is None
        True
        """
        multiclass, column_weight, n_classes = self.multiclass, self.column_weight, len(rows_of_class)
        if multiclass == "auto":
            fits = n_classes <= 2 or n_classes * (n_columns + 1) <= _MOST_ONE_VS_ALL
            fits = fits and self.pair_bits is None
            multiclass = "one-vs-all" if fits else "native"
            column_weight = column_weight if fits else None
        if column_weight == "auto":
            even = n_classes > 2 or max(rows_of_class) <= _EVEN * min(rows_of_class)
            helps = (
                even
                and self.learner != "voted"
                and self.pair_bits is None
                and (n_classes == 2 or multiclass != "native")
            )
            column_weight = "log_count_ratio" if helps else None
        return replace(self, multiclass=multiclass, column_weight=column_weight)

    def _has_defaults_of(self, learner: str) -> bool:
        return all(getattr(self, name) == getattr(LearnerPart, name) for name in PARAMETERS_OF[learner])

    def rule(self) -> Rule:
        """Return the rule of a binary problem."""
        return self._rule_of(self.learner)

    def _rule_of(self, learner: str) -> Rule:
        interpolation = None if self.column_weight is None else self.interpolation
        shared: dict[str, Any] = {"fit_intercept": self.fit_intercept, "interpolation": interpolation}
        if learner in ("perceptron", "averaged"):
            average = learner == "averaged"
            return rules.PerceptronRule(eta=self.eta0, margin=self.margin, average=average, **shared)
        if learner == "mira":
            return rules.MiraRule(C=self.C, variant=self.variant, average=self.average, **shared)
        if learner == "arow":
            return rules.ArowRule(r=self.r, **shared)
        if learner == "batch":
            return rules.BatchRule(alpha=self.alpha, normalize=self.normalize, margin=self.margin, **shared)
        one_of("kernel", self.kernel, ("linear", "poly"))
        poly = self.kernel == "poly"
        return rules.VotedRule(
            eta=self.eta0, margin=self.margin, fit_intercept=self.fit_intercept,
            degree=self.degree if poly else 1, coef0=self.coef0 if poly else 0.0,
        )  # fmt: skip

    def ratios(self) -> dict[str, Any]:
        """Return how log-count ratios are taken, by the names that the functions that take them have for it."""
        return {"alpha": self.ratio_alpha, "binary": self.ratio_binary, "balanced": self.ratio_balanced}

    def plan(self, max_iter: int | None = None) -> Plan:
        """Return order and stopping rules, for another number of epochs if one is given."""
        return Plan(
            max_iter=self.max_iter if max_iter is None else max_iter,
            shuffle=False if self.learner == "batch" else self.shuffle,
            seed=self.seed, tol=self.tol, early_stopping=self.early_stopping,
            validation_fraction=self.validation_fraction, n_iter_no_change=self.n_iter_no_change,
        )  # fmt: skip
