"""Settings: validation, recipes, and nothing lost or added on the way through JSON."""

from __future__ import annotations

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from textperceptron import TextModel
from textperceptron.learn.fitted import make_rule
from textperceptron.learn.rules import ArowRule, BatchRule, MiraRule, PerceptronRule, VotedRule
from textperceptron.settings import LearnerSettings, Settings, TextSettings, WindowSettings, recipe, setting_fields
from textperceptron.settings.fields import declared_fields
from textperceptron.settings.learner import learner_fields


def test_mira_is_presence_of_uni_and_bigrams_with_averaged_pa1_and_ten_epochs():
    settings = recipe("mira")
    assert settings.text.ngram_range == (1, 2)
    assert settings.text.binary
    assert make_rule(settings.learner) == MiraRule(C=0.01, variant="pa1", average=True)
    assert (settings.learner.max_iter, settings.learner.seed) == (10, 0)


def test_perceptrons_differ_from_mira_in_their_learner_only():
    assert {recipe(name).text for name in ("perceptron", "averaged")} == {recipe("mira").text}
    assert make_rule(recipe("perceptron").learner) == PerceptronRule(average=False)
    assert make_rule(recipe("averaged").learner) == PerceptronRule(average=True)


@pytest.mark.parametrize(
    ("learner", "rule"),
    [
        ("perceptron", PerceptronRule(average=False, eta0=0.5, margin=1.0)),
        ("averaged", PerceptronRule(average=True, eta0=0.5, margin=1.0)),
        ("mira", MiraRule(C=2.0, variant="pa2", average=False)),
        ("arow", ArowRule(r=3.0)),
        ("batch", BatchRule(alpha=0.1, normalize=False, margin=1.0)),
        ("voted", VotedRule(eta0=0.5, margin=1.0, kernel="poly", degree=3, coef0=0.5)),
    ],
)
def test_a_learner_gets_its_own_parameters(learner, rule):
    part = LearnerSettings(
        learner=learner, eta0=0.5, margin=1.0, C=2.0, variant="pa2", average=False, r=3.0, alpha=0.1, normalize=False,
        kernel="poly", degree=3, coef0=0.5,
    )  # fmt: skip
    assert make_rule(part) == rule


texts = st.builds(
    TextSettings,
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    stop_words=st.none() | st.lists(st.text(), max_size=3).map(tuple),
    ngram_range=st.sampled_from([(1, 1), (1, 3), (2, 2)]),
    min_df=st.integers(1, 3) | st.floats(0, 0.2),
    max_features=st.none() | st.integers(1, 9),
    norm=st.sampled_from([None, "l2"]),
    conjunctions=st.none() | st.builds(WindowSettings, st.just(("not", "ne\ud800ver")), st.none() | st.integers(1, 9)),
)
learners = st.builds(
    LearnerSettings,
    learner=st.sampled_from(["perceptron", "averaged", "mira", "arow", "batch"]),
    C=st.floats(1e-9, 1e9) | st.integers(1, 5),
    shuffle=st.sampled_from([True, False, "once"]),
    tol=st.none() | st.floats(0, 1),
    interpolation=st.none() | st.floats(0, 1),
    ratio_binary=st.booleans(),
    ratio_balanced=st.booleans(),
    class_weight=st.sampled_from([None, "balanced", (("a", 1.5), ("b", 2.0)), ((1, 0.5), (True, 2.0))]),
)
settings = st.builds(Settings, texts, learners)


@given(settings)
def test_settings_come_back_from_json_as_they_were(chosen):
    assert Settings.from_json(json.loads(json.dumps(chosen.as_json()))) == chosen


def test_a_setting_that_is_missing_has_its_default_since_it_did_not_exist_then():
    values = recipe("mira").as_json()
    for name in ("hash_bits", "interpolation", "ratio_binary", "ratio_balanced"):
        del values["learner"][name]
    del values["text"]["norm"]
    assert Settings.from_json(values) == recipe("mira")


@pytest.mark.parametrize(
    ("part", "name", "value", "message"),
    [
        ("learner", "C", "big", r"settings.learner.C is 'big', which is not of the type float"),
        ("learner", "C", True, r"settings.learner.C is True"),
        ("learner", "C", 10**400, r"settings.learner.C is 1000"),
        ("learner", "C", -1.0, r"C=-1.0: use a number above 0"),
        ("learner", "max_iter", 2.5, r"max_iter is 2.5, which is not of the type int"),
        ("learner", "max_iter", 0, r"max_iter=0"),
        ("learner", "shuffle", "twice", r"shuffle is 'twice'"),
        ("learner", "learner", "svm", r"learner='svm': use one of"),
        ("learner", "interpolation", 1.5, r"interpolation=1.5: use a number from 0 to 1"),
        ("learner", "ratio_binary", 1, r"ratio_binary is 1"),
        ("text", "norm", "l3", r"norm is 'l3'"),
        ("learner", "class_weight", [["a"]], r"class_weight is \[\['a'\]\]"),
        ("learner", "colour", 1, r"settings.learner has 'colour', which this version does not know"),
        ("text", "ngram_range", [1, 2, 3], r"ngram_range is \[1, 2, 3\]"),
        ("text", "ngram_range", [3, 1], r"lower boundary larger"),
        ("text", "ngram_range", [1, 2**40], r"below 2\*\*31"),
        ("text", "token_pattern", "(", r"token_pattern='\(' is not a valid pattern"),
        ("text", "token_pattern", "a{99999999999999}", r"is not a valid pattern"),
        ("text", "encoding", "klingon", r"encoding='klingon': Python has no such text encoding"),
        ("text", "encoding", "zlib_codec", r"encoding='zlib_codec': Python has no such text encoding"),
        ("text", "encoding", "a\x00b", r"null character"),
        ("text", "stop_words", "english", r"stop_words is 'english'"),
        ("text", "conjunctions", {"pivots": None, "window": None}, r"neither pivots nor window"),
        ("text", "conjunctions", {"words": None}, r"settings.text.conjunctions has 'words', which this"),
        ("text", "n_features", 2**31, r"n_features=2147483648: use a number of columns"),
    ],
)
def test_json_with_a_wrong_value_is_rejected_with_its_place(part, name, value, message):
    values = recipe("mira").as_json()
    values[part][name] = value
    with pytest.raises(ValueError, match=message):
        Settings.from_json(values)


@pytest.mark.parametrize("values", [None, 3, [], "mira", {"text": {}, "learner": 5}])
def test_json_that_holds_no_settings_is_rejected(values):
    with pytest.raises(ValueError, match="settings"):
        Settings.from_json(values)


def test_changing_a_setting_by_name_finds_its_group():
    changed = recipe("mira").replace(C=1.0, min_df=2)
    assert (changed.learner.C, changed.text.min_df) == (1.0, 2)
    assert changed != recipe("mira")


def test_an_unknown_name_is_rejected_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no setting called 'colour'. There are ngram_range, "):
        recipe("mira").replace(colour="red")
    with pytest.raises(ValueError, match=r"no recipe called 'worst'. There are best, fast, mira, averaged, perceptron"):
        recipe("worst")


def test_no_two_settings_share_a_name():
    of_text, of_learner = declared_fields(TextSettings), learner_fields()
    assert not of_text.keys() & of_learner.keys()
    assert setting_fields().keys() == of_text.keys() | of_learner.keys()


def test_settings_that_contradict_each_other_are_rejected():
    with pytest.raises(ValueError, match="hashed columns"):
        TextSettings(n_features=16, min_df=2)
    with pytest.raises(ValueError, match="one-vs-one have no probabilities"):
        LearnerSettings(multiclass="one-vs-one", calibrate=True)
    with pytest.raises(ValueError, match="keeps rows, not weights"):
        LearnerSettings(learner="voted", column_weight="log_count_ratio")


def test_a_stop_list_is_kept_as_its_words():
    part = TextSettings(stop_words="english")
    assert part.stop_words == tuple(sorted(ENGLISH_STOP_WORDS))
    assert Settings.from_json(Settings(text=part).as_json()).text == part
    with pytest.raises(ValueError, match="not a built-in stop list: klingon; use 'english'"):
        TextSettings(stop_words="klingon")


@pytest.mark.parametrize("changes", [{"analyzer": "char", "ngram_range": (2, 4)}, {"token_pattern": r"\S+"}])
def test_settings_without_effect_are_dropped_unless_given(changes):
    settings = recipe("best").replace(**changes)
    assert not settings.text.negation
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"], settings)
    assert model.predict(["fine"]) == ["pos"]
    with pytest.raises(ValueError, match="negation=True has to see the punctuation"):
        recipe("best").replace(**changes, negation=True)
    assert recipe("best").replace(token_pattern=r"(?u)\b\w+\b").text.negation
