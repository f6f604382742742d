"""Atomic writes: the new contents are synced before the rename, the folder after it."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from helpers.fresh import FRESH_PYTHON
from textperceptron.cli import main
from textperceptron.model.file import atomic_write

WRITERS = {
    "predictions": ["predict", "m.tpm", "texts", "--output", "file"],
    "a model": ["train", "xor", "--json", "--model", "file"],
    "a checkpoint": ["train", "xor", "--json", "--checkpoint", "file", "--every", "0", "--epochs", "1"],
}

# Prints the contents of the path when the new file, and then the folder, is synced.
WATCHED = """
import os, stat, sys
from textperceptron.cli import main
fsync = os.fsync
def watch(handle):
    found = os.fstat(handle)
    kind = "folder" if stat.S_ISDIR(found.st_mode) else "file"
    with open("file", "rb") as file:
        print(kind, "old" if file.read() == b"old" else "new", file=sys.stderr)
    fsync(handle)
os.fsync = watch
sys.exit(main(sys.argv[1:]))
"""

KILLED = """
import os, signal, sys
from textperceptron.cli import main
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
main(sys.argv[1:])
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "xor", "--json", "--model", "m.tpm"]) == 0
    (tmp_path / "texts").write_text("not bad\n" * 3)
    (tmp_path / "file").write_text("old")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("what", WRITERS)
def test_contents_are_synced_before_the_rename_and_the_folder_after_it(folder, what):
    done = subprocess.run(
        [*FRESH_PYTHON, WATCHED, *WRITERS[what]], capture_output=True, text=True, timeout=60, check=True
    )
    lines = done.stderr.splitlines()
    assert lines[:2] == ["file old", "folder new"]
    assert set(lines[2:]) <= {"file new", "folder new"}  # later checkpoints
    assert (folder / "file").read_bytes() != b"old"


@pytest.mark.slow
@pytest.mark.parametrize("what", WRITERS)
def test_a_kill_while_contents_are_synced_leaves_the_old_file(folder, what):
    done = subprocess.run([*FRESH_PYTHON, KILLED, *WRITERS[what]], capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (folder / "file").read_bytes() == b"old"
    assert main(["predict", "m.tpm", "texts", "--output", "file"]) == 0
    assert sorted(os.listdir(folder)) == ["file", "m.tpm", "texts"]


def write(path):
    with atomic_write.atomic_replace(path) as file:
        file.write(b"new")


@pytest.mark.parametrize("call", [write, atomic_write.check_writable])
def test_ctrl_c_right_after_the_temporary_file_was_created_leaves_none(call, tmp_path, monkeypatch):
    def open_and_press(*arguments):
        open(*arguments).close()
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(atomic_write, "open", open_and_press, raising=False)
    with pytest.raises(KeyboardInterrupt):
        call(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
