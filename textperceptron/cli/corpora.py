"""``textperceptron corpora``: list, fetch and locate named corpora."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from textperceptron._format import escaped
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import VERB, Verb, complete_from, flag
from textperceptron.cli.console import Console, Span, align_columns, is_terminal
from textperceptron.cli.output import print_json, print_path

app = typer.Typer(**VERB, help="List the named corpora, fetch one, or print its path.")


def _names(incomplete: str) -> list[str]:
    from textperceptron.corpus import corpus_names, known_corpora

    return complete_from(*corpus_names(), *known_corpora())(incomplete)


Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A name from `corpora list`.", show_default=False, autocompletion=_names),
]


@app.command("list", cls=Verb)
def list_corpora(
    json: Annotated[bool, flag("--json", help="Print JSON, one line per corpus.")] = False,
) -> None:
    """List the named corpora."""
    with deferred_interrupts():
        from textperceptron.corpus import known_corpora
        from textperceptron.corpus.load import BUNDLED_CORPORA
        from textperceptron.corpus.registry import data_folders

    folders = data_folders()
    found = [(name, "included", summary) for name, summary in BUNDLED_CORPORA.items()]
    for corpus in known_corpora().values():
        there = any((folder / corpus.file).is_file() for folder in folders)
        found.append((corpus.name, "fetched" if there else "can be fetched", corpus.summary))
    if json:
        for name, state, summary in found:
            print_json({"name": name, "state": state, "summary": summary})
        return
    rows: list[list[Span]] = [[(name, "bold"), state, summary] for name, state, summary in found]
    Console().lines(align_columns(rows, left=3))


@app.command(cls=Verb)
def fetch(
    name: Name,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="A mirror to download from.", show_default="the publisher")
    ] = None,
) -> None:
    """Download a published corpus, verify it, and print its path."""
    with deferred_interrupts():
        from textperceptron.corpus import corpus_names, fetch_corpus

    if name in corpus_names():  # it comes with the package
        path(name)
        return
    with _progress(name) as progress:
        fetched = fetch_corpus(name, url=url, progress=progress)
    print_path(fetched)


@app.command(cls=Verb)
def path(name: Name) -> None:
    """Print the path of a corpus."""
    with deferred_interrupts():
        from textperceptron.corpus.load import find_corpus

    print_path(find_corpus(name))


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show the progress of a download, if standard error is a terminal; yield the callback for it."""
    if not is_terminal(sys.stderr):
        yield None
        return
    with deferred_interrupts():
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn(),
        console=RichConsole(stderr=True), transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task(escaped(name), total=None)
        yield lambda received, total: bar.update(task, completed=received, total=total)
