"""Answers of a model that gives a text any number of labels."""

from __future__ import annotations

import json

import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.serve.predictions import explain_text, predict_texts

TOPICS, NAMES = bundled("topics").train
TEXTS = [f"{first} {second}" for first, second in zip(TOPICS[::2], TOPICS[1::2], strict=True)]
SETS = [[first, second] for first, second in zip(NAMES[::2], NAMES[1::2], strict=True)]


@pytest.mark.parametrize("labels", [sorted(set(NAMES)), sorted(set(NAMES))[:2]], ids=["six", "two"])
@pytest.mark.parametrize("top", [None, 2])
def test_answers_have_the_labels_of_predict(labels, top):
    sets = [[label for label in each if label in labels] for each in SETS]
    model = TextModel.train(TEXTS, sets, "fast")
    found = predict_texts(model, TEXTS[:40], top)
    json.dumps(found)
    for text, answer in zip(TEXTS, found, strict=False):
        assert sorted(each["label"] for each in answer["labels"]) == list(model.predict_one(text))
        scores = [each["score"] for each in answer["labels"]]
        assert scores == sorted(scores, reverse=True)
        assert (answer["label"], answer["score"]) == model.score_one(text)[:2]
        if top:
            assert [each["label"] for each in answer["top"]] == [each.label for each in model.top_labels(text, top)]
    explained = explain_text(model, TEXTS[0], 3)
    assert tuple(explained["label"]) == model.predict_one(TEXTS[0])
    assert len(explained["scores"]) == len(labels)
