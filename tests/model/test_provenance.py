"""What a model file says about its origin: digests, measured accuracy, notes, and the card made of them."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shlex

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helpers.paths import TESTS
from textperceptron import TextModel, load_corpus
from textperceptron.cli import main
from textperceptron.model import Measured, inspect, training_digest
from textperceptron.settings import recipe
from textperceptron.text.counted_texts import count_texts

REVIEWS = load_corpus("reviews")
MEASURED = Measured("test split", "test split", 127, 160, (0.725, 0.849), 0.794)


def small_model(**changes):
    texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    return TextModel.train(texts, ["pos", "pos", "neg", "neg"], recipe("mira").replace(**changes))


def reference_digest(texts, labels):
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = b"".join(len(text).to_bytes(8, "little") for text in encoded)
    parts = b"".join(encoded), lengths, json.dumps(labels).encode()
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


any_text = st.text(st.characters(), max_size=20)


@given(st.lists(st.tuples(any_text, any_text), max_size=300))
def test_the_digest_is_that_of_texts_lengths_and_labels(pairs):
    texts, labels = [text for text, _ in pairs], [label for _, label in pairs]
    assert training_digest(texts, labels) == training_digest(iter(texts), labels) == reference_digest(texts, labels)


def test_moving_a_letter_to_the_next_text_changes_the_digest():
    assert training_digest(["ab", "c"], ["x", "y"]) != training_digest(["a", "bc"], ["x", "y"])


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
@pytest.mark.parametrize("form", [list, iter, np.array, pyarrow.array, lambda texts: [t.encode() for t in texts]])
def test_a_model_has_the_digest_of_its_texts_in_any_form_with_any_number_of_threads(form, n_jobs):
    texts, labels = [*REVIEWS.train.texts, "naïve", "тест"], [*REVIEWS.train.labels, "neg", "pos"]
    model = TextModel.train(form(texts), labels, "mira", n_jobs=n_jobs)
    assert model.training_texts.digest == reference_digest(texts, labels)
    assert (model.training_texts.script, model.training_texts.language) == ("Latin", "en")


def test_texts_that_were_counted_before_have_the_same_digest():
    settings, texts = recipe("mira"), REVIEWS.train.texts
    counted = count_texts(texts, settings.text)
    model = TextModel.train(counted, REVIEWS.train.labels, settings)
    assert model.training_texts.digest == reference_digest(texts, REVIEWS.train.labels)
    read_once = count_texts(iter(texts), settings.text)
    assert TextModel.train(read_once, REVIEWS.train.labels, settings).training_texts is None


def test_an_update_combines_the_digests_and_drops_the_accuracy(tmp_path):
    model = small_model()
    before, model.measured = model.training_texts.digest, [MEASURED]
    model.metadata["author"] = "Ada"
    model.update(iter(["a fine book"]), ["pos"])
    after = reference_digest(["a fine book"], ["pos"])
    both = hashlib.sha256(bytes.fromhex(before) + bytes.fromhex(after)).hexdigest()
    assert "updated once since" in model.card()
    assert model.training_texts.n_batches == 2
    assert (model.training_texts.digest, model.measured, model.metadata) == (both, (), {"author": "Ada"})


def test_a_file_keeps_notes_accuracy_and_texts(tmp_path):
    model = small_model()
    model.metadata = {"author": "Ada", "use": "a \ud800 \x1b b\nc"}
    model.measured = [MEASURED]
    model.save(tmp_path / "m.tpm")
    loaded = TextModel.load(tmp_path / "m.tpm")
    assert loaded.metadata == {"author": "Ada", "use": "a \ud800 \x1b b\nc"}
    assert (loaded.measured, loaded.training_texts) == ((MEASURED,), model.training_texts)
    assert loaded.measured[0].accuracy == 127 / 160


def test_notes_of_a_smaller_model_are_its_own_and_its_accuracy_is_not_known():
    model = small_model()
    model.metadata, model.measured = {"author": "Ada"}, [MEASURED]
    small = model.halved()
    small.metadata["author"] = "Grace"
    assert (model.metadata, small.measured, small.training_texts) == ({"author": "Ada"}, (), model.training_texts)


@pytest.mark.parametrize("notes", [{"year": 1843}, {"": "x"}, {1: "x"}, ["author"]])
def test_notes_that_are_not_strings_are_rejected_when_set_and_when_saved(tmp_path, notes):
    model = small_model()
    with pytest.raises(ValueError, match="metadata"):
        model.metadata = notes
    if isinstance(notes, dict):
        model.metadata.update(notes)
        with pytest.raises(ValueError, match="metadata"):
            model.save(tmp_path / "m.tpm")
        assert not (tmp_path / "m.tpm").exists()


def test_files_of_older_versions_have_no_provenance():
    for path in sorted((TESTS / "data").glob("*.tpm")):
        model = TextModel.load(path)
        assert (model.training_texts, model.measured, model.metadata) == (None, (), {})
        assert model.card().startswith("# Text classifier\n")


def test_a_file_without_notes_and_accuracy_has_no_keys_for_them(tmp_path):
    small_model().save(tmp_path / "m.tpm")
    raw = (tmp_path / "m.tpm").read_bytes()
    assert b"training_texts" in raw
    assert b"metadata\\" not in raw
    assert b"measured\\" not in raw


def test_equal_weights_have_one_digest_whatever_the_file_says_beside_them(tmp_path):
    model = small_model()
    digest = model.weights_digest
    model.save(tmp_path / "plain.tpm")
    model.metadata["author"] = "Ada"
    model.save(tmp_path / "noted.tpm", trainable=True)
    for name in ("plain.tpm", "noted.tpm"):
        assert inspect(tmp_path / name, verify=True).weights_digest == digest
        assert TextModel.load(tmp_path / name).weights_digest == digest
    assert inspect(tmp_path / "plain.tpm").weights_digest is None
    assert small_model(C=0.02).weights_digest != digest
    assert model.halved().weights_digest != digest


@pytest.mark.parametrize(
    "settings",
    [
        recipe("best"), recipe("mira"), recipe("mira").replace(learner="arow", r=0.3, seed=4),
        recipe("best").replace(token_pattern="`\\w+`|\\w+", stop_words=("the", "and"), min_df=2),
    ],
    ids=["best", "mira", "arow", "pattern"],
)  # fmt: skip
def test_the_card_in_python_trains_the_same_weights_again(settings):
    texts, labels = REVIEWS.train.texts, REVIEWS.train.labels
    model = TextModel.train(texts, labels, settings)
    names = {"texts": texts, "labels": labels}
    exec(code_of(model.card()), names)
    assert names["model"].weights_digest == model.weights_digest


@pytest.mark.parametrize(
    "options",
    [
        "", "--recipe mira --calibrate", "--recipe mira --learner perceptron --ngram-range 1 3", "--window 2 --seed 3",
        "--merge-labels '1,2=neg;4,5=pos;3=' --text-column body --text-column title",
    ],
)  # fmt: skip
def test_the_command_of_a_card_trains_the_same_weights_again(tmp_path, monkeypatch, capsys, options):
    monkeypatch.chdir(tmp_path)
    stars = load_corpus("stars").train
    with open("c.csv", "w", newline="") as file:
        rows = [(label, text, f"t {label}") for text, label in zip(stars.texts, stars.labels, strict=True)]
        csv.writer(file).writerows([("stars", "body", "title"), *rows])
    assert main(["train", "c.csv", "--model", "m.tpm", *shlex.split(options)]) == 0
    capsys.readouterr()
    assert main(["inspect", "m.tpm", "--card"]) == 0
    command = shlex.split(code_of(capsys.readouterr().out))
    assert command[:5] == ["textperceptron", "train", "CORPUS", "--model", "m.tpm"]
    command[2], command[4] = "c.csv", "again.tpm"
    assert main(command[1:]) == 0
    assert TextModel.load("again.tpm").weights_digest == TextModel.load("m.tpm").weights_digest


def code_of(card):
    return re.search(r"^(```+)\w+\n(.*?)\n\1$", card, re.DOTALL | re.MULTILINE)[2]


HOSTILE = "<script>x</script> [a](http://b) **c** `d` | e\n# f\x1b[31m \u202e ![g](h) &lt; $x$ ~~s~~"


def test_data_cannot_change_the_structure_of_a_card():
    model = TextModel.train(["a fine film", "a dull film"], [HOSTILE, "neg"], recipe("mira"))
    model.metadata = {HOSTILE: HOSTILE, "author": "Ada"}
    model.measured = [Measured("test corpus", HOSTILE, 1, 2, (0.1, 0.9))]
    card = model.card(HOSTILE)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", card)
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(card)
    kinds = {child.type for token in tokens for child in [token, *(token.children or ())]}
    assert not kinds & {"html_inline", "html_block", "link_open", "image", "strong_open", "em_open", "s_open"}
    headings = [tokens[k + 1].children for k, token in enumerate(tokens) if token.type == "heading_open"]
    assert len(headings) == 7
    shown = HOSTILE.replace("\n", "\\n").replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    cells = ["".join(child.content for child in token.children) for token in tokens if token.type == "inline"]
    assert [cell for cell in cells if "<script>" in cell and "most frequent" not in cell] == [shown] * 5


def test_a_card_has_what_the_header_has():
    model = small_model(calibrate=False)
    model.measured, model.metadata = [MEASURED], {"author": "Ada"}
    card = model.card("Films")
    assert "| test split | 79.4 % | 72.5–84.9 % | 127 of 160 | 79.4 % |" in card
    assert "| neg | 2 | 50.0 % | dull" in card
    assert "| author | Ada |" in card
    assert f"| training texts and labels | {model.training_texts.digest} |" in card
    assert f"| vocabulary and weights | {model.weights_digest} |" in card
    assert "Not measured" in small_model().card()
