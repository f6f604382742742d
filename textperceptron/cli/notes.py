"""``--note KEY=VALUE``: notes that a model file keeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

Notes = Annotated[
    list[str] | None,
    typer.Option(
        "--note", metavar="KEY=VALUE", show_default="none", rich_help_panel="Saving",
        help="A note to save with the model, such as author=Ada; may be given several times.",
    ),
]  # fmt: skip


def read_notes(notes: Iterable[str] | None) -> dict[str, str]:
    """Return notes by key.

    Raises
    ------
    ValueError
        If a note has no key, or two have the same.

    Examples
    --------
    >>> read_notes(["author=Ada", "use=reviews = short texts"])
    {'author': 'Ada', 'use': 'reviews = short texts'}
    """
    found: dict[str, str] = {}
    for note in notes or ():
        key, sign, value = note.partition("=")
        key = key.strip()
        if not sign or not key:
            raise ValueError(f"--note {note!r}: write KEY=VALUE, such as author=Ada.")
        if key in found:
            raise ValueError(f"--note {note!r}: there is another note {key!r}. Use each key once.")
        found[key] = value.strip()
    return found
