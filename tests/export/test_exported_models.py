"""Exported models give the labels and scores of Python: in Node, compiled by a C compiler, in onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.bundled import bundled
from helpers.exported import FORMATS, as_utf16, assert_same_results, opened
from helpers.exported_cases import LEARNERS, TEXT_SETTINGS, awkward_texts, texts_of_scripts, with_learner, with_text
from helpers.texts import documents
from textperceptron import TextModel


def two_classes(labels):
    return ["first" if label < "m" else "second" for label in labels]


@pytest.mark.slow
@pytest.mark.parametrize("to", FORMATS)
def test_a_thousand_texts_of_several_scripts(to, tmp_path):
    texts, labels = texts_of_scripts(1000)
    assert len(texts) >= 1000
    model = TextModel.train(texts[::2], labels[::2])
    with opened(to, model, tmp_path) as running:
        assert_same_results(running, model, texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "to"),
    [
        (name, to)
        for name, settings in TEXT_SETTINGS.items()
        for to in FORMATS
        if to != "onnx" or settings.text.n_features is None  # ONNX has no hash of strings
    ],
)
def test_every_setting_of_the_text(name, to, tmp_path):
    scripts, languages = texts_of_scripts(400)
    awkward, labels = awkward_texts(800)
    model = TextModel.train(
        [*scripts[::2], *awkward[::2]], two_classes([*languages[::2], *labels[::2]]), TEXT_SETTINGS[name]
    )
    with opened(to, model, tmp_path) as running:
        assert_same_results(running, model, [*scripts, *awkward])


@pytest.mark.slow
@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_kind_of_model(name, to, tmp_path):
    texts, labels = awkward_texts(1000)
    for each in (labels, two_classes(labels)):
        model = TextModel.train(texts[::2], each[::2], LEARNERS[name])
        with opened(to, model, tmp_path) as running:
            assert_same_results(running, model, texts)


@pytest.mark.parametrize("to", FORMATS)
def test_reviews_of_the_default_recipe_pruned_and_halved(to, tmp_path):
    train, test = bundled("reviews")
    model = TextModel.train(*train)
    for k, each in enumerate((model, model.pruned(keep=2000), model.halved())):
        folder = tmp_path / str(k)
        folder.mkdir()
        with opened(to, each, folder) as running:
            assert_same_results(running, each, test.texts)


@pytest.mark.parametrize("to", FORMATS)
def test_more_classes_by_votes(to, tmp_path):
    train, test = bundled("topics")
    model = TextModel.train(*train, with_learner("mira", multiclass="one-vs-one"))
    with opened(to, model, tmp_path) as running:
        assert_same_results(running, model, test.texts)


@pytest.mark.parametrize("to", FORMATS)
def test_logarithms_in_double_differ_in_the_last_bits_at_most(to, tmp_path):
    texts, labels = awkward_texts(300)
    model = TextModel.train(texts, labels, with_text("mira", dtype="float64", binary=False, sublinear_tf=True))
    with opened(to, model, tmp_path) as running:
        assert_same_results(running, model, texts, tolerance=1e-14)


def test_equal_scores_of_opposite_words_are_a_tie_everywhere(tmp_path):
    # Weights of both signs that cancel out: in another order of the sum the score would be 1e-17, and the label change.
    words = [f"w{k}" for k in range(40)]
    model = TextModel.train([" ".join(words[::2]), " ".join(words[1::2])], ["a", "b"], "perceptron")
    texts = [" ".join(words[:k]) for k in range(40)]
    for to in FORMATS:
        with opened(to, model, tmp_path) as running:
            assert_same_results(running, model, texts)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("labels", [[3, -7], [True, False], [10**20, 5, 6], ["é", "ü"]], ids=str)
def test_labels_keep_their_type(to, labels, tmp_path):
    model = TextModel.train(["good", "bad", "ugly"][: len(labels)], labels, "mira")
    if to == "onnx" and 10**20 in labels:
        with pytest.raises(ValueError, match="64 bits"):
            FORMATS[to](model, tmp_path)
        return
    with opened(to, model, tmp_path) as running:
        found = running.results(["good", "bad", "ugly"])[0]
        expected = model.predict(["good", "bad", "ugly"])
        if to == "javascript":  # numbers of JavaScript are exact up to 2**53
            expected = [str(label) if label == 10**20 else label for label in expected]
        assert (found, list(map(type, found))) == (expected, list(map(type, expected)))


@pytest.mark.slow
@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", ["best", "in words", "accents"])
def test_a_megabyte_without_a_space(name, to, tmp_path):
    texts, labels = awkward_texts(100)
    long = ["a" * 1_000_000, "😀" * 300_000, "我" * 330_000, "Σ" * 500_000, "'" * 1_000_000, " " * 1_000_000]
    model = TextModel.train([*texts, "aaaa", "我我"], [*two_classes(labels), "second", "first"], TEXT_SETTINGS[name])
    with opened(to, model, tmp_path) as running:
        for text in long:
            assert_same_results(running, model, [text])


@pytest.fixture(scope="module", params=["best", "runs of marks", "accents", "in words", "hashed"])
def awkward_model(request):
    texts, labels = awkward_texts(300)
    return TextModel.train(texts, labels, TEXT_SETTINGS[request.param])


@pytest.fixture(scope="module")
def in_node(awkward_model, tmp_path_factory):
    with opened("javascript", awkward_model, tmp_path_factory.mktemp("node")) as running:
        yield running


@pytest.fixture(scope="module")
def in_c(awkward_model, tmp_path_factory):
    with opened("c", awkward_model, tmp_path_factory.mktemp("c")) as running:
        yield running


@pytest.mark.slow
@given(documents | st.text(st.characters(codec=None), max_size=40))
@example("\ud800\udc00x")
def test_any_text_in_javascript(awkward_model, in_node, text):
    assert_same_results(in_node, awkward_model, [as_utf16(text)])


@pytest.mark.slow
@given(documents | st.text(st.characters(codec=None), max_size=40))
@example("\ud800\udc00x")
def test_any_text_in_c(awkward_model, in_c, text):
    assert_same_results(in_c, awkward_model, [text])


def test_an_empty_batch_of_terms_has_no_labels(tmp_path):
    model = TextModel.train(["good", "bad"], ["pos", "neg"])
    with opened("onnx", model, tmp_path) as running:
        label, scores = running.session.run(None, {"terms": np.empty((0, 1), object)})
        assert (label.shape, scores.shape) == ((0,), (0,))
