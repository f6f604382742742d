"""Two classes of which one is rare: accuracy and macro-F1 with log-count ratios, without them, and of peers.

    python benchmarks/uneven.py                     one text of the rare class to 2, 3, 4, 10 and 50 of the other
    python benchmarks/uneven.py --corpora RT-s

Halves of RT-s, Subj and IMDB's training split (6,000 reviews of a class at most), from which texts of one class are
taken out: learnt on one half, measured on the other, uneven alike; the mean of two turns, each with another rare class.
No text of a test split is read.
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
MOST = 6000  # texts of a class


def halves(texts, labels, times, seed):
    """Return texts and labels to learn from and to measure on; one class has one text to so many of the other."""
    rng = np.random.default_rng(seed)
    rare, common = (rng.permutation(np.flatnonzero(labels == label)) for label in np.roll(np.unique(labels), seed))
    n = min(MOST, len(common) // 2)
    few = n // times
    chosen = np.concatenate([common[:n], rare[:few]]), np.concatenate([common[n : 2 * n], rare[few : 2 * few]])
    return [([texts[i] for i in each], labels[each].tolist()) for each in chosen]


def predictions(learn, texts):
    """Return what every row says about texts."""
    found = {row: TextModel.train(*learn, settings).predict(texts) for row, settings in ROWS.items()}
    for weight in (None, "balanced"):
        svm = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0, class_weight=weight))
        found[SVC if weight is None else f"{SVC}, {weight}"] = svm.fit(*learn).predict(texts)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpora", default="RT-s,Subj,IMDB", help="names with commas between")
    parser.add_argument("--times", default="2,3,4,10,50", help="texts of the other class to one of the rare class")
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
