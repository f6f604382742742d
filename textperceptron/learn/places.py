"""Places for pairs of columns behind the columns: how many, and whether that can be."""

from __future__ import annotations

import numpy as np

from textperceptron._validation import at_least, integer

MOST_BITS = 30


def with_places(n_columns: int, bits: int | None) -> int:
    """Return how many columns there are with the places of pairs behind them, if there are any.

    Raises
    ------
    ValueError
        If ``bits`` is out of range, or columns and places are more than kernels can number.
    """
    if bits is None:
        return n_columns
    check_bits(bits)
    if n_columns + (1 << int(bits)) > np.iinfo(np.int32).max:
        raise ValueError(
            f"pair_bits={bits}: 2**{bits} places behind {n_columns} columns are more than 2**31. "
            "Use fewer bits, or fewer columns."
        )
    return n_columns + (1 << int(bits))


def check_bits(bits: int) -> None:
    """Raise ValueError unless ``bits`` is a number of bits that a place can have."""
    integer("pair_bits", bits)
    at_least("pair_bits", bits, 1)
    if bits > MOST_BITS:
        raise ValueError(f"pair_bits={bits!r}: use at most {MOST_BITS}, a table of 2**{MOST_BITS} weights.")
