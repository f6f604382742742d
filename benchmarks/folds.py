"""Accuracy of each learner on three review corpora, 10 folds, and on IMDB's test split.

    python benchmarks/folds.py

Uni+bigrams, presence (values of 1), default settings except those printed; folds are stratified and shuffled
with seeds 0 to 2, and the figure is the mean over the 30 folds. Nothing is chosen on these figures.
"""

from __future__ import annotations

import numpy as np
from data import imdb, zipped
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from textperceptron import AROW, MIRA, AveragedPerceptron, BagOfWords, BatchPerceptron, LogCountRatio, Perceptron

LEARNERS = {
    "Perceptron()": Perceptron(),
    "AveragedPerceptron()": AveragedPerceptron(),
    "MIRA(C=0.01)": MIRA(C=0.01),
    "MIRA(C=1)": MIRA(C=1),
    "AROW()": AROW(),
    "BatchPerceptron(max_iter=200)": BatchPerceptron(max_iter=200),
    "LogCountRatio, MIRA(C=0.01)": make_pipeline(LogCountRatio(), MIRA(C=0.01)),
    "LogCountRatio, AROW()": make_pipeline(LogCountRatio(), AROW()),
}


def folds(X, y, learner):
    scores = []
    for seed in range(3):
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
            scores.append(learner.fit(X[train], y[train]).score(X[test], y[test]))
    return 100 * np.mean(scores)


def main():
    figures = {name: [] for name in LEARNERS}
    for corpus in ("sentence_polarity", "subjectivity", "movie_reviews"):
        texts, y = zipped(corpus)
        X = BagOfWords(ngram_range=(1, 2), binary=True).fit_transform(texts)
        for name, learner in LEARNERS.items():
            figures[name].append(folds(X, y, learner))
    X, y, X_test, y_test = imdb(2)
    X, X_test = ((part > 0).astype(np.float32) for part in (X, X_test))
    for name, learner in LEARNERS.items():
        figures[name].append(100 * learner.fit(X, y).score(X_test, y_test))
    print(f"{'uni+bigrams, presence':32}{'RT-s':>7}{'Subj':>7}{'RT-2k':>7}{'IMDB':>7}")
    for name, row in figures.items():
        print(f"{name:32}" + "".join(f"{figure:7.1f}" for figure in row))


if __name__ == "__main__":
    main()
