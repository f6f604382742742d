"""The columns that every conjunction must have one of, as users name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.text.conjunctions.names import unknown_words


def pivot_columns(pivots: Any, n_columns: int, names: Sequence[str] | None) -> npt.NDArray[np.int64]:
    """Return the columns that pivots mean, given by number or by name, each once and ascending.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.pivots import pivot_columns
    >>> pivot_columns(["not", 0], 3, ["film", "not", "good"])
    array([0, 1])

    Raises
    ------
    ValueError
        If one is no column; the message names all that are not, and similar names.
    """
    if isinstance(pivots, str) or not isinstance(pivots, Iterable):
        raise ValueError(f"pivots={pivots!r}: use a list of columns, e.g. [{pivots!r}].")
    pivots = list(pivots)
    if not pivots:
        raise ValueError("pivots is empty, so no conjunction would have one of them. Use None for no such limit.")
    words = [pivot for pivot in pivots if isinstance(pivot, str)]
    numbers = [pivot for pivot in pivots if not isinstance(pivot, str)]
    wrong = [number for number in numbers if not _is_column(number, n_columns)]
    if wrong:
        raise ValueError(
            f"pivots holds {', '.join(map(repr, wrong))}: use numbers of columns from 0 to {n_columns - 1}, or "
            "names of columns."
        )
    return np.unique(np.array([*numbers, *_columns_of(words, names)], np.int64))


def _columns_of(words: list[str], names: Sequence[str] | None) -> list[int]:
    if not words:
        return []
    if names is None:
        raise ValueError(
            f"pivots holds words ({', '.join(map(repr, words[:3]))}), but the columns of X have no names. Pass "
            "feature_names=vectoriser.get_feature_names_out(), or numbers of columns; inside a pipeline, "
            "BagOfWords(conjunctions=WordPairs(pivots=...)) takes words."
        )
    column = {name: number for number, name in enumerate(names)}
    if unknown := [word for word in words if word not in column]:
        raise ValueError(f"pivots that are no columns: {unknown_words(unknown, column)}.")
    return [column[word] for word in words]


def _is_column(number: object, n_columns: int) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool) and 0 <= int(number) < n_columns
