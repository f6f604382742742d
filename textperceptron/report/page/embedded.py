"""The model that a page contains: the columns with the largest weights, and what leaving out the others costs."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.export.javascript import model_data
from textperceptron.learn import Rows
from textperceptron.model import TextModel
from textperceptron.report.page.findings import Findings

MODEL_BYTES = 2_270_000  # of names and weights in the page, for two classes
CLASS_BYTES, MOST_BYTES = 150_000, 8_000_000  # more for each further class, up to this
MIN_COLUMNS = 5000  # even if they take more: many classes have many weights per column
MAX_COLUMNS = 100_000
MAX_BYTES = 12_000_000  # of a model that cannot be pruned


@dataclass(frozen=True, eq=False)
class Embedded:
    """A model as data for ``textClassifier``.

    Attributes
    ----------
    model : TextModel
        The smaller model, whose scores the page has.
    data : dict
    columns : array of int64 or None
        Its columns in the full model; None for all.
    n_same : int
        Texts to which it gives the label of the full model.
    n_right, n_right_full : int or None
        Texts that the two models label correctly; None without labels.
    """

    model: TextModel
    data: dict[str, Any]
    columns: npt.NDArray[np.int64] | None
    n_same: int
    n_right: int | None
    n_right_full: int | None


def embed(findings: Findings, max_terms: int | None = None, n_jobs: int | None = None) -> Embedded | str:
    """Return the model for a page, or the reason why a page cannot have it."""
    model = findings.model
    keep = max_terms or columns_that_fit(model)
    small, columns = model, None
    try:
        if keep < model.n_columns and model.parts.features.vocabulary is not None:
            small = model.pruned(keep=keep)
            columns = small_columns(model, small)
        elif embedded_bytes(model) > MAX_BYTES and model.parts.features.vocabulary is None:
            return (
                f"its {model.n_columns:,} hashed columns would take {embedded_bytes(model) / 1e6:.0f} MB here. "
                "Train with fewer of them (--n-features)."
            )
        data = model_data(small)
    except ValueError as problem:
        return str(problem)
    full = findings.predictions.codes if findings.is_own else model.parts.model.codes(findings.rows, n_jobs)
    codes = full
    if columns is not None:
        rows = _with_columns(findings.rows, columns, unit_length=model.settings.text.norm is not None)
        codes = small.parts.model.codes(rows, n_jobs)
    right: tuple[int | None, int | None] = None, None
    if findings.labels is not None:
        names = np.array(findings.classes, object)
        labels = np.array(findings.labels, object)
        right = int(np.sum(names[codes] == labels)), int(np.sum(names[full] == labels))
    return Embedded(small, data, columns, int(np.sum(codes == full)), *right)


def columns_that_fit(model: TextModel) -> int:
    """Return how many columns a page has room for."""
    per_column = embedded_bytes(model) / max(1, model.n_columns)
    room = min(MOST_BYTES, MODEL_BYTES + CLASS_BYTES * (len(model.classes) - 2))
    return min(MAX_COLUMNS, max(MIN_COLUMNS, int(room / per_column)))


def embedded_bytes(model: TextModel) -> float:
    """Estimate the size of names, weights and frequencies in a page."""
    vocabulary = model.parts.features.vocabulary
    names = 0 if vocabulary is None else len(vocabulary.arena) + 3 * len(vocabulary)
    n_scores = 1 if len(model.classes) == 2 else len(model.classes)
    item = 8 if model.settings.text.dtype == "float64" else 4
    return names + (n_scores * item + 1.5) * 4 / 3 * model.n_columns


def small_columns(model: TextModel, small: TextModel) -> npt.NDArray[np.int64]:
    """Return the columns of a pruned model in the full one."""
    full, kept = model.parts.features.vocabulary, small.parts.features.vocabulary
    assert full is not None
    assert kept is not None
    return np.array([full[name] for name in kept.names()], np.int64)


def _with_columns(rows: Rows, columns: npt.NDArray[np.int64], *, unit_length: bool) -> Rows:
    """Return rows with some of their columns, as the smaller model would read the texts: no text is read again."""
    new_column = np.full(rows.n_columns, -1, rows.indices.dtype)
    new_column[columns] = np.arange(len(columns))
    found = new_column[rows.indices]
    inside = found >= 0
    indptr = np.concatenate([[0], np.cumsum(inside)])[rows.indptr].astype(rows.indptr.dtype)
    data = rows.values[inside] if unit_length or len(rows.data) else rows.data
    if unit_length:
        row_of = np.repeat(np.arange(rows.n_rows), np.diff(indptr))
        lengths = np.sqrt(np.bincount(row_of, data.astype(np.float64) ** 2, minlength=rows.n_rows))
        data = (data / lengths[row_of]).astype(data.dtype)
    return Rows(data, found[inside], indptr, len(columns))


def varints(numbers: npt.NDArray[np.int64]) -> str:
    """Return numbers in base64: 7 bits a byte, lowest first, the highest bit set on all but the last byte.

    Examples
    --------
    >>> base64.b64decode(varints(np.array([1, 300]))).hex()
    '01ac02'
    """
    found = bytearray()
    for number in numbers.tolist():
        while number > 127:
            found.append(number & 127 | 128)
            number >>= 7
        found.append(number)
    return base64.b64encode(bytes(found)).decode("ascii")
