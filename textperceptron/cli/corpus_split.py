"""Read corpora to train on, and select the split to evaluate on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.console import Span, print_message, wrapped
from textperceptron.cli.corpus_options import report_reading, report_skipped
from textperceptron.cli.escaping import label_text
from textperceptron.cli.label_sets import suggest_separator
from textperceptron.corpus import Corpus, CorpusError, Documents, FileReading, Location, iter_corpus, open_corpus
from textperceptron.corpus.documents import as_sets
from textperceptron.corpus.read import columns_of
from textperceptron.model import TextModel
from textperceptron.settings import Settings
from textperceptron.settings.corpus_columns import name_columns
from textperceptron.settings.learner import label_set_sizes

_MAX_MERGED = 10  # labels in a suggestion


def read_labelled(source: str, options: Mapping[str, Any], callback: Callable[[int], object] | None = None) -> Corpus:
    """Read a corpus with labels, and report skipped rows."""
    corpus = open_corpus(source, labelled=True, callback=callback, **options)
    report_skipped(corpus.skipped)
    return corpus


def read_texts(source: str, options: Mapping[str, Any]) -> tuple[list[str], list[Location]]:
    """Read the documents of a file or folder as ``predict`` does, and their places; report skipped rows."""
    batches = iter_corpus(source, **options)
    texts: list[str] = []
    places: list[Location] = []
    n_reported = 0
    for batch in batches:
        n_reported = report_reading(batches.files, n_reported)
        texts += batch.texts
        places += batch.locations
    report_skipped(batches.skipped)
    return texts, places


def read_any_texts(source: str, options: Mapping[str, Any], model: TextModel | None = None) -> list[str]:
    """Read all texts of a corpus, with labels or without, where a model would find them; report skipped rows."""
    known: dict[str, Any] = {}
    if model is not None:
        known = {"columns": model.corpus_columns, "known_labels": frozenset(map(label_text, model.classes))}
    corpus = open_corpus(source, **options, **known)
    report_reading(corpus.files)
    report_skipped(corpus.skipped)
    return select_split(corpus, "all")[0].texts


def read_training_corpus(
    sources: Sequence[str],
    options: Mapping[str, Any],
    callback: Callable[[int], object] | None = None,
    *,
    is_update: bool = False,
) -> Corpus:
    """Read several corpora as one, with the test splits of those that have one.

    For an update, one class is enough.

    Raises
    ------
    CorpusError
        If a corpus cannot be read, there are fewer than two classes, or a label to merge does not exist.
    """
    corpora = [read_labelled(source, options, callback) for source in sources]
    corpus = corpora[0]
    if len(corpora) > 1:
        tests = [each.test for each in corpora if each.test is not None]
        name = ", ".join(each.name for each in corpora)
        files = tuple(file for each in corpora for file in each.files)
        corpus = Corpus(
            name, _concatenate([each.train for each in corpora]), _concatenate(tests) if tests else None,
            columns=columns_of(
                files, options["merge_labels"], options["label_separator"], options.get("weight_column")
            ),
            files=files,
        )  # fmt: skip
    if options["merge_labels"] is not None:
        options["merge_labels"].check(corpus.name)
    warn_of_other_columns(corpus.files)
    suggest_separator(corpus.name, corpus.train)
    _warn_of_spellings(corpus.name, corpus.train)
    if not is_update:
        corpus.require_classes()
    return corpus


def warn_of_other_columns(files: Iterable[FileReading]) -> None:
    """Print to standard error which other columns could be the text or the label."""
    for file in files:
        choice = file.choice
        if choice is None:
            continue
        for role, others, chosen in (
            ("text", choice.other_texts, choice.text),
            ("label", choice.other_labels, () if choice.label is None else (choice.label,)),
        ):
            if others:
                print_message(
                    f"{file.file}: the {role} is {name_columns(chosen)}; {name_columns(others)} would fit as well. "
                    f"Use --{role}-column to choose{' one or several' if role == 'text' else ''}."
                )


def _warn_of_spellings(name: str, documents: Documents) -> None:
    """Print to standard error which labels differ only in case or spaces, and the option that merges them."""
    spellings: dict[str, list[str]] = {}
    for label, _ in documents.count_labels().most_common():
        spellings.setdefault(" ".join(label.casefold().split()), []).append(label)
    pairs = [(other, common) for common, *others in spellings.values() for other in others]
    if pairs:
        with deferred_interrupts():
            import shlex

            from textperceptron.corpus.merge_labels import format_merge

        shown = " and ".join(map(repr, pairs[0]))
        print_message(
            f"{name}: labels such as {shown} differ only in case or spaces. They are one class with "
            f"--merge-labels {shlex.quote(format_merge(pairs[:_MAX_MERGED]))}."
        )


def column_lines(corpus: Corpus) -> list[list[Span]]:
    """Return a line with the columns that texts and labels come from, and with merged labels; none without columns."""
    if corpus.columns is None:
        return []
    sheets = {file.choice.sheet for file in corpus.files if file.choice is not None and file.choice.sheet is not None}
    sheet = f" of sheet {sheets.pop()!r}" if len(sheets) == 1 else ""
    return [*wrapped([f"columns{sheet}: " if corpus.columns.text else ""], corpus.columns.describe())]


def select_split(corpus: Corpus, split: str | None = None) -> tuple[Documents, str]:
    """Return the documents of a split and its name in messages; by default the test split, or else all documents.

    Raises
    ------
    CorpusError
        If the corpus has no such split.
    """
    if split == "test" and corpus.test is None:
        raise CorpusError("the corpus has no test split", Location(corpus.name), "Omit --part to use all texts.")
    if split == "all" or (split is None and corpus.test is None):
        return _concatenate([corpus.train, *([corpus.test] if corpus.test else [])]), "all texts"
    if split == "train" or corpus.test is None:
        return corpus.train, "training split"
    return corpus.test, "test split"


def _concatenate(documents: Sequence[Documents]) -> Documents:
    if len(documents) == 1:
        return documents[0]
    texts = [text for each in documents for text in each.texts]
    labels = [label for each in documents for label in each.labels]
    has_weights = any(each.weights for each in documents)
    weights = [weight for each in documents for weight in each.weights or [1.0] * len(each)] if has_weights else []
    return Documents(texts, as_sets(labels) if any(each.multilabel for each in documents) else labels, weights)


def class_sizes(documents: Documents) -> list[int]:
    """Return the texts per class to resolve ``"auto"`` by."""
    counts = documents.count_labels()
    return label_set_sizes(len(counts)) if documents.multilabel else [n for _, n in sorted(counts.items())]


def for_labels(settings: Settings, documents: Documents) -> Settings:
    """Return the settings with the defaults for several labels per text, if a text may have several."""
    return replace(settings, learner=settings.learner.for_label_sets()) if documents.multilabel else settings
