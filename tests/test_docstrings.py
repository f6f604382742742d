"""Every example in a docstring runs and prints the output shown."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest
from sklearn.base import ClassifierMixin

import textperceptron
from textperceptron import estimators
from textperceptron.estimators._online import OnlineClassifier

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(textperceptron.__path__, "textperceptron.")
    if "._kernels" not in module.name and not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("name", [name for name in textperceptron.__all__ if name != "margins"])
def test_every_public_name_has_an_example_and_describes_its_parameters(name):
    thing = getattr(textperceptron, name)
    doc = inspect.getdoc(thing)
    assert "Examples\n--------\n>>>" in doc
    assert not re.search(r"^\{\w+\}$", doc, re.MULTILINE), "a placeholder was not filled in"
    described = doc.partition("Parameters\n")[2].partition("Attributes\n")[0].partition("Examples\n")[0]
    assert set(re.findall(r"^(\w+) : ", described, re.MULTILINE)) == set(inspect.signature(thing).parameters)


def is_classifier_class(thing):
    return issubclass(thing, ClassifierMixin)


def test_estimators_describe_what_a_fit_leaves():
    learners = [getattr(estimators, name) for name in estimators.__all__]
    for learner in filter(is_classifier_class, learners):
        doc = inspect.getdoc(learner)
        if not issubclass(learner, OnlineClassifier):  # one-vs-all and one-vs-one have an estimator for each problem
            assert "classes_" in doc
            continue
        for attribute in ("classes_", "n_iter_", "history_", "stopped_by_"):
            assert attribute in doc
