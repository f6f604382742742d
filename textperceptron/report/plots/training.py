"""Plots of training: mistakes and accuracy per epoch, and accuracy against the number of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from textperceptron._format import percent
from textperceptron.report.interval import Proportion
from textperceptron.report.learning import CurvePoint
from textperceptron.report.plots.canvas import (
    BLUE,
    DARK,
    GREEN,
    SIZE,
    SMALL,
    VERMILLION,
    annotate,
    finish,
    legend,
    new_axes,
    percent_axis,
    short,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from textperceptron.model import Epoch


def epochs(
    history: Sequence[Epoch], *, test: Proportion | None = None, measured_on: str = "test", ax: Axes | None = None
) -> Axes:
    """Draw accuracy and mistakes per epoch, each text counted before the model learns from it.

    Accuracy is on the left, mistakes on the right: they are the same line. With one-vs-all, whose mistakes are summed
    over the classes, there is no accuracy.

    Parameters
    ----------
    history : sequence of Epoch
        ``model.history`` of a TextModel.
    test : Proportion, optional
        The accuracy on other texts, with ``measured_on`` as its name.
    ax : Axes, optional

    Raises
    ------
    ValueError
        If there is no history: one-vs-one and classes trained one after the other have none.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.report import plots
    >>> model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"], "perceptron")
    >>> ax = plots.epochs(model.history)
    >>> len(ax.lines[0].get_xdata()) == len(model.history)
    True
    """
    if not history:
        raise ValueError("the model has no history of epochs: its classes were trained one after the other.")
    ax = new_axes(ax)
    x = [each.epoch for each in history]
    rows = history[0].rows
    accuracies = [each.progressive_accuracy for each in history if each.progressive_accuracy is not None]
    has_accuracy = len(accuracies) == len(history)
    values = accuracies if has_accuracy else [float(each.mistakes) for each in history]
    marker = "o" if len(x) <= 30 else ""
    handles: list[Any] = ax.plot(x, values, f"-{marker}", color=BLUE, linewidth=2, markersize=5)
    labels = ["training texts, each before its update" if has_accuracy else "mistakes, summed over the classes"]
    held_out = [(each.epoch, each.validation_accuracy) for each in history if each.validation_accuracy is not None]
    if held_out and has_accuracy:
        handles += ax.plot(*zip(*held_out, strict=True), "--s", color=GREEN, linewidth=1.5, markersize=4)
        labels.append("texts held out for early stopping")
    if test is not None and has_accuracy:
        low, high = test.interval
        ax.axhspan(low, high, color=VERMILLION, alpha=0.15, linewidth=0)
        handles.append(ax.axhline(test.value, color=VERMILLION, linestyle="-.", linewidth=1.5))
        labels.append(f"{measured_on}: {percent(test.value)} %, 95 % interval {percent(low)}–{percent(high)}")
    if has_accuracy:
        percent_axis(ax.yaxis)
        lowest = min([*values, *(value for _, value in held_out), *((test.interval[0],) if test else ())])
        ax.set_ylim(max(0.0, lowest - 0.08 * (1.02 - lowest)), 1 + 0.04 * (1.02 - lowest))

        def _mistakes(accuracy: Any) -> Any:
            return (1 - accuracy) * rows

        def _accuracy(mistakes: Any) -> Any:
            return 1 - mistakes / rows

        right = ax.secondary_yaxis("right", functions=(_mistakes, _accuracy))
        whole_numbers(right.yaxis)
        right.set_ylabel("mistakes", fontsize=SIZE)
        right.tick_params(labelsize=SMALL, colors=DARK)
        right.spines["right"].set_visible(False)
    else:
        ax.set_ylim(0, 1.12 * max(max(each.mistakes for each in history), 1))
    if len(x) <= 12:
        for each, y in zip(history, values, strict=True):
            annotate(
                ax, each.epoch, y, f"{each.mistakes:,}", ha="center", va="top" if has_accuracy else "bottom",
                xytext=(0, -5 if has_accuracy else 5),
                textcoords="offset points", color=BLUE,
            )  # fmt: skip
    ax.set_xlim(min(x) - 0.4, max(x) + 0.4)
    whole_numbers(ax.xaxis)
    legend(ax, handles, labels, loc="lower right" if has_accuracy else "upper right")
    title = f"{rows:,} training texts, {sum(each.updates for each in history):,} updates"
    return finish(ax, title, "epoch", "accuracy" if has_accuracy else "mistakes")


def learning_curve(points: Sequence[CurvePoint], *, measured_on: str = "", ax: Axes | None = None) -> Axes:
    """Draw accuracy against the number of training texts, with 95 % intervals.

    Parameters
    ----------
    points : sequence of CurvePoint
        What :func:`textperceptron.report.learning_curve` returned.
    measured_on : str
        Name of the test texts.
    ax : Axes, optional

    Examples
    --------
    >>> from textperceptron.report import CurvePoint, Proportion, plots
    >>> ax = plots.learning_curve([CurvePoint(100, Proportion(70, 100)), CurvePoint(200, Proportion(80, 100))])
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
    ([100, 200], [0.7, 0.8])
    """
    if not points:
        raise ValueError("there are no points to draw. Pass what learning_curve() returned.")
    ax = new_axes(ax)
    x = np.array([point.n_texts for point in points])
    y = np.array([point.accuracy.value for point in points])
    low, high = np.array([point.accuracy.interval for point in points]).T
    ax.set_xscale("log", base=2)
    (line,) = ax.plot(x, y, "-o", color=BLUE, linewidth=2, markersize=6)
    band = ax.fill_between(x, low, high, color=BLUE, alpha=0.18, linewidth=0)
    for at, value in zip(x, y, strict=True):
        annotate(
            ax,
            at,
            value,
            percent(value),
            ha="center",
            va="bottom",
            xytext=(0, 6),
            textcoords="offset points",
            color=BLUE,
        )
    ax.set_xticks(x, [f"{n:,}" for n in x])
    ax.minorticks_off()
    room = 0.15 * (high.max() - low.min())
    ax.set_ylim(max(0.0, low.min() - room), min(1.02, high.max() + room))
    percent_axis(ax.yaxis)
    n = points[-1].accuracy.n
    legend(ax, [line, band], ["accuracy, %", "95 % interval"], loc="lower right")
    title = f"measured on {n:,} texts" + (f": {short(measured_on, 40)}" if measured_on else "")
    return finish(ax, title, "training texts (each step doubles them)", "accuracy")
