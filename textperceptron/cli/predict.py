"""``textperceptron predict``: classify texts, one per line."""

from __future__ import annotations

from typing import Annotated

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, Verb, flag

app = typer.Typer(**VERB)


HELP = """Classify texts, one document per line.

Prints one label per line. Use --format or --text-column to read files with labels or columns, folders and archives; \
their labels are ignored."""


@app.command(cls=Verb, help=HELP)
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
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file, or - for standard output.")
    ] = "-",
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.TextFormat = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:
    """Predict: open the model, read, classify, write."""
    with deferred_interrupts():
        from textperceptron._parallel import count_jobs, ordered_map
        from textperceptron.cli.escaping import escaped_lines
        from textperceptron.cli.model_io import open_model
        from textperceptron.cli.output import open_results
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.cli.prediction_format import PredictionFormatter
        from textperceptron.corpus import iter_corpus

    outputs = {"--output": output}
    check_writable(outputs, allow_devices=True)
    opened = open_model(model)
    formatter = PredictionFormatter(opened, scores=scores, probabilities=probabilities, top=top, json=json)
    options = corpus_options.read_options(format, text_column, None, header, delimiter, encoding, errors, skip_bad)
    if format is None and text_column is None:
        options["format"] = "text"
    check_no_overwrite(outputs, source_files([model, input], options))
    batches = iter_corpus(input, labelled=False, **options)
    # The batches of a file are read ahead. The writer of a pipe may wait for answers before it writes more, and Ctrl-C
    # stops a regular expression only on this thread.
    is_file = corpus_options.is_regular_file(input)
    batches_ahead = count_jobs(n_jobs) if is_file and not opened.parts.features.settings.needs_python else 1
    jobs_per_batch = n_jobs if batches_ahead == 1 else 1
    with open_results(output) as stream:
        as_shown = escaped_lines if stream.isatty() else str
        for lines in ordered_map(
            lambda _, batch: formatter.format(batch, jobs_per_batch), batches, [None] * batches_ahead
        ):
            stream.write(as_shown(lines))
            stream.flush()
    corpus_options.report_skipped(batches.skipped)
