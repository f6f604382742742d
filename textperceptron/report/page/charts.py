"""Charts as SVG without scripts: geometry in percent of the width, so that text keeps its size on narrow screens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from textperceptron.report.page.html import Markup, join, tag, three_digits

HEIGHT = 170  # of the area of a chart, in pixels
_TOP, _BOTTOM = 18, 34  # room for labels above and below


def _percent(x: float) -> str:
    return f"{100 * x:.2f}%"


def _label(x: float, y: float, text: str, anchor: str = "middle", class_: str | None = None) -> Markup:
    return tag("text", text, x=_percent(x), y=y, text_anchor=anchor, class_=class_)


def _anchor(x: float) -> str:
    return "start" if x < 0.06 else "end" if x > 0.94 else "middle"


def _frame(description: str, *content: object) -> Markup:
    return tag(
        "svg", tag("title", description), *content,
        class_="chart", role="img", width="100%", height=_TOP + HEIGHT + _BOTTOM,
    )  # fmt: skip


def histogram(
    description: str, edges: Sequence[float], series: Sequence[tuple[str, Sequence[int]]], below: str, above: str
) -> Markup:
    """Return bars of counts per bin, a series after the other in each bin, with a line at 0.

    Each series is scaled to its own largest bin. ``below`` and ``above`` say what is left and right of 0.
    """
    low, high = edges[0], edges[-1]
    place = [(edge - low) / (high - low) for edge in edges]
    bars = []
    for number, (name, counts) in enumerate(series):
        largest = max(max(counts), 1)
        for k, count in enumerate(counts):
            if not count:
                continue
            width = (place[k + 1] - place[k]) / len(series)
            height = max(1.0, HEIGHT * count / largest)
            said = f"{name}: {count:,} from {three_digits(edges[k])} to {three_digits(edges[k + 1])}"
            bars.append(
                tag(
                    "rect", tag("title", said),
                    x=_percent(place[k] + number * width), width=_percent(0.94 * width),
                    y=round(_TOP + HEIGHT - height, 1), height=round(height, 1), class_=f"series{number}",
                )
            )  # fmt: skip
    zero = (0 - low) / (high - low)
    base = _TOP + HEIGHT
    return _frame(
        description,
        *bars,
        tag("line", x1="0%", x2="100%", y1=base, y2=base, class_="axis"),
        tag("line", x1=_percent(zero), x2=_percent(zero), y1=0, y2=base + 5, class_="threshold"),
        _label(zero - 0.01, 12, f"{below} ←", "end") if zero > 0.12 else None,
        _label(zero + 0.01, 12, f"→ {above}", "start"),
        _label(0, base + 16, three_digits(low), "start") if zero > 0.08 else None,
        _label(zero, base + 16, "0", _anchor(zero)),
        _label(1, base + 16, three_digits(high), "end"),
    )


def lines(
    description: str,
    xs: Sequence[float],
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    diagonal: bool = False,
) -> Markup:
    """Return points joined by lines, of values from 0 to 1; ``diagonal`` adds the line of equal x and y."""
    values = [value for _, each in series for value in each if value is not None]
    low = 0.0 if diagonal else max(0.0, min(values) - 0.1 * (max(values) - min(values)) - 0.01)
    high = 1.0 if diagonal else min(1.0, max(values) + 0.01)
    first, last = (0.0, 1.0) if diagonal else (min(xs), max(xs))

    def x_of(x: float) -> float:
        return 0.5 if last == first else 0.08 + 0.88 * (x - first) / (last - first)

    def y_of(value: float) -> float:
        return round(_TOP + HEIGHT * (high - value) / (high - low), 1)

    marks: list[Markup] = []
    for tick in range(3):
        value = low + (high - low) * tick / 2
        marks.append(tag("line", x1="8%", x2="96%", y1=y_of(value), y2=y_of(value), class_="grid"))
        marks.append(_label(0.07, y_of(value) + 4, f"{100 * value:.0f} %", "end"))
    if diagonal:
        marks.append(tag("line", x1="8%", x2="96%", y1=y_of(0), y2=y_of(1), class_="grid dashed"))
    for number, (name, points) in enumerate(series):
        known = [(x, value) for x, value in zip(xs, points, strict=True) if value is not None]
        marks += [
            tag(
                "line", x1=_percent(x_of(x)), y1=y_of(value), x2=_percent(x_of(after)), y2=y_of(later),
                class_=f"line{number}",
            )
            for (x, value), (after, later) in pairwise(known)
        ]  # fmt: skip
        marks += [
            tag(
                "circle", tag("title", f"{name}, {x:g}: {100 * value:.1f} %"), cx=_percent(x_of(x)), cy=y_of(value),
                r=4, class_=f"point{number}",
            )
            for x, value in known
        ]  # fmt: skip
    ticks = [0.0, 0.5, 1.0] if diagonal else sorted({xs[0], xs[-1], xs[len(xs) // 2]})
    marks += [
        _label(x_of(x), _TOP + HEIGHT + 17, f"{100 * x:.0f} %" if diagonal else f"{x:g}", "middle") for x in ticks
    ]
    return _frame(description, *marks)


def accuracy_bar(value: float, interval: tuple[float, float], baseline: float, baseline_name: str) -> Markup:
    """Return a line from 0 to 100 % with an accuracy, its interval, and a baseline."""
    low, high = interval
    y = 26
    baseline_anchor = "end" if baseline > 0.5 else "start"
    return tag(
        "svg",
        tag("title", f"{100 * value:.1f} %, interval {100 * low:.1f} to {100 * high:.1f} %, {baseline_name}"),
        tag("line", x1="0%", x2="100%", y1=y, y2=y, class_="axis"),
        tag("rect", x=_percent(low), width=_percent(max(high - low, 0.002)), y=y - 7, height=14, class_="interval"),
        tag("line", x1=_percent(value), x2=_percent(value), y1=y - 11, y2=y + 11, class_="value"),
        tag("line", x1=_percent(baseline), x2=_percent(baseline), y1=y - 11, y2=y + 11, class_="threshold"),
        _label(baseline + (-0.008 if baseline > 0.5 else 0.008), 12, baseline_name, baseline_anchor),
        _label(0, y + 24, "0 %", "start"),
        _label(1, y + 24, "100 %", "end"),
        class_="chart bar", role="img", width="100%", height=54,
    )  # fmt: skip


def legend(names: Sequence[str], kind: str = "series") -> Markup:
    """Return the names of series with their marks."""
    return tag(
        "p",
        join(tag("span", tag("span", "", class_=f"key {kind}{k}"), f" {name}") for k, name in enumerate(names)),
        class_="legend",
    )
