"""Offsets of the scores of many classes with a high macro F1 on held-out rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]
Scores = npt.NDArray[np.float64]

_MAX_ROUNDS = 20
_LEAST_GAIN = 1e-9


def macro_f1_offsets(scores: Scores, codes: Codes) -> Scores:
    """Return what to add to the scores of each class for a high macro F1: half of what is best on these rows.

    The best offsets of rare classes are those of a few rows. Half of them gain as much on other rows, and cost a
    quarter of the accuracy: docs/accuracy.md.

    Parameters
    ----------
    scores : array of shape (n_rows, n_classes)
    codes : array of int
        The class of each row.
    """
    best = best_offsets(scores, codes)
    half: Scores = (best - best.mean()) / 2
    return half


def best_offsets(scores: Scores, codes: Codes) -> Scores:
    """Return offsets that no change of a single one improves, by coordinate ascent from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn.macro_f1 import best_offsets
    >>> scores = np.array([[1.0, 0.0, 0.2], [1.0, 0.3, 0.0], [1.0, 0.9, 0.0], [0.0, 0.1, 1.0]])
    >>> best_offsets(scores, np.array([0, 0, 1, 2])).round(2).tolist()
    [-0.4, 0.0, 0.0]
    """
    offsets = np.zeros(scores.shape[1])
    classes = np.unique(codes)
    for _ in range(_MAX_ROUNDS):
        before = offsets.copy()
        for code in classes:
            offsets[code] = _best_offset(scores, codes, offsets, code)
        if np.array_equal(offsets, before):
            break
    return offsets


def rivals(scores: Scores, offsets: Scores, code: int) -> tuple[Codes, Scores]:
    """Return the best class of each row without one class, and the offset above which that class beats it."""
    others = scores + offsets
    others[:, code] = -np.inf
    rival = others.argmax(axis=1)
    return rival, others[np.arange(len(scores)), rival] - scores[:, code]


def _best_offset(scores: Scores, codes: Codes, offsets: Scores, code: int) -> float:
    """Return the offset of a class with the highest macro F1; the present one, if no other is better."""
    rival, bar = rivals(scores, offsets, code)
    order = np.argsort(bar, kind="stable")
    bar, rival, true = bar[order], rival[order], codes[order]
    n_rows, sizes = len(codes), np.bincount(codes, minlength=len(offsets))
    hits = np.append(0, np.cumsum(true == code))
    own = 2 * hits / (np.arange(n_rows + 1) + sizes[code])
    sums = own + np.append(0, np.cumsum(_changes_of_others(rival, rival == true, sizes)))
    sums[1:-1][bar[:-1] == bar[1:]] = -np.inf  # no offset separates equal rows
    best, present = int(sums.argmax()), int(np.searchsorted(bar, offsets[code]))
    if sums[best] <= sums[present] + _LEAST_GAIN:
        return float(offsets[code])
    low = bar[best - 1] if best else bar[0] - 1
    high = bar[best] if best < n_rows else bar[-1] + 1
    return float((low + high) / 2)


def _changes_of_others(rival: Codes, right: npt.NDArray[np.bool_], sizes: npt.NDArray[np.intp]) -> Scores:
    """Return how the F1 of each row's rival changes when the row is taken from it, after the rows before it."""
    hits, predicted = np.bincount(rival[right], minlength=len(sizes)), np.bincount(rival, minlength=len(sizes))
    order = np.argsort(rival, kind="stable")
    of, first = rival[order], np.searchsorted(rival[order], rival[order])
    n_taken = np.arange(len(of)) - first + 1
    n_hits = np.cumsum(right[order])
    n_hits = n_hits - (n_hits - right[order])[first]
    after = 2 * (hits[of] - n_hits) / np.maximum(predicted[of] - n_taken + sizes[of], 1)
    before = 2 * (hits[of] - n_hits + right[order]) / (predicted[of] - n_taken + 1 + sizes[of])
    changes = np.empty(len(of))
    changes[order] = after - before
    return changes
