"""``textperceptron explain``: the contribution of each term to the score of a text."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import VERB, flag, verb_with
from textperceptron.cli.console import Console, Span, align_columns, print_message
from textperceptron.cli.escaping import label_text, listed_label
from textperceptron.cli.output import print_json

if TYPE_CHECKING:
    from textperceptron.model import TextModel
    from textperceptron.model.explain import Explanation

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = (
    "file", "row", "top", "json", "text_column", "format",
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
    json: Annotated[bool, flag("--json", help="Print JSON, with all terms.")] = False,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:
    """Show the contribution of each term to the score of a text.

    Terms are words, n-grams, prefixes and conjunctions. Documents of a file are read as by predict.
    """
    with deferred_interrupts():
        from textperceptron.cli.model_io import open_model

    if top < 0:
        raise ValueError(f"--top {top}: use a number of terms, or 0 for all.")
    if row is not None and row < 1:
        raise ValueError(f"--row {row}: documents are counted from 1.")
    if (text is None) == (file is None):
        raise ValueError("give a text to explain, or --file FILE with documents.")
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
    if source is None:
        assert text is not None
        _show(opened, text, top, json)
    else:
        _explain_documents(opened, source, options, row, top, json)


def _show(model: TextModel, text: str, top: int, as_json: bool, place: Mapping[str, Any] | None = None) -> None:
    explanation = model.explain(text)
    if as_json:
        print_json({**(place or {}), **asdict(explanation)})
    else:
        _print(Console(), explanation, model.classes, text, top)


def _explain_documents(
    model: TextModel, source: str | BinaryIO, options: Mapping[str, Any], row: int | None, top: int, as_json: bool
) -> None:
    """Explain the documents of a file, each below its place."""
    with deferred_interrupts():
        from textperceptron.corpus import CorpusError, Location, iter_corpus
        from textperceptron.corpus.sources import source_name

    batches = iter_corpus(source, **options)
    n_seen = n_reported = 0
    for batch in batches:
        n_reported = corpus_options.report_reading(batches.files, n_reported)
        for text, place in zip(batch.texts, batch.locations, strict=True):
            n_seen += 1
            if row not in (None, n_seen):
                continue
            if not as_json:
                Console().lines([[]] if n_seen > 1 and row is None else [])
                Console().line((str(place), "bold"))
            _show(model, text, top, as_json, {"file": place.file, place.unit: place.line})
            if row is not None:
                return
    corpus_options.report_skipped(batches.skipped)
    if row is not None:
        raise CorpusError(
            f"there is no document {row}, only {n_seen:,}", Location(source_name(source)), "Use a smaller --row."
        )


MAX_CLASSES = 4  # columns that fit on a line


def _print(console: Console, found: Explanation, classes: Sequence[Any], text: str, top: int) -> None:
    shown = _shown_classes(found)
    is_binary = len(found.classes) == 1
    sign = -1 if is_binary and found.label == classes[0] else 1
    main = shown[0]
    if isinstance(found.label, tuple):
        console.lines(_label_lines(found))
    else:
        console.line((label_text(found.label), "bold"), f"  score {sign * found.scores[main] + 0.0:+.4g}")
    console.line()
    contributions = {term.name: sign * term.contributions[main] for term in found.terms}
    console.lines(_split_lines(_coloured(text.rstrip(), contributions)))
    if console.has_colours:
        label = listed_label(found.classes[main] if isinstance(found.label, tuple) else found.label)
        console.line((f"for {label}", "green"), " · ", (f"against {label}", "red"), (" · bold: strongly", "dim"))
    console.line()
    terms = found.terms[: top or None]
    # With two classes, the sign is that of the predicted one.
    labels = [found.label] if is_binary else [found.classes[k] for k in shown]
    heads: list[Span] = [("for " + label_text(label), "bold") for label in labels]
    rows: list[list[Span]] = [[("term", "bold"), *heads]]
    rows += [[term.name, *(_signed(sign * term.contributions[k]) for k in shown)] for term in terms]
    if rest := found.terms[len(terms) :]:
        sums = (sum(term.contributions[k] for term in rest) for k in shown)
        rows.append([(f"{len(rest)} more", "dim"), *(_signed(sign * total) for total in sums)])
    rows.append([("intercept", "dim"), *(_signed(sign * found.intercepts[k]) for k in shown)])
    rows.append([("score", "bold"), *(_signed(sign * found.scores[k]) for k in shown)])
    console.lines(align_columns(rows))
    if (n_hidden := len(found.classes) - len(shown)) > 0:
        console.line((f"classes not shown: {n_hidden}, with lower scores; --json prints all", "dim"))


def _label_lines(found: Explanation) -> list[list[Span]]:
    """Return the labels of a text that may have several, highest score first."""
    assert isinstance(found.label, tuple)
    own = sorted(map(found.classes.index, found.label), key=lambda k: -found.scores[k])
    if not own:
        return [[("no label", "bold"), ": no score is above 0"]]
    return [[(label_text(found.classes[k]), "bold"), f"  score {found.scores[k]:+.4g}"] for k in own]


def _shown_classes(found: Explanation) -> list[int]:
    """Return the indices of the classes to show: the predicted one first, then those with the next best scores."""
    if isinstance(found.label, tuple):
        return sorted(range(len(found.classes)), key=lambda k: -found.scores[k])[:MAX_CLASSES]
    if found.label not in found.classes:
        return [0]  # of two classes, only one has scores
    label = found.classes.index(found.label)
    others = sorted((k for k in range(len(found.classes)) if k != label), key=lambda k: -found.scores[k])
    return [label, *others][:MAX_CLASSES]


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


def _coloured(text: str, contributions: dict[str, float]) -> list[Span]:
    """Colour each word by the contributions of the word and of its parts; bold above half of the largest.

    A word that occurs both negated and not has the colour of the sum.
    """
    largest = max(map(abs, contributions.values()), default=0.0)
    sizes = {len(name) - 1 for name in contributions if re.fullmatch(r"\w+\*", name)}
    parts = {name.removeprefix("~"): value for name, value in contributions.items() if re.match(r"[\^~]\w", name)}
    spans: list[Span] = []
    for word, gap in re.findall(r"(\w+)|(\W+)", text):
        known = word if word in contributions or f"NOT_{word}" in contributions else word.lower()
        terms = [known, f"NOT_{known}", *(f"{known[:size]}*" for size in sizes if len(known) > size)] if word else []
        total = sum(contributions.get(term, 0.0) for term in terms)
        total += sum(value for part, value in parts.items() if part in f"^{known}$") if word else 0
        if total == 0:
            spans.append((word or gap, "dim") if word else gap)
        else:
            strong = "bold " if abs(total) > largest / 2 else ""
            spans.append((word, strong + ("green" if total > 0 else "red")))
    return spans
