"""The tables of ``evaluate``: figures per class, the confusion matrix, and the most confused classes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textperceptron._format import percent
from textperceptron.cli.console import Span, align_columns, plural, span_width

if TYPE_CHECKING:
    from textperceptron.report import Average, ClassReport, Evaluation

MAX_CLASSES = 20  # that have a row each
N_WORST = N_PAIRS = 10
_LABEL_WIDTH = 30


def class_lines(evaluation: Evaluation, *, show_all: bool = False) -> Iterator[list[Span]]:
    """Return precision, recall and F1 of each class; of many classes, of those with the lowest F1."""
    classes = evaluation.classes
    is_cut = len(classes) > MAX_CLASSES and not show_all
    if is_cut:
        yield [(f"the {N_WORST} of {plural(len(classes), 'class', 'classes')} with the lowest F1 (--all: all)", "dim")]
        classes = tuple(sorted(classes, key=lambda each: each.f1)[:N_WORST])
    rows: list[list[Span]] = [[("", ""), *((head, "bold") for head in ("precision", "recall", "F1", "texts"))]]
    rows += [[str(each.label), *_percents(each), str(each.support)] for each in classes]
    rows += [[("macro", "dim"), *_percents(evaluation.macro)], [("micro", "dim"), *_percents(evaluation.micro)]]
    yield from align_columns(rows)


def confusion_lines(evaluation: Evaluation, *, show_all: bool = False) -> Iterator[list[Span]]:
    """Return the confusion matrix, or the most confused classes where it is wider than the terminal."""
    lines = list(align_columns(_confusion_rows(evaluation)))
    if show_all or span_width(lines[0]) <= shutil.get_terminal_size().columns:
        yield [("confusion matrix (rows: true label, columns: predicted)", "dim")]
        yield from lines
        return
    pairs = evaluation.confused_pairs(N_PAIRS)
    if not pairs:
        return
    yield [("most confused classes (--all: the confusion matrix)", "dim")]
    rows: list[list[Span]] = [[("true label", "bold"), ("predicted", "bold"), ("texts", "bold"), ("of", "bold")]]
    rows += [[_short(str(p.label)), _short(str(p.predicted)), str(p.count), str(p.support)] for p in pairs]
    yield from align_columns(rows, left=2)


def _percents(found: ClassReport | Average) -> list[Span]:
    return [f"{percent(value)} %" for value in (found.precision, found.recall, found.f1)]


def _confusion_rows(evaluation: Evaluation) -> list[list[Span]]:
    names = [str(label) for label in evaluation.labels]
    rows: list[list[Span]] = [["", *((name, "bold") for name in names)]]
    for k, counts in enumerate(evaluation.confusion):
        cells = [(str(n), "green" if j == k else "red" if n else "dim") for j, n in enumerate(counts)]
        rows.append([(names[k], "bold"), *cells])
    return rows


def _short(label: str) -> str:
    return label if len(label) <= _LABEL_WIDTH else label[: _LABEL_WIDTH - 1] + "…"
