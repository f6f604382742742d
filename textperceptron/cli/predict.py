"""``textperceptron predict``: lines of text in, lines of labels out."""

from __future__ import annotations

from typing import Annotated

import typer

from textperceptron.cli import reading
from textperceptron.cli.verb import ALL_PROCESSORS, VERB, Threads, flag

app = typer.Typer(**VERB)


HELP = """Classify texts: one document a line in, one label a line out.

Files with labels or columns, and folders or archives, are read with --format or --text-column; their labels are not \
looked at."""


@app.command(help=HELP)
def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    input: Annotated[  # noqa: A002 - what it is called in the help
        str, typer.Argument(metavar="INPUT", help="What to classify: a path, a pattern, or - for standard input.")
    ] = "-",
    scores: Annotated[bool, flag("--scores", help="Print the score behind each label.")] = False,
    probabilities: Annotated[
        bool, flag("--probabilities", help="Print the probability behind each label (train --calibrate).")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            help="Print so many labels a line, the best first.",
            show_default="1; all with --json and --scores or --probabilities",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print a JSON object a line.")] = False,
    output: Annotated[str, typer.Option("--output", "-o", help="A file to write to, or - for standard output.")] = "-",
    n_jobs: Threads = ALL_PROCESSORS,
    format: reading.FormatOfLines = None,  # noqa: A002
    text_column: reading.TextColumn = None,
    header: reading.Header = None,
    delimiter: reading.Delimiter = None,
    encoding: reading.Encoding = "utf-8",
    errors: reading.Errors = "strict",
    skip_bad: reading.SkipBad = False,
) -> None:
    """Predict: open, read, answer, write."""
    from textperceptron._parallel import count_jobs, ordered_map
    from textperceptron.cli.answers import Answers
    from textperceptron.cli.escaping import escaped_lines
    from textperceptron.cli.models import open_model
    from textperceptron.cli.output import refuse_unwritable, results
    from textperceptron.cli.targets import files_read, refuse_losing, refuse_no_name
    from textperceptron.corpus import iter_corpus

    refuse_no_name("--output", output)
    refuse_unwritable(output, devices=True)
    opened = open_model(model)
    answers = Answers(opened, scores=scores, probabilities=probabilities, top=top, json=json)
    options = reading.reading_options(format, text_column, None, header, delimiter, encoding, errors, skip_bad)
    if format is None and text_column is None:
        options["format"] = "text"
    refuse_losing({"--output": output}, files_read([model, input], options))
    batches = iter_corpus(input, labelled=False, **options)
    # Of a file, batches are taken ahead. Whoever writes to a pipe may wait for answers before writing more; and Ctrl-C
    # stops a regular expression on this thread only.
    ahead = count_jobs(n_jobs) if reading.is_file(input) and not opened.parts.features.settings.needs_python else 1
    with results(output) as stream:
        spelt = escaped_lines if stream.isatty() else str
        for lines in ordered_map(
            lambda _, batch: answers.to(batch, n_jobs if ahead == 1 else 1), batches, [None] * ahead
        ):
            stream.write(spelt(lines))
            stream.flush()
    reading.report_skipped(batches.skipped)
