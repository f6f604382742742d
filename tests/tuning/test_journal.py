"""A killed search resumes from its journal to the result of one that was not killed."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import time

import pytest

from helpers.bundled import bundled
from helpers.fresh import FRESH_PYTHON
from textperceptron import tune
from textperceptron.settings import DEFAULT_RECIPE, recipe

REVIEWS, STARS = bundled("reviews").train, bundled("stars").train
BUDGET = {"folds": 3, "trials": 10}

CODE = """
import sys
from textperceptron import load_corpus, tune
train = load_corpus("reviews").train
tune(train.texts, train.labels, folds=3, trials=10, n_jobs=int(sys.argv[2]), journal=sys.argv[1], resume=True)
"""


class KilledError(Exception):
    """Simulates the end of a process."""


def killer(path, after):
    """Return a callback that raises after ``after`` further lines of the journal."""
    before = n_lines(path)

    def callback(trial):
        if n_lines(path) >= before + after:
            raise KilledError

    return callback


def n_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def outcome(found):
    """Return the parts of a result that must be equal."""
    return {**found.as_dict(), "seconds": 0}


@pytest.fixture(scope="module")
def whole():
    return outcome(tune(*REVIEWS, **BUDGET))


@pytest.mark.parametrize("after", [4, 7])
def test_a_search_interrupted_again_and_again_ends_with_the_same_result(after, tmp_path, whole):
    path = tmp_path / "journal"
    for attempt in itertools.count(1):
        try:
            found = tune(*REVIEWS, **BUDGET, journal=path, resume=True, callback=killer(path, after))
        except KilledError:
            assert attempt < 20, "it does not get on"
            continue
        break
    assert attempt >= 3
    assert outcome(found) == whole
    assert n_lines(path) == 1 + found.n_evaluations, "nothing was evaluated twice"


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_killed_by_sigkill_ends_with_the_same_result(n_jobs, tmp_path, whole):
    path = tmp_path / "journal"
    for so_many in (2, 9):
        process = subprocess.Popen([*FRESH_PYTHON, CODE, path, str(n_jobs)])
        while n_lines(path) < so_many:
            assert process.poll() is None, "it was over before it could be killed"
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert so_many <= n_lines(path) <= whole["evaluations"]
    found = tune(*REVIEWS, **BUDGET, journal=path, resume=True)
    assert outcome(found) == whole
    assert n_lines(path) == 1 + whole["evaluations"]


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_ctrl_c_gives_the_best_so_far_and_keeps_the_journal(n_jobs, tmp_path, whole):
    path, calls = tmp_path / "journal", itertools.count(1)

    def press(trial):
        if next(calls) == 8:
            raise KeyboardInterrupt

    found = tune(*REVIEWS, **BUDGET, n_jobs=n_jobs, journal=path, callback=press)
    assert found.stopped_by == "interrupted"
    assert found.score.value >= found.start_score.value
    assert outcome(tune(*REVIEWS, **BUDGET, journal=path, resume=True)) == whole


def test_ctrl_c_before_the_first_result_raises_keyboard_interrupt():
    def press(trial):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(*REVIEWS, **BUDGET, callback=press)


@pytest.mark.parametrize("cut", [1, 2, 60, 250])
def test_a_truncated_line_is_written_again(cut, tmp_path, whole):
    path = tmp_path / "journal"
    tune(*REVIEWS, **BUDGET, journal=path)
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    path.write_bytes(content[: max(header, len(content) - cut)])
    assert outcome(tune(*REVIEWS, **BUDGET, journal=path, resume=True)) == whole
    assert sorted(map(line_key, path.read_text().splitlines()[1:])) == sorted(
        map(line_key, content.decode().splitlines()[1:])
    )


def line_key(line):
    return json.dumps({**json.loads(line), "elapsed": 0}, sort_keys=True)


def test_time_counts_from_the_first_start_of_the_search(tmp_path):
    path = tmp_path / "journal"
    tune(*REVIEWS, folds=3, trials=10, journal=path)
    before = n_lines(path)
    found = tune(*REVIEWS, folds=3, time=1e-9, journal=path, resume=True)
    assert (len(found.trials) >= 9, found.stopped_by) == (True, "time")
    assert n_lines(path) == before


def test_a_journal_serves_another_metric_and_a_larger_budget(tmp_path):
    path = tmp_path / "journal"
    tune(*STARS, folds=2, trials=5, journal=path)
    resumed = tune(*STARS, folds=2, trials=9, metric="macro-f1", journal=path, resume=True)
    assert outcome(resumed) == outcome(tune(*STARS, folds=2, trials=9, metric="macro-f1"))


@pytest.mark.parametrize(
    ("corpus", "changes", "what"),
    [
        (STARS, {}, "texts or labels"),
        (REVIEWS._replace(labels=REVIEWS.labels[::-1]), {}, "texts or labels"),
        (REVIEWS, {"folds": 2}, "number of folds"),
        (REVIEWS, {"seed": 1}, "seed"),
        (REVIEWS, {"space": {"learner": ["arow", "mira"]}}, "search space"),
        (REVIEWS, {"settings": recipe(DEFAULT_RECIPE).replace(max_iter=3)}, "starting settings"),
    ],
    ids=["corpus", "labels", "folds", "seed", "space", "start"],
)
def test_the_journal_of_another_search_is_rejected(corpus, changes, what, tmp_path):
    path = tmp_path / "journal"
    tune(*REVIEWS, folds=3, trials=1, journal=path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"belongs to another search \(different {what}\)"):
        tune(*corpus, **{"folds": 3, "trials": 2, "journal": path, "resume": True} | changes)
    assert path.read_bytes() == before


def test_an_existing_journal_is_not_overwritten(tmp_path):
    path = tmp_path / "journal"
    tune(*REVIEWS, folds=2, trials=1, journal=path)
    with pytest.raises(ValueError, match="already exists"):
        tune(*REVIEWS, folds=2, trials=1, journal=path)


@pytest.mark.parametrize(
    "line",
    [
        "", "{", "[]", '{"changes": {}, "fold": 0}', '{"changes": {}, "fold": 0, "elapsed": 1, "counts": [[0, 9, 1]]}',
        '{"changes": {}, "fold": 0, "elapsed": 1, "counts": [[0, -1, 1]]}', '{"changes": [], "fold": 0, "elapsed": 1}',
        '{"changes": {}, "fold": 0, "elapsed": 1, "counts": [[0, 1, 1.5]]}', "[" * 100_000,
    ],
    ids=lambda line: line[:60],
)  # fmt: skip
def test_a_damaged_line_is_named(line, tmp_path):
    path = tmp_path / "journal"
    tune(*REVIEWS, folds=2, trials=1, journal=path)
    header = path.read_text().partition("\n")[0]
    path.write_text(f"{header}\n{line}\n")
    with pytest.raises(ValueError, match="journal, line 2: this is not a line of a journal"):
        tune(*REVIEWS, folds=2, trials=1, journal=path, resume=True)


@pytest.mark.parametrize("content", ["some text\n", "{}\n", "no end of line", "null\n"])
def test_another_file_is_never_accepted_as_a_journal(content, tmp_path):
    path = tmp_path / "notes"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"notes.*not a (line of a )?journal"):
        tune(*REVIEWS, folds=2, trials=1, journal=path, resume=True)
    assert path.read_text() == content
