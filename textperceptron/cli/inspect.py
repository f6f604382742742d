"""``textperceptron inspect``: the header of a model file."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import VERB, Verb, flag
from textperceptron.cli.console import (
    Console,
    Span,
    align_columns,
    format_bytes,
    plural,
    span_width,
    term_list,
    wrapped,
)
from textperceptron.cli.escaping import label_text
from textperceptron.cli.output import print_json, standard_output, use_utf8
from textperceptron.cli.plots import PlotFile, check_plot, plot_kind, write_plot
from textperceptron.model import STORED_TOP_TERMS
from textperceptron.settings.typed_json import as_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from textperceptron.learn.threshold import ClassThreshold
    from textperceptron.model import Description, Inspection

app = typer.Typer(**VERB)

PlotKind = Literal["top-terms", "epochs"]


@app.command(cls=Verb)
def inspect(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    top: Annotated[
        int, typer.Option(metavar="N", help="Terms to show per class; above 20, the whole model is read.")
    ] = 8,
    verify: Annotated[
        bool, flag("--verify", help="Read the whole file and check its digest, which detects any damage.")
    ] = False,
    card: Annotated[bool, flag("--card", help="Print a model card in Markdown.")] = False,
    plot: PlotFile = None,
    plot_kind: Annotated[PlotKind | None, plot_kind(*get_args(PlotKind))] = None,
    json: Annotated[bool, flag("--json", help="Print JSON.")] = False,
) -> None:
    """Show the settings, classes, top terms and arrays of a model.

    Reads the header of the file only, unless --verify is given.
    """
    with deferred_interrupts():
        from textperceptron.cli.model_io import inspect_model
        from textperceptron.cli.output_paths import check_no_overwrite

    if top < 0:
        raise ValueError(f"--top {top}: use 0 or more.")
    if card and json:
        raise ValueError("use --card or --json, not both.")
    check_plot(plot, plot_kind)
    if plot is not None:
        check_no_overwrite({"--plot": plot}, [model])
    inspection = with_top_terms(inspect_model(model, verify=verify), model, top)
    console = Console()
    if card:
        print(model_card_of(model, inspection, top), end="", file=use_utf8(standard_output()))
    elif json:
        print_json(_as_dict(model, inspection, verified=verify))
    else:
        _print(console, model, inspection, top, verified=verify)
    if plot is not None:
        write_plot(plot, lambda: _draw(plot_kind, inspection, top), None if json else console)


MAX_CLASSES = 20  # that are listed


def _thresholds(header: Description) -> dict[Any, ClassThreshold]:
    return {header.classes.labels[each.code]: each for each in header.thresholds}


def _draw(kind: str | None, found: Inspection, top: int) -> Axes | list[Axes]:
    with deferred_interrupts():
        from textperceptron.report import plots

    header = found.description
    if kind == "epochs":
        return plots.epochs(header.summary.history)
    terms = header.top_terms or [()] * len(header.classes)
    return plots.top_terms(dict(zip(header.classes.labels, terms, strict=True)), n=max(top, 1))


def with_top_terms(found: Inspection, path: str, n: int) -> Inspection:
    """Return an inspection with at least ``n`` top terms per class; the model is opened if its header has fewer."""
    terms = found.description.top_terms
    if terms is None or n <= max(map(len, terms)) or n <= STORED_TOP_TERMS:
        return found
    with deferred_interrupts():
        from textperceptron.cli.model_io import open_model

    opened = open_model(path)
    more = tuple(tuple(opened.top_terms(label, n)) for label in opened.classes)
    return replace(found, description=replace(found.description, top_terms=more))


def model_card_of(path: str, found: Inspection, top: int) -> str:
    """Return the model card of a file."""
    with deferred_interrupts():
        import os
        import shlex

        from textperceptron.cli.corpus_options import corpus_column_options
        from textperceptron.cli.setting_options import shortest_recipe_and_options
        from textperceptron.model.card import model_card

    header = found.description
    name = os.path.basename(path)
    words = ["textperceptron", "train", "CORPUS", "--model", name, *corpus_column_options(header.corpus_columns)]
    words += shortest_recipe_and_options(header.settings)
    return model_card(
        header, name, n_bytes=found.n_bytes, weights_digest=found.weights_digest,
        command=shlex.join(words), top=top,
    )  # fmt: skip


def _as_dict(path: str, found: Inspection, *, verified: bool) -> dict[str, Any]:
    from textperceptron.cli.thresholds import thresholds_as_json
    from textperceptron.model.top_terms import positive_terms

    header = found.description
    provenance = header.provenance
    return {
        "model": path,
        "bytes": found.n_bytes,
        "format": header.format,
        "toolkit": header.toolkit,
        "sha256": header.sha256,
        "verified": verified,
        "weights_sha256": found.weights_digest,
        "training_texts": None if provenance.training_texts is None else as_json(provenance.training_texts),
        "measured": as_json(provenance.measured),
        "metadata": provenance.metadata,
        "settings": header.settings.as_json(),
        "corpus_columns": None if header.corpus_columns is None else header.corpus_columns.as_json(),
        "classes": list(header.classes.labels),
        **({} if header.summary.n_texts is None else {"multilabel": True, "texts": header.summary.n_texts}),
        "columns": header.n_columns,
        "summary": as_json(header.summary),
        **({"thresholds": thresholds_as_json(_thresholds(header))} if header.thresholds else {}),
        "calibrated": header.calibration is not None,
        "top_terms": None if header.top_terms is None else [dict(positive_terms(terms)) for terms in header.top_terms],
        "arrays": {name: {"type": kind, "shape": list(shape)} for name, (kind, shape) in found.arrays.items()},
    }


def _verified_lines(found: Inspection) -> list[list[Span]]:
    """Return the digests of a file whose digest matches its contents."""
    header = found.description
    texts = header.provenance.training_texts
    lines: list[list[Span]] = [["verified: the file matches its SHA-256 digest"]]
    digests = [("file", header.sha256), ("weights", found.weights_digest), ("texts", texts.digest if texts else None)]
    return lines + [[f"  {name:9}{digest}"] for name, digest in digests if digest is not None]


def _print(console: Console, path: str, found: Inspection, top: int, *, verified: bool) -> None:
    with deferred_interrupts():
        import numpy as np

        from textperceptron.cli.progress import training_line
        from textperceptron.cli.thresholds import threshold_lines
        from textperceptron.model.top_terms import positive_terms

    header = found.description
    summary, n_classes = header.summary, len(header.classes)
    console.line(
        (path, "bold"), f": {format_bytes(found.n_bytes)}, format {header.format}, written by version {header.toolkit}"
    )
    if verified:
        console.lines(_verified_lines(found))
    settings = header.settings.resolve_learner(summary.class_sizes, header.n_columns)
    console.lines(wrapped([], settings.describe(len(summary.class_sizes))))
    classes = f"{n_classes} classes" if summary.n_texts is None else f"{n_classes} labels, several per text"
    probabilities = (
        "scores and probabilities" if header.calibration is not None else "no probabilities (train with --calibrate)"
    )
    console.line(f"{plural(header.n_columns, 'column')}, {classes}, {probabilities}")
    console.line(f"trained on {plural(summary.n_rows, 'text')}: {training_line(summary)}")
    console.lines(threshold_lines(header.settings.learner.threshold, _thresholds(header)))
    provenance = header.provenance
    if provenance.training_texts is not None:
        console.lines(wrapped(["texts: "], provenance.training_texts.describe()))
    if header.corpus_columns is not None:
        console.lines(wrapped(["corpus: "], header.corpus_columns.describe()))
    if provenance.measured:
        with deferred_interrupts():
            from textperceptron.cli.evaluation import accuracy_lines
            from textperceptron.report import Proportion
    name = "accuracy" if summary.n_texts is None else "all labels right"
    for each in provenance.measured:
        console.lines(accuracy_lines(name, Proportion(each.correct, each.n), f"; {each.measured_on}"))
    for key, value in provenance.metadata.items():
        console.lines(wrapped([f"note {key}: "], value))
    console.line()
    labels = header.classes.labels[:MAX_CLASSES]
    rows: list[list[Span]] = [
        [(label_text(label), "bold"), f"{plural(n, 'text')}  "]
        for label, n in zip(labels, summary.rows_of_class, strict=False)
    ]
    for k, line in enumerate(align_columns(rows)):
        terms = positive_terms(header.top_terms[k])[:top] if header.top_terms is not None else []
        console.lines(wrapped(line, term_list(term for term, _ in terms), indent=span_width(line)))
    if n_classes > MAX_CLASSES:
        console.line(f"… and {n_classes - MAX_CLASSES} more classes")
    console.line()
    rows = [[(head, "bold") for head in ("array", "type", "shape", "size")]]
    rows += [
        [name, kind, "×".join(map(str, shape)), format_bytes(math.prod(shape) * np.dtype(kind).itemsize)]
        for name, (kind, shape) in sorted(found.arrays.items())
    ]
    console.lines(align_columns(rows, left=2))
