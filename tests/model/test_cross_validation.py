"""Texts that are counted once for a model and for its evaluation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.cli import main
from textperceptron.model import cross_validation
from textperceptron.model.cross_validation import CrossValidation
from textperceptron.report import folds, hold_out
from textperceptron.settings import recipe
from textperceptron.text import vectorize
from textperceptron.text.counted_texts import count_texts

REVIEWS = bundled("reviews").train


@pytest.mark.parametrize("name", ["best", "mira"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_of_counted_texts_has_the_bytes_of_a_model_of_texts(name, n_jobs, tmp_path):
    texts, labels = REVIEWS
    validation = CrossValidation(texts, labels, folds(labels, 3), n_jobs, unique=True)
    settings = replace(recipe(name), text=validation.resolve_auto(recipe(name).text))
    counted = validation.counted(settings.text)
    validation.evaluate(settings, 0)  # does not change the counts
    TextModel.train(counted, labels, settings, n_jobs=n_jobs).save(tmp_path / "counted")
    TextModel.train(texts, labels, settings).save(tmp_path / "texts")
    assert (tmp_path / "counted").read_bytes() == (tmp_path / "texts").read_bytes()


@pytest.mark.parametrize("options", [[], ["--holdout", "0.3"], ["--cv", "3"]])
def test_train_counts_the_texts_once_for_the_model_and_its_accuracy(options, monkeypatch, capfd):
    calls = []

    def counting(*arguments, **options):
        calls.append(arguments)
        return count_texts(*arguments, **options)

    monkeypatch.setattr(cross_validation, "count_texts", counting)
    monkeypatch.setattr(vectorize, "count_texts", counting)
    assert main(["train", "stars", *options]) == 0
    assert len(calls) == 1
    assert " of " in capfd.readouterr().out


def test_train_prints_the_accuracy_of_a_model_that_never_saw_the_held_out_texts(tmp_path, capfd):
    lines = [f"{label}\t{text}\n" for text, label in zip(*REVIEWS, strict=True)]
    (tmp_path / "reviews.tsv").write_text("".join(lines), encoding="utf-8")
    assert main(["train", str(tmp_path / "reviews.tsv"), "--holdout", "0.25"]) == 0
    rest, held_out = hold_out(REVIEWS.labels, 0.25)
    model = TextModel.train([REVIEWS.texts[k] for k in rest], [REVIEWS.labels[k] for k in rest])
    found = model.predict([REVIEWS.texts[k] for k in held_out])
    n_right = sum(REVIEWS.labels[k] == label for k, label in zip(held_out, found, strict=True))
    assert f"{n_right} of {len(held_out)} correct" in capfd.readouterr().out
