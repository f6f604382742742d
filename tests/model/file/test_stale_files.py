"""The stale file of a killed writer is removed by the next writer; a file that is being written is not."""

from __future__ import annotations

import os
import signal
import subprocess
import threading

import numpy as np
import pytest

from helpers.fresh import FRESH_PYTHON
from textperceptron.model.file import atomic_write, open_tensor_file, write_tensor_file

fcntl = pytest.importorskip("fcntl")

ARRAYS = {"weights": np.arange(1000.0)}

KILLED = """
import os, signal
import numpy as np
from textperceptron.model.file import write_tensor_file
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
write_tensor_file("model", "model", {}, {"weights": np.arange(1000.0)})
"""


def test_the_stale_file_of_a_killed_writer_is_removed_by_the_next(tmp_path):
    done = subprocess.run([*FRESH_PYTHON, KILLED], cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = os.listdir(tmp_path)
    assert left.startswith(".model.")
    write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
    assert os.listdir(tmp_path) == ["model"]


def test_a_file_that_another_process_is_writing_is_kept(tmp_path):
    (tmp_path / ".model.0123abcd.tmp").touch()
    with open(tmp_path / ".model.0123abcd.tmp") as being_written:
        fcntl.flock(being_written, fcntl.LOCK_EX)
        write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
        assert sorted(os.listdir(tmp_path)) == [".model.0123abcd.tmp", "model"]
    write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("name", [".other.0123abcd.tmp", ".model.notes.tmp", "model.0123abcd.tmp", ".model.0123abcd"])
def test_other_files_are_kept(tmp_path, name):
    (tmp_path / name).touch()
    write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
    assert sorted(os.listdir(tmp_path)) == sorted([name, "model"])


def test_links_and_pipes_are_kept(tmp_path):
    (tmp_path / "kept").touch()
    (tmp_path / ".model.01234567.tmp").symlink_to(tmp_path / "kept")
    os.mkfifo(tmp_path / ".model.89abcdef.tmp")
    write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
    assert len(os.listdir(tmp_path)) == 4


def test_a_file_removed_as_stale_before_it_was_locked_is_created_again(tmp_path, monkeypatch):
    lock, seen = atomic_write.try_lock, []

    def lock_too_late(handle):
        if not seen:
            seen.append(atomic_write.remove_stale(tmp_path / "model"))
            assert os.listdir(tmp_path) == []
        return lock(handle)

    monkeypatch.setattr(atomic_write, "try_lock", lock_too_late)
    write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
    assert seen
    assert os.listdir(tmp_path) == ["model"]


def test_threads_that_write_the_same_file_leave_one(tmp_path):
    problems = []

    def write():
        try:
            for _ in range(50):
                write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
        except OSError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert os.listdir(tmp_path) == ["model"]
    assert np.array_equal(open_tensor_file(tmp_path / "model", "model").arrays["weights"], ARRAYS["weights"])


def test_without_file_locks_files_are_written_and_none_is_removed(tmp_path, monkeypatch):
    def unavailable(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", unavailable)
    (tmp_path / ".model.0123abcd.tmp").touch()
    write_tensor_file(tmp_path / "model", "model", {}, ARRAYS)
    assert sorted(os.listdir(tmp_path)) == [".model.0123abcd.tmp", "model"]
