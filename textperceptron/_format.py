"""Figures and texts from data as people read them: percentages, and escapes for control characters."""

from __future__ import annotations

import math
import re

# C0, DEL and C1, the line and paragraph separators, the bidirectional controls (U+061C, U+200E, U+200F, U+202A to
# U+202E, U+2066 to U+2069), and surrogates, which represent undecodable bytes of file names.
CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_LONGEST_TERM = 50  # characters: a text of a megabyte without a space is a term, too
_ALL = re.compile(f"[{CONTROL}\t\n]")


def escaped(text: str) -> str:
    r"""Escape all control characters of a line, tabs and line ends included.

    Examples
    --------
    >>> print(escaped("a\tb\x1b[31m\u202e"))
    a\tb\x1b[31m\u202e
    """
    return _ALL.sub(python_escape, text)


def python_escape(found: re.Match[str]) -> str:
    """Return a matched character as Python writes it in a string."""
    return repr(found[0])[1:-1]


def shown_term(term: str) -> str:
    """Return a term as tables show it: exactly, unless it is longer than any word that people write.

    Examples
    --------
    >>> shown_term(" the"), shown_term("a" * 1_000_000)
    (' the', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…')
    """
    return term if len(term) <= _LONGEST_TERM else term[: _LONGEST_TERM - 1] + "…"


def percent(fraction: float) -> str:
    """Return a fraction in percent, with one decimal; halves are rounded up.

    Examples
    --------
    >>> percent(0.6125), percent(0.5625), percent(1.0)
    ('61.3', '56.3', '100.0')
    """
    return f"{math.floor(1000 * fraction + 0.5 + 1e-9) / 10:.1f}"
