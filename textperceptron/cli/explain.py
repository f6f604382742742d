"""``textperceptron explain``: why a text gets its label."""

from __future__ import annotations

from typing import Annotated

import typer

from textperceptron.cli import reading
from textperceptron.cli.verb import VERB, flag

app = typer.Typer(**VERB)


@app.command()
def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The text itself, or - for standard input.", show_default=False)
    ],
    top: Annotated[int, typer.Option(help="How many terms, the weightiest first; 0 for all.")] = 20,
    json: Annotated[bool, flag("--json", help="Print JSON, with all terms.")] = False,
    encoding: reading.Encoding = "utf-8",
    errors: reading.Errors = "strict",
) -> None:
    """Show what each word, n-gram and pair of words adds to the score of a text."""
    from textperceptron.cli import explanation_view
    from textperceptron.cli.models import open_model
    from textperceptron.cli.output import print_json
    from textperceptron.cli.screen import Screen

    if top < 0:
        raise ValueError(f"--top {top}: use a number of terms, or 0 for all.")
    opened = open_model(model)
    if text == "-":
        text = reading.read_standard_input(encoding, errors)
    found = opened.explain(text)
    if json:
        from dataclasses import asdict

        print_json(asdict(found))
        return
    explanation_view.show(Screen(), found, opened.classes, text, top)
