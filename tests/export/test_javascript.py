"""The JavaScript file: terms with offsets and contributions, where it runs, and what a page may contain."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from helpers.bundled import bundled
from helpers.exported import JavaScriptModel, as_utf16, opened, program
from helpers.exported_cases import awkward_texts
from helpers.texts import corpus
from textperceptron import TextModel
from textperceptron.export import classifier_source, javascript_source, model_data, to_json
from textperceptron.settings import recipe
from textperceptron.text.analyze import terms_of
from textperceptron.text.places import words_in

SPECIAL = ['a"b', "a\\b", "</script>", "<!--", "two\nlines", "a\u2028b", "\u2029", "'", "`${1}`", "é", "\x00", "\x7f"]


def slice_utf16(text, start, end):
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@pytest.fixture(scope="module")
def reviews():
    train, _ = bundled("reviews")
    return TextModel.train(*train)


@pytest.fixture(scope="module")
def in_node(reviews, tmp_path_factory):
    with opened("javascript", reviews, tmp_path_factory.mktemp("node")) as running:
        yield running


def assert_explained(running, model, text, *of):
    """Assert that the contributions are those of ``explain``, and that their sum is the score."""
    found = running.call("classify", text, *of)
    label = of[0] if of else found["label"]
    explanation = model.explain(text)
    is_binary = len(model.classes) == 2
    k = 0 if is_binary else explanation.classes.index(label)
    sign = -1 if is_binary and label == model.classes[0] else 1
    sums = defaultdict(float)
    for term in found["terms"]:
        sums[term["name"]] += term["contribution"]
    expected = {term.name: sign * term.contributions[k] for term in explanation.terms}
    assert dict(sums) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    total = sign * explanation.intercepts[k] + sum(term["contribution"] for term in found["terms"])
    assert total == pytest.approx(sign * explanation.scores[k], abs=1e-12)
    assert found["terms"] == sorted(found["terms"], key=lambda term: (term["start"], term["end"]))
    return found


def test_contributions_are_those_of_explain(reviews, in_node):
    for text in bundled("reviews").test.texts[:20]:
        assert_explained(in_node, reviews, text)
        assert_explained(in_node, reviews, text, "neg")


@pytest.mark.parametrize("multiclass", ["native", "one-vs-one"])
def test_contributions_to_one_of_several_classes(multiclass, tmp_path):
    train, test = bundled("topics")
    settings = recipe("mira")
    settings = replace(settings, learner=settings.learner.replace(multiclass=multiclass))
    model = TextModel.train(*train, settings)
    with opened("javascript", model, tmp_path) as running:
        for text in test.texts[:5]:
            assert_explained(running, model, text)
            assert_explained(running, model, text, model.classes[2])


def test_offsets_are_those_of_the_terms(in_node):
    text = "Not so GOOD, İİ 😀 but the SOUP wasn’t cold. Good!"
    terms = in_node.call("terms", text)
    found = {slice_utf16(text, term["start"], term["end"]) for term in terms if term["name"] == "NOT_good"}
    assert found == {"GOOD"}
    assert {slice_utf16(text, t["start"], t["end"]) for t in terms if t["name"] == "good !"} == {"Good!"}
    assert {slice_utf16(text, t["start"], t["end"]) for t in terms if t["name"] == "~oup$"} == {"OUP"}
    assert {slice_utf16(text, t["start"], t["end"]) for t in terms if t["name"] == "😀"} == {"😀"}
    assert {slice_utf16(text, t["start"], t["end"]) for t in terms if t["name"] == "i\u0307i\u0307"} == {"İİ"}


def test_a_word_that_occurs_twice_is_listed_twice_with_half_of_its_contribution(reviews, in_node):
    found = assert_explained(in_node, reviews, "awful, awful")
    spans = [(term["start"], term["end"], term["contribution"]) for term in found["terms"] if term["name"] == "awful"]
    assert [span[:2] for span in spans] == [(0, 5), (7, 12)]
    assert spans[0][2] == spans[1][2] > 0


@pytest.mark.slow
@pytest.mark.parametrize("strip_accents", [None, "unicode"])
def test_terms_of_several_scripts_and_their_places(strip_accents, tmp_path):
    names = [
        "ar_restaurants",
        "fr_amazon",
        "korean_hate",
        "marc3_ja",
        "mr_reviews",
        "pl_hotels",
        "wisesight_th",
        "zh_waimai",
    ]
    texts = [text for name in names for text in corpus(f"world/{name}.test.tsv.gz", 25)]
    settings = recipe("best")
    text = replace(settings.text, strip_accents=strip_accents)
    model = TextModel.train(texts, ["a", *"b" * (len(texts) - 1)], replace(settings, text=text))
    text = model.settings.text
    with opened("javascript", model, tmp_path) as running:
        for each in texts:
            terms = running.call("terms", each)
            assert sorted(term["name"] for term in terms) == sorted(terms_of(each, text))
            for term in terms:  # tokens, and n-grams of characters of scripts without spaces
                if not re.search(r"[ \^~*]|NOT_", term["name"]):
                    tokens = terms_of(slice_utf16(each, term["start"], term["end"]), text.tokens_only())
                    assert term["name"] in "".join(tokens)


def test_hashed_terms_have_their_own_names(tmp_path):
    settings = replace(recipe("mira"), text=replace(recipe("mira").text, n_features=8, binary=False))
    train, test = bundled("reviews")
    model = TextModel.train(*train, settings)
    with opened("javascript", model, tmp_path) as running:
        found = running.call("classify", test.texts[0])
        assert sorted(term["name"] for term in found["terms"]) == sorted(terms_of(test.texts[0], model.settings.text))
        total = sum(term["contribution"] for term in found["terms"])
        score = abs(model.scores(test.texts[:1])[0])
        assert total + abs(model.parts.model.intercepts()[0]) * np.sign(total) >= 0
        sign = 1 if found["label"] == model.classes[1] else -1
        assert sign * model.parts.model.intercepts()[0] + total == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("of", ["good", 1, None])
def test_an_unknown_label_is_an_error(of, in_node):
    code = f"const c = require({json.dumps(str(in_node.path))}); c.classify('x', {json.dumps(of)})"
    done = subprocess.run([program("node"), "-e", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f'RangeError: {json.dumps(of)} is not one of the labels ["neg","pos"]' in done.stderr


def test_labels_and_terms_with_special_characters(tmp_path):
    model = TextModel.train([f"{each} {each}x" for each in SPECIAL], SPECIAL)
    source = javascript_source(model)
    assert "</script" not in source
    assert "<!--" not in source
    assert "\u2028" not in source
    assert model_data(model) == json.loads(to_json(model_data(model)))
    with opened("javascript", model, tmp_path) as running:
        labels, scores, _ = running.results(SPECIAL)
        assert labels == model.predict(SPECIAL)
        np.testing.assert_array_equal(scores, model.scores(SPECIAL))


def test_two_surrogates_in_a_row_are_one_character(tmp_path):
    apart = "\ud800\udc00"
    settings = replace(recipe("mira"), text=replace(recipe("mira").text, token_pattern=r"\w+|[^\w\s]+"))
    model = TextModel.train([apart, "x"], ["marks", "letter"], settings)
    assert apart in model.parts.features.vocabulary
    with opened("javascript", model, tmp_path) as running:
        assert running.results([apart])[0] == model.predict([as_utf16(apart)])


PAGE = """
const vm = require("vm"), source = require("fs").readFileSync(process.argv[1], "utf8");
const page = vm.createContext({ atob });
vm.runInContext(source, page);
vm.runInContext(source, page); // two scripts of a page
console.log(vm.runInContext('textperceptron.predict("lovely")', page));
"""


def test_in_a_page_the_classifier_is_a_global_variable(in_node):
    done = subprocess.run([program("node"), "-e", PAGE, in_node.path], capture_output=True, text=True, check=True)
    assert done.stdout == "pos\n"


def test_a_page_of_another_encoding_is_told_so(in_node, tmp_path):
    wrong = tmp_path / "latin.js"
    wrong.write_text(in_node.path.read_bytes().decode("latin-1"), "utf-8")
    done = subprocess.run([program("node"), wrong], input="", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "serve it with charset=utf-8" in done.stderr


def test_as_an_ecmascript_module_it_is_a_global_variable_too(in_node, tmp_path):
    module = tmp_path / "model.mjs"
    module.write_bytes(in_node.path.read_bytes())
    (tmp_path / "main.mjs").write_text('import "./model.mjs"; console.log(textperceptron.predict("awful"));', "utf-8")
    done = subprocess.run([program("node"), tmp_path / "main.mjs"], capture_output=True, text=True, check=True)
    assert done.stdout == "neg\n"


def test_a_page_can_hold_the_source_and_the_data_apart(reviews, tmp_path):
    code = f"{classifier_source()}\nconsole.log(textClassifier({to_json(model_data(reviews))}).predict('awful'))"
    (tmp_path / "page.js").write_text(code, "utf-8")
    done = subprocess.run([program("node"), tmp_path / "page.js"], capture_output=True, text=True, check=True)
    assert done.stdout == "neg\n"


def test_words_are_those_of_explanations(in_node):
    texts = ["I'd NOT say İstanbul isn't 𝐁old — it’s 我’s, 好!", *awkward_texts(200)[0]]
    for text in texts:
        found = [slice_utf16(text, span["start"], span["end"]) for span in in_node.call("words", text)]
        assert found == [text[start:end] for start, end in words_in(text)]


@pytest.mark.parametrize("multiclass", ["native", "one-vs-one"])
def test_weights_and_intercepts_are_those_of_the_model(multiclass, tmp_path):
    train, _ = bundled("topics")
    model = TextModel.train(*train, recipe("mira").replace(multiclass=multiclass))
    with opened("javascript", model, tmp_path) as running:
        for code, label in enumerate(model.classes):
            for name, weight in model.top_terms(label, 3):
                assert running.call("weight", name, label) == pytest.approx(weight, abs=1e-6)
            assert running.call("intercept", label) == pytest.approx(model.parts.model.intercepts()[code], abs=1e-6)
        assert running.call("weight", "no such term", model.classes[0]) is None


def test_the_weight_of_two_labels_has_two_signs(reviews, in_node):
    ((name, weight),) = reviews.top_terms("pos", 1)
    assert in_node.call("weight", name, "pos") == weight
    assert in_node.call("weight", name, "neg") == -weight
    assert in_node.call("intercept", "neg") == -reviews.parts.model.intercepts()[0]


def test_the_source_uses_no_syntax_newer_than_es2020():
    source = classifier_source()
    assert not re.search(r"\?\?=|\|\|=|&&=|\.at\(|#\w+\s*[=(]|structuredClone|replaceAll|Object\.hasOwn", source)


def test_an_exported_file_is_the_same_each_time(reviews):
    assert javascript_source(reviews) == javascript_source(reviews)


def test_the_program_prints_label_and_scores_per_line(reviews, in_node):
    texts = ["A lovely evening", "", "An awful phone"]
    text = "\n".join(texts).replace("evening", "evening\r")  # lines may end like on Windows, and the last need not end
    done = subprocess.run([program("node"), in_node.path], input=text.encode(), capture_output=True, check=True)
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert [line[0] for line in lines] == reviews.predict(texts)
    np.testing.assert_allclose([float(line[2]) for line in lines], reviews.scores(texts), rtol=1e-5)


def test_no_node_is_left_behind(reviews, tmp_path):
    running = JavaScriptModel(reviews, tmp_path)
    running.close()
    assert running._process.returncode == 0
