r"""Escapes for control characters that come from data, and labels as text.

File names, archive members, labels, terms, texts, headers of model files and server responses are data: an escape
sequence in them could retitle, overwrite or reorder what a terminal shows. Everything that a verb prints is escaped
here. Output that other programs need byte for byte is escaped for a terminal only; see ``docs/command-line.md``.
"""

from __future__ import annotations

import re
from typing import Any

from textperceptron._format import CONTROL, escaped, python_escape

_ALL = re.compile(f"[{CONTROL}\t\n]")
_ALL_BUT_LAYOUT = re.compile(f"[{CONTROL}]")
_UNMISTAKABLE = re.compile(r"[^\W\d_][^:,;·()\"]*")  # in a list: begins with a letter, has no punctuation of the list
_BREAKS = re.compile("[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # the tab, and what str.splitlines splits at


def escaped_lines(text: str) -> str:
    """Escape control characters except tabs and line ends, which are the caller's own."""
    return _ALL_BUT_LAYOUT.sub(python_escape, text)


def escaped_field(text: str) -> str:
    r"""Escape only tabs and line ends, so that a field is not split.

    Examples
    --------
    >>> escaped_field("a\tb\x1b") == "a\\tb\x1b"
    True
    """
    return _BREAKS.sub(python_escape, text)


def json_line(value: Any) -> str:
    r"""Return JSON on one line, with control characters as JSON escapes.

    Examples
    --------
    >>> print(json_line("café\x1b\x9b\u202e"))
    "café\u001b\u009b\u202e"
    """
    from textperceptron._interrupts import deferred_interrupts

    with deferred_interrupts():
        import json  # most commands print none

    return _ALL.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def label_text(label: Any) -> str:
    r"""Return a label as corpora spell it: numbers and truth values as in JSON.

    Examples
    --------
    >>> label_text("pos"), label_text(3), label_text(True)
    ('pos', '3', 'true')
    """
    return label if isinstance(label, str) else json_line(label)


def escaped_label(label: Any) -> str:
    r"""Return a label for a table or a message, with control characters escaped.

    Examples
    --------
    >>> print(escaped_label("a\tb"))
    a\tb
    """
    return escaped(label_text(label))


def listed_label(label: Any) -> str:
    r"""Return a label for a list in a sentence: in quotes if it could be taken for a number or for punctuation.

    Examples
    --------
    >>> listed_label("pos"), listed_label("very bad"), listed_label("4"), listed_label("a: b"), listed_label("")
    ('pos', 'very bad', '"4"', '"a: b"', '""')
    """
    shown = escaped_label(label)
    return shown if _UNMISTAKABLE.fullmatch(shown) else f'"{shown}"'
