"""The default recipe "best": one setting for every corpus, safe on any texts."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline

from helpers.bundled import bundled, many_topics
from helpers.texts import shared_file
from textperceptron import AROW, BagOfWords, LogCountRatio, OneVsAll, TextClassifier, TextModel, read_corpus
from textperceptron.settings import recipe

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")


@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS, many_topics()], ids=["2 classes", "6 classes", "24 classes"])
def test_it_is_arow_on_rows_of_length_one_with_log_count_ratios(corpus):
    two = corpus is REVIEWS
    bag = BagOfWords(
        token_pattern="any-script", ngram_range=(1, 2), negation=True, characters=4, binary=two,
        sublinear_tf=True, norm="l2",
    )  # fmt: skip
    ratios = LogCountRatio(binary=True, balanced=True)
    learner = AROW(r=0.7 if two else 2, max_iter=5, column_weight=ratios, interpolation=0.4)
    pipeline = make_pipeline(bag, learner if two else OneVsAll(learner)).fit(*corpus.train)
    model, classifier = TextModel.train(*corpus.train, "best"), TextClassifier("best").fit(*corpus.train)
    texts = corpus.test.texts
    counts = np.unique(corpus.train.labels, return_counts=True)[1]
    adjustment = 0 if two else 0.03 * np.log(counts.mean() / counts)
    expected = pipeline.decision_function(texts) + adjustment
    np.testing.assert_allclose(model.scores(texts), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(classifier.decision_function(texts), model.scores(texts))
    assert [model.predict_one(text) for text in texts] == model.predict(texts)


def test_a_saved_model_keeps_it_and_can_be_updated(tmp_path):
    model = TextModel.train(*TOPICS.train, recipe("best").replace(max_iter=1))
    model.save(tmp_path / "model", trainable=True)
    model = TextModel.load(tmp_path / "model")
    model.update(*TOPICS.train)
    unsaved = TextModel.train(*TOPICS.train, recipe("best").replace(max_iter=1))
    unsaved.update(*TOPICS.train)
    np.testing.assert_array_equal(model.scores(TOPICS.test.texts), unsaved.scores(TOPICS.test.texts))
    resolved = {"binary": False, "characters": 4, "prefixes": 0, "language": "en"}
    assert TextClassifier.load(tmp_path / "model").settings() == recipe("best").replace(max_iter=1, **resolved)


def test_classes_that_are_too_many_for_one_vs_all_are_learnt_natively(monkeypatch, tmp_path):
    monkeypatch.setattr("textperceptron.settings.learner.MAX_ONE_VS_ALL_WEIGHTS", 1000)
    model = TextModel.train(*TOPICS.train, recipe("best").replace(max_iter=1))
    natively = recipe("best").replace(multiclass="native", column_weight=None, max_iter=2)
    model.save(tmp_path / "model", trainable=True)
    model = TextModel.load(tmp_path / "model")
    model.update(*TOPICS.train)
    expected = TextModel.train(*TOPICS.train, natively)
    np.testing.assert_array_equal(model.scores(TOPICS.test.texts), expected.scores(TOPICS.test.texts))


@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["2 classes", "6 classes"])
def test_texts_without_a_known_word_get_a_label(corpus):
    model = TextModel.train(*corpus.train, "best")
    texts = ["", "   ", "\x00", "zzyzx", "…", "lovely"]
    assert set(model.predict(texts)) <= set(model.classes)
    assert np.isfinite(model.scores(texts)).all()
    assert [model.predict_one(text) for text in texts] == model.predict(texts)


def test_phrases_of_three_words_are_enough():
    words = {"good": ["fine", "lovely", "great", "warm"], "bad": ["dull", "poor", "cold", "bland"]}
    texts = [f"{a} {b} {c}" for mine in words.values() for a in mine for b in mine for c in ("film", "soup")]
    labels = [label for label, mine in words.items() for _ in range(2 * len(mine) ** 2)]
    model = TextModel.train(texts, labels, "best")
    assert model.predict(["fine warm book", "bland cold book", "lovely", "dull"]) == ["good", "bad", "good", "bad"]


ODD_TEXTS = [
    "मिक्स 混ぜる mix смесь ผสม 섞다 \U0001f469\u200d\U0001f4bb",
    "\ud800 \udfff half a pair",
    "\u0378\U000e0fff unassigned",
    "\ue000\U00100000 private use",
    "\u0301\u200d\ufe0f marks alone",
    "x" * 1_000_000,
    "字" * 300_000,
    "न\u093f" * 200_000,
]


def test_odd_texts_are_learnt_in_linear_time_on_any_number_of_threads():
    texts, labels = [*ODD_TEXTS, *REVIEWS.train.texts[:50]], [*"abababab", *("ab" * 25)]
    began = time.process_time()
    models = [TextModel.train(texts, labels, n_jobs=n_jobs) for n_jobs in (1, 2)]
    scores = [model.scores([*ODD_TEXTS, "สวัสดี", "שלום"]) for model in models]
    assert time.process_time() - began < 20  # takes 2
    np.testing.assert_array_equal(*scores)
    assert [models[0].predict_one(text) for text in ODD_TEXTS] == models[0].predict(ODD_TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "accuracy"), [("zh_waimai", 0.88), ("wisesight_th", 0.67), ("korean_hate", 0.54), ("afrisenti_hau", 0.72)]
)
def test_it_is_good_outside_english(name, accuracy):
    model = TextModel.train(*shared(f"world/{name}.train.tsv.gz"))
    texts, labels = shared(f"world/{name}.test.tsv.gz")
    right = sum(found == label for found, label in zip(model.predict(texts), labels, strict=True))
    assert right / len(labels) > accuracy


@pytest.mark.slow
def test_rare_classes_among_many_are_found():
    texts, labels = shared("world/reuters90.train.tsv.gz")
    pairs = [(text, label) for text, label in zip(texts, labels, strict=True) if "|" not in label]
    train, held_out = [pair for k, pair in enumerate(pairs) if k % 4], pairs[::4]
    model = TextModel.train(*zip(*train, strict=True))
    found = model.predict([text for text, _ in held_out])
    assert f1_score([label for _, label in held_out], found, average="macro", zero_division=0) > 0.74


def shared(name, step=1):
    """Every ``step``-th text and label of a published corpus."""
    part = read_corpus(shared_file(name)).train
    return list(part.texts)[::step], list(part.labels)[::step]


def rare(texts, labels, ratio):
    """Drop texts of the second class until the first has ``ratio`` times as many."""
    first, second = sorted(set(labels))
    many = [text for text, label in zip(texts, labels, strict=True) if label == first]
    few = [text for text, label in zip(texts, labels, strict=True) if label == second][: len(many) // ratio]
    return [*many, *few], [first] * len(many) + [second] * len(few)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [2, 10, 50])
def test_a_rare_class_is_found_where_mira_finds_it(ratio):
    train = rare(*shared("imdb.train.tsv.gz", 3), ratio)
    texts, labels = rare(*shared("imdb.test.tsv.gz", 5), ratio)
    found = {name: TextModel.train(*train, name).predict(texts) for name in ("best", "mira")}
    scores = {name: f1_score(labels, predicted, average="macro") for name, predicted in found.items()}
    assert scores["best"] > scores["mira"] - 0.06
    assert ("pos" in found["best"]) >= ("pos" in found["mira"])


def test_very_uneven_classes_are_learnt_without_ratios_and_even_ones_with_them(tmp_path):
    texts, labels = REVIEWS.train
    uneven = rare(texts, labels, 4)
    for (given, theirs), expected in (((texts, labels), "log_count_ratio"), (uneven, None)):
        model = TextModel.train(given, theirs, "best")
        plain = TextModel.train(given, theirs, recipe("best").replace(column_weight=expected))
        np.testing.assert_array_equal(model.scores(texts), plain.scores(texts))
        for each in (model, plain):
            each.save(tmp_path / "model", trainable=True)
            each.update(given, theirs)
        loaded = TextModel.load(tmp_path / "model")
        loaded.update(given, theirs)
        np.testing.assert_array_equal(model.scores(texts), plain.scores(texts))
        np.testing.assert_array_equal(loaded.scores(texts), plain.scores(texts))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([300, 100], True), ([301, 100], False), ([2500, 500], True), ([2501, 500], False), ([1600, 499], False)],
)
def test_uneven_classes_have_ratios_if_the_rarer_one_has_enough_texts(sizes, expected):
    for given in (sizes, sizes[::-1]):
        assert (recipe("best").learner.resolve_auto(given, 1000).column_weight is not None) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("train", "test", "step", "least"),
    [
        ("imdb.train.tsv.gz", "imdb.test.tsv.gz", 5, 0.88),  # long documents
        ("trec.train.tsv", "trec.test.tsv", 1, 0.88),  # questions of ten words, six classes
        ("sst_fine.train.tsv", "sst_fine.dev.tsv", 1, 0.38),  # five grades
        ("20news.train.tsv.gz", "20news.test.tsv.gz", 4, 0.70),  # 20 classes
    ],
)
def test_long_and_short_texts_of_two_to_twenty_classes_are_learnt_by_the_same_settings(train, test, step, least):
    model = TextModel.train(*shared(train, step), "best")
    texts, labels = shared(test, step)
    assert np.mean(np.array(model.predict(texts)) == labels) > least
