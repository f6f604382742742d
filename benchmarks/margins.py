"""Margins and separability of IMDB, and the time to compute them.

python benchmarks/margins.py
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from data import imdb

from textperceptron import Perceptron, margins


def timed(label, call):
    began = time.perf_counter()
    result = call()
    print(f"{label:38}{time.perf_counter() - began:6.1f} s   ", end="")
    return result


def main():
    for ngrams, columns in ((1, "unigrams"), (2, "uni+bigrams")):
        X, y, _, _ = imdb(ngrams)
        X = (X > 0).astype(np.float32)
        print(f"\nIMDB train, {columns}, presence: {X.shape[0]} rows, {X.shape[1]} columns")
        print(timed("is_separable", partial(margins.is_separable, X, y)))
        for padded in (True, False):
            for tol in (1e-2, 1e-3):
                name = f"attainable_margin, {'padded' if padded else 'geometric'}, tol={tol}"
                found = timed(name, partial(margins.attainable_margin, X, y, padded=padded, tol=tol))
                print(f"{found.lower:.5f} to {found.upper:.5f} in {found.n_iter} epochs")
        learner = Perceptron(max_iter=200).fit(X, y)
        report = timed("report", partial(margins.report, X, y, updates=learner.n_updates_))
        print(f"\n{report}")
        print(f"perceptron: {learner.stopped_by_} after {learner.n_iter_} epochs")


if __name__ == "__main__":
    main()
