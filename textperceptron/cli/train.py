"""``textperceptron train``: from a corpus to a model, with what it learnt and how good it is."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from textperceptron.cli import reading
from textperceptron.cli.settings import files_in, settings_for, takes_settings
from textperceptron.cli.verb import ALL_PROCESSORS, VERB, Threads, flag
from textperceptron.settings import DEFAULT_RECIPE, RecipeName

app = typer.Typer(**VERB)

MEASURE = "How good it is"
KEEP = "What is kept"


HELP = """Learn from a corpus, show how that went, and keep the model.

It learns from every text. The accuracy is that on the corpus's own test split; without one, that of another model on \
a fifth of the texts, which it did not learn from, or without log-count ratios that of the first epoch, in which every \
text is classified before it is learnt from."""


@app.command(help=HELP)
@takes_settings
def train(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Texts with labels: paths, patterns, - for standard input, or names of corpora (see corpora list).",
            show_default=False,
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="FILE", help="Where to keep the model; - for standard output.",
            show_default="not kept",
        ),
    ] = None,
    recipe: Annotated[
        RecipeName,
        typer.Option(help="Settings to begin with; every option below overrides one. Their defaults are best's."),
    ] = DEFAULT_RECIPE,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="CORPUS", help="Another corpus to measure on.", show_default="none", rich_help_panel=MEASURE
        ),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", show_default="none", rich_help_panel=MEASURE,
            help="Measure on so many of the texts (0.2), with a model that learns from the others.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            metavar="K", show_default="none", rich_help_panel=MEASURE,
            help="Measure by cross-validation: K models, each on the part of the texts that it did not learn from.",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Keep what was learnt so far here, from time to time.", show_default="none",
            rich_help_panel=KEEP,
        ),
    ] = None,
    every: Annotated[
        float, typer.Option(metavar="SECONDS", help="How often the checkpoint is written.", rich_help_panel=KEEP)
    ] = 60,
    resume: Annotated[
        bool,
        flag(
            "--resume", help="Go on from the checkpoint, if it is there; the model is the same as in one go.",
            panel=KEEP,
        ),
    ] = False,
    prune: Annotated[
        str | None,
        typer.Option(
            metavar="N", show_default="keep all", rich_help_panel=KEEP,
            help="Keep the N columns with the largest weights, or those of at least N (0.001), and report the cost.",
        ),
    ] = None,
    half: Annotated[
        bool, flag("--half", help="Keep weights in half precision, and say what that costs.", panel=KEEP)
    ] = False,
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
    """Train: read, learn, measure, keep, print."""
    from textperceptron.cli import training_view
    from textperceptron.cli.going_on import hint_at_resuming
    from textperceptron.cli.measure import Measurer
    from textperceptron.cli.models import refuse_other_checkpoint
    from textperceptron.cli.output import print_json, report_stream, save_model
    from textperceptron.cli.parts import merged_corpora
    from textperceptron.cli.progress import watching
    from textperceptron.cli.screen import Screen
    from textperceptron.cli.shrinking import read_prune, refuse_unshrinkable, shrink
    from textperceptron.cli.targets import files_read, refuse_losing, refuse_unkeepable
    from textperceptron.corpus import open_corpus
    from textperceptron.model import TextModel
    from textperceptron.settings import recipe as named

    settings = settings_for(named(recipe), changes)
    if resume and checkpoint is None:
        raise ValueError("--resume needs --checkpoint FILE, which says from where.")
    pruning = read_prune(prune)
    refuse_unshrinkable(settings, pruning, half)
    if resume and checkpoint is not None:
        refuse_other_checkpoint(checkpoint)
    targets = {"--model": model, "--checkpoint": checkpoint}
    refuse_unkeepable(targets)
    options = reading.reading_options(format, text_column, label_column, header, delimiter, encoding, errors, skip_bad)
    refuse_losing(targets, files_read([*corpus, test, *files_in(changes)], options))
    sources = [open_corpus(each, labelled=True, **options) for each in corpus]
    for source in sources:
        reading.report_skipped(source.skipped)
    texts = merged_corpora(sources)
    texts.require_classes()
    other = open_corpus(test, labelled=True, **options) if test is not None else None
    if other is not None:
        reading.report_skipped(other.skipped)
    measurer = Measurer(texts, other, holdout, cv, settings, n_jobs)

    stream = report_stream(model)
    screen = Screen(stream)
    if not json:
        training_view.show_beginning(screen, texts, recipe, settings)
    kept: dict[str, Any] = (
        {"checkpoint": checkpoint, "every": every, "resume": resume} if checkpoint is not None else {}
    )
    began = time.perf_counter()
    in_texts = settings.learner.multiclass == "native" or len(set(texts.train.labels)) == 2
    with (
        hint_at_resuming("what was learnt so far", checkpoint),
        watching(screen, "learning", in_texts=in_texts) as note,
    ):
        learnt = TextModel.train(
            texts.train.texts, texts.train.labels, settings, n_jobs=n_jobs, callback=note, **kept,
        )  # fmt: skip
    seconds = time.perf_counter() - began
    # Kept before anything else can go wrong.
    shrunk = shrink(learnt, pruning, half, texts, other)
    size = save_model(shrunk.model if shrunk else learnt, model) if model is not None else None
    if not json:
        training_view.show_history(screen, learnt)
    measured = measurer.measure(learnt)
    result = training_view.Result(texts, recipe, learnt, measured, shrunk, seconds, model, size)
    if json:
        print_json(result.as_dict(), stream)
        return
    training_view.show_result(screen, result)
