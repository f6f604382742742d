"""The beginnings of longer words as further terms, so that forms of a word have something in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels

if TYPE_CHECKING:
    from textperceptron.text.pieces import Scratch

Array = npt.NDArray[Any]

SLACK = 64  # kernels that hash names read a little behind the end
MOST_CHARACTERS = 2**31 - 1


def check_prefixes(prefixes: int) -> None:
    """Raise unless it is a number of characters, or 0.

    Raises
    ------
    ValueError
        With the value and what would be right.
    """
    is_number = isinstance(prefixes, int | np.integer) and not isinstance(prefixes, bool)
    if not is_number or not 0 <= prefixes <= MOST_CHARACTERS:
        raise ValueError(f"prefixes={prefixes!r}: use a number of characters, such as 6, or 0 for no prefixes.")


def prefix_names(
    text: Array, starts: Array, stops: Array, lengths: Array, size: int, scratch: Scratch, *, negation: bool
) -> tuple[Array, Array, Array, Array]:
    """Cut prefixes of the tokens of a block; return names as the tokens were: bytes, starts, stops and lengths."""
    n_bytes = int(stops[-1]) if len(stops) else 0
    names = scratch.get("prefixes", n_bytes + SLACK, np.uint8)
    name_starts, name_stops = (
        scratch.get(name, len(starts) + 1, np.int32) for name in ("prefix_starts", "prefix_stops")
    )
    counts = np.empty(len(lengths), np.int32)
    n = _kernels.cut_prefixes(text, starts, stops, lengths, size, negation, names, name_starts, name_stops, counts)
    return names, name_starts[:n], name_stops[:n], counts


def prefixes_of(tokens: Sequence[str], size: int) -> list[str]:
    """Return the prefixes of the words among tokens: the same, in plain Python.

    Examples
    --------
    >>> from textperceptron.text.prefixes import prefixes_of
    >>> prefixes_of(["a", "wonderful", "wonder", "wonders", "!!!!!!!!"], 6)
    ['wonder*', 'wonder*']
    """
    return [f"{token[:size]}*" for token in tokens if len(token) > size and (token[0].isalnum() or token[0] == "_")]
