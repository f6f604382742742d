"""``textperceptron export``: a model as one file for another language."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import VERB, Verb
from textperceptron.cli.console import Console, format_bytes
from textperceptron.cli.output import report_stream, standard_output

if TYPE_CHECKING:
    from textperceptron.model import TextModel

app = typer.Typer(**VERB)

Format = Literal["javascript", "c", "onnx"]


@app.command(cls=Verb)
def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    to: Annotated[
        Format | None, typer.Option(help="Format of the file.", show_default="by the suffix of --output")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file, or - for standard output.",
            show_default="the model's name with .js, .c or .onnx",
        ),
    ] = None,
) -> None:
    """Write a model as one file that another language can run.

    JavaScript and C have everything from the text to the label. ONNX begins with the terms of a text.
    """
    with deferred_interrupts():
        from textperceptron.cli.model_io import open_model
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable
        from textperceptron.export import FORMATS, MissingPackageError, exported
        from textperceptron.export.write import format_of
        from textperceptron.model.file.atomic_write import atomic_replace

    if to is None and output in (None, "-"):
        raise ValueError(f"say which format with --to: {', '.join(FORMATS)}.")
    name = to if to is not None else format_of(output or "")
    path = output if output is not None else os.path.splitext(model)[0] + FORMATS[name][0]
    outputs: dict[str, str | None] = {"--output": path}
    check_writable(outputs)
    opened = open_model(model)
    check_no_overwrite(outputs, [model])
    try:
        data = exported(opened, name)
    except MissingPackageError:
        raise
    except ValueError as problem:
        raise ValueError(f"{model}: {problem}") from None
    if path == "-":
        standard_output().buffer.write(data)
    else:
        with atomic_replace(path) as file:
            file.write(data)
    _print(Console(report_stream(path)), opened, name, path, len(data))


def _print(console: Console, model: TextModel, name: str, path: str, size: int) -> None:
    contents = "from terms to labels" if name == "onnx" else "from text to label"
    shown = "standard output" if path == "-" else path
    n_classes = len(model.classes)
    console.line(
        (shown, "bold"), f": {format_bytes(size)}, {model.n_columns:,} columns, {n_classes} classes, {contents}"
    )
    if name == "onnx":
        console.line("input: textperceptron.export.onnx_terms(model, texts)")
    elif path != "-" and name == "c":
        stem, suffix = os.path.splitext(path)
        program = shlex.quote(os.path.join(os.curdir, stem if suffix else f"{stem}.out"))
        language = "" if suffix == ".c" else "-x c "
        console.line(f"compile: cc -std=c99 -O2 {language}{shlex.quote(path)} -lm -o {program}")
        console.line(f"run:     {program} < texts.txt")
    elif path != "-":
        console.line(f"run: node {shlex.quote(path)} < texts.txt")
