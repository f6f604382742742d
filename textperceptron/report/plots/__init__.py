"""Plots of data, models and evaluations, drawn with matplotlib (``pip install "textperceptron[report]"``).

============  ==========================================================================================
training      mistakes and accuracy per epoch; accuracy against the number of training texts
margins       the margins of texts, with R, γ and the bound on updates
evaluation    confusion matrix, precision and recall, thresholds, reliability of probabilities
terms         the terms with the largest weights per class
teaching      the decision boundary of two columns, updates one by one, XOR
canvas        figures, colours, fonts and files
============  ==========================================================================================

A function draws on the Axes ``ax``, or on those of a new figure, and returns them; a function with several panels takes
``figure`` instead and returns a list. ``pyplot`` is not imported, and no global state is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.report.plots.canvas import FORMATS, save
    from textperceptron.report.plots.evaluation import (
        confusion_matrix,
        precision_recall,
        precision_recall_of_classes,
        reliability,
        threshold_choice,
    )
    from textperceptron.report.plots.margins import margin_distribution
    from textperceptron.report.plots.teaching import decision_boundary, perceptron_updates, xor
    from textperceptron.report.plots.terms import top_terms
    from textperceptron.report.plots.training import epochs, learning_curve

__all__ = [
    "FORMATS",
    "confusion_matrix",
    "decision_boundary",
    "epochs",
    "learning_curve",
    "margin_distribution",
    "perceptron_updates",
    "precision_recall",
    "precision_recall_of_classes",
    "reliability",
    "save",
    "threshold_choice",
    "top_terms",
    "xor",
]

__getattr__ = attach(
    __name__,
    {
        "canvas": ("FORMATS", "save"),
        "evaluation": (
            "confusion_matrix",
            "precision_recall",
            "precision_recall_of_classes",
            "reliability",
            "threshold_choice",
        ),
        "margins": ("margin_distribution",),
        "teaching": ("decision_boundary", "perceptron_updates", "xor"),
        "terms": ("top_terms",),
        "training": ("epochs", "learning_curve"),
    },
)
