"""The figures of ``train``: the same as scikit-learn's, for each way of measuring."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, recall_score

from textperceptron import TextModel, load_corpus
from textperceptron.cli.evaluation import Evaluator
from textperceptron.report import folds, hold_out
from textperceptron.settings import recipe

TOPICS = load_corpus("topics", merge_labels="computing,cooking,gardening,music,sport=other")
SETTINGS = recipe("mira").replace(max_iter=3, threshold="recall=0.8:travel")


def predictions(splits):
    """True and predicted labels of all held-out texts, by models trained on the others."""
    texts, labels = np.array(TOPICS.train.texts, object), np.array(TOPICS.train.labels, object)
    true = [labels[held_out] for _, held_out in splits]
    found = [TextModel.train(texts[rest], labels[rest], SETTINGS).predict(texts[out]) for rest, out in splits]
    return np.concatenate(true).tolist(), np.concatenate(found).tolist()


@pytest.mark.parametrize("how", [{}, {"holdout": 0.3}, {"cv": 3}], ids=["test split", "held out", "folds"])
def test_macro_f1_and_the_baseline_are_those_of_the_predictions(how):
    model = TextModel.train(TOPICS.train.texts, TOPICS.train.labels, SETTINGS)
    if "holdout" in how:
        true, found = predictions([hold_out(TOPICS.train.labels, 0.3, 0)])
    elif "cv" in how:
        true, found = predictions(list(folds(TOPICS.train.labels, 3, 0)))
    else:
        true, found = TOPICS.test.labels, model.predict(TOPICS.test.texts)
    evaluator = Evaluator(TOPICS, None, how.get("holdout"), how.get("cv"), SETTINGS, 1)
    measured = evaluator.evaluate(model)[-1].as_dict()
    assert measured["accuracy"]["value"] == pytest.approx(accuracy_score(true, found))
    assert measured["macro_f1"] == pytest.approx(f1_score(true, found, average="macro"))
    share = measured["most_frequent_class"]
    assert (share["label"], share["accuracy"]["right"]) == ("other", true.count("other"))
    assert measured["classes"]["travel"]["recall"] == pytest.approx(recall_score(true, found, pos_label="travel"))
    assert list(measured["classes"]) == ["travel"]
