"""Write a model as a file for another language."""

from __future__ import annotations

import os

from textperceptron._interrupts import deferred_interrupts
from textperceptron.model import TextModel
from textperceptron.model.file.atomic_write import atomic_replace

FORMATS = {"javascript": (".js", ".cjs", ".mjs"), "c": (".c",), "onnx": (".onnx",)}
"""Formats and the suffixes of their files, the usual one first."""


def export_model(model: TextModel, path: str | os.PathLike[str], to: str | None = None) -> int:
    """Write a model as one file that another language can run; return its size in bytes.

    Parameters
    ----------
    model : TextModel
    path : str or path
        The file is replaced when the new one is complete.
    to : {"javascript", "c", "onnx"}, optional
        The format. Default: by the suffix of the path.

    Raises
    ------
    ValueError
        If the model cannot be exported, or the format is not known; no file is written then.
    MissingPackageError
        If the package onnx is needed and not installed.
    OSError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from textperceptron import TextModel
    >>> from textperceptron.export import export_model
    >>> model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "film.js"
    ...     export_model(model, path) == path.stat().st_size
    True
    """
    data = exported(model, to or format_of(path))
    with atomic_replace(path) as file:
        file.write(data)
    return len(data)


def exported(model: TextModel, to: str) -> bytes:
    """Return the contents of the file that :func:`export_model` writes."""
    with deferred_interrupts():
        from textperceptron.export.c import c_source
        from textperceptron.export.javascript import javascript_source
        from textperceptron.export.onnx_graph import onnx_bytes

    if to == "javascript":
        return javascript_source(model).encode()
    if to == "c":
        return c_source(model).encode("ascii")
    if to == "onnx":
        return onnx_bytes(model)
    raise ValueError(f"to={to!r}: models can be exported to {', '.join(FORMATS)}.")


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a path names.

    Examples
    --------
    >>> from textperceptron.export.write import format_of
    >>> format_of("reviews.js"), format_of("reviews.onnx")
    ('javascript', 'onnx')

    Raises
    ------
    ValueError
        If it names none.
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    for name, suffixes in FORMATS.items():
        if suffix in suffixes:
            return name
    known = ", ".join(suffixes[0] for suffixes in FORMATS.values())
    raise ValueError(f"{os.fspath(path)}: the suffix names no format. Use {known}, or say which: {', '.join(FORMATS)}.")
