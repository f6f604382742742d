"""Plot of the terms with the largest weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textperceptron.report.plots.canvas import (
    BLUE,
    DARK,
    GREY,
    SIZE,
    SMALL,
    VERMILLION,
    annotate,
    families,
    finish,
    new_figure,
    number_text,
    short,
    tick_style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_CLASSES = 24
Terms = Sequence[tuple[str, float]]


def top_terms(terms: Mapping[Any, Terms], *, n: int = 10, figure: Figure | None = None) -> list[Axes]:
    """Draw the terms with the largest weights of each class, with their signs.

    Two classes share one axis: weights of one are those of the other, negated. More classes have a panel each, of the
    first 24 classes.

    Parameters
    ----------
    terms : mapping of label to list of (term, weight)
        For instance ``{label: model.top_terms(label) for label in model.classes}``, in the order of the classes.
    n : int
        Number of terms per class.
    figure : Figure, optional

    Returns
    -------
    list of Axes
        One for two classes, else one per class.

    Raises
    ------
    ValueError
        If there are no terms: a hashed model has no names.

    Examples
    --------
    >>> from textperceptron.report import plots
    >>> (ax,) = plots.top_terms({"neg": [("dull", 0.5)], "pos": [("fine", 0.7), ("a", 0.1)]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['fine', 'a', 'dull']
    """
    found = {label: list(pairs)[:n] for label, pairs in terms.items()}
    if not any(found.values()):
        raise ValueError(
            "the model has no terms to draw: hashed columns have no names, and the voted perceptron has no weights."
        )
    if len(found) == 2:
        return [_two_classes(found, figure)]
    shown = dict(list(found.items())[:MAX_CLASSES])
    columns = 3 if len(shown) > 4 else 2
    rows = math.ceil(len(shown) / columns)
    longest = max(map(len, shown.values()))
    if figure is None:
        figure = new_figure(height=rows * (0.45 + 0.19 * longest) + 0.4)
    panels = [figure.add_subplot(rows, columns, k + 1) for k in range(len(shown))]
    largest = max((abs(weight) for pairs in shown.values() for _, weight in pairs), default=1.0)
    for ax, (label, pairs) in zip(panels, shown.items(), strict=True):
        _bars(ax, pairs, limit=14)
        ax.set_xlim(min(0.0, *(1.15 * weight for _, weight in pairs), 0.0), 1.15 * largest)
        ax.set_ylim(longest - 0.4, -0.6)
        finish(ax, short(label), grid="x", loc="right", fontsize=SMALL, fontweight="bold")
        ax.tick_params(labelsize=7.5)
    more = f"; {len(found) - len(shown)} more classes" if len(found) > len(shown) else ""
    figure.supxlabel(f"weight of the term for the class{more}", fontsize=SIZE)
    return panels


def _two_classes(found: Mapping[Any, Terms], figure: Figure | None) -> Axes:
    (first, against), (second, favour) = found.items()
    pairs = [*favour, *((term, 0.0 - weight) for term, weight in reversed(against))]
    if figure is None:
        figure = new_figure(height=1.3 + 0.2 * len(pairs))
    ax = figure.add_subplot()
    _bars(ax, pairs)
    largest = max((abs(weight) for _, weight in pairs), default=1.0) or 1.0
    ax.set_xlim(-1.25 * largest, 1.25 * largest)
    ax.set_ylim(len(pairs) - 0.4, -0.6)
    ax.axvline(0, color=DARK, linewidth=1)
    for label, x, side in ((f"← {short(first)}", 0.02, "left"), (f"{short(second)} →", 0.98, "right")):
        ax.text(
            x, 1.01, label, transform=ax.transAxes, ha=side, va="bottom", fontsize=SIZE, fontweight="bold",
            parse_math=False, fontfamily=families([label]),
        )  # fmt: skip
    finish(ax, "", f"weight for {short(second)}", grid="x")
    return ax


def _bars(ax: Axes, pairs: Terms, limit: int = 24) -> None:
    names = [short(term, limit) for term, _ in pairs]
    weights = [weight for _, weight in pairs]
    styles = [(VERMILLION, "////") if weight < 0 else (BLUE, "") for weight in weights]
    bars = ax.barh(range(len(pairs)), weights, height=0.7, alpha=0.8)
    for bar, weight, (colour, hatch) in zip(bars, weights, styles, strict=True):
        bar.set(facecolor=colour if not hatch else "white", edgecolor=colour, hatch=hatch)
        side, shift = ("left", 3) if weight >= 0 else ("right", -3)
        annotate(
            ax, weight, bar.get_y() + bar.get_height() / 2, number_text(weight, "+#.2g"), va="center", fontsize=7,
            color=GREY, ha=side, xytext=(shift, 0), textcoords="offset points",
        )  # fmt: skip
    ax.set_yticks(range(len(pairs)), names, **tick_style(names))
