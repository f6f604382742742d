"""logit_adjustment: the scores of rare classes are raised by a constant."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.bundled import bundled
from textperceptron import TextClassifier, TextModel
from textperceptron.settings import recipe

TEXTS, LABELS = bundled("topics").train
TEST = bundled("topics").test
CLASSES = sorted(set(LABELS))


def uneven():
    """Texts and labels of which later classes have fewer: of class k every (k + 1)-th."""
    ranks = {label: k for k, label in enumerate(CLASSES)}
    seen = dict.fromkeys(CLASSES, 0)
    kept = []
    for k, label in enumerate(LABELS):
        if seen[label] % (ranks[label] + 1) == 0:
            kept.append(k)
        seen[label] += 1
    return [TEXTS[k] for k in kept], [LABELS[k] for k in kept]


UNEVEN = uneven()
PLAIN, ADJUSTED = (recipe("best").replace(logit_adjustment=strength) for strength in (0, 0.1))


def added(labels, strength=0.1):
    counts = np.array([labels.count(label) for label in CLASSES])
    return strength * np.log(counts.mean() / counts)


@pytest.mark.parametrize("changes", [{}, {"tol": 1e-3}], ids=["one pass", "class by class"])
def test_scores_differ_by_the_logarithm_of_the_rarity(changes):
    plain, adjusted = (TextModel.train(*UNEVEN, each.replace(**changes)) for each in (PLAIN, ADJUSTED))
    difference = adjusted.scores(TEST.texts) - plain.scores(TEST.texts)
    np.testing.assert_allclose(difference, np.tile(added(UNEVEN[1]), (len(TEST.texts), 1)), atol=1e-6)
    rarest = CLASSES[-1]
    assert plain.predict(TEST.texts).count(rarest) < adjusted.predict(TEST.texts).count(rarest)


def test_classes_of_the_same_size_do_not_change():
    for corpus in (bundled("topics").train, bundled("reviews").train):
        plain, adjusted = (TextModel.train(*corpus, each) for each in (PLAIN, ADJUSTED))
        np.testing.assert_array_equal(adjusted.scores(TEST.texts), plain.scores(TEST.texts))


@pytest.mark.parametrize("rare", ["neg", "pos"])
def test_the_score_of_the_rarer_of_two_classes_is_raised_by_the_logarithm_of_the_ratio(rare, tmp_path):
    texts, labels = bundled("reviews").train
    kept = [k for k, label in enumerate(labels) if label != rare or k % 4 == 0]
    texts, labels = [texts[k] for k in kept], [labels[k] for k in kept]
    plain, adjusted = (TextModel.train(texts, labels, each) for each in (PLAIN, ADJUSTED))
    adjusted.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    for _ in range(2):
        raised = 0.1 * np.log(labels.count("neg") / labels.count("pos"))
        for model in (adjusted, loaded):
            np.testing.assert_allclose(model.scores(TEST.texts) - plain.scores(TEST.texts), raised, atol=1e-6)
        for model in (plain, adjusted, loaded):
            model.update(texts[:50], labels[:50])
        labels = labels + labels[:50]


def test_auto_depends_on_the_number_of_classes_and_on_their_sizes():
    learner = recipe("best").learner
    assert learner.logit_adjustment == "auto"
    found = {
        sizes: learner.resolve_auto(sizes, 1000).logit_adjustment for sizes in [(9, 6), (10, 6), (6, 10), (9, 6, 1)]
    }
    assert found == {(9, 6): 0.0, (10, 6): 0.05, (6, 10): 0.05, (9, 6, 1): 0.03}
    with pytest.raises(ValueError, match="logit_adjustment=-1"):
        recipe("best").replace(logit_adjustment=-1)


def test_every_door_and_any_number_of_threads_give_the_same_model(tmp_path):
    model = TextModel.train(*UNEVEN, ADJUSTED, n_jobs=1)
    scores = model.scores(TEXTS)
    np.testing.assert_array_equal(TextModel.train(*UNEVEN, ADJUSTED, n_jobs=2).scores(TEXTS), scores)
    classifier = TextClassifier(logit_adjustment=0.1).fit(*UNEVEN)
    np.testing.assert_array_equal(classifier.decision_function(TEXTS), scores)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(TextModel.load(tmp_path / "model").scores(TEXTS), scores)


def test_an_update_counts_the_texts_of_both_trainings(tmp_path):
    more = TEXTS[:60], LABELS[:60]
    plain, adjusted = (TextModel.train(*UNEVEN, each) for each in (PLAIN, ADJUSTED))
    adjusted.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    for model in (plain, adjusted, loaded):
        model.update(*more)
    difference = adjusted.scores(TEST.texts) - plain.scores(TEST.texts)
    expected = added(UNEVEN[1] + more[1])
    np.testing.assert_allclose(difference, np.tile(expected, (len(TEST.texts), 1)), atol=1e-6)
    np.testing.assert_array_equal(loaded.scores(TEST.texts), adjusted.scores(TEST.texts))


def test_a_third_class_starts_with_the_rows_of_the_first_two():
    settings = recipe("averaged").replace(multiclass="one-vs-all", logit_adjustment=0.1)
    two = [k for k, label in enumerate(UNEVEN[1]) if label in CLASSES[:2]]
    third = [k for k, label in enumerate(UNEVEN[1]) if label == CLASSES[2]]
    plain, adjusted = (
        TextModel.train([UNEVEN[0][k] for k in two], [UNEVEN[1][k] for k in two], each)
        for each in (settings.replace(logit_adjustment=0.0), settings)
    )
    for model in (plain, adjusted):
        model.update([UNEVEN[0][k] for k in third], [UNEVEN[1][k] for k in third])
    counts = np.array([UNEVEN[1].count(label) for label in CLASSES[:3]])
    expected = 0.1 * np.log(counts.mean() / counts)
    difference = adjusted.scores(TEST.texts) - plain.scores(TEST.texts)
    np.testing.assert_allclose(difference, np.tile(expected, (len(TEST.texts), 1)), rtol=1e-4, atol=1e-6)
