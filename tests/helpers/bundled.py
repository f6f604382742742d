"""Bundled corpora as tuples, for calls such as ``fit(*split)``."""

from __future__ import annotations

from typing import NamedTuple

from textperceptron import load_corpus


class Split(NamedTuple):
    """Texts and their labels."""

    texts: list[str]
    labels: list[str]


class Splits(NamedTuple):
    """The training and the test split."""

    train: Split
    test: Split


def many_topics():
    """Return the topics divided into 24 classes: more than fit in one table of one-vs-all."""
    parts = bundled("topics")
    labels = [[f"{label} {row % 4}" for row, label in enumerate(part.labels)] for part in parts]
    return Splits(*(Split(part.texts, each) for part, each in zip(parts, labels, strict=True)))


def bundled(name):
    """Return both splits of a bundled corpus."""
    corpus = load_corpus(name)
    return Splits(*(Split(list(part.texts), list(part.labels)) for part in (corpus.train, corpus.test)))
