"""Evaluation of classifiers, as data that can be printed or written as JSON.

============  ==========================================================================================
interval      a proportion and its confidence interval
evaluation    predictions against labels: accuracy, precision, recall, F1, confusion matrix
comparison    two classifiers on the same documents: McNemar's test
splits        hold-out and cross-validation folds
============  ==========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.report.comparison import Comparison, compare
    from textperceptron.report.evaluation import Average, ClassReport, Evaluation, evaluate
    from textperceptron.report.interval import Proportion, wilson_interval
    from textperceptron.report.splits import folds, hold_out, never_held_out

__all__ = [
    "Average",
    "ClassReport",
    "Comparison",
    "Evaluation",
    "Proportion",
    "compare",
    "evaluate",
    "folds",
    "hold_out",
    "never_held_out",
    "wilson_interval",
]

__getattr__ = attach(
    __name__,
    {
        "comparison": ("Comparison", "compare"),
        "evaluation": ("Average", "ClassReport", "Evaluation", "evaluate"),
        "interval": ("Proportion", "wilson_interval"),
        "splits": ("folds", "hold_out", "never_held_out"),
    },
)
