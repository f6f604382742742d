"""Texts and labels as data frames and columns have them: the result of plain lists, or an error with the remedy."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import DataConversionWarning

from helpers.bundled import bundled
from helpers.texts import documents
from textperceptron import MIRA, BagOfWords, HashedBagOfWords, OneVsAll, TextClassifier, TextModel, tune
from textperceptron._kernels import ArrowTexts
from textperceptron.text import frames
from textperceptron.text.frames import TextColumn, documents_of

REVIEWS = bundled("reviews")
TEXTS, LABELS = REVIEWS.train.texts[:60], REVIEWS.train.labels[:60]
TESTS = REVIEWS.test.texts

# Containers that hold strings in Arrow's layout, so that no list of str is made of them.
ARROW = {
    "pyarrow": lambda texts: pa.array(texts, pa.string()),
    "pyarrow large": lambda texts: pa.array(texts, pa.large_string()),
    "pyarrow view": lambda texts: pa.array(texts, pa.string_view()),
    "pyarrow chunks": lambda texts: pa.chunked_array([texts[:7], [], texts[7:]], pa.string()),
    "pyarrow slice": lambda texts: pa.array(["before", *texts, "after"]).slice(1, len(texts)),
    "pyarrow table": lambda texts: pa.table({"text": pa.array(texts, pa.string())}),
    "polars": lambda texts: pl.Series(texts, dtype=pl.String),
    "polars frame": lambda texts: pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)}),
    "polars slice": lambda texts: pl.Series(["before", *texts], dtype=pl.String)[1:],
    "pandas with pyarrow": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "pandas arrow type": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas frame with pyarrow": lambda texts: pd.DataFrame({"text": pd.Series(texts, dtype="string[pyarrow]")}),
}
OTHERS = {
    "pandas": pd.Series,
    "pandas objects": lambda texts: pd.Series(texts, dtype=object),
    "pandas python strings": lambda texts: pd.Series(texts, dtype="string[python]"),
    "pandas categories": lambda texts: pd.Series(texts, dtype="category"),
    "pandas index": pd.Index,
    "pandas frame": lambda texts: pd.DataFrame({"text": texts}, dtype=object),
    "numpy": np.array,
    "numpy column": lambda texts: np.array(texts, object).reshape(-1, 1),
    "pyarrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "pyarrow scalars": lambda texts: list(pa.array(texts)),
    "polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "iterator": iter,
}
KINDS = pytest.mark.parametrize("kind", [*ARROW, *OTHERS])


def column(kind, values):
    return (ARROW | OTHERS)[kind](values)


def assert_same_rows(found, expected):
    assert found.shape == expected.shape
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@KINDS
@pytest.mark.parametrize("make", [BagOfWords, HashedBagOfWords])
def test_vectorizers_count_the_texts_of_every_container(kind, make):
    assert_same_rows(make().fit_transform(column(kind, TEXTS)), make().fit_transform(TEXTS))
    bag = make().fit(TEXTS)
    assert_same_rows(bag.transform(column(kind, TESTS)), bag.transform(TESTS))


@KINDS
def test_models_train_and_predict_with_every_container(kind):
    expected = TextModel.train(TEXTS, LABELS)
    model = TextModel.train(column(kind, TEXTS), column(kind, LABELS))
    scores = expected.scores(TESTS)
    assert model.classes == expected.classes
    np.testing.assert_array_equal(model.scores(TESTS), scores)
    np.testing.assert_array_equal(model.scores(column(kind, TESTS)), scores)
    assert model.predict(column(kind, TESTS)) == expected.predict(TESTS)
    classifier = TextClassifier().fit(column(kind, TEXTS), LABELS)
    np.testing.assert_array_equal(classifier.decision_function(column(kind, TESTS)), scores)
    compared = model.compare(expected, column(kind, TESTS), column(kind, REVIEWS.test.labels))
    assert (compared.n_texts, compared.changed) == (len(TESTS), 0)


@pytest.mark.parametrize("kind", [kind for kind in ARROW | OTHERS if kind != "iterator"])
def test_labels_of_every_container_are_learnt(kind):
    rows = BagOfWords().fit_transform(TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)  # scikit-learn's own, for a table of one column
        for learner in (MIRA(), OneVsAll(MIRA())):
            assert learner.fit(rows, column(kind, LABELS)).classes_.tolist() == ["neg", "pos"]
        classifier = TextClassifier("mira").fit(TEXTS, column(kind, LABELS))
    assert classifier.predict(TESTS).tolist() == TextClassifier("mira").fit(TEXTS, LABELS).predict(TESTS).tolist()


def test_label_sets_come_as_columns_of_lists_and_as_frames():
    sets = [["neg"], ["neg", "pos"], [], ["pos"]] * 15
    rows = BagOfWords().fit_transform(TEXTS)
    expected = OneVsAll(MIRA()).fit(rows, sets).predict(rows)
    for given_sets in (pa.array(sets), pl.Series(sets), pd.Series(sets)):
        assert OneVsAll(MIRA()).fit(rows, given_sets).predict(rows) == expected
    indicator = np.array([["neg" in each, "pos" in each] for each in sets], int)
    expected = OneVsAll(MIRA()).fit(rows, indicator).predict(rows)
    as_arrow = pa.table({"neg": indicator[:, 0], "pos": indicator[:, 1]})
    for frame in (pd.DataFrame(indicator), pl.DataFrame(indicator), as_arrow):
        np.testing.assert_array_equal(OneVsAll(MIRA()).fit(rows, frame).predict(rows), expected)


@pytest.mark.parametrize("kind", ["pyarrow chunks", "polars", "pandas", "pandas frame", "iterator"])
def test_tune_takes_every_container(kind):
    settings = {"folds": 2, "trials": 2}
    expected = tune(TEXTS, LABELS, "mira", **settings)
    found = tune(column(kind, TEXTS), column(kind, LABELS), "mira", **settings)
    assert found.score.value == expected.score.value
    assert found.train(column(kind, TEXTS), column(kind, LABELS)).predict(TESTS) == expected.train(
        TEXTS, LABELS
    ).predict(TESTS)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_update_and_partial_fit_take_columns(kind):
    expected = TextModel.train(TEXTS, LABELS, "mira")
    expected.update(TEXTS, LABELS)
    model = TextModel.train(column(kind, TEXTS), column(kind, LABELS), "mira", sample_weight=pl.Series([1.0] * 60))
    model.update(column(kind, TEXTS), column(kind, LABELS), sample_weight=pa.array([1.0] * 60))
    np.testing.assert_array_equal(model.scores(TESTS), expected.scores(TESTS))
    classifier = TextClassifier("mira", max_iter=1).partial_fit(column(kind, TEXTS), column(kind, LABELS))
    classifier.partial_fit(column(kind, TEXTS), column(kind, LABELS))
    assert classifier.n_iter_ == 2


def test_a_column_transformer_passes_a_frame_of_one_column():
    frame = pd.DataFrame({"review": TEXTS, "length": [len(text) for text in TEXTS]})
    rows = ColumnTransformer([("words", BagOfWords(), ["review"])]).fit_transform(frame)
    assert_same_rows(rows, BagOfWords().fit_transform(TEXTS))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"id": [1], "review": ["fine"]}), r"texts is a table of 2 columns \('id', 'review'\)"),
        (pl.DataFrame({"id": [1], "review": ["fine"]}), r"texts is a table of 2 columns \('id', 'review'\)"),
        (pa.table({c: ["fine"] for c in "abcde"}), r"texts is a table of 5 columns \('a', 'b', 'c', 'd', …\)"),
        (np.array([["fine", "film"]]), r"texts is a table of 2 columns \(0, 1\)"),
        (pd.DataFrame(), r"texts is a table of 0 columns \(\)"),
        (pl.DataFrame(), r"texts is a table of 0 columns \(\)"),
        (pa.table({}), r"texts is a table of 0 columns \(\)"),
    ],
)
def test_a_table_of_several_columns_is_rejected(table, message):
    message += r"\. Pass the one column with the texts\."
    model = TextModel.train(TEXTS, LABELS)
    for call in (
        BagOfWords().fit_transform, HashedBagOfWords().transform, BagOfWords(vocabulary=["fine"]).transform,
        lambda given_table: TextModel.train(given_table, LABELS), model.predict, model.scores,
        TextClassifier().fit(TEXTS, LABELS).predict, lambda given_table: tune(given_table, LABELS),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            call(table)
    with pytest.raises(ValueError, match=r"labels is a table of 2 columns"):
        TextModel.train(TEXTS, pd.DataFrame({"a": LABELS, "b": LABELS}))


MISSING = {
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas string[pyarrow]": lambda values: pd.Series(values, dtype="string[pyarrow]"),
    "pandas": pd.Series,
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas NA": lambda values: [pd.NA if value is None else value for value in values],
    "pyarrow": pa.array,
    "polars": pl.Series,
    "list": list,
    "nan": lambda values: [np.nan if value is None else value for value in values],
    "float32": lambda values: [np.float32("nan") if value is None else value for value in values],
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_text_is_named_and_not_made_a_text(kind):
    texts = MISSING[kind]([*TEXTS[:3], None, *TEXTS[4:]])
    model = TextModel.train(TEXTS, LABELS)
    for call in (
        BagOfWords().fit_transform,
        HashedBagOfWords().transform,
        model.predict,
        model.scores,
        lambda given_texts: TextModel.train(given_texts, LABELS),
        lambda given_texts: tune(given_texts, LABELS, folds=2),
    ):
        with pytest.raises(ValueError, match=r"(?i)document 3\b.*missing: leave it out with its label, or use ''"):
            call(texts)


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_label_is_named(kind):
    labels = MISSING[kind]([*LABELS[:3], None, *LABELS[4:]])
    for call in (TextModel.train, lambda *given_texts: tune(*given_texts, folds=2)):
        with pytest.raises(ValueError, match=r"label 3 is missing .*: leave out its text, or give it a label"):
            call(TEXTS, labels)
    with pytest.raises(ValueError, match=r"y\[3\] is .*: every row needs a label"):
        TextClassifier().fit(TEXTS, labels)


@pytest.mark.parametrize(
    "labels",
    [
        [0.0, 1.0], np.array([0.0, 1.0]), np.array([0, 1], np.float32), pd.Series([0.0, 1.0]), pl.Series([0.0, 1.0]),
        pa.array([0.0, 1.0]), pd.Series([0, 1], dtype="Float64"), pd.Series([0, 1], dtype="Int64"), [0, 1.0],
    ],
    ids=lambda labels: f"{type(labels).__module__}-{getattr(labels, 'dtype', '')}",
)  # fmt: skip
def test_float_labels_that_hold_integers_are_integers(labels, tmp_path):
    model = TextModel.train(["bad film", "good film"], labels)
    assert model.classes == (0, 1)
    assert all(type(label) is int for label in model.classes)
    assert model.predict(["bad", "good"]) == [0, 1]
    model.save(tmp_path / "model")
    assert TextModel.load(tmp_path / "model").classes == (0, 1)
    classifier = TextClassifier().fit(["bad film", "good film"], labels)
    assert classifier.classes_.tolist() == [0, 1]
    assert classifier.score(["bad film", "good film"], labels) == 1


def test_other_numbers_are_no_labels():
    with pytest.raises(ValueError, match=r"label 1 is 0.5 \(float\): use str, int or bool"):
        TextModel.train(["bad film", "good film"], [1.0, 0.5])
    with pytest.raises(ValueError, match=r"label 0 is 1e\+300 \(float\)"):
        TextModel.train(["bad film", "good film"], [1e300, 0.0])


@given(st.lists(documents | st.none(), max_size=30), st.integers(1, 5), st.integers(1, 60))
@pytest.mark.parametrize("kind", ARROW)
def test_strings_are_those_of_the_column_in_chunks_of_any_size(kind, texts, n_texts, n_bytes):
    texts = [text if text is None else text.encode("utf-8", "replace").decode() for text in texts]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(frames, "CHUNK", n_texts)
        patched.setattr(frames, "_CHUNK_BYTES", n_bytes)
        found = documents_of(ARROW[kind](texts))
        assert isinstance(found, TextColumn)
        assert list(found) == texts
        assert list(found) == texts, "a column can be read again"
        assert len(found) == len(texts)
        assert all(0 < len(chunk) <= n_texts for chunk in found.chunks())


def test_bytes_in_a_column_that_are_not_utf8_are_named():
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 4, 8], np.int32)), pa.py_buffer(b"finecaf\xe9")]
    )
    with pytest.raises(UnicodeDecodeError, match="document 1"):
        BagOfWords().fit(broken)
    assert BagOfWords(encoding="latin-1").fit(broken).get_feature_names_out().tolist() == ["fine", "café"]


def test_numbers_in_a_column_are_named():
    for numbers in (pa.array([1, 2]), pl.Series([1, 2]), pd.Series([1, 2]), pd.Series([1, 2], dtype="int64[pyarrow]")):
        with pytest.raises(ValueError, match=r"Document 0 is (np\.int64\()?1\)? .*Leave it out, or write it as text"):
            BagOfWords().fit(numbers)


def test_rows_of_an_array_go_to_a_function_of_the_user():
    rows = np.array([[1, 2], [3, 4]])
    bag = BagOfWords(analyzer=lambda row: map(str, row.tolist())).fit(rows)
    assert sorted(bag.vocabulary_) == ["1", "2", "3", "4"]


def test_a_stream_of_tables_is_no_column_of_strings():
    class Tables:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"text": ["fine"]}).__arrow_c_stream__()

        def __iter__(self):
            return iter(["fine film"])

    tables = Tables()
    assert documents_of(tables) is tables
    with pytest.raises(TypeError, match="the column has no strings"):
        next(ArrowTexts(tables.__arrow_c_stream__(), None, 1, 1))
    with pytest.raises(ValueError, match="PyCapsule"):
        ArrowTexts(pa.array(["fine"]).__arrow_c_array__()[1], None, 1, 1)


@pytest.mark.parametrize("kind", ["pyarrow", "pyarrow view", "polars", "pandas with pyarrow"])
def test_a_large_column_is_read_without_a_list_of_str(kind):
    text = "some words of a review " * 40
    large = column(kind, [text] * 20_000)  # 18 MB of text
    bag = HashedBagOfWords(n_features=16)
    bag.transform(column(kind, TEXTS))
    tracemalloc.start()
    bag.transform(large)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6
