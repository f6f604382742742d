"""A setting is declared once: a learner that registers itself is known to every door, with its parameters."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from helpers.bold_learner import register
from helpers.bundled import bundled
from helpers.fresh import run_fresh
from textperceptron import estimators
from textperceptron.estimators._parameters import VectorizerSettings
from textperceptron.model import TextModel
from textperceptron.model import inspect as inspect_model
from textperceptron.settings import (
    LearnerSettings,
    learners,
    recipe,
    setting_fields,
    unregister_learner,
)
from textperceptron.settings.fields import declared_fields
from textperceptron.tuning import default_space


@pytest.fixture
def bold():
    register()
    yield recipe("mira").replace(learner="bold", boldness=2.0)
    unregister_learner("bold")


def test_help_lists_a_registered_learner_and_its_setting():
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers.bold_learner import register
register()
from textperceptron.cli import main
main(["train", "--help-all"])
"""
    shown = "".join(run_fresh(code, str(Path(__file__).parents[1])).replace("│", "").split())
    assert "--boldness" in shown
    assert "bold:howmanytimeslongerastepis." in shown
    assert "|bold|" in shown  # a ranked learner comes before those that tune does not try


def test_a_model_file_keeps_a_registered_learner_and_its_setting(bold, tmp_path):
    reviews = bundled("reviews")
    model = TextModel.train(*reviews.train, bold)
    model.save(tmp_path / "bold.tpm", trainable=True)
    loaded = TextModel.load(tmp_path / "bold.tpm")
    assert loaded.settings == bold
    assert inspect_model(tmp_path / "bold.tpm").description.settings.learner.boldness == 2.0
    loaded.update(*reviews.train)
    expected = TextModel.train(*reviews.train, bold.replace(max_iter=11))
    assert (loaded.scores(reviews.test.texts) == expected.scores(reviews.test.texts)).all()


def test_the_setting_of_a_registered_learner_has_its_effect(bold):
    reviews = bundled("reviews")
    longer = TextModel.train(*reviews.train, bold).scores(reviews.test.texts)
    usual = TextModel.train(*reviews.train, bold.replace(boldness=1.0)).scores(reviews.test.texts)
    assert (longer == 2 * usual).all()


@pytest.mark.parametrize("multiclass", ["native", "one-vs-all", "one-vs-one"])
def test_a_registered_learner_learns_many_classes(bold, multiclass):
    topics = bundled("topics")
    model = TextModel.train(*topics.train, bold.replace(multiclass=multiclass))
    assert len(model.classes) == len(set(model.predict(topics.train.texts)))


def test_the_tuning_space_has_a_registered_learner_and_its_setting(bold):
    assert default_space()["learner"][-1] == "bold"
    assert default_space()["boldness"] == (1.0, 2.0)


def test_a_description_states_a_registered_learner_and_its_setting(bold):
    assert "bold perceptron, boldness 2.0" in bold.describe()


def test_a_bad_value_of_a_registered_setting_is_named(bold):
    with pytest.raises(ValueError, match="boldness=-1: use a number of at least 0"):
        bold.replace(boldness=-1)
    values = bold.as_json()
    values["learner"]["boldness"] = "very"
    with pytest.raises(ValueError, match=r"settings.learner.boldness is 'very', which is not of the type float"):
        type(bold).from_json(json.loads(json.dumps(values)))


def test_an_unregistered_learner_is_unknown():
    assert "bold" not in learners()
    assert "boldness" not in setting_fields()


def estimators_of(name):
    public = (getattr(estimators, each) for each in estimators.__all__)
    return [each for each in public if getattr(each, "_learner", None) == name]


@pytest.mark.parametrize("name", sorted(learners()))
def test_estimators_have_the_names_and_defaults_of_the_settings(name):
    (cls,) = estimators_of(name)
    declared = learners()[name].parameters | declared_fields(LearnerSettings)
    signature = inspect.signature(cls).parameters
    assert learners()[name].parameters.keys() <= signature.keys()
    for parameter, field in declared.items():
        if parameter in signature:
            assert signature[parameter].default == field.default, parameter


@pytest.mark.parametrize("cls", [estimators.BagOfWords, estimators.HashedBagOfWords])
def test_vectorizers_have_the_names_and_defaults_of_the_settings(cls):
    declared = declared_fields(VectorizerSettings)
    signature = inspect.signature(cls).parameters
    assert signature.keys() - declared.keys() <= {"n_jobs", "vocabulary"}
    for parameter, field in declared.items():
        if parameter in signature and (cls, parameter) != (estimators.HashedBagOfWords, "n_features"):
            assert signature[parameter].default == field.default, parameter


def test_the_text_classifier_has_every_setting():
    names = {"random_state" if name == "seed" else name for name in setting_fields()}
    within_column_weight = {"ratio_alpha", "ratio_binary", "ratio_balanced"}
    assert names - within_column_weight <= inspect.signature(estimators.TextClassifier).parameters.keys()
