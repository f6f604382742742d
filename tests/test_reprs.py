"""Objects that hold whole corpora or searches show a summary in a notebook, not their contents."""

from __future__ import annotations

import pytest

from textperceptron import load_corpus, tune
from textperceptron.corpus import Corpus, Documents, corpus_names
from textperceptron.corpus.documents import Batch
from textperceptron.settings import recipe
from textperceptron.tuning import Trial


@pytest.mark.parametrize("name", corpus_names())
def test_a_corpus_shows_its_name_sizes_and_classes(name):
    corpus = load_corpus(name)
    for shown in (corpus, corpus.train, corpus.test):
        assert len(repr(shown)) < 200
        assert f"{len(getattr(shown, 'train', shown))} texts" in repr(shown)
        assert corpus.train.texts[0] not in repr(shown)
    assert repr(corpus).endswith(f", {len(corpus.test)} test texts>")


def test_the_summary_of_a_corpus_is_exact():
    assert repr(load_corpus("reviews")) == '<Corpus \'reviews\': 480 texts ("neg": 240, "pos": 240), 160 test texts>'
    labels = [f"class {k}" for k in range(8)] + ["class 3", "\x1b[31m red" + "x" * 1000]
    many = repr(Documents(["text"] * 10, labels))
    assert many == (
        r'<Documents: 10 texts ("\x1b[31m red' + "x" * 31 + '…": 1, "class 0": 1, "class 1": 1, "class 2": 1, '
        '"class 3": 2, "class 4": 1, … 9 classes)>'
    )
    assert repr(Corpus("empty", Documents([], []))) == "<Corpus 'empty': 0 texts (no labels)>"
    assert repr(Documents(["one"], [])) == "<Documents: 1 text (no labels)>"
    assert repr(Batch(["one", "two"], [], ())) == "<Batch of 2 texts of the train split>"


def test_a_search_shows_its_score_and_the_best_settings():
    reviews = load_corpus("reviews").train
    found = tune(reviews.texts, reviews.labels, "mira", folds=2, trials=3, space={"C": [0.1, 1.0], "negation": [True]})
    text = repr(found)
    assert text.startswith(f"<TuneResult: accuracy {100 * found.score.value:.1f} % (95 % interval ")
    assert f"{100 * found.start_score.value:.1f} % with the starting settings; 3 trials on 2 folds; best: " in text
    assert found.best.describe_changes() in text
    assert len(text) < 300
    assert repr(found.trials[0]) == "<Trial 1: measured on 2 folds; the starting settings>"
    assert all(len(repr(report)) < 200 for report in found.importance)
    assert {report.name for report in found.importance} == {repr(r).split()[1].rstrip(":") for r in found.importance}
    assert "-0.0" not in repr(found.importance)


def test_long_values_of_a_trial_are_shortened():
    trial = Trial(7, recipe("mira"), {"stop_words": tuple(f"word{k}" for k in range(1000)), "C": 2.0})
    assert (
        repr(trial) == "<Trial 7: unfinished on 0 folds; stop_words=('word0', 'word1', 'word2', 'word3', 'wo…, C=2.0>"
    )
