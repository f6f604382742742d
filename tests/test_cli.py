"""The command line prints what a person wants to read, and says what was wrong with a command."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from fresh import run_fresh

from textperceptron import MIRA, BagOfWords
from textperceptron.cli import main
from textperceptron.corpus import load_corpus


def test_train_prints_epochs_test_accuracy_and_the_heaviest_words(capsys):
    assert main(["train", "reviews"]) == 0
    out = capsys.readouterr().out
    assert "480 texts to train on (neg 240 · pos 240), 160 to test on" in out
    assert len(re.findall(r"^ +\d+ +\d+ +[\d.]+ %", out, re.MULTILINE)) == 10
    assert re.search(r"^test +\d\d\.\d %  \(95 % interval \d\d\.\d–\d\d\.\d, \d+ of 160 right\)$", out, re.MULTILINE)
    assert re.search(r"^pos .*\blovely\b", out, re.MULTILINE)


def test_train_finds_what_the_estimators_find(capsys):
    main(["train", "reviews"])
    right = int(re.search(r"(\d+) of 160 right", capsys.readouterr().out)[1])
    corpus = load_corpus("reviews")
    bag = BagOfWords(ngram_range=(1, 2), binary=True)
    learner = MIRA(C=0.01).fit(bag.fit_transform(corpus.train.texts), corpus.train.labels)
    assert round(160 * learner.score(bag.transform(corpus.test.texts), corpus.test.labels)) == right


def test_an_unknown_corpus_is_one_line_and_exit_code_2(capsys):
    assert main(["train", "nonsense"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "textperceptron: no corpus is named 'nonsense': there are reviews, stars, topics, xor, xor-hard. Published "
        "ones can be fetched: 20news-bydate, aclImdb, movie_reviews, sentence_polarity, subjectivity.\n"
    )


def test_a_bad_seed_is_one_line_and_exit_code_2(capsys):
    assert main(["train", "reviews", "--seed", "-1"]) == 2
    assert "random_state=-1" in capsys.readouterr().err


def test_a_reader_that_closes_early_or_an_old_code_page_is_no_error():
    code = "from textperceptron.cli import main; raise SystemExit(main(['train', 'reviews']))"
    command = [sys.executable, "-P", "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)
    old = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "cp1252"}, check=True)
    assert b" of 160 right" in old.stdout


def test_without_a_command_it_shows_its_help(capsys):
    assert main([]) == 0
    assert "train" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])


def test_the_command_starts_without_scikit_learn_or_scipy():
    code = "import sys; from textperceptron.cli import main; main(['train', 'reviews']); print(*sys.modules)"
    loaded = run_fresh(code).split()
    assert not {"sklearn", "scipy"} & set(loaded)
