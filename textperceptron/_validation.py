"""Range checks for settings, shared by the command line, the estimators and model files; and of missing packages."""

from __future__ import annotations

import math
from collections.abc import Collection


class MissingPackageError(ImportError, ValueError):
    """A package that is not installed; an error of the user, hence a ValueError too."""


def at_least(name: str, value: float, low: float) -> None:
    """Raise ValueError unless ``value`` is a finite number not below ``low``."""
    if not _is_number(value) or not low <= value < math.inf:
        raise ValueError(f"{name}={value!r}: use a number of at least {low}.")


def integer(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a whole number."""
    if not _is_number(value) or value != int(value):
        raise ValueError(f"{name}={value!r}: use a whole number.")


def positive(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a finite number above 0."""
    if not _is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{name}={value!r}: use a number above 0.")


def between(name: str, value: float, low: float, high: float) -> None:
    """Raise ValueError unless ``value`` lies strictly between ``low`` and ``high``."""
    if not _is_number(value) or not low < value < high:
        raise ValueError(f"{name}={value!r}: use a number between {low} and {high}, both excluded.")


def fraction(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"{name}={value!r}: use a number from 0 to 1.")


def one_of(name: str, value: object, allowed: Collection[object]) -> None:
    """Raise ValueError unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: use one of {', '.join(map(repr, allowed))}.")


def _is_number(value: object) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str)
