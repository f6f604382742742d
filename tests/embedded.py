"""Embedded corpora as tuples, to be passed on with a star."""

from __future__ import annotations

from typing import NamedTuple

from textperceptron import load_corpus


class Split(NamedTuple):
    """Texts and their labels."""

    texts: list[str]
    labels: list[str]


class Splits(NamedTuple):
    """What to train on and what to test on."""

    train: Split
    test: Split


def embedded(name):
    """Return both splits of an embedded corpus."""
    corpus = load_corpus(name)
    return Splits(*(Split(list(part.texts), list(part.labels)) for part in (corpus.train, corpus.test)))
