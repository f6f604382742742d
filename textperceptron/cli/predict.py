"""``textperceptron predict``: classify texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with

if TYPE_CHECKING:
    from textperceptron.cli.prediction_table import PredictionTable
    from textperceptron.corpus import Batch

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = (
    "output", "columns", "scores", "probabilities", "top", "json", "text_column", "format", "n_jobs",
)  # fmt: skip


HELP = """Classify texts.

Prints one label per document: per line of a plain text, per row of a CSV, TSV, JSON lines, Parquet or Excel file, per \
file of a folder or archive with classes. Formats are detected as by train, and the text is in the columns that the \
model was trained on. Labels in the input are ignored. A model of several labels per text prints those of a document \
in one line, separated by | or --label-separator.

--output FILE with the suffix .csv, .tsv, .jsonl or .parquet writes a table: all columns of the input, the label, its \
score, and its probability if the model was trained with --calibrate."""


@app.command(cls=verb_with(*COMMON), help=HELP)
def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    input: Annotated[  # noqa: A002 - what it is called in the help
        str, typer.Argument(metavar="INPUT", help="Texts to classify: a path, a glob pattern, or - for standard input.")
    ] = "-",
    scores: Annotated[bool, flag("--scores", help="Print the score of each label.")] = False,
    probabilities: Annotated[
        bool,
        flag("--probabilities", help="Print the probability of each label; needs a model trained with --calibrate."),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Labels per line, best first.",
            show_default="1; all with --json and --scores or --probabilities",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print one JSON object per line.")] = False,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="Output file, or - for standard output; a table if its suffix is .csv, .tsv, .jsonl or .parquet.",
        ),
    ] = "-",
    label_separator: Annotated[
        str | None,
        typer.Option(
            metavar="MARK", show_default="that of the training corpus, else |",
            help="What separates the labels of a text in the output, if it may have several.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Columns of the input to keep in the table, such as id,date.", show_default="all"
        ),
    ] = None,
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:  # fmt: skip
    """Predict: open the model, read, classify, write."""
    with deferred_interrupts():
        from textperceptron._parallel import count_jobs, ordered_map
        from textperceptron.cli.model_io import open_model
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.cli.prediction_format import PredictionFormatter, table_format
        from textperceptron.corpus import iter_corpus

    outputs = {"--output": output}
    check_writable(outputs, allow_devices=True)
    kind = None if json else table_format(output)
    if columns is not None and not columns.strip():
        raise ValueError("--columns '': name at least one column, or omit the option to keep all.")
    if kind is None and columns is not None:
        raise ValueError("--columns chooses columns of a table: use --output FILE.csv (.tsv, .jsonl, .parquet).")
    if kind is not None and top is not None:
        raise ValueError(f"--top {top}: {output} has one label per row. Use --json, or another --output.")
    opened = open_model(model)
    formatter = PredictionFormatter(
        opened, scores=scores, probabilities=probabilities, top=top, json=json, source=input,
        separator=label_separator,
    )  # fmt: skip
    options = corpus_options.read_options(
        format, text_column, None, header, delimiter, encoding, errors, skip_bad, sheet
    )
    check_no_overwrite(outputs, source_files([model, input], options))
    kept = kind is not None if columns is None else _split(columns)
    batches = iter_corpus(input, **corpus_options.options_for_texts(options, opened), keep_columns=kept)
    # The batches of a file are read ahead. The writer of a pipe may wait for answers before it writes more, and Ctrl-C
    # stops a regular expression only on this thread.
    is_file = corpus_options.is_regular_file(input)
    batches_ahead = count_jobs(n_jobs) if is_file and not opened.parts.features.settings.needs_python else 1
    jobs_per_batch = n_jobs if batches_ahead == 1 else 1
    writer: PredictionFormatter | PredictionTable = formatter
    items: Iterable[Batch] = batches
    if kind is not None:
        with deferred_interrupts():
            from textperceptron.cli.prediction_table import PredictionTable

        writer = table = PredictionTable(kind, formatter, batches)
        items = table.batches()
    n_reported = 0
    with writer.open(output) as write:
        for result in ordered_map(
            lambda _, batch: writer.format(batch, jobs_per_batch), items, [None] * batches_ahead
        ):  # fmt: skip
            n_reported = corpus_options.report_reading(batches.files, n_reported)
            write(result)
    corpus_options.report_skipped(batches.skipped)


def _split(names: str) -> list[str]:
    """Return names that are separated by commas; one that contains a comma is in quotes."""
    import csv

    return list(dict.fromkeys(name.strip() for name in next(csv.reader([names], skipinitialspace=True))))
