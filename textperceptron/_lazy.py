"""Lazy attribute lookup for packages (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from textperceptron._interrupts import deferred_interrupts


def attach(package: str, names_of: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` that imports a package's names on first use.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    names_of : mapping of str to iterable of str
        Submodule → the names that it defines.

    Examples
    --------
    >>> from textperceptron._lazy import attach
    >>> find = attach("textperceptron.report", {"interval": ("Proportion", "wilson_interval")})
    >>> find("Proportion")(9, 10).value
    0.9
    >>> find("Percentage")
    Traceback (most recent call last):
    ...
    AttributeError: module 'textperceptron.report' has no attribute 'Percentage'
    """
    module_of = {name: module for module, names in names_of.items() for name in names}

    def find(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with deferred_interrupts():
            value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)  # __getattr__ is not called again for this name
        return value

    return find
