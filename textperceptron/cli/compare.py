"""``textperceptron compare``: how two corpora differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, Span, align_columns, term_list, wrapped
from textperceptron.cli.escaping import label_text
from textperceptron.cli.output import print_json
from textperceptron.settings import DEFAULT_RECIPE, RecipeName

if TYPE_CHECKING:
    from textperceptron.report import Drift

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = ("model", "top", "json", "folds", "recipe", "text_column", "format", "n_jobs")

_CLASSES = 20  # whose shares are printed: those that change most
_CORPUS = "Texts, with labels or without: a path, - for standard input, or a name from corpora list."


@app.command(cls=verb_with(*COMMON))
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=_CORPUS, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same.", show_default=False)],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="FILE", show_default="none",
            help="Also compare what this model predicts, and how many of the words it knows.",
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="Terms to print on each side.")] = 10,
    json: Annotated[bool, flag("--json", help="Print JSON.")] = False,
    folds: Annotated[int, typer.Option(metavar="K", help="Folds to measure the classifier between A and B with.")] = 5,
    recipe: Annotated[RecipeName, typer.Option(help="Settings of the classifier between A and B.")] = DEFAULT_RECIPE,
    seed: Annotated[int, typer.Option(metavar="N", help="Random numbers of samples, folds and training.")] = 0,
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    label_column: corpus_options.LabelColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:  # fmt: skip
    """Compare two corpora: last month's texts and today's, or training texts and real ones.

    A classifier learns to tell A from B, on equally many texts of both. If it is right half of the time, they do not
    differ; else its terms show how.
    """
    with deferred_interrupts():
        from textperceptron.cli.corpus_split import read_any_texts
        from textperceptron.cli.model_io import open_model
        from textperceptron.cli.progress import measuring_progress
        from textperceptron.report import compare_corpora
        from textperceptron.settings import recipe as settings_of

    if top < 1:
        raise ValueError(f"--top {top}: use 1 or more.")
    if a == b == "-":
        raise ValueError("standard input cannot be both corpora. Name a file.")
    opened = None if model is None else open_model(model)
    options = corpus_options.read_options(
        format, text_column, label_column, header, delimiter, encoding, errors, skip_bad, sheet
    )
    first, second = (read_any_texts(each, options, opened) for each in (a, b))
    console = Console()
    with measuring_progress(console) as measuring:
        found = compare_corpora(
            first, second, opened, settings_of(recipe).replace(seed=seed), folds=folds, top=top, n_jobs=n_jobs,
            callback=measuring,
        )  # fmt: skip
    if json:
        print_json({"a": a, "b": b, **found.as_dict()})
    else:
        console.lines(_lines(found, a, b))


def _lines(found: Drift, a: str, b: str) -> Iterator[list[Span]]:
    yield [("A", "bold"), f"  {a}: {found.n_texts[0]:,} texts"]
    yield [("B", "bold"), f"  {b}: {found.n_texts[1]:,} texts"]
    yield []
    yield [f"a classifier between them: {found.accuracy}"]
    yield ["50 % would mean that they do not differ" if found.differs else "no difference was found: 50 % is chance"]
    for side, terms in (("A", found.terms_of_a), ("B", found.terms_of_b)) if found.differs else ():
        yield from wrapped([(side, "bold"), "  "], term_list(name for name, _ in terms), 3)
    if not found.views:
        return
    yield []
    rows: list[list[Span]] = [[("of the model", "bold"), ("A", "bold"), ("B", "bold"), ("change", "bold")]]
    first, second = found.views
    if first.unknown_rate is not None and second.unknown_rate is not None:
        rows.append(_share("unknown words", first.unknown_rate, second.unknown_rate))
    shares = sorted(first.shares, key=lambda label: -abs(second.shares[label] - first.shares[label]))
    for label in [each for each in first.shares if each in shares[:_CLASSES]]:
        rows.append(_share(f"predicted {label_text(label)}", first.shares[label], second.shares[label]))
    change = second.median_margin - first.median_margin
    rows.append(["median margin", f"{first.median_margin:.3f}", f"{second.median_margin:.3f}", f"{change:+.3f}"])
    yield from align_columns(rows)
    if len(shares) > _CLASSES:
        yield [(f"classes not shown: {len(shares) - _CLASSES}, with smaller changes; --json prints all", "dim")]
    if second.frequent_unknown:
        yield from wrapped([("unknown in B", "bold"), "  "], term_list(word for word, _ in second.frequent_unknown), 3)


def _share(name: str, first: float, second: float) -> list[Span]:
    return [name, f"{100 * first:.1f} %", f"{100 * second:.1f} %", f"{100 * (second - first):+.1f}"]
