"""The page as a file: what it contains for all kinds of models and texts, and what it escapes."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.model.cross_validation import Predictions
from textperceptron.report import evaluate, write_page
from textperceptron.report.page.embedded import embed
from textperceptron.report.page.findings import find, score_margins, unknown_words
from textperceptron.report.page.html import escape, table, tag
from textperceptron.report.page.sentences import choose_sentences
from textperceptron.settings import recipe

HOSTILE = [
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<!-- <script> ]]> &lt; &amp;",
    "a \"quoted\" 'one' \u2028 and \u2029",
    "</textarea></style></title><svg onload=alert(1)>",
    "lone \ud800 surrogate, nul \x00 and \x1b escape \ufffe",
]


@pytest.fixture(scope="module")
def reviews():
    train, test = bundled("reviews")
    return TextModel.train(*train), train, test


def page_of(tmp_path, model, *texts_and_labels, **options):
    path = tmp_path / "page.html"
    size = write_page(path, model, *texts_and_labels, **options)
    assert path.stat().st_size == size
    return path.read_text("utf-8")


def data_of(page, name):
    return json.loads(re.search(f'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)[1])


def section_of(page, name):
    return re.search(f'<section id="{name}".*?</section>', page, re.DOTALL)[0]


def test_the_verdict_is_the_accuracy_of_evaluate(reviews, tmp_path):
    model, train, test = reviews
    page = page_of(tmp_path, model, *test, training=train, title="reviews", command="textperceptron train reviews")
    found = evaluate(test[1], model.predict(test[0]))
    assert f"<strong>{100 * found.accuracy.value:.1f}\u00a0%</strong> of 160 texts" in page
    assert "textperceptron train reviews" in page
    assert "right for 50.0\u00a0%" in page
    wrong = 160 - found.accuracy.successes
    assert section_of(page, "mistakes").count("<li ") == wrong
    assert f'data-total="{wrong}"' in page
    for name in ("try", "terms", "margins", "learning", "classes", "words", "model"):
        assert f'href="#{name}"' in page
        assert section_of(page, name)


def test_the_same_page_is_written_each_time(reviews, tmp_path):
    model, train, test = reviews
    assert page_of(tmp_path, model, *test, training=train) == page_of(tmp_path, model, *test, training=train)


def test_mistakes_are_worst_first(reviews, tmp_path):
    model, _, (texts, labels) = reviews
    page = page_of(tmp_path, model, texts, labels)
    items = re.findall(r'<p class="text" dir="auto">(.*?)</p>', page, re.DOTALL)
    margin = dict(
        zip(
            texts,
            score_margins(model.scores(texts), np.array([label == "pos" for label in labels], np.intp)),
            strict=True,
        )
    )
    margins = [margin[html.unescape(item)] for item in items]
    assert margins == sorted(margins)
    assert margins[-1] <= 0


def test_nothing_is_loaded_and_the_policy_names_style_and_script_by_hash(reviews, tmp_path):
    model, _, test = reviews
    page = page_of(tmp_path, model, *test)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="(.*?)"', page)[1])
    for kind in ("style", "script"):
        (source,) = re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    outside = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"https?:|//|<[^>]+ (style|on\w+|src)=", outside)
    assert not re.search(
        r"\b(fetch|import|XMLHttpRequest|innerHTML|eval|document\.write)\b",
        page.split("textClassifier(model)", 1)[1].split("<body")[0],
    )


def test_texts_labels_and_titles_are_escaped(tmp_path):
    labels = ["</script>", "<b>"] * 3
    model = TextModel.train(
        [f"{text} good {label}" for text, label in zip(HOSTILE, labels, strict=True)], labels, "mira"
    )
    # All labels are wrong, so that all texts are listed.
    page = page_of(tmp_path, model, HOSTILE, [labels[1], labels[0]] * 3, title="</title><script>", command="<!--")
    assert page.count("<script") == 3
    assert page.count("</script>") == 3
    assert "<title>&lt;/title&gt;&lt;script&gt;</title>" in page
    assert not re.search(r"<(img|svg onload|!--)", page)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", page)
    assert data_of(page, "model-data")["classes"] == ["</script>", "<b>"]
    shown = [html.unescape(text) for text in re.findall(r'<p class="text" dir="auto">(.*?)</p>', page, re.DOTALL)]
    assert HOSTILE[0] in shown
    assert HOSTILE[3] in shown
    assert "lone \ufffd surrogate, nul \ufffd and \ufffd escape \ufffd" in shown


def test_without_labels_there_is_no_accuracy(reviews, tmp_path):
    model, train, (texts, _) = reviews
    page = page_of(tmp_path, model, texts, training=train)
    assert "No accuracy: the texts have no labels." in page
    assert "Labels predicted for 160 texts" in page
    assert 'id="mistakes"' not in page
    assert 'id="margins"' not in page


def test_one_class_at_test_time(reviews, tmp_path):
    model, _, (texts, labels) = reviews
    only = [text for text, label in zip(texts, labels, strict=True) if label == "pos"]
    page = page_of(tmp_path, model, only, ["pos"] * len(only))
    assert "right for 100.0\u00a0%. So the model is not clearly better than that." in page


def test_labels_that_the_model_does_not_know(reviews, tmp_path):
    model, _, _ = reviews
    page = page_of(tmp_path, model, ["Lovely soup", "Cold soup"], ["pos", "odd"])
    assert ">odd<" in section_of(page, "mistakes")


def test_empty_texts(reviews, tmp_path):
    model, _, _ = reviews
    page = page_of(tmp_path, model, ["", " "], ["pos", "neg"])
    assert "(empty text)" in page


def test_texts_of_one_word_each(tmp_path):
    texts, labels = [f"word{k}" for k in range(40)], ["odd" if k % 2 else "even" for k in range(40)]
    settings = recipe("mira").replace(norm="l2", ngram_range=(1, 1))
    page = page_of(tmp_path, TextModel.train(texts, labels, settings), texts, labels, max_terms=10)
    assert len(data_of(page, "model-data")["names"]) == 10


def test_texts_as_bytes(reviews, tmp_path):
    model, _, _ = reviews
    assert "caf\ufffd" in page_of(tmp_path, model, [b"caf\xe9 closed", "open"], ["pos", "neg"])


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (recipe("mira").replace(learner="voted"), "voted perceptron stores texts"),
        (recipe("mira").replace(pair_bits=12), "pair_bits=12"),
        (recipe("mira").replace(token_pattern=r"[a-z]+"), "runs in Python"),
        (recipe("mira").replace(n_features=1 << 22), "would take"),
    ],
)
def test_models_that_a_page_cannot_contain(settings, reason, tmp_path):
    train, test = bundled("reviews")
    page = page_of(tmp_path, TextModel.train(*train, settings), *test, training=train)
    assert "This page cannot classify texts: " in page
    assert reason in page
    assert 'id="model-data"' not in page
    assert "Confusion matrix" in page


def test_hashed_columns_have_no_terms(tmp_path):
    train, test = bundled("reviews")
    page = page_of(tmp_path, TextModel.train(*train, recipe("mira").replace(n_features=4096)), *test)
    assert "hashed columns have no names" in section_of(page, "terms")
    assert data_of(page, "model-data")["names"] is None
    assert 'id="words"' not in re.sub('<div id="words"', "", page)


@pytest.mark.parametrize("n_classes", [20, 200])
def test_many_classes(n_classes, tmp_path):
    labels = [f"class {k % n_classes:03}" for k in range(3 * n_classes)]
    texts = [f"word{k % n_classes} and other{k}" for k in range(3 * n_classes)]
    model = TextModel.train(texts, labels, "mira")
    page = page_of(tmp_path, model, texts, labels[1:] + labels[:1], training=(texts, labels))
    if n_classes == 20:
        assert 'id="matrix"' in page
    else:
        assert f"of 200 confusions of {n_classes} classes" in page
        assert page.count("<tr>") < 1000
    assert len(page) < 3_000_000


def test_predictions_of_other_models(reviews, tmp_path):
    model, _, (texts, labels) = reviews
    all_wrong = Predictions(
        np.array([label == "neg" for label in labels], np.intp),
        np.array([1.0 if label == "neg" else -1.0 for label in labels]),
    )
    page = page_of(tmp_path, model, texts, labels, predictions=all_wrong)
    assert "<strong>0.0\u00a0%</strong>" in page
    assert "models that had not seen the texts" in page


def test_a_calibrated_model_has_a_section_about_its_probabilities(tmp_path):
    train, test = bundled("reviews")
    settings = recipe("mira")
    model = TextModel.train(*train, replace(settings, learner=settings.learner.replace(calibrate=True)))
    assert "Can its probabilities be believed?" in page_of(tmp_path, model, *test)


def test_several_labels_per_text_are_refused(tmp_path):
    model = TextModel.train(["one two", "two three", "three"] * 4, [["x", "y"], ["y"], []] * 4, "mira")
    with pytest.raises(ValueError, match="several labels"):
        write_page(tmp_path / "page.html", model, ["a"], ["x"])


@pytest.mark.parametrize(
    ("texts", "labels", "said"), [([], [], "no texts"), (["a"], ["x", "y"], "1 texts and 2 labels")]
)
def test_texts_and_labels_must_match(reviews, texts, labels, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        write_page(tmp_path / "page.html", reviews[0], texts, labels)
    assert not list(tmp_path.iterdir())


def test_a_pruned_page_says_what_the_pruning_costs(reviews, tmp_path):
    model, _, (texts, labels) = reviews
    page = page_of(tmp_path, model, texts, labels, max_terms=200)
    small = model.pruned(keep=200)
    right = sum(label == found for label, found in zip(labels, small.predict(texts), strict=True))
    changed = sum(one != other for one, other in zip(model.predict(texts), small.predict(texts), strict=True))
    assert f"to {100 * right / 160:.1f}\u00a0%: {changed} labels differ" in page
    assert len(data_of(page, "model-data")["names"]) == 200


@pytest.mark.parametrize("name", ["best", "mira"])
def test_the_smaller_model_is_measured_without_reading_texts_again(name):
    train, test = bundled("reviews")
    model = TextModel.train(*train, name)
    found = embed(find(model, [*test[0], ""], [*test[1], "pos"], None, None), max_terms=300)
    small = model.pruned(keep=300)
    assert found.n_same == np.sum(model.codes([*test[0], ""]) == small.codes([*test[0], ""]))
    assert found.n_right == sum(
        label == predicted for label, predicted in zip([*test[1], "pos"], small.predict([*test[0], ""]), strict=True)
    )


def test_margins_of_scores():
    two = score_margins(np.array([2.0, -1.0, 3.0]), np.array([1, 1, -1]))
    assert two.tolist() == [2.0, -1.0, -3.0]
    three = score_margins(np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [1.0, 1.0, 0.0]]), np.array([2, 0, -1]))
    assert three.tolist() == [2.0, -3.0, 0.0]


def test_unknown_words_are_counted_by_occurrence(reviews):
    found = unknown_words(reviews[0], ["the zyzzyva and the Zyzzyva", "the"])
    assert (found.n_words, found.n_unknown, found.frequent) == (6, 2, [("zyzzyva", 2)])


def test_sentences_contain_their_terms(reviews):
    model, (texts, labels), _ = reviews
    vocabulary = model.parts.features.vocabulary
    columns = [vocabulary["awful"], vocabulary["loved it"]]
    found = choose_sentences(model, texts, labels, columns)
    assert any("awful" in text.lower() for text, _ in found)
    assert any("loved it" in text.lower() and label == "pos" for text, label in found)
    assert len(found) <= 6


def test_elements_escape_their_children_and_attributes():
    assert tag("a", "<", tag("b", "&"), None, title='"') == '<a title="&quot;">&lt;<b>&amp;</b></a>'
    assert escape("a\r\nb\rc") == "a\nb\nc"
    assert '<th scope="row">&lt;x&gt;</th><td>1</td>' in table("t", ("a", "b"), [("<x>", 1)])
