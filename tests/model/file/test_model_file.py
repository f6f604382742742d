"""Model files are loaded as they were saved, are never half-written, and old ones still open."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from helpers.fresh import FRESH_PYTHON
from helpers.model_files import KINDS, PROBES, XOR, model_of, taken_apart
from helpers.paths import TESTS
from helpers.texts import corpus
from textperceptron import TextModel, __version__
from textperceptron.model import inspect
from textperceptron.model.file import open_tensor_file, write_tensor_file
from textperceptron.settings import CorpusColumns, recipe
from textperceptron.text.vocabulary import Vocabulary

OLD = TESTS / "data"


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_model_behaves_like_the_saved_one(kind, tmp_path):
    model, trainable = model_of(kind)
    size = model.save(tmp_path / "model", trainable=trainable)
    loaded = TextModel.load(tmp_path / "model")
    assert size == (tmp_path / "model").stat().st_size
    assert (loaded.settings, loaded.classes, loaded.summary) == (model.settings, model.classes, model.summary)
    assert loaded.predict(PROBES) == model.predict(PROBES) == [loaded.predict_one(text) for text in PROBES]
    np.testing.assert_array_equal(loaded.scores(PROBES), model.scores(PROBES))
    if model.parts.calibration is not None:
        np.testing.assert_array_equal(loaded.probabilities(PROBES), model.probabilities(PROBES))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_training_gives_the_same_bytes_and_so_does_saving_again(kind, tmp_path):
    for name in ("one", "two"):
        model, trainable = model_of(kind)
        model.save(tmp_path / name, trainable=trainable)
    TextModel.load(tmp_path / "one").save(tmp_path / "three", trainable=trainable)
    assert len({(tmp_path / name).read_bytes() for name in ("one", "two", "three")}) == 1


def test_other_readers_of_the_format_open_the_file(tmp_path):
    model, _ = model_of("two classes")
    model.save(tmp_path / "model")
    arrays = safetensors.numpy.load_file(tmp_path / "model")
    np.testing.assert_array_equal(arrays["weights"], model.parts.model.weights)
    assert Vocabulary.from_arrays({name: arrays[f"vocabulary.{name}"] for name in ("offsets", "arena", "slots")})


def test_arrays_are_read_only_views_of_the_file(tmp_path):
    model, _ = model_of("two classes")
    model.save(tmp_path / "model")
    weights = TextModel.load(tmp_path / "model").parts.model.weights
    assert not weights.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        weights[0] = 1


def test_a_model_stays_whole_while_its_file_is_replaced(tmp_path):
    first, _ = model_of("two classes")
    first.save(tmp_path / "model")
    loaded = TextModel.load(tmp_path / "model")
    model_of("six classes")[0].save(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scores(PROBES), first.scores(PROBES))
    loaded.save(tmp_path / "model")
    np.testing.assert_array_equal(TextModel.load(tmp_path / "model").scores(PROBES), first.scores(PROBES))


names = st.text(min_size=1, max_size=12).filter(lambda name: "\x00" not in name)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
types = st.sampled_from(["<f2", "<f4", "<f8", "<i1", "<i4", "<i8", "<u1", "<u8"])
shapes = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


@given(header=st.dictionaries(names, values, max_size=4), described=st.dictionaries(names, st.tuples(types, shapes)))
def test_headers_and_arrays_of_any_kind_are_read_back(tmp_path_factory, header, described):
    path = tmp_path_factory.mktemp("any") / "file"
    described.pop("__metadata__", None)
    arrays = {
        name: np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        for name, (dtype, shape) in described.items()
        if _is_text(name)
    }
    assert write_tensor_file(path, "model", header, arrays) == path.stat().st_size
    read = open_tensor_file(path, "model")
    metadata = taken_apart(path.read_bytes())[0]["__metadata__"]
    assert path.read_bytes() == safetensors.numpy.save(arrays, metadata)
    digest = json.loads(metadata["textperceptron"])["sha256"]
    expected = {**header, "format": 2, "kind": "model", "toolkit": __version__, "sha256": digest}
    assert read.header == expected
    assert set(read.arrays) == set(arrays)
    for name, array in arrays.items():
        assert read.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(read.arrays[name], array)


def _is_text(name):
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def test_inspect_returns_the_header(tmp_path):
    model, _ = model_of("six classes")
    size = model.save(tmp_path / "model")
    found = inspect(tmp_path / "model")
    assert found.n_bytes == size
    assert found.arrays["weights"] == ("float32", ((model.n_columns + 1) * 8,))
    told = found.description
    assert (told.format, told.toolkit) == (2, __version__)
    assert (told.settings, told.summary, told.classes.labels) == (model.settings, model.summary, model.classes)
    assert told.n_columns == model.n_columns
    assert [list(terms) for terms in told.top_terms] == [model.top_terms(label, 20) for label in model.classes]
    model_of("hashed")[0].save(tmp_path / "hashed")
    assert inspect(tmp_path / "hashed").description.top_terms is None


def test_the_columns_of_the_corpus_are_stored_and_survive_changes_of_the_model(tmp_path):
    model, _ = model_of("trainable")
    model.save(tmp_path / "without")
    assert "corpus_columns" not in taken_apart((tmp_path / "without").read_bytes())[1]
    assert TextModel.load(tmp_path / "without").corpus_columns is None
    columns = CorpusColumns(("title", 3), "stars", (("1", "neg"), ("2", None)))
    model.corpus_columns = columns
    model.save(tmp_path / "with", trainable=True)
    assert inspect(tmp_path / "with").description.corpus_columns == columns
    loaded = TextModel.load(tmp_path / "with")
    assert loaded.predict(PROBES) == model.predict(PROBES)
    loaded.update(["not good"], [model.classes[0]])
    for changed in (loaded, loaded.pruned(keep=5), loaded.halved()):
        changed.save(tmp_path / "changed")
        assert TextModel.load(tmp_path / "changed").corpus_columns == columns
    model.corpus_columns = None
    model.save(tmp_path / "forgotten")
    assert (tmp_path / "forgotten").read_bytes() == (tmp_path / "without").read_bytes()


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        model_of("two classes")[0].save(tmp_path / "model")
    finally:
        os.umask(before)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o640
    (tmp_path / "model").chmod(0o600)
    model_of("two classes")[0].save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o600  # a private file remains private


def test_a_private_file_is_private_while_it_is_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch(0o600)
    modes, fsync = [], os.fsync

    def look(handle):
        modes.append(os.fstat(handle).st_mode & 0o777)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", look)
    write_tensor_file(tmp_path / "file", "model", {}, {"weights": np.arange(1000.0)})
    assert modes[0] == os.stat(tmp_path / "file").st_mode & 0o777 == 0o600


def test_a_symbolic_link_is_followed_and_kept(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "model")
    model_of("two classes")[0].save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert TextModel.load(tmp_path / "folder" / "model").predict(PROBES)


def test_only_regular_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    model, _ = model_of("two classes")
    for path in ("/dev/full", str(tmp_path / "pipe"), str(tmp_path)):
        with pytest.raises(OSError, match="not a regular file") as caught:
            model.save(path)
        assert caught.value.filename == path
    assert Path("/dev/full").is_char_device()


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        model_of("two classes")[0].save(tmp_path / "missing" / "model")
    assert caught.value.filename == str(tmp_path / "missing" / "model")


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path):
    model, _ = model_of("two classes")
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    larger, _ = model_of("six classes")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            larger.save(tmp_path / "model")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model").read_bytes() == before


WRITER = """
import sys
from textperceptron import TextModel
models = [TextModel.load(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for model in models:
        model.save(sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [0, 1, 3, 7, 12, 20, 33, 50])
def test_a_killed_writer_leaves_a_whole_file(tmp_path, milliseconds):
    # Some megabytes, so that most of the time is spent writing them.
    texts = [" ".join(f"word{k}x{n}" for k in range(2000)) for n in range(20)]
    paths = [tmp_path / "one", tmp_path / "two"]
    for number, path in enumerate(paths):
        TextModel.train(texts, [k % 2 == number for k in range(20)]).save(path)
    target = tmp_path / "model"
    target.write_bytes(paths[0].read_bytes())
    command = [*FRESH_PYTHON, WRITER, target, *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(milliseconds / 1000)
        writer.send_signal(signal.SIGKILL)
    assert target.read_bytes() in [path.read_bytes() for path in paths]


@pytest.mark.parametrize("path", sorted(OLD.glob("v*.tpm")), ids=lambda path: path.stem)
def test_files_of_earlier_versions_still_open(path):
    expected = json.loads(path.with_suffix(".json").read_text())
    model = TextModel.load(path, verify=expected["format"] > 1)
    assert list(model.classes) == expected["classes"]
    assert model.predict(expected["texts"]) == expected["labels"]
    assert [model.predict_one(text) for text in expected["texts"]] == expected["labels"]
    np.testing.assert_array_equal(model.scores(expected["texts"]), expected["scores"])
    if expected["probabilities"]:
        np.testing.assert_allclose(model.probabilities(expected["texts"]), expected["probabilities"], rtol=1e-12)
    assert inspect(path).description.format == expected["format"]


@pytest.mark.parametrize("version", [1, 2])
def test_a_trainable_file_of_an_earlier_version_can_still_be_updated(version):
    model = TextModel.load(OLD / f"v{version}-xor-hashed.tpm")
    model.update(*XOR, epochs=1)
    expected = TextModel.train(*XOR, model.settings.replace(max_iter=11))
    np.testing.assert_array_equal(model.scores(PROBES), expected.scores(PROBES))


@pytest.mark.parametrize("version", [1, 2])
def test_there_are_files_of_every_version_of_every_kind_of_model(version):
    kinds = {open_tensor_file(path, "model").header["model"]["kind"] for path in OLD.glob(f"v{version}-*.tpm")}
    assert kinds == {"binary", "classes", "pairs", "votes"}


@pytest.mark.slow
def test_a_model_of_more_than_a_million_columns_opens_in_50_milliseconds(tmp_path):
    texts = corpus("imdb.train.tsv.gz")
    model = TextModel.train(texts, [k % 2 for k in range(len(texts))], recipe("mira").replace(max_iter=1))
    assert model.n_columns > 1_400_000
    model.save(tmp_path / "model")
    best = min(_seconds(lambda: TextModel.load(tmp_path / "model")) for _ in range(5))
    assert best < 0.05


def _seconds(action):
    began = time.perf_counter()
    action()
    return time.perf_counter() - began
