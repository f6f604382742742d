"""What texts look like: length, script, language; and the settings that follow from it."""

from __future__ import annotations

import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.model.text_profile import profile_of
from textperceptron.settings import recipe
from textperceptron.settings.languages import FREQUENT_WORDS, LANGUAGE_NAMES, NEGATORS_OF
from textperceptron.text.analyze import terms_of

SENTENCES = {
    "de": ("Der Film ist nicht gut und die Musik auch nicht.", "NOT_gut"),
    "fr": ("Il ne marche pas, et je suis déçu de ce produit.", "NOT_marche"),
    "id": ("Makanan ini tidak enak dan tempatnya kotor sekali.", "NOT_enak"),
    "ru": ("Это не хороший фильм, и он не для всех.", "NOT_хороший"),
    "he": ("הסרט הזה לא טוב, אבל יש בו גם מוזיקה של אנשים", "NOT_טוב"),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_found_and_its_negators_mark_words(language):
    text, marked = SENTENCES[language]
    assert profile_of([text])[0].language == language
    settings = profile_of([text])[0].resolve_auto(recipe("best").text, 2)
    assert marked in terms_of(text, settings)


@pytest.mark.parametrize(
    "text", ["", "?!", "12 34", "xyzzy plugh", "映画はとても良かった", "\ud800", "bom filme", "a i o w z"]
)
def test_an_unknown_language_has_no_negation(text):
    profile, _ = profile_of([text] * 3)
    assert profile.language is None
    assert profile.resolve_auto(recipe("best").text, 2).negation is False
    assert profile.describe()


def test_scripts_have_their_names():
    found = [profile_of([text])[0].script for text in ("film", "фильм", "電影", "เพลง", "영화", "1 2", "")]
    assert found == ["Latin", "Cyrillic", "Han", "Thai", "Hangul", None, None]


@pytest.mark.parametrize(
    ("n_classes", "length", "binary", "characters"), [(2, 100, True, 4), (2, 1001, True, 0), (3, 1001, False, 4)]
)
def test_presence_and_characters_depend_on_classes_and_length(n_classes, length, binary, characters):
    settings = profile_of(["x" * length])[0].resolve_auto(recipe("best").text, n_classes)
    assert (settings.binary, settings.characters) == (binary, characters)
    assert settings.prefixes == (0 if characters else 6)
    given = recipe("best").replace(binary=not binary, characters=7, prefixes=3, language="de").text
    assert profile_of(["x" * length])[0].resolve_auto(given, n_classes) == given


def test_an_iterator_is_read_once_and_documents_of_bytes_count():
    texts, labels = bundled("reviews").train
    expected = TextModel.train(texts, labels)
    assert expected.settings.text.characters == 4
    for same in (iter(texts), tuple(texts), [text.encode() for text in texts]):
        assert TextModel.train(same, labels).scores(texts).tolist() == expected.scores(texts).tolist()


def test_word_lists_are_lower_case_tokens_of_known_languages():
    assert set(NEGATORS_OF) <= set(FREQUENT_WORDS) == set(LANGUAGE_NAMES)
    settings = recipe("best").replace(negation=False, prefixes=0, characters=0, ngram_range=(1, 1)).text
    for words in (*NEGATORS_OF.values(), *FREQUENT_WORDS.values()):
        assert len(set(words)) == len(words)
        assert [terms_of(word, settings) for word in words] == [[word] for word in words]


def test_another_language_is_rejected():
    with pytest.raises(ValueError, match=r"language='xx': negators are known for bg, .* or None"):
        recipe("best").replace(language="xx")
