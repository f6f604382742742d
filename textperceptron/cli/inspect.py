"""``textperceptron inspect``: what a model file says about itself."""

from __future__ import annotations

from typing import Annotated

import typer

from textperceptron.cli.verb import VERB, flag

app = typer.Typer(**VERB)


@app.command()
def inspect(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    top: Annotated[int, typer.Option(help="Terms to show per class, at most 20.")] = 8,
    verify: Annotated[
        bool, flag("--verify", help="Read all of the file and compare its digest, which finds any damage.")
    ] = False,
    json: Annotated[bool, flag("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a model file says about itself, without reading its weights unless to verify them."""
    from textperceptron.cli import inspection_view
    from textperceptron.cli.models import inspect_model
    from textperceptron.cli.output import print_json
    from textperceptron.cli.screen import Screen

    if top < 0:
        raise ValueError(f"--top {top}: use a number of terms from 0 on.")
    found = inspect_model(model, verify=verify)
    if json:
        print_json(inspection_view.as_dict(model, found, verified=verify))
        return
    inspection_view.show(Screen(), model, found, top, verified=verify)
