"""Several labels per text: evaluations in lines, labels in one cell, and advice on corpora that join labels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textperceptron._format import percent
from textperceptron.cli.console import Console, Span, align_columns, plural, print_message, span_width, wrapped
from textperceptron.cli.escaping import escaped_label, label_text, listed_label
from textperceptron.model import Measured

if TYPE_CHECKING:
    from textperceptron.corpus import Documents
    from textperceptron.model import TextModel
    from textperceptron.report import LabelSetEvaluation

DEFAULT_SEPARATOR = "|"
_SEPARATORS = "|;,"
_JOINED_SHARE = 0.01  # of texts, with labels that look joined
MAX_LABELS = 100  # in the table of an evaluation


def suggest_separator(name: str, documents: Documents) -> None:
    """Print which separator may join the labels of texts: the parts of a label are labels, too."""
    if documents.multilabel:
        return
    counts = documents.count_labels()
    for separator in _SEPARATORS:
        joined = {label: n for label, n in counts.items() if separator in label}
        known = {part.strip() for label in joined for part in label.split(separator)} & (counts.keys() - joined.keys())
        n_texts = sum(n for label, n in joined.items() if known & {part.strip() for part in label.split(separator)})
        if n_texts > _JOINED_SHARE * len(documents):
            example = max(joined, key=lambda label: (joined[label], label))
            print_message(
                f"{name}: labels such as {listed_label(example)} join others ({plural(n_texts, 'text')}). "
                f"--label-separator '{separator}' reads them as several labels per text."
            )
            return


def joined_labels(labels: Sequence[Any], separator: str) -> str:
    """Return the labels of a text in one line.

    Raises
    ------
    ValueError
        If a label contains the separator.

    Examples
    --------
    >>> joined_labels(("sport", "war"), "|"), joined_labels((), "|")
    ('sport|war', '')
    """
    names = [label_text(label) for label in labels]
    if wrong := [name for name in names if separator in name]:
        raise ValueError(
            f"the label {wrong[0]!r} contains {separator!r}, which separates labels. Use another --label-separator, or "
            "--json."
        )
    return separator.join(names)


def separator_of(model: TextModel, given: str | None = None) -> str:
    """Return what separates the labels of a text in the output: the given one, else that of the model's corpus."""
    remembered = None if model.corpus_columns is None else model.corpus_columns.label_separator
    return given or remembered or DEFAULT_SEPARATOR


@dataclass
class LabelSetMeasurement:
    """An evaluation with its short name, its method for JSON, and the texts that it was measured on.

    ``not_held_out`` are the labels with too few texts to hold one out.
    """

    name: str
    method: str
    measured_on: str
    evaluation: LabelSetEvaluation
    not_held_out: Sequence[str] = ()

    def as_measured(self) -> Measured:
        """Return the measurement as a model file keeps it: a text is correct if all of its labels are."""
        found, measured_on = self.evaluation, os.path.basename(self.measured_on)  # a header has no paths
        exact = found.exact
        return Measured(
            self.method, measured_on, exact.successes, exact.n, exact.interval, found.macro.f1, found.micro.f1
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the measurement as JSON."""
        found = {"method": self.method, "measured_on": self.measured_on, **self.evaluation.as_dict()}
        return {**found, "not_held_out": list(self.not_held_out)} if self.not_held_out else found

    def lines(self, width: int = 0) -> Iterator[list[Span]]:
        """Return the lines of the figures, and of the labels that no held-out text has."""
        from textperceptron.cli.evaluation import not_held_out_lines

        width = max(width, len(self.name))
        yield from figure_lines(f"{self.name:{width}}", self.evaluation, f"; {self.measured_on}")
        if self.not_held_out:
            yield from not_held_out_lines(self.not_held_out, width + 2, "label", "labels")


def figure_lines(name: str, found: LabelSetEvaluation, measured_on: str = "") -> Iterator[list[Span]]:
    """Return the lines of an evaluation: F1 with its interval, exact matches, and the number of labels."""
    low, high = found.micro_interval
    head: list[Span] = [f"{name}  ", (f"micro F1 {percent(found.micro.f1)} %", "bold")]
    indent = span_width([f"{name}  "])
    label, baseline = found.baseline
    yield from wrapped(
        head,
        f"  (95 % interval {percent(low)}–{percent(high)}), macro F1 {percent(found.macro.f1)} %; "
        f"{plural(found.exact.n, 'text')}{measured_on}", indent,
    )  # fmt: skip
    ranking = "" if found.ranking is None else f"; ranking precision {percent(found.ranking)} %"
    yield from wrapped(
        [" " * indent],
        f"all labels right in {percent(found.exact.value)} % of texts{ranking}; {found.mean_predicted:.2f} labels per "
        f"text predicted, {found.mean_labels:.2f} true; micro F1 with {listed_label(label)} everywhere "
        f"{percent(baseline)} %", indent,
    )  # fmt: skip


def print_evaluation(console: Console, found: LabelSetEvaluation) -> None:
    """Print the figures and a table of the labels, the most frequent first if there are many."""
    console.lines(figure_lines("labels", found))
    console.line()
    classes = sorted(found.classes, key=lambda each: -each.support)[:MAX_LABELS]
    shown = found.classes if len(found.classes) <= MAX_LABELS else classes
    rows: list[list[Span]] = [[("", ""), *((head, "bold") for head in ("precision", "recall", "F1", "texts"))]]
    rows += [
        [escaped_label(each.label), *(f"{percent(value)} %" for value in (each.precision, each.recall, each.f1)),
         str(each.support)]
        for each in shown
    ]  # fmt: skip
    for name, average in (("macro", found.macro), ("micro", found.micro)):
        values = (average.precision, average.recall, average.f1)
        rows.append([(name, "dim"), *(f"{percent(value)} %" for value in values)])
    console.lines(align_columns(rows))
    if len(shown) < len(found.classes):
        console.line(f"… and {len(found.classes) - len(shown)} rarer labels; --json prints all")
