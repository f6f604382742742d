"""``textperceptron train``: train a model on a corpus, evaluate it, save it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from textperceptron._format import escaped
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, format_bytes, plural, print_message, term_list, wrapped
from textperceptron.cli.escaping import label_text
from textperceptron.cli.notes import Notes, read_notes
from textperceptron.cli.output import print_json, report_stream
from textperceptron.cli.plots import PlotFile, check_plot, plot_kind, write_plot
from textperceptron.cli.setting_options import check_used, option_files, settings_for, takes_settings
from textperceptron.settings import DEFAULT_RECIPE, RecipeName
from textperceptron.settings.typed_json import as_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from textperceptron.cli.compress import Compressed
    from textperceptron.cli.evaluation import Measurement
    from textperceptron.cli.label_sets import LabelSetMeasurement
    from textperceptron.cli.learning_curve import MeasuredCurve
    from textperceptron.corpus import Corpus
    from textperceptron.model import TextModel

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = (
    "model", "recipe", "test", "holdout", "cv", "text_column", "label_column", "format", "learner", "ngram_range",
    "calibrate", "report", "json", "n_jobs",
)  # fmt: skip

EVALUATION = "Evaluation"
SAVING = "Saving"

PlotKind = Literal["epochs", "margins", "learning-curve"]


HELP = """Train a model on a corpus, print its accuracy, and save it.

The model learns from all training texts. The accuracy is that on the corpus's test split. Without a test split, it is \
that of a second model on a held-out fifth of the texts, or, for a recipe without log-count ratios, that of the first \
epoch, in which each text is classified before the model learns from it."""


@app.command(cls=verb_with(*COMMON), help=HELP)
@takes_settings
def train(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Labelled texts: paths, glob patterns, - for standard input, or names from corpora list.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="FILE", help="Where to save the model; - for standard output.",
            show_default="not saved",
        ),
    ] = None,
    recipe: Annotated[
        RecipeName,
        typer.Option(help="Settings to start from; each option below overrides one. Defaults shown are those of best."),
    ] = DEFAULT_RECIPE,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="CORPUS", help="Another corpus to evaluate on.", show_default="none", rich_help_panel=EVALUATION
        ),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            metavar="FRACTION", show_default="none", rich_help_panel=EVALUATION,
            help="Evaluate on a fraction of the texts (0.2), with a model trained on the others.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            metavar="K", show_default="none", rich_help_panel=EVALUATION,
            help="Evaluate by cross-validation with K folds.",
        ),
    ] = None,
    learning_curve: Annotated[
        bool,
        flag(
            "--learning-curve", panel=EVALUATION,
            help="Also train on a half, a quarter, … of the texts, and print the accuracies.",
        ),
    ] = False,
    plot: PlotFile = None,
    plot_kind: Annotated[
        PlotKind | None, plot_kind(*get_args(PlotKind), note=" The last implies --learning-curve.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Save the training state to this file from time to time.", show_default="none",
            rich_help_panel=SAVING,
        ),
    ] = None,
    every: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between checkpoints.", rich_help_panel=SAVING)
    ] = 60,
    resume: Annotated[
        bool,
        flag(
            "--resume", panel=SAVING,
            help="Continue from the checkpoint if it exists; the model is the same as without the interruption.",
        ),
    ] = False,
    prune: Annotated[
        str | None,
        typer.Option(
            metavar="N", show_default="keep all", rich_help_panel=SAVING,
            help="Keep the N columns with the largest weights, or all weights of at least N (0.001); report the cost.",
        ),
    ] = None,
    half: Annotated[
        bool, flag("--half", help="Save weights in half precision; report the cost.", panel=SAVING)
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", show_default="none", rich_help_panel=SAVING,
            help="Write a page (HTML) about the model: it works offline, classifies while one types, and shows terms, "
            "mistakes and margins.",
        ),
    ] = None,
    note: Notes = None,
    updatable: Annotated[
        bool,
        flag("--updatable", help="Save the training state too, for textperceptron update.", panel=SAVING),
    ] = False,
    json: Annotated[bool, flag("--json", help="Print one JSON object instead of tables.")] = False,
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    label_column: corpus_options.LabelColumn = None,
    weight_column: corpus_options.WeightColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    label_separator: corpus_options.LabelSeparator = None,
    merge_labels: corpus_options.MergeLabels = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
    *,
    changes: dict[str, Any],
) -> None:  # fmt: skip
    """Train: read, train, save, evaluate, print."""
    with deferred_interrupts():
        import numpy.random  # noqa: F401 - NumPy would import it on first use, while a model trains

        from textperceptron.cli.corpus_split import class_sizes, for_labels, read_labelled, read_training_corpus
        from textperceptron.cli.evaluation import Evaluator, check_one_label
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.cli.progress import (
            fallback_lines,
            header_lines,
            history_lines,
            measuring_progress,
            reading_progress,
            resume_hint,
            training_line,
            training_progress,
        )  # fmt: skip
        from textperceptron.cli.thresholds import threshold_lines
        from textperceptron.model import TextModel
        from textperceptron.model.text_profile import profile_of
        from textperceptron.settings import recipe as named_recipe

        if model is not None or checkpoint is not None:
            from textperceptron.cli.model_io import check_checkpoint, has_state, save_model, state_size

    settings = settings_for(named_recipe(recipe), changes)
    check_used(settings, changes)
    if resume and checkpoint is None:
        raise ValueError("--resume needs --checkpoint FILE, the file to resume from.")
    notes = read_notes(note)
    compression = None
    if prune is not None or half:
        with deferred_interrupts():
            from textperceptron.cli.compress import Compression

        compression = Compression(prune, half, settings)
    if updatable:
        with deferred_interrupts():
            from textperceptron.cli.model_io import check_updatable

        check_updatable(settings, model, compression)
    if resume and checkpoint is not None:
        check_checkpoint(checkpoint)
    check_plot(plot, plot_kind)
    if report is not None:
        with deferred_interrupts():
            from textperceptron.cli.page import check_report_path, write_training_page

        check_report_path(report)
    outputs = {"--model": model, "--checkpoint": checkpoint, "--plot": plot, "--report": report}
    check_writable(outputs)
    options = corpus_options.read_options(
        format, text_column, label_column, header, delimiter, encoding, errors, skip_bad, sheet, merge_labels,
        label_separator, weight_column,
    )  # fmt: skip
    check_no_overwrite(outputs, source_files([*corpus, test, *option_files(changes)], options))
    stream = report_stream(model)
    console = Console(stream)
    with reading_progress(console) as on_read:
        texts = read_training_corpus(corpus, options, on_read)
        other = read_labelled(test, options, on_read) if test is not None else None
    if updatable and texts.train.multilabel:
        raise ValueError("--updatable: a model of several labels per text cannot be updated. Omit it.")
    profile, _ = profile_of(texts.texts)
    heading = header_lines(texts, recipe, settings, profile)
    n_classes = len(class_sizes(texts.train))
    settings = for_labels(replace(settings, text=profile.resolve_auto(settings.text, n_classes)), texts.train)
    for option, is_given in (
        ("--plot", plot is not None), ("--learning-curve", learning_curve), ("--report", report is not None),
    ):  # fmt: skip
        if is_given:
            check_one_label(texts.train, option)
    evaluator = Evaluator(texts, other, holdout, cv, settings, n_jobs, needs_texts=report is not None)
    curve_of = None
    if learning_curve or plot_kind == "learning-curve":
        with deferred_interrupts():
            from textperceptron.cli.learning_curve import LearningCurve

        curve_of = LearningCurve(texts, other, holdout, settings, n_jobs)

    if not json:
        console.lines(heading)
    start = time.perf_counter()
    has_accuracy = settings.learner.multiclass == "native" or n_classes == 2
    with (
        resume_hint("training state", checkpoint),
        training_progress(console, has_accuracy=has_accuracy) as on_progress,
    ):
        trained = TextModel.train(
            evaluator.training_texts, texts.labels, settings, sample_weight=texts.train.weights or None,
            n_jobs=n_jobs, callback=on_progress, checkpoint=checkpoint, every=every, resume=resume,
        )  # fmt: skip
    trained.corpus_columns, trained.metadata = texts.columns, notes
    seconds = time.perf_counter() - start
    compressed = compression.apply(trained, texts, other) if compression else None
    if not json:
        console.lines(history_lines(trained.summary.history) if trained.summary.history else [[]])
        console.line(training_line(trained.summary))
        console.lines(fallback_lines(settings, trained))
        console.lines(threshold_lines(trained.settings.learner.threshold, trained.thresholds))
    final = compressed.model if compressed else trained
    if updatable and not has_state(final):
        updatable = False
        print_message("saved without a training state: classes that are trained one after another have none")
    if model not in (None, "-") and evaluator.trains_models:  # so that nothing is lost if the process is killed
        save_model(final, model, updatable=updatable)
    size = None
    try:
        with measuring_progress(console) as on_measured:
            measurements = evaluator.evaluate(trained, on_measured)
        final.measured = compressed.as_measured() if compressed else [each.as_measured() for each in measurements]
    finally:  # also if the evaluation was interrupted
        size = None if model is None else save_model(final, model, updatable=updatable)
    curve = curve_of.measure() if curve_of is not None else None
    page = None
    if report is not None:
        page = report, write_training_page(report, final, texts, measurements, size, n_jobs)
    done = Report(texts, recipe, trained, measurements, compressed, seconds, model, size, curve, page)
    if updatable:
        done.state_size = state_size(final)
    if json:
        print_json(done.as_dict(), stream)
    else:
        done.print(console)
    if plot is not None:
        write_plot(plot, lambda: _draw(plot_kind, done, other, n_jobs), None if json else console)


def _draw(kind: str | None, report: Report, other: Corpus | None, n_jobs: int) -> Axes:
    """Draw the training run."""
    with deferred_interrupts():
        from textperceptron.cli.corpus_split import select_split
        from textperceptron.cli.label_sets import LabelSetMeasurement
        from textperceptron.cli.plots import margins_plot
        from textperceptron.report import plots

    if kind == "learning-curve" and report.curve is not None:
        return plots.learning_curve(report.curve.points, measured_on=report.curve.measured_on)
    if kind == "margins":
        tested = report.corpus.test if other is None else select_split(other)[0]
        splits = [("train", report.corpus.train), *([] if tested is None else [("test", tested)])]
        return margins_plot(report.model, splits, n_jobs, trained_on=report.corpus.train)
    test = next((each for each in report.measurements if each.method != "first epoch"), None)
    if test is None or isinstance(test, LabelSetMeasurement):  # which --plot refuses
        return plots.epochs(report.model.history)
    return plots.epochs(report.model.history, test=test.accuracy, measured_on=test.name)


TOP_TERMS = 8  # per class
LISTED_CLASSES = 20  # with their top terms
MAX_LABEL_WIDTH = 24  # of the column of labels; a longer label moves its terms to the right


@dataclass
class Report:
    """A finished training run."""

    corpus: Corpus
    recipe: str
    model: TextModel
    measurements: Sequence[Measurement | LabelSetMeasurement]
    compressed: Compressed | None
    seconds: float
    path: str | None
    size: int | None
    curve: MeasuredCurve | None
    page: tuple[str, int] | None = None  # path and bytes
    state_size: int = 0

    def top_terms(self) -> dict[str, list[str]]:
        """Return the top terms of each class; empty for a model without term names or without weights."""
        from textperceptron.model.top_terms import positive_terms

        try:
            terms = {label: self.model.top_terms(label, TOP_TERMS) for label in self.model.classes}
        except ValueError:
            return {}
        return {label_text(label): [term for term, _ in positive_terms(found)] for label, found in terms.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return the run as JSON."""
        from textperceptron.cli.thresholds import thresholds_as_json

        summary = self.model.summary
        return {
            "corpus": self.corpus.name,
            "corpus_columns": None if self.corpus.columns is None else self.corpus.columns.as_json(),
            "texts": dict(zip(map(label_text, self.model.classes), summary.rows_of_class, strict=True)),
            "recipe": self.recipe,
            "settings": self.model.settings.as_json(),
            "history": [as_json(epoch) for epoch in summary.history],
            "stopped_by": summary.stopped_by,
            "updates": summary.n_updates,
            **({"thresholds": thresholds_as_json(self.model.thresholds)} if self.model.thresholds else {}),
            "measured": [each.as_dict() for each in self.measurements],
            **({} if self.curve is None else {"learning_curve": self.curve.as_dict()}),
            "columns": self.model.n_columns,
            "compressed": None if self.compressed is None else self.compressed.as_dict(),
            "top_terms": self.top_terms(),
            "seconds": self.seconds,
            "model": self.path,
            "bytes": self.size,
            **({} if self.page is None else {"report": self.page[0]}),
            **({"state_bytes": self.state_size} if self.state_size else {}),
        }

    def print(self, console: Console) -> None:
        """Print the accuracy, the top terms, and the size of the model."""
        top_terms = [(escaped(label), terms) for label, terms in self.top_terms().items()][:LISTED_CLASSES]
        names = [each.name for each in self.measurements] + [label for label, _ in top_terms]
        width = min(MAX_LABEL_WIDTH, max(5, *map(len, names), 0))
        console.line()
        for each in self.measurements:
            console.lines(each.lines(width))
        if not self.measurements:
            reason = f"there is no test split, and {self._why_no_accuracy()}; use --holdout or --cv"
            console.lines(wrapped(["no accuracy: "], reason))
        if self.curve is not None:
            console.lines(self.curve.lines())
        for label, terms in top_terms:
            console.lines(wrapped([(f"{label:{width}}  ", "bold")], term_list(terms), width + 2))
        if top_terms and len(self.model.classes) > LISTED_CLASSES:
            console.line(f"… and {len(self.model.classes) - LISTED_CLASSES} more classes")
        if self.compressed is not None:
            console.line(f"{'small':{width}}  {self.compressed.description(self.model)}")
        saved = self.model if self.compressed is None else self.compressed.model
        columns = plural(saved.n_columns, "column")
        if self.path is None:
            console.line(f"{self.seconds:.2f} s · {columns} · not saved (--model FILE saves it)")
        else:
            where = "written to standard output" if self.path == "-" else f"saved in {self.path}"
            size = format_bytes(self.size or 0)
            if self.state_size:
                size += f" (training state {format_bytes(self.state_size)})"
            console.line(f"{self.seconds:.2f} s · {columns} · {size} · {where}")
        if self.page is not None:
            console.line(f"page: {self.page[0]}, {format_bytes(self.page[1])}")

    def _why_no_accuracy(self) -> str:
        if self.model.settings.learner.column_weight is None:
            return "mistakes are counted per class"
        return "too few texts to hold out a fifth"
