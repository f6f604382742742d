"""TextModel gives the same bits as the pipeline of estimators, for all settings."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from sklearn.pipeline import make_pipeline

from helpers.bundled import bundled, many_topics
from helpers.texts import collections, documents
from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BagOfWords,
    BatchPerceptron,
    HashedBagOfWords,
    LogCountRatio,
    OneVsAll,
    OneVsOne,
    Perceptron,
    TextModel,
    VotedPerceptron,
    WordPairs,
)
from textperceptron.learn import plan as plan_module
from textperceptron.settings import Settings, WindowSettings, recipe
from textperceptron.settings.text import WORDS_AND_PUNCTUATION

LEARNERS = {
    "perceptron": Perceptron(),
    "averaged": AveragedPerceptron(),
    "mira": MIRA(C=0.01),
    "arow": AROW(),
    "batch": BatchPerceptron(),
    "voted": VotedPerceptron(),
}
WAYS = {"native": lambda learner: learner, "one-vs-all": OneVsAll, "one-vs-one": OneVsOne}
BAG = {"ngram_range": (1, 2), "binary": True}


@pytest.fixture(scope="module")
def reviews():
    return bundled("reviews")


@pytest.fixture(scope="module")
def topics():
    return bundled("topics")


def assert_same(model, pipeline, texts):
    np.testing.assert_array_equal(model.scores(texts), pipeline.decision_function(texts))
    assert model.predict(texts) == pipeline.predict(texts).tolist()
    assert [model.predict_one(text) for text in texts[:20]] == model.predict(texts[:20])


@pytest.mark.parametrize("learner", LEARNERS)
def test_two_classes_give_the_same_bits_as_the_pipeline(reviews, learner):
    model = TextModel.train(*reviews.train, recipe("mira").replace(learner=learner))
    pipeline = make_pipeline(BagOfWords(**BAG), LEARNERS[learner]).fit(*reviews.train)
    assert_same(model, pipeline, reviews.test.texts)


MORE = [(learner, way) for learner in ("perceptron", "averaged", "mira", "arow") for way in WAYS]


@pytest.mark.parametrize(("learner", "way"), [*MORE, ("batch", "one-vs-all"), ("batch", "one-vs-one")])
def test_more_classes_give_the_same_bits_as_the_pipeline(topics, learner, way):
    model = TextModel.train(*topics.train, recipe("mira").replace(learner=learner, multiclass=way))
    pipeline = make_pipeline(BagOfWords(**BAG), WAYS[way](LEARNERS[learner]))
    assert_same(model, pipeline.fit(*topics.train), topics.test.texts)


@pytest.mark.parametrize("way", WAYS)
def test_many_classes_give_the_same_bits_as_the_pipeline(way):
    corpus = many_topics()
    model = TextModel.train(*corpus.train, recipe("mira").replace(multiclass=way))
    pipeline = make_pipeline(BagOfWords(**BAG), WAYS[way](MIRA(C=0.01)))
    assert_same(model, pipeline.fit(*corpus.train), corpus.test.texts)


@pytest.mark.parametrize("way", ["one-vs-all", "one-vs-one"])
@pytest.mark.parametrize("stop", [{"early_stopping": True}, {"tol": 0.01}])
def test_classes_with_stopping_rules_give_the_same_bits_as_the_pipeline(topics, way, stop):
    model = TextModel.train(*topics.train, recipe("mira").replace(multiclass=way, **stop))
    pipeline = make_pipeline(BagOfWords(**BAG), WAYS[way](MIRA(C=0.01, **stop)))
    assert_same(model, pipeline.fit(*topics.train), topics.test.texts)


# Settings, and the corresponding parameters of BagOfWords (with n_features: HashedBagOfWords) and MIRA.
SAME = [
    ({"binary": False, "ngram_range": (1, 1)}, {"binary": False, "ngram_range": (1, 1)}, {}),
    ({"min_df": 2, "max_df": 0.5, "max_features": 50}, {"min_df": 2, "max_df": 0.5, "max_features": 50}, {}),
    ({"order": "alphabet", "dtype": "float64"}, {"order": "alphabet", "dtype": np.float64}, {}),
    ({"analyzer": "char_wb", "ngram_range": (2, 4)}, {"analyzer": "char_wb", "ngram_range": (2, 4)}, {}),
    ({"negation": True, "lowercase": False}, {"negation": True, "lowercase": False}, {}),
    ({"token_pattern": r"[a-z']+"}, {"token_pattern": r"[a-z']+"}, {}),
    ({"stop_words": ("the", "and")}, {"stop_words": ["and", "the"]}, {}),
    ({"strip_accents": "ascii", "token_pattern": r"\w+"}, {"strip_accents": "ascii", "token_pattern": r"\w+"}, {}),
    ({"conjunctions": WindowSettings("negators", 3)}, {"conjunctions": WordPairs(window=3)}, {}),
    ({"n_features": 256}, {"n_features": 256}, {}),
    ({"n_features": 64, "alternate_sign": False}, {"n_features": 64, "alternate_sign": False}, {}),
    ({"norm": "l2"}, {"norm": "l2"}, {}),
    ({"n_features": 256, "norm": "l2", "binary": False}, {"n_features": 256, "norm": "l2", "binary": False}, {}),
    ({"column_weight": "log_count_ratio"}, {}, {"column_weight": "log_count_ratio"}),
    (
        {"column_weight": "log_count_ratio", "ratio_alpha": 0.5, "ratio_binary": True, "interpolation": 0.25}, {},
        {"column_weight": LogCountRatio(0.5, binary=True), "interpolation": 0.25},
    ),
    (
        {"column_weight": "log_count_ratio", "ratio_balanced": True}, {},
        {"column_weight": LogCountRatio(balanced=True)},
    ),
    ({"class_weight": (("neg", 2.0), ("pos", 0.5))}, {}, {"class_weight": {"neg": 2.0, "pos": 0.5}}),
    ({"class_weight": "balanced", "seed": 5}, {}, {"class_weight": "balanced", "random_state": 5}),
    ({"early_stopping": True, "max_iter": 30}, {}, {"early_stopping": True, "max_iter": 30}),
    ({"tol": 0.01, "shuffle": "once"}, {}, {"tol": 0.01, "shuffle": "once"}),
    ({"fit_intercept": False, "average": False}, {}, {"fit_intercept": False, "average": False}),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "bag", "learner"), SAME, ids=["-".join(changes) for changes, _, _ in SAME])
def test_each_setting_does_what_the_estimators_parameter_does(reviews, changes, bag, learner):
    model = TextModel.train(*reviews.train, recipe("mira").replace(**changes))
    vectoriser = (HashedBagOfWords if "n_features" in bag else BagOfWords)(**BAG | bag)
    pipeline = make_pipeline(vectoriser, MIRA(C=0.01).set_params(**learner))
    assert_same(model, pipeline.fit(*reviews.train), reviews.test.texts)


@pytest.mark.parametrize("corpus", ["reviews", "topics"])
def test_probabilities_are_those_of_the_pipeline(corpus, request):
    documents = request.getfixturevalue(corpus)
    model = TextModel.train(*documents.train, recipe("mira").replace(calibrate=True))
    pipeline = make_pipeline(BagOfWords(**BAG), MIRA(C=0.01, calibrate=True)).fit(*documents.train)
    np.testing.assert_array_equal(
        model.probabilities(documents.test.texts), pipeline.predict_proba(documents.test.texts)
    )
    with pytest.raises(ValueError, match="calibrate=True"):
        TextModel.train(*documents.train).probabilities(documents.test.texts)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("changes", [{}, {"learner": "arow"}, {"learner": "averaged", "max_iter": 30}])
def test_any_number_of_threads_gives_the_same_model(way, changes, tmp_path):
    split = many_topics().train
    for n_jobs in (1, 2, 3):
        model = TextModel.train(*split, recipe("mira").replace(multiclass=way, **changes), n_jobs=n_jobs)
        model.save(tmp_path / str(n_jobs), trainable=way != "one-vs-one")
    assert len({(tmp_path / str(n_jobs)).read_bytes() for n_jobs in (1, 2, 3)}) == 1


@pytest.mark.parametrize(
    ("labels", "kind"), [(["b", "a"], str), ([7, -3], int), ([True, False], bool), (np.array([7, -3]), int)]
)
def test_labels_keep_their_type(labels, kind, tmp_path):
    model = TextModel.train(["good film", "bad film"] * 4, list(labels) * 4)
    model.save(tmp_path / "model")
    for each in (model, TextModel.load(tmp_path / "model")):
        assert each.classes == tuple(sorted(kind(label) for label in labels))
        assert [type(label) for label in each.predict(["good", "bad"])] == [kind, kind]
        assert type(each.predict_one("good")) is kind
        assert each.predict(["good", "bad"]) == [kind(label) for label in labels]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", 1], "label 0 is 'a' and label 1 is 1: labels must all be of one type"),
        ([1, True], "must all be of one type"),
        ([1.5, 2.0], r"label 0 is 1.5 \(float\): use str, int or bool"),
        (["a", None], r"label 1 is missing \(None\): leave out its text"),
        (["a", "a"], "only one class, 'a'"),
        ([], "there are no labels"),
        (["a", "b", "a"], "there are 2 texts and 3 labels"),
    ],
)
def test_labels_that_cannot_be_learnt_are_rejected(labels, message):
    with pytest.raises(ValueError, match=message):
        TextModel.train(["good film", "bad film"], labels)


MODELS = {
    name: TextModel.train(*bundled(corpus).train, recipe("mira").replace(**changes))
    for name, corpus, changes in [
        ("two classes", "reviews", {}),
        ("counts", "reviews", {"binary": False}),
        ("six classes", "topics", {}),
        ("one class of words", "topics", {"multiclass": "one-vs-all", "ngram_range": (1, 3), "token_pattern": r"\w+"}),
        ("punctuation", "reviews", {"token_pattern": WORDS_AND_PUNCTUATION, "norm": "l2"}),
        ("runs of punctuation", "topics", {"token_pattern": r"\w+|[^\w\s]+", "lowercase": False}),
        ("case matters", "reviews", {"lowercase": False, "ngram_range": (2, 3)}),
    ]
}


@pytest.mark.parametrize("name", MODELS)
@given(text=documents)
def test_a_single_text_gets_the_same_scores_as_in_a_batch(name, text):
    model = MODELS[name]
    expected = model.scores([text])[0]
    one = model._text_scorer
    code, score = one.code_and_score(text)
    assert code == one.code(text)
    assert model.classes[code] == model.predict_one(text) == model.predict([text])[0]
    np.testing.assert_array_equal(one.scores(text), np.atleast_1d(expected))
    assert score == (expected if len(model.classes) == 2 else expected[code])


@pytest.mark.parametrize("name", MODELS)
@given(text=documents)
def test_a_single_text_writes_only_to_the_scratch_it_needs(name, text):
    scorer = MODELS[name]._text_scorer
    needed = -scorer.code_in(text, np.empty(8, np.uint8))
    scratch = np.full(needed + 4096, 0xAB, np.uint8)
    assert scorer.code_in(text, scratch[:needed]) == scorer.code(text)
    assert (scratch[needed:] == 0xAB).all()


def test_one_text_may_be_longer_than_the_scratch_memory():
    model = MODELS["six classes"]
    text = " ".join(bundled("topics").test.texts)
    assert model.predict_one(text) == model.predict([text])[0]
    assert model.predict_one("a") == model.predict(["a"])[0]


def test_threads_may_share_a_model():
    model, texts = MODELS["six classes"], bundled("topics").test.texts
    expected = model.predict(texts)
    found = {}

    def classify(number):
        found[number] = [[model.predict_one(text) for text in texts] for _ in range(20)]

    threads = [threading.Thread(target=classify, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(round_ == expected for rounds in found.values() for round_ in rounds)
    assert len(found) == 4


EXPLAINED = {
    **MODELS,
    **{
        name: TextModel.train(*bundled(corpus).train, recipe("mira").replace(**changes))
        for name, corpus, changes in [
            ("hashed columns", "reviews", {"n_features": 64, "binary": False}),
            ("hashed weights", "topics", {"hash_bits": 8}),
            ("pairs of words", "reviews", {"conjunctions": WindowSettings("negators", 4)}),
            ("votes of pairs", "topics", {"multiclass": "one-vs-one"}),
        ]
    },
}


@pytest.mark.parametrize("name", EXPLAINED)
@given(texts=collections)
def test_contributions_and_intercept_add_up_to_the_score(name, texts):
    model = EXPLAINED[name]
    text = " ".join([*texts, "a good film, but the goal of this garden is not great"])
    explanation = model.explain(text)
    parts = [explanation.intercepts, *(term.contributions for term in explanation.terms)]
    np.testing.assert_allclose(np.sum(parts, axis=0), explanation.scores, atol=1e-9)
    if name != "votes of pairs":
        np.testing.assert_allclose(np.atleast_1d(model.scores([text])[0]), explanation.scores, atol=1e-9)
    else:
        confidence = model.parts.model.voter.votes(model.parts.features.rows([text]))[1][0]
        np.testing.assert_allclose(confidence, explanation.scores, atol=1e-6)
    assert explanation.label == model.predict_one(text)
    sizes = [max(map(abs, term.contributions)) for term in explanation.terms]
    assert sizes == sorted(sizes, reverse=True)


def test_an_explanation_names_words_and_conjunctions():
    corpus = bundled("xor")
    settings = recipe("mira").replace(ngram_range=(1, 1), conjunctions=WindowSettings(["not"], 9), C=1.0)
    model = TextModel.train(*corpus.train, settings)
    terms = {term.name: term for term in model.explain("not excellent").terms}
    assert {"not", "excellent", "excellent-and-not"} <= set(terms)


def test_terms_that_share_a_hashed_column_are_named_together():
    names = [term.name for term in EXPLAINED["hashed columns"].explain("one two three four five six seven").terms]
    assert any(" + " in name for name in names)
    assert {"one", "two three"} <= {part for name in names for part in name.split(" + ")}


def test_the_voted_perceptron_cannot_be_explained():
    model = TextModel.train(["good", "bad"], ["p", "n"], recipe("mira").replace(learner="voted"))
    asks = [lambda: model.explain("good"), lambda: model.top_terms("p"), model.halved, lambda: model.pruned(keep=1)]
    for ask in asks:
        with pytest.raises(ValueError, match="voted perceptron"):
            ask()


def test_top_terms_have_the_largest_weights_for_their_class(reviews):
    model = MODELS["two classes"]
    weights = dict(zip(model.parts.features.vocabulary.names(), model.parts.model.weights.tolist(), strict=False))
    for label, sign in (("pos", 1), ("neg", -1)):
        found = model.top_terms(label, 12)
        assert [weight for _, weight in found] == sorted((sign * w for w in weights.values()), reverse=True)[:12]
        assert all(weights[name] == sign * weight for name, weight in found)
    assert model.top_terms("pos", 0) == []
    assert len(model.top_terms("pos", 10**9)) == model.n_columns
    with pytest.raises(ValueError, match="'so-so' is not one of the classes 'neg', 'pos'"):
        model.top_terms("so-so")
    with pytest.raises(ValueError, match="hashed columns have no names"):
        EXPLAINED["hashed columns"].top_terms("pos")


def test_history_has_one_record_per_epoch(reviews, topics):
    model = TextModel.train(*reviews.train, "mira")
    pipeline = make_pipeline(BagOfWords(**BAG), MIRA(C=0.01)).fit(*reviews.train)
    expected = pipeline[-1].history_
    assert [epoch.mistakes for epoch in model.history] == [record.mistakes for record in expected]
    assert [epoch.online_loss for epoch in model.history] == [record.online_loss for record in expected]
    assert model.history[0].progressive_accuracy == 1 - expected[0].mistakes / len(reviews.train.texts)
    assert (model.stopped_by, model.n_updates) == (pipeline[-1].stopped_by_, pipeline[-1].n_updates_)
    assert model.summary.n_rows == len(reviews.train.texts)
    all_at_once = TextModel.train(*topics.train, recipe("mira").replace(multiclass="one-vs-all"))
    assert all_at_once.history[0].progressive_accuracy is None
    held_out = TextModel.train(*reviews.train, recipe("mira").replace(calibrate=True))
    assert held_out.history[0].rows < len(reviews.train.texts)


@pytest.mark.parametrize("way", WAYS)
def test_an_exception_in_the_callback_stops_training(topics, way):
    class EnoughError(Exception):
        pass

    def callback(progress):
        raise EnoughError

    with pytest.raises(EnoughError):
        TextModel.train(*topics.train, recipe("mira").replace(multiclass=way), callback=callback)


def test_texts_may_come_from_a_generator_in_blocks(reviews):
    model = TextModel.train((text for text in reviews.train.texts), iter(reviews.train.labels))
    texts = reviews.test.texts * 40
    assert model.predict(iter(texts)) == model.predict(reviews.test.texts) * 40
    np.testing.assert_array_equal(model.scores(iter(texts)), np.tile(model.scores(reviews.test.texts), 40))
    assert model.predict([]) == []
    assert model.scores([]).shape == (0,)
    with pytest.raises(ValueError, match="texts is one string"):
        model.predict("a single text")


def test_more_classes_than_a_learner_supports_are_rejected_with_a_remedy(topics):
    with pytest.raises(
        ValueError, match=r"learner='batch' learns two classes, and there are 6. Use batch with multicl"
    ):
        TextModel.train(*topics.train, recipe("mira").replace(learner="batch"))
    with pytest.raises(ValueError, match=r"Use averaged"):
        TextModel.train(*topics.train, recipe("mira").replace(learner="voted", multiclass="one-vs-all"))
    with pytest.raises(ValueError, match=r"ratios compare two classes, and there are 6\. .*multiclass='one-vs-all'"):
        TextModel.train(*topics.train, recipe("mira").replace(column_weight="log_count_ratio"))


@pytest.mark.parametrize("size", [2, 5, 1 << 10])
def test_slices_of_an_epoch_change_nothing(size, monkeypatch):
    corpus = bundled("xor")
    expected = TextModel.train(*corpus.train).scores(corpus.train.texts)
    monkeypatch.setattr(plan_module, "SLICE_ENTRIES", size)
    np.testing.assert_array_equal(TextModel.train(*corpus.train).scores(corpus.train.texts), expected)


def test_a_settings_object_and_the_name_of_its_recipe_are_the_same(reviews):
    by_name = TextModel.train(*reviews.train, "averaged")
    assert by_name.settings == recipe("averaged")
    by_object = TextModel.train(*reviews.train, Settings(recipe("averaged").text, recipe("averaged").learner))
    np.testing.assert_array_equal(by_name.scores(reviews.test.texts), by_object.scores(reviews.test.texts))
