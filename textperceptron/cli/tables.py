"""Rows of cells → lines with columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textperceptron.cli.labels import in_a_column
from textperceptron.cli.screen import Piece


def columns(rows: Sequence[Sequence[Piece]], *, left: int = 1, gap: str = "  ") -> Iterator[list[Piece]]:
    """Yield the pieces of each line: the first ``left`` columns begin at the left, the others end at the right.

    A tab or a line's end in a cell, such as a label, is spelt out.

    Examples
    --------
    >>> for line in columns([["label", "n"], ["neg", "240"]]):
    ...     print("".join(line))
    label    n
    neg    240
    """
    widths = [max(len(_text(row[k])) for row in rows if k < len(row)) for k in range(max(map(len, rows)))]
    for row in rows:
        line: list[Piece] = []
        for k, cell in enumerate(row):
            text = _text(cell)
            padded = text.ljust(widths[k]) if k < left else text.rjust(widths[k])
            line += [gap] if k else []
            line.append(padded if isinstance(cell, str) else (padded, cell[1]))
        yield line


def _text(cell: Piece) -> str:
    return in_a_column(cell if isinstance(cell, str) else cell[0])
