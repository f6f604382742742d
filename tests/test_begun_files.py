"""Model files that are begun while the learner learns are those that are written at once."""

from __future__ import annotations

import os

import numpy as np
import pytest
from embedded import embedded

from textperceptron import TextModel
from textperceptron.model_file import BegunFile, open_container, write_container
from textperceptron.recipes import recipe

HERE = pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
REVIEWS = embedded("reviews").train
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


@pytest.mark.parametrize("possible", [True, False])
def test_a_model_trained_for_a_path_is_saved_as_any_other(tmp_path, monkeypatch, possible):
    if not possible:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    model = TextModel.train(*REVIEWS, recipe("mira"), n_jobs=2, save_as=tmp_path / "announced")
    assert os.listdir(tmp_path) == []
    model.save(tmp_path / "announced")
    TextModel.train(*REVIEWS, recipe("mira")).save(tmp_path / "plain")
    assert (tmp_path / "announced").read_bytes() == (tmp_path / "plain").read_bytes()
    model.train_more(*REVIEWS)
    model.save(tmp_path / "announced", trainable=True)
    assert TextModel.load(tmp_path / "announced").summary == model.summary


def test_a_folder_that_is_not_there_is_reported_when_the_model_is_saved(tmp_path):
    model = TextModel.train(*REVIEWS, recipe("mira"), n_jobs=2, save_as=tmp_path / "none" / "model")
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "none" / "model")
