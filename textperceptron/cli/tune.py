"""``textperceptron tune``: which settings suit a corpus."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from textperceptron.cli import reading
from textperceptron.cli.settings import files_in, settings_for, takes_settings
from textperceptron.cli.verb import ALL_PROCESSORS, VERB, Threads, flag
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, RecipeName

app = typer.Typer(**VERB)

BUDGET = "How long it searches"
KEEP = "What is kept"


HELP = """Search for the settings that suit a corpus, and print the command that trains with them.

Candidates are measured by cross-validation, all of them on one fold and the better ones on more. What it ends with is \
never worse on the folds than what it begins with. Settings that are given as options stay as they are; the others are \
searched. A test split is not looked at."""


@app.command(help=HELP)
@takes_settings
def tune(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Texts with labels: paths, patterns, - for standard input, or names of corpora (see corpora list).",
            show_default=False,
        ),
    ],
    recipe: Annotated[
        RecipeName, typer.Option(metavar="NAME", help=f"Settings to begin with: {', '.join(RECIPES)}.")
    ] = DEFAULT_RECIPE,
    metric: Annotated[
        Literal["accuracy", "macro-f1", "f1"],
        typer.Option(help="What is to be large; f1 is that of the class that --label names."),
    ] = "accuracy",
    label: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The class whose F1 it is.", show_default="none")
    ] = None,
    folds: Annotated[int, typer.Option(metavar="K", help="Parts of the texts, each held out in turn.")] = 5,
    trials: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Settings to try.", show_default="32, or as many as --time allows", rich_help_panel=BUDGET
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="When to stop.", show_default="no limit", rich_help_panel=BUDGET),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Keep every measurement here as soon as it is made.", show_default="none",
            rich_help_panel=KEEP,
        ),
    ] = None,
    resume: Annotated[
        bool,
        flag(
            "--resume", help="Go on from the journal, if it is there; the result is the same as in one go.", panel=KEEP
        ),
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="FILE", show_default="none is trained", rich_help_panel=KEEP,
            help="Train with the best settings on all texts, and keep the model here; - for standard output.",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print one JSON object instead of tables.")] = False,
    n_jobs: Threads = ALL_PROCESSORS,
    format: reading.Format = None,  # noqa: A002
    text_column: reading.TextColumn = None,
    label_column: reading.LabelColumn = None,
    header: reading.Header = None,
    delimiter: reading.Delimiter = None,
    encoding: reading.Encoding = "utf-8",
    errors: reading.Errors = "strict",
    skip_bad: reading.SkipBad = False,
    *,
    changes: dict[str, Any],
) -> None:  # fmt: skip
    """Tune: read, search, print, train if asked for."""
    from textperceptron.cli import tuning_progress, tuning_view
    from textperceptron.cli.going_on import hint_at_resuming
    from textperceptron.cli.output import print_json, report_stream, save_model
    from textperceptron.cli.parts import merged_corpora
    from textperceptron.cli.screen import Screen
    from textperceptron.cli.targets import files_read, refuse_losing, refuse_unkeepable
    from textperceptron.cli.training_view import show_beginning
    from textperceptron.corpus import open_corpus
    from textperceptron.model.labels import Classes
    from textperceptron.settings import recipe as named
    from textperceptron.tuning import SPACE, Metric
    from textperceptron.tuning import tune as search

    start = settings_for(named(recipe), changes)
    if (metric == "f1") != (label is not None):
        raise ValueError("--metric f1 and --label go together: the F1 of one class.")
    if resume and journal is None:
        raise ValueError("--resume needs --journal FILE, which says from where.")
    targets = {"--model": model, "--journal": journal}
    refuse_unkeepable(targets)
    fixed = {"conjunctions" if name in ("pivots", "window") else name for name in changes}
    space = {name: values for name, values in SPACE.items() if name not in fixed}
    options = reading.reading_options(format, text_column, label_column, header, delimiter, encoding, errors, skip_bad)
    refuse_losing(targets, files_read([*corpus, *files_in(changes)], options))
    sources = [open_corpus(each, labelled=True, **options) for each in corpus]
    for source in sources:
        reading.report_skipped(source.skipped)
    texts = merged_corpora(sources)
    texts.require_classes()

    measure = Metric(metric, None if label is None else Classes.among(texts.train.labels).code(label))
    stream = report_stream(model)
    screen = Screen(stream)
    name = tuning_progress.metric_name(metric, label)
    view = tuning_progress.View(screen, measure, name, lambda: show_beginning(screen, texts, recipe, start), quiet=json)
    with hint_at_resuming("what was measured so far", journal):
        with view.watching(folds, trials, time):
            found = search(
                texts.train.texts, texts.train.labels, start, space=space, metric=metric, label=label, folds=folds,
                trials=trials, time=time, seed=start.learner.seed, n_jobs=n_jobs, journal=journal, resume=resume,
                callback=view.note,
            )  # fmt: skip
        words = tuning_view.train_words(corpus, recipe, found.settings, options, model)
        result = tuning_view.Result(texts, recipe, found, words)
        interrupted = found.stopped_by == "interrupt"
        if model is not None and not interrupted:
            result.trained = found.train(texts.train.texts, texts.train.labels, n_jobs=n_jobs)
            result.path, result.size = model, save_model(result.trained, model)
        if json:
            print_json(result.as_dict(n_jobs), stream)
        else:
            tuning_view.show_result(screen, result, name, n_jobs)
        if interrupted:
            raise KeyboardInterrupt
