"""Many classes compared with scikit-learn: 20 Newsgroups, a set of 100 classes, and accuracies on three corpora.

    python benchmarks/multiclass.py speed       seconds and ratios, alternating runs, best of several
    python benchmarks/multiclass.py accuracy    native, one-vs-all and one-vs-one on 20news, TREC and SST-fine
    python benchmarks/multiclass.py calibrated  expected calibration error on 20news and SST-fine

20news: tf-idf of unigrams with ``sublinear_tf=True``. The set of 100 classes: the same rows, each class divided into
five by a hash (CRC-32) of the posting's first line, so that the five share their words; it is for timing only. Both
sides run ten epochs without a stopping rule (ours stops a class early after an epoch without updates, which changes no
weight). Ours is float32, theirs float64, the default of each vectoriser.
"""

from __future__ import annotations

import sys
import time
import warnings
import zlib

import numpy as np
from data import labelled
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.multiclass import OneVsOneClassifier

from textperceptron import AROW, MIRA, AveragedPerceptron, BagOfWords, OneVsAll, OneVsOne, Perceptron
from textperceptron.learn.calibration import expected_calibration_error

warnings.filterwarnings("ignore", category=FutureWarning)  # the passive-aggressive classes are deprecated

THEIRS = {"max_iter": 10, "tol": None, "random_state": 0}
PAUSE = 0.2  # BLAS threads spin for a while after a call


def tfidf(name):
    """Return rows, labels and texts of train, rows and labels of test."""
    (train, y), (test, y_test) = labelled(f"{name}.train"), labelled(f"{name}.test")
    bag = BagOfWords()
    X, X_test = bag.fit_transform(train), bag.transform(test)
    weigh = TfidfTransformer(sublinear_tf=True).fit(X)
    return weigh.transform(X).astype(np.float32), y, train, weigh.transform(X_test).astype(np.float32), y_test


def seconds(work):
    time.sleep(PAUSE)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turn(works, repeats):
    best = [np.inf] * len(works)
    for _ in range(repeats):
        best = [min(time, seconds(work)) for time, work in zip(best, works, strict=True)]
    return best


def row(name, theirs, one, two, bar):
    target = f"{bar}×" if bar else ""
    print(f"{name:46}{theirs:8.2f} s{one:8.3f} s {theirs / one:6.1f}× {target:>5}", end="")
    print(f"{two:9.3f} s {theirs / two:6.1f}× {one / two:6.2f}×", flush=True)


def speed(repeats=3):
    X, y, texts, X_test, _ = tfidf("20news")
    wide, wide_test = X.astype(np.float64), X_test.astype(np.float64)
    parts = [zlib.crc32(text.split("\n", 1)[0][:80].encode()) % 5 for text in texts]
    hundred = np.array([f"{label}/{part}" for label, part in zip(y, parts, strict=True)])
    print(f"20news: {X.shape[0]} rows, {X.shape[1]} columns, {X.nnz} entries; {len(set(hundred))} classes when cut")
    print(f"{'':46}{'theirs':>10}{'one thread':>10}{'':14}{'':>7}{'two threads':>8}{'':11}{'one/two':>6}")
    averaged = SGDClassifier(loss="perceptron", average=True, penalty=None, learning_rate="constant", eta0=1, **THEIRS)
    passive = PassiveAggressiveClassifier(average=True, **THEIRS)
    for name, labels, ours, theirs, bar in (
        ("one-vs-all Perceptron, 20 classes", y, Perceptron(), TheirPerceptron(**THEIRS), 6),
        ("one-vs-all AveragedPerceptron, 20 classes", y, AveragedPerceptron(), averaged, 6),
        ("one-vs-all MIRA, averaged, 20 classes", y, MIRA(), passive, None),
        ("one-vs-all Perceptron, 100 classes", hundred, Perceptron(), TheirPerceptron(**THEIRS), 15),
        ("one-vs-all AveragedPerceptron, 100 classes", hundred, AveragedPerceptron(), averaged, 15),
    ):
        models = [OneVsAll(ours, n_jobs=jobs) for jobs in (1, 2)]
        fits = [lambda t=theirs, z=labels: t.fit(wide, z), *[lambda m=m, z=labels: m.fit(X, z) for m in models]]
        row(name, *in_turn(fits, repeats), bar)
    pairs = OneVsOneClassifier(TheirPerceptron(**THEIRS))
    ours = [OneVsOne(Perceptron(), n_jobs=jobs) for jobs in (1, 2)]
    fits = [lambda: pairs.fit(wide, y), *[lambda m=m: m.fit(X, y) for m in ours]]
    row("one-vs-one Perceptron, 20 classes", *in_turn(fits, repeats), 5)
    predicts = [lambda: pairs.predict(wide_test), *[lambda m=m: m.predict(X_test) for m in ours]]
    row("one-vs-one predicting", *in_turn(predicts, repeats), 30)
    native = [AveragedPerceptron(n_jobs=jobs).fit(X, y) for jobs in (1, 2)]
    theirs = averaged.fit(wide, y)
    predicts = [lambda: theirs.predict(wide_test), *[lambda m=m: m.predict(X_test) for m in native]]
    row("predicting, one vector per class", *in_turn(predicts, repeats), None)
    print(f"native AveragedPerceptron: {in_turn([lambda: AveragedPerceptron().fit(X, y)], repeats)[0]:.3f} s")


def accuracy():
    learners = [AveragedPerceptron(), MIRA(), AROW()]
    print(f"{'test accuracy, tf-idf unigrams':34}" + "".join(f"{name:>12}" for name in ("native", "vs all", "vs one")))
    for corpus in ("20news", "trec", "sst_fine"):
        X, y, _, X_test, y_test = tfidf(corpus)
        for learner in learners:
            models = (learner, OneVsAll(learner), OneVsOne(learner))
            scores = [100 * model.fit(X, y).score(X_test, y_test) for model in models]
            print(f"{corpus + ', ' + repr(learner):34}" + "".join(f"{score:10.2f} %" for score in scores), flush=True)
        theirs = PassiveAggressiveClassifier(average=True, **THEIRS).fit(X.astype(np.float64), y)
        print(f"{corpus + ', scikit-learn averaged PA-I':46}{100 * theirs.score(X_test, y_test):10.2f} %", flush=True)


def calibrated():
    print("expected calibration error, 15 bins, on the test split; a tenth of train held out to calibrate")
    for corpus in ("20news", "sst_fine"):
        X, y, _, X_test, y_test = tfidf(corpus)
        for model in (AveragedPerceptron(calibrate=True), MIRA(calibrate=True), AROW(calibrate=True),
                      OneVsAll(MIRA(), calibrate=True)):  # fmt: skip
            model.fit(X, y)
            p = model.predict_proba(X_test)
            error = expected_calibration_error(p, np.searchsorted(model.classes_, y_test))
            sure, right = p.max(axis=1).mean(), model.score(X_test, y_test)
            name = f"{corpus}, {model!r}"
            print(f"{name:54}ECE {error:.3f}   accuracy {right:.3f}   mean probability {sure:.3f}")


if __name__ == "__main__":
    tables = {"speed": speed, "accuracy": accuracy, "calibrated": calibrated}
    for table in sys.argv[1:] or list(tables):
        tables[table]()
        print()
