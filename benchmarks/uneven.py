"""Two classes, one of them rare: accuracy and macro-F1 with and without log-count ratios, and of peers.

    python benchmarks/uneven.py                     1 : 2, 1 : 3, 1 : 4, 1 : 10 and 1 : 50
    python benchmarks/uneven.py --corpora RT-s

Halves of RT-s, Subj and IMDB's training split (at most 6,000 reviews per class), from which texts of one class are
removed. Trained on one half and measured on the other, with the same class ratio; the mean of two runs, one per rare
class. No text of a test split is read.
"""

from __future__ import annotations

import argparse

import numpy as np
from accuracy import BEST, FOLDS, SVC
from data import imdb_texts, zipped
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textperceptron import TextModel

RATIOS = BEST.replace(column_weight="log_count_ratio")
ROWS = {
    "best": BEST,
    "best, no ratios": BEST.replace(column_weight=None),
    "best, ratios": RATIOS,
    "… with equal smoothing": RATIOS.replace(ratio_balanced=False),
    "best, class weight balanced": BEST.replace(class_weight="balanced"),
    "mira": "mira",
}
MAX_TEXTS = 6000  # per class


def halves(texts, labels, times, seed):
    """Return training and test texts with labels, with ``times`` texts of one class per text of the other."""
    rng = np.random.default_rng(seed)
    rare, common = (rng.permutation(np.flatnonzero(labels == label)) for label in np.roll(np.unique(labels), seed))
    n = min(MAX_TEXTS, len(common) // 2)
    few = n // times
    chosen = np.concatenate([common[:n], rare[:few]]), np.concatenate([common[n : 2 * n], rare[few : 2 * few]])
    return [([texts[i] for i in each], labels[each].tolist()) for each in chosen]


def predictions(learn, texts):
    """Return the predictions of every row for texts."""
    found = {row: TextModel.train(*learn, settings).predict(texts) for row, settings in ROWS.items()}
    for weight in (None, "balanced"):
        svm = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0, class_weight=weight))
        found[SVC if weight is None else f"{SVC}, {weight}"] = svm.fit(*learn).predict(texts)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpora", default="RT-s,Subj,IMDB", help="comma-separated names")
    parser.add_argument("--times", default="2,3,4,10,50", help="texts of the other class per text of the rare class")
    given = parser.parse_args()
    columns = [(name, int(times)) for name in given.corpora.split(",") for times in given.times.split(",")]
    table = {}
    for name, times in columns:
        texts, labels = imdb_texts("train") if name == "IMDB" else zipped(FOLDS[name])
        for seed in (0, 1):
            learn, (others, theirs) = halves(texts, np.asarray(labels), times, seed)
            for row, found in predictions(learn, others).items():
                measured = accuracy_score(theirs, found), f1_score(theirs, found, average="macro")
                table.setdefault((row, name, times), []).append(measured)
    print("Accuracy in % and macro-F1\n")
    print(f"| |{'|'.join(f'{name} 1 : {times}' for name, times in columns)}|\n|---|{'---|' * len(columns)}")
    for row in dict.fromkeys(row for row, _, _ in table):
        means = [np.mean(table[row, *column], axis=0) for column in columns]
        print(f"| {row} | {' | '.join(f'{100 * right:.1f}, {f1:.2f}' for right, f1 in means)} |")


if __name__ == "__main__":
    main()
