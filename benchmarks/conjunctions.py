"""Conjunctions: speed and accuracy.

    python benchmarks/conjunctions.py speed       pairs of RT-2k, compared with scikit-learn's PolynomialFeatures
    python benchmarks/conjunctions.py on_the_fly  all pairs of IMDB, compared with Vowpal Wabbit; see on_the_fly.py
    python benchmarks/conjunctions.py accuracy    RT-s, RT-2k and IMDB with and without each kind of conjunction;
                                                  further arguments select the lines that contain them

Speed: alternating runs, best of several, results compared first. Accuracy: uni+bigrams, presence, MIRA(C=0.01), plus
the conjunctions of the line; pairs are pairs of words, and on the fly they are used without bigrams. Folds are
stratified and shuffled with seeds 0 to 2; words, pairs and their scores come from the training rows of each fold. The
figure is the mean over the 30 folds, followed by the mean gain over no conjunctions and its standard error. IMDB: its
test split.
"""

from __future__ import annotations

import gc
import sys
import time
from functools import partial

import numpy as np
import on_the_fly
import scipy.sparse as sp
from data import imdb_texts, zipped
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import PolynomialFeatures

from textperceptron import MIRA, BagOfWords, Conjunctions, WordPairs

RUNS = 5
PolynomialFeatures = partial(PolynomialFeatures, interaction_only=True, include_bias=False)


def seconds(work):
    gc.collect()
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def assert_same_pairs(ours, theirs, join):
    """Assert that every pair that we keep has the same entries as theirs, in the same order."""
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
    sides = {
        "PolynomialFeatures()": PolynomialFeatures(),
        "Conjunctions(min_df=5)": Conjunctions(min_df=5),
        "Conjunctions(min_df=5, n_jobs=2)": Conjunctions(min_df=5, n_jobs=2),
        "Conjunctions(min_df=1)": Conjunctions(min_df=1),
    }
    for values, binary in (("presence", True), ("counts", False)):
        X = BagOfWords(min_df=5, binary=binary).fit_transform(texts)
        n = np.diff(X.indptr).astype(np.int64)
        print(f"RT-2k, {values}: {X.shape[0]} rows, {X.shape[1]} words in at least 5, ", end="")
        print(f"{(n * (n - 1) // 2).sum():,} pairs in rows", flush=True)
        join = Conjunctions(min_df=5)
        assert_same_pairs(join.fit_transform(X), PolynomialFeatures().fit_transform(X), join)
        best, size = dict.fromkeys(sides, float("inf")), {}
        for _ in range(RUNS):
            for name, transformer in sides.items():
                taken, Z = seconds(partial(transformer.fit_transform, X))
                best[name], size[name] = min(best[name], taken), (Z.shape[1], Z.nnz)
                del Z
        for name, taken in best.items():
            ratio = best["PolynomialFeatures()"] / taken
            print(f"{name:36}{taken:7.3f} s{ratio:6.1f}×", end="")
            print(f"{size[name][0]:>13,} columns{size[name][1]:>13,} entries", flush=True)


class UniAndBigrams:
    """Uni+bigrams of texts, with optional pairs appended."""

    def __init__(self, pairs=None, scale=1, **how):
        self.bag = BagOfWords(ngram_range=(1, 2), binary=True, n_jobs=2, **how)
        self.words = BagOfWords(binary=True, n_jobs=2)
        self.pairs = pairs
        self.scale = np.float32(scale)
        self.learner = MIRA(C=0.01)

    def learn(self, texts, y):
        """Return the rows of training texts."""
        X = self.bag.fit_transform(texts)
        if self.pairs is None:
            return X
        return self._append(X, self.pairs.fit_transform(self.words.fit_transform(texts), y))

    def apply(self, texts):
        """Return the rows of other texts."""
        X = self.bag.transform(texts)
        if self.pairs is None:
            return X
        return self._append(X, self.pairs.transform(self.words.transform(texts)))

    def _append(self, X, pairs):
        if self.scale != 1:
            pairs.data *= self.scale
        return sp.hstack([X, pairs], format="csr")


class Words:
    """Words of texts without bigrams; with ``bits``, also all pairs of them on the fly.

    Rows times s have pairs times s². With C/s², words are learnt as from rows of 1, and pairs have the value s.
    """

    def __init__(self, bits=None, scale=1):
        self.bag = BagOfWords(binary=True, n_jobs=2)
        self.scale = np.float32(scale)
        self.learner = MIRA(C=0.01 / scale**2, pair_bits=bits, n_jobs=2)

    def learn(self, texts, y):
        """Return the rows of training texts."""
        return self.bag.fit_transform(texts) * self.scale

    def apply(self, texts):
        """Return the rows of other texts."""
        return self.bag.transform(texts) * self.scale


def pairs(scale=1, **how):
    return UniAndBigrams(Conjunctions(keep_words=False, min_df=5, n_jobs=2, **how), scale)


KINDS = {
    "no conjunctions": UniAndBigrams(),
    "all pairs, min_df=5": pairs(),
    "… 10,000 by frequency": pairs(max_features=10_000),
    "… 100,000 by frequency": pairs(max_features=100_000),
    "… 10,000 by log-likelihood": pairs(max_features=10_000, select_by="log_likelihood"),
    "… 100,000 by log-likelihood": pairs(max_features=100_000, select_by="log_likelihood"),
    # A row of RT-2k has 915 n-grams and 38,661 pairs, which dominate its length. Values of 0.1 reduce that; this one
    # value was fixed in advance.
    "all pairs, values of 0.1": pairs(0.1),
    "… 10,000 by frequency, 0.1": pairs(0.1, max_features=10_000),
    "… 10,000 by likelihood, 0.1": pairs(0.1, max_features=10_000, select_by="log_likelihood"),
    "… 100,000 by likelihood, 0.1": pairs(0.1, max_features=100_000, select_by="log_likelihood"),
    "words at most 4 apart": UniAndBigrams(conjunctions=WordPairs(None, 4)),
    "negators, at most 4 apart": UniAndBigrams(conjunctions=WordPairs()),
    "negators, whole document": UniAndBigrams(conjunctions=WordPairs(window=None)),
    "(negation=True instead)": UniAndBigrams(negation=True),
    "on the fly: words alone": Words(),
    "on the fly: 2**22": Words(22),
    "on the fly: 2**24": Words(24),
    "on the fly: 2**22, 0.1": Words(22, 0.1),
}


def right(kind, train, y, test, y_test):
    X = kind.learn(train, y)
    learner = clone(kind.learner).fit(X, y)
    n_columns = X.shape[1] + (0 if learner.pair_bits is None else 2**learner.pair_bits)
    del X
    return 100 * learner.score(kind.apply(test), y_test), n_columns


def folds(kind, texts, y):
    texts = np.array(texts, dtype=object)
    for seed in range(3):
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(texts, y):
            yield right(kind, texts[train], y[train], texts[test], y[test])


def accuracy(*words):
    kinds = {
        label: kind for label, kind in KINDS.items() if label == "no conjunctions" or all(w in label for w in words)
    }
    for name, corpus in (("RT-s", "sentence_polarity"), ("RT-2k", "movie_reviews")):
        texts, y = zipped(corpus)
        print(f"{name}, 30 folds{'':16}{'accuracy':>9}{'gain':>8}{'error':>7}{'columns':>12}", flush=True)
        for label, kind in kinds.items():
            scores, columns = np.array(list(folds(kind, texts, y))).T
            if label == "no conjunctions":
                base = scores
            gains = scores - base
            print(f"{label:30}{scores.mean():7.1f} %{gains.mean():+8.2f}", end="")
            print(f"{gains.std(ddof=1) / len(gains) ** 0.5:7.2f}{columns.mean():12,.0f}", flush=True)
    (texts, y), (test, y_test) = imdb_texts("train"), imdb_texts("test")
    print(f"IMDB, test split{'':14}{'accuracy':>9}{'gain':>8}{'':>7}{'columns':>12}", flush=True)
    for label, kind in kinds.items():
        score, columns = right(kind, texts, y, test, y_test)
        if label == "no conjunctions":
            base = score
        print(f"{label:30}{score:7.1f} %{score - base:+8.2f}{'':7}{columns:12,.0f}", flush=True)


if __name__ == "__main__":
    {"speed": speed, "on_the_fly": on_the_fly.compare, "accuracy": accuracy}[sys.argv[1]](*sys.argv[2:])
