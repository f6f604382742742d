"""Plot of the margins of texts."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._format import percent
from textperceptron.report.plots.canvas import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    SMALL,
    VERMILLION,
    annotate,
    finish,
    legend,
    new_axes,
    percent_axis,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from textperceptron.margins import MarginReport

MAX_BINS = 40


def margin_distribution(
    margins: Mapping[str, npt.ArrayLike],
    *,
    report: MarginReport | None = None,
    unit: str = "distance from the hyperplane",
    ax: Axes | None = None,
) -> Axes:
    """Draw how far texts are from the threshold: right of it they are classified correctly, left of it wrongly.

    Parameters
    ----------
    margins : mapping of str to array of floats
        Name of the texts, such as "train", → their margins: :func:`textperceptron.report.text_margins` of a model, or
        :func:`textperceptron.margins.point_margins` of rows. At most two.
    report : MarginReport, optional
        R, the largest attainable margin γ and the bound on updates, of :func:`textperceptron.margins.report`.
    unit : str
        What a margin measures.
    ax : Axes, optional

    Raises
    ------
    ValueError
        If there are no margins.

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> ax = plots.margin_distribution({"train": [1.0, 2.0, 3.0], "test": [-1.0, 1.0]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['train: 3 texts, 0.0 % wrong', 'test: 2 texts, 50.0 % wrong']
    """
    arrays = {name: np.asarray(values, np.float64) for name, values in margins.items()}
    arrays = {name: values for name, values in arrays.items() if len(values)}
    if not arrays:
        raise ValueError("there are no margins to draw. Use at least one text.")
    ax = new_axes(ax, height=3.8 if report is None else 4.8)
    every = np.concatenate(list(arrays.values()))
    low, high = min(0.0, float(every.min())), max(0.0, float(every.max()))
    n_bins = min(MAX_BINS, max(10, int(2 * min(map(len, arrays.values())) ** 0.5)))  # few texts fill few bins
    step = (high - low or 1.0) / n_bins
    edges = step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)  # 0 is an edge
    if edges[-1] <= high:
        edges = np.append(edges, edges[-1] + step)
    handles: list[Any] = []
    labels = []
    styles = ((BLUE, "-", None, 0.35), (VERMILLION, "--", "////", 0.0))
    for (name, values), (colour, line, hatch, alpha) in zip(arrays.items(), styles, strict=False):
        shares = np.histogram(values, edges)[0] / len(values)
        inside = ax.stairs(shares, edges, fill=True, color=colour, alpha=alpha, hatch=hatch) if alpha else None
        handles.append(ax.stairs(shares, edges, color=colour, linestyle=line, linewidth=2))
        if inside is not None:
            inside.set_zorder(1)
        wrong = np.count_nonzero(values <= 0) / len(values)
        labels.append(f"{short(name)}: {len(values):,} texts, {percent(wrong)} % wrong")
    ax.axvspan(edges[0] if edges[0] < 0 else -step, 0, color=GREY, alpha=0.12, linewidth=0, zorder=0)
    ax.axvline(0, color=DARK, linewidth=1.5)
    ax.set_xlim(min(float(edges[0]), -step), float(edges[-1]))
    ax.set_ylim(bottom=0)
    for text, shift, side in (("← wrong", -4, "right"), ("correct →", 4, "left")):
        annotate(
            ax, 0, 1, text, xycoords=("data", "axes fraction"), xytext=(shift, 3), textcoords="offset points", ha=side,
            va="bottom", fontweight="bold",
        )  # fmt: skip
    if report is not None and report.geometric.separable and isfinite(report.geometric.lower):
        gamma = report.geometric.lower
        handles.append(ax.axvline(gamma, color=GREEN, linestyle="-.", linewidth=1.8))
        labels.append(f"γ = {gamma:.3g}, the largest distance that any hyperplane keeps")
    ax.set_ylim(top=(1.05 + 0.09 * len(handles)) * ax.get_ylim()[1])  # room for the legend
    legend(ax, handles, labels, loc="upper left" if -low > high else "upper right")
    percent_axis(ax.yaxis)
    if report is None:
        return finish(ax, "", unit, "share of the texts")
    table: dict[str, Any] = {
        "fontfamily": "DejaVu Sans Mono",
        "fontsize": SMALL - 0.5,
        "pad": 20,
    }  # letters of one width: columns
    return finish(ax, str(report), unit, "share of the texts", **table)
