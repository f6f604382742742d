"""A text model's header: written, and read back with every part of it checked."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.model.features import Features
from textperceptron.model.file import ModelFileError, TensorFile
from textperceptron.model.labels import Classes
from textperceptron.model.summary import MOST_COUNTED, Summary
from textperceptron.settings import Settings
from textperceptron.settings.strict import as_json, from_json, read_value
from textperceptron.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration

Array = npt.NDArray[Any]
Read = TypeVar("Read")
Listed = tuple[tuple[tuple[str, float], ...], ...]

_TYPES: dict[str, type] = {"str": str, "int": int, "bool": bool}
_NAMES = {
    "format", "kind", "toolkit", "settings", "classes", "model", "n_columns", "calibration", "summary", "heaviest",
}  # fmt: skip


class Description(NamedTuple):
    """All that a file says about a model in its header.

    Attributes
    ----------
    format : int
        Version of the file format.
    toolkit : str
        Version that wrote it.
    sha256 : str or None
        Digest of the file; None in format 1, which has none.
    settings : Settings
    classes : Classes
    n_columns : int
    summary : Summary
    calibration : Platt, Temperature or None
    top_terms : tuple or None
        For each class the terms with the largest weights; None where columns have no names or no weights.
    """

    format: int
    toolkit: str
    sha256: str | None
    settings: Settings
    classes: Classes
    n_columns: int
    summary: Summary
    calibration: Calibration | None
    top_terms: Listed | None


def vocabulary_arrays(vocabulary: Vocabulary | None, *, small: bool) -> dict[str, Array]:
    """Return the arrays of a vocabulary as a file names them; a ``small`` one without what can be made anew."""
    if vocabulary is None:
        return {}
    arrays = vocabulary.arrays().items()
    return {f"vocabulary.{name}": array for name, array in arrays if not (small and name == "slots")}


def header_of(
    settings: Settings, classes: Classes, calibration: Calibration | None, summary: Summary
) -> dict[str, Any]:
    """Return what a header says about everything but the arrays."""
    return {
        "settings": settings.as_json(),
        "classes": {"type": classes.kind, "labels": list(classes.labels)},
        "calibration": _calibration_as_json(calibration),
        "summary": as_json(summary),
    }


def read_description(header: Any) -> Description:
    """Return all that a header says.

    Raises
    ------
    ModelFileError
        If something is missing, unknown or makes no sense.
    """
    if unknown := set(header) - _NAMES - {"sha256"}:
        raise ModelFileError(f"its header has {min(unknown)[:40]!r}, which this version does not know.")
    if missing := _NAMES - set(header):
        raise ModelFileError(f"its header lacks {min(missing)!r}: the file is damaged.")
    classes = _classes(header["classes"])
    if type(header["n_columns"]) is not int or not 0 <= header["n_columns"] < 1 << 31:
        raise ModelFileError("its number of columns is none: the file is damaged.")
    return Description(
        header["format"],
        str(header["toolkit"])[:40],
        header.get("sha256"),
        _checked(Settings.from_json, header["settings"]),
        classes,
        header["n_columns"],
        _summary(header["summary"], len(classes)),
        _calibration(header["calibration"], len(classes)),
        _listed(header["heaviest"], len(classes)),
    )


def read_features(file: TensorFile, told: Description) -> Features:
    """Return the text part; the vocabulary is checked as far as look-ups rely on it."""
    vocabulary = None
    if told.settings.text.n_features is None:
        arrays = {
            "offsets": file.array("vocabulary.offsets", np.int64),
            "arena": file.array("vocabulary.arena", np.uint8),
        }
        if "vocabulary.slots" in file.arrays:
            arrays["slots"] = file.array("vocabulary.slots", np.uint64)
        vocabulary = _checked(Vocabulary.from_arrays, arrays)
    features = Features(told.settings.text, vocabulary)
    if told.n_columns != features.n_columns:
        raise ModelFileError("it has another number of columns than it says: the file is damaged.")
    return features


def _classes(values: Any) -> Classes:
    if not isinstance(values, dict) or set(values) != {"type", "labels"}:
        raise ModelFileError("it names no classes: the file is damaged.")
    kind = _TYPES.get(values["type"]) if isinstance(values["type"], str) else None
    labels = values["labels"]
    if kind is None or not isinstance(labels, list) or any(type(label) is not kind for label in labels):
        raise ModelFileError("its classes are not of the type that it says: the file is damaged.")
    if len(labels) < 2 or any(first >= second for first, second in pairwise(labels)):
        raise ModelFileError("its classes are in no order: the file is damaged.")
    return Classes(tuple(labels))


def _summary(values: Any, n_classes: int) -> Summary:
    summary = _checked(lambda values: from_json(Summary, values, "summary"), values)
    if len(summary.rows_of_class) != n_classes:
        raise ModelFileError(f"its summary is not of {n_classes} classes: the file is damaged.")
    epochs = (n for each in summary.history for n in (each.epoch, each.rows, each.mistakes, each.updates))
    if not all(0 <= n < MOST_COUNTED for n in (*summary.rows_of_class, summary.n_updates, *epochs)):
        raise ModelFileError("its summary counts what cannot be: the file is damaged.")
    return summary


def _calibration(values: Any, n_classes: int) -> Calibration | None:
    if values is None:
        return None
    kind = values.get("kind") if isinstance(values, dict) else None
    if kind != ("platt" if n_classes == 2 else "temperature"):
        raise ModelFileError(f"its calibration does not suit {n_classes} classes: the file is damaged.")
    numbers = {name: value for name, value in values.items() if name != "kind"}
    return _checked(lambda numbers: from_json(_calibrations()[kind], numbers, "calibration"), numbers)


def _calibration_as_json(calibration: Calibration | None) -> dict[str, Any] | None:
    if calibration is None:
        return None
    kind = next(name for name, each in _calibrations().items() if type(calibration) is each)
    return {"kind": kind, **as_json(calibration)}


def _calibrations() -> dict[str, type[Calibration]]:
    with deferred_interrupts():
        from textperceptron.learn.calibration import Platt, Temperature  # which few models have

    return {"platt": Platt, "temperature": Temperature}


def _listed(values: Any, n_classes: int) -> Listed | None:
    if values is None:
        return None
    listed: Listed = _checked(lambda values: read_value(values, Listed, "heaviest"), values)
    if len(listed) != n_classes:
        raise ModelFileError(f"it does not list terms of {n_classes} classes: the file is damaged.")
    return listed


def _checked(read: Callable[[Any], Read], values: Any) -> Read:
    try:
        return read(values)
    except ValueError as problem:
        raise ModelFileError(str(problem)) from None
