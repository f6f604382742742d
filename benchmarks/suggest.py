"""Accuracy against number of labels: texts chosen at random, and by ``textperceptron suggest``.

    python benchmarks/suggest.py

Starts from 50 texts chosen at random and adds 50 at a time, chosen by a model of the texts so far; the same random
texts begin both. Accuracy on texts that are never chosen: the test split, or a random quarter. The mean over seeds; the
recipe is the default one. The rule was compared with others (a cosine of 0.3, no diversity, margins relative to the sum
of contributions, draws from the quarter with the smallest margins) on RT-s and on the emotions of tweets; nothing was
chosen on Subj and TREC.
"""

from __future__ import annotations

import argparse

import numpy as np
from data import labelled, zipped

from textperceptron import TextModel
from textperceptron.report import suggest_texts

SIZES = (50, 100, 200, 400, 800)


def grow(texts, labels, test, start, rng, suggests):
    """Return the accuracy at each size."""
    known, figures = list(start), []
    for size in SIZES:
        while len(known) < size:
            step = min(size - len(known), 50)
            left = sorted(set(range(len(texts))) - set(known))
            if suggests:
                model = TextModel.train([texts[k] for k in known], [labels[k] for k in known])
                known += [left[each.index] for each in suggest_texts(model, [texts[k] for k in left], step)]
            else:
                known += rng.choice(left, step, replace=False).tolist()
        model = TextModel.train([texts[k] for k in known], [labels[k] for k in known])
        figures.append(np.mean(np.array(model.predict(test[0])) == np.array(test[1])))
    return figures


def corpora():
    """Yield name, training texts and labels, test texts and labels."""
    for name, folder in (("Subj", "subjectivity"), ("RT-s", "sentence_polarity")):
        texts, y = zipped(folder)
        order = np.random.default_rng(0).permutation(len(texts)).tolist()
        cut = len(order) // 4
        yield name, *(([texts[k] for k in part], [y[k] for k in part]) for part in (order[cut:], order[:cut]))
    yield "TREC", labelled("trec.train"), labelled("trec.test")
    yield "emotion", *(labelled(f"world/tweeteval_emotion.{part}") for part in ("train", "test"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    n_seeds = parser.parse_args().seeds
    for name, (texts, y), test in corpora():
        labels = [str(label) for label in y]
        found = {False: [], True: []}
        for seed in range(n_seeds):
            start = np.random.default_rng(seed).choice(len(texts), SIZES[0], replace=False).tolist()
            for suggests, figures in found.items():
                rng = np.random.default_rng([seed, 1])
                figures.append(grow(texts, labels, (test[0], [str(each) for each in test[1]]), start, rng, suggests))
        print(f"{name:10}" + "".join(f"{size:8}" for size in SIZES), flush=True)
        for suggests, figures in found.items():
            row = "".join(f"{100 * figure:8.1f}" for figure in np.mean(figures, axis=0))
            print(("suggested " if suggests else "random    ") + row, flush=True)


if __name__ == "__main__":
    main()
