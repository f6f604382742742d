"""Why a text got its label: what each of its terms added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows
from textperceptron.model.classes import Label
from textperceptron.model.parts import Parts
from textperceptron.text.conjunctions.names import conjunction_name


@dataclass(frozen=True)
class Term:
    """A word, an n-gram or a pair of words that a text holds.

    Attributes
    ----------
    name : str
    value : float
        Its value in the row: how often it is there, or 1.
    contributions : tuple of float
        What it adds to the score of each class; for two classes one number, for the second.
    """

    name: str
    value: float
    contributions: tuple[float, ...]


@dataclass(frozen=True)
class Explanation:
    """A text's label and where its scores come from.

    Attributes
    ----------
    label : str, int or bool
    classes : tuple of labels
        Whose scores are explained, in this order: for two classes the second alone.
    scores : tuple of float
        ``intercepts`` and all contributions, added up (of one-vs-one: the sums of scores that decide between equal
        votes).
    intercepts : tuple of float
    terms : tuple of Term
        The heaviest first. Of pairs on the fly (``pair_bits``) those that add something.
    """

    label: Label
    classes: tuple[Label, ...]
    scores: tuple[float, ...]
    intercepts: tuple[float, ...]
    terms: tuple[Term, ...]


def explained(parts: Parts, text: str) -> Explanation:
    """Return what each term of a text adds, the terms that move scores most first.

    Raises
    ------
    ValueError
        If the scores are no sums.
    """
    rows = parts.rows([text])
    columns, values = _entries(rows)
    contributions = parts.model.contributions(columns, values)
    intercepts = parts.model.intercepts()
    words = parts.features.names_in(text, rows.indices.tolist())
    labels = parts.classes.labels
    sizes = np.abs(contributions).max(axis=1, initial=0)
    order = [k for k in np.argsort(-sizes, kind="stable").tolist() if k < len(words) or sizes[k]]
    # In the order in which _kernels/hashed_pairs.pyx writes them: by the later column.
    upper, lower = np.tril_indices(len(words), -1) if len(columns) > len(words) else (columns[:0], columns[:0])

    def name(entry: int) -> str:
        pair = entry - len(words)
        return words[entry] if pair < 0 else conjunction_name(words[lower[pair]], words[upper[pair]])

    terms = tuple(Term(name(k), float(values[k]), tuple(contributions[k].tolist())) for k in order)
    scores = intercepts + contributions.sum(axis=0)
    return Explanation(
        parts.classes.of(parts.model.codes(rows))[0],
        labels[1:] if len(labels) == 2 else labels,
        tuple(scores.tolist()),
        tuple(intercepts.tolist()),
        terms,
    )


def _entries(rows: Rows) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return columns and values of a single row; behind its own those of its pairs, by first and second column."""
    ((row, _, _),) = rows.pieces(np.arange(1))
    n = row.n_stored
    return row.indices[:n], row.values[:n]
