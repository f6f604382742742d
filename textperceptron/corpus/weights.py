"""The weight of each text, from a column of the corpus."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from textperceptron.corpus.documents import Batch
from textperceptron.corpus.errors import CorpusError, excerpt


def take_weights(batch: Batch, report: Callable[[CorpusError], None]) -> tuple[Batch, list[float]]:
    """Return the texts that have a weight, and the weights, from the only column that was kept; report the others."""
    assert batch.records is not None
    (name,) = batch.records.names
    weights = [_weight(row.get(name)) for row in batch.records.rows]
    for k, weight in enumerate(weights):
        if weight is None:
            value = batch.records.rows[k].get(name)
            shown = f"is {excerpt(str(value))}, not a weight" if value not in (None, "") else "has no weight"
            report(CorpusError(
                f"column {name!r} {shown}", batch.locations[k],
                "Weights are numbers from 0. Change it, or use --skip-bad to leave such rows out.",
                f"column {name!r} is not a weight",
            ))  # fmt: skip
    good = [k for k, weight in enumerate(weights) if weight is not None]
    texts, labels = [batch.texts[k] for k in good], [batch.labels[k] for k in good] if batch.labels else []
    found = [weight for weight in weights if weight is not None]
    return Batch(texts, labels, [batch.locations[k] for k in good], batch.split), found


def _weight(value: Any) -> float | None:
    """Return a weight, or None if the value is none.

    Examples
    --------
    >>> [_weight(value) for value in (" 2.5", 0, "-1", "many", None, "nan", True)]
    [2.5, 0.0, None, None, None, None, None]
    """
    if value is None or isinstance(value, bool):
        return None
    try:
        weight = float(value)
    except (TypeError, ValueError):
        return None
    return weight if math.isfinite(weight) and weight >= 0 else None
