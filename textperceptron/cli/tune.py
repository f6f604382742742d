"""``textperceptron tune``: search for the settings that suit a corpus."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from textperceptron import _interrupts
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, Span, align_columns, format_bytes, plural
from textperceptron.cli.output import print_json, report_stream
from textperceptron.cli.setting_options import option_files, settings_for, takes_settings
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, RecipeName, Settings

if TYPE_CHECKING:
    from textperceptron.cli.evaluation import Measurement
    from textperceptron.cli.label_sets import LabelSetMeasurement
    from textperceptron.corpus import Corpus
    from textperceptron.model import TextModel
    from textperceptron.tuning import Score, SettingReport, TuneResult

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = (
    "trials", "time", "model", "recipe", "metric", "label", "folds", "journal", "text_column", "label_column", "format",
    "json", "n_jobs",
)  # fmt: skip

BUDGET = "Budget"
SAVING = "Saving"


HELP = """Search for the settings that suit a corpus.

The result is the train command with the best settings. Candidates are evaluated by cross-validation: all of them on \
one fold, the better ones on more. On the folds, the best settings are never worse than the start. Settings given as \
options are fixed, the others are searched. A test split is not used."""


@app.command(cls=verb_with(*COMMON), help=HELP)
@takes_settings
def tune(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Labelled texts: paths, glob patterns, - for standard input, or names from corpora list.",
            show_default=False,
        ),
    ],
    recipe: Annotated[
        RecipeName, typer.Option(metavar="NAME", help=f"Settings to start from: {', '.join(RECIPES)}.")
    ] = DEFAULT_RECIPE,
    metric: Annotated[
        Literal["accuracy", "macro-f1", "micro-f1", "f1"] | None,
        typer.Option(
            help="Metric to maximise; f1 is that of the class --label.",
            show_default="accuracy; micro-f1 for several labels per text",
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The class for --metric f1.", show_default="none")
    ] = None,
    folds: Annotated[int, typer.Option(metavar="K", help="Number of folds.")] = 5,
    trials: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Settings to try.", show_default="32, or as many as --time allows", rich_help_panel=BUDGET
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time limit.", show_default="no limit", rich_help_panel=BUDGET),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Append every measurement to this file at once.", show_default="none",
            rich_help_panel=SAVING,
        ),
    ] = None,
    resume: Annotated[
        bool,
        flag(
            "--resume", panel=SAVING,
            help="Continue from the journal if it exists; the result is the same as without the interruption.",
        ),
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="FILE", show_default="no model is trained", rich_help_panel=SAVING,
            help="Train with the best settings on all texts, and save the model here; - for standard output.",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print one JSON object instead of tables.")] = False,
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    label_column: corpus_options.LabelColumn = None,
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
    """Tune: read, search, train and save on request, print."""
    with deferred_interrupts():
        import numpy.random  # noqa: F401 - NumPy would import it on first use, while a model trains

        from textperceptron.cli.corpus_split import read_training_corpus
        from textperceptron.cli.evaluation import Evaluator
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.cli.progress import header_lines, measuring_progress, reading_progress, resume_hint
        from textperceptron.cli.tune_progress import SearchProgress, metric_name
        from textperceptron.model.classes import Classes
        from textperceptron.settings import recipe as named_recipe
        from textperceptron.tuning import Metric, default_metric, default_space
        from textperceptron.tuning import tune as search

        if model is not None:
            from textperceptron.cli.model_io import save_model

    start = settings_for(named_recipe(recipe), changes)
    if (metric == "f1") != (label is not None):
        raise ValueError("use --metric f1 and --label together: F1 is that of one class.")
    if resume and journal is None:
        raise ValueError("--resume needs --journal FILE, the file to resume from.")
    outputs = {"--model": model, "--journal": journal}
    check_writable(outputs)
    fixed = {"conjunctions" if name in ("pivots", "window") else name for name in changes}
    options = corpus_options.read_options(
        format, text_column, label_column, header, delimiter, encoding, errors, skip_bad, sheet, merge_labels,
        label_separator,
    )  # fmt: skip
    check_no_overwrite(outputs, source_files([*corpus, *option_files(changes)], options))
    stream = report_stream(model)
    console = Console(stream)
    with reading_progress(console) as on_read:
        texts = read_training_corpus(corpus, options, on_read)

    multilabel = texts.train.multilabel
    space = {name: values for name, values in default_space(multilabel=multilabel).items() if name not in fixed}
    metric = metric or default_metric(multilabel=multilabel)
    classes = Classes.among(texts.train.count_labels())
    measure = Metric(metric, None if label is None else classes.code(label), multilabel)
    name = metric_name(metric, label)
    progress = SearchProgress(console, measure, name, header_lines(texts, recipe, start), quiet=json)
    with resume_hint("measurements", journal):
        with progress.live(folds, trials, time):
            found = search(
                texts.texts, texts.labels, start, space=space, metric=metric, label=label, folds=folds, trials=trials,
                time=time, seed=start.learner.seed, n_jobs=n_jobs, journal=journal, resume=resume,
                callback=progress.update,
            )  # fmt: skip
        report = Report(texts, recipe, found, train_command(corpus, recipe, found.settings, options, model))
        interrupted = found.stopped_by == "interrupted"
        if model is not None and not interrupted:
            report.model = found.train(texts.texts, texts.labels, n_jobs=n_jobs)
            report.model.corpus_columns = texts.columns
            evaluator = Evaluator(texts, None, None, None, found.settings, n_jobs)
            try:
                with measuring_progress(console) as on_measured:
                    report.measurements = evaluator.evaluate(report.model, on_measured)
                report.model.measured = [each.as_measured() for each in report.measurements]
            finally:  # also if the evaluation was interrupted
                report.path, report.size = model, save_model(report.model, model)
        if json:
            print_json(report.as_dict(), stream)
        else:
            report.print(console, name)
        if interrupted:
            raise KeyboardInterrupt


# What ended a search, in words.
ENDS = {"trials": "all trials done", "time": "the time is over", "space": "all settings tried"}


def train_command(
    corpus: Sequence[str], recipe: str, settings: Settings, options: Mapping[str, Any], model: str | None
) -> list[str]:
    """Return the arguments of the ``train`` command with these settings."""
    with deferred_interrupts():
        from textperceptron.cli.setting_options import recipe_and_options

    words = ["textperceptron", "train", *corpus, *recipe_and_options(settings, recipe)]
    defaults = {"encoding": "utf-8", "errors": "strict", "on_bad": "raise"}
    for name, value in options.items():
        if value == defaults.get(name):
            continue
        option = f"--{name.replace('_', '-')}"
        if name == "on_bad":
            words.append("--skip-bad")
        elif isinstance(value, bool):
            words.append(option if value else f"--no-{option[2:]}")
        elif isinstance(value, list):  # columns of the text
            words += [word for each in value for word in (option, str(each))]
        else:
            words += [option, str(value)]
    return words if model is None else [*words, "--model", model]


@dataclass
class Report:
    """A finished search, and the model if one was trained."""

    corpus: Corpus
    recipe: str
    found: TuneResult
    command: list[str]
    model: TextModel | None = None
    path: str | None = None
    size: int | None = None
    measurements: Sequence[Measurement | LabelSetMeasurement] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the search as JSON."""
        return {
            "corpus": self.corpus.name,
            "recipe": self.recipe,
            **self.found.as_dict(),
            "command": self.command,
            "measured": [each.as_dict() for each in self.measurements],
            "model": self.path,
            "bytes": self.size,
        }

    def print(self, console: Console, metric: str) -> None:
        """Print the best score, the importance of settings, the model's accuracy, and the command that trains it."""
        from textperceptron._format import percent
        from textperceptron.cli.evaluation import not_held_out_lines
        from textperceptron.report.splits import folds, never_held_out

        found = self.found
        console.line()
        thing = "label" if self.corpus.train.multilabel else "text"
        for name, score, number in (("best", found.score, found.best.number), ("start", found.start_score, 1)):
            console.line(
                f"{name:6} ", (f"{percent(score.value)} %", "bold"),
                f"  (95 % interval {_interval(score)}; {metric}, {plural(score.n, thing)}, {found.n_folds} folds; "
                f"trial {number})",
            )  # fmt: skip
        labels = self.corpus.labels
        if rare := never_held_out(labels, folds(labels, found.n_folds, found.seed)):
            console.lines(not_held_out_lines(rare, 0, *(("label", "labels") if thing == "label" else ())))
        _print_importance(console, found)
        stopped = ENDS.get(found.stopped_by) or f"stopped by {_interrupts.name()}"
        console.line()
        tried = f"{plural(len(found.trials), 'trial')}, {plural(found.n_evaluations, 'model')}"
        console.line(f"{tried}, {found.seconds:.2f} s; {stopped}; seed {found.seed}")
        if self.model is not None:
            for each in self.measurements:
                console.lines(each.lines())
            where = "written to standard output" if self.path == "-" else f"saved in {self.path}"
            console.line(f"{plural(self.model.n_columns, 'column')} · {format_bytes(self.size or 0)} · {where}")
        console.line("train with the best settings:")
        console.line((shlex.join(self.command), "bold"))


def _print_importance(console: Console, found: TuneResult) -> None:
    if not found.importance:
        return
    console.line()
    console.line(("importance", "bold"), ": points lost by the best trial with another value (number of folds)")
    rows: list[list[Span]] = [[report.name.replace("_", " "), _values(report)] for report in found.importance]
    console.lines(align_columns(rows, left=2))


def _values(report: SettingReport) -> str:
    from textperceptron.cli.tune_progress import format_value

    shown = []
    for each in report.values:
        value = format_value(report.name, each.value)
        shown.append(value if each.is_winner else f"{value} {round(-100 * each.lost, 1) + 0.0:+.1f} ({each.n_folds})")
    return " · ".join(shown)


def _interval(score: Score) -> str:
    low, high = score.interval
    from textperceptron._format import percent

    return f"{percent(low)}–{percent(high)}"
