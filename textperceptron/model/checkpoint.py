"""Checkpoints: the training state in a file, written atomically from time to time, so that training survives a kill."""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import LabelSets, Rows, RunProgress, State
from textperceptron.learn.fitted import NullCheckpoint
from textperceptron.learn.models.one_vs_one import sort_columns
from textperceptron.learn.one_vs_one import BinaryPairModel
from textperceptron.learn.rules.voted import VotedState
from textperceptron.model.file import ModelFileError, TensorFile, open_tensor_file, read_header, write_tensor_file
from textperceptron.model.parts import Epoch
from textperceptron.model.serialize_model import class_pair_arrays, load_class_pairs
from textperceptron.model.serialize_state import restore_state, state_arrays
from textperceptron.settings import Settings
from textperceptron.settings.typed_json import as_json, from_json


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; training continues."""


class Checkpoint(NullCheckpoint):
    """A file to resume training from, with the same settings, texts and labels.

    The voted perceptron has no checkpoint, because its state is in the user's rows: it starts over. If a checkpoint
    cannot be written, say because the disk is full, a warning is issued and the next one is tried when it is due.

    Parameters
    ----------
    path : str or path
    every : float
        Seconds between checkpoints.
    resume : bool
        Resume from the file, if it exists.
    settings : Settings
    sample_weight : array-like or None
        Part of the digest, with the rows and labels that are bound later: training resumes only on the same data.
    """

    is_active = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        every: float,
        resume: bool,
        settings: Settings,
        sample_weight: npt.ArrayLike | None,
    ) -> None:
        self._path = path
        self._every = every
        self._resume = resume
        self._weight = sample_weight
        self._about: dict[str, Any] = {"settings": settings.as_json()}
        self._tried = time.monotonic()
        self._failure: int | None = None  # errno of the last attempt
        self._file: TensorFile | None = None

    def bind(self, rows: Rows, codes: npt.NDArray[np.intp] | LabelSets) -> None:
        """Compute the digest of the training data; open the file to resume from."""
        flat = np.concatenate([codes.starts, codes.label]) if isinstance(codes, LabelSets) else codes
        self._about["digest"] = _digest(rows, flat, self._weight)
        self._n_columns = rows.n_columns
        self._file = self._opened() if self._resume and os.path.exists(self._path) else None

    def _opened(self) -> TensorFile:
        header, _ = read_header(self._path, "checkpoint")
        file = open_tensor_file(self._path, "checkpoint", verify="sha256" in header)
        for name, what in (("settings", "settings"), ("digest", "texts, labels or weights")):
            if file.header.get(name) != self._about[name]:
                raise ValueError(
                    f"{os.fspath(self._path)}: this checkpoint is of a training with other {what}. Give those, or "
                    "start over without resuming."
                )
        return file

    def restore(self, state: State, progress: RunProgress) -> None:
        """Restore a state and its progress from the file."""
        if self._file is None or isinstance(state, VotedState):
            return
        try:
            restore_state(state, self._file, "state")
            _restore_progress(progress, state, self._file)
        except (ValueError, OverflowError, RecursionError) as problem:
            raise self._damaged(problem) from None
        self._file = None

    def save(self, state: State, progress: RunProgress, *, now: bool = False) -> None:
        """Write the state of a running problem, if a checkpoint is due."""
        if isinstance(state, VotedState) or not (now or self._is_due()) or not progress.can_save(state):
            return
        best = progress.best
        header = {
            **self._about,
            "history": [as_json(Epoch.from_record(record, 0)) for record in progress.history],
            "best": None if best.state is None else [best.accuracy, best.epochs_since],
        }
        arrays = state_arrays(state, "state") | {"before": progress.weights_before}
        if best.state is not None:
            arrays |= state_arrays(best.state, "best")
        self._write(header, arrays)

    def finished_problems(self) -> list[BinaryPairModel]:
        """Return the models of the class pairs that were finished."""
        if self._file is None:
            return []
        try:
            return load_class_pairs(self._file, self._n_columns)
        except ModelFileError as problem:
            raise self._damaged(problem) from None

    def save_problems(self, problems: Sequence[BinaryPairModel], *, now: bool = False) -> None:
        """Write the models of finished class pairs, if a checkpoint is due."""
        if problems and (now or self._is_due()):
            self._write(self._about, class_pair_arrays([sort_columns(each) for each in problems]))

    def _damaged(self, problem: Exception) -> ModelFileError:
        return ModelFileError(f"{os.fspath(self._path)}: {problem} Start over without resuming.")

    def _is_due(self) -> bool:
        return time.monotonic() - self._tried >= self._every

    def _write(self, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        try:
            write_tensor_file(self._path, "checkpoint", header, arrays)
            self._failure = None
        except OSError as problem:
            self._warn(problem)
        self._tried = time.monotonic()

    def _warn(self, problem: OSError) -> None:
        """Warn of a failure, but not again while further attempts fail in the same way."""
        if problem.errno == self._failure:
            return
        self._failure = problem.errno
        try:
            written = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(os.path.getmtime(self._path)))
            previous = f"The one of {written} is unchanged"
        except OSError:
            previous = "No earlier checkpoint exists"
        warnings.warn(
            f"{os.fspath(self._path)}: the checkpoint could not be written ({problem.strerror}). {previous}; training "
            "continues and will try again. Free disk space, or restore the folder.",
            CheckpointWarning,
            stacklevel=2,
        )


def _restore_progress(progress: RunProgress, state: State, file: TensorFile) -> None:
    history = file.header.get("history")
    if not isinstance(history, list) or len(history) != state.epoch:
        raise ModelFileError("its history does not match its state: the file is damaged.")
    progress.history += [from_json(Epoch, record, "history").to_record() for record in history]
    before = file.array("before", np.float32, np.float64)
    if len(before):
        progress.weights_before = file.array("before", np.float32, np.float64, size=len(state.unscaled_weights)).copy()
    best = file.header.get("best")
    if best is not None:
        if not isinstance(best, list) or [type(value) for value in best] != [float, int]:
            raise ModelFileError("its best state has no accuracy: the file is damaged.")
        progress.best.state = state.copy()
        restore_state(progress.best.state, file, "best")
        progress.best.accuracy, progress.best.epochs_since = best


def _digest(rows: Rows, codes: npt.NDArray[np.intp], weight: npt.ArrayLike | None) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(str((rows.n_columns, rows.dtype, rows.indices.dtype)).encode())
    weights = np.empty(0) if weight is None else np.asarray(weight, np.float64)
    for array in (rows.indptr, rows.indices, rows.data, codes.astype(np.int64), weights):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        digest.update(len(array.ravel()).to_bytes(8, "little"))
    return digest.hexdigest()
