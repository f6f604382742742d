"""Stratified hold-out and cross-validation folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

# Streams of random numbers that training does not use: its epochs count from 0, its splits from 1 << 32.
_HOLD_OUT, _FOLDS = (1 << 33), (1 << 33) + 1


def hold_out(labels: Sequence[Any], fraction: float, seed: int = 0) -> tuple[Indices, Indices]:
    """Split documents in two, with the same fraction of each class held out.

    A document with several labels counts for the rarest of them, and one without labels for a class of its own.

    A class keeps at least one document to learn from; if the fraction of a class is less than half a document, none of
    its documents is held out.

    Parameters
    ----------
    labels : sequence of str, int or bool, or of tuples of them
    fraction : float
        Fraction to hold out, between 0 and 1.
    seed : int, default=0

    Returns
    -------
    rest, held_out : int64 arrays
        Indices of documents, ascending.

    Raises
    ------
    ValueError
        If no document would be held out.

    Examples
    --------
    >>> rest, held_out = hold_out(["pos", "neg"] * 10, 0.2)
    >>> len(rest), len(held_out)
    (16, 4)
    """
    if not 0 < fraction < 1:
        raise ValueError(f"holding out a fraction of {fraction} leaves one side empty. Use one between 0 and 1.")
    generator = np.random.default_rng([seed, _HOLD_OUT])
    chosen = []
    for indices in _by_class(labels):
        chosen.append(generator.permutation(indices)[: min(round(fraction * len(indices)), len(indices) - 1)])
    if not sum(map(len, chosen)):
        raise ValueError(
            f"holding out {fraction:g} of each class takes no document: the largest class has "
            f"{max(map(len, _by_class(labels)), default=0)}, and each class needs one to learn from. Use another "
            "fraction, or more documents."
        )
    return _split(chosen, len(labels))


def folds(labels: Sequence[Any], k: int, seed: int = 0) -> Iterator[tuple[Indices, Indices]]:
    """Yield k stratified folds of equal size, each held out in turn.

    A document with several labels counts for the rarest of them, and one without labels for a class of its own.

    The document of a class that has only one is in no fold, because a model could not learn the class without it.

    Parameters
    ----------
    labels : sequence of str, int or bool, or of tuples of them
    k : int
        Number of folds, at least 2.
    seed : int, default=0

    Yields
    ------
    rest, held_out : int64 arrays
        Indices of documents, ascending.

    Raises
    ------
    ValueError
        If there are too few documents for k folds.

    Examples
    --------
    >>> [held_out.tolist() for _, held_out in folds(["pos", "neg"] * 3, 3)]
    [[0, 3], [1, 2], [4, 5]]
    """
    if k < 2:
        raise ValueError(f"{k} folds leave no documents to train on. Use at least 2.")
    generator = np.random.default_rng([seed, _FOLDS])
    order = [generator.permutation(indices) for indices in _by_class(labels) if len(indices) > 1]
    # Documents are dealt class by class, without a restart between classes: folds differ by at most one document.
    dealt = np.concatenate([np.empty(0, np.int64), *order])
    if len(dealt) < k:
        raise ValueError(
            f"there are {len(dealt)} documents of classes with at least two, too few for {k} folds. Use fewer "
            "folds, or more documents."
        )
    for fold in range(k):
        yield _split([dealt[fold::k]], len(labels))


def never_held_out(labels: Sequence[Any], splits: Iterable[tuple[Indices, Indices]]) -> list[Any]:
    """Return the classes of which no split holds out a document, sorted.

    Examples
    --------
    >>> labels = ["pos", "neg", "neg", "pos", "mixed"]
    >>> never_held_out(labels, folds(labels, 2))
    ['mixed']
    """
    sets = [label if isinstance(label, tuple) else (label,) for label in labels]
    held_out = {label for _, indices in splits for index in indices.tolist() for label in sets[index]}
    return sorted({label for each in sets for label in each} - held_out)


def _rarest(labels: Sequence[Any]) -> Sequence[Any]:
    """Return the rarest label of each set of labels, of equally rare ones the first; None for an empty set.

    Examples
    --------
    >>> _rarest([("a", "b"), ("a",), (), ("c", "b")])
    ['a', 'a', None, 'c']
    """
    if not any(isinstance(label, tuple) for label in labels):
        return labels
    counts = Counter(label for each in labels for label in each)
    return [min(each, key=lambda label: (counts[label], label), default=None) for each in labels]


def _by_class(labels: Sequence[Any]) -> Iterator[Indices]:
    indices: dict[Any, list[int]] = {}
    for index, label in enumerate(_rarest(labels)):
        indices.setdefault(label, []).append(index)
    for label in sorted(indices, key=lambda label: (label is None, label)):
        yield np.array(indices[label], np.int64)


def _split(held_out: list[Indices], n: int) -> tuple[Indices, Indices]:
    is_held_out = np.zeros(n, bool)
    is_held_out[np.concatenate(held_out)] = True
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
