"""A warning of model files whose pattern of words may keep Python's re busy for very long."""

from __future__ import annotations

import os
import warnings

from textperceptron.settings import TextPart

_SHOWN = 60  # characters of a pattern


class SlowPatternWarning(UserWarning):
    """A model file's token_pattern may take very long on some texts: it may have been made for that."""


def warn_of_slow_pattern(path: str | os.PathLike[str], part: TextPart, *, stacklevel: int) -> None:
    """Warn if texts are cut by a pattern that may backtrack for very long; compiled code knows none of these."""
    if part.analyzer != "word" or not part.text_settings().needs_python:
        return
    from textperceptron.text.patterns import may_backtrack

    if may_backtrack(part.token_pattern):
        pattern = part.token_pattern
        shown = pattern if len(pattern) <= _SHOWN else pattern[: _SHOWN - 1] + "…"
        warnings.warn(
            f"{os.fspath(path)}: its token_pattern {shown!r} may take very long on some texts, even for ever. Use this "
            "model only if you trust where it comes from.",
            SlowPatternWarning,
            stacklevel=stacklevel + 1,
        )
