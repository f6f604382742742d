"""The default recipe on corpora with several labels per text, beside one-vs-rest LinearSVC on words and characters.

    python benchmarks/several_labels.py                    both corpora
    python benchmarks/several_labels.py goemotions
    python benchmarks/several_labels.py --choices          r and thresholds, on folds of the training texts

Ours is ``TextModel.train(texts, sets)``, with no setting changed, and with ``threshold="0"``. LinearSVC gets tf-idf
(sublinear) of 1-2-grams of words and 2-5-grams of characters within words, side by side; C from 0.1, 0.3, 1, 3, 10 has
the best micro F1 on a fifth of the training texts, of a model of the others. Its thresholds are 0, or chosen by
``best_thresholds`` on the scores of five folds, by the rule of our own. Nothing is chosen on the test split.

``--choices`` trains on the rest of each of two folds, chooses thresholds on five folds of the rest, and scores the
fold. Macro F1 is the mean over all labels of the corpus. Seconds are CPU seconds of text → model on one thread.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from data import DATA, labelled
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC

from textperceptron import TextModel
from textperceptron.learn import LabelSets
from textperceptron.learn.threshold import N_FOLDS, best_threshold, best_thresholds, stratified_folds
from textperceptron.report import folds, hold_out
from textperceptron.settings import recipe

warnings.filterwarnings("ignore", category=ConvergenceWarning)
warnings.filterwarnings("ignore", message="Label .* is present in all training examples")
warnings.filterwarnings("ignore", message="Label not .* is present in all training examples")

CORPORA = ["reuters90", "goemotions"]
GRID = [0.1, 0.3, 1.0, 3.0, 10.0]
R = [2.0, 8.0, 16.0, 32.0]


def load(name, part):
    """Return the texts of a part of a corpus, and their labels as tuples."""
    texts, labels = labelled(f"world/{name}.{part}")
    return texts, [tuple(label.split("|")) for label in labels.tolist()]


def indicator(sets, names):
    """Return an array of whether each text has each label."""
    has = np.zeros((len(sets), len(names)), bool)
    code_of = {name: code for code, name in enumerate(names)}
    for row, labels in enumerate(sets):
        has[row, [code_of[label] for label in labels]] = True
    return has


def label_sets(has):
    """Return the label sets of an indicator."""
    starts = np.append(0, np.cumsum(has.sum(axis=1))).astype(np.int64)
    return LabelSets(starts, np.nonzero(has)[1].astype(np.int32))


def figures(true, found, seconds):
    """Return micro and macro F1 in percent, exact matches, and the seconds."""
    f1 = [f1_score(true, found, average=average, zero_division=0) for average in ("micro", "macro")]
    return [
        *(round(100 * each, 1) for each in f1),
        round(100 * (true == found).all(axis=1).mean(), 1),
        round(seconds, 1),
    ]


def ours(texts, sets, test, true, names, **changes):
    """Return the figures of the default recipe."""
    start = time.process_time()
    model = TextModel.train(texts, sets, recipe("best").replace(**changes), n_jobs=1)
    seconds = time.process_time() - start
    found = np.zeros(true.shape, bool)
    found[:, [names.index(label) for label in model.classes]] = model.scores(test) > 0
    return figures(true, found, seconds)


def svm(c):
    """Return one-vs-rest LinearSVC."""
    return OneVsRestClassifier(LinearSVC(C=c))


def linear_svc(texts, has, test, true, known):
    """Return C, and the figures with thresholds at 0 and by F1; ``known`` are the labels with training texts."""
    vectorizer = make_union(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True),
    )
    start = time.process_time()
    rows = vectorizer.fit_transform(texts).tocsr()
    reading = time.process_time() - start
    sets = label_sets(has)
    rest, held_out = hold_out(list(map(tuple, map(np.flatnonzero, has))), 0.2)

    def micro(c):
        found = svm(c).fit(rows[rest], has[rest]).predict(rows[held_out])
        return f1_score(has[held_out], found, average="micro", zero_division=0)

    best = max(GRID, key=micro)
    start = time.process_time()
    model = svm(best).fit(rows, has)
    seconds = reading + time.process_time() - start
    scores = model.decision_function(vectorizer.transform(test))
    start = time.process_time()
    held_out = stratified_folds(sets.rarest(has.shape[1]), np.ones(len(has), bool), 0)
    own = [svm(best).fit(rows[others(fold, len(has))], has[others(fold, len(has))]) for fold in held_out]
    out_of_fold = np.concatenate([each.decision_function(rows[fold]) for each, fold in zip(own, held_out, strict=True)])
    thresholds = best_thresholds(out_of_fold, sets.take(np.concatenate(held_out)))
    choosing = time.process_time() - start
    found = {}
    for name, limit, extra in (("0", 0.0, 0.0), ("by F1", thresholds, choosing)):
        predicted = np.zeros(true.shape, bool)
        predicted[:, known] = scores > limit
        found[name] = figures(true, predicted, seconds + extra)
    return best, found


def others(fold, n_rows):
    """Return the rows that are not in a fold."""
    return np.setdiff1d(np.arange(n_rows), fold)


def compare(name):
    """Print the figures of a corpus."""
    texts, sets = load(name, "train")
    test, test_sets = load(name, "test")
    names = sorted({label for labels in (*sets, *test_sets) for label in labels})
    has, true = indicator(sets, names), indicator(test_sets, names)
    print(
        f"{name}: {len(texts):,} and {len(test):,} texts, {len(names)} labels; micro F1, macro F1, all right, seconds"
    )
    print("  default           ", *ours(texts, sets, test, true, names), flush=True)
    print("  default, threshold 0", *ours(texts, sets, test, true, names, threshold="0"), flush=True)
    known = np.flatnonzero(has.any(axis=0))
    best, found = linear_svc(texts, has[:, known], test, true, known)
    for threshold, each in found.items():
        print(f"  LinearSVC, C = {best:g}, threshold {threshold:6}", *each, flush=True)


def choose(name):
    """Print micro and macro F1 of values of r and of rules for thresholds, on folds of the training texts."""
    texts, sets = load(name, "train")
    names = sorted({label for labels in sets for label in labels})
    has = indicator(sets, names)
    for r in R:
        found = {rule: np.zeros(has.shape, bool) for rule in ("0", "own", "common", "halfway")}
        for rest, held_out in folds(sets, 2):
            own_sets = label_sets(has[rest])
            inner = stratified_folds(own_sets.rarest(len(names)), np.ones(len(rest), bool), 0)

            def scores(train, test, r=r):
                settings = recipe("best").replace(r=r, threshold="0")
                model = TextModel.train([texts[k] for k in train], [sets[k] for k in train], settings, classes=names)
                return model.scores([texts[k] for k in test])

            parts = [scores(rest[others(fold, len(rest))], rest[fold]) for fold in inner]
            out_of_fold, true = np.concatenate(parts), has[rest][np.concatenate(inner)]
            own = np.array([best_threshold(*pair) for pair in zip(out_of_fold.T, true.T, strict=True)])
            common = best_threshold(out_of_fold.ravel(), true.ravel())
            halfway = best_thresholds(out_of_fold, label_sets(true))
            final = scores(rest, held_out)
            for rule, limit in (("0", 0.0), ("own", own), ("common", common), ("halfway", halfway)):
                found[rule][held_out] = final > limit
        print(
            name, json.dumps({"r": r} | {rule: figures(has, each, 0)[:3] for rule, each in found.items()}), flush=True
        )


def main():
    """Run the corpora that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=CORPORA)
    parser.add_argument("--choices", action="store_true")
    options = parser.parse_args()
    assert N_FOLDS == 5, "the docstring says five folds"
    if not DATA.exists():
        raise SystemExit(f"{DATA}: no corpora")
    for name in options.names:
        (choose if options.choices else compare)(name)


if __name__ == "__main__":
    main()
