"""Learners compared with scikit-learn's: ten epochs over IMDB, alternating runs.

    python benchmarks/learners.py [--repeats 5] [--json FILE]

Both sides get the same rows (with CountVectorizer's columns), the same number of epochs without a stopping rule, and
the same labels. Runs alternate, ours then theirs, with a pause before each, and the best of the repeats counts. The
time is that of the whole call of ``fit``, including validation of the input.

    f32/f64   ours on float32, theirs on float64 (as after CountVectorizer)
    f32/f32   both on float32
    f64/f64   both on float64

"presence" has every value 1 (our kernels then skip the value array), "counts" has word counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import tracemalloc
import warnings

import numpy as np
import sklearn
from data import imdb
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron

from textperceptron import AROW, MIRA, AveragedPerceptron, Perceptron

warnings.filterwarnings("ignore", category=FutureWarning)  # the passive-aggressive classes are deprecated

EPOCHS = {"max_iter": 10}
# scikit-learn's fit calls BLAS, whose threads spin for a while afterwards; the pause keeps them from slowing down the
# next run.
PAUSE = 0.2
THEIRS = {**EPOCHS, "tol": None, "random_state": 0}
PAIRS = {
    "perceptron": (Perceptron(**EPOCHS), TheirPerceptron(**THEIRS)),
    "averaged": (
        AveragedPerceptron(**EPOCHS),
        SGDClassifier(loss="perceptron", average=True, penalty=None, learning_rate="constant", eta0=1, **THEIRS),
    ),
    "MIRA averaged": (MIRA(C=0.01, **EPOCHS), PassiveAggressiveClassifier(C=0.01, average=True, **THEIRS)),
}
# Required ratios, from a plain C loop over presence: (unigrams, uni+bigrams), ours float32, theirs float64. Counts have
# no bar: reading the value array costs us more than a loop that always reads it.
BARS = {"perceptron": (2.5, 2.0), "averaged": (3.0, 3.5), "MIRA averaged": (2.0, 3.0)}


def seconds(learner, X, y):
    time.sleep(PAUSE)
    began = time.perf_counter()
    learner.fit(X, y)
    return time.perf_counter() - began


def alternate(ours, X, theirs, X_theirs, y, repeats):
    best = [np.inf, np.inf]
    for _ in range(repeats):
        best = [min(best[0], seconds(ours, X, y)), min(best[1], seconds(theirs, X_theirs, y))]
    return best


def compare(repeats):
    """Print and yield one row per learner, kind of values and pair of types."""
    for ngrams, columns in ((1, "unigrams"), (2, "uni+bigrams")):
        for values in ("presence", "counts"):
            X, y, X_test, y_test = imdb(ngrams)
            if values == "presence":
                X.data[:], X_test.data[:] = 1, 1
            single, double, X_test = X.astype(np.float32), X.astype(np.float64), X_test.astype(np.float64)
            print(f"\n{columns}, {values}: {X.shape[0]} rows, {X.shape[1]} columns, {X.nnz} entries; milliseconds")
            print(f"{'':16}{'types':9}{'ours':>8}{'theirs':>9}{'ratio':>8}{'bar':>7}{'test, ours':>13}{'theirs':>9}")
            for name, (ours, theirs) in PAIRS.items():
                for types, mine, other in (
                    ("f32/f64", single, double),
                    ("f32/f32", single, single),
                    ("f64/f64", double, double),
                ):
                    a, b = alternate(ours, mine, theirs, other, y, repeats)
                    bar = BARS[name][ngrams - 1] if (values, types) == ("presence", "f32/f64") else None
                    tests = [f"{100 * learner.score(X_test, y_test):.1f} %" for learner in (ours, theirs)]
                    target = f"{bar}×" if bar else ""
                    print(f"{name:16}{types:9}{1e3 * a:8.1f}{1e3 * b:9.1f}{b / a:7.2f}×{target:>7}", end="")
                    print(f"{tests[0]:>13}{tests[1]:>9}", flush=True)
                    yield {
                        "columns": columns, "values": values, "name": name, "types": types,
                        "ours": a, "theirs": b, "bar": bar,
                    }  # fmt: skip
            averaging_costs(single, y, repeats)
    memory(single, y)


def averaging_costs(X, y, repeats):
    plain, mean = alternate(Perceptron(**EPOCHS), X, AveragedPerceptron(**EPOCHS), X, y, 2 * repeats)
    print(f"averaging costs {100 * (mean / plain - 1):+.0f} % ({1e3 * plain:.1f} → {1e3 * mean:.1f} ms; bar +20 %)")


def memory(X, y):
    """Print the memory that fitting allocates beyond the input, and the size of the arrays that it needs."""
    stored = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6
    print(f"\npeak allocation of fit beyond the input of {stored:.0f} MB, float32, uni+bigrams")
    one = 4 * (X.shape[1] + 1)
    for learner, arrays in ((Perceptron(), 1), (AveragedPerceptron(), 3), (MIRA(), 3), (AROW(), 2)):
        tracemalloc.start()
        learner.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        name = type(learner).__name__
        print(f"{name:20}{peak / 1e6:6.1f} MB, of which weights and averages or variances {arrays * one / 1e6:.1f} MB")


def import_time():
    def best(statement):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        return 1e3 * min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7))

    print(f"\nimport textperceptron {best('import textperceptron'):.1f} ms, ", end="")
    print(f"with the engine {best('import textperceptron.learn.rules'):.0f} ms, ", end="")
    print(f"numpy and scipy.sparse {best('import numpy, scipy.sparse'):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", help="write the rows to this file as well")
    options = parser.parse_args()
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, best of {options.repeats} alternating runs")
    rows = list(compare(options.repeats))
    import_time()
    below = [row for row in rows if row["bar"] and row["theirs"] / row["ours"] < row["bar"]]
    print(f"\n{len(below)} of {sum(1 for row in rows if row['bar'])} figures with a bar are below it")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
