"""Names of a package that are found when they are first asked for, so that nobody waits for what he does not use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def finder(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return the function ``__getattr__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to several str
        Its modules, and the names that each of them has.

    Examples
    --------
    >>> from textperceptron.later import finder
    >>> find = finder("textperceptron.report", {"interval": ("Share", "wilson_interval")})
    >>> find("Share")(9, 10).value
    0.9
    >>> find("Slice")
    Traceback (most recent call last):
    ...
    AttributeError: module 'textperceptron.report' has no attribute 'Slice'
    """
    home = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)  # from now on Python finds it without asking
        return value

    return find
