"""Which documents are held out to measure on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]

# Apart from the numbers that the engine draws with: epochs count from 0, its own splits from 1 << 32.
_HOLD_OUT, _FOLDS = (1 << 33), (1 << 33) + 1


def hold_out(labels: Sequence[Any], fraction: float, seed: int = 0) -> tuple[Places, Places]:
    """Divide documents in two, the same share of each class held out.

    Parameters
    ----------
    labels : sequence of str, int or bool
    fraction : float
        Share to hold out, between 0 and 1.
    seed : int, default=0

    Returns
    -------
    rest, held_out : int64 arrays
        Numbers of documents, ascending.

    Raises
    ------
    ValueError
        If a class would have no document in one of the two.

    Examples
    --------
    >>> rest, held_out = hold_out(["pos", "neg"] * 10, 0.2)
    >>> len(rest), len(held_out)
    (16, 4)
    """
    if not 0 < fraction < 1:
        raise ValueError(f"holding out a share of {fraction} leaves nothing on one side. Use one between 0 and 1.")
    generator = np.random.default_rng([seed, _HOLD_OUT])
    chosen = []
    for label, places in _by_class(labels):
        n = round(fraction * len(places))
        if not 0 < n < len(places):
            raise ValueError(
                f"holding out {fraction:g} of the {len(places)} documents of class {label!r} takes {n} of them, and "
                "needs at least one to hold out and one to learn from. Use another share, or give more documents."
            )
        chosen.append(generator.permutation(places)[:n])
    return _rest_and(chosen, len(labels))


def folds(labels: Sequence[Any], k: int, seed: int = 0) -> Iterator[tuple[Places, Places]]:
    """Divide documents into k parts of the same size, each with its share of every class, and hold each out in turn.

    Parameters
    ----------
    labels : sequence of str, int or bool
    k : int
        Number of parts, 2 at least.
    seed : int, default=0

    Yields
    ------
    rest, held_out : int64 arrays
        Numbers of documents, ascending.

    Raises
    ------
    ValueError
        If a class has fewer documents than there are parts.

    Examples
    --------
    >>> [held_out.tolist() for _, held_out in folds(["pos", "neg"] * 3, 3)]
    [[0, 3], [1, 2], [4, 5]]
    """
    if k < 2:
        raise ValueError(f"{k} folds leave nothing to learn from. Use 2 at least.")
    generator = np.random.default_rng([seed, _FOLDS])
    order = []
    for label, places in _by_class(labels):
        if len(places) < k:
            raise ValueError(
                f"class {label!r} has {len(places)} documents, too few for {k} folds. Use fewer folds, or give more "
                "documents."
            )
        order.append(generator.permutation(places))
    # Dealt out class by class, going on where the last class ended: parts differ by one document at most.
    dealt = np.concatenate(order)
    for part in range(k):
        yield _rest_and([dealt[part::k]], len(labels))


def _by_class(labels: Sequence[Any]) -> Iterator[tuple[Any, Places]]:
    places: dict[Any, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    for label in sorted(places):
        yield label, np.array(places[label], np.int64)


def _rest_and(held_out: list[Places], n: int) -> tuple[Places, Places]:
    inside = np.zeros(n, bool)
    inside[np.concatenate(held_out)] = True
    return np.flatnonzero(~inside), np.flatnonzero(inside)
