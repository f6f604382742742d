"""Labels as text."""

from __future__ import annotations

import json
from typing import Any

from textperceptron.cli.escaping import escaped


def label_text(label: Any) -> str:
    r"""Return a label as the readers of corpora give it: numbers and truth values as JSON writes them.

    Examples
    --------
    >>> label_text("pos"), label_text(3), label_text(True)
    ('pos', '3', 'true')
    """
    return label if isinstance(label, str) else json.dumps(label)


def in_a_column(label: Any) -> str:
    r"""Return a label, or a term, that leaves the columns and lines of a table whole.

    Examples
    --------
    >>> print(in_a_column("a\tb"))
    a\tb
    """
    return escaped(label_text(label))
