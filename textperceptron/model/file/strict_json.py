"""JSON without extensions: no NaN, no duplicate keys, no infinite numbers."""

from __future__ import annotations

import json
import math
from typing import Any


def parse(text: str | bytes, what: str) -> Any:
    """Parse JSON.

    Parameters
    ----------
    text : str or bytes
    what : str
        How to name the text in errors.

    Raises
    ------
    ValueError
        If the text is not valid JSON, is ambiguous, or is nested too deeply.

    Examples
    --------
    >>> from textperceptron.model.file.strict_json import parse
    >>> parse('{"C": 0.01}', "the header")
    {'C': 0.01}
    >>> parse('{"C": 1, "C": 2}', "the header")
    Traceback (most recent call last):
    ...
    ValueError: the header is not valid JSON: duplicate key 'C'.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_reject_constant, parse_float=_finite)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{what} is not valid JSON: {problem}") from None


def dump(value: Any) -> str:
    """Return JSON in ASCII; equal values give the same text."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for key in values if keys.count(key) > 1)
        raise ValueError(f"duplicate key {duplicate!r}.")
    return values


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON.")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is out of range.")
    return value
