r"""Control characters from data, spelt out as Python or JSON spells them.

File names, members of archives, labels, terms, texts, headers of model files and answers of servers are data: an escape
sequence in them could retitle, overwrite or reorder what a terminal shows. Everything that a verb prints goes through
here on its way out. What must stay exact for other programs is escaped for a terminal only; ``docs/command-line.md``
says what that is.
"""

from __future__ import annotations

import re
from typing import Any

# C0, DEL and C1, the separators of lines and paragraphs, what changes the direction of text (U+061C, U+200E, U+200F,
# U+202A to U+202E, U+2066 to U+2069), and halves of surrogate pairs, which stand for undecodable bytes of file names.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_ALL = re.compile(f"[{_CONTROL}\t\n]")
_ALL_BUT_LAYOUT = re.compile(f"[{_CONTROL}]")
_BREAKS = re.compile("[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # the tab, and what str.splitlines splits at


def escaped(text: str) -> str:
    r"""Return a line with its control characters spelt out, tabs and line ends among them.

    Examples
    --------
    >>> print(escaped("a\tb\x1b[31m\u202e"))
    a\tb\x1b[31m\u202e
    """
    return _ALL.sub(_as_python, text)


def escaped_lines(text: str) -> str:
    """Return lines with their control characters spelt out; tabs and line ends are the caller's own."""
    return _ALL_BUT_LAYOUT.sub(_as_python, text)


def escaped_field(text: str) -> str:
    r"""Return a text that leaves lines and columns of a data format whole, and is exact otherwise.

    Examples
    --------
    >>> escaped_field("a\tb\x1b") == "a\\tb\x1b"
    True
    """
    return _BREAKS.sub(_as_python, text)


def json_line(value: Any) -> str:
    r"""Return JSON on one line; control characters are escapes, which every reader of JSON turns back.

    Examples
    --------
    >>> print(json_line("café\x1b\x9b\u202e"))
    "café\u001b\u009b\u202e"
    """
    import json  # most commands print none

    return _ALL.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _as_python(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]
