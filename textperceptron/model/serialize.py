"""Text models ↔ files; everything in a header is checked before it is used."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn.column_pairs import n_columns_with_pairs
from textperceptron.model.classes import Classes
from textperceptron.model.features import Features
from textperceptron.model.file import (
    FORMAT,
    ModelFileError,
    TensorFile,
    error_context,
    open_tensor_file,
    read_header,
    write_tensor_file,
)
from textperceptron.model.parts import COUNT_LIMIT, STORED_TOP_TERMS, ModelParts, Summary
from textperceptron.model.provenance import KEYS as PROVENANCE_KEYS
from textperceptron.model.provenance import Provenance
from textperceptron.model.serialize_model import half_exponent_of, load_model, model_arrays
from textperceptron.model.top_terms import top_terms
from textperceptron.settings import Settings, TextSettings
from textperceptron.settings.corpus_columns import CorpusColumns
from textperceptron.settings.typed_json import as_json, from_json, read_value
from textperceptron.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration
    from textperceptron.learn.threshold import ClassThreshold

Read = TypeVar("Read")
TopTerms = tuple[tuple[tuple[str, float], ...], ...]

_LABEL_TYPES: dict[str, type] = {"str": str, "int": int, "bool": bool}
_KEYS = {
    "format", "kind", "toolkit", "settings", "classes", "model", "n_columns", "calibration", "summary", "heaviest",
}  # fmt: skip
# Absent from older files, and from files that do not need them.
_OPTIONAL_KEYS = {"corpus_columns", "label_sets", "thresholds", *PROVENANCE_KEYS}

# Top terms in a header, of all classes.
_ALL_TOP_TERMS = 10_000
_SHOWN_PATTERN = 60  # characters


class SlowPatternWarning(UserWarning):
    """The token_pattern of a model file may take very long on some texts; the file may be malicious."""


@dataclass(frozen=True)
class Description:
    """The header of a model file.

    Attributes
    ----------
    format : int
        Version of the file format.
    toolkit : str
        Version of textperceptron that wrote the file.
    sha256 : str or None
        Digest of the file; None in format 1, which has none.
    settings : Settings
    classes : Classes
    n_columns : int
    summary : Summary
    calibration : Platt, Temperature or None
    top_terms : tuple or None
        For each class the terms with the largest weights; None where columns have no names or no weights.
    corpus_columns : CorpusColumns or None
        The columns of the corpus that texts and labels came from, and merged labels; None if it has no named columns.
    thresholds : tuple of ClassThreshold
        Those that were chosen on held-out texts.
    provenance : Provenance
        The digest of the training texts, the measured accuracy, and notes.
    """

    format: int
    toolkit: str
    sha256: str | None
    settings: Settings
    classes: Classes
    n_columns: int
    summary: Summary
    calibration: Calibration | None
    top_terms: TopTerms | None
    corpus_columns: CorpusColumns | None = None
    thresholds: tuple[ClassThreshold, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True)
class Inspection:
    """The description of a model, the type and shape of each array, and the size of the file.

    ``weights_digest`` is that of :attr:`TextModel.weights_digest`, for a file that was verified.
    """

    description: Description
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    n_bytes: int
    weights_digest: str | None = None


def save_parts(path: str | os.PathLike[str], parts: ModelParts, *, trainable: bool) -> int:
    """Write a model, with its training state if ``trainable``; return the size of the file.

    Raises
    ------
    ValueError
        If the model has no training state.
    OSError
        If the file cannot be written.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    if trainable:
        if parts.fitted is None:
            why = ", because texts have several labels" if parts.multilabel else ""
            raise ValueError(f"the model has no training state to save{why}: save it with trainable=False.")
        with deferred_interrupts():
            from textperceptron.model.serialize_state import fitted_arrays

        arrays |= fitted_arrays(parts.fitted)
    model, weights = _arrays_of(parts)
    arrays |= weights
    header = {
        "settings": parts.settings.as_json(),
        "classes": {"type": parts.classes.kind, "labels": list(parts.classes.labels)},
        "calibration": _calibration_as_json(parts.calibration),
        "summary": as_json(parts.summary),
        "model": model,
        "n_columns": parts.features.n_columns,
        "heaviest": _top_terms_of(parts),
    }
    if parts.corpus_columns is not None:
        header["corpus_columns"] = parts.corpus_columns.as_json()
    if parts.multilabel:
        header["label_sets"] = {"texts": parts.summary.n_texts}
    if parts.thresholds:
        header["thresholds"] = as_json(parts.thresholds)
    header |= parts.provenance.as_header()
    return write_tensor_file(path, "model", header, arrays)


def load_parts(path: str | os.PathLike[str], *, verify: bool = False) -> ModelParts:
    """Open a model file; with ``verify`` its digest is compared first.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged or of a newer format, or has no digest to verify.
    OSError
        If the file cannot be read.
    """
    file = open_tensor_file(path, "model", verify=verify)
    with error_context(path):
        described = read_description(file.header)
        settings, n_classes = described.settings, len(described.classes)
        features = _read_features(file, described)
        n_columns = n_columns_with_pairs(described.n_columns, settings.learner.pair_bits)
        multilabel = described.summary.n_texts is not None
        model = load_model(file.header["model"], file, n_columns, n_classes, multilabel=multilabel)
        if "mistaken" in file.arrays and settings.learner.learner != "voted":
            raise ModelFileError("the file has voted mistakes, but its learner is not 'voted': the file is damaged.")
        fitted = None
        if "state.weights" in file.arrays:
            with deferred_interrupts():
                from textperceptron.model.serialize_state import load_fitted

            fitted = load_fitted(file, settings.learner, model, described.summary.rows_of_class)
        half_exponent = half_exponent_of(file.header["model"])
    warn_of_slow_pattern(path, settings.text, stacklevel=3)
    return ModelParts(
        settings, described.classes, features, model, described.summary, described.calibration, fitted, half_exponent,
        described.corpus_columns, described.thresholds, described.provenance,
    )  # fmt: skip


def inspect(path: str | os.PathLike[str], *, verify: bool = False) -> Inspection:
    """Read the header of a model file, with the checks of loading; the arrays are read only to verify them.

    Parameters
    ----------
    path : str or path
    verify : bool
        Read the whole file and compare its digest.

    Raises
    ------
    ValueError
        If the file is not a model file, is damaged or of a newer format, or has no digest to verify (format 1).
    OSError
        If the file cannot be read.

    Warns
    -----
    SlowPatternWarning
        If its ``token_pattern`` may take very long on some texts.
    """
    header, arrays = read_header(path, "model", verify=verify)
    with error_context(path):
        digest = arrays_digest(open_tensor_file(path, "model").arrays) if verify else None
        found = Inspection(read_description(header), arrays, os.stat(path).st_size, digest)
    warn_of_slow_pattern(path, found.description.settings.text, stacklevel=2)
    return found


def read_description(header: Mapping[str, Any]) -> Description:
    """Check and convert a header.

    Raises
    ------
    ModelFileError
        If a key is missing or unknown, or a value is invalid.
    """
    if unknown := set(header) - _KEYS - _OPTIONAL_KEYS - {"sha256"}:
        raise ModelFileError(f"the header has the unknown key {min(unknown)[:40]!r}: the file is damaged.")
    if missing := _KEYS - set(header):
        raise ModelFileError(f"the header has no key {min(missing)!r}: the file is damaged.")
    classes = _read_classes(header["classes"])
    if type(header["n_columns"]) is not int or not 0 <= header["n_columns"] < 1 << 31:
        raise ModelFileError("n_columns must be an integer from 0 to 2**31: the file is damaged.")
    n_texts = _read_label_sets(header.get("label_sets"))
    settings = _checked(Settings.from_json, header["settings"])
    if settings.text.has_auto:
        raise ModelFileError("a setting of the text is 'auto', which training resolves: the file is damaged.")
    return Description(
        header["format"],
        str(header["toolkit"])[:40],
        header.get("sha256"),
        settings,
        classes,
        header["n_columns"],
        replace(_read_summary(header["summary"], len(classes)), n_texts=n_texts),
        _read_calibration(header["calibration"], len(classes), multilabel=n_texts is not None),
        _read_top_terms(header["heaviest"], len(classes)),
        _read_corpus_columns(header.get("corpus_columns")),
        _read_thresholds(header.get("thresholds"), len(classes)),
        _checked(Provenance.from_header, header),
    )


def warn_of_slow_pattern(path: str | os.PathLike[str], settings: TextSettings, *, stacklevel: int) -> None:
    """Warn if the token_pattern may backtrack for very long in Python's re; compiled patterns never do."""
    if settings.analyzer != "word" or not settings.needs_python:
        return
    with deferred_interrupts():
        from textperceptron.text.patterns import may_backtrack

    if may_backtrack(settings.token_pattern):
        pattern = settings.token_pattern
        shown = pattern if len(pattern) <= _SHOWN_PATTERN else pattern[: _SHOWN_PATTERN - 1] + "…"
        warnings.warn(
            f"{os.fspath(path)}: its token_pattern {shown!r} may take very long on some texts, or never end. Use this "
            "model only if you trust its source.",
            SlowPatternWarning,
            stacklevel=stacklevel + 1,
        )


def describe(parts: ModelParts) -> Description:
    """Return the description of a model that has no file."""
    from textperceptron import __version__

    return Description(
        FORMAT, __version__, None, parts.settings, parts.classes, parts.features.n_columns, parts.summary,
        parts.calibration, _as_tuples(_top_terms_of(parts)), parts.corpus_columns, parts.thresholds, parts.provenance,
    )  # fmt: skip


def weights_digest(parts: ModelParts) -> str:
    """Return the digest of the arrays that a model's file would have, but for its training state."""
    return arrays_digest(_arrays_of(parts)[1])


def arrays_digest(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return the SHA-256 of vocabulary and weights.

    Training state and the hash table of the vocabulary, which some files lack, are left out.
    """
    with deferred_interrupts():
        from hashlib import sha256

    digest = sha256()
    for name, array in sorted(arrays.items()):
        if not name.startswith("state.") and name != "vocabulary.slots":
            digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _arrays_of(parts: ModelParts) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the description of the weights, and the arrays of weights and vocabulary."""
    model, arrays = model_arrays(parts.model, parts.half_exponent)
    return model, arrays | _vocabulary_arrays(parts.features.vocabulary, compact=parts.half_exponent is not None)


def _as_tuples(terms: list[list[tuple[str, float]]] | None) -> TopTerms | None:
    return None if terms is None else tuple(map(tuple, terms))


def _vocabulary_arrays(vocabulary: Vocabulary | None, *, compact: bool) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a vocabulary under their names in a file; a compact file has no hash table."""
    if vocabulary is None:
        return {}
    arrays = vocabulary.arrays().items()
    return {f"vocabulary.{name}": array for name, array in arrays if not (compact and name == "slots")}


def _read_features(file: TensorFile, described: Description) -> Features:
    """Return the features; everything that look-ups in the vocabulary rely on is checked."""
    vocabulary = None
    if described.settings.text.n_features is None:
        arrays = {
            "offsets": file.array("vocabulary.offsets", np.int64),
            "arena": file.array("vocabulary.arena", np.uint8),
        }
        if "vocabulary.slots" in file.arrays:
            arrays["slots"] = file.array("vocabulary.slots", np.uint64)
        vocabulary = _checked(Vocabulary.from_arrays, arrays)
    features = Features(described.settings.text, vocabulary)
    if described.n_columns != features.n_columns:
        raise ModelFileError(
            f"n_columns is {described.n_columns}, but there are {features.n_columns} columns: the file is damaged."
        )
    return features


def _read_classes(values: Any) -> Classes:
    if not isinstance(values, dict) or set(values) != {"type", "labels"}:
        raise ModelFileError("classes must have a type and labels: the file is damaged.")
    label_type = _LABEL_TYPES.get(values["type"]) if isinstance(values["type"], str) else None
    labels = values["labels"]
    if label_type is None or not isinstance(labels, list) or any(type(label) is not label_type for label in labels):
        raise ModelFileError("the class labels do not have the type that the header names: the file is damaged.")
    if len(labels) < 2 or any(first >= second for first, second in pairwise(labels)):
        raise ModelFileError("the class labels must be two or more, distinct and sorted: the file is damaged.")
    return Classes(tuple(labels))


def _read_summary(values: Any, n_classes: int) -> Summary:
    summary = _checked(lambda values: from_json(Summary, values, "summary"), values)
    if len(summary.rows_of_class) != n_classes:
        raise ModelFileError(
            f"the summary has {len(summary.rows_of_class)} classes, expected {n_classes}: the file is damaged."
        )
    epochs = (n for each in summary.history for n in (each.epoch, each.rows, each.mistakes, each.updates))
    if not all(0 <= n < COUNT_LIMIT for n in (*summary.rows_of_class, summary.n_updates, *epochs)):
        raise ModelFileError("a count in the summary is out of range: the file is damaged.")
    return summary


def _read_label_sets(values: Any) -> int | None:
    """Return the number of training texts of a model of several labels per text, else None."""
    if values is None:
        return None
    n_texts = values.get("texts") if isinstance(values, dict) and len(values) == 1 else None
    if type(n_texts) is not int or not 0 <= n_texts < COUNT_LIMIT:
        raise ModelFileError("label_sets must have a number of texts from 0 to 2**53: the file is damaged.")
    return n_texts


def _read_calibration(values: Any, n_classes: int, *, multilabel: bool) -> Calibration | None:
    if values is None:
        return None
    kind = values.get("kind") if isinstance(values, dict) else None
    expected = "platt-per-label" if multilabel else "platt" if n_classes == 2 else "temperature"
    if kind != expected:
        raise ModelFileError(f"calibration of {n_classes} classes must be of kind {expected}: the file is damaged.")
    parameters = {name: value for name, value in values.items() if name != "kind"}
    found: Any = _checked(lambda values: from_json(_calibrations()[kind], values, "calibration"), parameters)
    if multilabel and found.n_labels != n_classes:
        raise ModelFileError("calibration must have a slope and an offset per label: the file is damaged.")
    return found  # type: ignore[no-any-return]


def _calibration_as_json(calibration: Calibration | None) -> dict[str, Any] | None:
    if calibration is None:
        return None
    kind = next(name for name, each in _calibrations().items() if type(calibration) is each)
    return {"kind": kind, **as_json(calibration)}


def _calibrations() -> dict[str, type[Calibration]]:
    with deferred_interrupts():
        from textperceptron.learn.calibration import Platt, PlattPerLabel, Temperature  # few models are calibrated

    return {"platt": Platt, "temperature": Temperature, "platt-per-label": PlattPerLabel}


def _top_terms_of(parts: ModelParts) -> list[list[tuple[str, float]]] | None:
    n_classes = len(parts.classes)
    n = max(1, min(STORED_TOP_TERMS, _ALL_TOP_TERMS // n_classes))
    try:
        return [top_terms(parts, code, n) for code in range(n_classes)]
    except ValueError:  # columns without names or weights
        return None


def _read_top_terms(values: Any, n_classes: int) -> TopTerms | None:
    if values is None:
        return None
    found: TopTerms = _checked(lambda values: read_value(values, TopTerms, "heaviest"), values)
    if len(found) != n_classes:
        raise ModelFileError(f"heaviest has {len(found)} classes, expected {n_classes}: the file is damaged.")
    return found


def _read_corpus_columns(values: Any) -> CorpusColumns | None:
    if values is None:
        return None
    found = _checked(lambda values: from_json(CorpusColumns, values, "corpus_columns"), values)
    if any(isinstance(column, int) and column < 1 for column in (*found.text, found.label, found.weight)):
        raise ModelFileError("a number in corpus_columns is below 1: the file is damaged.")
    return found


def _read_thresholds(values: Any, n_classes: int) -> tuple[ClassThreshold, ...]:
    if values is None:
        return ()
    with deferred_interrupts():
        from textperceptron.learn.threshold import ClassThreshold  # few models have one

    found: tuple[ClassThreshold, ...] = _checked(
        lambda values: read_value(values, tuple[ClassThreshold, ...], "thresholds"), values
    )
    for each in found:
        counts = each.n_rows, each.support, each.predicted, each.hits, each.predicted_before, each.hits_before
        if not 0 <= each.code < n_classes or not all(0 <= n < COUNT_LIMIT for n in counts):
            raise ModelFileError("a threshold is out of range: the file is damaged.")
    return found


def _checked(read: Callable[[Any], Read], values: Any) -> Read:
    try:
        return read(values)
    except ValueError as problem:
        raise ModelFileError(str(problem)) from None
