"""Wrong labels that ``textperceptron audit`` finds: 5 % of the labels are changed on purpose.

    python benchmarks/audit.py

Labels to change, and their new class, are drawn at random; the figures are means over three draws. Each corpus has
wrong labels of its own, which nobody counted: those that are found count as false alarms. The recipe and the number of
folds are the defaults of ``audit``.
"""

from __future__ import annotations

import numpy as np
from data import labelled, zipped

from textperceptron.report import audit_labels

CORPORA = {
    "RT-s": lambda: zipped("sentence_polarity"),
    "zh_waimai": lambda: labelled("world/zh_waimai.train"),
    "pl_hotels": lambda: labelled("world/pl_hotels.train"),
    "20news": lambda: labelled("20news.train"),
}


def changed(labels, share, seed):
    """Return labels of which a share has another class, and their indices."""
    rng, classes = np.random.default_rng(seed), sorted(set(labels))
    which = rng.choice(len(labels), round(share * len(labels)), replace=False)
    labels = list(labels)
    for k in which:
        labels[k] = rng.choice([label for label in classes if label != labels[k]])
    return list(map(str, labels)), set(which.tolist())


def main():
    print(f"{'':10}{'texts':>8}{'classes':>8}{'accuracy':>10}{'found in the first':>20}{'estimated wrong':>20}")
    print(f"{'':36}{'5 %':>10}{'10 %':>10}{'before':>10}{'after':>10}")
    for name, read in CORPORA.items():
        texts, y = read()
        labels = list(map(str, y))
        clean, found = audit_labels(texts, labels, count=1), []
        for seed in range(3):
            given, wrong = changed(labels, 0.05, seed)
            audit = audit_labels(texts, given, count=1)
            order = np.argsort(audit.margins).tolist()
            hits = [len(wrong & set(order[: factor * len(wrong)])) / len(wrong) for factor in (1, 2)]
            found.append([*hits, audit.n_wrong / len(texts)])
        first, second, after = np.mean(found, axis=0)
        print(
            f"{name:10}{len(texts):8,}{len(set(labels)):8}{clean.accuracy:10.1%}{first:10.1%}{second:10.1%}"
            f"{clean.n_wrong / len(texts):10.1%}{after:10.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
