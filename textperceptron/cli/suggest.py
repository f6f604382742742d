"""``textperceptron suggest``: choose texts to label next."""

from __future__ import annotations

from typing import Annotated

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, shortened
from textperceptron.cli.escaping import escaped_field, label_text
from textperceptron.cli.output import open_results, print_json

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = ("count", "output", "json", "text_column", "format", "n_jobs")


@app.command(cls=verb_with(*COMMON))
def suggest(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    texts: Annotated[
        str,
        typer.Argument(metavar="UNLABELLED", help="A file or folder of texts, read as by predict.", show_default=False),
    ],
    count: Annotated[int, typer.Option(metavar="N", help="Texts to choose.")] = 20,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default="none",
            help="Write the texts to a file to label: TSV with an empty label; - for standard output.",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print JSON, one text per line.")] = False,
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
    """Choose texts to label next: those that the model is least sure of, but no two alike.

    Label them, train on all labelled texts, and choose again.
    """
    with deferred_interrupts():
        from textperceptron.cli.corpus_split import read_texts
        from textperceptron.cli.model_io import open_model
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.report import suggest_texts

    if count < 1:
        raise ValueError(f"--count {count}: use a number of texts, 1 or more.")
    if json and output is not None:
        raise ValueError("--json prints to standard output. Leave out --output.")
    check_writable({"--output": output})
    opened = open_model(model)
    options = corpus_options.read_options(
        format, text_column, None, header, delimiter, encoding, errors, skip_bad, sheet
    )
    check_no_overwrite({"--output": output}, source_files([model, texts], options))
    found, places = read_texts(texts, corpus_options.options_for_texts(options, opened))
    if not found:
        raise ValueError(f"{texts}: there are no texts to choose from.")
    chosen = suggest_texts(opened, found, count, n_jobs)
    if output is not None:
        with open_results(output) as stream:
            print("label", "text", sep="\t", file=stream)
            for each in chosen:
                print("", escaped_field(each.text), sep="\t", file=stream)
    console = Console()
    for each in chosen:
        place = places[each.index]
        if json:
            source = {"file": place.file, place.unit: place.line}
            print_json({**source, "text": each.text, "label": each.label, "margin": each.margin})
        elif output != "-":
            console.line(
                f"{each.margin:7.4f}  ", (label_text(each.label), "bold"), f"  {place}: ", shortened(each.text, 60)
            )
    if output not in (None, "-"):
        console.line(f"saved in {output}: write the labels into its first column")
