"""``textperceptron evaluate``: evaluate a model on a corpus, or compare two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, Span, format_bytes, plural
from textperceptron.cli.escaping import label_text
from textperceptron.cli.output import print_json
from textperceptron.cli.plots import PlotFile, plot_kind
from textperceptron.settings import CorpusColumns

if TYPE_CHECKING:
    from textperceptron.corpus import Corpus, Documents
    from textperceptron.model import TextModel
    from textperceptron.report import Comparison, Evaluation, Proportion

app = typer.Typer(**VERB)

PlotKind = Literal["confusion", "margins", "precision-recall", "threshold", "reliability"]

# The options of a short --help.
COMMON = (
    "part", "compare", "top", "show_all", "report", "plot", "plot_kind", "json", "text_column", "label_column",
    "merge_labels", "format", "n_jobs",
)  # fmt: skip


@app.command(cls=verb_with(*COMMON))
def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="Labelled texts: a path, a glob pattern, - for standard input, or a name from corpora list.",
            show_default=False,
        ),
    ],
    part: Annotated[
        Literal["test", "train", "all"] | None,
        typer.Option(help="Split to evaluate on.", show_default="test if there is one, else all"),
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Another model to compare with.", show_default="none")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N", show_default="none",
            help="Also print how often the true label is among the N labels with the highest scores.",
        ),
    ] = None,
    show_all: Annotated[
        bool, flag("--all", help="Print every class and the whole confusion matrix, however many classes there are.")
    ] = False,
    plot: PlotFile = None,
    plot_kind: Annotated[PlotKind | None, plot_kind(*get_args(PlotKind))] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            show_default="none",
            help="Write a page (HTML) about the model on these texts: it works offline and classifies while one types.",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print JSON.")] = False,
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
) -> None:  # fmt: skip
    """Evaluate a model on a corpus, or compare two models.

    Prints accuracy, precision, recall, F1 and the confusion matrix, or the most confused classes of many; for two
    models, McNemar's test as well. --plot draws the confusion matrix, or what --plot-kind names.
    """
    with deferred_interrupts():
        from textperceptron.cli.corpus_split import read_labelled, select_split
        from textperceptron.cli.evaluation import check_labels, evaluate_label_model, report_training_texts
        from textperceptron.cli.label_sets import print_evaluation
        from textperceptron.cli.model_io import open_model
        from textperceptron.cli.output_paths import check_no_overwrite, source_files
        from textperceptron.cli.plots import check_evaluation_plot, check_plot, evaluation_plot, write_plot
        from textperceptron.cli.progress import reading_progress
        from textperceptron.report import compare as compare_predictions
        from textperceptron.report import evaluate as evaluate_predictions

    check_plot(plot, plot_kind)
    if top is not None and top < 1:
        raise ValueError(f"--top {top}: use 1 or more.")
    if report is not None:
        with deferred_interrupts():
            from textperceptron.cli.output_paths import check_writable
            from textperceptron.cli.page import check_report_path, write_evaluation_page

        check_report_path(report)
        check_writable({"--report": report})
    paths = [model] if compare is None else [model, compare]
    if plot is not None and compare is not None:
        raise ValueError("--plot draws one model, not a comparison. Leave out --compare.")
    models = [open_model(path) for path in paths]
    options = corpus_options.read_options(
        format, text_column, label_column, header, delimiter, encoding, errors, skip_bad, sheet, merge_labels,
        label_separator,
    )  # fmt: skip
    if plot is not None:
        check_evaluation_plot(plot_kind, models[0], model)
    check_no_overwrite({"--plot": plot, "--report": report}, [*paths, *source_files([corpus], options)])
    columns = _remembered_columns(paths, models, options)
    console = Console()
    with reading_progress(console) as on_read:
        source = read_labelled(corpus, {**options, "columns": columns}, on_read)
    if options["merge_labels"] is not None:
        options["merge_labels"].check(source.name)
    documents, measured_on = select_split(source, part)
    for path, each in zip(paths, models, strict=True):
        check_labels(source.name, documents, map(label_text, each.classes), multilabel=each.multilabel)
        report_training_texts(path, each, documents)
    if any(each.multilabel for each in models):
        for option, value in (("--compare", compare), ("--plot", plot), ("--report", report), ("--top", top)):
            if value is not None:
                raise ValueError(f"{option} is for models of one label per text. Leave it out.")
        found = evaluate_label_model(models[0], documents, n_jobs)
        where = {"model": model, "corpus": source.name, "measured_on": measured_on}
        if json:
            print_json({**where, "corpus_columns": _columns_as_json(source), **found.as_dict()})
        else:
            _print_heading(console, model, source, measured_on, len(documents))
            print_evaluation(console, found)
        return
    predictions: list[list[str]] = []
    tops: list[Proportion] = []
    for each in models:
        predictions.append([label_text(label) for label in each.predict(documents.texts, n_jobs)])
        if top is not None:
            tops.append(_top_accuracy(each, documents, top, n_jobs))
    evaluations = [evaluate_predictions(documents.labels, labels) for labels in predictions]
    comparison = compare_predictions(documents.labels, *predictions) if compare is not None else None
    size = 0
    if report is not None:
        size = write_evaluation_page(report, models[0], model, source.name, documents, measured_on, n_jobs)
    if json:
        figures = _as_dict(paths, source, measured_on, evaluations, comparison, top, tops)
        print_json(figures if report is None else {**figures, "report": report})
    else:
        _print(console, paths, source, measured_on, evaluations, comparison, top, tops, show_all=show_all)
        if report is not None:
            console.line()
            console.line(f"page: {report}, {format_bytes(size)}")
    if plot is not None:
        splits = [(measured_on, documents)]
        if part is None and source.test is not None:
            splits.append(("training split", source.train))
        write_plot(
            plot, lambda: evaluation_plot(plot_kind, models[0], evaluations[0], splits, n_jobs),
            None if json else console,
        )  # fmt: skip


def _top_accuracy(model: TextModel, documents: Documents, top: int, n_jobs: int) -> Proportion:
    """Return how often the true label is among the labels with the highest scores."""
    with deferred_interrupts():
        from textperceptron.model.label_ranks import label_ranks
        from textperceptron.report import Proportion

    classes = {label_text(label): label for label in model.classes}
    ranks = label_ranks(model, documents.texts, [classes.get(label) for label in documents.labels], n_jobs)
    return Proportion(int((ranks <= top).sum()), len(documents))


def _remembered_columns(
    paths: Sequence[str], models: Sequence[TextModel], options: Mapping[str, Any]
) -> CorpusColumns | None:
    """Return the columns that the models were trained on.

    Raises
    ------
    ValueError
        If two models were trained on different columns of text, and no option chooses.
    """
    found = [model.corpus_columns for model in models]
    texts = {columns.text for columns in found if columns is not None and columns.text}
    if len(texts) > 1 and options["text_column"] is None:
        first, second = (columns.describe() for columns in found if columns is not None)
        raise ValueError(
            f"the models were trained on different columns: {paths[0]} on {first}; {paths[1]} on {second}. "
            "Name the column to read: --text-column."
        )
    return next((columns for columns in found if columns is not None), None)


def _columns_as_json(corpus: Corpus) -> dict[str, Any] | None:
    return None if corpus.columns is None else corpus.columns.as_json()


def _as_dict(
    paths: Sequence[str], corpus: Corpus, measured_on: str, evaluations: Sequence[Evaluation],
    comparison: Comparison | None, top: int | None, tops: Sequence[Proportion],
) -> dict[str, Any]:  # fmt: skip
    """Return the evaluation as JSON; that of a second model is in ``compared``."""
    columns = _columns_as_json(corpus)
    figures = [evaluation.as_dict() for evaluation in evaluations]
    for each, accuracy in zip(figures, tops, strict=False):
        each["top"] = {"labels": top, "accuracy": accuracy.as_dict()}
    found = {
        "model": paths[0], "corpus": corpus.name, "corpus_columns": columns, "measured_on": measured_on, **figures[0]
    }  # fmt: skip
    if comparison is not None:
        found["compared"] = {"model": paths[1], **figures[1]}
        found["mcnemar"] = comparison.as_dict()
    return found


def _print_heading(console: Console, path: str, corpus: Corpus, measured_on: str, n_texts: int) -> None:
    from textperceptron.cli.corpus_split import column_lines

    console.line((path, "bold"), f" on {corpus.name}, {measured_on}: {plural(n_texts, 'text')}")
    console.lines(column_lines(corpus))


def _print(
    console: Console, paths: Sequence[str], corpus: Corpus, measured_on: str, evaluations: Sequence[Evaluation],
    comparison: Comparison | None, top: int | None, tops: Sequence[Proportion], *, show_all: bool,
) -> None:  # fmt: skip
    with deferred_interrupts():
        from textperceptron.cli.evaluation import accuracy_lines, uneven_lines
        from textperceptron.cli.evaluation_tables import class_lines, confusion_lines

    for number, (path, evaluation) in enumerate(zip(paths, evaluations, strict=True)):
        _print_heading(console, path, corpus, measured_on, evaluation.accuracy.n)
        console.lines(accuracy_lines("accuracy", evaluation.accuracy))
        console.lines(uneven_lines(evaluation, indent=len("accuracy  ")))
        if top is not None:
            console.lines(accuracy_lines(f"{f'top {top}':8}", tops[number]))
        console.line()
        console.lines(class_lines(evaluation, show_all=show_all))
        console.line()
        console.lines(confusion_lines(evaluation, show_all=show_all))
        if comparison is not None:
            console.line()
    if comparison is not None:
        console.lines(_comparison_lines(paths, comparison))


def _comparison_lines(paths: Sequence[str], found: Comparison) -> list[list[Span]]:
    """Return the result of McNemar's test in two lines."""
    first, second = paths
    clear = found.p_value < 0.05
    better = first if found.first_only > found.second_only else second
    verdict = f"{better} is better" if clear else "the difference may be due to chance"
    return [
        [f"only {first} is correct on {plural(found.first_only, 'text')}, only {second} on {found.second_only}"],
        [f"McNemar's test: p = {found.p_value:.3g} ({found.method}), ", (verdict, "bold")],
    ]
