"""Pruned and halved models: the weights that are kept, the accuracy lost, and the smaller files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.model.float16 import choose_exponent, decode, encode
from textperceptron.settings import recipe

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")
MODELS = {
    "two classes": (REVIEWS, TextModel.train(*REVIEWS.train, "mira")),
    "six classes": (TOPICS, TextModel.train(*TOPICS.train, "mira")),
    "pairs": (TOPICS, TextModel.train(*TOPICS.train, recipe("mira").replace(multiclass="one-vs-one"))),
    "float64": (REVIEWS, TextModel.train(*REVIEWS.train, recipe("mira").replace(dtype="float64", calibrate=True))),
}
each_model = pytest.mark.parametrize("name", MODELS)


def largest_weights(model):
    """Return the largest weight of each term in any class or class pair, by name."""
    names = model.parts.features.vocabulary.names()
    return dict(zip(names, model.parts.model.largest_weights().tolist(), strict=True))


@each_model
def test_pruning_keeps_the_columns_with_the_largest_weights(name):
    _, model = MODELS[name]
    before = largest_weights(model)
    after = largest_weights(model.pruned(keep=100))
    assert len(after) == 100
    assert after.items() <= before.items()
    assert min(after.values()) >= max(weight for term, weight in before.items() if term not in after)


@each_model
def test_pruning_by_min_weight_drops_columns_below_it(name):
    _, model = MODELS[name]
    before = largest_weights(model)
    limit = float(np.median(list(before.values())))
    expected = {term: weight for term, weight in before.items() if weight >= limit}
    assert largest_weights(model.pruned(min_weight=limit)) == expected


@each_model
def test_a_text_of_kept_terms_scores_as_before(name):
    corpus, model = MODELS[name]
    small = model.pruned(min_weight=1e-30)  # drops columns without updates
    assert small.n_columns <= model.n_columns
    np.testing.assert_allclose(small.scores(corpus.test.texts), model.scores(corpus.test.texts), rtol=1e-12)


@each_model
@pytest.mark.parametrize(
    "shrink", [lambda m: m.halved(), lambda m: m.pruned(keep=500), lambda m: m.pruned(keep=500).halved()]
)
def test_a_small_model_is_loaded_unchanged_from_its_smaller_file(name, shrink, tmp_path):
    corpus, model = MODELS[name]
    small = shrink(model)
    assert small.save(tmp_path / "small") < 0.8 * model.save(tmp_path / "large")
    loaded = TextModel.load(tmp_path / "small")
    np.testing.assert_array_equal(loaded.scores(corpus.test.texts), small.scores(corpus.test.texts))
    assert [loaded.predict_one(text) for text in corpus.test.texts] == small.predict(corpus.test.texts)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "small").read_bytes()
    with pytest.raises(ValueError, match="no training state"):
        small.update(*corpus.train)


@each_model
def test_the_accuracy_lost_is_that_of_the_predictions(name):
    corpus, model = MODELS[name]
    small = model.pruned(keep=30)
    texts, labels = corpus.test
    found = model.compare(small, texts, labels)
    before, after = model.predict(texts), small.predict(texts)
    assert found.n_texts == len(texts)
    assert found.accuracy_before == np.mean([one == label for one, label in zip(before, labels, strict=True)])
    assert found.accuracy_after == np.mean([one == label for one, label in zip(after, labels, strict=True)])
    assert found.accuracy_lost == found.accuracy_before - found.accuracy_after
    assert found.changed == sum(one != other for one, other in zip(before, after, strict=True)) > 0


@given(arrays.arrays(np.float32, st.integers(1, 20), elements=st.floats(-(2.0**99), 2.0**99, width=32)))
def test_float16_weights_have_a_bounded_rounding_error(weights):
    exponent = choose_exponent(weights)
    rounded = decode(encode(weights, exponent), exponent)
    error = np.abs(rounded.astype(np.float64) - weights)
    largest = float(np.abs(weights).max())
    assert (error <= np.abs(weights) / 2048 + largest * 2.0**-38 + 1e-44).all()
    np.testing.assert_array_equal(encode(rounded, exponent), encode(weights, exponent))


def test_bad_arguments_are_rejected():
    model = MODELS["two classes"][1]
    with pytest.raises(ValueError, match="pass keep, a number of columns"):
        model.pruned()
    with pytest.raises(ValueError, match="keep=0: keep at least one column"):
        model.pruned(keep=0)
    with pytest.raises(ValueError, match=r"min_weight=99: every weight is below it \(the largest is 0\.\d+\)"):
        model.pruned(min_weight=99)
    with pytest.raises(ValueError, match="no texts to compare"):
        model.compare(model, [], [])
    hashed = TextModel.train(*REVIEWS.train, recipe("mira").replace(n_features=64))
    with pytest.raises(ValueError, match="hashed columns cannot be pruned"):
        hashed.pruned(keep=3)
    table = TextModel.train(*TOPICS.train, recipe("mira").replace(hash_bits=8))
    with pytest.raises(ValueError, match="hashed to"):
        table.pruned(keep=3)
