"""Explanations: terms with places, words with their shares, what is merged for people, flips, and HTML."""

from __future__ import annotations

import html
import html.parser
import re
import time

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.bundled import bundled
from helpers.texts import documents
from textperceptron import TextModel
from textperceptron.model.explanation_html import MAX_CHARACTERS, page
from textperceptron.settings import WindowSettings, recipe

MODELS = {
    name: TextModel.train(*bundled(corpus).train, recipe(base).replace(**changes))
    for name, corpus, base, changes in [
        ("best", "reviews", "best", {}),
        ("topics", "topics", "best", {}),
        ("votes of pairs", "topics", "mira", {"multiclass": "one-vs-one"}),
        ("hashed", "reviews", "mira", {"n_features": 256, "binary": False, "prefixes": 5}),
        ("column pairs", "reviews", "mira", {"pair_bits": 12}),
        ("conjunctions", "reviews", "mira", {"conjunctions": WindowSettings(None, 3), "prefixes": 4}),
        ("characters", "reviews", "mira", {"analyzer": "char_wb", "ngram_range": (2, 4), "norm": "l2"}),
    ]
}
TEXT = "Not a GOOD soup, but the lovely goal of this garden wasn't bad. Not bad!"


@pytest.mark.parametrize("name", MODELS)
@given(text=documents)
@settings(deadline=None)
def test_words_and_merged_terms_have_the_sums_of_the_terms(name, text):
    found = MODELS[name].explain(f"{TEXT} {text}", flip=False)
    terms = np.sum([term.contributions for term in found.terms], axis=0)
    merged = np.sum([term.contributions for term in found.merged_terms], axis=0)
    np.testing.assert_allclose(merged, terms, atol=1e-9)
    assert sum(word.contribution for word in found.words) + found.intercept == pytest.approx(found.margin, abs=1e-9)
    sizes = [abs(found.contribution(term)) for term in found.merged_terms]
    assert sizes == sorted(sizes, reverse=True)
    for term in found.terms:
        assert term.places
        assert all(0 <= start <= end <= len(found.text) for place in term.places for start, end in place)


def test_rows_of_length_1_and_negated_words_add_up_to_the_score_of_the_model():
    model = MODELS["best"]
    assert model.settings.text.norm == "l2"
    found = model.explain(TEXT)
    assert any(term.name == "NOT_good" for term in found.terms)
    largest = max(abs(term.contributions[0]) for term in found.terms)
    total = found.intercepts[0] + sum(term.contributions[0] for term in found.terms)
    assert abs(total - found.scores[0]) <= 1e-12 * largest
    assert abs(model.scores([TEXT])[0] - found.scores[0]) <= 1e-12 * largest


def test_places_of_words_prefixes_and_conjunctions():
    found = MODELS["conjunctions"].explain(TEXT)
    places = {term.name: [[TEXT[a:b] for a, b in place] for place in term.places] for term in found.terms}
    assert places["bad"] == [["bad"], ["bad"]]
    assert places["love*"] == [["love"]]
    assert places["lovely-and-the"] == [["the", "lovely"]]


def test_a_prefix_and_ngrams_of_characters_are_shown_as_their_word():
    found = MODELS["best"].explain("wonderful soup, wonderfuller cold")
    assert any(term.name.startswith(("^", "~")) for term in found.terms)
    names = [term.name for term in found.merged_terms]
    assert len(names) == len(set(names))
    assert not any(name.startswith(("^", "~")) for name in names)
    unknown = next(term for term in found.merged_terms if term.name == "wonderfuller")
    assert unknown.value == 0  # only its parts have columns
    assert unknown.places == (((16, 28),),)


def test_a_word_that_occurs_twice_has_half_of_the_contribution_each_time():
    found = MODELS["characters"].explain("awful awful")
    assert found.words[0].contribution == pytest.approx(found.words[1].contribution, rel=0.5)
    found = MODELS["conjunctions"].explain("awful")
    (word,) = found.words
    assert word.contribution == pytest.approx(found.margin - found.intercept)


def test_many_classes_are_explained_against_the_runner_up():
    model = MODELS["topics"]
    found = model.explain("a guitar for the goalkeeper")
    scores = dict(zip(model.classes, model.scores(["a guitar for the goalkeeper"])[0], strict=True))
    ranked = sorted(scores, key=scores.get, reverse=True)
    assert [found.label, found.runner_up] == ranked[:2]
    assert found.margin == pytest.approx(scores[ranked[0]] - scores[ranked[1]])
    heads, rows = found.table()
    assert heads == ["sport over music", "for sport", "for music"]
    for name, (difference, label, other) in rows:
        assert difference == pytest.approx(label - other), name


def test_a_flip_is_that_of_the_text_without_the_words():
    for name in ("best", "topics", "hashed", "characters"):
        model, n_flips = MODELS[name], 0
        for text in bundled("topics" if name == "topics" else "reviews").test.texts[:40]:
            found = model.explain(text)
            if found.flip is None:
                continue
            n_flips += 1
            removed = text
            for start, end in sorted(found.flip.spans, reverse=True):
                removed = removed[:start] + " " + removed[end:]
            assert model.predict_one(removed) == found.flip.label != found.label
            assert len(found.flip.removed) in (1, 2)
            if len(found.flip.removed) == 2:  # no single word would do
                for word in {text[each.start : each.end].lower() for each in found.words}:
                    shorter = text
                    for each in reversed(found.words):
                        if text[each.start : each.end].lower() == word and word.isalnum():
                            shorter = shorter[: each.start] + " " + shorter[each.end :]
                    assert model.predict_one(shorter) == found.label
        assert n_flips > 5


def test_without_not_the_label_is_another():
    train, _ = bundled("xor")
    model = TextModel.train(*train, recipe("mira").replace(negation=True, ngram_range=(1, 1), C=1.0))
    found = model.explain("not excellent")
    assert str(found.flip) == f"without 'not' it would be {model.predict_one('excellent')}"
    assert found.flip.label != found.label
    assert model.explain("not excellent", flip=False).flip is None


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("text", ["", " \n", "xyzzy", "!?", "\ud800", "\x00"])
def test_texts_without_known_words(name, text):
    found = MODELS[name].explain(text)
    assert found.flip is None or found.terms
    assert "score" in str(found)
    page([found], 20).encode()


class Reader(html.parser.HTMLParser):
    """What a browser would see: tags, attributes and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.names, self.text, self.open = set(), set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def read_page(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


EVIL = "lovely </p><script>alert(1)</script> <img src=x onerror=alert(2)> & \"' </style> soup"


def test_data_cannot_add_elements_to_a_page():
    plain = read_page(MODELS["best"].explain("lovely soup").to_html())
    model = TextModel.train([EVIL, "bad"], [EVIL, "</title><script>"], recipe("mira"))
    for explanation in (MODELS["best"].explain(EVIL), model.explain(EVIL)):
        for text in (page([explanation], 0, [EVIL]), explanation.to_html(), explanation._repr_html_()):
            found = read_page(text)
            assert found.tags <= plain.tags | {"h2", "em"}
            assert found.names <= plain.names
            assert "<script" not in text.lower()
        assert EVIL in "".join(found.text)


@given(text=documents)
@settings(deadline=None)
def test_a_page_shows_the_text(text):
    found = MODELS["best"].explain(text, flip=False)
    shown = "".join(read_page(found.to_html()).text)
    expected = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", text)
    assert " ".join(expected.replace("\r", "\n").split()) in " ".join(shown.replace("\r", "\n").split())


def test_a_page_needs_no_network_and_says_what_it_shows_without_colour():
    text = MODELS["best"].explain(TEXT).to_html()
    assert not re.search(r"http|url\(|@import", text)
    for style in ('dir="auto"', "forced-colors", "color-scheme: light dark"):
        assert style in text
    assert re.search(r'<span class="tp-for" style="--s:1.00" title="[+]0', text)


@pytest.mark.slow
def test_a_text_of_a_megabyte_is_explained_and_shown_in_part():
    text = "The soup was lovely but cold. " * 34_000
    start = time.process_time()
    found = MODELS["conjunctions"].explain(text)
    assert time.process_time() - start < 60
    assert sum(word.contribution for word in found.words) + found.intercept == pytest.approx(found.margin, abs=1e-6)
    shown = found.to_html()
    assert len(shown) < 40 * MAX_CHARACTERS
    assert "more characters" in shown


def test_control_characters_do_not_reach_a_terminal():
    model = TextModel.train(["good \x1b[31m", "bad"], ["\x1b]0;x\x07", "b"], recipe("mira").replace(analyzer="char"))
    assert "\x1b" not in str(model.explain("good \x1b[31m"))
