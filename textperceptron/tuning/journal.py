"""A file that a search can go on from: a line for each evaluation that is finished."""

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

# What a search has to have in common with one that it goes on from, and what that is called.
SAME = {
    "toolkit": "version of textperceptron",
    "corpus": "texts or labels",
    "folds": "number of folds",
    "seed": "seed",
    "start": "settings to begin with",
    "space": "space to search",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An evaluation: a table of confusions, or why there is none; and how long all before it and itself took."""

    confusion: Confusion | None
    error: str | None
    elapsed: float


class Journal:
    """Evaluations by what is different from the start, and fold; forced to the disk one by one.

    Parameters
    ----------
    path : str, path or None
        None to keep them in memory only.
    about : mapping
        What ``SAME`` names; a journal of another search is refused.
    n_classes : int
    resume : bool
        Whether to go on from a file that is there. A new one is begun if there is none.

    Raises
    ------
    ValueError
        If there is a file that is not to be gone on from, or is that of another search, or is no journal.
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
                raise ValueError("resume=True needs the journal to go on from: name its file.")
            return
        self._name = os.fspath(path)
        if os.path.exists(path) and os.path.getsize(path):
            if not resume:
                raise ValueError(
                    f"{self._name} is there already. Resume the search that it is of, or name another journal."
                )
            whole = self._read(about)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
            os.ftruncate(self._file, whole)  # a line that was being written when the process was killed
            return
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self._write({"textperceptron": "tune", "format": FORMAT, **{name: about[name] for name in SAME}})
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
        """Seconds that the search had taken when the last line was written."""
        return max((entry.elapsed for entry in self._entries.values()), default=0.0)

    def find(self, changes: Mapping[str, Any], fold: int) -> Entry | None:
        """Return an evaluation, None if it is not there."""
        return self._entries.get(_key(changes, fold))

    def keep(self, changes: Mapping[str, Any], fold: int, entry: Entry) -> None:
        """Add an evaluation; when this returns it is on the disk. Threads may call it."""
        line: dict[str, Any] = {"changes": dict(changes), "fold": fold, "elapsed": round(entry.elapsed, 3)}
        if entry.confusion is None:
            line["error"] = entry.error
        else:
            table = entry.confusion
            line["counts"] = [[*map(int, place), int(table[*place])] for place in np.argwhere(table)]
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
        except OSError as problem:  # which names no file
            raise OSError(problem.errno, problem.strerror, self._name) from None

    def _read(self, about: Mapping[str, Any]) -> int:
        """Read all whole lines; return how many bytes they are."""
        with open(self._name, "rb") as file:
            *lines, _ = file.read().split(b"\n")  # the last is empty, or cut short
        if not lines:
            raise ValueError(f"{self._name}: this is no journal of a search. Name another file.")
        header = _parsed(lines[0])
        if header is None or header.get("textperceptron") != "tune":
            raise ValueError(f"{self._name}: this is no journal of a search. Name another file.")
        if header.get("format") != FORMAT:
            raise ValueError(f"{self._name}: this is a journal of another format. Name another file.")
        for name, what in SAME.items():
            if header.get(name) != json.loads(json.dumps(about[name])):
                raise ValueError(
                    f"{self._name}: this journal is of a search with another {what}. Give the same again, or name "
                    "another journal."
                )
        for number, line in enumerate(lines[1:], 2):
            self._take_in(_parsed(line) or {}, number)
        return sum(len(line) + 1 for line in lines)

    def _take_in(self, line: dict[str, Any], number: int) -> None:
        changes, fold, elapsed = line.get("changes"), line.get("fold"), line.get("elapsed")
        if not isinstance(changes, dict) or type(fold) is not int or not isinstance(elapsed, int | float):
            raise self._damaged(number)
        table, error = None, line.get("error")
        if not isinstance(error, str):
            table = np.zeros((self._n_classes, self._n_classes), np.int64)
            cells = line.get("counts")
            if not isinstance(cells, list) or not all(self._is_cell(cell) for cell in cells):
                raise self._damaged(number)
            for true, said, n in cells:
                table[true, said] = n
            error = None
        self._entries[_key(changes, fold)] = Entry(table, error, float(elapsed))

    def _is_cell(self, cell: Any) -> bool:
        if not isinstance(cell, list) or [type(value) for value in cell] != [int] * 3:
            return False
        true, said, n = map(int, cell)
        return max(true, said) < self._n_classes and min(true, said) >= 0 and 0 < n < 1 << 62

    def _damaged(self, number: int) -> ValueError:
        return ValueError(
            f"{self._name}, line {number}: this is no line of a journal. Remove it, or name another journal."
        )


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _key(changes: Mapping[str, Any], fold: int) -> str:
    return json.dumps([changes, fold], sort_keys=True)


def corpus_digest(texts: Iterable[Any], labels: Iterable[Any]) -> str:
    """Return a number that texts and labels have in common with no others, as far as anyone knows."""
    digest = hashlib.blake2b(digest_size=16)
    for text, label in zip(texts, labels, strict=True):
        for each in (text, json.dumps(label)):
            raw = each.encode("utf-8", "surrogatepass") if isinstance(each, str) else bytes(each)
            digest.update(len(raw).to_bytes(8, "little"))
            digest.update(raw)
    return digest.hexdigest()
