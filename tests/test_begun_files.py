"""Model files that are begun while the learner learns are those that are written at once."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess

import numpy as np
import pytest
from fresh import FRESH_PYTHON

from textperceptron import TextModel
from textperceptron.model_file import BegunFile, open_container, write_container
from textperceptron.recipes import recipe

HERE = pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
NAMES = np.arange(300_000, dtype=np.uint64)  # more than a megabyte: such files begin with a block of fixed size
WEIGHTS = np.linspace(-1, 1, 50).astype(np.float32)


def whole(folder):
    write_container(folder / "whole", "model", {"about": 1}, {"names": NAMES, "weights": WEIGHTS})
    return (folder / "whole").read_bytes()


@HERE
def test_a_file_that_was_begun_has_the_same_bytes(tmp_path):
    begun = BegunFile(tmp_path, {"names": NAMES}, {"weights": np.zeros_like(WEIGHTS)})
    assert os.listdir(tmp_path) == []
    size = write_container(tmp_path / "begun", "model", {"about": 1}, {"names": NAMES, "weights": WEIGHTS}, begun)
    assert os.listdir(tmp_path) == ["begun"]
    assert (tmp_path / "begun").read_bytes() == whole(tmp_path)
    assert size == os.path.getsize(tmp_path / "begun")


@HERE
def test_it_is_used_once_so_that_a_file_never_changes_in_place(tmp_path):
    begun = BegunFile(tmp_path, {"names": NAMES}, {"weights": np.zeros_like(WEIGHTS)})
    write_container(tmp_path / "first", "model", {"about": 1}, {"names": NAMES, "weights": WEIGHTS}, begun)
    before = (tmp_path / "first").read_bytes()
    write_container(tmp_path / "second", "model", {"about": 2}, {"names": NAMES, "weights": -WEIGHTS}, begun)
    assert (tmp_path / "first").read_bytes() == before
    assert open_container(tmp_path / "second", "model").arrays["weights"].tolist() == (-WEIGHTS).tolist()


@HERE
@pytest.mark.parametrize("what", ["other names", "a longer header", "another size", "another folder"])
def test_what_does_not_fit_is_written_anew(tmp_path, what):
    begun = BegunFile(tmp_path, {"names": NAMES}, {"weights": np.zeros_like(WEIGHTS)})
    folder = tmp_path / "folder" if what == "another folder" else tmp_path
    folder.mkdir(exist_ok=True)
    header = {"about": "x" * 20_000 if what == "a longer header" else 1}
    names = NAMES[::-1].copy() if what == "other names" else NAMES
    weights = WEIGHTS[:7] if what == "another size" else WEIGHTS
    write_container(folder / "file", "model", header, {"names": names, "weights": weights}, begun)
    read = open_container(folder / "file", "model")
    assert read.header["about"] == header["about"]
    np.testing.assert_array_equal(read.arrays["names"], names)
    np.testing.assert_array_equal(read.arrays["weights"], weights)


@HERE
def test_a_file_in_its_place_keeps_its_permissions(tmp_path):
    (tmp_path / "file").touch(0o600)
    begun = BegunFile(tmp_path, {"names": NAMES}, {"weights": np.zeros_like(WEIGHTS)})
    write_container(tmp_path / "file", "model", {}, {"names": NAMES, "weights": WEIGHTS}, begun)
    assert os.stat(tmp_path / "file").st_mode & 0o777 == 0o600


@HERE
def test_it_takes_no_room_once_it_cannot_be_used(tmp_path):
    begun = BegunFile(tmp_path, {"names": NAMES}, {"weights": np.zeros_like(WEIGHTS)})
    (tmp_path / "folder").mkdir()
    before = open_files()
    write_container(tmp_path / "folder" / "file", "model", {}, {"names": NAMES, "weights": WEIGHTS}, begun)
    assert open_files() == before - 1


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("is_begun", [False, pytest.param(True, marks=HERE)])
def test_what_others_may_not_read_they_may_not_read_while_it_is_written(tmp_path, monkeypatch, is_begun):
    (tmp_path / "file").touch(0o600)
    begun = BegunFile(tmp_path, {"names": NAMES}, {"weights": np.zeros_like(WEIGHTS)}) if is_begun else None
    modes, fsync = [], os.fsync

    def look(handle):
        modes.append(os.fstat(handle).st_mode & 0o777)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", look)
    write_container(tmp_path / "file", "model", {}, {"names": NAMES, "weights": WEIGHTS}, begun)
    assert modes[0] == os.stat(tmp_path / "file").st_mode & 0o777 == 0o600


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(scope="module")
def many_words():
    """Texts whose model has a file of more than a megabyte."""
    random = np.random.default_rng(0)
    texts = [" ".join(f"word{k}" for k in random.integers(0, 20_000, 120)) for _ in range(400)]
    return texts, ["pos" if k % 2 else "neg" for k in range(400)]


@pytest.fixture
def finished(monkeypatch):
    """Whether each begun file that was tried could be finished."""
    results, finish = [], BegunFile.finish
    monkeypatch.setattr(BegunFile, "finish", lambda *args: results.append(finish(*args)) or results[-1])
    return results


def trained(corpus, path, **further):
    return TextModel.train(*corpus, recipe("mira"), n_jobs=2, save_as=path, **further)


@pytest.mark.parametrize("possible", [pytest.param(True, marks=HERE), False])
def test_a_model_trained_for_a_path_is_saved_as_any_other(tmp_path, monkeypatch, many_words, finished, possible):
    if not possible:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    model = trained(many_words, tmp_path / "announced")
    assert os.listdir(tmp_path) == []
    model.save(tmp_path / "announced")
    assert finished == ([True] if possible else [])
    TextModel.train(*many_words, recipe("mira")).save(tmp_path / "plain")
    assert (tmp_path / "announced").read_bytes() == (tmp_path / "plain").read_bytes()
    model.train_more(*many_words)
    model.save(tmp_path / "announced", trainable=True)
    assert TextModel.load(tmp_path / "announced").summary == model.summary


@HERE
def test_the_file_of_a_small_model_is_not_begun(tmp_path, finished):
    trained((["good", "bad"], ["pos", "neg"]), tmp_path / "small").save(tmp_path / "small")
    assert finished == []


def test_a_model_trained_for_a_path_can_be_copied_and_made_smaller(tmp_path, many_words):
    model = trained(many_words, tmp_path / "whole")
    expected = model.predict(many_words[0])
    for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model):
        same.save(tmp_path / "whole")
        assert TextModel.load(tmp_path / "whole").predict(many_words[0]) == expected
    trained(many_words, tmp_path / "half").halved().save(tmp_path / "half")
    assert TextModel.load(tmp_path / "half").n_columns == model.n_columns


@HERE
def test_kept_models_keep_no_files_open(tmp_path, many_words):
    before = open_files()
    models = [trained(many_words, tmp_path / "model") for _ in range(3)]
    models[0].save(tmp_path / "model")
    (tmp_path / "elsewhere").mkdir()
    models[1].save(tmp_path / "elsewhere" / "model")
    models[2].save(tmp_path / "model", trainable=True)
    assert open_files() == before


AFTER_A_FORK = """
import os, sys
from textperceptron import TextModel
texts = [" ".join(f"word{100 * k + j}" for j in range(100)) + " same" for k in range(400)]
corpus = texts, ["pos" if k % 2 else "neg" for k in range(400)]
model = TextModel.train(*corpus, "mira", n_jobs=2, save_as="parent")
child = os.fork()
if child == 0:
    model.save("child")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
model.train_more(*corpus)
model.save("parent")
assert not os.path.samefile("child", "parent")
assert TextModel.load("child").history != TextModel.load("parent").history
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_processes_that_a_model_is_in_write_files_of_their_own(tmp_path):
    done = subprocess.run([*FRESH_PYTHON, AFTER_A_FORK], cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("folder", ["none", "no\0path"])
def test_a_folder_that_cannot_be_is_reported_when_the_model_is_saved_there(tmp_path, many_words, folder):
    model = trained(many_words, tmp_path / folder / "model")
    with pytest.raises((FileNotFoundError, ValueError)):
        model.save(tmp_path / folder / "model")
    assert model.save(tmp_path / "model") == os.path.getsize(tmp_path / "model")
