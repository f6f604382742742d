"""Where a model comes from: its training texts, its measured accuracy, and the notes of its author."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from textperceptron.settings.languages import LANGUAGE_NAMES
from textperceptron.settings.typed_json import as_json, read_value

KEYS = {"training_texts", "measured", "metadata"}
"""Keys of a header, each absent if there is nothing to say."""


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """The texts that a model was trained on.

    Attributes
    ----------
    digest : str
        SHA-256 of texts and labels, see :func:`textperceptron.model.training_digest`.
    mean_length : float
        Mean number of characters of the first 1,000 texts.
    script : str or None
        The script of most letters, by its name in Unicode; None without letters.
    language : str or None
        The language by its code, if it is one of those with negators.
    n_batches : int
        1, and 1 for each update.
    """

    digest: str
    mean_length: float
    script: str | None
    language: str | None
    n_batches: int = 1

    def describe(self) -> str:
        """Return script, language and length in a few words."""
        from textperceptron.model.text_profile import TextProfile

        return TextProfile(self.mean_length, self.script, self.language).describe()


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured accuracy.

    Attributes
    ----------
    method : str
        ``test split``, ``test corpus``, ``hold-out``, ``cross-validation`` or ``first epoch``.
    measured_on : str
        The texts, in words.
    correct : int
        Number of texts with the right label.
    n : int
        Number of texts.
    interval : tuple of float
        The 95 % confidence interval of the accuracy.
    macro_f1 : float or None
        Mean of the classes' F1, if it was measured.
    micro_f1 : float or None
        F1 of all labels together, if a text may have several. It is then correct if all of them are right.
    """

    method: str
    measured_on: str
    correct: int
    n: int
    interval: tuple[float, float]
    macro_f1: float | None = None
    micro_f1: float | None = None

    @property
    def accuracy(self) -> float:
        """The share of texts with the right label."""
        return self.correct / self.n


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a model comes from.

    Attributes
    ----------
    training_texts : TrainingTexts or None
        None for a model from an older file, and for texts that were counted before.
    measured : tuple of Measured
        As ``textperceptron train`` measured them.
    metadata : dict of str
        Notes of the author.
    """

    training_texts: TrainingTexts | None = None
    measured: tuple[Measured, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)

    def of_changed_weights(self) -> Provenance:
        """Return the provenance of a model with other weights: its accuracy is not known, its notes are its own."""
        return replace(self, measured=(), metadata=dict(self.metadata))

    def as_header(self) -> dict[str, Any]:
        """Return the keys of a header.

        Raises
        ------
        ValueError
            If the metadata are not strings.
        """
        found: dict[str, Any] = {}
        if self.training_texts is not None:
            found["training_texts"] = as_json(self.training_texts)
        if self.measured:
            found["measured"] = as_json(self.measured)
        if self.metadata:
            found["metadata"] = checked_metadata(self.metadata)
        return found

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Provenance:
        """Read the keys of a header.

        Raises
        ------
        ValueError
            If a value is invalid.
        """
        values = header.get("training_texts")
        texts = None if values is None else read_value(values, TrainingTexts, "training_texts")
        if texts is not None and not re.fullmatch("[0-9a-f]{64}", texts.digest):
            raise ValueError("the digest of the training texts must be 64 hexadecimal digits: the file is damaged.")
        if texts is not None and not (texts.mean_length >= 0 and 1 <= texts.n_batches < 1 << 53):
            raise ValueError("a number of the training texts is out of range: the file is damaged.")
        if texts is not None and texts.language is not None and texts.language not in LANGUAGE_NAMES:
            raise ValueError(
                f"the language {texts.language[:20]!r} of the training texts is unknown: the file is damaged."
            )
        measured = read_value(header.get("measured", []), tuple[Measured, ...], "measured")
        for each in measured:
            low, high = each.interval
            if not (0 <= each.correct <= each.n < 1 << 53 and each.n and 0 <= low <= high <= 1):
                raise ValueError("a measured accuracy is out of range: the file is damaged.")
            if not all(0 <= f1 <= 1 for f1 in (each.macro_f1, each.micro_f1) if f1 is not None):
                raise ValueError("a measured F1 is out of range: the file is damaged.")
        return cls(texts, measured, checked_metadata(header.get("metadata", {})))


def checked_metadata(values: Any) -> dict[str, str]:
    """Return a copy of notes.

    Raises
    ------
    ValueError
        If they are not a dict of strings, or a key is empty.

    Examples
    --------
    >>> checked_metadata({"author": "Ada"})
    {'author': 'Ada'}
    >>> checked_metadata({"year": 1843})
    Traceback (most recent call last):
    ...
    ValueError: metadata: 'year' is 1843, but notes are strings. Use '1843'.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"metadata is {values!r}: use a dict of strings, such as {{'author': 'Ada'}}.")
    for key, value in values.items():
        if not isinstance(key, str) or not key.strip():
            raise ValueError(f"metadata: {key!r} is no name of a note: use a string that is not empty.")
        if not isinstance(value, str):
            raise ValueError(f"metadata: {key!r} is {value!r}, but notes are strings. Use {str(value)!r}.")
    return dict(values)
