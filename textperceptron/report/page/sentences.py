"""Sentences of the corpus for a page: a few for each of the terms with the largest weights."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from textperceptron.model import TextModel

_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？।؟])|\n+|<br\s*/?>")
LONGEST = 260  # characters of a sentence
SOURCES = 3000  # texts to take sentences from
PER_TERM = 3
MAX_BYTES = 220_000  # of all sentences


def split_sentences(text: str) -> list[str]:
    """Split a text after sentences and lines.

    Examples
    --------
    >>> split_sentences("Fine. Really?<br />Yes!  好。不好")
    ['Fine.', 'Really?', 'Yes!', '好。', '不好']
    """
    return [sentence for part in _END.split(text) if (sentence := part.strip())]


def choose_sentences(
    model: TextModel, texts: Sequence[str], labels: Sequence[str] | None, columns: Sequence[int]
) -> list[tuple[str, str | None]]:
    """Return sentences with the labels of their texts, up to three for each of some columns, the shortest possible.

    Columns come first that are first in ``columns``, until the page is full.
    """
    step = max(1, len(texts) // SOURCES)
    pool: dict[str, str | None] = {}
    for k in range(0, len(texts), step):
        for sentence in split_sentences(texts[k][:20_000]):
            if len(sentence) <= LONGEST and sentence not in pool:
                pool[sentence] = labels[k] if labels is not None else None
    sentences = sorted(pool, key=lambda sentence: (len(sentence) < 25, len(sentence)))  # fragments last
    if not sentences:
        return []
    rows = model.parts.features.rows(sentences)
    found = _rows_of_columns(rows.indices, rows.indptr, model.n_columns, columns)
    chosen: dict[int, None] = {}
    size = 0
    for with_term in found:
        already = sum(1 for k in with_term if k in chosen)
        for k in with_term:
            if already >= PER_TERM:
                break
            if k not in chosen:
                chosen[k] = None
                size += len(sentences[k].encode("utf-8", "surrogatepass")) + 20
                already += 1
        if size > MAX_BYTES:
            break
    return [(sentences[k], pool[sentences[k]]) for k in chosen]


def _rows_of_columns(
    indices: npt.NDArray[np.integer], indptr: npt.NDArray[np.integer], n_columns: int, columns: Sequence[int]
) -> list[list[int]]:
    """Return the first rows that contain each of some columns, ascending."""
    wanted = np.full(n_columns, -1, np.int64)
    wanted[list(columns)] = np.arange(len(columns))
    which = wanted[indices]
    entries = np.flatnonzero(which >= 0)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))[entries]
    order = np.argsort(which[entries], kind="stable")
    rows, which = rows[order], which[entries][order]
    bounds = np.searchsorted(which, np.arange(len(columns) + 1))
    return [rows[bounds[k] : min(bounds[k + 1], bounds[k] + 50)].tolist() for k in range(len(columns))]
