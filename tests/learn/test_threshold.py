"""threshold: the decision for a rare class, chosen on texts that the model did not see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from helpers.bundled import bundled
from textperceptron import TextClassifier, TextModel
from textperceptron.learn.macro_f1 import best_offsets, macro_f1_offsets
from textperceptron.learn.threshold import F1, best_threshold, choose_thresholds, find_targets, stratified_folds
from textperceptron.settings import recipe
from textperceptron.settings.threshold import Target, ThresholdRule

TEXTS, LABELS = bundled("reviews").train
TEST = bundled("reviews").test
TOPICS = bundled("topics")


def uneven(rare):
    """Texts and labels of which every sixth of a class is kept."""
    of_rare = [k for k, label in enumerate(LABELS) if label == rare][::6]
    kept = sorted([*of_rare, *(k for k, label in enumerate(LABELS) if label != rare)])
    return [TEXTS[k] for k in kept], [LABELS[k] for k in kept]


UNEVEN = uneven("pos")
BY_F1 = recipe("best").replace(threshold="f1")

scored = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=30).map(
    lambda pairs: (np.array([float(score) for score, _ in pairs]), np.array([is_one for _, is_one in pairs]))
)
numbers = st.sampled_from([0.1, 0.5, 0.8, 0.9, 1.0])
CUTS = np.arange(-5, 5) + 0.5  # all thresholds between scores from -3 to 3, and beyond


def counts(scores, positive, cut):
    """Number of rows above a threshold, and of those that are positive."""
    above = scores > cut
    return above.sum(), (above & positive).sum()


@given(scored)
def test_no_threshold_has_a_higher_f1(pairs):
    scores, positive = pairs
    found = f1_score(positive, scores > best_threshold(scores, positive), zero_division=0)
    every = [f1_score(positive, scores > cut, zero_division=0) for cut in CUTS]
    assert found == max(every) if positive.any() else best_threshold(scores, positive) == 0


@given(scored, numbers)
def test_a_recall_is_reached_with_as_few_rows_as_possible(pairs, recall):
    scores, positive = pairs
    if not positive.any():
        return
    cut = best_threshold(scores, positive, ThresholdRule("recall", (Target(None, recall),)))
    taken, hits = counts(scores, positive, cut)
    assert hits >= recall * positive.sum() - 1e-9
    reaching = [counts(scores, positive, each) for each in CUTS]
    assert taken == min(n for n, right in reaching if right >= recall * positive.sum() - 1e-9)


@given(scored, numbers)
def test_a_precision_is_reached_with_as_many_rows_as_possible_or_is_the_highest(pairs, precision):
    scores, positive = pairs
    if not positive.any():
        return
    cut = best_threshold(scores, positive, ThresholdRule("precision", (Target(None, precision),)))
    taken, hits = counts(scores, positive, cut)
    every = [(n, right / n) for n, right in (counts(scores, positive, each) for each in CUTS) if n]
    if reaching := [n for n, reached in every if reached >= precision - 1e-9]:
        assert taken == max(reaching)
    else:
        assert hits / taken == pytest.approx(max(reached for _, reached in every))


@given(scored, st.sampled_from([0.2, 1.0, 5.0]))
def test_no_threshold_costs_less(pairs, cost):
    scores, positive = pairs
    if not positive.any():
        return

    def total(cut):
        taken, hits = counts(scores, positive, cut)
        return cost * (positive.sum() - hits) + taken - hits

    cut = best_threshold(scores, positive, ThresholdRule("cost", (Target(None, cost),)))
    assert total(cut) == pytest.approx(min(map(total, CUTS)))


tables = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
    )
)


def as_arrays(table):
    scores, codes = table
    tiny = np.array([0, 1, 3]) / 128  # no row has two highest scores, and sums are exact
    return np.array(scores, float) + tiny, np.array(codes)


@given(tables)
def test_no_change_of_one_class_has_a_higher_macro_f1(table):
    scores, codes = as_arrays(table)

    def macro(offsets):
        predicted = (scores + offsets).argmax(axis=1)
        hits, n_predicted, sizes = (
            np.bincount(each, minlength=3) for each in (codes[codes == predicted], predicted, codes)
        )
        return np.mean(2 * hits / np.maximum(n_predicted + sizes, 1))

    offsets = best_offsets(scores, codes)
    assert macro(offsets) >= macro(np.zeros(3)) - 1e-9
    for code in np.unique(codes):
        for change in np.arange(-13, 13) + 0.5 + 1 / 1024:
            changed = offsets.copy()
            changed[code] = change
            assert macro(changed) <= macro(offsets) + 1e-9
    np.testing.assert_allclose(macro_f1_offsets(scores, codes), (offsets - offsets.mean()) / 2)


@given(tables, st.sampled_from([0.5, 3.0]), st.sampled_from([1.0, 4.0]))
def test_costs_of_several_classes_are_not_lowered_by_one_of_them(table, first, second):
    scores, codes = as_arrays(table)
    if len(np.unique(codes)) < 3 or min(np.bincount(codes)) < 2:
        return
    rule = ThresholdRule("cost", (Target("a", first), Target("c", second)))
    chosen = choose_thresholds(scores, codes, find_targets(rule, np.bincount(codes), ["a", "b", "c"]))
    miss, raised = np.array([first, 1.0, second]), np.zeros(3)
    for each in chosen:
        raised[each.code] = each.raised

    def cost(offsets):
        return miss[codes[(scores + offsets).argmax(axis=1) != codes]].sum()

    assert cost(raised) <= cost(np.zeros(3))
    for each in chosen:
        for change in np.arange(-13, 13) + 0.5 + 1 / 1024:
            changed = raised.copy()
            changed[each.code] = change
            assert cost(changed) >= cost(raised)


@given(tables, numbers)
def test_the_recall_of_one_of_many_classes_is_reached(table, recall):
    scores, codes = as_arrays(table)
    if np.sum(codes == 1) < 2:
        return
    rule = ThresholdRule("recall", (Target("b", recall),))
    (chosen,) = choose_thresholds(scores, codes, find_targets(rule, np.bincount(codes, minlength=3), ["a", "b", "c"]))
    predicted = (scores + np.array([0, chosen.raised, 0])).argmax(axis=1)
    assert chosen.hits == np.sum((predicted == 1) & (codes == 1)) >= recall * chosen.support - 1e-9
    assert (chosen.predicted, chosen.support, chosen.n_rows) == (np.sum(predicted == 1), np.sum(codes == 1), len(codes))
    assert chosen.predicted_before == np.sum(scores.argmax(axis=1) == 1)


def test_every_row_is_held_out_once_and_classes_of_one_row_never():
    codes = np.array([0] * 11 + [1] * 3 + [2])
    folds = stratified_folds(codes, np.arange(15) != 4, seed=0)
    assert sorted(np.concatenate(folds).tolist()) == [k for k in range(14) if k != 4]
    assert [np.sum(codes[fold] == 0) for fold in folds] == [2] * 5


@pytest.mark.parametrize("rare", ["neg", "pos"])
def test_more_texts_of_the_rare_class_are_found(rare):
    plain, moved = (TextModel.train(*uneven(rare), settings).predict(TEST.texts) for settings in ("best", BY_F1))
    assert plain.count(rare) < moved.count(rare)
    f1 = [f1_score(TEST.labels, found, pos_label=rare) for found in (plain, moved)]
    assert f1[0] + 0.1 < f1[1]


@pytest.mark.parametrize(
    ("rule", "of"), [("recall=0.9", "pos"), ("recall=0.9:neg", "neg"), ("cost=8", "pos"), ("precision=0.5:pos", "pos")]
)
def test_the_model_and_its_file_have_the_threshold_and_its_figures(rule, of, tmp_path):
    model = TextModel.train(*UNEVEN, recipe("best").replace(threshold=rule))
    plain = TextModel.train(*UNEVEN, recipe("best").replace(column_weight="log_count_ratio"))
    ((label, chosen),) = model.thresholds.items()
    sign = 1 if label == "pos" else -1
    assert (label, chosen.support, chosen.n_rows) == (of, UNEVEN[1].count(of), len(UNEVEN[1]))
    np.testing.assert_allclose(model.scores(TEXTS), plain.scores(TEXTS) + sign * chosen.raised, atol=1e-5)
    if rule.startswith("recall"):
        assert chosen.recall >= 0.9
    model.save(tmp_path / "model")
    loaded = TextModel.load(tmp_path / "model")
    assert (loaded.thresholds, plain.thresholds) == (model.thresholds, {})
    np.testing.assert_array_equal(loaded.scores(TEXTS), model.scores(TEXTS))


@pytest.mark.parametrize(
    ("name", "rule"), [("best", "f1"), ("best", "cost=3:cooking,2:music"), ("mira", "recall=0.95:cooking")]
)
def test_thresholds_of_many_classes_are_added_to_their_scores(name, rule, tmp_path):
    settings = recipe(name).replace(threshold=rule, max_iter=2)
    plain, model = (TextModel.train(*TOPICS.train, each) for each in (settings.replace(threshold=None), settings))
    added = [model.thresholds[label].raised if label in model.thresholds else 0.0 for label in model.classes]
    assert np.any(added)
    difference = model.scores(TOPICS.test.texts) - plain.scores(TOPICS.test.texts)
    np.testing.assert_allclose(difference, np.tile(added, (len(TOPICS.test.texts), 1)), atol=1e-5)
    model.save(tmp_path / "model")
    assert TextModel.load(tmp_path / "model").thresholds == model.thresholds


def test_a_class_of_one_text_does_not_prevent_offsets_for_macro_f1():
    labels = [label if label != "cooking" or k == TOPICS.train.labels.index("cooking") else None
              for k, label in enumerate(TOPICS.train.labels)]  # fmt: skip
    kept = [k for k, label in enumerate(labels) if label is not None]
    model = TextModel.train([TOPICS.train.texts[k] for k in kept], [labels[k] for k in kept], BY_F1)
    assert model.thresholds["cooking"].support == 0
    assert model.thresholds["music"].support == labels.count("music")


def test_every_door_and_any_number_of_threads_give_the_same_model(tmp_path):
    model = TextModel.train(*UNEVEN, BY_F1, n_jobs=1)
    scores = model.scores(TEXTS)
    np.testing.assert_array_equal(TextModel.train(*UNEVEN, BY_F1, n_jobs=2).scores(TEXTS), scores)
    np.testing.assert_array_equal(TextClassifier(threshold="f1").fit(*UNEVEN).decision_function(TEXTS), scores)
    model.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scores(TEXTS), scores)
    assert [loaded.predict_one(text) for text in TEXTS[:20]] == loaded.predict(TEXTS[:20])


def test_many_classes_on_any_number_of_threads_give_the_same_bytes(tmp_path):
    for n_jobs in (1, 2):
        TextModel.train(*TOPICS.train, BY_F1, n_jobs=n_jobs).save(tmp_path / str(n_jobs))
    models = [TextModel.load(tmp_path / str(n_jobs)) for n_jobs in (1, 2)]
    assert models[0].thresholds == models[1].thresholds
    np.testing.assert_array_equal(*(model.scores(TOPICS.test.texts) for model in models))


def test_labels_that_are_numbers_are_named_as_they_are_written():
    numbers = [int(label == "pos") for label in UNEVEN[1]]
    named, rarer = (TextClassifier(threshold=rule).fit(UNEVEN[0], numbers) for rule in ("cost=5:1", "cost=5"))
    np.testing.assert_array_equal(named.decision_function(TEXTS), rarer.decision_function(TEXTS))
    assert list(named.model_.thresholds) == [1]


def test_progress_counts_the_epochs_of_all_folds():
    seen = []
    TextModel.train(*UNEVEN, BY_F1, callback=seen.append)
    assert {done.max_iter for done in seen} == {30}
    assert list(dict.fromkeys(done.epoch for done in seen)) == list(range(1, 31))


@pytest.mark.parametrize("rule", ["f1", "f1:spam", "recall=0.9", "precision=0.5:a:b", "cost=5:spam,2.5:a, b", "cost=5"])
def test_a_rule_is_written_as_it_was_read(rule):
    assert str(ThresholdRule.parse(rule)) == rule
    assert F1.targets == (Target(None),)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("recall=1.5", "threshold='recall=1.5': use a recall above 0 and up to 1"),
        ("precision=0", "use a precision above 0 and up to 1"),
        ("recall=much", "use a recall above 0"),
        ("cost=-1", "threshold='cost=-1': use a cost above 0"),
        ("cost=inf", "use a cost above 0"),
        ("cost=2:a,-1:b", "use a cost above 0"),
        ("cost=2:a,3:a", "the class 'a' has two costs"),
        ("f2", "use f1, recall=0.9, precision=0.9 or cost=5"),
        ("recall", "use f1, recall=0.9"),
        ("f1=0.5", "use f1, recall=0.9"),
        ("", "use f1, recall=0.9"),
        (0.5, "use f1, recall=0.9"),
    ],
)
def test_a_rule_that_is_none_is_refused(rule, message):
    with pytest.raises(ValueError, match=message):
        recipe("best").replace(threshold=rule)


def test_what_it_cannot_do_is_said():
    def by(rule, name="best"):
        return recipe(name).replace(threshold=rule)

    with pytest.raises(ValueError, match=r"for the rarer of two classes, and there are 6\. Name a class, such as"):
        TextModel.train(*TOPICS.train, by("recall=0.9"))
    with pytest.raises(ValueError, match=r"there is no class 'spam'\. There are neg, pos"):
        TextModel.train(*UNEVEN, by("cost=5:spam"))
    with pytest.raises(ValueError, match="at least two rows of each class"):
        TextModel.train(["good", "bad", "dull"], ["pos", "neg", "neg"], BY_F1)
    with pytest.raises(ValueError, match="at least two rows of each class that it names"):
        TextModel.train(["good", "bad", "dull", "odd"], ["a", "b", "b", "c"], by("recall=0.5:a"))
    with pytest.raises(ValueError, match="no class has two"):
        TextModel.train(["good", "bad", "dull"], ["a", "b", "c"], BY_F1)
    with pytest.raises(ValueError, match="votes of one-vs-one have no threshold"):
        TextModel.train(*TOPICS.train, by("f1", "mira").replace(multiclass="one-vs-one"))
    with pytest.raises(ValueError, match="keeps rows, not weights"):
        recipe("perceptron").replace(learner="voted", threshold="f1")
