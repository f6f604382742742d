"""JSON as the standard has it: no NaN, no name twice, no bottomless nesting."""

from __future__ import annotations

import json
import math
from typing import Any

from textperceptron.model.file.errors import ModelFileError


def parse(text: str | bytes, what: str) -> Any:
    """Return what JSON says.

    Raises
    ------
    ModelFileError
        If it is not JSON, or ambiguous.

    Examples
    --------
    >>> from textperceptron.model.file.strict_json import parse
    >>> parse('{"C": 0.01}', "the header")
    {'C': 0.01}
    >>> parse('{"C": 1, "C": 2}', "the header")
    Traceback (most recent call last):
    ...
    textperceptron.model.file.errors.ModelFileError: the header is no JSON: 'C' stands there twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_object_of, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{what} is no JSON: {problem}") from None


def dump(value: Any) -> str:
    """Return JSON in ASCII, the same text for equal values."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands there twice.")
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number.")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is beyond the range of numbers.")
    return value
