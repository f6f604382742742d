"""scikit-learn's own tests of CountVectorizer and HashingVectorizer, with our vectorizers in their place.

The tests are read from the installed scikit-learn. The vectorizers have the defaults of those that they replace, and
nothing else is changed. A test that fails on purpose is in ``INTERNAL``, with the reason.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import sklearn.feature_extraction
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

from textperceptron import BagOfWords, HashedBagOfWords

pytestmark = pytest.mark.filterwarnings("ignore")  # as for scikit-learn, a warning is no error

INTERNAL = {
    "test_countvectorizer_sort_features_64bit_sparse_indices": "calls the private method _sort_features",
    "test_stop_word_validation_custom_preprocessor": "calls the private method _check_stop_words_consistency",
    "test_vectorizer_stop_words_inconsistent": "deletes the private attribute _stop_words_id",
}


def with_defaults(name, base, **defaults):
    """Return a subclass of a vectorizer with other default values."""
    signature = inspect.signature(base)
    parameters = [each.replace(default=defaults.get(key, each.default)) for key, each in signature.parameters.items()]

    def init(self, **given):
        base.__init__(self, **(defaults | given))

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    init.__signature__ = signature.replace(parameters=[own, *parameters])
    return type(name, (base,), {"__init__": init, "__module__": __name__})


CountVectorizer = with_defaults("CountVectorizer", BagOfWords, order="alphabet", dtype=np.int64)
HashingVectorizer = with_defaults("HashingVectorizer", HashedBagOfWords, norm="l2", dtype=np.float64)
OURS = {"CountVectorizer": CountVectorizer, "HashingVectorizer": HashingVectorizer}


def is_of_others(value):
    return value in (TfidfTransformer, TfidfVectorizer) or isinstance(value, TfidfVectorizer)


def without_others(mark):
    """Return a mark whose parameters leave out the classes that we do not replace."""
    if mark.name != "parametrize":
        return mark
    names, values = mark.args
    return pytest.mark.parametrize(names, [each for each in values if not is_of_others(each)], **mark.kwargs).mark


def their_tests():
    """Yield the names of scikit-learn's tests that use the replaced classes, and the tests."""
    path = Path(sklearn.feature_extraction.__file__).parent / "tests" / "test_text.py"
    if not path.exists():
        pytest.skip("scikit-learn is installed without its tests", allow_module_level=True)
    spec = importlib.util.spec_from_file_location("sklearn_text_tests", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # they pickle functions of the module
    with patch.multiple("sklearn.feature_extraction.text", **OURS):
        spec.loader.exec_module(module)
    for name, test in vars(module).items():
        if name.startswith("test_") and any(each in inspect.getsource(test) for each in OURS):
            marks = [without_others(mark) for mark in getattr(test, "pytestmark", [])]
            reason = INTERNAL.get(name)
            test.pytestmark = marks if reason is None else [*marks, pytest.mark.xfail(reason=reason, strict=True).mark]
            yield name, test


TESTS = dict(their_tests())
globals().update(TESTS)


def test_there_are_tests_of_both_and_every_excluded_one_exists():
    assert len(TESTS) > 40
    assert set(INTERNAL) <= set(TESTS)
