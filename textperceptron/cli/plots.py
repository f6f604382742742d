"""The option ``--plot`` of several verbs: checks before any work, and the plot after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textperceptron._format import escaped
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.console import Console
from textperceptron.cli.escaping import escaped_label, label_text
from textperceptron.cli.output_paths import check_writable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from textperceptron.corpus import Documents
    from textperceptron.margins import MarginReport
    from textperceptron.model import TextModel
    from textperceptron.report import Evaluation, TextMargins

PANEL = "Plots"
MAX_SECONDS = 30.0  # for the largest margin that any hyperplane has

PlotFile = Annotated[
    str | None,
    typer.Option(
        "--plot", metavar="FILE", help="Draw a plot; the suffix is .png, .svg or .pdf.", show_default="none",
        rich_help_panel=PANEL,
    ),
]  # fmt: skip


def plot_kind(*kinds: str, note: str = "") -> Any:
    """Return the option ``--plot-kind`` of a verb; the first kind is the default."""
    text = f"What to draw: {', '.join(kinds[:-1])} or {kinds[-1]}.{note}"
    return typer.Option("--plot-kind", metavar="KIND", help=text, show_default=kinds[0], rich_help_panel=PANEL)


def check_plot(path: str | None, kind: str | None) -> None:
    """Raise ValueError or OSError if the plot could not be written: checked before any work."""
    if path is None:
        if kind is not None:
            raise ValueError(f"--plot-kind {kind} needs --plot FILE, the file to draw into.")
        return
    with deferred_interrupts():
        from textperceptron.report.plots.canvas import check_format, check_installed

    if path:
        check_format(path)
    check_writable({"--plot": path})
    check_installed()


def write_plot(path: str, draw: Callable[[], Axes | Sequence[Axes]], console: Console | None) -> None:
    """Draw a plot, write it, and say so."""
    with deferred_interrupts():
        import logging

        from textperceptron.report.plots.canvas import own_style, save

        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # its font cache is no concern of the user
    with own_style():
        save(draw(), path)
    if console is not None:
        console.line(f"plot drawn in {escaped(path)}")


def check_evaluation_plot(kind: str | None, model: TextModel, path: str) -> None:
    """Raise ValueError if a model has not what a plot of its predictions shows."""
    if model.multilabel:
        raise ValueError(f"--plot: the texts of {path} have several labels; plots are for one label per text.")
    if kind == "threshold" and len(model.classes) != 2:
        raise ValueError(f"--plot-kind threshold: {path} has {len(model.classes)} classes, and a threshold parts two.")
    if kind == "reliability" and model.parts.calibration is None:
        raise ValueError(f"--plot-kind reliability: {path} has no probabilities. Train it with --calibrate.")


def evaluation_plot(
    kind: str | None, model: TextModel, evaluation: Evaluation, splits: Sequence[tuple[str, Documents]], n_jobs: int
) -> Axes:
    """Draw predictions for the first of some splits; margins for all of them."""
    with deferred_interrupts():
        from textperceptron.report import plots

    if kind is None or kind == "confusion":
        return plots.confusion_matrix(evaluation)
    if kind == "margins":
        return margins_plot(model, splits[::-1], n_jobs)
    if kind == "precision-recall" and len(model.classes) > 2:
        return plots.precision_recall_of_classes(evaluation)
    _, documents = splits[0]
    texts, labels = _known(model, documents)
    codes = model.parts.classes.codes(labels)
    if kind == "reliability":
        return plots.reliability(model.probabilities(texts, n_jobs), codes)
    if not (codes == 1).any():
        label = escaped_label(model.classes[1])
        raise ValueError(f"--plot-kind {kind}: no text has the label {label}, so there is no recall to draw.")
    draw = plots.threshold_choice if kind == "threshold" else plots.precision_recall
    return draw(model.scores(texts, n_jobs), codes == 1, label=model.classes[1])


def margins_plot(
    model: TextModel, splits: Sequence[tuple[str, Documents]], n_jobs: int, *, trained_on: Documents | None = None
) -> Axes:
    """Draw the margins of splits, and for the training texts R, γ and the bound on updates."""
    with deferred_interrupts():
        from textperceptron.report import bound_of, plots, text_margins

    found: dict[str, TextMargins] = {}
    for name, documents in splits:
        texts, labels = _known(model, documents)
        if texts:
            found[name] = text_margins(model, texts, labels, n_jobs)
    report: MarginReport | None = None
    if trained_on is not None:
        texts, labels = _known(model, trained_on)
        report = bound_of(model, texts, labels, max_seconds=MAX_SECONDS, n_jobs=n_jobs)
    unit = next(iter(found.values())).unit
    return plots.margin_distribution({name: each.values for name, each in found.items()}, report=report, unit=unit)


def _known(model: TextModel, documents: Documents) -> tuple[list[str], list[Any]]:
    """Return the texts whose labels are classes of the model, and these classes."""
    label_of = {label_text(label): label for label in model.classes}
    pairs = [
        (text, label_of[label])
        for text, label in zip(documents.texts, documents.labels, strict=True)
        if label in label_of
    ]
    return [text for text, _ in pairs], [label for _, label in pairs]
