"""Learners against scikit-learn's, ten epochs over IMDB, in alternating runs.

    python benchmarks/learners.py [--repeats 5] [--json FILE]

Both sides get the same rows (CountVectorizer's own column numbers), the same number of epochs without a stopping
rule, and the same labels. Each pair is timed in turn, ours then theirs, and the best of the repeats counts; what is
timed is the whole call of ``fit``, checks of the input included.

    f32/f64   ours on float32, theirs on float64 (what CountVectorizer's users have)
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
from corpora import imdb
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron

from textperceptron import AROW, MIRA, AveragedPerceptron, Perceptron

warnings.filterwarnings("ignore", category=FutureWarning)  # the passive-aggressive classes are deprecated

EPOCHS = {"max_iter": 10}
THEIRS = {**EPOCHS, "tol": None, "random_state": 0}
PAIRS = {
    "perceptron": (Perceptron(**EPOCHS), TheirPerceptron(**THEIRS)),
    "averaged": (
        AveragedPerceptron(**EPOCHS),
        SGDClassifier(loss="perceptron", average=True, penalty=None, learning_rate="constant", eta0=1, **THEIRS),
    ),
    "MIRA averaged": (MIRA(C=0.01, **EPOCHS), PassiveAggressiveClassifier(C=0.01, average=True, **THEIRS)),
}
# What an earlier measurement of a plain C loop made us promise: (unigrams, uni+bigrams), ours float32, theirs float64.
BARS = {"perceptron": (2.5, 2.0), "averaged": (3.0, 3.5), "MIRA averaged": (2.0, 3.0)}


def seconds(learner, X, y):
    began = time.perf_counter()
    learner.fit(X, y)
    return time.perf_counter() - began


def alternate(ours, X, theirs, X_theirs, y, repeats):
    best = [np.inf, np.inf]
    for _ in range(repeats):
        best = [min(best[0], seconds(ours, X, y)), min(best[1], seconds(theirs, X_theirs, y))]
    return best


def compare(repeats):
    for ngrams, columns in ((1, "unigrams"), (2, "uni+bigrams")):
        X, y, X_test, y_test = imdb(ngrams)
        print(f"\n{columns}: {X.shape[0]} rows, {X.shape[1]} columns, {X.nnz} entries; milliseconds for 10 epochs")
        print(
            f"{'':16}{'values':10}{'types':9}{'ours':>8}{'theirs':>9}{'ratio':>8}{'bar':>7}{'test, ours':>13}{'theirs':>8}"
        )
        for values in ("presence", "counts"):
            if values == "presence":
                X.data[:], X_test.data[:] = 1, 1
            else:
                X, y, X_test, y_test = imdb(ngrams)
            single, double = X.astype(np.float32), X.astype(np.float64)
            for name, (ours, theirs) in PAIRS.items():
                for types, mine, other in (
                    ("f32/f64", single, double),
                    ("f32/f32", single, single),
                    ("f64/f64", double, double),
                ):
                    a, b = alternate(ours, mine, theirs, other, y, repeats)
                    bar = BARS[name][ngrams - 1] if types == "f32/f64" else None
                    accuracies = [100 * learner.score(X_test.astype(np.float64), y_test) for learner in (ours, theirs)]
                    print(
                        f"{name:16}{values:10}{types:9}{1e3 * a:8.1f}{1e3 * b:9.1f}{b / a:7.2f}×{f'{bar}×' if bar else '':>7}"
                        f"{accuracies[0]:12.1f} %{accuracies[1]:7.1f} %",
                        flush=True,
                    )
                    yield dict(columns=columns, values=values, name=name, types=types, ours=a, theirs=b, bar=bar)
            averaging_costs(single, y, repeats)
    memory(single, y)


def averaging_costs(X, y, repeats):
    plain, averaged = alternate(Perceptron(**EPOCHS), X, AveragedPerceptron(**EPOCHS), X, y, 2 * repeats)
    print(
        f"averaging costs {100 * (averaged / plain - 1):+.0f} % ({1e3 * plain:.1f} → {1e3 * averaged:.1f} ms; bar +20 %)"
    )


def memory(X, y):
    """Print what fitting allocates beyond the input, beside the arrays that it cannot do without."""
    print("\npeak allocation of fit, float32, uni+bigrams")
    one = 4 * (X.shape[1] + 1)
    for learner, needed in ((Perceptron(), one), (AveragedPerceptron(), 3 * one), (MIRA(), 3 * one), (AROW(), 2 * one)):
        tracemalloc.start()
        learner.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{type(learner).__name__:20}{peak / 1e6:7.1f} MB   weights and averages or variances {needed / 1e6:.1f} MB,"
            f" input {(X.data.nbytes + X.indices.nbytes) / 1e6:.0f} MB"
        )


def import_time():
    def best(statement):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7))

    ours, theirs = best("import textperceptron"), best("import numpy, scipy.sparse")
    engine = best("import textperceptron.learn.rules")
    print(
        f"\nimport textperceptron {1e3 * ours:.1f} ms, with the engine {1e3 * engine:.0f} ms, numpy and scipy.sparse {1e3 * theirs:.0f} ms"
    )


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
