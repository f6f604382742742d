"""Checkpoints: a killed training resumes to the bytes of one that was not killed."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.bundled import bundled, many_topics
from helpers.fresh import FRESH_PYTHON
from helpers.model_files import put_together, taken_apart
from helpers.paths import TESTS
from textperceptron import TextModel
from textperceptron.learn import plan as plan_module
from textperceptron.settings import recipe

REVIEWS, TOPICS = bundled("reviews").train, bundled("topics").train

# Every way to resume: in the middle of an epoch, with the state of stopping rules, by binary problems.
RUNS = {
    "averaged": (REVIEWS, {}),
    "last weights": (REVIEWS, {"learner": "perceptron", "max_iter": 30}),
    "variances": (REVIEWS, {"learner": "arow", "column_weight": "log_count_ratio"}),
    "interpolated": (REVIEWS, {"column_weight": "log_count_ratio", "interpolation": 0.25, "norm": "l2"}),
    "batch": (REVIEWS, {"learner": "batch"}),
    "early stopping": (REVIEWS, {"early_stopping": True, "max_iter": 30}),
    "small change": (REVIEWS, {"tol": 0.02, "max_iter": 30}),
    "probabilities": (REVIEWS, {"calibrate": True}),
    "voted": (REVIEWS, {"learner": "voted"}),
    "pairs on the fly": (REVIEWS, {"pair_bits": 10, "ngram_range": (1, 1), "max_iter": 2}),
    "native": (TOPICS, {}),
    "native, early stopping": (TOPICS, {"early_stopping": True, "max_iter": 30}),
    "one-vs-all": (TOPICS, {"multiclass": "one-vs-all", "max_iter": 20}),
    "one-vs-all, 24 classes": (many_topics().train, {"multiclass": "one-vs-all", "learner": "arow"}),
    "one-vs-all, interpolated": (
        TOPICS,
        {"multiclass": "one-vs-all", "column_weight": "log_count_ratio", "interpolation": 0.25},
    ),
    "one-vs-all one by one": (TOPICS, {"multiclass": "one-vs-all", "early_stopping": True}),
    "one-vs-all with pairs": (TOPICS, {"multiclass": "one-vs-all", "pair_bits": 8, "max_iter": 2}),
    "one-vs-one": (TOPICS, {"multiclass": "one-vs-one"}),
    "one-vs-one one by one": (TOPICS, {"multiclass": "one-vs-one", "tol": 0.02}),
}


class KilledError(Exception):
    """Simulates the end of a process."""


def killer(after):
    """Return a callback that raises at its ``after``-th call."""
    calls = itertools.count(1)

    def callback(progress):
        if next(calls) == after:
            raise KilledError

    return callback


@pytest.fixture
def small_slices(monkeypatch):
    """Divide epochs into slices of a few dozen rows."""
    monkeypatch.setattr(plan_module, "SLICE_ENTRIES", 2000)


@pytest.mark.slow
@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("after", [1, 3, 5])
def test_interrupted_training_resumes_to_the_same_bytes(name, after, tmp_path):
    (texts, labels), changes = RUNS[name]
    chosen = recipe("mira").replace(**changes)
    expected = TextModel.train(texts, labels, chosen)
    expected.save(tmp_path / "expected")
    for attempt in itertools.count():
        resumable = name != "voted" or not attempt  # the voted perceptron starts over each time
        try:
            model = TextModel.train(
                texts, labels, chosen, callback=killer(after) if resumable else None,
                checkpoint=tmp_path / "checkpoint", every=0, resume=True,
            )  # fmt: skip
            break
        except KilledError:
            assert attempt < 1000
    assert attempt > 0
    model.save(tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()
    assert model.history == expected.history


TRAINER = """
import json, sys, time
from helpers.bundled import bundled, many_topics
from textperceptron import TextModel
from textperceptron.learn import plan
from textperceptron.settings import recipe
corpus, changes, checkpoint, model, pause = sys.argv[1:]
plan.SLICE_ENTRIES = 2000
def callback(progress):
    print("slice", flush=True)
    time.sleep(float(pause))
settings = recipe("mira").replace(**json.loads(changes))
TextModel.train(
    *bundled(corpus).train, settings, callback=callback, checkpoint=checkpoint, every=0, resume=True
).save(model)
"""


@pytest.mark.slow
@pytest.mark.parametrize("slices", [1, 2, 7, 13])
@pytest.mark.parametrize(
    ("corpus", "changes"),
    [
        pytest.param("reviews", {"max_iter": 4}, id="two classes"),
        pytest.param("topics", {"multiclass": "one-vs-all", "max_iter": 4}, id="one-vs-all"),
        pytest.param("topics", {"multiclass": "one-vs-one"}, id="one-vs-one"),
    ],
)
def test_training_survives_sigkill_at_any_moment(tmp_path, corpus, changes, slices):
    TextModel.train(*bundled(corpus).train, recipe("mira").replace(**changes)).save(tmp_path / "expected")

    def command(pause):
        arguments = [corpus, json.dumps(changes), tmp_path / "checkpoint", tmp_path / "found", str(pause)]
        return [*FRESH_PYTHON, TRAINER, *map(str, arguments)]

    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    with subprocess.Popen(command(0.002), stdout=subprocess.PIPE, env=environment) as trainer:
        for _ in range(slices):
            trainer.stdout.readline()
        trainer.send_signal(signal.SIGKILL)  # while it writes, sleeps or trains
    assert not (tmp_path / "found").exists()
    subprocess.run(command(0), check=True, capture_output=True, env=environment)
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def interrupted(path, texts=REVIEWS.texts, labels=REVIEWS.labels, chosen="mira", **options):
    with pytest.raises(KilledError):
        TextModel.train(texts, labels, chosen, checkpoint=path, every=0, callback=killer(3), **options)


def test_ctrl_c_leaves_a_checkpoint_even_if_none_was_due(tmp_path):
    def callback(progress):
        if progress.epoch == 4 and progress.rows_done == progress.rows_total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TextModel.train(*REVIEWS, checkpoint=tmp_path / "checkpoint", every=1e9, callback=callback)
    epochs = []
    resumed = TextModel.train(
        *REVIEWS,
        checkpoint=tmp_path / "checkpoint",
        resume=True,
        callback=lambda progress: epochs.append(progress.epoch),
    )
    assert set(epochs) == {5}  # the rows of the fourth were done
    np.testing.assert_array_equal(resumed.scores(REVIEWS.texts), TextModel.train(*REVIEWS).scores(REVIEWS.texts))


# In a separate process: in this one the interrupt could arrive within pytest or Hypothesis and be lost there.
INTERRUPTED = """
import itertools, json, signal, sys, time
import numpy as np
from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.settings import recipe
corpus, changes, folder = sys.argv[1:]
signal.signal(signal.SIGALRM, signal.default_int_handler)
train, chosen = bundled(corpus).train, recipe("mira").replace(**json.loads(changes))
TextModel.train(*train, chosen).save(f"{folder}/expected")
# Everything is imported before the first interrupt: Python 3.11 makes another error of one that comes while a class is
# made.
TextModel.train(*train, chosen, checkpoint=f"{folder}/other", every=0)
began = time.perf_counter()
TextModel.train(*train, chosen, checkpoint=f"{folder}/other", every=1e9)
taken = time.perf_counter() - began
moments = np.random.default_rng(0)
for attempt in itertools.count():
    try:
        # Later each time, so that the loop ends even if all progress is lost.
        signal.setitimer(signal.ITIMER_REAL, taken * moments.uniform(0.2, 0.6) * 1.1**attempt)
        model = TextModel.train(*train, chosen, checkpoint=f"{folder}/checkpoint", every=1e9, resume=True)
        signal.setitimer(signal.ITIMER_REAL, 0)
        break
    except KeyboardInterrupt:
        assert attempt < 200
model.save(f"{folder}/found")
print(attempt)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "changes"),
    [
        pytest.param("reviews", {}, id="averaged"),
        pytest.param("reviews", {"learner": "batch"}, id="batch"),
        pytest.param("reviews", {"early_stopping": True}, id="early stopping"),
        pytest.param("topics", {"multiclass": "one-vs-all"}, id="one-vs-all"),
    ],
)
def test_ctrl_c_may_come_at_any_moment(corpus, changes, tmp_path):
    done = subprocess.run(
        [*FRESH_PYTHON, INTERRUPTED, corpus, json.dumps(changes | {"max_iter": 200}), tmp_path],
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0  # number of interrupts
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_checkpoint_is_written_at_most_once_per_interval(tmp_path):
    TextModel.train(*REVIEWS, checkpoint=tmp_path / "checkpoint", every=1e9)
    assert not (tmp_path / "checkpoint").exists()


def test_training_starts_over_without_resume(tmp_path):
    interrupted(tmp_path / "checkpoint")
    epochs = []
    TextModel.train(
        *REVIEWS, checkpoint=tmp_path / "checkpoint", callback=lambda progress: epochs.append(progress.epoch)
    )
    assert sorted(set(epochs)) == list(range(1, recipe().learner.max_iter + 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chosen": recipe("mira").replace(C=1.0)}, "checkpoint: this checkpoint is of a training with other settings"),
        ({"texts": [*REVIEWS.texts[:-1], "something else"]}, "with other texts, labels or weights"),
        ({"texts": [*REVIEWS.texts[:-1], REVIEWS.texts[-1] + " unheardof"]}, "with other texts, labels or weights"),
        ({"labels": [*REVIEWS.labels[1:], REVIEWS.labels[0]]}, "with other texts, labels or weights"),
        ({"sample_weight": [2.0] * len(REVIEWS.texts)}, "with other texts, labels or weights"),
    ],
)
def test_a_checkpoint_of_another_training_is_rejected(tmp_path, change, message):
    interrupted(tmp_path / "checkpoint")
    arguments = {"texts": REVIEWS.texts, "labels": REVIEWS.labels, "chosen": recipe("mira"), **change}
    with pytest.raises(ValueError, match=message):
        TextModel.train(
            arguments.pop("texts"), arguments.pop("labels"), arguments.pop("chosen"),
            checkpoint=tmp_path / "checkpoint", resume=True, **arguments,
        )  # fmt: skip


def test_resume_needs_a_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="resume=True needs a checkpoint to resume from"):
        TextModel.train(*REVIEWS, resume=True)
    TextModel.train(*REVIEWS).save(tmp_path / "model")
    with pytest.raises(ValueError, match="model: this is a model, not a checkpoint"):
        TextModel.train(*REVIEWS, checkpoint=tmp_path / "model", resume=True)
    with pytest.raises(OSError, match="missing"):
        TextModel.train(*REVIEWS, checkpoint=tmp_path / "missing" / "checkpoint", every=0)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    found = {}
    for name in ("averaged", "early stopping", "one-vs-all", "one-vs-one"):
        path = tmp_path_factory.mktemp("checkpoints") / "checkpoint"
        (texts, labels), changes = RUNS[name]
        interrupted(path, texts, labels, recipe("mira").replace(**changes))
        found[name] = path.read_bytes()
    return found


@given(name=st.sampled_from(["averaged", "early stopping", "one-vs-all", "one-vs-one"]), data=st.data())
def test_a_damaged_checkpoint_is_rejected_or_does_no_harm(checkpoints, tmp_path_factory, name, data):
    path = tmp_path_factory.mktemp("damaged") / "checkpoint"
    outer, own, arrays = taken_apart(checkpoints[name])
    del outer["__metadata__"]
    if data.draw(st.booleans()):
        key = data.draw(st.sampled_from([key for key in own if key not in ("settings", "digest")]))
        own[key] = data.draw(st.sampled_from([None, 0, -1, [], {}, [0.5, 3], [1, 2], ["a"], "x", own.get("history")]))
    else:
        changed = bytearray(arrays)
        for _ in range(4):
            place = data.draw(st.integers(0, len(changed) - 1))
            changed[place] ^= 1 << data.draw(st.integers(0, 7))
        arrays = bytes(changed)
    path.write_bytes(put_together(outer, own, arrays))
    (texts, labels), changes = RUNS[name]
    with contextlib.suppress(ValueError, OSError):
        TextModel.train(texts, labels, recipe("mira").replace(**changes), checkpoint=path, every=1e9, resume=True)
