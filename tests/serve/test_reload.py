"""Model files that are replaced, damaged or removed while they are served."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from pathlib import Path

import pytest

from helpers.service import serving, wait_until
from textperceptron import TextModel
from textperceptron.model import inspect
from textperceptron.serve.models import ServedModel

TEXTS = ["a fine film", "fine acting", "a dull film", "dull and long", "so fine", "so dull"]


def save(path, *, swapped=False, copies=1):
    """Save a model that calls fine texts good, or bad if ``swapped``; return its version."""
    labels = ["good" if ("fine" in text) != swapped else "bad" for text in TEXTS]
    TextModel.train(TEXTS * copies, labels * copies, "mira").save(path)
    return inspect(path).description.sha256[:12]


def replace_by_rename(new, path):
    os.replace(new, path)


def replace_by_symlink(new, path):
    kept = path.with_name(f"{new.name}.{time.monotonic_ns()}")
    os.replace(new, kept)
    link = path.with_suffix(".link")
    link.symlink_to(kept)
    os.replace(link, path)


def overwrite_in_place(new, path):
    """As ``cp`` does: the file is empty for a moment, then half-written."""
    data = new.read_bytes()
    with open(path, "wb") as file:
        file.flush()
        time.sleep(0.05)
        file.write(data[: len(data) // 2])
        file.flush()
        time.sleep(0.05)
        file.write(data[len(data) // 2 :])


class Client(threading.Thread):
    """Sends requests until it is told to stop; notes each status and answer."""

    def __init__(self, service):
        super().__init__()
        self.service, self.ended, self.found, self.problem = service, threading.Event(), [], None

    def run(self):
        try:
            with self.service.connect() as connection:
                while not self.ended.is_set():
                    self.found.append(self.service.post("/predict", {"text": "a fine film"}, connection))
        except Exception as problem:
            self.problem = problem

    def finish(self):
        self.ended.set()
        self.join(20)
        assert self.problem is None
        return self.found


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("replace", [replace_by_rename, replace_by_symlink, overwrite_in_place])
def test_a_replaced_model_is_loaded_without_a_lost_request(tmp_path, processes, replace):
    path, new = tmp_path / "films.tpm", tmp_path / "new"
    label_of = {save(path): "good"}
    with serving(path, "--check-every", "0.05", "--processes", processes) as service:
        clients = [Client(service) for _ in range(3)]
        for client in clients:
            client.start()
        for k in range(1, 5):
            version = save(new, swapped=k % 2 == 1, copies=k)
            label_of[version] = "bad" if k % 2 else "good"
            replace(new, path)
            seen = set()
            for _ in range(processes):
                assert wait_until(lambda version=version, seen=seen: has_version(service, version, seen))
        answers = [answer for client in clients for answer in client.finish()]
        loads = 'textperceptron_model_loads_total{model="films"}'
        assert wait_until(lambda: service.metrics()[loads] >= 5 * processes)
    assert len(answers) > 50
    for status, found in answers:
        assert status == 200
        assert found["label"] == label_of[found["version"]]  # never weights of one file and classes of another
    assert {found["version"] for _, found in answers} == set(label_of)


def has_version(service, version, seen):
    """Whether another process has a version."""
    _, health = service.get("/health/ready")
    if health["models"][0]["version"] == version and health["process"] not in seen:
        seen.add(health["process"])
        return True
    return False


def test_a_damaged_file_keeps_the_old_model_and_is_reported(tmp_path):
    path = tmp_path / "films.tpm"
    version = save(path)
    good = path.read_bytes()
    with serving(path, "--check-every", "0.05") as service:
        flipped = bytearray(good)
        flipped[-3] ^= 1  # in the weights: only the digest shows it
        new = tmp_path / "new"
        new.write_bytes(flipped)
        os.replace(new, path)
        assert wait_until(lambda: service.model("films")["state"] == "damaged")
        health = service.model("films")
        assert health["version"] == version
        assert health["message"].startswith(f"{path}: the contents do not match the SHA-256 digest")
        assert "textperceptron-" not in health["message"]  # the copy is not the user's concern
        assert service.post("/predict", {"text": "a fine film"})[1]["label"] == "good"
        assert service.metrics()['textperceptron_model_current{model="films"}'] == 0
        failures = 'textperceptron_model_load_failures_total{model="films"}'
        assert wait_until(lambda: service.metrics()[failures] == 1)
        other = save(new, swapped=True)
        os.replace(new, path)
        assert wait_until(lambda: service.model("films")["version"] == other)
        assert service.model("films")["state"] == "current"
        assert service.post("/predict", {"text": "a fine film"})[1]["label"] == "bad"
        assert service.metrics()['textperceptron_model_current{model="films"}'] == 1
        assert wait_until(lambda: f"films: loaded {path}, version {other}" in service.log())
        log = service.log()
    assert log.count("WARNING") == 1
    assert "the model loaded before keeps answering" in log


@pytest.mark.parametrize("contents", [b"", b"not a model", b"\x00" * 5000])
def test_a_file_that_is_no_model_keeps_the_old_one(tmp_path, contents):
    path = tmp_path / "films.tpm"
    save(path)
    with serving(path, "--check-every", "0.05") as service:
        path.write_bytes(contents)
        assert wait_until(lambda: service.model("films")["state"] == "damaged")
        assert "not a model file" in service.model("films")["message"]
        assert service.post("/predict", {"text": "a fine film"})[1]["label"] == "good"


def test_a_file_that_disappears_keeps_the_model_answering(tmp_path):
    path = tmp_path / "films.tpm"
    version = save(path)
    with serving(path, "--check-every", "0.05") as service:
        path.rename(tmp_path / "elsewhere")
        assert wait_until(lambda: service.model("films")["state"] == "missing")
        health = service.model("films")
        assert (health["version"], health["message"]) == (
            version, f"{path}: the file cannot be read (No such file or directory)",
        )  # fmt: skip
        assert service.get("/health/ready")[0] == 200
        assert service.post("/predict", {"text": "a fine film"})[1]["label"] == "good"
        assert service.post("/explain", {"text": "a fine film"})[1]["label"] == "good"
        (tmp_path / "elsewhere").rename(path)
        assert wait_until(lambda: service.model("films")["state"] == "current")
        assert "is back, unchanged" in service.log()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc lists mapped files on Linux only")
def test_processes_share_one_mapped_file(tmp_path):
    path = tmp_path / "films.tpm"
    save(path)
    with serving(path, "--check-every", "0.05", "--processes", "2") as service:
        first = {mapped_model(pid) for pid in service.pids(2)}
        assert len(first) == 1
        version = save(tmp_path / "new", swapped=True)
        os.replace(tmp_path / "new", path)
        seen = set()
        for _ in range(2):
            assert wait_until(lambda: has_version(service, version, seen))
        second = {mapped_model(pid) for pid in service.pids(2)}
        assert len(second) == 1
        assert first != second


def mapped_model(pid):
    """Return device and inode of the model file that a process has mapped."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    files = {tuple(line.split()[3:5]) for line in lines if "textperceptron-" in line and "metrics" not in line}
    (found,) = files
    return found


def test_copies_of_replaced_files_are_removed(tmp_path):
    path, folder = tmp_path / "films.tpm", tmp_path / "copies"
    folder.mkdir()
    save(path)
    served = ServedModel("films", str(path), folder, 0)
    (before,) = folder.iterdir()
    old = served.loaded
    save(path, swapped=True)
    served.refresh()
    (after,) = folder.iterdir()
    assert before != after
    assert (old.model.predict_one("a fine film"), served.loaded.model.predict_one("a fine film")) == ("good", "bad")


def test_a_process_that_starts_without_the_file_uses_the_copy_of_the_others(tmp_path):
    path, folder = tmp_path / "films.tpm", tmp_path / "copies"
    folder.mkdir()
    save(path)
    first = ServedModel("films", str(path), folder, 0)
    path.unlink()
    second = ServedModel("films", str(path), folder, 0)
    assert (second.loaded.sha256, second.loaded.key) == (first.loaded.sha256, first.loaded.key)
    second.refresh()
    assert second.status.state == "missing"
    shutil.rmtree(folder)
    folder.mkdir()
    with pytest.raises(FileNotFoundError):
        ServedModel("films", str(path), folder, 0)


def test_a_copy_that_fails_is_tried_again(tmp_path):
    path, folder = tmp_path / "films.tpm", tmp_path / "copies"
    folder.mkdir()
    save(path)
    served = ServedModel("films", str(path), folder, 0)
    version = save(path, swapped=True)
    folder.rename(tmp_path / "away")
    served.refresh()
    assert (served.status.state, served.n_failures) == ("damaged", 1)
    served.refresh()
    assert served.n_failures == 1
    (tmp_path / "away").rename(folder)
    served.refresh()
    assert (served.status.state, served.loaded.version) == ("current", version)


def test_files_without_a_digest_are_served(tmp_path):
    path = Path(__file__).parents[1] / "data" / "v1-xor.tpm"
    served = ServedModel("xor", str(path), tmp_path, 0)
    assert (served.loaded.version, served.loaded.sha256) == (None, None)
