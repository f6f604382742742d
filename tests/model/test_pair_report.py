"""The report of pairs formed on the fly: counts, collisions, and the names of the pairs with large weights."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from helpers.problems import matrices
from textperceptron import MIRA, AveragedPerceptron, BagOfWords, Perceptron, load_corpus
from textperceptron.learn.column_pairs import pair_slots


def pairs_by_slot(X, bits):
    """Return the number of rows with each pair, per hash slot: slow, and obviously right."""
    frequency = Counter(pair for row in X.toarray() for pair in combinations(np.flatnonzero(row).tolist(), 2))
    found: dict[int, dict] = {}
    for pair, n_rows in frequency.items():
        found.setdefault(int(pair_slots(np.array([pair]), X.shape[1], bits)[0]), {})[pair] = n_rows
    return found


@given(X=matrices(min_rows=3, max_columns=12), bits=st.integers(1, 7), n_classes=st.sampled_from([2, 3]))
def test_counts_and_top_pairs_are_those_of_a_dictionary(X, bits, n_classes):
    y = np.arange(X.shape[0]) % n_classes
    learner = MIRA(pair_bits=bits).fit(X, y)
    report = learner.pair_report(X, top=1000)
    found = pairs_by_slot(X, bits)
    assert report.n_occurrences == sum(n for here in found.values() for n in here.values())
    assert report.n_pairs == sum(map(len, found.values()))
    assert report.n_colliding == sum(len(here) for here in found.values() if len(here) > 1)
    assert report.n_weights == 2**bits
    heavy = 0
    for here in found.values():
        weights = learner.pair_weights(list(here))
        assert (weights == weights[:, :1]).all()
        if not weights.any():
            continue
        heavy += 1
        (named,) = [pair for pair in report.top_pairs if pair.columns in here]
        assert named.n_rows == here[named.columns] == max(here.values())
        assert named.n_others == len(here) - 1
        strongest = abs(weights[:, 0]).argmax()
        assert named.weight == weights[strongest, 0]
        assert named.label == (strongest if n_classes > 2 else int(named.weight > 0))
        assert named.name == "-and-".join(sorted(f"x{c}" for c in named.columns))
    assert len(report.top_pairs) == heavy
    sizes = [abs(pair.weight) for pair in report.top_pairs]
    assert sizes == sorted(sizes, reverse=True)
    few = learner.pair_report(X, top=2).top_pairs
    assert [abs(pair.weight) for pair in few] == sizes[:2]


def test_the_textbook_pairs_are_found_by_name():
    reviews = load_corpus("xor")
    bag = BagOfWords()
    X = bag.fit_transform(reviews.texts)
    learner = AveragedPerceptron(pair_bits=20, max_iter=50).fit(X, reviews.labels)
    report = learner.pair_report(X, bag.get_feature_names_out())
    assert [(pair.name, pair.label, pair.n_rows) for pair in report.top_pairs[:2]] == [
        ("excellent-and-not", "neg", 10),
        ("not-and-terrible", "pos", 10),
    ]
    assert report.n_colliding == 0
    assert "\nexcellent-and-not " in str(report)


def test_names_come_from_a_data_frame_and_must_match_the_columns():
    X = pd.DataFrame({"good": [1, 1, 0, 0], "not": [0, 1, 0, 1], "bad": [0, 0, 1, 1]})
    learner = Perceptron(pair_bits=4, max_iter=50).fit(X, [1, 0, 0, 1])
    assert {pair.name for pair in learner.pair_report(X).top_pairs} == {"good-and-not", "bad-and-not"}
    with pytest.raises(ValueError, match="feature_names"):
        learner.pair_report(X, ["good", "not"])


def test_rows_without_a_top_pair_leave_it_out():
    X = sp.csr_array(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32))
    learner = Perceptron(pair_bits=4).fit(X, [0, 1, 1])
    assert len(learner.pair_report(X).top_pairs) == 3
    assert [pair.columns for pair in learner.pair_report(X[:1]).top_pairs] == [(0, 1)]
    assert learner.pair_report(X, top=0).top_pairs == []
    with pytest.raises(ValueError, match="top=-1"):
        learner.pair_report(X, top=-1)
    with pytest.raises(ValueError, match="fitted without pair_bits"):
        Perceptron().fit(X, [0, 1, 1]).pair_report(X)


def test_learning_and_reporting_take_no_memory_for_pairs():
    generator = np.random.default_rng(0)
    X = sp.random_array((400, 3000), density=0.1, format="csr", dtype=np.float32, rng=generator)
    y = generator.integers(0, 2, 400)
    tracemalloc.start()
    try:
        learner = Perceptron(pair_bits=16, max_iter=1).fit(X, y)
        report = learner.pair_report(X)
        learner.decision_function(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.n_occurrences > 10_000_000
    assert report.n_pairs > 3_000_000
    assert peak < 6_000_000
