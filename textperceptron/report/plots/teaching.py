"""Pictures of what a perceptron does: the boundary in a plane, updates one by one, XOR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron.report.plots.canvas import (
    BLUE,
    DARK,
    GREY,
    SIZE,
    SKY,
    SMALL,
    VERMILLION,
    annotate,
    finish,
    legend,
    new_axes,
    new_figure,
    number_text,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
PEACH = "#F5C9A8"  # a light vermillion, as SKY is a light blue
_STYLES = ((VERMILLION, "s"), (BLUE, "o"))  # of the negative and the positive class


def decision_boundary(
    estimator: Any, X: Any, y: npt.ArrayLike, *, columns: tuple[int, int] = (0, 1), names: Sequence[str] | None = None,
    project: bool = True, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the boundary of a linear classifier in the plane of two columns, with the projections of rows onto w.

    The boundary is perpendicular to the weights w, which point to the positive class. A row's projection onto w is its
    score without the intercept b, divided by ‖w‖; the boundary crosses the line of w at −b/‖w‖.

    Parameters
    ----------
    estimator : fitted linear classifier
        With two classes, ``coef_`` and ``intercept_``, such as :class:`textperceptron.Perceptron`.
    X : array or sparse matrix
        Rows; all columns but two are taken as 0.
    y : array
        Their labels.
    columns : two int
        The columns to draw.
    names : sequence of str, optional
        Names of all columns, such as ``BagOfWords.get_feature_names_out()``.
    project : bool
        Whether to draw the projections.
    ax : Axes, optional

    Raises
    ------
    ValueError
        If the estimator has not two classes, or both weights are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron import Perceptron
    >>> from textperceptron.report import plots
    >>> X, y = np.array([[2.0, 1], [1, 2], [-1, 0], [0, -2]]), ["pos", "pos", "neg", "neg"]
    >>> ax = plots.decision_boundary(Perceptron().fit(X, y), X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('column 0', 'column 1')
    """
    w, b = np.ravel(estimator.coef_), float(np.ravel(estimator.intercept_)[0])
    if len(estimator.classes_) != 2:
        raise ValueError(f"the classifier has {len(estimator.classes_)} classes; a boundary in a plane needs two.")
    direction = np.array([w[columns[0]], w[columns[1]]], float)
    if not direction.any():
        raise ValueError(f"the weights of columns {columns[0]} and {columns[1]} are 0, so there is no boundary.")
    points = _dense(X)[:, list(columns)]
    signs = np.where(np.asarray(y) == estimator.classes_[1], 1, -1)
    ax = new_axes(ax, height=5.4)
    unit = direction / np.linalg.norm(direction)
    crossing = -b / np.linalg.norm(direction) * unit
    feet = (points @ unit)[:, np.newaxis] * unit
    _set_limits(ax, [points, feet, [crossing, (0, 0)]] if project else [points])
    _shade(ax, direction, b)
    handles = _points(ax, points, signs)
    labels = [short(label) for label in estimator.classes_]
    if project:
        ax.axline((0, 0), tuple(unit), color=GREY, linewidth=1, zorder=1)
        ax.plot([points[:, 0], feet[:, 0]], [points[:, 1], feet[:, 1]], ":", color=GREY, linewidth=1.2, zorder=2)
        for (colour, marker), sign in zip(_STYLES, (-1, 1), strict=True):
            ax.plot(*feet[signs == sign].T, marker, color="white", markeredgecolor=colour, markersize=5, zorder=3)
        handles += ax.plot(*crossing, "x", color=DARK, markersize=8, markeredgewidth=2, linestyle="none", zorder=4)
        labels.append("−b/‖w‖ along w")
    handles.append(_boundary(ax, direction, b))
    length = 0.18 * np.subtract(*ax.get_xlim()[::-1])
    _arrow(ax, (0.0, 0.0) if project else (crossing[0], crossing[1]), length * unit, "w")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13), "ncols": 4}  # points may be anywhere inside
    legend(ax, handles, [*labels, "boundary"], **below)
    x, y_name = (short(names[k]) if names is not None else f"column {k}" for k in columns)
    rest = ", other columns 0" if len(w) > 2 else ""
    title = f"w = ({number_text(direction[0])}, {number_text(direction[1])}), b = {number_text(b)}{rest}"
    return finish(ax, title, x, y_name, grid="")


def perceptron_updates(
    X: Any, y: npt.ArrayLike, *, panels: int = 6, max_iter: int = 100, figure: Figure | None = None
) -> list[Axes]:
    """Draw the first updates of a perceptron and its last one, a panel each: the boundary before and after.

    Parameters
    ----------
    X : array of shape (n, 2)
        Rows, which the perceptron sees in this order.
    y : array of n labels of two classes
    panels : int
        At most this number of panels.
    max_iter : int
        Stop after this number of epochs if some row is still misclassified.
    figure : Figure, optional

    Returns
    -------
    list of Axes

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> [ax.get_title(loc="left") for ax in plots.perceptron_updates([[2.0, 1], [-1, 1]], ["pos", "neg"])]
    ['update 1: row 1, a = 0', 'update 2: row 2, a = 0']
    """
    from textperceptron.estimators import Perceptron

    points, labels = _dense(X), np.asarray(y)
    if points.shape[1] != 2:
        raise ValueError(f"X has {points.shape[1]} columns; a plane has two. Select them: X[:, [0, 1]].")
    learner = Perceptron()
    classes = np.unique(labels)
    updates: list[tuple[int, float, Floats, Floats]] = []  # row, score before, weights before and after
    before = np.zeros(3)
    for _ in range(max_iter):
        first = len(updates)
        for row in range(len(points)):
            learner.partial_fit(points[[row]], labels[[row]], classes)
            after = np.append(np.ravel(learner.coef_), learner.intercept_).astype(float)
            if (after != before).any():
                updates.append((row, float(points[row] @ before[:2] + before[2]), before, after))
                before = after
        if len(updates) == first:
            break
    if not updates:
        raise ValueError("the perceptron made no update. Use rows of two classes.")
    numbers = list(range(len(updates)))
    if len(numbers) > panels:
        numbers = [*numbers[: panels - 1], numbers[-1]]
    columns = min(3, len(numbers))
    rows = math.ceil(len(numbers) / columns)
    if figure is None:
        figure = new_figure(height=0.6 + 2.1 * rows)
    signs = np.where(labels == classes[1], 1, -1)
    drawn = []
    for place, number in enumerate(numbers):
        row, score, old, new = updates[number]
        ax = figure.add_subplot(rows, columns, place + 1)
        _set_limits(ax, [points, [(0, 0)]])
        _shade(ax, new[:2], new[2])
        handles = _points(ax, points, signs, size=6)
        ax.plot(*points[row], "o", markersize=14, markerfacecolor="none", markeredgecolor=DARK, markeredgewidth=1.5)
        earlier = _boundary(ax, old[:2], old[2], color=GREY, linestyle="--", linewidth=1.2)
        later = _boundary(ax, new[:2], new[2])
        if new[:2].any():
            length = 0.22 * np.subtract(*ax.get_xlim()[::-1])
            _arrow(ax, (0.0, 0.0), length * new[:2] / np.linalg.norm(new[:2]), "w")
        finish(ax, f"update {number + 1}: row {row + 1}, a = {number_text(score)}", grid="", fontsize=SMALL)
        ax.tick_params(labelsize=7)
        drawn.append(ax)
    keys = [*handles, *(each for each in (earlier, later) if each is not None)]
    names = [short(classes[0]), short(classes[1]), "before", "after"]
    figure.legend(keys, names[: len(keys)], loc="outside lower center", ncols=4, fontsize=SIZE - 1.5, frameon=False)
    return drawn


def xor(*, figure: Figure | None = None) -> list[Axes]:
    """Draw XOR, "not" before "excellent" or "terrible", for an averaged perceptron without and with conjunctions.

    No line has both positive texts on one side: each of the words, alone, says nothing about the label. With the
    conjunction as a third column, the boundary in the plane of the two words is a curve.

    Parameters
    ----------
    figure : Figure, optional

    Returns
    -------
    list of Axes
        Without and with the conjunction.

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> without, with_conjunction = plots.xor()
    >>> without.get_title(loc="left"), with_conjunction.get_title(loc="left")
    ('two columns: 3 of 4 correct', 'with the conjunction: 4 of 4 correct')
    """
    from textperceptron.estimators import AveragedPerceptron, Conjunctions

    points = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    texts = ["terrible", "excellent", "not terrible", "not excellent"]
    labels = np.array(["neg", "pos", "pos", "neg"])
    signs = np.where(labels == "pos", 1, -1)
    if figure is None:
        figure = new_figure(height=3.6)
    ticks = np.linspace(-0.5, 1.5, 241)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    drawn = []
    for place, name in enumerate(("two columns", "with the conjunction")):
        ax = figure.add_subplot(1, 2, place + 1)
        columns = Conjunctions().fit(points) if place else None
        rows, plane = (each if columns is None else columns.transform(each) for each in (points, grid))
        learner = AveragedPerceptron(max_iter=15, random_state=1).fit(rows, labels)
        height = learner.decision_function(plane).reshape(len(ticks), -1)
        ax.contourf(ticks, ticks, height > 0, levels=[-0.5, 0.5, 1.5], colors=[PEACH, SKY], alpha=0.35)
        ax.contour(ticks, ticks, height, levels=[0], colors=[DARK], linewidths=2)
        handles = _points(ax, points, signs, size=11)
        wrong = learner.predict(rows) != labels
        ax.plot(*points[wrong].T, "o", markersize=20, markerfacecolor="none", markeredgecolor=DARK, markeredgewidth=1.5)
        for (x, y), text in zip(points, texts, strict=True):
            annotate(
                ax, x, y, text, ha="center", xytext=(0, 14 if y else -22), textcoords="offset points",
                bbox={"boxstyle": "round", "facecolor": "white", "alpha": 0.75, "linewidth": 0},
            )  # fmt: skip
        ax.set(xlim=(-0.5, 1.5), ylim=(-0.5, 1.5), xticks=[0, 1], yticks=[0, 1], aspect="equal")
        title = f"{name}: {np.count_nonzero(~wrong)} of {len(texts)} correct"
        finish(ax, title, "excellent (1) or terrible (0)", "" if place else "not", grid="")
        drawn.append(ax)
    figure.legend(handles, ["neg", "pos"], loc="outside lower center", ncols=2, fontsize=SIZE - 1.5, frameon=False)
    return drawn


def _dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, np.float64)


def _points(ax: Axes, points: Floats, signs: npt.NDArray[np.intp], size: float = 8) -> list[Any]:
    """Draw the rows of both classes; rows at one place once, with their number."""
    handles = []
    for (colour, marker), sign, shift in zip(_STYLES, (-1, 1), (-11, 6), strict=True):
        places, counts = np.unique(points[signs == sign], axis=0, return_counts=True)
        handles += ax.plot(
            *places.T, marker, color=colour, markersize=size, linestyle="none", markeredgecolor="white", zorder=5
        )
        for (x, y), count in zip(places, counts, strict=True):
            if count > 1:
                annotate(ax, x, y, f"×{count:,}", xytext=(8, shift), textcoords="offset points", color=colour, zorder=6)
    return handles


def _boundary(ax: Axes, w: Floats, b: float, **style: Any) -> Any:
    """Draw the line w·x + b = 0; None without one."""
    if not w.any():
        return None
    at = -b * w / (w @ w)
    style = {"color": DARK, "linewidth": 2, "zorder": 4, **style}
    return ax.axline((at[0], at[1]), (at[0] - w[1], at[1] + w[0]), **style)


def _shade(ax: Axes, w: Floats, b: float) -> None:
    """Tint the two sides of a boundary."""
    x, y = (np.linspace(*limits, 2) for limits in (ax.get_xlim(), ax.get_ylim()))
    height = w[0] * x[np.newaxis, :] + w[1] * y[:, np.newaxis] + b
    reach = float(np.abs(height).max()) or 1.0
    ax.contourf(x, y, height, levels=[-2 * reach, 0, 2 * reach], colors=[PEACH, SKY], alpha=0.35, zorder=0)


def _set_limits(ax: Axes, groups: Sequence[Any]) -> None:
    """Set limits around all points, with the same scale on both axes: perpendicular must look so."""
    every = np.concatenate([np.asarray(group, float) for group in groups])
    centre, half = (every.max(axis=0) + every.min(axis=0)) / 2, float(np.ptp(every, axis=0).max()) / 2 or 1.0
    for set_limits, middle in ((ax.set_xlim, centre[0]), (ax.set_ylim, centre[1])):
        set_limits(middle - 1.25 * half, middle + 1.25 * half)
    ax.set_aspect("equal")


def _arrow(ax: Axes, start: tuple[float, float], step: Floats, name: str) -> None:
    end = (start[0] + step[0], start[1] + step[1])
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": DARK, "linewidth": 2}, zorder=6)
    aside = 9 * np.array([-step[1], step[0]]) / np.linalg.norm(step)
    annotate(
        ax, end[0], end[1], name, xytext=tuple(aside), textcoords="offset points", ha="center", va="center",
        fontweight="bold", fontsize=SIZE + 1, zorder=7,
    )  # fmt: skip
