"""threshold="f1": the decision between two classes of which one is rare."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from helpers.bundled import bundled
from textperceptron import TextClassifier, TextModel
from textperceptron.learn.threshold import best_threshold
from textperceptron.settings import recipe

TEXTS, LABELS = bundled("reviews").train
TEST = bundled("reviews").test


def uneven(rare):
    """Texts and labels of which every sixth of a class is kept."""
    of_rare = [k for k, label in enumerate(LABELS) if label == rare][::6]
    kept = sorted([*of_rare, *(k for k, label in enumerate(LABELS) if label != rare)])
    return [TEXTS[k] for k in kept], [LABELS[k] for k in kept]


UNEVEN = uneven("pos")
F1 = recipe("best").replace(threshold="f1")


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=30))
def test_no_threshold_has_a_higher_f1(pairs):
    scores, positive = np.array([float(score) for score, _ in pairs]), np.array([is_one for _, is_one in pairs])
    found = f1_score(positive, scores > best_threshold(scores, positive), zero_division=0)
    every = [f1_score(positive, scores > cut, zero_division=0) for cut in np.arange(-4, 4) + 0.5]
    assert found == max(every) if positive.any() else best_threshold(scores, positive) == 0


@pytest.mark.parametrize("rare", ["neg", "pos"])
def test_more_texts_of_the_rare_class_are_found(rare):
    plain, moved = (TextModel.train(*uneven(rare), settings).predict(TEST.texts) for settings in ("best", F1))
    assert plain.count(rare) < moved.count(rare)
    f1 = [f1_score(TEST.labels, found, pos_label=rare) for found in (plain, moved)]
    assert f1[0] + 0.1 < f1[1]


def test_every_door_and_any_number_of_threads_give_the_same_model(tmp_path):
    model = TextModel.train(*UNEVEN, F1, n_jobs=1)
    scores = model.scores(TEXTS)
    np.testing.assert_array_equal(TextModel.train(*UNEVEN, F1, n_jobs=2).scores(TEXTS), scores)
    np.testing.assert_array_equal(TextClassifier(threshold="f1").fit(*UNEVEN).decision_function(TEXTS), scores)
    model.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scores(TEXTS), scores)
    assert [loaded.predict_one(text) for text in TEXTS[:20]] == loaded.predict(TEXTS[:20])
    with pytest.raises(ValueError, match="threshold='f1' needs all texts at once"):
        loaded.update(*UNEVEN)


def test_progress_counts_the_epochs_of_all_folds():
    seen = []
    TextModel.train(*UNEVEN, F1, callback=seen.append)
    assert {done.max_iter for done in seen} == {30}
    assert list(dict.fromkeys(done.epoch for done in seen)) == list(range(1, 31))


def test_what_it_cannot_do_is_said():
    with pytest.raises(ValueError, match="threshold='f1' is for two classes, and there are 6"):
        TextModel.train(*bundled("topics").train, F1)
    with pytest.raises(ValueError, match="at least two rows of each class"):
        TextModel.train(["good", "bad", "dull"], ["pos", "neg", "neg"], F1)
    with pytest.raises(ValueError, match="keeps rows, not weights"):
        recipe("perceptron").replace(learner="voted", threshold="f1")
