"""What a model file says about itself, printed or as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from textperceptron.cli.describe import in_words
from textperceptron.cli.labels import label_text
from textperceptron.cli.screen import Piece, Screen
from textperceptron.cli.tables import columns
from textperceptron.cli.training_view import in_bytes
from textperceptron.model.top_terms import positive_terms

if TYPE_CHECKING:
    from textperceptron.model.inspect import Inspection

MOST_CLASSES = 20  # that are listed


def as_dict(path: str, found: Inspection, *, verified: bool) -> dict[str, Any]:
    """Return it as JSON has it; ``verified`` is whether the digest was compared."""
    told = found.description
    return {
        "model": path,
        "bytes": found.n_bytes,
        "format": told.format,
        "toolkit": told.toolkit,
        "sha256": told.sha256,
        "verified": verified,
        "settings": told.settings.as_json(),
        "classes": list(told.classes.labels),
        "columns": told.n_columns,
        "summary": asdict(told.summary),
        "calibrated": told.calibration is not None,
        "top_terms": None if told.top_terms is None else [dict(positive_terms(terms)) for terms in told.top_terms],
        "arrays": {name: {"type": kind, "shape": list(shape)} for name, (kind, shape) in found.arrays.items()},
    }


def show(screen: Screen, path: str, found: Inspection, top: int, *, verified: bool) -> None:
    """Print it, with at most ``top`` terms per class; ``verified`` is whether the digest was compared."""
    told = found.description
    summary, n_classes = told.summary, len(told.classes)
    screen.line((path, "bold"), f": {in_bytes(found.n_bytes)}, format {told.format}, written by {told.toolkit}")
    if verified:
        screen.line(f"verified: all bytes are those that were written, SHA-256 {told.sha256}")
    screen.line(in_words(told.settings))
    probabilities = "scores and probabilities" if told.calibration is not None else "scores, no probabilities"
    screen.line(f"{told.n_columns:,} columns, {n_classes} classes, {probabilities}")
    epochs = f"{len(summary.history)} epochs, " if summary.history else ""
    screen.line(
        f"learnt from {summary.n_rows:,} texts: {epochs}{summary.n_updates} updates, stopped by {summary.stopped_by}"
    )
    screen.line()
    rows: list[list[Piece]] = []
    for k, label in enumerate(told.classes.labels[:MOST_CLASSES]):
        terms = positive_terms(told.top_terms[k])[:top] if told.top_terms is not None else []
        rows.append(
            [(label_text(label), "bold"), f"{summary.rows_of_class[k]:,} texts", ", ".join(t for t, _ in terms)]
        )
    for line in columns(rows, left=3):
        screen.line(*line)
    if n_classes > MOST_CLASSES:
        screen.line(f"… and {n_classes - MOST_CLASSES} more")
    screen.line()
    rows = [
        [name, kind, "×".join(map(str, shape)), in_bytes(math.prod(shape) * np.dtype(kind).itemsize)]
        for name, (kind, shape) in sorted(found.arrays.items())
    ]
    for line in columns(rows, left=2):
        screen.line(*line)
