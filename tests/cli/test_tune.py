"""``textperceptron tune``: the same results as Python, signals, and the command that it prints at the end."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.terminal import in_a_terminal
from textperceptron import load_corpus, tune
from textperceptron.cli import main
from textperceptron.cli.setting_options import options_for, recipe_and_options, setting_options, settings_for
from textperceptron.cli.train import train
from textperceptron.model.cross_validation import CrossValidation
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, WindowSettings, recipe
from textperceptron.tuning import default_space
from textperceptron.tuning.space import Space

SPACE = default_space()

COMMAND = [sys.executable, "-P", "-m", "textperceptron"]
START = recipe(DEFAULT_RECIPE)


def run_json(capfd, *words, exit_code=0):
    capfd.readouterr()
    assert main([*map(str, words), "--json"]) == exit_code
    return json.loads(capfd.readouterr().out)


def test_the_command_finds_what_python_finds(capfd):
    train_part = load_corpus("reviews").train
    found = run_json(capfd, "tune", "reviews", "--folds", 3, "--trials", 6, "--seed", 2, "--metric", "macro-f1")
    expected = tune(
        train_part.texts, train_part.labels, START.replace(seed=2), folds=3, trials=6, seed=2, metric="macro-f1",
    ).as_dict()  # fmt: skip
    for name in expected.keys() - {"seconds"}:
        assert found[name] == json.loads(json.dumps(expected[name])), name


def test_settings_given_as_options_are_fixed(capfd):
    found = run_json(capfd, "tune", "reviews", "--folds", 2, "--trials", 12, "--learner", "arow", "--window", 2)
    tried = {name for trial in found["trials"] for name in trial["changes"]}
    assert tried
    assert not tried & {"learner", "conjunctions", "C"}
    assert found["settings"]["text"]["conjunctions"]["window"] == 2


def test_the_last_line_is_the_command_that_trains_with_the_best_settings(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["tune", "topics", "--folds", "2", "--trials", "12", "--model", "m.tpm"]
    found = run_json(capfd, *words)
    kept = (tmp_path / "m.tpm").read_bytes()
    assert found["bytes"] == len(kept)
    assert main(words) == 0
    last = capfd.readouterr().out.splitlines()[-1]
    assert shlex.split(last) == found["command"]
    (tmp_path / "m.tpm").unlink()
    trained = run_json(capfd, *shlex.split(last)[1:])
    assert trained["settings"]["learner"] == found["settings"]["learner"]
    assert (tmp_path / "m.tpm").read_bytes() == kept
    assert found["measured"] == trained["measured"]


def test_options_for_reading_the_corpus_are_part_of_that_command(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["a;b;c", *(f"{'good' if k % 2 else 'bad'} film {k};x;{k % 2}" for k in range(20)), "no label;x"]
    (tmp_path / "my films.csv").write_text("\n".join(rows) + "\n", encoding="latin-1")
    words = ["my films.csv", "--format", "csv", "--delimiter", ";", "--text-column", "a", "--label-column", "3"]
    words += ["--header", "--encoding", "latin-1", "--skip-bad"]
    found = run_json(capfd, "tune", *words, "--folds", 2, "--trials", 2)
    trained = run_json(capfd, *found["command"][1:])
    assert trained["texts"] == {"0": 10, "1": 10}
    assert trained["settings"]["learner"] == found["settings"]["learner"]


def parsed(words):
    """Read options of train as its parser does."""
    import typer

    app = typer.Typer()
    seen = {}
    app.command()(_noting(seen))
    command = typer.main.get_command(app)
    command.main(["corpus", *words], standalone_mode=False)
    return {name: value for name, value in seen.items() if value is not None}


def _noting(seen):
    """A verb with the options of train that records those of settings."""
    names = [option.name for option in setting_options()]

    def verb(**given):
        seen.update({name: given[name] for name in names})

    verb.__signature__, verb.__annotations__ = train.__signature__, train.__annotations__
    return verb


@st.composite
def all_settings(draw):
    """Settings of a recipe, changed by any options of the command line."""
    changes = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "ngram_range": st.sampled_from([(1, 1), (2, 4)]), "binary": st.booleans(), "lowercase": st.booleans(),
                "strip_accents": st.sampled_from([None, "ascii"]), "stop_words": st.just(("the", "a b")),
                "negation": st.booleans(),
                "min_df": st.sampled_from([1, 2, 0.25]), "max_df": st.sampled_from([0.5, 7]),
                "max_features": st.just(10), "order": st.just("alphabet"), "dtype": st.just("float64"),
                "conjunctions": st.sampled_from(
                    [None, SPACE["conjunctions"][1], WindowSettings(None, 3), WindowSettings(("not", "no"), None)]
                ),
                "learner": st.sampled_from(["perceptron", "arow", "mira"]), "C": st.floats(1e-6, 1e6),
                "r": st.floats(1e-6, 1e6), "average": st.booleans(), "fit_intercept": st.booleans(),
                "column_weight": st.sampled_from([None, "log_count_ratio"]), "ratio_alpha": st.floats(0.01, 10),
                "class_weight": st.sampled_from(["balanced", (("pos", 2.0), ("neg", 0.5))]),
                "max_iter": st.integers(1, 100), "shuffle": st.sampled_from([True, False, "once"]),
                "seed": st.integers(0, 100), "tol": st.just(1e-4), "early_stopping": st.booleans(),
                "calibrate": st.booleans(), "multiclass": st.sampled_from(["native", "one-vs-all"]),
                "hash_bits": st.just(20),
            },
        )
    )  # fmt: skip
    name = draw(st.sampled_from(list(RECIPES)))
    return recipe(name), recipe(name).replace(**changes)


@given(all_settings())
def test_settings_written_as_options_are_read_back(both):
    base, wanted = both
    assert settings_for(base, parsed(options_for(wanted, base))) == wanted


@pytest.mark.parametrize("n_classes", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_every_candidate_can_be_written_as_options_of_every_recipe(n_classes):
    for name, base in ((name, recipe(name)) for name in RECIPES):
        for candidate in Space(base, SPACE, n_classes).one_change(base):
            words = recipe_and_options(candidate, name)
            named = words[:1] == ["--recipe"]
            begun_with = recipe(words[1] if named else DEFAULT_RECIPE)
            assert settings_for(begun_with, parsed(words[2:] if named else words)) == candidate


def test_none_unsets_a_setting_of_the_recipe():
    base = START.replace(max_features=10, stop_words=("the",), class_weight="balanced", interpolation=0.4)
    wanted = START.replace(interpolation=None)
    words = options_for(wanted, base)
    unset = [word for word, value in itertools.pairwise(words) if value == "none"]
    assert unset == ["--stop-words", "--max-features", "--interpolation", "--class-weight"]
    assert settings_for(base, parsed(words)) == wanted


def test_a_terminal_shows_the_same_lines_and_progress(capfd):
    words = ["tune", "reviews", "--folds", "2", "--trials", "6"]
    assert main(words) == 0
    plain = capfd.readouterr().out
    code, shown = in_a_terminal(*words)
    assert code == 0
    assert "\x1b[32m" in shown
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", shown)
    lines = [line.rstrip() for line in text.splitlines()]  # some follow a bar that was erased
    for line in plain.splitlines():
        if not re.search(r"\d\.\d\d s", line):
            assert any(shown_line.endswith(line) for shown_line in lines)
    assert "best so far" in text


def n_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_ctrl_c_prints_the_best_so_far_and_resuming_gives_the_same_result(n_jobs, tmp_path, capfd):
    journal, kept = tmp_path / "journal", tmp_path / "m.tpm"
    words = ["tune", "reviews", "--folds", "3", "--journal", str(journal), "--model", str(kept)]
    process = subprocess.Popen(
        [*COMMAND, *words, "--trials", "100000", "--n-jobs", n_jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while n_lines(journal) < 12:
        assert process.poll() is None, "it was over before it could be interrupted"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert err == (
        f"textperceptron: measurements saved in {journal}; run the same command with --resume to continue\n"
        "textperceptron: interrupted\n"
    )
    assert "stopped by Ctrl-C" in out
    assert out.splitlines()[-1].startswith("textperceptron train reviews")
    assert not kept.exists()
    before = n_lines(journal)

    resumed = run_json(capfd, *words, "--trials", 14, "--resume")
    assert kept.exists()
    assert n_lines(journal) >= before
    whole = run_json(capfd, "tune", "reviews", "--folds", "3", "--trials", 14)
    for name in ("settings", "score", "trials", "importance", "evaluations"):
        assert resumed[name] == whole[name]


def test_json_is_utf8_in_any_locale(tmp_path):
    (tmp_path / "c.tsv").write_text("pös\tone\nbitter\ttwo\n" * 4, encoding="utf-8")
    words = ["tune", "c.tsv", "--trials", "1", "--folds", "2", "--metric", "f1", "--label", "pös", "--json"]
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, *words], cwd=tmp_path, capture_output=True, env=env, check=True)
    assert json.loads(done.stdout.decode("utf-8"))["label"] == "pös"


def test_ctrl_c_in_the_first_trial_says_how_to_resume(tmp_path, monkeypatch, capfd):
    journal = tmp_path / "journal"
    words = ["tune", "reviews", "--folds", "2", "--trials", "2", "--n-jobs", "1", "--journal", str(journal)]

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(CrossValidation, "evaluate", interrupted)
        assert main(words) == 130
    assert capfd.readouterr().err == (
        f"textperceptron: measurements saved in {journal}; run the same command with --resume to continue\n"
        "textperceptron: interrupted\n"
    )
    assert main([*words, "--resume"]) == 0


def test_a_journal_that_does_not_fit_on_the_disk_is_one_line(tmp_path):
    import resource

    done = subprocess.run(
        [*COMMAND, "tune", "reviews", "--journal", tmp_path / "journal", "--trials", "20"],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("textperceptron: ")
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path / 'journal'}: File too large. Free some disk space" in done.stderr
