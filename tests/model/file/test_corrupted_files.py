"""Thousands of corrupted model files: each is rejected in one line that starts with its path, or predicts."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from helpers.corrupted_files import spoilt
from helpers.model_files import KINDS, PROBES, model_of
from textperceptron import TextModel
from textperceptron.cli import main
from textperceptron.model import inspect
from textperceptron.model.file import ModelFileError

BATCHES, EACH = 8, 400

# Errors that an intact model may raise as well.
NO_ANSWER = re.compile(
    r"the model has scores, not probabilities|hashed columns have no names|the voted perceptron (counts|keeps|stores)"
    r"|are hashed to 2\*\*\d+: they cannot be read"
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("models"), {}
    for kind in KINDS:
        model, trainable = model_of(kind)
        model.save(folder / "whole", trainable=trainable)
        found[kind] = (folder / "whole").read_bytes()
    return found


def opened(read, path):
    """Return the result of reading a file, or None if it is rejected with a message that starts with the path."""
    try:
        return read(path)
    except ModelFileError as problem:
        if not str(problem).startswith(f"{path}: ") or "\n" in str(problem):
            raise AssertionError(f"not one line that begins with the path: {problem}") from None
        return None


def questions(model):
    """Yield every call that needs texts or terms."""
    yield lambda: model.predict(PROBES)
    yield lambda: [model.predict_one(text) for text in PROBES]
    yield lambda: model.scores(PROBES)
    yield lambda: model.probabilities(PROBES)
    yield lambda: [model.explain(text) for text in PROBES[:2]]
    yield lambda: [str(model.top_terms(label, 30)) for label in model.classes[:8]]
    yield lambda: [epoch.progressive_accuracy for epoch in model.history]


def ask(question):
    try:
        return question()
    except ValueError as problem:
        if type(problem) is not ValueError or not NO_ANSWER.search(str(problem)):
            raise
        return None


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_corrupted_file_is_rejected_with_its_path_or_predicts(files, tmp_path, batch, capfd):
    kinds, n_opened = sorted(KINDS), 0
    (tmp_path / "texts").write_text("\n".join(PROBES), encoding="utf-8")
    for seed in range(batch * EACH, (batch + 1) * EACH):
        path = tmp_path / str(seed)  # a new name: earlier files may still be mapped
        path.write_bytes(spoilt(files[kinds[seed % len(kinds)]], np.random.default_rng(seed)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # weights may be so large that sums are infinite
            opened(inspect, path)
            model = opened(TextModel.load, path)
            if model is not None:
                n_opened += 1
                for question in questions(model):
                    ask(question)
            if seed % 8 == 0 or (model is not None and seed % 2):
                check_commands(path, tmp_path / "texts", model is not None, capfd)
        path.unlink()
    assert n_opened > EACH // 20


def check_commands(path, texts, is_open, capfd):
    """Run the verbs that open a model; an error is one line."""
    for words in (["inspect"], ["inspect", "--json"], ["predict", "--scores"], ["explain"]):
        further = {"predict": [str(texts)], "explain": [PROBES[0]]}.get(words[0], [])
        capfd.readouterr()
        code = main([*words, str(path), *further])
        err = capfd.readouterr().err
        if code:
            assert code == 2
            assert re.fullmatch(r"textperceptron: .+\n", err)
            assert err.startswith(f"textperceptron: {path}: ") or is_open
            assert err.startswith(f"textperceptron: {path}: ") or NO_ANSWER.search(err)
        else:
            assert err == ""
