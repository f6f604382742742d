"""Assemble a page: sections, style, scripts and data in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from textperceptron import __version__
from textperceptron.export.javascript import classifier_source, to_json
from textperceptron.learn import Rows
from textperceptron.model import TextModel
from textperceptron.model.classes import plain_labels
from textperceptron.model.cross_validation import Predictions
from textperceptron.model.file.atomic_write import atomic_replace
from textperceptron.model.top_terms import argtop
from textperceptron.report.page import numbers, sections
from textperceptron.report.page.embedded import Embedded, embed, varints
from textperceptron.report.page.findings import Findings, find, label_name
from textperceptron.report.page.html import Markup, join, name_of, tag
from textperceptron.report.page.sentences import choose_sentences
from textperceptron.text.frames import documents_of

SCRIPTS = ("dom.js", "tint.js", "flip.js", "box.js", "scatter.js", "mistakes.js", "start.js")
TERMS_WITH_SENTENCES = 700
EXAMPLES = 4


def write_page(
    path: str | os.PathLike[str],
    model: TextModel,
    texts: Iterable[Any],
    labels: Iterable[Any] | None = None,
    *,
    training: tuple[Iterable[Any], Iterable[Any]] | None = None,
    predictions: Predictions | None = None,
    title: str = "A text classifier",
    measured_on: str = "these texts",
    command: str | None = None,
    size: int | None = None,
    max_terms: int | None = None,
    n_jobs: int | None = None,
) -> int:
    """Write a page about a model: one file of HTML that loads nothing, and classifies while one types.

    Parameters
    ----------
    path : str or path
    model : TextModel
    texts : iterable of str
        Texts that the model has not learnt from.
    labels : iterable of labels, optional
        Their true labels. Without them, the page has no accuracy, mistakes or margins.
    training : pair of texts and labels, optional
        The training texts, for their margins and the frequencies of terms.
    predictions : Predictions, optional
        What was predicted for ``texts`` by models that had not learnt from them, if this one has.
    title : str
        Heading of the page.
    measured_on : str
        What ``texts`` are, in a sentence.
    command : str, optional
        The command that repeats the measurement.
    size : int, optional
        Size of the model's file in bytes.
    max_terms : int, optional
        Terms that the page's own model keeps; by default about 2 MB of them, at most 100,000.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    int
        Size of the page in bytes.

    Raises
    ------
    ValueError
        If texts and labels do not match, or there are no texts.
    OSError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from textperceptron import TextModel, load_corpus
    >>> from textperceptron.report import write_page
    >>> reviews = load_corpus("reviews")
    >>> model = TextModel.train(reviews.train.texts, reviews.train.labels)
    >>> with TemporaryDirectory() as folder:
    ...     write_page(f"{folder}/reviews.html", model, reviews.test.texts, reviews.test.labels) < 1_000_000
    True
    """
    if model.parts.multilabel:
        raise ValueError(
            "the model gives a text several labels, and a page is about one label each. Train on one label per text."
        )
    texts, names = _checked(model, texts, labels, "texts")
    findings = find(model, texts, names, predictions, n_jobs)
    embedded = embed(findings, max_terms, n_jobs)
    counted, learnt = _Counted(texts, names, findings.rows, f"{len(texts):,} texts"), None
    if training is not None:
        learnt_texts, learnt_names = _checked(model, *training, "training texts")
        rows = model.parts.rows(learnt_texts, n_jobs)
        counted = _Counted(learnt_texts, learnt_names, rows, f"{len(learnt_texts):,} training texts")
        learnt = numbers.training_margins(model, findings.classes, rows, learnt_names or [], n_jobs)
    parts = [
        ("try", "Try it", sections.text_box(findings, embedded, _examples(texts))),
        ("terms", "What it learnt", sections.terms(findings, embedded, counted.name)),
        ("mistakes", "Mistakes", sections.mistakes(findings, measured_on)),
        ("margins", "Margins", numbers.margins(findings, measured_on, learnt)),
        ("reliability", "Probabilities", numbers.probabilities(findings)),
        ("learning", "Learning", numbers.learning(model)),
        ("classes", "Classes", numbers.classes(findings)),
        ("words", "Unknown words", numbers.words(findings, measured_on)),
        ("model", "Model", numbers.model_file(model, size)),
    ]
    links = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name, part in parts if part is not None]
    content = join(
        [
            tag(
                "header",
                tag("h1", title),
                tag("p", _subtitle(findings), class_="muted"),
                sections.verdict(findings, measured_on, command),
                tag("nav", tag("ul", *links), aria_label="Sections"),
            ),
            tag("main", *(part for _, _, part in parts)),
            tag("footer", f"Written by textperceptron {__version__}. This file loads nothing and sends nothing."),
        ]
    )
    page = _document(title, content, _data(model, embedded, counted)).encode()
    with atomic_replace(path) as file:
        file.write(page)
    return len(page)


@dataclass(frozen=True, eq=False)
class _Counted:
    """The texts in which terms are counted, and from which sentences are."""

    texts: list[str]
    labels: list[str] | None
    rows: Rows
    name: str


def _checked(
    model: TextModel, texts: Iterable[Any], labels: Iterable[Any] | None, what: str
) -> tuple[list[str], list[str] | None]:
    """Return texts as str, and labels as text."""
    text = model.settings.text
    found = [
        each.decode(text.encoding, "replace") if isinstance(each, bytes) else str(each) for each in documents_of(texts)
    ]
    if not found:
        raise ValueError(f"no {what}: a page needs at least one.")
    if labels is None:
        return found, None
    names = [label_name(label) for label in plain_labels(labels)]
    if len(names) != len(found):
        raise ValueError(f"there are {len(found)} {what} and {len(names)} labels: give one label per text.")
    return found, names


def _subtitle(findings: Findings) -> Markup:
    classes = findings.classes
    shown = join((name_of(name) for name in classes[:8]), ", ")
    more = f" and {len(classes) - 8} more" if len(classes) > 8 else ""
    n = findings.model.summary.n_rows
    return join([f"A linear model of {len(classes)} classes (", shown, f"{more}), trained on {n:,} texts."])


def _examples(texts: Sequence[str]) -> list[str]:
    """Return a few texts of common length, evenly spaced."""
    short = [text for text in texts if 20 <= len(text) <= 300] or [text for text in texts if text.strip()]
    step = max(1, len(short) // EXAMPLES)
    return [text[:1000] for text in short[::step][:EXAMPLES]]


def _data(model: TextModel, embedded: Embedded | str, counted: _Counted) -> list[Markup]:
    """Return what scripts read: the model; frequencies of its terms and sentences with them."""
    if isinstance(embedded, str):
        return []
    data: dict[str, Any] = {}
    if embedded.data["names"] is not None:
        n_words = embedded.model.parts.features.n_words
        columns = np.arange(model.n_columns) if embedded.columns is None else embedded.columns
        counts = np.bincount(counted.rows.indices, minlength=model.n_columns)[columns]
        largest = embedded.model.parts.model.largest_weights()[:n_words]
        wanted = argtop(largest, TERMS_WITH_SENTENCES)
        data = {
            "frequency": varints(counts[:n_words]),
            "n_words": n_words,
            "counted_in": counted.name,
            "sentences": choose_sentences(embedded.model, counted.texts, counted.labels, wanted),
        }
    return [_data_block("model-data", embedded.data), _data_block("page-data", data)]


def _data_block(name: str, value: Any) -> Markup:
    return Markup(f'<script type="application/json" id="{name}">{to_json(value)}</script>\n')


def _document(title: str, content: Markup, data: Sequence[Markup]) -> str:
    """Return the file. Its policy allows the style and the script below, by their hashes, and nothing else."""
    folder = files("textperceptron.report.page")
    style = folder.joinpath("page.css").read_text("utf-8")
    script = "\n".join([classifier_source(), *(folder.joinpath(name).read_text("utf-8") for name in SCRIPTS)])
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    head = join(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="referrer", content="no-referrer"),
            tag("link", rel="icon", href="data:,"),
            tag("title", title),
            Markup(f"<style>{style}</style>"),
        ],
        "\n",
    )
    body = tag("body", content, Markup("\n"), *data, Markup(f"<script>{script}</script>\n"))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def _hash(source: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"
