"""svmlight files become the CSR arrays that scikit-learn reads from them."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from textperceptron.corpus import CorpusError, read_svmlight

values = st.floats(allow_nan=False, allow_infinity=False, width=32).filter(bool)
matrix_rows = st.lists(
    st.tuples(st.integers(-5, 5), st.dictionaries(st.integers(0, 40), values, max_size=8)), min_size=1, max_size=10
)


@given(matrix_rows, st.booleans())
def test_rows_equal_those_of_scikit_learn(rows, zero_based):
    first = 0 if zero_based else 1
    text = "".join(
        f"{label} " + " ".join(f"{k + first}:{v!r}" for k, v in sorted(row.items())) + "  # comment 1:2\r\n"
        for label, row in rows
    )
    ours = read_svmlight(io.BytesIO(text.encode()), n_columns=41, zero_based=zero_based)
    theirs, y = load_svmlight_file(io.BytesIO(text.encode()), n_features=41, zero_based=zero_based)
    np.testing.assert_array_equal(ours.data, theirs.data)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.labels, y)
    assert (ours.n_columns, ours.labels.dtype, ours.indices.dtype) == (41, np.int64, np.int32)


def test_a_file_that_scikit_learn_wrote_is_read_compressed_and_in_blocks(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((2000, 60)) * (rng.random((2000, 60)) < 0.3)
    y = rng.integers(0, 3, 2000)
    out = io.BytesIO()
    dump_svmlight_file(X, y, out, comment="written by a test", query_id=np.arange(2000))
    path = tmp_path / "x.svm.gz"
    path.write_bytes(gzip.compress(out.getvalue()))
    rows = read_svmlight(path, dtype=np.float32)
    dense = np.zeros((2000, rows.n_columns), np.float32)
    dense[np.repeat(np.arange(2000), np.diff(rows.indptr)), rows.indices] = rows.data
    np.testing.assert_allclose(dense, X[:, : rows.n_columns].astype(np.float32))
    np.testing.assert_array_equal(rows.labels, y)


def test_columns_are_counted_from_one_unless_there_is_a_zero():
    assert read_svmlight(io.BytesIO(b"1 1:5\n")).indices.tolist() == [0]
    assert read_svmlight(io.BytesIO(b"1 1:5\n0 0:5")).indices.tolist() == [1, 0]
    assert read_svmlight(io.BytesIO(b"1 1:5\n"), zero_based=True).indices.tolist() == [1]
    assert read_svmlight(io.BytesIO(b"0.5\n\n1\n")).labels.tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    ("raw", "options", "expected"),
    [
        (b"1 1:2\n1,2 1:2\n", {},
         ', line 2: the row has several labels ("1,2"). Write it once per label, or train one classifier per label.'),
        (b"\n1 1:2:3 4\n", {},
         ', line 2: the row is not svmlight: LABEL COLUMN:VALUE … ("1 1:2:3 4"). Values are finite numbers.'),
        (b"1 1:nan\n", {},
         ', line 1: the row is not svmlight: LABEL COLUMN:VALUE … ("1 1:nan"). Values are finite numbers.'),
        (b"pos 1:1\n", {},
         ', line 1: the row is not svmlight: LABEL COLUMN:VALUE … ("pos 1:1"). Values are finite numbers.'),
        (b"1 3:1\n\n1 1:1 3:1 2:1\n", {}, ", line 3: columns do not ascend: 2 follows 3. Sort them, each once."),
        (b"1\n1 1:1 1:1\n", {}, ", line 2: columns do not ascend: 1 follows 1. Sort them, each once."),
        (b"1 1:1 5:1\n", {"n_columns": 4},
         ": columns go from 1 to 5, beyond what zero_based=None and n_columns=4 allow. "
         "Leave these arguments out to detect them."),
        (b"1 0:1\n", {"zero_based": False}, ": columns go from 0 to 0, beyond what zero_based=False and n_columns=None "
         "allow. Leave these arguments out to detect them."),
        (b"# nothing\n", {}, ": it contains no rows."),
        (b"1 1:\xff\n", {}, None),
    ],
)  # fmt: skip
def test_a_row_that_is_not_svmlight_is_reported(tmp_path, raw, options, expected):
    path = tmp_path / "x"
    path.write_bytes(raw)
    with pytest.raises(CorpusError) as caught:
        read_svmlight(path, **options)
    if expected is not None:
        assert str(caught.value) == f"{path}{expected}"
    assert str(caught.value).startswith(str(path))
