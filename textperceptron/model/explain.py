"""Contributions of terms to the scores of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows
from textperceptron.model.classes import Label
from textperceptron.model.parts import ModelParts
from textperceptron.text.conjunctions.names import conjunction_name


@dataclass(frozen=True)
class Term:
    """A term of a text: a word, an n-gram or a conjunction.

    Attributes
    ----------
    name : str
    value : float
        Its value in the row: its count, or 1; scaled if the rows are normalised.
    contributions : tuple of float
        Added to the score of each class; with two classes one number, for the second class.
    """

    name: str
    value: float
    contributions: tuple[float, ...]


@dataclass(frozen=True)
class Explanation:
    """The label of a text, and its scores term by term.

    Attributes
    ----------
    label : str, int or bool, or a tuple of them if texts have several labels
    classes : tuple of labels
        The classes of the scores, in order; with two classes only the second.
    scores : tuple of float
        The sum of ``intercepts`` and all contributions. For one-vs-one: the summed scores that break ties of votes.
    intercepts : tuple of float
    terms : tuple of Term
        Largest contribution first. Column pairs (``pair_bits``) are listed if their contribution is not 0.
    """

    label: Label | tuple[Label, ...]
    classes: tuple[Label, ...]
    scores: tuple[float, ...]
    intercepts: tuple[float, ...]
    terms: tuple[Term, ...]


def explain(parts: ModelParts, text: str) -> Explanation:
    """Return the contribution of each term of a text to its scores, largest first.

    Raises
    ------
    ValueError
        If scores are not sums of contributions (the voted perceptron).
    """
    rows = parts.rows([text])
    columns, values = _entries(rows)
    contributions = parts.model.contributions(columns, values)
    intercepts = parts.model.intercepts()
    names = parts.features.names_in(text, rows.indices.tolist())
    labels = parts.classes.labels
    sizes = np.abs(contributions).max(axis=1, initial=0)
    order = [k for k in np.argsort(-sizes, kind="stable").tolist() if k < len(names) or sizes[k]]
    # Column pairs follow the terms in the order of _kernels/hashed_pairs.pyx: by their later column.
    upper, lower = np.tril_indices(len(names), -1) if len(columns) > len(names) else (columns[:0], columns[:0])

    def name(entry: int) -> str:
        pair = entry - len(names)
        return names[entry] if pair < 0 else conjunction_name(names[lower[pair]], names[upper[pair]])

    terms = tuple(Term(name(k), float(values[k]), tuple(contributions[k].tolist())) for k in order)
    scores = intercepts + contributions.sum(axis=0)
    return Explanation(
        parts.labels_of(rows)[0],
        labels[1:] if parts.is_binary else labels,
        tuple(scores.tolist()),
        tuple(intercepts.tolist()),
        terms,
    )


def _entries(rows: Rows) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return columns and values of a single row, those of its column pairs last."""
    ((row, _, _),) = rows.blocks(np.arange(1))
    n = row.n_stored
    return row.indices[:n], row.values[:n]
