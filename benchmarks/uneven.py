"""Two classes, one of them rare: accuracy and F1 of the rare class, ours and peers.

    python benchmarks/uneven.py                     1 : 2, 1 : 10 and 1 : 50
    python benchmarks/uneven.py --corpora RT-s
    python benchmarks/uneven.py --ratios            what log-count ratios gain at 1 : 4, 5 and 6

Halves of RT-s, Subj and IMDB's training split (at most 6,000 reviews per class), from which texts of one class are
removed. Trained on one half and measured on the other, with the same class ratio; the mean of two runs, one per rare
class. No text of a test split is read. Peers have tf-idf of words and characters, as in world.py, and
class_weight="balanced", once with the decision at 0 and once at the threshold of the greatest F1 in 5-fold
cross-validation on the training half, which is what threshold="f1" does.

The second table has thresholds by recall and by cost: recall and precision of the rare class on the test half, and what
was found on held-out texts of the training half; of the cost also the mean cost per 100 texts, with and without it.

--ratios removes texts of one class from the training parts of 13 corpora, and compares the recipe with log-count ratios
and without in 3-fold cross-validation.
"""

from __future__ import annotations

import argparse
import itertools
import warnings

import numpy as np
from accuracy import BEST, FOLDS
from data import imdb_texts, labelled, zipped
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import LinearSVC
from world import words_and_characters

from textperceptron import TextModel
from textperceptron.learn.threshold import best_threshold

ROWS = {
    "best": BEST,
    "best, log-count ratios": BEST.replace(column_weight="log_count_ratio"),
    "best, class weight balanced": BEST.replace(class_weight="balanced"),
    "best, threshold f1": BEST.replace(threshold="f1"),
    "mira": "mira",
}
ASKED = ("recall=0.8", "recall=0.9", "cost=5")
PEERS = {
    "LinearSVC, balanced": LinearSVC(class_weight="balanced"),
    "LogisticRegression, balanced": LogisticRegression(class_weight="balanced", solver="liblinear"),
}
MAX_TEXTS = 6000  # per class
TWO_CLASSES = (
    "ar_restaurants", "bn_sentiment", "germeval2018", "kk_polarity", "nl_bol", "pt_hatebr", "tr_movies",
    "tweeteval_irony", "zh_waimai",
)  # fmt: skip


def halves(texts, labels, times, seed):
    """Return training and test texts with labels, with ``times`` texts of one class per text of the other."""
    rng = np.random.default_rng(seed)
    rare, common = (rng.permutation(np.flatnonzero(labels == label)) for label in np.roll(np.unique(labels), seed))
    n = min(MAX_TEXTS, len(common) // 2)
    few = n // times
    chosen = np.concatenate([common[:n], rare[:few]]), np.concatenate([common[n : 2 * n], rare[few : 2 * few]])
    return [([texts[i] for i in each], labels[each].tolist()) for each in chosen]


def predictions(learn, texts, rare):
    """Return the predictions of every row for texts: whether they are of the rare class."""
    found = {row: np.array(TextModel.train(*learn, settings).predict(texts)) for row, settings in ROWS.items()}
    found = {row: labels == rare for row, labels in found.items()}
    if not PEERS:
        return found
    vectoriser, is_rare = words_and_characters(), np.array(learn[1]) == rare
    X, X_test = vectoriser.fit_transform(learn[0]).tocsr(), vectoriser.transform(texts)
    for row, model in PEERS.items():
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        held_out = cross_val_predict(model, X, is_rare, cv=folds, method="decision_function", n_jobs=2)
        scores = model.fit(X, is_rare).decision_function(X_test)
        found[row] = scores > 0
        found[f"{row}, threshold by F1"] = scores > best_threshold(held_out, is_rare)
    return found


def asked(learn, texts, is_rare, rare):
    """Return for each rule recall and precision on held-out texts and on others, and the costs of the others."""
    plain = np.array(TextModel.train(*learn, BEST).predict(texts)) == rare
    found = {}
    for rule in ASKED:
        model = TextModel.train(*learn, BEST.replace(threshold=rule))
        predicted, chosen = np.array(model.predict(texts)) == rare, model.thresholds[rare]
        on_test = recall_score(is_rare, predicted), precision_score(is_rare, predicted, zero_division=0)
        found[rule] = (chosen.recall, chosen.precision, *on_test, cost(is_rare, predicted), cost(is_rare, plain))
    return found


def gains_of_ratios(texts, labels, times, seed):
    """Return the rare texts in training, and what log-count ratios gain in accuracy and macro F1."""
    rng = np.random.default_rng([seed, times])
    rare, common = (rng.permutation(np.flatnonzero(labels == label)) for label in np.roll(np.unique(labels), seed))
    few = min(min(MAX_TEXTS, len(common)) // times, len(rare))
    chosen = np.concatenate([common[: few * times], rare[:few]])
    measured = {}
    for ratios in (None, "log_count_ratio"):
        settings = BEST.replace(column_weight=ratios, interpolation=BEST.learner.interpolation if ratios else None)
        predicted = labels[chosen].copy()
        for train, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(chosen, labels[chosen]):
            model = TextModel.train([texts[i] for i in chosen[train]], labels[chosen[train]].tolist(), settings)
            predicted[test] = model.predict([texts[i] for i in chosen[test]])
        truth = labels[chosen]
        measured[ratios] = np.array([accuracy_score(truth, predicted), f1_score(truth, predicted, average="macro")])
    return few * 2 // 3, 100 * (measured["log_count_ratio"] - measured[None])


def print_gains_of_ratios():
    """Print a line per corpus, class ratio and rare class."""
    for name in (*FOLDS, "IMDB", *TWO_CLASSES):
        texts, labels = labelled(f"world/{name}.train") if name in TWO_CLASSES else corpus(name)
        for times, seed in itertools.product((4, 5, 6), (0, 1)):
            few, (accuracy, f1) = gains_of_ratios(texts, np.asarray(labels), times, seed)
            print(f"{name:16} 1 : {times}, {few:4} rare texts: accuracy {accuracy:+.1f}, macro F1 {f1:+.1f}")


def corpus(name):
    """Return texts and labels of a corpus of reviews, without its test split."""
    return imdb_texts("train") if name == "IMDB" else zipped(FOLDS[name])


def cost(is_rare, predicted, of_miss=5):
    """Return the mean cost per 100 texts, if a miss costs ``of_miss`` and a false alarm 1."""
    return 100 * np.mean(of_miss * (is_rare & ~predicted) + (predicted & ~is_rare))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpora", default="RT-s,Subj,IMDB", help="comma-separated names")
    parser.add_argument("--times", default="2,10,50", help="texts of the other class per text of the rare class")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="leave the peers out")
    parser.add_argument("--ratios", action="store_true", help="compare log-count ratios with none, on 13 corpora")
    given = parser.parse_args()
    if given.ratios:
        print_gains_of_ratios()
        return
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    if not given.peers:
        PEERS.clear()
    columns = [(name, int(times)) for name in given.corpora.split(",") for times in given.times.split(",")]
    table, reached = {}, {}
    for name, times in columns:
        texts, labels = corpus(name)
        for seed in (0, 1):
            learn, (others, theirs) = halves(texts, np.asarray(labels), times, seed)
            rare = np.roll(np.unique(labels), seed)[0]
            is_rare = np.array(theirs) == rare
            for rule, figures in asked(learn, others, is_rare, rare).items():
                reached.setdefault((rule, name, times), []).append(figures)
            for row, found in predictions(learn, others, rare).items():
                measured = accuracy_score(is_rare, found), f1_score(is_rare, found, zero_division=0)
                table.setdefault((row, name, times), []).append(measured)
    print("Accuracy, and F1 of the rare class, in %\n")
    print(f"| |{'|'.join(f'{name} 1 : {times}' for name, times in columns)}|\n|---|{'---|' * len(columns)}")
    for row in dict.fromkeys(row for row, _, _ in table):
        means = [np.mean(table[row, *column], axis=0) for column in columns]
        print(f"| {row} | {' | '.join(f'{100 * right:.1f}, {100 * f1:.1f}' for right, f1 in means)} |")
    print(
        "\nRecall, precision of the rare class in % on held-out texts → on the test half; cost per 100 texts, without\n"
    )
    print(f"| |{'|'.join(f'{name} 1 : {times}' for name, times in columns)}|\n|---|{'---|' * len(columns)}")
    for rule in ASKED:
        print(f"| {rule} |", end="")
        for column in columns:
            mean = np.mean(reached[rule, *column], axis=0)
            held_out, test = (
                f"{100 * recall:.1f}, {100 * precision:.1f}" for recall, precision in (mean[:2], mean[2:4])
            )
            print(f" {held_out} → {test}" + (f"; {mean[4]:.1f}, {mean[5]:.1f}" if rule == "cost=5" else ""), end=" |")
        print()


if __name__ == "__main__":
    main()
