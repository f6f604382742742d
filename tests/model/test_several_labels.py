"""Text models of texts with any number of labels."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.model.file import ModelFileError, open_tensor_file, read_header, write_tensor_file
from textperceptron.settings import recipe

TOPICS, NAMES = bundled("topics").train
N = len(TOPICS) // 2
TEXTS = [f"{first} {second}" for first, second in zip(TOPICS[:N], TOPICS[N:], strict=True)] + TOPICS[:20] + ["", "odd"]
SETS = [sorted({a, b}) for a, b in zip(NAMES[:N], NAMES[N:], strict=True)] + [[n] for n in NAMES[:20]] + [[], ["rare"]]
F1 = recipe("fast").replace(max_iter=3)


@pytest.fixture(scope="module")
def model():
    return TextModel.train(TEXTS, SETS, F1)


def test_labels_are_those_with_scores_above_zero(model):
    assert model.multilabel
    assert model.settings.learner.threshold == "f1"
    assert model.classes == (*sorted(set(NAMES)), "rare") or "rare" in model.classes
    scores = model.scores(TEXTS)
    expected = [tuple(label for label, score in zip(model.classes, row, strict=True) if score > 0) for row in scores]
    assert model.predict(TEXTS) == expected
    assert [model.predict_one(text) for text in TEXTS] == expected
    assert np.mean([set(found) == set(labels) for found, labels in zip(expected, SETS, strict=True)]) > 0.7
    assert model.predict([]) == []
    assert model.scores([]).shape == (0, len(model.classes))
    with pytest.raises(ValueError, match="may have several labels, or none: use predict"):
        model.codes(TEXTS)


def test_a_text_may_get_no_labels(model):
    assert model.predict(["zzzz"]) in ([()], [model.predict_one("zzzz")])
    strict = TextModel.train(TEXTS, SETS, F1.replace(threshold="0"))
    assert () in strict.predict(["zzzz", "", "and"])
    assert strict.settings.learner.threshold == "0"


def test_top_labels_are_sorted_by_score(model):
    found = model.top_labels(TEXTS[0], 3)
    scores = model.scores(TEXTS[:1])[0]
    assert [each.score for each in found] == sorted(scores.tolist(), reverse=True)[:3]
    assert model.score_one(TEXTS[0]) == found[0]


def test_explanations_add_up_to_the_scores(model):
    found = model.explain(TEXTS[0])
    assert found.label == model.predict_one(TEXTS[0])
    assert found.classes == model.classes
    np.testing.assert_allclose(found.scores, model.scores(TEXTS[:1])[0], atol=1e-5)
    assert model.top_terms("music", 3)


@pytest.mark.parametrize("n_labels", [2, 3, 7])
def test_a_file_gives_the_same_model_back(n_labels, tmp_path):
    known = sorted(set(NAMES))[: n_labels - 1]
    sets = [[*(label for label in labels if label in known), *(["long"] if len(text) > 120 else [])]
            for text, labels in zip(TEXTS, SETS, strict=True)]  # fmt: skip
    model = TextModel.train(TEXTS, sets, F1.replace(calibrate=True, validation_fraction=0.2))
    assert len(model.classes) == n_labels
    model.save(tmp_path / "model")
    loaded = TextModel.load(tmp_path / "model", verify=True)
    assert loaded.multilabel
    assert loaded.summary.n_rows == len(TEXTS)
    assert loaded.predict(TEXTS) == model.predict(TEXTS)
    np.testing.assert_array_equal(loaded.scores(TEXTS), model.scores(TEXTS))
    np.testing.assert_array_equal(loaded.probabilities(TEXTS), model.probabilities(TEXTS))
    top = loaded.top_labels(TEXTS[3], 2)
    probabilities = loaded.probabilities(TEXTS[3:4])[0]
    assert [each.probability for each in top] == [probabilities[loaded.classes.index(each.label)] for each in top]
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_any_number_of_threads_gives_the_same_bytes(tmp_path):
    for n_jobs in (1, 2, 3):
        TextModel.train(TEXTS, SETS, F1, n_jobs=n_jobs).save(tmp_path / str(n_jobs))
    assert len({(tmp_path / str(n_jobs)).read_bytes() for n_jobs in (1, 2, 3)}) == 1


def test_smaller_models_predict_label_sets(model):
    small = model.pruned(keep=2000).halved()
    assert small.multilabel
    cost = model.compare(small, TEXTS, SETS)
    assert cost.right_before == sum(set(a) == set(b) for a, b in zip(model.predict(TEXTS), SETS, strict=True))
    assert cost.right_after > 0.6 * cost.right_before


@pytest.mark.parametrize(
    "labels",
    [
        [set(labels) for labels in SETS],
        [(*labels, *labels) for labels in SETS],
        [np.array(labels, object) for labels in SETS],
        pd.Series(SETS),
        pl.Series(SETS),
        pa.array(SETS),
        pd.DataFrame({"labels": SETS}),
    ],
    ids=["sets", "repeated", "arrays", "pandas", "polars", "pyarrow", "frame"],
)
def test_label_sets_may_come_in_many_forms(labels, model):
    assert TextModel.train(TEXTS, labels, F1).scores(TEXTS).tolist() == model.scores(TEXTS).tolist()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", ["b"]], r"label 0 is 'a' and label 1 is \['b'\], a list: write all labels as lists, such as \['a'\]"),
        ([["a"], None], r"label set 1 is missing \(None\): use \[\] for a text without labels"),
        ([["a"], math.nan], r"label set 1 is missing \(nan\)"),
        ([["a"], ["b", None]], r"label set 1: label 1 is missing"),
        ([["a"], [["b"]]], r"label set 1: label 0 is \['b'\] \(list\): use str, int or bool"),
        ([["a"], [1]], "labels must all be of one type"),
        ([[], []], "no text has a label: a classifier needs texts with different labels"),
        ([["a", "b"], ["b", "a"]], "all texts have the same labels, 'a', 'b'"),
        ([["a"], []], "there is only one label, 'a': write it as a class"),
        ([["a"], ["b"], ["c"]], "2 texts and 3 labels"),
    ],
)
def test_bad_label_sets_are_named(labels, message):
    with pytest.raises(ValueError, match=message):
        TextModel.train(["one text", "another"], labels)


def test_what_several_labels_cannot_do_is_said(model, tmp_path):
    with pytest.raises(ValueError, match="several labels per text chooses thresholds on all texts, so it cannot be up"):
        model.update(TEXTS, SETS)
    with pytest.raises(ValueError, match="no training state to save, because texts have several labels: save it with"):
        model.save(tmp_path / "model", trainable=True)
    with pytest.raises(ValueError, match="class_weight weighs a text by its one label"):
        TextModel.train(TEXTS, SETS, F1.replace(class_weight="balanced"))
    with pytest.raises(ValueError, match="learner='voted' keeps rows, not weights"):
        TextModel.train(TEXTS, SETS, recipe("perceptron").replace(learner="voted"))
    with pytest.raises(ValueError, match="train with calibrate=True"):
        model.probabilities(TEXTS)


def test_numbers_are_labels_and_weights_count():
    codes = {name: code for code, name in enumerate(sorted({label for labels in SETS for label in labels}))}
    sets = [[codes[label] for label in labels] for labels in SETS]
    weight = np.ones(len(TEXTS))
    weight[::2] = 0
    model = TextModel.train(TEXTS, sets, F1.replace(threshold="0"), sample_weight=weight)
    assert all(isinstance(label, int) for labels in model.predict(TEXTS) for label in labels)


def test_a_resumed_training_gives_the_same_bytes(tmp_path):
    class StopError(Exception):
        pass

    seen = []

    def stop(done):
        seen.append(done.epoch)
        if done.epoch == 17:
            raise StopError

    with pytest.raises(StopError):
        TextModel.train(TEXTS, SETS, F1, checkpoint=tmp_path / "state", every=0, callback=stop)
    resumed = TextModel.train(TEXTS, SETS, F1, checkpoint=tmp_path / "state", resume=True)
    assert resumed.scores(TEXTS).tolist() == TextModel.train(TEXTS, SETS, F1).scores(TEXTS).tolist()
    with pytest.raises(ValueError, match="other texts, labels or weights"):
        TextModel.train(TEXTS, [*SETS[1:], []], F1, checkpoint=tmp_path / "state", resume=True)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("label_sets", {"texts": -1}, "label_sets must have a number of texts"),
        ("label_sets", [1], "label_sets must have a number of texts"),
        ("label_sets", {"texts": 1, "more": 2}, "label_sets must have a number of texts"),
        ("calibration", {"kind": "temperature", "sharpness": 1.0}, "of kind platt-per-label"),
        ("calibration", {"kind": "platt-per-label", "slopes": [1.0], "offsets": [0.0]}, "a slope and an offset per"),
    ],
)
def test_damaged_headers_are_rejected(key, value, message, model, tmp_path):
    model.save(tmp_path / "model")
    header, _ = read_header(tmp_path / "model", "model")
    arrays = dict(open_tensor_file(tmp_path / "model", "model").arrays)
    changed = {name: each for name, each in header.items() if name not in ("format", "kind", "toolkit", "sha256")}
    write_tensor_file(tmp_path / "bad", "model", changed | {key: value}, arrays)
    with pytest.raises(ModelFileError, match=message):
        TextModel.load(tmp_path / "bad")
