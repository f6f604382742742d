"""Effect of each choice in the recipe "best": the recipe with one setting changed, on folds reported nowhere else.

    python benchmarks/choices.py                          every corpus, about ten minutes on one core
    python benchmarks/choices.py --corpora RT-s,TREC

RT-s, Subj and RT-2k: ten stratified, shuffled folds of the seeds 10, 11 and 12. SST-fine and TREC: the same of their
training splits. IMDB: 8,000 reviews of its training split, held out three times. 20news: one of three folds of its
training split. No text of a test split is read, and no fold of the seeds 0 to 2, which accuracy.py reports.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from accuracy import BEST, FOLDS, SPLITS, Bag, Corpus, n_correct
from data import imdb_texts, labelled, zipped
from sklearn.model_selection import StratifiedKFold

SEEDS = (10, 11, 12)
CHOICES = {
    "best": BEST,
    "no n-grams of characters": BEST.replace(characters=0),
    "3 characters": BEST.replace(characters=3),
    "5 characters": BEST.replace(characters=5),
    "n-grams at 0.4 of a word": BEST.replace(character_weight=0.4),
    "n-grams at 1 of a word": BEST.replace(character_weight=1.0),
    "presence": BEST.replace(binary=True),
    "log counts": BEST.replace(binary=False),
    "no negation": BEST.replace(negation=False),
    "no punctuation": BEST.replace(token_pattern=r"(?u)\b\w+\b"),
    "1-3-grams": BEST.replace(ngram_range=(1, 3)),
    "equal smoothing for all classes": BEST.replace(ratio_balanced=False),
    "no ratios": BEST.replace(column_weight=None),
    "interpolation 0.25": BEST.replace(interpolation=0.25),
    "interpolation 0.5": BEST.replace(interpolation=0.5),
    "no interpolation": BEST.replace(interpolation=None),
    "no logit adjustment": BEST.replace(logit_adjustment=0.0),
    "r = 0.7": BEST.replace(r=0.7),
    "r = 2": BEST.replace(r=2.0),
    "2 epochs": BEST.replace(max_iter=2),
    "10 epochs": BEST.replace(max_iter=10),
    "averaged MIRA with C = 0.5": BEST.replace(learner="mira", C=0.5, max_iter=10),
    "averaged perceptron": BEST.replace(learner="averaged", max_iter=10),
}


def load(name):
    """Return a corpus with splits that accuracy.py does not report."""
    if name in FOLDS:
        texts, labels = zipped(FOLDS[name])
    else:
        texts, labels = imdb_texts("train") if name == "IMDB" else labelled(f"{SPLITS[name]}.train")
    if name == "IMDB":
        orders = (np.random.default_rng(seed).permutation(len(labels)) for seed in SEEDS)
        splits = [(np.sort(order[8000:]), np.sort(order[:8000])) for order in orders]
    elif name == "20news":
        splits = list(StratifiedKFold(3, shuffle=True, random_state=SEEDS[0]).split(labels, labels))[:1]
    else:
        splits = [
            split
            for seed in SEEDS
            for split in StratifiedKFold(10, shuffle=True, random_state=seed).split(labels, labels)
        ]
    return Corpus(name, texts, labels, splits, "")


def accuracies(name, rows):
    """Return the accuracy of every row on a corpus, in %; rows with the same text settings share a bag."""
    corpus, found = load(name), {}
    n = sum(len(test) for _, test in corpus.splits)
    for text in dict.fromkeys(replace(CHOICES[row].text, norm=None) for row in rows):
        bag = Bag(corpus, text)
        for row in rows:
            if replace(CHOICES[row].text, norm=None) == text:
                found[row] = 100 * sum(n_correct(CHOICES[row], bag, corpus, split) for split in corpus.splits) / n
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpora", default=",".join([*FOLDS, *SPLITS]), help="comma-separated names")
    parser.add_argument("--rows", default=",".join(CHOICES), help="comma-separated names")
    given = parser.parse_args()
    names, rows = given.corpora.split(","), given.rows.split(",")
    found = {name: accuracies(name, rows) for name in names}
    print(f"| |{'|'.join(names)}|\n|---|{'---|' * len(names)}")
    for row in rows:
        print(f"| {row} | {' | '.join(f'{found[name][row]:.2f}' for name in names)} |")


if __name__ == "__main__":
    main()
