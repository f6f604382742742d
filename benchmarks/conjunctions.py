"""Conjunctions: how fast pairs are formed, and what they bring.

python benchmarks/conjunctions.py speed       pairs of RT-2k beside scikit-learn's PolynomialFeatures
python benchmarks/conjunctions.py accuracy    RT-s, RT-2k and IMDB with and without each kind of conjunction
"""

from __future__ import annotations

import gc
import sys
import time

import numpy as np
from data import zipped
from sklearn.preprocessing import PolynomialFeatures

from textperceptron import BagOfWords, Conjunctions

RUNS = 5


def seconds(work):
    gc.collect()
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def assert_same_pairs(ours, theirs, join):
    """Every pair that we keep has their entries, in their order."""
    n = join.n_features_in_
    first, second = join.pairs_.T.astype(np.int64)
    column = np.full(theirs.shape[1], -1, np.int32)
    column[:n] = np.arange(n)
    column[n + first * (2 * n - first - 1) // 2 + second - first - 1] = np.arange(n, ours.shape[1])
    renumbered = column[theirs.indices]
    kept = renumbered >= 0
    assert (renumbered[kept] == ours.indices).all()
    assert (theirs.data[kept] == ours.data).all()
    assert (np.r_[0, np.cumsum(kept)][theirs.indptr] == ours.indptr).all()


def speed():
    texts, _ = zipped("movie_reviews")
    for values, binary in (("presence", True), ("counts", False)):
        X = BagOfWords(min_df=5, binary=binary).fit_transform(texts)
        n = np.diff(X.indptr).astype(np.int64)
        print(f"RT-2k, {values}: {X.shape[0]} rows, {X.shape[1]} words with df ≥ 5, {(n * (n - 1) // 2).sum():,} pairs in rows")
        sides = {
            "PolynomialFeatures": lambda X=X: PolynomialFeatures(interaction_only=True, include_bias=False).fit_transform(X),
            **{
                f"Conjunctions(min_df={min_df}, n_jobs={n_jobs})": lambda X=X, m=min_df, j=n_jobs: Conjunctions(
                    min_df=m, n_jobs=j
                ).fit_transform(X)
                for min_df in (5, 1)
                for n_jobs in (1, 2)
            },
        }
        theirs = sides["PolynomialFeatures"]()
        for min_df in (5, 1):
            join = Conjunctions(min_df=min_df)
            assert_same_pairs(join.fit_transform(X), theirs, join)
        theirs = None
        best, size = dict.fromkeys(sides, float("inf")), {}
        for _ in range(RUNS):
            for name, work in sides.items():
                taken, Z = seconds(work)
                best[name], size[name] = min(best[name], taken), (Z.shape[1], Z.nnz)
                Z = None
        for name, taken in best.items():
            ratio = best["PolynomialFeatures"] / taken
            print(f"{name:36}{taken:7.3f} s{ratio:6.1f}×{size[name][0]:>13,} columns{size[name][1]:>13,} entries", flush=True)


if __name__ == "__main__":
    {"speed": speed}[sys.argv[1]]()
