"""What ``train`` and ``inspect`` say about chosen thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from textperceptron._format import percent
from textperceptron.cli.console import Span, wrapped
from textperceptron.cli.escaping import label_text, listed_label

if TYPE_CHECKING:
    from textperceptron.learn.threshold import ClassThreshold

MAX_SHOWN = 3  # classes; of more, macro F1 and accuracy


def threshold_lines(rule: str | None, thresholds: Mapping[Any, ClassThreshold]) -> Iterator[list[Span]]:
    """Return the lines of the chosen thresholds, with figures on the held-out texts that they were chosen on."""
    if not thresholds:
        return
    if rule == "f1" and len(thresholds) > 1:
        found = thresholds.values()
        least, most = (f"{choose(each.raised for each in found):.3f}".replace("-", "−") for choose in (min, max))
        n_rows = next(iter(found)).n_rows
        macro = _change(fmean(each.f1_before for each in found), fmean(each.f1 for each in found))
        accuracy = _change(sum(each.hits_before for each in found) / n_rows, sum(each.hits for each in found) / n_rows)
        figures = f"adds {least} to {most} to the scores of {len(thresholds)} classes; "
        figures += f"on held-out texts macro F1 {macro}, accuracy {accuracy}"
        yield from wrapped(["threshold: "], f"{rule} {figures}")
        return
    for label, each in list(thresholds.items())[:MAX_SHOWN]:
        change = f"{'lowers' if each.raised < 0 else 'raises'} the score of {listed_label(label_text(label))}"
        recall, precision = _change(each.recall_before, each.recall), _change(each.precision_before, each.precision)
        figures = f"on held-out texts its recall is {recall}, its precision {precision}"
        yield from wrapped(["threshold: "], f"{rule} {change} by {abs(each.raised):.3f}; {figures}")
    if len(thresholds) > MAX_SHOWN:
        yield [f"  … and {len(thresholds) - MAX_SHOWN} more classes"]


def thresholds_as_json(thresholds: Mapping[Any, ClassThreshold]) -> list[dict[str, Any]]:
    """Return thresholds as JSON, with figures on the held-out texts that they were chosen on."""
    return [
        {
            "class": label,
            "raised": each.raised,
            "held_out": {
                "texts": each.n_rows, "of_class": each.support,
                "recall": each.recall, "precision": each.precision, "f1": each.f1,
            },
            "held_out_without": {
                "recall": each.recall_before, "precision": each.precision_before, "f1": each.f1_before,
            },
        }
        for label, each in thresholds.items()
    ]  # fmt: skip


def _change(before: float, after: float) -> str:
    return f"{percent(after)} % ({percent(before)} % without)"
