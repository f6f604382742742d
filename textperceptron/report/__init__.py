"""Evaluation of classifiers, as data that can be printed or written as JSON.

===============  ==================================================================================
interval         a proportion and its confidence interval
evaluation       predictions against labels: accuracy, precision, recall, F1, confusion matrix
label_sets       the same for several labels per text: micro and macro F1, exact matches, ranking
comparison       two classifiers on the same documents: McNemar's test
splits           hold-out and cross-validation folds
learning         accuracy against the number of training texts
model_margins    how far texts are from the threshold, and the bound on updates
audit            labels that may be wrong; near_duplicates finds nearly equal texts
suggest          which texts to label next
drift            how two corpora differ
thresholds       precision, recall and F1 at every threshold
plots            all of it as pictures, if matplotlib is installed
page             one file of HTML about a model, which classifies while one types
===============  ==================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.report.audit import Audit, Conflict, Suspect, audit_labels
    from textperceptron.report.comparison import Comparison, compare
    from textperceptron.report.drift import Drift, ModelView, compare_corpora
    from textperceptron.report.evaluation import (
        Average,
        ClassReport,
        ConfusedPair,
        Evaluation,
        evaluate,
        evaluate_counts,
    )
    from textperceptron.report.interval import Proportion, wilson_interval
    from textperceptron.report.label_sets import LabelSetEvaluation, evaluate_label_sets
    from textperceptron.report.learning import CurvePoint, learning_curve
    from textperceptron.report.model_margins import TextMargins, bound_of, text_margins
    from textperceptron.report.page.write import write_page
    from textperceptron.report.splits import folds, hold_out, never_held_out
    from textperceptron.report.suggest import Suggestion, suggest_texts
    from textperceptron.report.thresholds import ThresholdCurve, threshold_curve

__all__ = [
    "Audit",
    "Average",
    "ClassReport",
    "Comparison",
    "Conflict",
    "ConfusedPair",
    "CurvePoint",
    "Drift",
    "Evaluation",
    "LabelSetEvaluation",
    "ModelView",
    "Proportion",
    "Suggestion",
    "Suspect",
    "TextMargins",
    "ThresholdCurve",
    "audit_labels",
    "bound_of",
    "compare",
    "compare_corpora",
    "evaluate",
    "evaluate_counts",
    "evaluate_label_sets",
    "folds",
    "hold_out",
    "learning_curve",
    "never_held_out",
    "suggest_texts",
    "text_margins",
    "threshold_curve",
    "wilson_interval",
    "write_page",
]

__getattr__ = attach(
    __name__,
    {
        "audit": ("Audit", "Conflict", "Suspect", "audit_labels"),
        "comparison": ("Comparison", "compare"),
        "drift": ("Drift", "ModelView", "compare_corpora"),
        "evaluation": ("Average", "ClassReport", "ConfusedPair", "Evaluation", "evaluate", "evaluate_counts"),
        "interval": ("Proportion", "wilson_interval"),
        "label_sets": ("LabelSetEvaluation", "evaluate_label_sets"),
        "learning": ("CurvePoint", "learning_curve"),
        "page.write": ("write_page",),
        "suggest": ("Suggestion", "suggest_texts"),
        "splits": ("folds", "hold_out", "never_held_out"),
        "model_margins": ("TextMargins", "bound_of", "text_margins"),
        "thresholds": ("ThresholdCurve", "threshold_curve"),
    },
)
