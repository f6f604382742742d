"""``textperceptron update``: train a saved model further, on new texts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, Span, format_bytes, plural, print_message, wrapped
from textperceptron.cli.escaping import label_text, listed_label
from textperceptron.cli.notes import Notes, read_notes
from textperceptron.cli.output import print_json, report_stream
from textperceptron.settings.typed_json import as_json

if TYPE_CHECKING:
    from textperceptron.corpus import Corpus
    from textperceptron.model import TextModel
    from textperceptron.report import Proportion

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = ("output", "epochs", "max_terms", "text_column", "label_column", "weight_column", "format", "json", "n_jobs")

HELP = """Train a model further, on new texts, and replace its file.

The model must have been trained with --updatable. It learns new words and new classes too, and its log-count ratios \
are computed from all texts so far. The accuracy is that on the new texts, before the model learns from them."""


@app.command(cls=verb_with(*COMMON), help=HELP)
def update(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file, trained with --updatable.", show_default=False)
    ],
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="The new texts with their labels: paths, glob patterns, - for standard input, or names from corpora "
            "list.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default="MODEL, replaced when all is done",
            help="Where to save the updated model; - for standard output.",
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Passes over the new texts.", show_default="as many as in training"),
    ] = None,
    max_terms: Annotated[
        int | None,
        typer.Option(
            metavar="N", show_default="those of --max-features, or no limit",
            help="Most terms of the vocabulary; if there are more, those in the most new texts are added.",
        ),
    ] = None,
    new_classes: Annotated[
        bool, flag("--new-classes", help="Accept new texts although none of their labels is a class of the model.")
    ] = False,
    note: Notes = None,
    json: Annotated[bool, flag("--json", help="Print one JSON object instead of lines.")] = False,
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    label_column: corpus_options.LabelColumn = None,
    weight_column: corpus_options.WeightColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    merge_labels: corpus_options.MergeLabels = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:  # fmt: skip
    """Update: open, read, predict, train, save, print."""
    with deferred_interrupts():
        import numpy.random  # noqa: F401 - NumPy would import it on first use, while a model trains

        from textperceptron.cli.corpus_split import read_training_corpus
        from textperceptron.cli.model_io import open_updatable, save_model
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.cli.progress import reading_progress, training_progress
        from textperceptron.report import Proportion

    for option, value in (("--epochs", epochs), ("--max-terms", max_terms)):
        if value is not None and value < 1:
            raise ValueError(f"{option} {value}: use 1 or more.")
    notes = read_notes(note)
    path = model if output is None else output
    check_writable({"--output": path})
    opened = open_updatable(model)
    options = corpus_options.read_options(
        format, text_column, label_column, header, delimiter, encoding, errors, skip_bad, sheet, merge_labels,
        weight_column=weight_column,
    )  # fmt: skip
    options["columns"] = remembered = opened.corpus_columns
    if weight_column is None and remembered is not None:
        options["weight_column"] = remembered.weight
    check_no_overwrite({"--output": path}, source_files(corpus, options))
    stream = report_stream(path)
    console = Console(stream)
    start = time.perf_counter()
    with unchanged_hint(path):
        with reading_progress(console) as on_read:
            texts = read_training_corpus(corpus, options, on_read, is_update=True)
        labels = labels_for(opened, texts)
        if not new_classes:
            check_known(texts.name, labels, opened.classes)
        predicted = opened.predict(texts.texts, n_jobs)
        right = sum(found == label for found, label in zip(predicted, labels, strict=True))
        classes, n_columns, n_epochs = opened.classes, opened.n_columns, len(opened.history)
        if not json:
            console.lines(header_lines(texts))
        with training_progress(console, has_accuracy=len(classes) == 2) as on_progress:
            opened.update(
                texts.texts, labels, epochs=epochs, max_terms=max_terms, sample_weight=texts.train.weights or None,
                n_jobs=n_jobs, callback=on_progress,
            )  # fmt: skip
        if opened.corpus_columns is None:
            opened.corpus_columns = texts.columns
        opened.metadata |= notes
        size = save_model(opened, path, updatable=True)
    added = [label for label in opened.classes if label not in classes]
    report = Report(
        texts, opened, Proportion(right, len(labels)), added, opened.n_columns - n_columns, n_epochs,
        time.perf_counter() - start, path, size,
    )  # fmt: skip
    if json:
        print_json(report.as_dict(), stream)
    else:
        report.print(console)


@contextmanager
def unchanged_hint(path: str) -> Iterator[None]:
    """After Ctrl-C within the block, say that the file is as it was."""
    try:
        yield
    except KeyboardInterrupt:
        print_message(f"{path} is unchanged")
        raise


def labels_for(model: TextModel, corpus: Corpus) -> list[Any]:
    """Return the labels of a corpus as the model has them: numbers, if its labels are numbers.

    Raises
    ------
    ValueError
        If a label cannot become one of the model's.
    """
    if corpus.train.multilabel:
        raise ValueError(f"{corpus.name}: texts have several labels, and the model was trained on one per text.")
    if model.parts.classes.kind == "str":
        return corpus.labels
    spelt = {label_text(label): label for label in model.classes}
    try:
        return [spelt[label] if label in spelt else int(label) for label in corpus.labels]
    except (ValueError, TypeError):
        bad = next(label for label in corpus.labels if label not in spelt and not str(label).lstrip("-").isdecimal())
        known = ", ".join(list(spelt)[:5])
        raise ValueError(
            f"{corpus.name}: the label {bad!r} is not a number as those of the model ({known}). Change it, or rename "
            "it with --merge-labels."
        ) from None


def check_known(name: str, labels: Sequence[Any], classes: Sequence[Any]) -> None:
    """Raise ValueError if no label is a class of the model, as when labels come from the wrong column."""
    if labels and set(labels).isdisjoint(classes):
        found, known = (", ".join(map(listed_label, sorted(set(each))[:5])) for each in (labels, classes))
        raise ValueError(
            f"{name}: none of its labels ({found}) is a class of the model ({known}). Choose another --label-column, "
            "rename them with --merge-labels, or add --new-classes to learn them as new ones."
        )


def header_lines(corpus: Corpus) -> Iterator[list[Span]]:
    """Return the lines of the new texts."""
    from textperceptron.cli.corpus_split import column_lines

    yield from wrapped([(corpus.name, "bold")], f": {plural(len(corpus.train), 'new text')} ({_counts(corpus)})")
    yield from column_lines(corpus)


_SHOWN_CLASSES = 10


def _counts(corpus: Corpus) -> str:
    counts = sorted(Counter(corpus.labels).items())
    shown = " · ".join(f"{listed_label(label)}: {n:,}" for label, n in counts[:_SHOWN_CLASSES])
    return shown + (" · …" if len(counts) > _SHOWN_CLASSES else "")


@dataclass
class Report:
    """A finished update."""

    corpus: Corpus
    model: TextModel
    before: Proportion
    new_classes: Sequence[Any]
    n_new_terms: int
    n_epochs_before: int
    seconds: float
    path: str
    size: int

    def as_dict(self) -> dict[str, Any]:
        """Return the update as JSON."""
        summary = self.model.summary
        low, high = self.before.interval
        return {
            "corpus": self.corpus.name,
            "new_texts": dict(sorted(Counter(map(label_text, self.corpus.labels)).items())),
            "accuracy_before": self.before.value,
            "interval": [low, high],
            "new_classes": [label_text(label) for label in self.new_classes],
            "new_terms": self.n_new_terms,
            "history": [as_json(epoch) for epoch in summary.history[self.n_epochs_before :]],
            "texts": dict(zip(map(label_text, self.model.classes), summary.rows_of_class, strict=True)),
            "columns": self.model.n_columns,
            "seconds": self.seconds,
            "model": self.path,
            "bytes": self.size,
        }

    def print(self, console: Console) -> None:
        """Print the accuracy before the update, and what was learnt."""
        from textperceptron.cli.evaluation import accuracy_lines

        console.lines(accuracy_lines("before", self.before, " before learning from them"))
        if self.new_classes:
            console.lines(wrapped(["new classes: "], ", ".join(map(listed_label, self.new_classes))))
        epochs = len(self.model.history) - self.n_epochs_before
        learnt = plural(epochs, "epoch") if epochs else "learnt"
        new_terms = plural(self.n_new_terms, "new term")
        console.lines(wrapped([f"{learnt}: "], f"{new_terms} · now {plural(self.model.summary.n_rows, 'text')} in all"))
        where = "written to standard output" if self.path == "-" else f"saved in {self.path}"
        columns = f"{self.model.n_columns:,} columns"
        console.line(f"{self.seconds:.2f} s · {columns} · {format_bytes(self.size)} · {where}")
