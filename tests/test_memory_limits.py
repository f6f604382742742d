"""Work that would not fit into memory raises before it starts, with its size and a remedy."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from helpers.fresh import FRESH_PYTHON
from textperceptron import AROW, MIRA, OneVsAll, OneVsOne, TextModel, _memory
from textperceptron.learn.one_vs_one_tiles import _tiles, fits_dense_tables
from textperceptron.settings import recipe

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are read from /proc")


def many_classes(n_classes):
    X = sp.csr_array((np.ones(n_classes, np.float32), np.arange(n_classes), np.arange(n_classes + 1)))
    return X, np.arange(n_classes)


def test_one_vs_one_of_too_many_classes_is_rejected_with_its_problems(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 10**10)
    message = (
        r"one-vs-one of 10,000 classes: 49,995,000 binary problems would take about 36\.\d GB, more than .* 10\.0 GB"
    )
    with pytest.raises(MemoryError, match=message):
        OneVsOne(AROW()).fit(*many_classes(10_000))
    texts = [f"word{k} text" for k in range(10_000)] * 2
    labels = [str(k) for k in range(10_000)] * 2
    with pytest.raises(MemoryError, match=r"49,995,000 binary problems .*one-vs-all"):
        TextModel.train(texts, labels, recipe("mira").replace(multiclass="one-vs-one"))


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 9, 16, 33])
def test_tables_of_pairs_are_counted_without_being_made(n_classes):
    n_columns = (1 << 27) // (16 * len(_tiles(n_classes))) - 1
    assert fits_dense_tables(n_columns, n_classes)
    assert not fits_dense_tables(n_columns + 1, n_classes)


@pytest.mark.parametrize("learner", [MIRA(), OneVsAll(MIRA())])
def test_weights_that_do_not_fit_are_rejected_with_their_size(learner, monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 10**8)
    X = sp.csr_array(([1.0, 1, 1], [0, 1, 2], [0, 1, 2, 3]), (3, 10_000_000), dtype=np.float32)
    with pytest.raises(MemoryError, match=r"40,000,004 weights, .* about 640\..* MB, more than .*Use fewer columns"):
        learner.fit(X, [0, 1, 2])


@LINUX
def test_a_limit_of_address_space_counts_as_memory():
    code = """
import resource
from textperceptron._memory import available_memory
limit = 3 * 10**9
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
assert 10**9 < available_memory() < limit, available_memory()
"""
    subprocess.run([*FRESH_PYTHON, code], check=True)


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("extra", [350, 900])
def test_a_vocabulary_that_does_not_fit_is_one_line_with_figure_and_remedy(extra, tmp_path):
    # 6 million distinct words, whose tables alone take hundreds of MB.
    code = f"""
import resource, sys
from textperceptron import BagOfWords
BagOfWords().fit(["some words"])
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + {extra} * 10**6
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    BagOfWords(ngram_range=(1, 2)).fit(" ".join(f"{{k:x}}{{j}}" for k in range(2000)) for j in range(4000))
except MemoryError as problem:
    print(problem)
"""
    done = subprocess.run([*FRESH_PYTHON, code], capture_output=True, text=True, check=True)
    assert "HashedBagOfWords" in done.stdout
    assert re.search(r"\d [KMG]i?B", done.stdout)


@LINUX
@pytest.mark.parametrize("extra", [4, 200])  # a thread takes 8 MB: none can start, or not all
def test_threads_that_cannot_start_leave_the_work_to_others(extra):
    code = f"""
import resource
from textperceptron._parallel import in_background, ordered_map
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + {extra} * 10**6
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
assert list(ordered_map(lambda _, item: item, range(1000), [None] * 64)) == list(range(1000))
assert in_background(lambda: 42, jobs=2).result() == 42
print("done")
"""
    done = subprocess.run([*FRESH_PYTHON, code], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)
