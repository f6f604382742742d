"""Evaluation: the same figures as scikit-learn and scipy."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from textperceptron.report import (
    Proportion,
    compare,
    evaluate,
    evaluate_counts,
    folds,
    hold_out,
    never_held_out,
    wilson_interval,
)
from textperceptron.report.comparison import EXACT_UP_TO


def pairs_of(labels):
    return st.lists(st.tuples(labels, labels), min_size=1, max_size=40)


pairs = st.one_of(
    pairs_of(st.sampled_from(["neg", "neutral", "pos", "été"])), pairs_of(st.integers(-2, 3)), pairs_of(st.booleans())
)


@given(pairs)
def test_the_baseline_and_the_confused_pairs_are_those_of_the_counts(pairs):
    labels, predicted = map(list, zip(*pairs, strict=True))
    found = evaluate(labels, predicted)
    counts = [labels.count(label) for label in set(labels)]
    assert found.baseline == Proportion(max(counts), len(labels))
    assert found.is_uneven == (max(counts) > 1.5 * min(counts))
    confused = found.confused_pairs(1000)
    assert {(pair.label, pair.predicted): pair.count for pair in confused} == {
        pair: pairs.count(pair) for pair in set(pairs) if pair[0] != pair[1]
    }
    assert [pair.support for pair in confused] == [labels.count(pair.label) for pair in confused]
    assert [pair.count for pair in confused] == sorted((pair.count for pair in confused), reverse=True)
    assert found.confused_pairs(2) == confused[:2]


@given(pairs)
def test_counts_have_the_same_evaluation_without_unused_labels(pairs):
    labels, predicted = map(list, zip(*pairs, strict=True))
    found = evaluate(labels, predicted)
    unused = [*found.labels, "nothing"]
    confusion = np.pad(found.confusion, (0, 1))
    assert evaluate_counts(unused, confusion) == found


@given(pairs)
def test_precision_recall_f1_and_confusions_are_those_of_sklearn(pairs):
    labels, predicted = map(list, zip(*pairs, strict=True))
    found = evaluate(labels, predicted)
    names = sorted(set(labels) | set(predicted))
    assert found.labels == names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one class alone
        expected = metrics.precision_recall_fscore_support(labels, predicted, labels=names, zero_division=0)
        confusion = metrics.confusion_matrix(labels, predicted, labels=names)
        macro = metrics.precision_recall_fscore_support(
            labels, predicted, labels=names, average="macro", zero_division=0
        )
        micro = metrics.precision_recall_fscore_support(labels, predicted, labels=names, average="micro")
    ours = np.array([(c.precision, c.recall, c.f1, c.support) for c in found.classes]).T
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    np.testing.assert_array_equal(found.confusion, confusion)
    np.testing.assert_allclose((found.macro.precision, found.macro.recall, found.macro.f1), macro[:3], rtol=1e-12)
    np.testing.assert_allclose((found.micro.precision, found.micro.recall, found.micro.f1), micro[:3], rtol=1e-12)
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(labels, predicted), rel=1e-12)
    assert [c.predicted for c in found.classes] == confusion.sum(axis=0).tolist()


@given(pairs)
def test_an_evaluation_is_json(pairs):
    labels, predicted = map(list, zip(*pairs, strict=True))
    found = evaluate(labels, predicted).as_dict()
    assert json.loads(json.dumps(found)) == found


def test_arrays_are_accepted_like_lists():
    labels, predicted = ["pos", "neg", "neg"], ["pos", "pos", "neg"]
    assert evaluate(np.array(labels), np.array(predicted)) == evaluate(labels, predicted)
    assert type(evaluate(np.array([1, 0]), np.array([1, 1])).labels[0]) is int


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_is_that_of_scipy(share):
    right, n = share
    expected = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(wilson_interval(right, n), expected, rtol=1e-9, atol=1e-12)
    low, high = Proportion(right, n).interval
    assert 0 <= low <= right / n <= high <= 1


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_with_few_disagreements_is_the_exact_binomial_test(first, second):
    labels = [1] * (first + second + 3)
    found = compare(labels, [1] * first + [0] * second + [1, 1, 0], [0] * first + [1] * second + [1, 1, 0])
    assert (found.first_only, found.second_only, found.both, found.neither) == (first, second, 2, 1)
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert found.method == "exact"


@given(st.integers(0, 3000), st.integers(EXACT_UP_TO + 1, 3000))
def test_mcnemar_with_many_disagreements_is_chi_squared(first, second):
    labels = np.ones(first + second, int)
    found = compare(labels, np.arange(first + second) < first, np.arange(first + second) >= first)
    expected = stats.chi2.sf(max(0, abs(first - second) - 1) ** 2 / (first + second), 1)
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert found.method == "chi2"


def test_both_methods_of_mcnemar_agree_at_the_limit():
    for gap in (0, 20, 60, 100):
        first, second = (EXACT_UP_TO + gap) // 2, (EXACT_UP_TO - gap) // 2
        labels = [1] * EXACT_UP_TO
        exact = compare(labels, [1] * first + [0] * second, [0] * first + [1] * second)
        expected = stats.chi2.sf(max(0, gap - 1) ** 2 / EXACT_UP_TO, 1)
        assert exact.p_value == pytest.approx(expected, rel=0.02)


def test_labels_that_cannot_be_evaluated_are_named():
    with pytest.raises(ValueError, match="2 labels and 1 predictions"):
        evaluate([1, 2], [1])
    with pytest.raises(ValueError, match="no labels to evaluate"):
        evaluate([], [])
    with pytest.raises(ValueError, match="1 labels, 1 first and 2 second"):
        compare([1], [1], [1, 1])
    for right, n in ((0, 0), (-1, 3), (4, 3)):
        with pytest.raises(ValueError, match=f"{right} of {n} is not a proportion"):
            wilson_interval(right, n)


labelled = st.lists(st.sampled_from("abc"), min_size=1, max_size=60)


@given(labelled, st.floats(0.05, 0.95), st.integers(0, 3))
def test_the_held_out_fraction_is_stratified_and_depends_on_the_seed_alone(labels, fraction, seed):
    expected = {label: min(round(fraction * labels.count(label)), labels.count(label) - 1) for label in set(labels)}
    if not any(expected.values()):
        with pytest.raises(ValueError, match="takes no document: the largest class has"):
            hold_out(labels, fraction, seed)
        return
    rest, held_out = hold_out(labels, fraction, seed)
    assert sorted([*rest, *held_out]) == list(range(len(labels)))
    for label in set(labels):
        mine = [labels[place] for place in held_out].count(label)
        assert mine == expected[label]
    assert never_held_out(labels, [(rest, held_out)]) == sorted(label for label in expected if not expected[label])
    np.testing.assert_array_equal(hold_out(labels, fraction, seed)[1], held_out)


@given(labelled, st.integers(2, 8), st.integers(0, 3))
def test_folds_hold_every_document_out_once_unless_it_is_alone_and_are_of_equal_size(labels, k, seed):
    alone = sorted(label for label in set(labels) if labels.count(label) == 1)
    dealt = [index for index, label in enumerate(labels) if label not in alone]
    if len(dealt) < k:
        with pytest.raises(ValueError, match=f"too few for {k} folds"):
            list(folds(labels, k, seed))
        return
    parts = list(folds(labels, k, seed))
    assert sorted(np.concatenate([held_out for _, held_out in parts]).tolist()) == dealt
    assert never_held_out(labels, parts) == alone
    sizes = [len(held_out) for _, held_out in parts]
    assert max(sizes) - min(sizes) <= 1
    for rest, held_out in parts:
        assert not set(rest) & set(held_out)
        assert {labels[index] for index in rest} == set(labels)
        for label in set(labels) - set(alone):
            mine = [labels[place] for place in held_out].count(label)
            assert abs(mine - labels.count(label) / k) < 1


def test_fractions_and_folds_that_leave_nothing_are_rejected():
    for fraction in (0, 1, -0.1, 1.5):
        with pytest.raises(ValueError, match="leaves one side empty"):
            hold_out(["a", "b"], fraction)
    with pytest.raises(ValueError, match="1 folds leave no documents"):
        list(folds(["a", "b"], 1))
