"""``textperceptron evaluate``: how good a model is on a corpus, or which of two is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from textperceptron.cli import reading
from textperceptron.cli.verb import ALL_PROCESSORS, VERB, Threads, flag

if TYPE_CHECKING:
    from textperceptron.corpus import Documents
    from textperceptron.model import TextModel

app = typer.Typer(**VERB)


@app.command()
def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="Texts with labels: a path, a pattern, - for standard input, or the name of a corpus.",
            show_default=False,
        ),
    ],
    part: Annotated[
        Literal["test", "train", "all"] | None,
        typer.Option(help="Which part of the corpus.", show_default="test if it has one, else all"),
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Another model, to be compared with.", show_default="none")
    ] = None,
    json: Annotated[bool, flag("--json", help="Print JSON.")] = False,
    n_jobs: Threads = ALL_PROCESSORS,
    format: reading.Format = None,  # noqa: A002
    text_column: reading.TextColumn = None,
    label_column: reading.LabelColumn = None,
    header: reading.Header = None,
    delimiter: reading.Delimiter = None,
    encoding: reading.Encoding = "utf-8",
    errors: reading.Errors = "strict",
    skip_bad: reading.SkipBad = False,
) -> None:
    """Measure a model: accuracy, precision, recall, F1, confusions; or compare two."""
    from textperceptron.cli import evaluation_view
    from textperceptron.cli.models import open_model
    from textperceptron.cli.output import print_json
    from textperceptron.cli.parts import chosen_part
    from textperceptron.cli.screen import Screen
    from textperceptron.corpus import open_corpus
    from textperceptron.report import compare as compared
    from textperceptron.report import evaluate as evaluated

    models = [open_model(path) for path in (model, compare) if path is not None]
    options = reading.reading_options(format, text_column, label_column, header, delimiter, encoding, errors, skip_bad)
    source = open_corpus(corpus, labelled=True, **options)
    reading.report_skipped(source.skipped)
    documents, measured_on = chosen_part(source, part)
    predicted = [_predictions(each, documents, source.name, n_jobs) for each in models]
    found = [evaluated(documents.labels, labels) for labels in predicted]
    comparison = compared(documents.labels, *predicted) if compare is not None else None
    paths = [path for path in (model, compare) if path is not None]
    if json:
        print_json(evaluation_view.as_dict(paths, source.name, measured_on, found, comparison))
        return
    evaluation_view.show(Screen(), paths, source.name, measured_on, found, comparison)


def _predictions(model: TextModel, documents: Documents, name: str, n_jobs: int) -> list[str]:
    """Return what a model says, spelt as the corpus spells labels; a corpus of other labels is a mistake."""
    from textperceptron.cli.known_labels import check_labels
    from textperceptron.cli.labels import label_text

    check_labels(name, documents.labels, map(label_text, model.classes))
    return [label_text(label) for label in model.predict(documents.texts, n_jobs)]
