"""Stratified hold-out and cross-validation folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

# Streams of random numbers that training does not use: its epochs count from 0, its splits from 1 << 32.
_HOLD_OUT, _FOLDS = (1 << 33), (1 << 33) + 1


def hold_out(labels: Sequence[Any], fraction: float, seed: int = 0) -> tuple[Indices, Indices]:
    """Split documents in two, with the same fraction of each class held out.

    Parameters
    ----------
    labels : sequence of str, int or bool
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
        If a class would have no document in one of the splits.

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
    for label, indices in _by_class(labels):
        n = round(fraction * len(indices))
        if not 0 < n < len(indices):
            raise ValueError(
                f"holding out {fraction:g} of the {len(indices)} documents of class {label!r} takes {n} of them, and "
                "needs at least one to hold out and one to learn from. Use another fraction, or more documents."
            )
        chosen.append(generator.permutation(indices)[:n])
    return _split(chosen, len(labels))


def folds(labels: Sequence[Any], k: int, seed: int = 0) -> Iterator[tuple[Indices, Indices]]:
    """Yield k stratified folds of equal size, each held out in turn.

    Parameters
    ----------
    labels : sequence of str, int or bool
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
        If a class has fewer than k documents.

    Examples
    --------
    >>> [held_out.tolist() for _, held_out in folds(["pos", "neg"] * 3, 3)]
    [[0, 3], [1, 2], [4, 5]]
    """
    if k < 2:
        raise ValueError(f"{k} folds leave no documents to train on. Use at least 2.")
    generator = np.random.default_rng([seed, _FOLDS])
    order = []
    for label, indices in _by_class(labels):
        if len(indices) < k:
            raise ValueError(
                f"class {label!r} has {len(indices)} documents, too few for {k} folds. Use fewer folds, or more "
                "documents."
            )
        order.append(generator.permutation(indices))
    # Documents are dealt class by class, without a restart between classes: folds differ by at most one document.
    dealt = np.concatenate(order)
    for fold in range(k):
        yield _split([dealt[fold::k]], len(labels))


def _by_class(labels: Sequence[Any]) -> Iterator[tuple[Any, Indices]]:
    indices: dict[Any, list[int]] = {}
    for index, label in enumerate(labels):
        indices.setdefault(label, []).append(index)
    for label in sorted(indices):
        yield label, np.array(indices[label], np.int64)


def _split(held_out: list[Indices], n: int) -> tuple[Indices, Indices]:
    is_held_out = np.zeros(n, bool)
    is_held_out[np.concatenate(held_out)] = True
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
