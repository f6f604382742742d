"""Accuracy of learners and recipes on every corpus, step by step, and by size of the training set.

    python benchmarks/accuracy.py                  both tables, two processes
    python benchmarks/accuracy.py ladder           the steps from the perceptron to the recipe "best", and peers
    python benchmarks/accuracy.py curve            accuracy by the size of the training set
    python benchmarks/accuracy.py ladder --corpora RT-s,TREC --jobs 1 --seeds 1
    python benchmarks/accuracy.py all --rows best,fast             only these rows of both tables

The script prints above each figure what it is measured on. RT-s, Subj and RT-2k: 10 stratified, shuffled folds with the
seeds 0 to 2. IMDB, SST-fine, TREC and 20news: their test splits, by models trained on their training splits (SST-fine
without its dev split). Nothing is chosen on these figures: the settings of a row are the same for all corpora
(docs/accuracy.md explains their origin), and LinearSVC gets its C by 3-fold cross-validation within the training part
of the first split.

Texts are tokenised once per corpus and text settings; columns come from the training part of each split, so every
figure is that of ``TextModel.train`` on the training part, to the bit.
"""

from __future__ import annotations

import argparse
import functools
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from data import imdb_texts, labelled, zipped
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from textperceptron import WordPairs
from textperceptron.learn import check_rows
from textperceptron.model.classes import Classes
from textperceptron.model.text_profile import resolve_auto
from textperceptron.model.train import fit_rows
from textperceptron.report import wilson_interval
from textperceptron.settings import TextSettings, recipe
from textperceptron.text.counted_texts import count_texts
from textperceptron.text.csr import scale_rows, with_ones
from textperceptron.text.log_count_ratio import class_sums, log_count_ratios, scale_columns

FOLDS = {"RT-s": "sentence_polarity", "Subj": "subjectivity", "RT-2k": "movie_reviews"}
SPLITS = {"IMDB": "imdb", "SST-fine": "sst_fine", "TREC": "trec", "20news": "20news"}

BEST, MIRA = recipe("best"), recipe("mira")
RATIOS = MIRA.replace(column_weight="log_count_ratio", multiclass="one-vs-all")
INTERPOLATED = RATIOS.replace(interpolation=BEST.learner.interpolation)
LADDER = {
    "perceptron": recipe("perceptron"),
    "averaged": recipe("averaged"),
    "MIRA": MIRA,
    "+ log-count ratio": RATIOS,
    "+ interpolation": INTERPOLATED,
    "+ 1-3-grams": INTERPOLATED.replace(ngram_range=(1, 3)),
    "+ conjunctions with negators": INTERPOLATED.replace(conjunctions=WordPairs().settings()),
    "voted": recipe("perceptron").replace(learner="voted", max_iter=1),
    "AROW": MIRA.replace(learner="arow"),
    "fast without negation, prefixes": recipe("fast").replace(negation=False, prefixes=0),
    "fast": recipe("fast"),
    "best": BEST,
}
CURVE = {"perceptron": recipe("perceptron"), "MIRA": MIRA, "best": BEST}
SVC, NBSVM = "LinearSVC, tf-idf", "NBSVM"
COUNTS = TextSettings(ngram_range=(1, 2))
GRID = [0.1, 0.3, 1.0, 3.0, 10.0]
SIZES = [250, 500, 1000, 2000, 4000, 8000, 16000]


@dataclass(frozen=True)
class Corpus:
    """Texts, labels, and the splits into training and test texts."""

    name: str
    texts: list
    labels: np.ndarray
    splits: list
    measured_on: str


def load(name, seeds):
    """Return a corpus by its name in papers."""
    if name in FOLDS:
        texts, labels = zipped(FOLDS[name])
        splits = [
            split
            for seed in range(seeds)
            for split in StratifiedKFold(10, shuffle=True, random_state=seed).split(labels, labels)
        ]
        return Corpus(name, texts, labels, splits, f"10 folds, seeds 0 to {seeds - 1}, {len(labels)} texts")
    read = imdb_texts if name == "IMDB" else lambda part: labelled(f"{SPLITS[name]}.{part}")
    (train, y), (test, y_test) = read("train"), read("test")
    split = np.arange(len(y)), np.arange(len(y), len(y) + len(y_test))
    return Corpus(name, [*train, *test], np.concatenate([y, y_test]), [split], f"test split, {len(y_test)} texts")


class Bag:
    """The terms of all texts of a corpus; the rows of a split have the columns of its training part."""

    def __init__(self, corpus, part):
        self.part, _ = resolve_auto(corpus.texts, part, len(np.unique(corpus.labels)))
        self.counted = count_texts(corpus.texts, self.part, unique=self.part.binary)

    def split(self, train, test, norm=None):
        """Return the training rows and the test rows."""
        part = replace(self.part, norm=norm)
        columns = self.counted.choose(part, train)
        rows = (with_ones(self.counted.rows(columns, part, which)) for which in (train, test))
        return [scale_rows(each, part, columns.n_words) for each in rows]


def n_correct(settings, bag, corpus, split):
    """Return the number of test texts of a split that a model trained on its training part classifies correctly."""
    train, test = split
    classes = Classes.among(corpus.labels.tolist())
    codes = classes.codes(corpus.labels.tolist())
    rows, others = bag.split(train, test, settings.text.norm)
    model = fit_rows(check_rows(*rows), codes[train], classes, settings.learner).model
    return int((model.codes(check_rows(*others)) == codes[test]).sum())


def as_matrix(rows):
    return sp.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(len(rows.indptr) - 1, rows.n_columns))


def tfidf(bag, split):
    rows, others = map(as_matrix, bag.split(*split))
    weigh = TfidfTransformer().fit(rows)
    return weigh.transform(rows), weigh.transform(others)


def best_c(bag, corpus):
    """Return the best C by cross-validation within the training part of the first split."""
    train, _ = corpus.splits[0]
    X, _ = tfidf(bag, corpus.splits[0])
    search = GridSearchCV(LinearSVC(random_state=0), {"C": GRID}, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    return float(search.fit(X, corpus.labels[train]).best_params_["C"])


def svc_correct(C, bag, corpus, split):
    X, Z = tfidf(bag, split)
    train, test = split
    predicted = LinearSVC(C=C, random_state=0).fit(X, corpus.labels[train]).predict(Z)
    return int((predicted == corpus.labels[test]).sum())


def nbsvm_correct(bag, corpus, split):
    """Wang & Manning's NBSVM on presence: their C = 1, alpha = 1 and interpolation of a quarter; one-vs-all."""
    train, test = split
    X, Z = map(as_matrix, bag.split(train, test))
    X.data[:], Z.data[:] = 1, 1
    labels = np.unique(corpus.labels)
    scores = []
    for label in labels[1:] if len(labels) == 2 else labels:
        positive = corpus.labels[train] == label
        sums = class_sums(X.data, X.indices, X.indptr, X.shape[1], positive.astype(np.int64), 2)
        ratio = log_count_ratios(sums, 1.0)[0]
        weighed = [
            sp.csr_matrix((scale_columns(M.data, M.indices, ratio), M.indices, M.indptr), M.shape) for M in (X, Z)
        ]
        svm = LinearSVC(C=1.0, random_state=0).fit(weighed[0], positive)
        weights = 0.75 * np.abs(svm.coef_).mean() + 0.25 * svm.coef_.ravel()
        scores.append(weighed[1] @ weights + 0.25 * svm.intercept_[0])
    places = (scores[0] > 0).astype(int) if len(labels) == 2 else np.argmax(scores, axis=0)
    return int((labels[places] == corpus.labels[test]).sum())


def measured(name, seeds, group, rows):
    """Return the number of correct texts per row of a group and split; the rows share a bag."""
    corpus = load(name, seeds)
    found, notes = {}, {}
    if group == "peers":
        bag = Bag(corpus, COUNTS)
        C = best_c(bag, corpus)
        notes[SVC] = f"C = {C:g}"
        found[SVC] = [svc_correct(C, bag, corpus, split) for split in corpus.splits]
        found[NBSVM] = [nbsvm_correct(bag, corpus, split) for split in corpus.splits]
        return name, found, notes
    two = len(np.unique(corpus.labels)) == 2
    bag = Bag(corpus, group)
    for row, settings in LADDER.items():
        if row in rows and replace(settings.text, norm=None) == group and (two or settings.learner.learner != "voted"):
            found[row] = [n_correct(settings, bag, corpus, split) for split in corpus.splits]
    return name, found, notes


def groups(rows):
    """Return the text settings of rows of the ladder, and "peers" if these are among them."""
    found = dict.fromkeys(replace(LADDER[row].text, norm=None) for row in LADDER if row in rows)
    return [*found, *(["peers"] if {SVC, NBSVM} & rows else [])]


def curve(name, seeds, rows):
    """Return the accuracy of some rows by the number of training texts."""
    corpus = load(name, seeds)
    splits = corpus.splits[::10] if name in FOLDS else corpus.splits * seeds
    sizes = [size for size in SIZES if size < 0.9 * len(splits[0][0])]
    drawn = {row: settings for row, settings in CURVE.items() if row in rows}
    bags = {part: Bag(corpus, part) for part in {replace(s.text, norm=None) for s in drawn.values()} | {COUNTS}}
    C = best_c(bags[COUNTS], corpus) if SVC in rows else None
    found = {}
    for size in [*sizes, None]:
        for seed, (train, test) in enumerate(splits if size or name in FOLDS else splits[:1]):
            if size:
                shuffled = StratifiedShuffleSplit(1, train_size=size, random_state=seed)
                train = train[next(shuffled.split(train, corpus.labels[train]))[0]]
            split = train, test
            for row, settings in drawn.items():
                bag = bags[replace(settings.text, norm=None)]
                found.setdefault((row, size), []).append(n_correct(settings, bag, corpus, split) / len(test))
            if C is not None:
                found.setdefault((SVC, size), []).append(svc_correct(C, bags[COUNTS], corpus, split) / len(test))
    return name, len(splits[0][0]), found


def cell(rights, corpus, seeds):
    """Return a percentage with its interval; seeds repeat the same texts, so they do not narrow the interval."""
    n = sum(len(test) for _, test in corpus.splits) // (seeds if corpus.name in FOLDS else 1)
    share = sum(rights) / sum(len(test) for _, test in corpus.splits)
    low, high = wilson_interval(round(share * n), n)
    return f"{100 * share:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def largest_first(names):
    """Sort corpora by work, largest first, so that both processes end at about the same time."""
    return sorted(names, key=["20news", "IMDB", "RT-2k", "Subj", "RT-s", "SST-fine", "TREC"].index)


def print_ladder(names, seeds, jobs, rows):
    began = time.perf_counter()
    order = largest_first(names)
    cells, notes = {}, {}
    with ProcessPoolExecutor(jobs) as pool:
        works = [pool.submit(measured, name, seeds, group, rows) for name in order for group in groups(rows)]
        for work in works:
            name, found, noted = work.result()
            corpus = load_once(name, seeds)
            cells |= {(row, name): cell(rights, corpus, seeds) for row, rights in found.items()}
            notes |= {(row, name): note for row, note in noted.items()}
    print("Accuracy in %, 95 % interval in brackets (Wilson's, by the number of texts).")
    for name in names:
        print(f"{name}: {load_once(name, seeds).measured_on}; {SVC}: {notes.get((SVC, name), 'not measured')}")
    for row, settings in LADDER.items():
        print(f"{row}: {settings.describe()}")
    print(f"\n| |{'|'.join(names)}|\n|---|{'---|' * len(names)}")
    for row in [row for row in (*LADDER, SVC, NBSVM) if row in rows]:
        print(f"| {row} | {' | '.join(cells.get((row, name), '–') for name in names)} |")
    print(f"\n{time.perf_counter() - began:.0f} s")


@functools.cache
def load_once(name, seeds):
    corpus = load(name, seeds)
    return replace(corpus, texts=[])


def print_curve(names, seeds, jobs, rows):
    began = time.perf_counter()
    print("\nAccuracy in % by the number of texts to learn from; mean over as many random parts as there are seeds.")
    with ProcessPoolExecutor(jobs) as pool:
        works = {name: pool.submit(curve, name, seeds, rows) for name in largest_first(names)}
        for name, n_train, found in (works[name].result() for name in names):
            sizes = list(dict.fromkeys(size for _, size in found))
            where = "the first fold of each seed" if name in FOLDS else "the test split"
            print(f"\n{name}, measured on {where}\n")
            print(f"| |{'|'.join(str(size or n_train) for size in sizes)}|\n|---|{'---|' * len(sizes)}")
            for row in [row for row in (*CURVE, SVC) if row in rows]:
                print(f"| {row} | {' | '.join(f'{100 * np.mean(found[row, size]):.1f}' for size in sizes)} |")
    print(f"\n{time.perf_counter() - began:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", nargs="?", choices=["all", "ladder", "curve"], default="all")
    parser.add_argument("--corpora", default=",".join([*FOLDS, *SPLITS]), help="comma-separated names")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of the folds, and parts of the curve")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--rows", help="comma-separated rows of the tables (default: all)")
    given = parser.parse_args()
    rows = {*LADDER, SVC, NBSVM}
    if given.rows:
        rows &= set(given.rows.split(","))
    names = given.corpora.split(",")
    if unknown := set(names) - set(FOLDS) - set(SPLITS):
        parser.error(f"there is no corpus {unknown.pop()}: use {', '.join([*FOLDS, *SPLITS])}")
    if given.table in ("all", "ladder"):
        print_ladder(names, given.seeds, given.jobs, rows)
    if given.table in ("all", "curve"):
        print_curve(names, given.seeds, given.jobs, rows)


if __name__ == "__main__":
    main()
