"""Evaluation of several labels per text, against scikit-learn; splits of such texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    hamming_loss,
    label_ranking_average_precision_score,
    precision_recall_fscore_support,
)

from textperceptron.report import evaluate_label_sets, folds, hold_out, never_held_out

NAMES = "abcd"
SETS = st.sets(st.sampled_from(NAMES)).map(lambda labels: tuple(sorted(labels)))
PAIRS = st.lists(st.tuples(SETS, SETS), min_size=1, max_size=12)


def indicator(sets, names=NAMES):
    return np.array([[name in labels for name in names] for labels in sets], int)


@given(PAIRS)
def test_figures_are_those_of_scikit_learn(pairs):
    labels, predicted = map(list, zip(*pairs, strict=True))
    assume(any(labels))
    found = evaluate_label_sets(labels, predicted, NAMES)
    true, guess = indicator(labels), indicator(predicted)
    for average in ("micro", "macro"):
        kept = (true + guess).any(0)
        expected = precision_recall_fscore_support(true[:, kept], guess[:, kept], average=average, zero_division=0)
        own = getattr(found, average)
        np.testing.assert_allclose([own.precision, own.recall, own.f1], expected[:3])
    assert found.exact.value == accuracy_score(true, guess)
    assert found.hamming_loss == pytest.approx(hamming_loss(true, guess))
    assert (found.mean_labels, found.mean_predicted) == (true.sum() / len(true), guess.sum() / len(true))
    assert found.micro_interval[0] <= found.micro.f1 <= found.micro_interval[1]
    label, f1 = found.baseline
    always = indicator([(label,)] * len(labels))
    assert f1 == pytest.approx(f1_score(true, always, average="micro"))
    assert true[:, NAMES.index(label)].sum() == true.sum(0).max()


@given(
    st.lists(st.tuples(SETS.filter(bool), st.lists(st.integers(-2, 2), min_size=4, max_size=4)), min_size=1, max_size=9)
)
def test_the_ranking_is_that_of_scikit_learn(rows):
    labels, scores = [labels for labels, _ in rows], np.array([row for _, row in rows], float)
    found = evaluate_label_sets(labels, [()] * len(labels), NAMES, scores)
    assert found.ranking == pytest.approx(label_ranking_average_precision_score(indicator(labels), scores))
    with_empty = evaluate_label_sets([*labels, ()], [()] * (len(labels) + 1), NAMES, np.vstack([scores, scores[:1]]))
    assert with_empty.ranking == found.ranking


def test_labels_unknown_to_the_model_count_as_missed_and_rank_last():
    found = evaluate_label_sets([("a", "new")], [("a",)], ["a", "b"], np.array([[1.0, 2.0]]))
    assert found.ranking == (1 / 2 + 2 / 3) / 2
    assert (found.micro.recall, found.hamming_loss) == (0.5, 1 / 3)


@pytest.mark.parametrize(("labels", "predicted"), [([("a",)], []), ([()], [("a",)]), ([], [])])
def test_nothing_to_evaluate_is_said(labels, predicted):
    with pytest.raises(ValueError, match=r"give (one per text|at least one)"):
        evaluate_label_sets(labels, predicted, NAMES)


@given(st.lists(SETS, min_size=6, max_size=40), st.integers(2, 4))
def test_each_text_is_in_one_fold_and_each_label_stays_in_training(labels, k):
    try:
        splits = list(folds(labels, k))
    except ValueError:
        return
    held_out = np.concatenate([part for _, part in splits])
    assert len(set(held_out.tolist())) == len(held_out)
    sizes = [len(part) for _, part in splits]
    assert max(sizes) - min(sizes) <= 1
    counts = {name: sum(name in each for each in labels) for name in NAMES}
    for name in never_held_out(labels, splits):
        assert counts[name] <= 4
    rest, part = hold_out(labels, 0.4)
    assert sorted([*rest, *part]) == list(range(len(labels)))


def test_a_label_with_one_text_stays_in_training():
    labels = [("a", "rare"), *[("a",), ("b",), ("a", "b"), ()] * 10]
    for rest, _ in [*folds(labels, 5), hold_out(labels, 0.2)]:
        assert 0 in rest
    assert never_held_out(labels, list(folds(labels, 5))) == ["rare"]
    _, part = hold_out(labels, 0.2)
    shares = [sum(name in labels[index] for index in part) for name in "ab"]
    assert shares[1] == 4  # b is the rarer one
    assert 2 <= shares[0] <= 6
