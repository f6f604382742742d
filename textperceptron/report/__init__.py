"""How good a classifier is, as data that can be printed or written as JSON.

============  ==========================================================================================
interval      how sure a share is
evaluation    predictions against labels: accuracy, precision, recall, F1, confusions
comparison    two sets of predictions against each other: McNemar's test
splits        which documents are held out to measure on
============  ==========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.report.comparison import Comparison, compare
    from textperceptron.report.evaluation import Average, ClassReport, Evaluation, evaluate
    from textperceptron.report.interval import Share, wilson_interval
    from textperceptron.report.splits import folds, hold_out

__all__ = [
    "Average",
    "ClassReport",
    "Comparison",
    "Evaluation",
    "Share",
    "compare",
    "evaluate",
    "folds",
    "hold_out",
    "wilson_interval",
]

__getattr__ = attach(
    __name__,
    {
        "comparison": ("Comparison", "compare"),
        "evaluation": ("Average", "ClassReport", "Evaluation", "evaluate"),
        "interval": ("Share", "wilson_interval"),
        "splits": ("folds", "hold_out"),
    },
)
