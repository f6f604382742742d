"""Log-count ratios inside the learner compared with the transformer, IMDB, uni+bigrams, presence.

    python benchmarks/column_weights.py

Both sides start from the same matrix of ones and run ten epochs; the time includes the transformer. Alternating runs,
best of five. The peak is the memory that Python and numpy allocate in addition to the matrix.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from data import imdb
from sklearn.pipeline import make_pipeline

from textperceptron import AROW, MIRA, AveragedPerceptron, LogCountRatio

LEARNERS = {"AveragedPerceptron()": AveragedPerceptron(), "MIRA(C=0.01)": MIRA(C=0.01), "AROW()": AROW()}


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def peak(work):
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def main():
    X, y, X_test, y_test = imdb(2)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    X.data[:], X_test.data[:] = 1, 1
    print(f"{'':22}{'transformer, learner':>29}{'column_weight':>25}")
    for name, learner in LEARNERS.items():
        apart = make_pipeline(LogCountRatio(), learner)
        fused = type(learner)(**{**learner.get_params(deep=False), "column_weight": "log_count_ratio"})
        best = [np.inf, np.inf]
        for _ in range(5):
            for side, model in enumerate((apart, fused)):
                best[side] = min(best[side], seconds(lambda m=model: m.fit(X, y)))
        print(f"{name:22}", end="")
        for taken, model in zip(best, (apart, fused), strict=True):
            accuracy = 100 * model.score(X_test, y_test)
            print(f"{1e3 * taken:8.0f} ms {peak(lambda m=model: m.fit(X, y)):5.0f} MB {accuracy:.2f} %", end="  ")
        print(f"{best[0] / best[1]:.2f}×", flush=True)


if __name__ == "__main__":
    main()
