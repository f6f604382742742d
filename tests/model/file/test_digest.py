"""The digest of a model file: verifying detects every changed byte."""

from __future__ import annotations

import hashlib
import json
import re

import numpy as np
import pytest

from helpers.bundled import bundled
from helpers.model_files import KINDS, PROBES, XOR, model_of, put_together, taken_apart
from textperceptron import TextModel
from textperceptron.cli import main
from textperceptron.model import inspect
from textperceptron.model.file import ModelFileError, open_tensor_file, write_tensor_file


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("models"), {}
    for kind in KINDS:
        model, trainable = model_of(kind)
        model.save(folder / "whole", trainable=trainable)
        found[kind] = (folder / "whole").read_bytes()
    return found


def is_rejected(read, path):
    """Whether a file is rejected with a message that starts with its path; no other error is raised."""
    try:
        read(path, verify=True)
    except ModelFileError as problem:
        return str(problem).startswith(f"{path}: ")
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_file_is_verified_and_opens(files, tmp_path, kind):
    path = tmp_path / "model"
    path.write_bytes(files[kind])
    assert inspect(path, verify=True).description.sha256 in files[kind].decode("latin-1")
    assert TextModel.load(path, verify=True).predict(PROBES) == model_of(kind)[0].predict(PROBES)


@pytest.mark.parametrize("kind", KINDS)
def test_the_digest_covers_all_bytes_with_zeros_in_place_of_itself(files, kind):
    own = taken_apart(files[kind])[1]
    blank = files[kind].replace(own["sha256"].encode(), b"0" * 64)
    assert len(blank) == len(files[kind])
    assert hashlib.sha256(blank).hexdigest() == own["sha256"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_flipped_bit_is_detected(files, tmp_path, kind):
    whole, random = files[kind], np.random.default_rng(0)
    path = tmp_path / "model"
    n_header = int.from_bytes(whole[:8], "little") + 8
    digest = whole.index(b"sha256")
    places = [*range(40), *range(digest - 10, digest + 90), n_header - 1, len(whole) - 1]
    places += [*random.integers(0, n_header, 150), *random.integers(n_header, len(whole), 150)]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << random.integers(0, 8)
        path.write_bytes(changed)
        assert is_rejected(inspect, path), place


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_every_byte_of_a_header_is_covered(files, tmp_path, step):
    whole, path = files["hashed"], tmp_path / "model"
    for place in range(0, int.from_bytes(whole[:8], "little") + 8, step):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        assert is_rejected(inspect, path), place


def test_only_verifying_detects_a_changed_weight(files, tmp_path):
    outer, _, _ = taken_apart(files["two classes"])
    changed = bytearray(files["two classes"])
    changed[int.from_bytes(changed[:8], "little") + 8 + outer["weights"]["data_offsets"][0]] ^= 1
    (tmp_path / "model").write_bytes(changed)
    TextModel.load(tmp_path / "model")
    with pytest.raises(ModelFileError, match=r"model: the contents do not match .* Copy the original again"):
        TextModel.load(tmp_path / "model", verify=True)


def test_texts_that_look_like_the_digest_change_nothing(tmp_path):
    labels = ["0" * 64, '"sha256":"' + "0" * 64 + '"', '\\"sha256\\":\\"' + "0" * 64 + '\\"']
    texts = XOR.texts[:3]
    TextModel.train(texts, labels, "mira").save(tmp_path / "model")
    assert TextModel.load(tmp_path / "model", verify=True).classes == tuple(sorted(labels))


def test_a_large_file_has_the_digest_of_a_small_one(tmp_path):
    """The digest of a large file is computed by another thread."""
    arrays = {"weights": np.arange(300_000.0), "names": np.frombuffer(bytes(1000), np.uint8)}
    write_tensor_file(tmp_path / "large", "model", {"about": 1}, arrays)
    file = (tmp_path / "large").read_bytes()
    assert len(file) > 1 << 21
    read = open_tensor_file(tmp_path / "large", "model", verify=True)
    np.testing.assert_array_equal(read.arrays["weights"], arrays["weights"])
    blank = file.replace(read.header["sha256"].encode(), b"0" * 64)
    assert hashlib.sha256(blank).hexdigest() == read.header["sha256"]


def as_format_1(file):
    """Return a file in format 1, which has no digest."""
    outer, own, arrays = taken_apart(file)
    del own["sha256"]
    return put_together(outer, own | {"format": 1}, arrays)


def test_format_1_opens_but_has_no_digest_to_verify(files, tmp_path):
    path = tmp_path / "old"
    path.write_bytes(as_format_1(files["two classes"]))
    assert TextModel.load(path).predict(PROBES)
    assert inspect(path).description.sha256 is None
    for read in (TextModel.load, inspect):
        with pytest.raises(ModelFileError, match=r"old: format 1 has no digest to verify"):
            read(path, verify=True)
    TextModel.load(path).save(tmp_path / "new")
    assert (tmp_path / "new").read_bytes() == files["two classes"]


def test_inspect_says_whether_the_digest_is_right(files, tmp_path, capfd):
    path = tmp_path / "model"
    path.write_bytes(files["two classes"])
    digest = taken_apart(files["two classes"])[1]["sha256"]
    assert main(["inspect", str(path), "--verify"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[1:3] == ["verified: the file matches its SHA-256 digest", f"  file     {digest}"]
    assert lines[3] == f"  weights  {TextModel.load(path).weights_digest}"
    assert main(["inspect", str(path), "--verify", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["sha256"], told["verified"]) == (digest, True)
    assert main(["inspect", str(path), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["verified"] is False
    path.write_bytes(files["two classes"][:-1] + b"\x7f")
    assert main(["inspect", str(path), "--verify"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(rf"textperceptron: {path}: the contents do not match .*\n", err)
    assert main(["inspect", str(path)]) == 0


class KilledError(Exception):
    """Simulates the end of a process."""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    path, calls = tmp_path_factory.mktemp("checkpoint") / "checkpoint", []

    def callback(progress):
        calls.append(progress)
        if len(calls) == 3:
            raise KilledError

    with pytest.raises(KilledError):
        TextModel.train(*bundled("reviews").train, "mira", checkpoint=path, every=0, callback=callback)
    return path.read_bytes()


def resumed(path):
    epochs = []
    TextModel.train(
        *bundled("reviews").train, "mira", checkpoint=path, every=1e9, resume=True,
        callback=lambda progress: epochs.append(progress.epoch),
    )  # fmt: skip
    return epochs[0]


def test_a_checkpoint_is_always_verified(checkpoint, tmp_path):
    path, random = tmp_path / "checkpoint", np.random.default_rng(0)
    path.write_bytes(checkpoint)
    assert resumed(path) == 4
    for place in random.integers(0, len(checkpoint), 50):
        changed = bytearray(checkpoint)
        changed[place] ^= 1 << random.integers(0, 8)
        path.write_bytes(changed)
        with pytest.raises(ModelFileError, match="checkpoint: "):
            resumed(path)


def test_a_checkpoint_of_format_1_is_resumed(checkpoint, tmp_path):
    (tmp_path / "checkpoint").write_bytes(as_format_1(checkpoint))
    assert resumed(tmp_path / "checkpoint") == 4
