"""The token rule ``any-script``: compared with a loop over characters, and with the pattern of Latin text."""

from __future__ import annotations

import functools
import re
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from helpers.paths import ROOT
from textperceptron import BagOfWords, HashedBagOfWords, TextModel
from textperceptron._kernels import generate_script_classes
from textperceptron.settings import TextSettings, recipe
from textperceptron.settings.text import ANY_SCRIPT, WORDS_AND_PUNCTUATION
from textperceptron.text.analyze import terms_of

TABLE = (ROOT / "textperceptron" / "_kernels" / "script_classes.pxd").read_text("utf-8")


def characters_of(array):
    """Return the characters of an array of the committed table."""
    ranges = re.findall(r"\{0x(\w+), 0x(\w+)\}", TABLE.partition(f"{array}[]")[2].partition(";")[0])
    return {chr(code) for first, last in ranges for code in range(int(first, 16), int(last, 16) + 1)}


ATTACHED, UNSPACED = characters_of("tp_attached"), characters_of("tp_unspaced")
TOKENS = TextSettings(token_pattern=ANY_SCRIPT)
# Letters with marks, scripts without spaces, emoji and their parts, Latin text, and what no script has.
ALPHABET = (
    "aZ_9é ' .!-\n\u0301\u200d\u200c\ufe0f\u20e3#नहींअच्छीقَرَأَمی가나ดีมาก我很喜欢。タワーｶﾞཀྱ្ིកခ်ກັນ"
    "👍🏽👨👩❤🇩🇪\U000e0067\ud800\ue000\u0378\U0002f800\U0001b000İΣ"
)
texts = st.text(st.sampled_from(ALPHABET) | st.characters(), max_size=40)


@given(texts)
def test_tokens_are_those_of_the_reference(text):
    assert terms_of(text, TOKENS) == reference.any_script_tokens(text.lower(), ATTACHED, UNSPACED)[0]


@given(texts, st.sampled_from([2, 3]))
def test_characters_of_unspaced_scripts_have_ngrams_one_longer(text, n):
    tokens, is_unspaced = reference.any_script_tokens(text.lower(), ATTACHED, UNSPACED)
    grams = [" ".join(tokens[k : k + size]) for size in range(2, n + 1) for k in range(len(tokens) - size + 1)]
    expected = [*tokens, *reference.unspaced_ngrams(tokens, is_unspaced, n + 1), *grams]
    assert terms_of(text, TextSettings(token_pattern=ANY_SCRIPT, ngram_range=(1, n))) == expected


latin = st.characters(max_codepoint=0x24F) | st.sampled_from(" .,!?'’“”–—…€")


@given(st.text(latin, max_size=60), st.booleans())
def test_latin_text_has_the_terms_of_words_and_punctuation(text, negation):
    how = {"ngram_range": (1, 2), "prefixes": 6, "negation": negation}
    old = TextSettings(token_pattern=WORDS_AND_PUNCTUATION, **how)
    assert terms_of(text, TextSettings(token_pattern=ANY_SCRIPT, **how)) == terms_of(text, old)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("अच्छी नहीं!", ["अच्छी", "नहीं", "!"]),
        ("நல்ல படம்", ["நல்ல", "படம்"]),
        ("قَرَأَ می‌خواهم", ["قَرَأَ", "می‌خواهم"]),
        ("cafe\u0301", ["cafe\u0301"]),
        ("ดีมาก", ["ดี", "ม", "า", "ก"]),
        ("东京タワー", ["东", "京", "タ", "ワ", "ー"]),
        ("ប្រាំ", ["ប្", "រាំ"]),
        ("맛있다", ["맛있다"]),
        ("👨‍👩‍👧🇩🇪🇫🇷❤️👍🏽1️⃣", ["👨‍👩‍👧", "🇩🇪", "🇫🇷", "❤️", "👍🏽", "1️⃣"]),
    ],
)
def test_examples(text, tokens):
    assert terms_of(text, TOKENS) == tokens


def test_marks_do_not_end_a_negation():
    settings = TextSettings(token_pattern=ANY_SCRIPT, negation=True)
    assert terms_of("not a cafe\u0301 here. Good", settings)[1:4] == ["NOT_a", "NOT_cafe\u0301", "NOT_here"]


def test_the_table_is_generated():
    if unicodedata.unidata_version in TABLE:
        assert generate_script_classes.generated() == TABLE
    else:  # another version of Unicode has more characters
        assert all(map(generate_script_classes.is_attached, ATTACHED))
        assert all(map(generate_script_classes.is_unspaced, UNSPACED))


MIXED = ["我很喜欢这部电影", "这部电影不好", "अच्छी फ़िल्म 👍🏽", "not bad फ़िल्म", "ดีมากครับ 555", "ไม่ดี", "quite good!"] * 3


@given(texts)
def test_one_text_has_the_scores_of_many(text):
    model = trained()
    assert model.predict_one(text) == model.predict([text])[0]


@functools.cache
def trained():
    """Return a model of the default recipe on texts of several scripts."""
    return TextModel.train(MIXED, ["a", "b", "c"] * 7, recipe("best"))


@pytest.mark.parametrize("bag", [BagOfWords, HashedBagOfWords])
def test_any_number_of_threads_gives_the_same_rows(bag):
    many = [text * k for k in range(1, 60) for text in MIXED]
    one, two = (bag(token_pattern=ANY_SCRIPT, ngram_range=(1, 2), n_jobs=n).fit_transform(many) for n in (1, 2))
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["我", "ก", "क्", "a", "\u0301", "\u200d", "👍\u200d", "🇩", "\ud800"])
def test_a_megabyte_without_a_space_takes_linear_time(unit):
    document = unit * (1_000_000 // len(unit.encode("utf-8", "surrogatepass")))
    rows = BagOfWords(token_pattern=ANY_SCRIPT, ngram_range=(1, 2)).fit_transform([document, "a b"])
    n_tokens = len(reference.any_script_tokens(document, ATTACHED, UNSPACED)[0])
    assert rows[0].sum() == (3 * n_tokens - 3 if unit[0] in UNSPACED else 2 * n_tokens - 1)


@pytest.mark.slow
def test_every_character_is_classified_as_in_the_reference():
    for first in range(0, sys.maxunicode + 1, 4096):
        text = " ".join(f"a{chr(code)}我{chr(code)}." for code in range(first, first + 4096))
        assert terms_of(text, TOKENS) == reference.any_script_tokens(text.lower(), ATTACHED, UNSPACED)[0]
