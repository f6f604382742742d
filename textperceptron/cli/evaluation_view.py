"""An evaluation, printed or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textperceptron.cli.screen import Piece, Screen
from textperceptron.cli.tables import columns

if TYPE_CHECKING:
    from textperceptron.report import Average, ClassReport, Comparison, Evaluation, Share

MOST_CLASSES = 20  # of a table of confusions that a person can read


def as_dict(
    paths: Sequence[str], corpus: str, measured_on: str, found: Sequence[Evaluation], comparison: Comparison | None
) -> dict[str, Any]:
    """Return what was found as JSON has it; of two models, the second stands in ``compared``."""
    result: dict[str, Any] = {"model": paths[0], "corpus": corpus, "measured_on": measured_on, **found[0].as_dict()}
    if comparison is not None:
        result["compared"] = {"model": paths[1], **found[1].as_dict()}
        result["mcnemar"] = comparison.as_dict()
    return result


def show(
    screen: Screen, paths: Sequence[str], corpus: str, measured_on: str, found: Sequence[Evaluation],
    comparison: Comparison | None,
) -> None:  # fmt: skip
    """Print what was found."""
    for path, evaluation in zip(paths, found, strict=True):
        screen.line((path, "bold"), f" on {corpus}, {measured_on}: {evaluation.accuracy.n} texts")
        screen.line(*accuracy_line("accuracy", evaluation.accuracy))
        screen.line()
        for line in columns(_class_rows(evaluation)):
            screen.line(*line)
        screen.line()
        if len(evaluation.classes) <= MOST_CLASSES:
            screen.line(("rows are what texts are, columns what they are taken for", "dim"))
            for line in columns(_confusion_rows(evaluation)):
                screen.line(*line)
        else:
            screen.line(f"{len(evaluation.classes)} classes: who is taken for whom is in --json")
        if comparison is not None:
            screen.line()
    if comparison is not None:
        for line in comparison_lines(paths, comparison):
            screen.line(*line)


def accuracy_line(name: str, share: Share, measured_on: str = "") -> list[Piece]:
    """Return the pieces of a line about a share of right answers."""
    low, high = share.interval
    return [
        f"{name}  ", (f"{100 * share.value:.1f} %", "bold"),
        f"  (95 % interval {100 * low:.1f}–{100 * high:.1f}, {share.right} of {share.n} right{measured_on})",
    ]  # fmt: skip


def comparison_lines(paths: Sequence[str], found: Comparison) -> list[list[Piece]]:
    """Return what McNemar's test says, in two sentences."""
    first, second = paths
    clear = found.p_value < 0.05
    better = first if found.first_only > found.second_only else second
    verdict = f"{better} is better" if clear else "the difference may be chance"
    return [
        [f"only {first} is right on {found.first_only} texts, only {second} on {found.second_only}"],
        [f"McNemar's test: p = {found.p_value:.3g} ({found.method}), ", (verdict, "bold")],
    ]


def _class_rows(evaluation: Evaluation) -> list[list[Piece]]:
    rows: list[list[Piece]] = [[("", ""), *((head, "bold") for head in ("precision", "recall", "F1", "texts"))]]
    rows += [[str(each.label), *_percents(each), str(each.support)] for each in evaluation.classes]
    rows += [[("macro", "dim"), *_percents(evaluation.macro)], [("micro", "dim"), *_percents(evaluation.micro)]]
    return rows


def _percents(found: ClassReport | Average) -> list[Piece]:
    return [f"{100 * value:.1f} %" for value in (found.precision, found.recall, found.f1)]


def _confusion_rows(evaluation: Evaluation) -> list[list[Piece]]:
    names = [str(label) for label in evaluation.labels]
    rows: list[list[Piece]] = [["", *((name, "bold") for name in names)]]
    for k, counts in enumerate(evaluation.confusion):
        cells = [(str(n), "green" if j == k else "red" if n else "dim") for j, n in enumerate(counts)]
        rows.append([(names[k], "bold"), *cells])
    return rows
