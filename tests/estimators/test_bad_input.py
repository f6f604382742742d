"""Bad input gives a ValueError that says what is wrong and where; never a crash, never a silently wrong model."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from textperceptron import AROW, MIRA, AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from textperceptron.learn import Plan, check_rows, train
from textperceptron.learn.rules import MiraRule

ALL = [Perceptron, AveragedPerceptron, MIRA, AROW, BatchPerceptron, VotedPerceptron]
Y = [0, 1, 0, 1]


def four_rows(dtype=np.float64):
    return sp.csr_array(np.array([[1, 0, 2], [0, 3, 0], [1, 1, 0], [0, 0, 4]], dtype=dtype))


@pytest.fixture(params=ALL, ids=lambda cls: cls.__name__)
def learner(request):
    return request.param()


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity"), (1e200, "1e\\+200")]
)
@pytest.mark.parametrize("make", [four_rows, lambda: four_rows().toarray()])
def test_a_value_that_is_not_a_finite_number_is_named_with_its_place(learner, value, word, make):
    X = make()
    X[1, 1] = value
    with pytest.raises(ValueError, match=f"{word} in row 1, column 1"):
        learner.fit(X, Y)
    with pytest.raises(ValueError, match=f"{word} in row 1, column 1"):
        learner.partial_fit(X, Y)
    learner.fit(four_rows(), Y)
    with pytest.raises(ValueError, match=f"{word} in row 1, column 1"):
        learner.predict(X)


def test_a_broken_batch_leaves_the_model_as_it_was(learner):
    X = four_rows()
    learner.partial_fit(X, Y)
    before = learner.decision_function(X)
    X.data[2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit(X, Y)
    np.testing.assert_array_equal(learner.decision_function(four_rows()), before)


def test_values_too_large_for_the_models_type_leave_it_as_it_was(learner):
    learner.partial_fit(four_rows(np.float32), Y)
    before = learner.decision_function(four_rows())
    X = four_rows()
    X.data[2] = -1e50
    with pytest.raises(ValueError, match=r"-1e\+50 in row 1, column 1.*float32"):
        learner.partial_fit(X, Y)
    np.testing.assert_array_equal(learner.decision_function(four_rows()), before)


def test_a_fit_that_raises_leaves_the_model_before_it(learner):
    wide = sp.csr_array((4, 1_000_000), dtype=np.float32)
    with pytest.raises(ValueError, match="only one class"):
        learner.fit(wide, [0, 0, 0, 0])
    with pytest.raises(NotFittedError):
        learner.predict(wide)
    before = learner.fit(four_rows(), Y).decision_function(four_rows())
    with pytest.raises(ValueError, match="only one class"):
        learner.fit(wide, [0, 0, 0, 0])
    np.testing.assert_array_equal(learner.decision_function(four_rows()), before)
    learner.partial_fit(four_rows(), Y)


def test_the_engine_rejects_arrays_that_do_not_fit_together():
    rows = check_rows(np.ones(3), np.array([0, 1, 2]), np.array([0, 1, 2, 3]), 3)
    y = np.array([1, -1, 1], np.int8)
    with pytest.raises(ValueError, match="3 rows, 4 labels"):
        train(MiraRule(), rows, np.ones(4, np.int8), Plan())
    with pytest.raises(ValueError, match="1 weights"):
        train(MiraRule(), rows, y, Plan(), weight=np.ones(1))
    state = train(MiraRule(), rows, y, Plan()).state
    narrow = check_rows(np.ones(3), np.array([0, 1, 0]), np.array([0, 1, 2, 3]), 2)
    with pytest.raises(ValueError, match="2 columns, the state was made for 3"):
        train(MiraRule(), narrow, y, Plan(), state=state)
    with pytest.raises(ValueError, match="the rows have 2 columns, the model has 3"):
        narrow.scores(state.weights, pad=1.0)


def test_labels_of_one_class_are_rejected(learner):
    with pytest.raises(ValueError, match=r"only one class, .*'pos'"):
        learner.fit(four_rows(), ["pos"] * 4)


BINARY = [BatchPerceptron, VotedPerceptron]


@pytest.mark.parametrize("cls", BINARY)
def test_three_classes_are_rejected_with_the_way_out_by_learners_of_two(cls):
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*3 classes.*OneVsAll"):
        cls().fit(four_rows(), [0, 1, 2, 1])


@pytest.mark.parametrize("cls", BINARY)
def test_an_unknown_label_in_partial_fit_is_named(cls):
    learner = cls()
    learner.partial_fit(four_rows(), ["a", "b", "a", "b"])
    with pytest.raises(ValueError, match=r"y\[2\] is .*'c'.* not among the classes \['a', 'b'\]"):
        learner.partial_fit(four_rows(), ["a", "b", "c", "b"])


@pytest.mark.parametrize("cls", BINARY)
def test_partial_fit_of_two_classes_needs_both_from_the_first_call(cls):
    learner = cls()
    with pytest.raises(ValueError, match="only one class"):
        learner.partial_fit(four_rows(), ["a"] * 4)
    learner.partial_fit(four_rows(), ["a"] * 4, classes=["a", "b"])
    with pytest.raises(ValueError, match="differ from those of the first call"):
        learner.partial_fit(four_rows(), ["a"] * 4, classes=["a", "c"])


def test_wrong_shapes_are_rejected(learner):
    with pytest.raises(ValueError, match="X has 4 rows, but y has 3 labels"):
        learner.fit(four_rows(), [0, 1, 0])
    with pytest.raises(ValueError, match=r"2D|2d|dimension"):
        learner.fit(np.arange(4.0), Y)
    with pytest.raises(ValueError, match=r"1d|1D|dimension"):
        learner.fit(four_rows(), np.zeros((4, 2)))
    learner.fit(four_rows(), Y)
    with pytest.raises(ValueError, match="3 features"):
        learner.predict(four_rows()[:, :2])
    with pytest.raises(ValueError, match="3 features"):
        learner.partial_fit(four_rows()[:, :2], Y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -0.5, 1], r"sample_weight\[2\] is -0.5"),
        ([1, np.nan, 1, 1], r"sample_weight\[1\] is nan"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        ([0, 0, 0, 0], "weight zero"),
        (["a", "b", "c", "d"], "use numbers"),
    ],
)
def test_bad_sample_weights_are_named(learner, weight, message):
    with pytest.raises(ValueError, match=message):
        learner.fit(four_rows(), Y, sample_weight=weight)


@pytest.mark.parametrize("weight", ["balance", {7: 1.0}, {0: -1.0}, {0: np.nan}, [1, 2], np.array([1, 2])])
def test_bad_class_weights_are_named(learner, weight):
    with pytest.raises(ValueError, match="class_weight"):
        learner.set_params(class_weight=weight).fit(four_rows(), Y)


def test_arrays_of_objects_are_rejected(learner):
    with pytest.raises(ValueError, match="array of objects"):
        learner.fit(four_rows().toarray().astype(object), Y)
    with pytest.raises(ValueError, match=r"array of objects|could not convert|string"):
        learner.fit([["a", "b"], ["c", "d"], ["a", "d"], ["c", "b"]], Y)


def test_float16_is_rejected(learner):
    with pytest.raises(ValueError, match="float16"):
        learner.fit(four_rows().toarray().astype(np.float16), Y)
    learner.fit(four_rows(), Y)
    with pytest.raises(ValueError, match="float16"):
        learner.predict(four_rows().toarray().astype(np.float16))


def test_complex_numbers_are_rejected(learner):
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        learner.fit(four_rows().astype(complex), Y)


@pytest.mark.parametrize("n_columns", [0, 3, 1_000_000])
def test_a_matrix_without_rows_is_rejected(learner, n_columns):
    with pytest.raises(ValueError, match=r"0 sample\(s\)|0 feature\(s\)"):
        learner.fit(sp.csr_array((0, n_columns), dtype=np.float32), [])


def test_missing_labels_are_rejected(learner):
    with pytest.raises(ValueError, match="y"):
        learner.fit(four_rows(), None)
    with pytest.raises(ValueError, match=r"y\[1\] is nan"):
        learner.fit(four_rows(), [0.0, np.nan, 0.0, 1.0])
    with pytest.raises(ValueError, match=r"y\[2\] is None"):
        learner.fit(four_rows(), np.array(["a", "b", None, "b"], object))


@pytest.mark.parametrize(
    ("cls", "settings", "message"),
    [
        (Perceptron, {"eta0": 0}, "eta0=0: use a number above 0"),
        (Perceptron, {"margin": -1}, "margin=-1: use a number of at least 0"),
        (Perceptron, {"max_iter": 0}, "max_iter=0: use a number of at least 1"),
        (Perceptron, {"max_iter": 2.5}, "max_iter=2.5: use a whole number"),
        (Perceptron, {"shuffle": "twice"}, "shuffle='twice': use one of True, False, 'once'"),
        (Perceptron, {"tol": -1}, "tol=-1"),
        (Perceptron, {"early_stopping": "no"}, "early_stopping='no': use one of True, False"),
        (Perceptron, {"fit_intercept": "no"}, "fit_intercept='no': use one of True, False"),
        (MIRA, {"average": "no"}, "average='no': use one of True, False"),
        (BatchPerceptron, {"normalize": None}, "normalize=None: use one of True, False"),
        (Perceptron, {"random_state": -3}, "random_state=-3"),
        (Perceptron, {"early_stopping": True, "validation_fraction": 1.5}, "validation_fraction=1.5"),
        (Perceptron, {"early_stopping": True, "validation_fraction": 0.01}, "would hold out 0 of the 2 rows"),
        (Perceptron, {"n_iter_no_change": 0}, "n_iter_no_change=0"),
        (MIRA, {"C": 0}, "C=0: use a number above 0"),
        (MIRA, {"C": np.nan}, "C=nan"),
        (MIRA, {"C": "big"}, "C='big'"),
        (MIRA, {"variant": "pa3"}, "variant='pa3': use one of 'pa', 'pa1', 'pa2'"),
        (AROW, {"r": 0}, "r=0: use a number above 0"),
        (BatchPerceptron, {"alpha": -1}, "alpha=-1"),
        (VotedPerceptron, {"kernel": "rbf"}, "kernel='rbf': use one of 'linear', 'poly'"),
        (VotedPerceptron, {"kernel": "poly", "degree": 0}, "degree=0"),
        (VotedPerceptron, {"kernel": "poly", "degree": 1.5}, "degree=1.5: use a whole number"),
    ],
)
def test_a_setting_out_of_range_is_named_with_what_to_use(cls, settings, message):
    with pytest.raises(ValueError, match=message):
        cls(**settings).fit(four_rows(), Y)


def test_partial_fit_says_what_it_cannot_do(learner):
    with pytest.raises(ValueError, match="early_stopping"):
        learner.set_params(early_stopping=True).partial_fit(four_rows(), Y)
    with pytest.raises(ValueError, match="balanced"):
        learner.set_params(early_stopping=False, class_weight="balanced").partial_fit(four_rows(), Y)


def test_warm_start_with_other_classes_or_settings_is_rejected():
    learner = MIRA(warm_start=True).fit(four_rows(), Y)
    with pytest.raises(ValueError, match="warm_start continues with the classes"):
        learner.fit(four_rows(), ["a", "b", "a", "b"])
    with pytest.raises(ValueError, match="average=False: it was True"):
        learner.set_params(average=False).fit(four_rows(), Y)
    with pytest.raises(ValueError, match="fit_intercept=False: it was True"):
        learner.set_params(average=True, fit_intercept=False).fit(four_rows(), Y)
    assert learner.predict(four_rows()).shape == (4,)
    voted = VotedPerceptron(kernel="poly", warm_start=True).fit(four_rows(), Y)
    with pytest.raises(ValueError, match="degree=3: it was 2"):
        voted.set_params(degree=3).fit(four_rows(), Y)


def corrupt(**arrays):
    parts = {"data": np.ones(3), "indices": np.array([0, 1, 2], np.int32), "indptr": np.array([0, 2, 3], np.int32)}
    return check_rows(**(parts | arrays), n_columns=3)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"indices": np.array([0, 3, 2], np.int32)}, "column 3 in row 0, but has 3 columns"),
        ({"indices": np.array([0, 1, -1], np.int32)}, "column -1 in row 1"),
        ({"indptr": np.array([0, 3, 2], np.int32)}, "never decrease"),
        ({"indptr": np.array([1, 2, 3], np.int32)}, "start with 0"),
        ({"indptr": np.array([0, 2, 9], np.int32)}, "do not belong together"),
        ({"indptr": np.array([], np.int32)}, "start with 0"),
    ],
)
def test_corrupt_csr_arrays_never_reach_a_kernel(arrays, message):
    with pytest.raises(ValueError, match=message):
        corrupt(**arrays)


def test_rows_with_duplicates_are_summed_and_unsorted_ones_are_not_copied():
    indices, indptr = np.array([2, 0, 1, 1]), np.array([0, 2, 4])
    summed = check_rows(np.array([1.0, 1, 1, 1]), indices, indptr, 3)
    assert (summed.values.tolist(), summed.indices.tolist(), summed.indptr.tolist()) == (
        [1, 1, 2],
        [0, 2, 1],
        [0, 2, 3],
    )
    indices = np.array([2, 0, 1, 0])
    kept = check_rows(np.array([1.0, 2, 3, 4]), indices, indptr, 3)
    assert np.shares_memory(kept.indices, indices)


def test_steps_that_overflow_are_reported_and_leave_no_model():
    X = sp.csr_array(np.array([[1e-44], [1e-44]], dtype=np.float32))
    learner = MIRA(variant="pa", fit_intercept=False, average=False)
    with pytest.raises(ValueError, match="left the range of float32"):
        learner.fit(X, [0, 1])
    assert not hasattr(learner, "_fitted")


def test_nothing_warns_or_divides_by_zero_on_rows_of_zeros(learner):
    X = sp.csr_array((4, 3), dtype=np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.set_params(fit_intercept=False).fit(X, Y)
    assert learner.stopped_by_ == "converged"
    assert learner.history_[0].mistakes == 4
    assert learner.n_updates_ == 0
    assert learner.predict(X).tolist() == [0] * 4
