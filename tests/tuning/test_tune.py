"""The search for settings: no leakage, reproducible, and never worse than the starting settings."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from helpers.bundled import bundled
from helpers.texts import shared_file
from textperceptron import TextModel, read_corpus, tune
from textperceptron.model import cross_validation
from textperceptron.model.cross_validation import CrossValidation, OnceCache
from textperceptron.model.text_profile import resolve_auto
from textperceptron.model.train import fit_rows
from textperceptron.report import evaluate, folds
from textperceptron.settings import DEFAULT_RECIPE, recipe, setting_fields
from textperceptron.settings.text import DEFAULT_PATTERN
from textperceptron.settings.typed_json import as_json as written
from textperceptron.text.counted_texts import count_texts
from textperceptron.tuning import default_space
from textperceptron.tuning import search as search_module
from textperceptron.tuning.metric import Metric
from textperceptron.tuning.search import rungs
from textperceptron.tuning.space import Space

SPACE = default_space()

REVIEWS, TOPICS, STARS, XOR = (bundled(name).train for name in ("reviews", "topics", "stars", "xor"))
START = recipe(DEFAULT_RECIPE)

# Every value of the space, and other settings of text and weights.
ONE_BY_ONE = [
    {name: value} for name, values in SPACE.items() for value in values if name not in ("C", "r", "margin", "learner")
]
OTHERS = [
    {"learner": "mira", "C": 1.0}, {"learner": "arow", "r": 0.1}, {"learner": "averaged", "margin": 1.0},
    {"learner": "perceptron"}, {"learner": "batch"}, {"learner": "voted"}, {"n_features": 1024},
    {"n_features": 1024, "binary": False, "alternate_sign": True}, {"max_features": 300, "binary": False},
    {"max_df": 0.2, "order": "alphabet", "dtype": "float64"}, {"early_stopping": True}, {"calibrate": True},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "token_pattern": DEFAULT_PATTERN},
    {"negation": True, "stop_words": ("the", "and")},
    {"learner": "arow", "column_weight": "log_count_ratio", "multiclass": "one-vs-all"}, {"multiclass": "one-vs-one"},
    {"pair_bits": 16},
]  # fmt: skip


def expected_confusion(texts, labels, settings, k, seed, fold):
    """Train on the training texts of a fold alone."""
    rest, held_out = list(folds(labels, k, seed))[fold]
    model = TextModel.train([texts[i] for i in rest], [labels[i] for i in rest], settings)
    found = model.predict([texts[i] for i in held_out])
    table = np.zeros((len(model.classes),) * 2, int)
    np.add.at(table, ([model.classes.index(labels[i]) for i in held_out], [model.classes.index(x) for x in found]), 1)
    return table


@pytest.mark.parametrize(
    ("corpus", "changes"),
    [
        pytest.param(corpus, changes, id=f"{n_classes} classes, {changes}")
        for corpus, n_classes in ((REVIEWS, 2), (STARS, 5))
        for changes in (*ONE_BY_ONE, *OTHERS)
        if n_classes == 2 or changes.get("learner") not in ("voted", "batch")  # which learn two classes only
    ],
)
def test_a_fold_is_measured_as_if_its_held_out_texts_had_never_been_seen(corpus, changes):
    texts, labels = corpus
    settings = Space(START, SPACE, len(set(labels))).changed(START, changes)
    assert settings is not None
    validation = CrossValidation(texts, labels, folds(labels, 3, seed=1))
    for fold in range(2):
        expected = expected_confusion(texts, labels, settings, 3, 1, fold)
        np.testing.assert_array_equal(validation.evaluate(settings, fold), expected)


def test_scores_of_a_fold_are_those_of_a_model_of_the_other_texts():
    validation = CrossValidation(*REVIEWS, folds(REVIEWS[1], 4))
    rest, held_out = next(folds(REVIEWS.labels, 4))
    labels = [REVIEWS.labels[k] for k in rest]
    for part in (START.text, replace(START.text, binary=False, ngram_range=(1, 3))):
        settings = replace(START, text=part)
        model = TextModel.train([REVIEWS.texts[k] for k in rest], labels, settings)
        training_rows, asked = validation.rows(validation.resolve_auto(part), 0)
        ours = fit_rows(training_rows, validation.classes.codes(labels), validation.classes, settings.learner).model
        assert training_rows.n_columns == model.n_columns
        np.testing.assert_array_equal(ours.scores(asked), model.scores([REVIEWS.texts[k] for k in held_out]))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_metrics_are_those_of_the_report_and_of_scikit_learn(pairs):
    pairs += [(k, k) for k in range(4)]  # every class has texts, as in folds
    true, said = map(list, zip(*pairs, strict=True))
    table = np.zeros((4, 4), np.int64)
    np.add.at(table, (true, said), 1)
    report = evaluate(true, said)
    assert Metric().value(table) == report.accuracy.value == pytest.approx(accuracy_score(true, said))
    assert Metric("macro-f1").value(table) == pytest.approx(report.macro.f1)
    assert Metric("macro-f1").value(table) == pytest.approx(f1_score(true, said, average="macro"))
    for code in range(4):
        assert Metric("f1", code).value(table) == report.classes[code].f1
    assert Metric().score(table).interval == report.accuracy.interval
    for metric in (Metric("macro-f1"), Metric("f1", 2)):
        low, high = metric.score(table).interval
        assert 0 <= low <= metric.value(table) <= high <= 1


def test_the_interval_of_an_f1_contains_it_in_95_of_100_cases():
    truth, random = np.array([[0.5, 0.1], [0.15, 0.25]]), np.random.default_rng(0)
    metric, held = Metric("f1", 1), 0
    for table in random.multinomial(400, truth.ravel(), 200).reshape(-1, 2, 2):
        low, high = metric.score(table).interval
        held += low <= metric.value(truth) <= high
    assert 180 <= held <= 199


@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS, XOR], ids=["reviews", "topics", "xor"])
@pytest.mark.parametrize("metric", ["accuracy", "macro-f1"])
def test_the_winner_is_never_worse_than_the_start_on_the_folds(corpus, metric):
    found = tune(*corpus, metric=metric, folds=3, trials=12)
    assert found.score.value >= found.start_score.value
    assert found.trials[0].settings == START
    assert found.trials[0].status == "measured"
    assert len({trial.settings for trial in found.trials}) == len(found.trials) == 12, "nothing is tried twice"
    for settings, score in ((found.settings, found.score), (START, found.start_score)):
        whole = sum(expected_confusion(*corpus, settings, 3, 0, fold) for fold in range(3))
        assert score.value == Metric(metric).value(whole)
    best = max(trial.value(found.metric) for trial in found.trials if trial.status == "measured")
    assert found.score.value == best


def test_a_start_that_nothing_beats_wins_ties():
    texts, labels = ["good good", "bad bad"] * 20, ["pos", "neg"] * 20
    found = tune(texts, labels, folds=2, trials=20)
    assert found.score.value == 1.0
    assert (found.best.number, found.settings) == (1, START)


def test_f1_of_one_label_can_be_the_objective():
    found = tune(*STARS, metric="f1", label="5", folds=2, trials=6)
    whole = sum(expected_confusion(*STARS, found.settings, 2, 0, fold) for fold in range(2))
    assert found.score.value == Metric("f1", 4).value(whole)
    assert found.label == "5"


def same(one, other):
    """Whether two searches are equal except for times."""
    return [{**each.as_dict(), "seconds": 0} for each in (one, other)]


def test_the_same_seed_gives_the_same_search_with_any_number_of_threads():
    first, second = same(*(tune(*REVIEWS, folds=3, trials=14, n_jobs=jobs) for jobs in (None, 3)))
    assert first == second
    other = tune(*REVIEWS, folds=3, trials=14, seed=1)
    assert [trial["changes"] for trial in first["trials"]] != [dict(trial.changes) for trial in other.trials]


def test_under_a_limit_of_time_finished_trials_are_those_of_a_search_without():
    short = tune(*REVIEWS, folds=3, time=0.3)
    whole = tune(*REVIEWS, folds=3, trials=len(short.trials) + 8)  # includes all waves of the short one
    assert short.stopped_by == "time"
    assert short.trials[0].status == "measured"
    by_number = {trial.number: trial for trial in whole.trials}
    for mine in short.trials:
        other = by_number[mine.number]
        assert mine.settings == other.settings
        for fold in set(mine.confusions) & set(other.confusions):
            np.testing.assert_array_equal(mine.confusions[fold], other.confusions[fold])


def test_a_time_of_zero_still_measures_the_start():
    found = tune(*REVIEWS, folds=2, time=1e-9)
    assert (len(found.trials), found.settings, found.stopped_by) == (1, START, "time")


@given(st.integers(2, 40))
def test_rungs_end_with_all_folds_and_each_has_at_least_twice_as_many(n_folds):
    steps = rungs(n_folds)
    assert (steps[0], steps[-1]) == (1, n_folds)
    assert all(2 * fewer <= more for fewer, more in pairwise(steps))


def test_text_is_tokenised_once_for_all_settings_with_the_same_terms(monkeypatch):
    counted = []

    def counting(documents, settings, **options):
        counted.append(settings)
        return count_texts(documents, settings, **options)

    monkeypatch.setattr(cross_validation, "count_texts", counting)
    found = tune(*REVIEWS, folds=3, trials=25)
    tried = {resolve_auto(REVIEWS.texts, trial.settings.text, 2)[0].terms_only() for trial in found.trials}
    assert len(counted) == len(set(counted)) == len(tried)
    assert len(counted) < len({trial.settings.text for trial in found.trials})


def test_a_cached_item_is_made_once_and_made_again_after_a_failure():
    made, cache = [], OnceCache(2)

    def make(key):
        time.sleep(0.01)
        made.append(key)
        if len(made) == 1:
            raise KeyError(key)
        return key

    with pytest.raises(KeyError):
        cache.get("a", lambda: make("a"))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: cache.get("ab"[k % 2], lambda: make("ab"[k % 2])), range(40)))
    assert found == ["a", "b"] * 20
    assert sorted(made) == ["a", "a", "b"]


def test_half_of_a_wave_is_eliminated_at_every_rung():
    found = tune(*REVIEWS, folds=5, trials=1 + search_module.WAVE_SIZE)
    assert sorted(len(trial.folds) for trial in found.trials[1:]) == [1, 1, 1, 1, 2, 2, 5, 5]
    kept = [trial for trial in found.trials[1:] if len(trial.folds) > 1]
    worst_kept = min(trial.value(found.metric, [0]) for trial in kept)
    assert all(trial.value(found.metric, [0]) <= worst_kept for trial in found.trials[1:] if trial not in kept)
    assert found.n_evaluations == 5 + 4 + 2 * 2 + 2 * 5


@given(st.data())
def test_candidates_are_within_the_space_and_settings_without_effect_stay_at_the_start(data):
    n_classes = data.draw(st.sampled_from([2, 5]))
    start = Space(START, SPACE, n_classes).changed(START, {"learner": data.draw(st.sampled_from(SPACE["learner"]))})
    space = Space(start, SPACE, n_classes)
    base = data.draw(st.sampled_from([start, *space.one_change(start)]))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    for settings in (*space.one_change(base), *islice(space.drawn(base, random), 40)):
        assert settings != base
        for name, value in settings.differences(space.start).items():
            assert value in SPACE[name]
        if n_classes > 2 and settings.learner.column_weight == "log_count_ratio":
            assert settings.learner.multiclass != "native"
        if settings.learner.learner != "mira":
            assert settings.learner.C == start.learner.C


def test_a_small_space_is_searched_completely():
    space = {"learner": ("mira", "arow"), "ngram_range": ((1, 1), (1, 2))}
    found = tune(*REVIEWS, space=space, folds=2, trials=50)
    assert (len(found.trials), found.stopped_by) == (4, "space")
    assert len({trial.settings for trial in found.trials}) == 4


def test_every_setting_of_the_table_exists_and_its_values_are_possible():
    for name, values in SPACE.items():
        for value in values:
            changed = START.replace(**{name: value})
            assert changed[name] == value
            assert json.dumps(Space(START, {name: values}, 2).as_json())


def test_differences_change_one_into_the_other():
    other = START.replace(learner="arow", ngram_range=(1, 3), conjunctions=SPACE["conjunctions"][1])
    assert START.replace(**other.differences(START)) == other


def test_settings_that_fail_are_recorded_and_the_search_continues():
    found = tune(*REVIEWS, space={"min_df": (1, 240), "learner": ("mira", "arow")}, folds=2, trials=4)
    failed = [trial for trial in found.trials if trial.status == "failed"]
    assert len(failed) == 2
    assert all("no terms remain" in trial.error for trial in failed)
    assert found.best.error is None


def test_a_start_that_fails_is_an_error():
    with pytest.raises(ValueError, match="no terms remain"):
        tune(*REVIEWS, START.replace(min_df=240), folds=2, trials=2)


def test_importance_compares_on_the_same_folds():
    start = START.replace(negation=False)  # negation would explain most differences
    space = {name: SPACE[name] for name in SPACE if name != "negation"}
    found = tune(*XOR, start, space=space, folds=3, trials=40)
    names = [report.name for report in found.importance]
    assert len(set(names)) == len(names)
    unused = Space(start, space, 2).unused
    for report in found.importance:
        tried = [trial for trial in found.trials if report.name not in unused(trial.settings)]
        assert sum(each.n_trials for each in report.values) == len(tried)
        winners = [each for each in report.values if each.is_winner]
        assert [(each.lost, each.n_folds) for each in winners] == ([(0, 3)] if found.best in tried else [])
        for each in report.values:
            having = [trial for trial in tried if written(trial.settings[report.name]) == each.value]
            lost = [
                found.best.value(found.metric, trial.folds) - trial.value(found.metric)
                for trial in having
                if len(trial.folds) == each.n_folds
            ]
            assert each.lost == min(lost)
            assert each.n_folds == max(len(trial.folds) for trial in having)
    pairs = next(report for report in found.importance if report.name == "conjunctions")
    assert pairs.values[-1].lost > 0.1, "labels that only pairs of words decide"


def test_the_final_model_is_trained_on_everything():
    found = tune(*REVIEWS, folds=2, trials=3)
    model = found.train(*REVIEWS)
    assert sum(model.summary.rows_of_class) == len(REVIEWS.texts)
    assert model.settings.learner == found.settings.learner
    assert model.settings.text == resolve_auto(REVIEWS.texts, found.settings.text, 2)[0]


def test_labels_of_every_type_and_texts_of_bytes_are_accepted():
    texts = [text.encode() for text in REVIEWS.texts[:80]]
    for positive, negative in ((1, 0), (True, False)):
        labels = np.array([positive if label == "pos" else negative for label in REVIEWS.labels[:80]])
        found = tune(texts, labels, metric="f1", label=positive, folds=2, trials=2)
        assert found.label is positive


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "f2"}, "use 'accuracy', 'macro-f1', 'micro-f1', 'f1'"),
        ({"metric": "f1"}, "name it with label="),
        ({"label": "pos"}, "label= is for metric='f1'"),
        ({"metric": "f1", "label": "good"}, "'good' is not one of the classes"),
        ({"trials": 0}, "use at least 1"),
        ({"time": 0}, "seconds above 0"),
        ({"folds": 1}, "Use at least 2"),
        ({"folds": 500}, "too few for 500 folds"),
        ({"space": {"c": [1]}}, "no setting 'c' to search"),
        ({"space": {"learner": "mira"}}, "give a list"),
        ({"space": {"learner": [b"mira"]}}, "'learner' cannot be"),
        ({"resume": True}, "name its file"),
    ],
    ids=str,
)
def test_bad_arguments_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        tune(*REVIEWS, **options)


def test_texts_that_do_not_fit_their_labels_are_rejected():
    with pytest.raises(ValueError, match="2 texts and 1 labels"):
        tune(["a", "b"], ["x"])
    with pytest.raises(ValueError, match="there is only one class, 'x'"):
        tune(["a", "b"], ["x", "x"])
    with pytest.raises(ValueError, match="one string"):
        tune("ab", ["x", "y"])


def test_every_field_of_settings_can_be_searched_by_one_line():
    for name in setting_fields():
        Space(START, {name: [START[name]]}, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sentence_polarity.zip", "trec.train.tsv", "sst_fine.train.tsv"])
def test_on_a_real_corpus_the_winner_is_at_least_as_good_as_the_default(name):
    documents = read_corpus(shared_file(name)).train
    step = max(1, len(documents.texts) // 1200)
    labels = documents.labels[::step]
    common = {label for label in set(labels) if labels.count(label) >= 20}
    chosen = [(text, label) for text, label in zip(documents.texts[::step], labels, strict=True) if label in common]
    found = tune(*zip(*chosen, strict=True), folds=2, trials=16)
    assert found.score.value >= found.start_score.value
    assert found.seconds < 60


SEVERAL = [[label, "long"] if len(text) > 100 else [label] for text, label in zip(*STARS, strict=True)]


def test_texts_with_several_labels_are_searched_by_micro_f1(tmp_path):
    found = tune(STARS[0], SEVERAL, "fast", folds=2, trials=3, journal=tmp_path / "journal")
    assert found.metric.name == "micro-f1"
    assert found.score.value >= found.start_score.value > 0.3
    again = tune(STARS[0], SEVERAL, "fast", folds=2, trials=3, journal=tmp_path / "journal", resume=True, n_jobs=2)
    assert {**again.as_dict(), "seconds": 0} == {**found.as_dict(), "seconds": 0}
    assert found.train(STARS[0], SEVERAL).multilabel


@given(st.integers(0, 1 << 30))
def test_metrics_of_several_labels_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    true, guess = random.random((2, 9, 3)) < 0.4
    counts = np.zeros((4, 4), np.int64)
    for row in range(9):
        for label in np.flatnonzero(true[row] | guess[row]):
            counts[label if true[row, label] else 3, label if guess[row, label] else 3] += 1
    for average in ("micro", "macro"):
        own = Metric(f"{average}-f1", multilabel=True).value(counts)
        assert own == pytest.approx(f1_score(true, guess, average=average, zero_division=0))


def test_accuracy_is_for_one_label_per_text():
    with pytest.raises(ValueError, match="use 'micro-f1' or 'macro-f1'"):
        tune(STARS[0], SEVERAL, metric="accuracy", folds=2, trials=1)
