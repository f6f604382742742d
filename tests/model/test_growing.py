"""Updates learn new terms, new classes and new log-count ratios."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.bundled import bundled, many_topics
from textperceptron import TextModel
from textperceptron.model import UpdateWarning
from textperceptron.model.features import Features
from textperceptron.settings import TextSettings, recipe

REVIEWS, TOPICS = bundled("reviews").train, bundled("topics").train
MANY = many_topics()
PLAIN = recipe("perceptron").replace(ngram_range=(1, 1), binary=False, shuffle=False, max_iter=1)
KINDS = {
    "two classes, ratios": (REVIEWS, recipe("best")),
    "two classes, character n-grams": (REVIEWS, recipe("best").replace(characters=4)),
    "six classes, ratios": (TOPICS, recipe("best").replace(multiclass="one-vs-all", column_weight="log_count_ratio")),
    "two classes, averaged": (REVIEWS, recipe("averaged")),
    "six classes, native": (TOPICS, recipe("mira").replace(multiclass="native")),
    "six classes, one-vs-all": (TOPICS, recipe("mira").replace(multiclass="one-vs-all", learner="arow")),
    "voted": (REVIEWS, recipe("perceptron").replace(learner="voted", max_iter=2)),
    "batch": (REVIEWS, recipe("perceptron").replace(learner="batch", max_iter=2)),
    "batch, ratios": (
        REVIEWS,
        recipe("perceptron").replace(learner="batch", column_weight="log_count_ratio", max_iter=2),
    ),
}
each_kind = pytest.mark.parametrize("kind", KINDS)
documents = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5), st.booleans()), min_size=1, max_size=8
)


def halves(split):
    """Return every other text, and the rest."""
    return [(split.texts[k::2], split.labels[k::2]) for k in (0, 1)]


def weights_by_name(model, weights):
    """Return an array of the columns as a dict from term."""
    return dict(zip(model.parts.features.vocabulary.names(), weights.tolist(), strict=True))


@given(first=documents, second=documents)
def test_new_terms_get_the_weights_of_a_perceptron_that_knew_them_from_the_start(first, second):
    first = [*first, (["a"], True), (["b"], False)]  # both classes
    weight, intercept = defaultdict(float), 0.0
    for words, is_positive in [*first, *second]:
        sign = 1 if is_positive else -1
        if sign * (sum(weight[word] for word in words) + intercept) <= 0:
            intercept += sign
            for word in words:
                weight[word] += sign
    (texts, labels), new = (
        [[" ".join(words) for words, _ in part], [label for _, label in part]] for part in (first, second)
    )
    settings = PLAIN.replace(token_pattern=r"\w+")
    model = TextModel.train(texts, labels, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UpdateWarning)
        model.update(*new)
    found = weights_by_name(model, model.parts.model.weights[:-1])
    assert {word: value for word, value in found.items() if value} == {w: value for w, value in weight.items() if value}
    assert set(found) == set(weight)
    assert model.parts.model.weights[-1] == intercept


@pytest.mark.parametrize("changes", [{}, {"negation": True, "prefixes": 4}, {"characters": 3}, {"ngram_range": (2, 3)}])
def test_the_rows_of_new_texts_are_those_of_the_grown_vocabulary(changes):
    settings = TextSettings(**{"ngram_range": (1, 2), "norm": "l2", "min_df": 2, **changes})
    (first, _), (second, _) = halves(REVIEWS)
    known = Features.learn(first, settings)[0]()
    grown, rows, growth = known.grow(second, 1 << 30)
    for array, expected in zip(dataclasses.astuple(rows), dataclasses.astuple(grown.rows(second)), strict=True):
        np.testing.assert_array_equal(array, expected)
    names, before = grown.vocabulary.names(), known.vocabulary.names()
    assert [names[column] for column in growth.positions] == before
    assert set(names) == set(before) | set(Features.learn(second, settings)[0]().vocabulary.names())
    n_words = grown.vocabulary.n_words
    assert all(name[0] in "^~" and len(name) > 2 for name in names[n_words:]) or not settings.n_characters
    assert set(before[: known.n_words]) <= set(names[: grown.n_words])


@each_kind
def test_a_stored_model_is_updated_to_the_same_bytes(kind, tmp_path):
    split, settings = KINDS[kind]
    first, second = halves(split)
    model = TextModel.train(*first, settings)
    model.save(tmp_path / "model", trainable=True)
    stored = TextModel.load(tmp_path / "model")
    for name, each, n_jobs in (("direct", model, 1), ("stored", stored, 2)):
        for _ in range(2):
            each.update(*second, n_jobs=n_jobs)
        each.save(tmp_path / name, trainable=True)
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "direct").read_bytes()
    again = TextModel.load(tmp_path / "stored")
    np.testing.assert_array_equal(again.scores(split.texts[:50]), model.scores(split.texts[:50]))
    assert model.n_columns > len(set(" ".join(first[0]).split())) / 2
    assert [model.predict_one(text) for text in split.texts[:20]] == model.predict(split.texts[:20])


@each_kind
def test_all_new_terms_are_learnt(kind):
    split, settings = KINDS[kind]
    first, second = halves(split)
    model, expected = TextModel.train(*first, settings), TextModel.train(*split, settings)
    model.update(*second)
    assert set(model.parts.features.vocabulary) == set(expected.parts.features.vocabulary)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "ratios" in kind or "character" in kind])
def test_ratios_are_those_of_all_texts(kind):
    split, settings = KINDS[kind]
    first, second = halves(split)
    model, expected = TextModel.train(*first, settings), TextModel.train(*split, settings)
    model.update(*second)
    for each in zip(ratios_of(model), ratios_of(expected), strict=True):
        found, at_once = (weights_by_name(m, ratios) for m, ratios in zip((model, expected), each, strict=True))
        assert found == pytest.approx(at_once, rel=1e-6)


def ratios_of(model):
    """Return the log-count ratios that a state was trained with, a row per problem."""
    _, state = model.parts.fitted.training
    if len(model.classes) == 2:
        return [state.column_weight if len(state.column_weight) else state.squared_column_weight[:-1]]
    return state.blocked_table.unblocked(state.class_column_weight)[:-1].T


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_new_classes_are_learnt_with_ratios(n_jobs, tmp_path):
    settings = recipe("best").replace(multiclass="one-vs-all", column_weight="log_count_ratio")
    rows = [k for k, label in enumerate(TOPICS.labels) if label in ("music", "travel")]
    model = TextModel.train([TOPICS.texts[k] for k in rows], [TOPICS.labels[k] for k in rows], settings)
    model.save(tmp_path / "model", trainable=True)
    model = TextModel.load(tmp_path / "model")
    model.update(*TOPICS, n_jobs=n_jobs)
    test = bundled("topics").test
    accuracy = np.mean(np.array(model.predict(test.texts)) == np.array(test.labels))
    expected = TextModel.train(*TOPICS, settings)
    at_once = np.mean(np.array(expected.predict(test.texts)) == np.array(test.labels))
    assert accuracy >= at_once - 0.02
    assert model.summary.rows_of_class == tuple(
        n * (2 if label in ("music", "travel") else 1) for label, n in sorted(Counter(TOPICS.labels).items())
    )
    model.save(tmp_path / "more", trainable=True)
    loaded = TextModel.load(tmp_path / "more")
    for each in (loaded, model):
        each.update(*MANY.train, n_jobs=n_jobs)
    np.testing.assert_array_equal(loaded.scores(MANY.test.texts), model.scores(MANY.test.texts))


def test_a_third_class_joins_two_of_any_multiclass_setting(tmp_path):
    for way in ("auto", "native", "one-vs-all"):
        model = TextModel.train(*REVIEWS, recipe("best").replace(multiclass=way))
        model.update(["so-so and average"] * 3, ["middling"] * 3)
        model.save(tmp_path / "model", trainable=True)
        loaded = TextModel.load(tmp_path / "model")
        for each in (model, loaded):
            each.update(["very average"], ["middling"])
        np.testing.assert_array_equal(loaded.scores(REVIEWS.texts), model.scores(REVIEWS.texts))
        assert loaded.predict_one("so-so and average") == "middling"


@pytest.mark.filterwarnings("ignore:.*of the words are unknown")
def test_the_limit_keeps_the_terms_of_the_most_texts():
    model = TextModel.train(["good", "bad"], ["p", "n"], PLAIN)
    new = ["good superb film film", "bad dull film", "bad bad dull and long"]
    with pytest.warns(UpdateWarning, match=r"full, with 4 terms; new terms left out: 3\. Raise max_terms"):
        model.update(new, ["p", "n", "n"], max_terms=4)
    assert model.parts.features.vocabulary.names() == ["good", "bad", "film", "dull"]
    model = TextModel.train(["good", "bad"], ["p", "n"], PLAIN.replace(max_features=2))
    with pytest.warns(UpdateWarning, match="full, with 2 terms"):
        model.update(["good film"], ["p"])
    assert model.n_columns == 2


@pytest.mark.parametrize("changes", [{"n_features": 256}, {"pair_bits": 10}, {"multiclass": "native", "hash_bits": 12}])
def test_hashed_models_stay_as_large_as_they_are(changes):
    first, second = halves(TOPICS)
    model = TextModel.train(*first, recipe("mira").replace(**changes))
    before, scores = model.n_columns, model.scores(TOPICS.texts)
    model.update(*second)
    assert model.n_columns == before
    assert (model.scores(TOPICS.texts) != scores).any()


def test_ratios_of_files_without_counts_stay_as_they_are(tmp_path):
    first, second = halves(REVIEWS)
    model = TextModel.train(*first, "best")
    model.parts.fitted.counts = None  # as files of earlier versions have it
    model.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    ratios = ratios_of(loaded)[0].copy()
    loaded.update(*second)
    assert loaded.n_columns == model.n_columns
    np.testing.assert_array_equal(ratios_of(loaded)[0], ratios)
    with pytest.raises(ValueError, match="none can be added: train from the start"):
        loaded.update(["so-so"], ["middling"])


def test_texts_in_another_language_are_noticed():
    model = TextModel.train(*REVIEWS, "best")
    with pytest.warns(UpdateWarning, match=r"\d\d % of the words are unknown to the model"):
        model.update(["ein langweiliger Streifen ohne jeden Witz", "das Essen schmeckte wunderbar"], ["neg", "pos"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.update(*bundled("reviews").test)


def test_texts_without_terms_are_learnt_too():
    model = TextModel.train(["good", "bad"], ["p", "n"], PLAIN)
    model.update(["", "!"], ["p", "n"])
    assert model.n_columns == 2
    assert model.summary.rows_of_class == (2, 2)


@pytest.mark.parametrize("split", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
def test_probabilities_are_fitted_to_new_texts_before_they_are_learnt(split):
    first, second = halves(split)
    chosen = recipe("mira").replace(calibrate=True)
    model = TextModel.train(*first, chosen)
    before = model.parts.calibration
    texts, labels = second[0] * 2, second[1] * 2
    scores, codes = model.scores(texts), model.parts.classes.codes(labels)
    model.update(texts, labels)
    from textperceptron.learn.calibration import calibrate

    assert model.parts.calibration == calibrate(scores, codes) != before
    model.update(texts[:20], labels[:20])  # too few: the calibration stays
    assert model.parts.calibration == calibrate(scores, codes)
    assert model.settings.learner.calibrate
    with pytest.warns(UpdateWarning, match="new classes: the model has no probabilities any more"):
        model.update(["so-so"], ["middling"])
    with pytest.raises(ValueError, match="has scores, not probabilities"):
        model.probabilities(["so-so"])


def test_thresholds_stay(tmp_path):
    first, second = halves(REVIEWS)
    model = TextModel.train(*first, recipe("mira").replace(threshold="recall=0.9", max_iter=2))
    plain = TextModel.train(*first, recipe("mira").replace(max_iter=2))
    model.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    raised = plain.scores(["good"]) - model.scores(["good"])
    assert abs(raised[0]) > 1e-3
    for each in (model, loaded):
        with pytest.warns(UpdateWarning, match="thresholds stay those of the first training"):
            each.update(*second)
    plain.update(*second)
    np.testing.assert_allclose(plain.scores(["good"]) - model.scores(["good"]), raised, atol=1e-6)
    np.testing.assert_array_equal(loaded.scores(second[0]), model.scores(second[0]))
    with pytest.warns(UpdateWarning, match="new classes: the model has no thresholds any more"):
        model.update(["so-so"], ["middling"])
    assert model.thresholds == {}
