"""``textperceptron audit``: find labels that may be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli import corpus_options
from textperceptron.cli.common import ALL_PROCESSORS, VERB, Threads, flag, verb_with
from textperceptron.cli.console import Console, Span, plural, shortened, wrapped
from textperceptron.cli.escaping import escaped_field, label_text
from textperceptron.cli.output import open_results, print_json
from textperceptron.settings import DEFAULT_RECIPE, RecipeName

if TYPE_CHECKING:
    from textperceptron.report import Audit

app = typer.Typer(**VERB)

# The options of a short --help.
COMMON = (
    "count", "output", "json", "folds", "part", "recipe", "text_column", "label_column", "format", "n_jobs",
)  # fmt: skip

_CONFLICTS = 5  # groups that are printed
_CLASSES = 10


@app.command(cls=verb_with(*COMMON))
def audit(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="Labelled texts: a path, a glob pattern, - for standard input, or a name from corpora list.",
            show_default=False,
        ),
    ],
    count: Annotated[
        int, typer.Option(metavar="N", help="Texts to list, most suspicious first; 0 for all suspicious ones.")
    ] = 20,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default="none",
            help="Write the list to a file: TSV, or JSON if it ends in .json; - for standard output.",
        ),
    ] = None,
    json: Annotated[bool, flag("--json", help="Print JSON.")] = False,
    folds: Annotated[int, typer.Option(metavar="K", help="Models to train, each on the texts of the other folds.")] = 5,
    part: Annotated[
        Literal["test", "train", "all"], typer.Option(help="Split to audit; all texts if there is only one.")
    ] = "train",
    recipe: Annotated[RecipeName, typer.Option(help="Settings of the models.")] = DEFAULT_RECIPE,
    seed: Annotated[int, typer.Option(metavar="N", help="Random numbers of folds and training.")] = 0,
    n_jobs: Threads = ALL_PROCESSORS,
    format: corpus_options.Format = None,  # noqa: A002
    text_column: corpus_options.TextColumn = None,
    label_column: corpus_options.LabelColumn = None,
    header: corpus_options.Header = None,
    delimiter: corpus_options.Delimiter = None,
    sheet: corpus_options.Sheet = None,
    merge_labels: corpus_options.MergeLabels = None,
    encoding: corpus_options.Encoding = "utf-8",
    errors: corpus_options.Errors = "strict",
    skip_bad: corpus_options.SkipBad = False,
) -> None:  # fmt: skip
    """Find labels that may be wrong.

    Each text is classified by a model that has not learnt from it. Listed are the texts whose label it contradicts
    most, with the terms that speak against it; and nearly equal texts with different labels.
    """
    with deferred_interrupts():
        from textperceptron.cli.corpus_split import read_labelled, select_split
        from textperceptron.cli.output_paths import check_no_overwrite, check_writable, source_files
        from textperceptron.cli.progress import measuring_progress, reading_progress
        from textperceptron.report import audit_labels
        from textperceptron.settings import recipe as settings_of

    if count < 0:
        raise ValueError(f"--count {count}: use a number of texts, or 0 for all.")
    if json and output is not None:
        raise ValueError("--json prints to standard output: use --output FILE.json for a file.")
    check_writable({"--output": output})
    options = corpus_options.read_options(
        format, text_column, label_column, header, delimiter, encoding, errors, skip_bad, sheet, merge_labels
    )
    check_no_overwrite({"--output": output}, source_files([corpus], options))
    console = Console()
    with reading_progress(console) as reading:
        read = read_labelled(corpus, options, reading)
    documents = select_split(read, part)[0]
    if len(documents.count_labels()) < 2:
        read.require_classes()
    with measuring_progress(console) as measuring:
        found = audit_labels(
            documents.texts, documents.labels, settings_of(recipe).replace(seed=seed), count=count, folds=folds,
            n_jobs=n_jobs, callback=measuring,
        )  # fmt: skip
    if output is not None:
        _write(found, output)
    if json:
        print_json(found.as_dict())
    elif output != "-":
        console.lines(_lines(found, read.name, output))


def _write(found: Audit, path: str) -> None:
    with open_results(path) as stream:
        if path.lower().endswith(".json"):
            print_json(found.as_dict(), stream)
            return
        print("text", "margin", "label", "predicted", "against the label", "document", sep="\t", file=stream)
        for each in found.suspects:
            words = ", ".join(name for name, _ in each.words)
            row = (label_text(each.label), label_text(each.predicted), words, each.text)
            print(each.index + 1, f"{each.margin:.6g}", *map(escaped_field, row), sep="\t", file=stream)


def _lines(found: Audit, name: str, output: str | None) -> Iterator[list[Span]]:
    yield [f"{name}: {found.n_texts:,} texts · held-out models agree with {100 * found.accuracy:.1f} % of the labels"]
    most = sorted(found.wrong_of.items(), key=lambda each: -each[1])
    by_label = " · ".join(f"{label_text(label)} {n:,}" for label, n in most[:_CLASSES])
    more = f" · … {len(most):,} classes" if len(most) > _CLASSES else ""
    share = 100 * found.n_wrong / max(1, found.n_texts)
    yield from wrapped([f"estimated wrong labels: {found.n_wrong:,} ({share:.1f} %)  "], by_label + more, 2)
    if found.not_checked:
        yield [shortened(f"not checked, with a single text: {', '.join(map(label_text, found.not_checked))}", 80)]
    if found.suspects:
        yield []
        yield [("  text  margin  label → predicted", "bold")]
    for each in found.suspects:
        yield [
            f"{each.index + 1:6}  {each.margin:+6.2f}  ", (label_text(each.label), "bold"),
            f" → {label_text(each.predicted)}",
        ]  # fmt: skip
        yield [f"        {shortened(each.text, 72)}"]
        if each.words:
            yield [("        " + shortened(" · ".join(term for term, _ in each.words), 72), "dim")]
    if found.n_mistakes > len(found.suspects):
        yield [(f"further texts that are predicted otherwise: {found.n_mistakes - len(found.suspects):,}", "dim")]
    if found.conflicts:
        yield []
        yield [(f"nearly equal texts with different labels: {plural(len(found.conflicts), 'group')}", "bold")]
        for conflict in found.conflicts[:_CONFLICTS]:
            members = zip(conflict.indices, conflict.labels, strict=True)
            yield [shortened(", ".join(f"{k + 1} {label_text(label)}" for k, label in members), 80)]
            yield [f"        {shortened(conflict.text, 72)}"]
        if len(found.conflicts) > _CONFLICTS:
            yield [(f"further groups: {len(found.conflicts) - _CONFLICTS:,}; --json prints all", "dim")]
    if output is not None:
        yield []
        yield [f"saved in {output}"]
