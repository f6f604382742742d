"""Wrong labels are found, with reasons; nearly equal texts with different labels; estimates; bad input."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.bundled import bundled, many_topics
from textperceptron import TextModel
from textperceptron.report import audit_labels, folds
from textperceptron.report.near_duplicates import near_duplicates


def with_wrong_labels(labels, every=20):
    """Change every twentieth label to the next class."""
    classes = sorted(set(labels))
    following = dict(zip(classes, classes[1:] + classes[:1], strict=True))
    wrong = set(range(0, len(labels), every))
    return [following[label] if k in wrong else label for k, label in enumerate(labels)], wrong


def test_changed_labels_are_among_the_most_suspicious():
    train, _ = bundled("topics")
    labels, wrong = with_wrong_labels(train.labels)
    found = audit_labels(train.texts, labels, count=0)
    first = set(np.argsort(found.margins)[: len(wrong)].tolist())
    assert len(first & wrong) >= 4 * len(wrong) * len(wrong) / len(labels)  # four times as many as by chance
    assert [each.index for each in found.suspects] == np.argsort(found.margins)[: len(found.suspects)].tolist()
    assert len(found.suspects) == found.n_mistakes == (found.margins < 0).sum()


def test_margins_are_those_of_models_that_have_not_learnt_from_the_text():
    train, _ = bundled("topics")
    found = audit_labels(train.texts, train.labels, count=3, folds=4)
    for rest, held_out in folds(train.labels, 4, 0):
        model = TextModel.train([train.texts[k] for k in rest], [train.labels[k] for k in rest])
        scores = model.scores([train.texts[k] for k in held_out])
        for k, row in zip(held_out.tolist(), scores.tolist(), strict=True):
            code = model.classes.index(train.labels[k])
            assert found.margins[k] == pytest.approx(row[code] - max(row[:code] + row[code + 1 :]))


@pytest.mark.parametrize("corpus", ["reviews", "topics"])
def test_words_speak_against_the_label(corpus):
    train, _ = bundled(corpus)
    for each in audit_labels(train.texts, train.labels, count=5).suspects:
        assert each.predicted != each.label == train.labels[each.index]
        assert each.text == train.texts[each.index]
        weights = [weight for _, weight in each.words]
        assert weights == sorted(weights, reverse=True)
        assert all(weight > 0 for weight in weights)
        assert 1 <= len(weights) <= 5


def test_more_wrong_labels_are_estimated_if_there_are_more():
    more, n_wrong = bundled("reviews").train, []
    for every in (1000, 10):
        labels, _ = with_wrong_labels(more.labels, every)
        n_wrong.append(audit_labels(more.texts, labels, count=1).n_wrong)
    assert n_wrong[1] > n_wrong[0]


def test_equal_texts_with_different_labels_are_conflicts():
    train, _ = bundled("reviews")
    texts = [*train.texts, train.texts[0].upper() + "!!", train.texts[1]]
    labels = [*train.labels, *({"pos": "neg", "neg": "pos"}[label] for label in train.labels[:2])]
    found = audit_labels(texts, labels, count=1).conflicts
    assert {each.indices for each in found} == {(0, len(texts) - 2), (1, len(texts) - 1)}


def test_near_duplicates():
    words = [f"word{k}" for k in range(40)]
    text = " ".join(words)
    nearly = " ".join([*words[:38], "other", "end"])
    half = " ".join([*words[:14], *(f"other{k}" for k in range(26))])
    assert near_duplicates([text, half, "", "short", nearly, "", "Short!"]) == [[0, 4], [3, 6]]
    assert near_duplicates(["这家店的菜很好吃我们都很喜欢下次再来", "x", "这家店的菜很好吃我们都很喜欢下次还来"]) == [
        [0, 2]
    ]


def test_many_equal_texts_and_common_phrases_take_no_time():
    signature = " sent from my new telephone with kind regards"
    texts = [f"{'abcdefgh'[k % 8]} text number {k} about thing {k * 7}" + signature for k in range(3000)]
    assert near_duplicates(["the same text again and again"] * 5000) == [list(range(5000))]
    assert len(near_duplicates(texts)) < 3000


def test_a_single_text_of_a_class_is_not_checked():
    train, _ = bundled("reviews")
    found = audit_labels([*train.texts, "odd one"], [*train.labels, "odd"], count=1)
    assert found.not_checked == ("odd",)
    assert np.isnan(found.margins[-1])
    assert found.n_checked == len(train.texts)


@pytest.mark.slow
def test_many_classes():
    corpus = many_topics()
    found = audit_labels(corpus.train.texts, corpus.train.labels, count=2, folds=2)
    assert found.n_texts == len(corpus.train.texts)
    assert sum(found.wrong_of.values()) == found.n_wrong


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a", "b"], ["x"], "2 texts and 1 labels"),
        (["a", "b"], ["x", "x"], "same label"),
        ([], [], "same label"),
        (["a", "b"], [("x",), ("x", "y")], "several labels"),
        (["a", "b", "c"], ["x", "x", "y"], "too few for 5 folds"),
    ],
)
def test_what_cannot_be_audited(texts, labels, message):
    with pytest.raises(ValueError, match=message):
        audit_labels(texts, labels)


def test_empty_texts_are_audited():
    train, _ = bundled("reviews")
    found = audit_labels([*train.texts, "", " "], [*train.labels, "pos", "neg"], count=0)
    assert np.isfinite(found.margins).all()
