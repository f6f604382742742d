"""Model files that are served: copied, verified, mapped into memory, and reloaded when they change.

A file that is overwritten in place, as ``cp`` does, would change and shorten the mapped pages under its readers, which
kills them. So the service maps a copy. All processes map the same one: it is named after the file's inode, time and
size, and the first process that finds a changed file makes the copy.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Literal, NamedTuple

from textperceptron.model import TextModel
from textperceptron.model.file import read_header

logger = logging.getLogger("textperceptron.serve")

State = Literal["current", "damaged", "missing"]

# A file that changed in the last seconds may still be being written, with no further change of its time to be seen.
_SETTLED = 2.0


class _StillChangingError(ValueError):
    """A file that is being written."""


class FileKey(NamedTuple):
    """What changes when a file is replaced or overwritten."""

    device: int
    inode: int
    mtime_ns: int
    size: int

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> FileKey:
        """Return the key of a file.

        Raises
        ------
        OSError
            If there is no such file.
        """
        found = os.stat(path)
        return cls(found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)


@dataclass(frozen=True)
class LoadedModel:
    """A model and the file that it came from.

    Attributes
    ----------
    model : TextModel
    sha256 : str or None
        Digest of the file; None in format 1, which has none.
    key : FileKey
    """

    model: TextModel
    sha256: str | None
    key: FileKey

    @property
    def version(self) -> str | None:
        """The first 12 digits of the digest, which identify the model in responses."""
        return None if self.sha256 is None else self.sha256[:12]


class Status(NamedTuple):
    """The model that answers, and whether it is the one in its file.

    Attributes
    ----------
    loaded : LoadedModel
    state : {"current", "damaged", "missing"}
        If it is not current, the file cannot be loaded and the model that was loaded before answers.
    message : str or None
        Why the file cannot be loaded.
    """

    loaded: LoadedModel
    state: State = "current"
    message: str | None = None


class ServedModel:
    """A model file under its name; :meth:`refresh` follows its changes.

    The status is replaced in one assignment: a request that has begun keeps the model that it began with.

    Parameters
    ----------
    name : str
    path : str
        The model file.
    folder : path
        Where the copies are, shared by all processes.
    number : int
        Distinguishes the copies of this model from those of others.

    Attributes
    ----------
    status : Status
    n_loads, n_failures : int
        Number of files that were loaded, and of changed files that could not be.

    Raises
    ------
    ValueError
        If the file is not a model file or is damaged; the message starts with its path.
    OSError
        If it cannot be read, or not be copied.
    """

    def __init__(self, name: str, path: str, folder: Path, number: int) -> None:
        self.name, self.path = name, path
        self._folder, self._number = folder, number
        self.n_loads, self.n_failures = 1, 0
        self._failed: tuple[FileKey, bool] | None = None
        self.status = Status(self._load_first())

    @property
    def loaded(self) -> LoadedModel:
        """The model that answers."""
        return self.status.loaded

    def refresh(self) -> None:
        """Load the file if it has changed; if that fails, keep the model, and say so in the status."""
        try:
            key = FileKey.of(self.path)
        except OSError as problem:
            self._report("missing", f"{self.path}: the file cannot be read ({problem.strerror})")
            return
        if key == self.loaded.key:
            self._report("current", None)
            return
        if self._failed == (key, True):
            return
        settled = time.time() - key.mtime_ns / 1e9 > _SETTLED
        try:
            loaded = self._load(key, log_warnings=True)
        except _StillChangingError:
            return
        except (OSError, ValueError, MemoryError) as problem:
            if self._failed is None or self._failed[0] != key:
                self.n_failures += 1
            self._failed = key, settled and not isinstance(problem, OSError)  # a full disk may have space again
            self._report("damaged", _message(problem))
            return
        self._failed, self.n_loads = None, self.n_loads + 1
        self.status = Status(loaded)
        logger.info("%s: loaded %s, version %s", self.name, self.path, loaded.version)

    def _report(self, state: State, message: str | None) -> None:
        """Set state and message, and log them if they are new."""
        before = self.status
        if (state, message) == (before.state, before.message):
            return
        self.status = Status(before.loaded, state, message)
        if message is None:
            logger.info("%s: %s is back, unchanged", self.name, self.path)
        else:
            logger.warning("%s: %s; the model loaded before keeps answering", self.name, message.rstrip("."))

    def _load_first(self) -> LoadedModel:
        """Load the file, or the copy that other processes use: this one may replace one that crashed."""
        try:
            return self._load(FileKey.of(self.path))
        except (OSError, ValueError):
            copies = sorted(self._folder.glob(f"{self._number}-*.tpm"), key=os.path.getmtime)
            if not copies:
                raise
            key = FileKey(*map(int, copies[-1].stem.split("-")[1:]))
            return self._open(copies[-1], key)

    def _load(self, key: FileKey, *, log_warnings: bool = False) -> LoadedModel:
        """Copy the file unless another process has, verify it, and remove older copies."""
        copy = self._folder / f"{self._number}-{'-'.join(map(str, key))}.tpm"
        if copy.exists():
            return self._open(copy, key, log_warnings=log_warnings)
        handle, name = mkstemp(dir=self._folder)
        os.close(handle)
        part = Path(name)
        try:
            shutil.copyfile(self.path, part)
            if FileKey.of(self.path) != key:
                raise _StillChangingError(f"{self.path}: the file changed while it was being copied. Try again.")
            loaded = self._open(part, key, log_warnings=log_warnings)
            try:
                os.link(part, copy)
            except FileExistsError:  # another process was faster
                loaded = self._open(copy, key)
        finally:
            part.unlink(missing_ok=True)
        for other in self._folder.glob(f"{self._number}-*.tpm"):
            if other != copy:
                other.unlink(missing_ok=True)  # processes that have mapped it keep it
        return loaded

    def _open(self, copy: Path, key: FileKey, *, log_warnings: bool = False) -> LoadedModel:
        """Map and verify a copy; errors and warnings name the file that it was copied from."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                sha256 = read_header(copy)[0].get("sha256")
                model = TextModel.load(copy, verify=sha256 is not None)
            except ValueError as problem:
                raise ValueError(f"{self.path}: {str(problem).removeprefix(f'{copy}: ')}") from None
            _warm_up(model)
        for warning in caught if log_warnings else ():
            logger.warning("%s", str(warning.message).replace(str(copy), self.path))
        return LoadedModel(model, sha256, key)


def _warm_up(model: TextModel) -> None:
    """Import and create now what the first request would wait for."""
    model.predict_one("")
    model.scores([""])
    if model.settings.learner.learner != "voted":
        model.explain("")


def _message(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem) or "not enough memory"
