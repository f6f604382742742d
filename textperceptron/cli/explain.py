"""``textperceptron explain``: the contribution of each term to the score of a text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from textperceptron._format import shown_term
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import VERB, flag, verb_with
from textperceptron.cli.console import Console, Span, align_columns, plural, print_message
from textperceptron.cli.escaping import label_text, listed_label
from textperceptron.cli.output import open_results, print_json
from textperceptron.cli.output_paths import check_no_overwrite, check_writable

if TYPE_CHECKING:
    from textperceptron.corpus import Location
    from textperceptron.model.explanation import Explanation

app = typer.Typer(**VERB)

_ON_A_PAGE = 500  # texts


# The options of a short --help.
COMMON = (
    "file", "row", "top", "json", "html", "text_column", "format",
)  # fmt: skip


@app.command(cls=verb_with(*COMMON))
def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)],
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text, or - for standard input.", show_default=False)
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Explain the documents of a file or folder instead.", show_default="none"),
    ] = None,
    row: Annotated[
        int | None, typer.Option(metavar="N", help="Explain only the Nth document.", show_default="all")
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="Terms to show, largest contribution first; 0 for all.")] = 20,
    json: Annotated[bool, flag("--json", help="Print JSON, with all terms and their places.")] = False,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page with the tinted text instead.", show_default="none"),
    ] = None,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:
    """Show the contribution of each term to the score of a text, and the nearest change of the label.

    Terms are words, n-grams and conjunctions; parts of a word (prefixes, n-grams of characters) are added to the word.
    Documents of a file are read as by predict.
    """
    with deferred_interrupts():
        from textperceptron.cli.model_io import open_model

    if top < 0:
        raise ValueError(f"--top {top}: use a number of terms, or 0 for all.")
    if row is not None and row < 1:
        raise ValueError(f"--row {row}: documents are counted from 1.")
    if (text is None) == (file is None):
        raise ValueError("give a text to explain, or --file FILE with documents.")
    if html is not None and json:
        raise ValueError("--json and --html are two formats: choose one.")
    check_writable({"--html": html})
    check_no_overwrite({"--html": html}, [each for each in (model, file) if each is not None])
    opened = open_model(model)
    options = corpus_options.options_for_texts(
        corpus_options.read_options(format, text_column, None, header, delimiter, encoding, errors, skip_bad, sheet),
        opened,
    )
    source: str | BinaryIO | None = file
    if text == "-":
        found = corpus_options.read_standard_input(options)
        text, source = (found, None) if isinstance(found, str) else (None, found)
    elif text is not None and os.path.isfile(text):
        print_message(f"{text} is a file, but its name is explained. Use --file {text} for its documents.")
    documents = iter([(text, None)]) if source is None else _documents(source, options, row)
    explained = ((opened.explain(each), place) for each, place in documents if each is not None)
    if html is not None:
        _write_page(html, explained, top)
        return
    for n, (explanation, place) in enumerate(explained):
        if json:
            print_json(
                {**({} if place is None else {"file": place.file, place.unit: place.line}), **explanation.as_dict()}
            )
            continue
        console = Console()
        if place is not None:
            console.lines([[]] if n else [])
            console.line((str(place), "bold"))
        _print(console, explanation, top)


def _documents(
    source: str | BinaryIO, options: Mapping[str, Any], row: int | None
) -> Iterator[tuple[str, Location | None]]:
    """Yield the documents of a file, or only one, with their places."""
    with deferred_interrupts():
        from textperceptron.corpus import CorpusError, Location, iter_corpus
        from textperceptron.corpus.sources import source_name

    batches = iter_corpus(source, **options)
    n_seen = n_reported = 0
    for batch in batches:
        n_reported = corpus_options.report_reading(batches.files, n_reported)
        for text, place in zip(batch.texts, batch.locations, strict=True):
            n_seen += 1
            if row in (None, n_seen):
                yield text, place
            if row == n_seen:
                return
    corpus_options.report_skipped(batches.skipped)
    if row is not None:
        raise CorpusError(
            f"there is no document {row}, only {plural(n_seen, 'document')}",
            Location(source_name(source)),
            "Use a smaller --row.",
        )


def _write_page(path: str, explained: Iterator[tuple[Explanation, Location | None]], top: int) -> None:
    with deferred_interrupts():
        from textperceptron.model.explanation_html import page

    found = list(islice(explained, _ON_A_PAGE))
    titles = [str(place) for _, place in found if place is not None]
    with open_results(path) as stream:
        stream.write(page([each for each, _ in found], top, titles))
    if next(explained, None) is not None:
        print_message(f"{path} has the first {_ON_A_PAGE} documents. Use --row N for another one.")


def _print(console: Console, found: Explanation, top: int) -> None:
    if isinstance(found.label, tuple):
        console.lines(_label_lines(found))
    else:
        console.line((label_text(found.label), "bold"), _score(found))
    console.line()
    console.lines(_split_lines(_coloured(found)))
    if console.has_colours:
        label = listed_label(found.for_class)
        console.line((f"for {label}", "green"), " · ", (f"against {label}", "red"), (" · bold: strongly", "dim"))
    console.line()
    if found.flip is not None:
        words = " and ".join(f'"{shown_term(word)}"' for word in found.flip.removed)
        console.line(f"without {words} it would be {_labels_text(found.flip.label)}")
        console.line()
    heads, rows = found.table(top)
    n_shown = len(heads) - (found.runner_up is not None)  # without the difference
    n_terms = len(found.merged_terms[: top or None])
    lines: list[list[Span]] = [[("term", "bold"), *((head, "bold") for head in heads)]]
    for k, (name, values) in enumerate(rows):
        style = "" if k < n_terms else "bold" if k == len(rows) - 1 else "dim"
        lines.append([(name, style), *map(_signed, values)])
    console.lines(align_columns(lines))
    if not found.is_binary and (n_hidden := len(found.classes) - n_shown) > 0:
        console.line((f"classes not shown: {n_hidden}, with lower scores; --json prints all", "dim"))


def _score(found: Explanation) -> str:
    if found.is_binary:
        return f"  score {found.margin + 0.0:+.4g}"
    score = found.scores[found.classes.index(found.for_class)]
    return f"  score {score + 0.0:+.4g}  ({found.margin + 0.0:+.4g} over {label_text(found.runner_up)})"


def _label_lines(found: Explanation) -> list[list[Span]]:
    """Return the labels of a text that may have several, highest score first."""
    assert isinstance(found.label, tuple)
    own = sorted(map(found.classes.index, found.label), key=lambda k: -found.scores[k])
    if not own:
        return [[("no label", "bold"), ": no score is above 0"]]
    return [[(label_text(found.classes[k]), "bold"), f"  score {found.scores[k]:+.4g}"] for k in own]


def _labels_text(label: Any) -> str:
    return (", ".join(map(listed_label, label)) or "without a label") if isinstance(label, tuple) else label_text(label)


def _signed(value: float) -> Span:
    """Return a number with its sign, green if positive and red if negative."""
    value = round(value, 4) + 0.0  # without -0.0
    return f"{value:+.4f}", "green" if value > 0 else "red" if value < 0 else "dim"


def _split_lines(spans: Sequence[Span]) -> list[list[Span]]:
    """Split the spans of a text into lines."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        text, style = span if isinstance(span, tuple) else (span, "")
        first, *others = text.split("\n")
        lines[-1].append((first, style))
        lines += [[(other, style)] for other in others]
    return lines


def _coloured(found: Explanation) -> list[Span]:
    """Colour each word by its contribution; bold above half of the largest."""
    text, at = found.text.rstrip(), 0
    largest = max((abs(word.contribution) for word in found.words), default=0.0)
    spans: list[Span] = []
    for word in found.words:
        if word.contribution:
            strong = "bold " if abs(word.contribution) > largest / 2 else ""
            colour = "green" if word.contribution > 0 else "red"
            spans += [text[at : word.start], (text[word.start : word.end], strong + colour)]
            at = word.end
    return [*spans, text[at:]]
