"""Places of terms: the same terms as those of the kernels, each where it stands in the text."""

from __future__ import annotations

import pytest
from hypothesis import given

from helpers.exported_cases import TEXT_SETTINGS, awkward_texts, texts_of_scripts
from helpers.texts import documents
from textperceptron.estimators._parameters import VectorizerSettings
from textperceptron.settings import TextSettings, WindowSettings
from textperceptron.settings.text import ANY_SCRIPT
from textperceptron.text.analyze import terms_of
from textperceptron.text.documents import python_preprocessor
from textperceptron.text.places import occurrences, words_in

SETTINGS = {
    name: each.text.resolve_auto(3, 500, "en").terms_only() for name, each in TEXT_SETTINGS.items()
} | {
    "a pattern in Python": TextSettings(token_pattern=r"(?u)\b([a-z]+)-?\b", ngram_range=(1, 2), prefixes=3),
    "a pattern and pairs": TextSettings(
        token_pattern=r"\S+", conjunctions=WindowSettings(None, 2), stop_words=("the",)
    ),
    "a tokenizer": VectorizerSettings(tokenizer=str.split, ngram_range=(1, 2)),
    "a capital tokenizer": VectorizerSettings(tokenizer=lambda text: text.upper().split()),
    "an analyzer": VectorizerSettings(analyzer=str.split),
    "a preprocessor": VectorizerSettings(preprocessor=str.casefold),
}  # fmt: skip


def assert_placed(text, settings):
    found = list(occurrences(text, settings))
    assert sorted(each.name for each in found) == sorted(terms_of(text, settings))
    preprocess = python_preprocessor(settings)
    for each in found:
        for start, end in each.spans:
            assert 0 <= start <= end <= len(text)
        if len(each.spans) == 1 and each.name == each.word and settings.uses_words and " " not in each.name:
            (start, end), name = each.spans[0], each.name.removeprefix("NOT_")
            inside = bare(preprocess(text[start:end])).removeprefix("NOT_")
            # A character may become several, and those belong to different tokens: ¼ without accents is 1⁄4.
            assert bare(name) in inside
            assert len(inside) <= len(bare(name)) + 2 or settings.strip_accents


def bare(text):
    """Return a text without spaces, which n-grams of characters skip, and with one form of sigma."""
    return "".join(text.split()).replace("ς", "σ")


@pytest.mark.parametrize("name", SETTINGS)
@given(text=documents)
def test_terms_are_those_of_the_kernels_and_stand_where_they_are_said_to(name, text):
    assert_placed(text, SETTINGS[name])


@pytest.mark.parametrize("name", SETTINGS)
def test_terms_of_awkward_texts(name):
    for text in awkward_texts(120)[0]:
        assert_placed(text, SETTINGS[name])


@pytest.mark.parametrize("name", ["best", "stop words", "accents", "characters", "in words"])
def test_terms_of_twenty_languages(name):
    for text in texts_of_scripts(60)[0]:
        assert_placed(text, SETTINGS[name])


def placed(text, settings):
    return {each.name: [tuple(text[a:b] for a, b in each.spans)] for each in occurrences(text, settings)}


def test_offsets_are_those_of_the_text_as_it_was_given():
    text = "Not so GOOD, İİ 😀 but the SOUP wasn’t cold. Café!"
    settings = TextSettings(
        token_pattern=ANY_SCRIPT, ngram_range=(1, 2), negation=True, characters=4, prefixes=3,
        conjunctions=WindowSettings(("not",), 4), strip_accents="unicode",
    )  # fmt: skip
    found = placed(text, settings)
    assert found["NOT_good"] == [("GOOD",)]
    assert found["~oup$"] == [("OUP",)]
    assert found["sou*"] == [("SOU",)]
    assert found["😀"] == [("😀",)]
    assert found["ii"] == [("İİ",)]
    assert found["cafe !"] == [("Café!",)]
    assert found["NOT_good-and-not"] == [("Not", "GOOD")]


def test_parts_of_a_word_name_their_word():
    settings = TextSettings(negation=True, characters=4, prefixes=4, token_pattern=ANY_SCRIPT)
    words = {each.name: each.word for each in occurrences("never boring", settings)}
    assert words["bori*"] == words["^bor"] == words["NOT_boring"] == "NOT_boring"
    assert words["never"] == "never"


@given(text=documents)
def test_words_do_not_overlap_and_leave_only_space(text):
    spans = words_in(text)
    ends = [0, *(end for _, end in spans)]
    assert all(start >= end for (start, _), end in zip(spans, ends, strict=False))
    assert all(start < end for start, end in spans)


def test_words_of_a_text():
    def shown(text):
        return [text[start:end] for start, end in words_in(text)]

    assert shown("It isn't «bad», it’s rock 'n' roll 👨‍👩‍👧.") == [
        "It", "isn't", "«", "bad", "»", ",", "it’s", "rock", "'", "n", "'", "roll", "👨‍👩‍👧", ".",
    ]  # fmt: skip
    assert shown("我不喜欢。ไม่ดี") == ["我", "不", "喜", "欢", "。", "ไ", "ม่", "ดี"]
    assert shown("") == []
