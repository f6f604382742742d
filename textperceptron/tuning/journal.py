"""A file that a search can resume from: one line per finished evaluation."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np

from textperceptron.model.file.atomic_write import sync_folder
from textperceptron.tuning.metric import Confusion

FORMAT = 1

# Properties that must be equal to resume a search, and their names in messages.
MUST_MATCH = {
    "toolkit": "version of textperceptron",
    "corpus": "texts or labels",
    "folds": "number of folds",
    "seed": "seed",
    "start": "starting settings",
    "space": "search space",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An evaluation: a confusion matrix or an error, and the seconds from the start of the search to its end."""

    confusion: Confusion | None
    error: str | None
    elapsed: float


class Journal:
    """Evaluations by changed settings and fold; each is synced to disk when it is added.

    Parameters
    ----------
    path : str, path or None
        None for a journal in memory.
    about : mapping
        The properties of ``MUST_MATCH``; a journal of another search is an error.
    n_classes : int
    resume : bool
        Resume from the file, if it exists; otherwise it is created.

    Raises
    ------
    ValueError
        If the file exists and ``resume`` is False, or it belongs to another search, or is not a journal.
    OSError
        If it cannot be read or written.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, about: Mapping[str, Any], n_classes: int, *, resume: bool = False
    ) -> None:
        self._path, self._n_classes = path, n_classes
        self._entries: dict[str, Entry] = {}
        self._lock = Lock()
        self._file: int | None = None
        if path is None:
            if resume:
                raise ValueError("resume=True needs a journal to resume from: name its file.")
            return
        self._name = os.fspath(path)
        if os.path.exists(path) and os.path.getsize(path):
            if not resume:
                raise ValueError(f"{self._name} already exists. Resume its search, or name another journal.")
            n_bytes = self._read(about)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
            os.ftruncate(self._file, n_bytes)  # drops a line that a killed process left incomplete
            return
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self._write({"textperceptron": "tune", "format": FORMAT, **{name: about[name] for name in MUST_MATCH}})
        sync_folder(Path(os.path.realpath(path)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def elapsed(self) -> float:
        """Seconds from the start of the search to the last line."""
        return max((entry.elapsed for entry in self._entries.values()), default=0.0)

    def find(self, changes: Mapping[str, Any], fold: int) -> Entry | None:
        """Return an evaluation, None if it is unknown."""
        return self._entries.get(_key(changes, fold))

    def add(self, changes: Mapping[str, Any], fold: int, entry: Entry) -> None:
        """Add an evaluation; it is on disk when this returns. Thread-safe."""
        line: dict[str, Any] = {"changes": dict(changes), "fold": fold, "elapsed": round(entry.elapsed, 3)}
        if entry.confusion is None:
            line["error"] = entry.error
        else:
            matrix = entry.confusion
            line["counts"] = [[*map(int, cell), int(matrix[*cell])] for cell in np.argwhere(matrix)]
        with self._lock:
            self._entries[_key(changes, fold)] = entry
            if self._file is not None:
                self._write(line)

    def _write(self, line: Mapping[str, Any]) -> None:
        assert self._file is not None
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        rest = text.encode("utf-8", "surrogatepass")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as problem:  # it does not name the file
            raise OSError(problem.errno, problem.strerror, self._name) from None

    def _read(self, about: Mapping[str, Any]) -> int:
        """Read all complete lines and return their size in bytes."""
        with open(self._name, "rb") as file:
            *lines, _ = file.read().split(b"\n")  # the last is empty or incomplete
        header = _parse(lines[0]) if lines else None
        if header is None or header.get("textperceptron") != "tune":
            raise ValueError(f"{self._name}: this is not a journal of a search. Name another file.")
        if header.get("format") != FORMAT:
            raise ValueError(f"{self._name}: this journal has another format. Name another file.")
        for name, what in MUST_MATCH.items():
            if header.get(name) != json.loads(json.dumps(about[name])):
                raise ValueError(
                    f"{self._name}: this journal belongs to another search (different {what}). Use the same, or name "
                    "another journal."
                )
        for number, line in enumerate(lines[1:], 2):
            self._load(_parse(line) or {}, number)
        return sum(len(line) + 1 for line in lines)

    def _load(self, line: dict[str, Any], number: int) -> None:
        changes, fold, elapsed = line.get("changes"), line.get("fold"), line.get("elapsed")
        if not isinstance(changes, dict) or type(fold) is not int or not isinstance(elapsed, int | float):
            raise self._damaged(number)
        matrix, error = None, line.get("error")
        if not isinstance(error, str):
            matrix = np.zeros((self._n_classes, self._n_classes), np.int64)
            cells = line.get("counts")
            if not isinstance(cells, list) or not all(self._is_cell(cell) for cell in cells):
                raise self._damaged(number)
            for true, predicted, n in cells:
                matrix[true, predicted] = n
            error = None
        self._entries[_key(changes, fold)] = Entry(matrix, error, float(elapsed))

    def _is_cell(self, cell: Any) -> bool:
        if not isinstance(cell, list) or [type(value) for value in cell] != [int] * 3:
            return False
        true, predicted, n = map(int, cell)
        return max(true, predicted) < self._n_classes and min(true, predicted) >= 0 and 0 < n < 1 << 62

    def _damaged(self, number: int) -> ValueError:
        return ValueError(
            f"{self._name}, line {number}: this is not a line of a journal. Remove it, or name another journal."
        )


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _key(changes: Mapping[str, Any], fold: int) -> str:
    return json.dumps([changes, fold], sort_keys=True)


def corpus_digest(texts: Iterable[Any], labels: Iterable[Any]) -> str:
    """Return a digest of texts and labels."""
    digest = hashlib.blake2b(digest_size=16)
    for text, label in zip(texts, labels, strict=True):
        for each in (text, json.dumps(label)):
            raw = each if isinstance(each, bytes) else str(each).encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "little"))
            digest.update(raw)
    return digest.hexdigest()
