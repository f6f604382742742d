"""JSON ↔ dataclasses, with strict types: no conversion, no unknown names.

A field that is declared with ``metadata=NOT_STORED`` is left out.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Container, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Kind = TypeVar("Kind")

NOT_STORED = types.MappingProxyType({"stored": False})


def from_json(kind: type[Kind], values: Any, where: str) -> Kind:
    """Return the dataclass in an object of JSON.

    A field with a default may be missing: the object was written before the field existed.

    Raises
    ------
    ValueError
        If a field without a default is missing, or one is unknown or of another type; the message says where.

    Examples
    --------
    >>> from textperceptron.settings.text import WindowSettings
    >>> from textperceptron.settings.typed_json import from_json
    >>> from_json(WindowSettings, {"pivots": ["not"], "window": 4}, "conjunctions")
    WindowSettings(pivots=('not',), window=4)
    >>> from_json(WindowSettings, {"pivots": ["not"], "window": True}, "conjunctions")
    Traceback (most recent call last):
    ...
    ValueError: conjunctions.window is True, which is not of the type int | None.
    """
    types: dict[str, Any] = field_types(kind)  # type: ignore[arg-type]  # every class can be hashed
    return kind(**read_fields(values, types, where, optional=_with_default(kind)))


def read_fields(values: Any, types: Mapping[str, Any], where: str, optional: Container[str] = ()) -> dict[str, Any]:
    """Return the values of an object of JSON, converted to their types.

    Raises
    ------
    ValueError
        If a name is missing that is not optional, or one is unknown or of another type; the message says where.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{where} is {_shown(values)}, which is not an object with settings.")
    if missing := [name for name in types if name not in values and name not in optional]:
        raise ValueError(f"{where} lacks {missing[0]!r}.")
    if unknown := [name for name in values if name not in types]:
        raise ValueError(f"{where} has {_shown(unknown[0])}, which this version does not know.")
    return {name: read_value(value, types[name], f"{where}.{name}") for name, value in values.items()}


def as_json(value: Any) -> Any:
    """Return a value for JSON: dataclasses become objects, tuples become arrays."""
    if dataclasses.is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in _stored_fields(value)}
    return [as_json(item) for item in value] if isinstance(value, tuple) else value


@cache
def field_types(kind: Any) -> dict[str, Any]:
    """Return the types of the fields of a dataclass, by name."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in _stored_fields(kind)}


def _stored_fields(kind: Any) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(kind) if field.metadata.get("stored", True)]


def _with_default(kind: Any) -> set[str]:
    absent = dataclasses.MISSING
    return {field.name for field in dataclasses.fields(kind) if not field.default is field.default_factory is absent}


_MISMATCH = object()


def read_value(value: Any, hint: Any, where: str) -> Any:
    """Return a value of JSON, converted to a type.

    Raises
    ------
    ValueError
        If it is of another type; the message says where.
    """
    read = _matched(value, hint, where)
    if read is _MISMATCH:
        name = getattr(hint, "__name__", str(hint)) if isinstance(hint, type) else str(hint).replace("typing.", "")
        raise ValueError(f"{where} is {_shown(value)}, which is not of the type {name}.")
    return read


def _matched(value: Any, hint: Any, where: str) -> Any:
    """Return a value converted to a type, or ``_MISMATCH``."""
    if hint is Any:
        return value
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        found = (_matched(value, option, where) for option in get_args(hint))
        return next((read for read in found if read is not _MISMATCH), _MISMATCH)
    if origin is Literal:
        same = (choice for choice in get_args(hint) if type(choice) is type(value) and choice == value)
        return next(same, _MISMATCH)
    if origin is tuple:
        return _matched_tuple(value, get_args(hint), where)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return from_json(hint, value, where) if isinstance(value, dict) else _MISMATCH
    if hint is float:
        fits = type(value) in (int, float) and _is_finite(value)
        return float(value) if fits else _MISMATCH
    return value if type(value) is hint else _MISMATCH


def _matched_tuple(value: Any, items: tuple[Any, ...], where: str) -> Any:
    if not isinstance(value, list):
        return _MISMATCH
    if len(items) == 2 and items[1] is Ellipsis:
        items = (items[0],) * len(value)
    if len(items) != len(value):
        return _MISMATCH
    read = tuple(_matched(item, hint, where) for item, hint in zip(value, items, strict=True))
    return _MISMATCH if any(item is _MISMATCH for item in read) else read


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of floats
        return False


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
