"""Every golden case in tests/cli/commands."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
import tomllib

import pytest

from helpers.command_cases import FOLDER, MODELS, check, lay_out, read_cases, renew
from helpers.fresh import FRESH_PYTHON
from textperceptron.cli import main
from textperceptron.cli.main import VERBS

CASES = dict(read_cases())
COMMAND = [*FRESH_PYTHON, "from textperceptron.__main__ import run; run()"]


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    before = os.getcwd()
    os.chdir(folder)
    try:
        for command in MODELS.values():
            assert main(shlex.split(command)) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if case.get("slow") else ()) for name, case in CASES.items()]
)
def test_a_command_does_what_its_case_says(name, models, tmp_path, monkeypatch, capfd, request):
    case = CASES[name]
    for path in models.iterdir():
        (tmp_path / path.name).symlink_to(path)
    lay_out(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTPERCEPTRON_DATA", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for command in case.get("before", ()):
        assert main(shlex.split(command)) == 0
    before = {path.name for path in tmp_path.iterdir()}
    words, stdin = shlex.split(case["command"]), case.get("stdin", "").encode()
    if case.get("process") or "redirect" in case:
        shell = ["sh", "-c", f'exec "$@" {case["redirect"]}', "sh"] if "redirect" in case else []
        done = subprocess.run([*shell, *COMMAND, *words], input=stdin, capture_output=True, check=False)
        code, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
    else:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfd.readouterr()
        code = main(words)
        out, err = capfd.readouterr()
    if request.config.getoption("--renew-outputs"):
        renew(name, case, out)
        return
    check(case, code, out, err)
    assert {path.name for path in tmp_path.iterdir()} - before == set(case.get("left", ()))
    for left, text in case.get("contents", {}).items():
        assert (tmp_path / left).read_text("utf-8") == text


def test_every_verb_is_run_as_a_process_at_least_once():
    started = {case["command"].split()[0] for case in CASES.values() if case.get("process")}
    assert started >= set(VERBS)


def test_names_of_cases_are_unique():
    written = sum(len(tomllib.loads(path.read_text("utf-8"))["case"]) for path in FOLDER.glob("*.toml"))
    assert written == len(CASES)
