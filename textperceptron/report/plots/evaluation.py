"""Plots of predictions: confusion matrix, precision and recall, thresholds, reliability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._format import percent
from textperceptron.learn.calibration import reliability_bins
from textperceptron.learn.threshold import best_threshold
from textperceptron.report.evaluation import ClassReport, Evaluation, Label, evaluate
from textperceptron.report.interval import wilson_interval
from textperceptron.report.plots.canvas import (
    BLUE,
    DARK,
    GREY,
    LIGHT,
    ORANGE,
    SIZE,
    SKY,
    SMALL,
    VERMILLION,
    annotate,
    finish,
    legend,
    new_axes,
    number_text,
    percent_axis,
    short,
    tick_style,
    whole_numbers,
)
from textperceptron.report.thresholds import threshold_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CLASSES = 25  # of a matrix or a list that can be read
MAX_PAIRS = 20
N_BINS = 10


def confusion_matrix(evaluation: Evaluation, *, ax: Axes | None = None) -> Axes:
    """Draw how many texts of each class were predicted as each class.

    With more than 25 classes the cells would be too small to read: the class pairs that are confused most often are
    drawn as bars instead.

    Parameters
    ----------
    evaluation : Evaluation
        What :func:`textperceptron.report.evaluate` returned.
    ax : Axes, optional

    Examples
    --------
    >>> from textperceptron.report import evaluate, plots
    >>> ax = plots.confusion_matrix(evaluate(["pos", "pos", "neg"], ["pos", "neg", "neg"]))
    >>> [text.get_text() for text in ax.texts]
    ['1', '0', '1', '1']
    """
    if len(evaluation.classes) > MAX_CLASSES:
        return _confused_pairs(evaluation, ax)
    counts = np.array(evaluation.confusion)
    n = len(counts)
    ax = new_axes(ax, height=4.2 if n < 6 else 5.6)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1.15, aspect="equal")  # the darkest blues would hide the diagonal
    size = SIZE + 2 if n < 6 else max(5.5, min(SMALL, 120 / n))
    for (row, column), count in np.ndenumerate(counts):
        if count or n < 10:
            right = row == column
            ax.text(
                column, row, f"{count:,}", ha="center", va="center", fontsize=size,
                color="white" if shares[row, column] > 0.6 else DARK, fontweight="bold" if right else "normal",
            )  # fmt: skip
    names = [short(label) for label in evaluation.labels]
    ax.set_xticks(range(n), names, **tick_style(names), **_turned(names))
    ax.set_yticks(range(n), names, **tick_style(names))
    finish(ax, f"accuracy {_with_interval(evaluation)}", "predicted class", "true class", grid="", loc="right")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _confused_pairs(evaluation: Evaluation, ax: Axes | None) -> Axes:
    pairs = evaluation.confused_pairs(MAX_PAIRS)
    ax = new_axes(ax, height=1.4 + 0.22 * len(pairs))
    names = [f"{short(pair.label, 16)} → {short(pair.predicted, 16)}" for pair in pairs]
    ax.barh(range(len(pairs)), [pair.count for pair in pairs], color=SKY, edgecolor=BLUE)
    for row, pair in enumerate(pairs):
        annotate(ax, pair.count, row, f" {pair.count:,} of {pair.support:,}", va="center")
    ax.set_yticks(range(len(pairs)), names, **tick_style(names))
    ax.set_xlim(0, 1.25 * max((pair.count for pair in pairs), default=1))
    whole_numbers(ax.xaxis)
    ax.invert_yaxis()
    wrong, n_classes = evaluation.accuracy.n - evaluation.accuracy.successes, len(evaluation.classes)
    title = f"accuracy {_with_interval(evaluation)}\n{wrong:,} mistakes in {n_classes} classes, most frequent first"
    return finish(ax, title, "texts (of all texts of the true class)", "true → predicted class", grid="x", loc="right")


def precision_recall(
    scores: npt.ArrayLike, positive: npt.ArrayLike, *, label: Label = "positive", threshold: float = 0.0,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw precision against recall for all thresholds of a score, with the one in use and the one with the best F1.

    Parameters
    ----------
    scores : array of n floats
        For a model with two classes ``model.scores(texts)``.
    positive : array of n bool
        Whether the label of each text is ``label``.
    label : str, int or bool
        Name of the positive class, ``model.classes[1]``.
    threshold : float
        The threshold in use.
    ax : Axes, optional

    Raises
    ------
    ValueError
        If no text is positive.

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> ax = plots.precision_recall([-2, -1, 1, 3], [False, True, False, True])
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().round(2).tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.67, 0.5])
    """
    values, truth = np.asarray(scores, np.float64), np.asarray(positive, bool)
    curve = threshold_curve(values, truth)
    ax = new_axes(ax, height=4.4)
    (line,) = ax.plot(curve.recall, curve.precision, color=BLUE, linewidth=2)
    share = truth.mean()
    (base,) = ax.plot([0, 1], [share, share], color=GREY, linestyle=":", linewidth=1.5)
    grid = np.linspace(0.01, 1, 200)
    for f1 in (0.2, 0.4, 0.6, 0.8, 0.9):
        recall = grid[grid > f1 / (2 - f1)]
        ax.plot(recall, f1 * recall / (2 * recall - f1), color=LIGHT, linewidth=1, zorder=1)
        annotate(ax, 1.0, f1 / (2 - f1), f" F1 {percent(f1)[:-2]} %", color=GREY, va="center", annotation_clip=False)
    handles: list[Any] = [line, base]
    labels = ["all thresholds", f"predict it always: {percent(share)} %"]
    for name, at, marker, colour in (
        ("in use", threshold, "o", VERMILLION), ("best F1 here", best_threshold(values, truth), "D", ORANGE),
    ):  # fmt: skip
        found = _at(values, truth, at)
        (point,) = ax.plot(
            [found.recall], [found.precision], marker, color=colour, markersize=9, markeredgecolor=DARK, zorder=5,
            clip_on=False,
        )  # fmt: skip
        handles.append(point)
        labels.append(
            f"{name}, {number_text(at)}: precision {percent(found.precision)} %, recall {percent(found.recall)} %"
        )
    legend(ax, handles, labels, loc="lower left")
    percent_axis(ax.xaxis)
    percent_axis(ax.yaxis)
    ax.set(xlim=(0, 1), ylim=(0, 1.02))
    name = short(label)
    return finish(ax, f"class {name}: {truth.sum():,} of {len(truth):,} texts", "recall", "precision", grid="")


def threshold_choice(
    scores: npt.ArrayLike, positive: npt.ArrayLike, *, label: Label = "positive", threshold: float = 0.0,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw precision, recall and F1 against the threshold; parameters as in :func:`precision_recall`.

    Choose a threshold on held-out texts, not on those whose accuracy you report.

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> ax = plots.threshold_choice([-2, -1, 1, 3], [False, True, False, True])
    >>> [line.get_label() for line in ax.lines[:3]]
    ['precision', 'recall', 'F1']
    """
    values, truth = np.asarray(scores, np.float64), np.asarray(positive, bool)
    curve = threshold_curve(values, truth)
    ax = new_axes(ax)
    styles = (
        ("precision", curve.precision, BLUE, "--"),
        ("recall", curve.recall, ORANGE, "-."),
        ("F1", curve.f1, DARK, "-"),
    )
    for name, line, colour, style in styles:
        ax.plot(curve.thresholds, line, color=colour, linestyle=style, linewidth=2, label=name)
    best = best_threshold(values, truth)
    used = ax.axvline(threshold, color=GREY, linewidth=1.2)
    at = _at(values, truth, best)
    (point,) = ax.plot([best], [at.f1], "D", color=ORANGE, markersize=9, markeredgecolor=DARK, zorder=5)
    labels = [
        *(name for name, *_ in styles),
        f"in use: {threshold:.3g}",
        f"best F1 here: {percent(at.f1)} % at {best:.3g}",
    ]
    legend(ax, [*ax.lines[:3], used, point], labels, loc="best")
    percent_axis(ax.yaxis)
    low, high = min(values.min(), threshold, best), max(values.max(), threshold)
    room = 0.03 * (high - low) or 1.0
    ax.set(xlim=(low - room, high + room), ylim=(0, 1.02))
    title = f"class {short(label)}: {truth.sum():,} of {len(truth):,} texts"
    return finish(ax, title, f"threshold of the score, above which a text is {short(label)}", "")


def precision_recall_of_classes(evaluation: Evaluation, *, ax: Axes | None = None) -> Axes:
    """Draw precision, recall and F1 of each class, the worst first; of many classes the 25 with the lowest F1.

    Examples
    --------
    >>> from textperceptron.report import evaluate, plots
    >>> ax = plots.precision_recall_of_classes(evaluate([1, 2, 3, 3], [1, 2, 2, 3]))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['2 (1)', '3 (2)', '1 (1)']
    """
    worst = sorted(evaluation.classes, key=lambda each: each.f1)[:MAX_CLASSES]
    ax = new_axes(ax, height=1.6 + 0.22 * len(worst))
    rows = range(len(worst))
    names = [f"{short(each.label, 18)} ({each.support:,})" for each in worst]
    for row, each in enumerate(worst):
        ax.plot([each.precision, each.recall], [row, row], color=LIGHT, linewidth=3, zorder=1)
    handles: list[Any] = []
    for name, marker, colour, size in (("precision", ">", BLUE, 7), ("recall", "o", ORANGE, 6), ("f1", "|", DARK, 10)):
        values = [getattr(each, name) for each in worst]
        handles += ax.plot(values, rows, marker, color=colour, markersize=size, linestyle="none")
    legend(ax, handles, ["precision", "recall", "F1"], loc="best")
    ax.set_yticks(rows, names, **tick_style(names))
    ax.invert_yaxis()
    percent_axis(ax.xaxis)
    ax.set_xlim(-0.02, 1.02)
    title = f"macro F1 {percent(evaluation.macro.f1)} %"
    if len(worst) < len(evaluation.classes):
        title += f"\nthe {len(worst)} of {len(evaluation.classes)} classes with the lowest F1"
    return finish(ax, title, "precision, recall and F1", "class (texts)", grid="x", loc="right")


def reliability(
    probabilities: npt.ArrayLike, codes: npt.ArrayLike, *, n_bins: int = N_BINS, ax: Axes | None = None
) -> Axes:
    """Draw the accuracy of texts against the probability that the model gave to their label.

    Parameters
    ----------
    probabilities : array of shape (n_texts, n_classes)
        ``model.probabilities(texts)`` of a model trained with ``calibrate``.
    codes : array of n_texts int
        Index of each true label in ``model.classes``.
    n_bins : int
        Number of bins from 0 to 1.
    ax : Axes, optional

    Raises
    ------
    ValueError
        If there are no texts.

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> ax = plots.reliability([[0.9, 0.1]] * 4 + [[0.3, 0.7]] * 2, [0, 0, 0, 1, 1, 0])
    >>> ax.lines[1].get_xdata().round(2).tolist(), ax.lines[1].get_ydata().tolist()
    ([0.7, 0.9], [0.5, 0.75])
    """
    p, truth = np.asarray(probabilities, np.float64), np.asarray(codes, np.intp)
    if not len(truth):
        raise ValueError("there are no texts whose probabilities could be checked. Use at least one.")
    bins = reliability_bins(p, truth, n_bins)
    ax = new_axes(ax, height=4.4)
    filled = np.flatnonzero(bins.counts)
    counts, right = bins.counts[filled], bins.right[filled]
    x, y = bins.confidence[filled] / counts, right / counts
    low, high = np.array([wilson_interval(int(r), int(n)) for r, n in zip(right, counts, strict=True)]).T
    (ideal,) = ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1.2)
    (points,) = ax.plot(x, y, "o-", color=BLUE, linewidth=1.5, markersize=6)
    whiskers = ax.vlines(x, low, high, color=BLUE, linewidth=1.2)
    for at, top, n in zip(x, high, counts, strict=True):
        annotate(ax, at, min(top, 1), f"{n:,}", ha="center", va="bottom", xytext=(0, 2), textcoords="offset points")
    labels = ["as promised", "accuracy of the texts in a bin (their number)", "95 % interval"]
    legend(ax, [ideal, points, whiskers], labels, loc="lower right")
    start = max(0.0, float(filled[0]) / n_bins - 0.05)
    ax.set(xlim=(start, 1.02), ylim=(min(start, max(0.0, float(low.min()) - 0.05)), 1.08))
    percent_axis(ax.xaxis)
    percent_axis(ax.yaxis)
    title = f"expected calibration error {percent(bins.expected_calibration_error)} points, {len(truth):,} texts"
    return finish(ax, title, "probability of the predicted label", "share of correct labels", grid="both")


def _at(scores: npt.NDArray[np.float64], positive: npt.NDArray[np.bool_], threshold: float) -> ClassReport:
    """Return precision, recall and F1 at a threshold."""
    (found,) = [each for each in evaluate(positive.tolist(), (scores > threshold).tolist()).classes if each.label]
    return found


def _with_interval(evaluation: Evaluation) -> str:
    found = evaluation.accuracy
    low, high = found.interval
    return f"{percent(found.value)} %  (95 % interval {percent(low)}–{percent(high)}, {found.n:,} texts)"


def _turned(names: Sequence[str]) -> dict[str, Any]:
    """Return the rotation of labels that would overlap side by side."""
    if len(names) * max(map(len, names)) < 48:
        return {}
    return {"rotation": 90} if len(names) > 12 else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
