"""A checkpoint that cannot be written is a warning, and training continues."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import warnings

import pytest

from helpers.bundled import bundled
from helpers.fresh import FRESH_PYTHON
from helpers.paths import TESTS
from textperceptron import TextModel
from textperceptron.model import CheckpointWarning
from textperceptron.model.file import open_tensor_file
from textperceptron.settings import recipe

COMMAND = [*FRESH_PYTHON, "from textperceptron.__main__ import run; run()"]
REVIEWS, SETTINGS = bundled("reviews").train, recipe("mira").replace(max_iter=8)

# Something happens to the disk after some epochs, in a separate process: "full" is a limit on the size of files, which
# the system reports like a full disk.
TRAINER = """
import hashlib, json, os, pathlib, resource, shutil, sys, warnings
from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.settings import recipe
events = json.loads(sys.argv[1])
limits = resource.getrlimit(resource.RLIMIT_FSIZE)

def found():
    try:
        return hashlib.sha256(pathlib.Path("folder/checkpoint").read_bytes()).hexdigest()
    except OSError:
        return None

seen = []
def callback(progress):
    seen.append(found())  # by the epochs before
    event = events.get(str(progress.epoch))
    if event == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    elif event == "room":
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    elif event == "gone":
        shutil.rmtree("folder")
    elif event == "back":
        os.mkdir("folder")
    elif event == "ctrl-c":
        raise KeyboardInterrupt

os.mkdir("folder")
settings = recipe("mira").replace(max_iter=8)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        model = TextModel.train(
            *bundled("reviews").train, settings, checkpoint="folder/checkpoint", every=0, callback=callback
        )
    except KeyboardInterrupt:
        model = None
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
if model is not None:
    model.save("model")
warned = [[str(each.message), each.category.__name__] for each in caught]
files = sorted(os.listdir("folder")) if os.path.isdir("folder") else None
print(json.dumps({"seen": [*seen, found()], "warned": warned, "files": files, "finished": model is not None}))
"""


@pytest.fixture
def train(tmp_path):
    def run(events):
        done = subprocess.run(
            [*FRESH_PYTHON, TRAINER, json.dumps(events)],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(TESTS)}, capture_output=True, text=True,
            timeout=60, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("expected") / "model"
    TextModel.train(*REVIEWS, SETTINGS).save(path)
    return path.read_bytes()


def test_a_full_disk_leaves_the_older_checkpoint_and_training_continues(train, tmp_path, expected):
    told = train({"3": "full", "6": "room"})
    (message, category), *others = told["warned"]
    assert others == []  # once, not at each attempt
    assert category == "CheckpointWarning"
    assert re.fullmatch(
        r"folder/checkpoint: the checkpoint could not be written \(File too large\)\. The one of \d{4}-\d\d-\d\d "
        r"\d\d:\d\d:\d\d is unchanged; training continues and will try again\. Free disk space, or restore the "
        r"folder\.",
        message,
    )
    _, first, second, *others = told["seen"]
    during, after = others[:3], others[3:]
    assert first != second
    assert set(during) == {second}
    assert len({second, *after}) == len(after) + 1  # a new one per epoch
    assert told["files"] == ["checkpoint"]
    open_tensor_file(tmp_path / "folder" / "checkpoint", "checkpoint", verify=True)
    assert (tmp_path / "model").read_bytes() == expected


def test_a_disk_that_is_full_from_the_start_has_no_checkpoint(train, tmp_path, expected):
    told = train({"1": "full"})
    assert [re.search(r"\. (.*); training", message)[1] for message, _ in told["warned"]] == [
        "No earlier checkpoint exists"
    ]
    assert set(told["seen"]) == {None}
    assert told["files"] == []
    assert (tmp_path / "model").read_bytes() == expected


def test_a_folder_that_is_removed_and_restored_is_written_to_again(train, tmp_path, expected):
    told = train({"3": "gone", "5": "back"})
    ((message, _),) = told["warned"]
    assert "could not be written (No such file or directory). No earlier checkpoint exists" in message
    assert [each is None for each in told["seen"]] == [True, False, False, True, True, *[False] * 4]
    assert (tmp_path / "model").read_bytes() == expected


def test_each_kind_of_failure_warns_and_again_after_a_success(train):
    told = train({"2": "full", "3": "gone", "4": "room", "5": "back", "7": "full"})
    reasons = [re.search(r"written \((.*?)\)", message)[1] for message, _ in told["warned"]]
    assert reasons == ["File too large", "No such file or directory", "File too large"]


def test_ctrl_c_stops_training_if_no_checkpoint_can_be_written(train):
    told = train({"3": "full", "5": "ctrl-c"})
    assert not told["finished"]
    assert len(told["warned"]) == 1
    assert told["seen"][2] == told["seen"][-1]


def test_a_checkpoint_after_a_failure_is_resumed_to_the_same_bytes(train, tmp_path, expected):
    train({"2": "full", "4": "room", "6": "ctrl-c"})
    TextModel.train(*REVIEWS, SETTINGS, checkpoint=tmp_path / "folder" / "checkpoint", resume=True).save(
        tmp_path / "found"
    )
    assert (tmp_path / "found").read_bytes() == expected


@pytest.mark.parametrize("place", ["missing/checkpoint", "."])
def test_an_impossible_path_is_reported_before_a_text_is_read(tmp_path, place):
    def texts():
        raise AssertionError("texts are read")
        yield

    with pytest.raises(OSError, match=r"No such file|not a regular file") as caught:
        TextModel.train(texts(), ["pos"], SETTINGS, checkpoint=tmp_path / place)
    assert caught.value.filename == str(tmp_path / place)
    assert os.listdir(tmp_path) == []


def test_finished_class_pairs_survive_a_full_disk_too(tmp_path):
    """One-vs-one stores finished problems."""
    (tmp_path / "folder").mkdir()
    chosen = recipe("mira").replace(multiclass="one-vs-one", tol=0.02)

    def callback(progress):
        if progress.rows_done == 3:
            os.unlink(tmp_path / "folder" / "checkpoint")
            os.rmdir(tmp_path / "folder")

    with pytest.warns(CheckpointWarning, match="No such file or directory") as caught:
        model = TextModel.train(
            *bundled("topics").train, chosen, checkpoint=tmp_path / "folder" / "checkpoint", every=0, callback=callback
        )
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(["a"]) == TextModel.train(*bundled("topics").train, chosen).predict(["a"])


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def test_the_command_warns_in_one_line_and_saves_the_model(tmp_path):
    words = ["train", "reviews", "--checkpoint", "c", "--every", "0", "--model", "m.tpm", "--prune", "500", "--half"]
    done = subprocess.run(
        [*COMMAND, *words], cwd=tmp_path, preexec_fn=limit_files, capture_output=True, text=True, timeout=60, check=True
    )
    assert re.fullmatch(
        r"textperceptron: c: the checkpoint could not be written \(File too large\)\. No earlier checkpoint .*\n",
        done.stderr,
    )
    assert os.listdir(tmp_path) == ["m.tpm"]
    assert TextModel.load(tmp_path / "m.tpm", verify=True).n_columns == 500


def test_a_model_that_cannot_be_written_either_is_the_error(tmp_path):
    words = ["train", "reviews", "--checkpoint", "c", "--every", "0", "--model", "m.tpm"]
    done = subprocess.run(
        [*COMMAND, *words], cwd=tmp_path, preexec_fn=limit_files, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first.startswith("textperceptron: c: the checkpoint could not be written (File too large).")
    assert second == "textperceptron: m.tpm: File too large. Free some disk space, or write elsewhere."
    assert os.listdir(tmp_path) == []
