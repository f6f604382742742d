"""``textperceptron train CORPUS``: train on an embedded corpus and show what was learnt."""

from __future__ import annotations

import argparse
import io
import math
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import __version__
from textperceptron.corpus import Corpus, Documents, corpus_names, load_corpus
from textperceptron.learn import Plan, Run, check_rows, choose_layout, train
from textperceptron.learn.rules import MiraRule, NativeRule
from textperceptron.text.columns import ColumnSettings
from textperceptron.text.count import count_and_learn, count_known
from textperceptron.text.settings import TextSettings

# The settings of the recipe "mira"; the command prints them.
RULE = MiraRule(C=0.01)
TEXT = TextSettings(ngram_range=(1, 2))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 for a mistake of the user's."""
    parser = argparse.ArgumentParser(prog="textperceptron", description="Sparse, linear, online text classification.")
    parser.add_argument("--version", action="version", version=f"textperceptron {__version__}")
    commands = parser.add_subparsers(dest="command")
    trainer = commands.add_parser("train", help="train on a corpus and report the accuracy on its test split")
    trainer.add_argument("corpus", help=f"name of an embedded corpus: {', '.join(corpus_names())}")
    trainer.add_argument("--seed", type=int, default=0, help="seed of the order of the rows (default: 0)")
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        plan, corpus = Plan(seed=options.seed), load_corpus(options.corpus)
    except ValueError as problem:
        print(f"textperceptron: {problem}", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ━ still shows the figures
    try:
        report(corpus, plan)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def report(corpus: Corpus, plan: Plan) -> None:
    """Train on a corpus, printing an epoch a line, then the test accuracy and the heaviest words."""
    counts = Counter(corpus.train.labels)
    shares = " · ".join(f"{label} {n}" for label, n in sorted(counts.items()))
    to_test = f", {len(corpus.test)} to test on" if corpus.test else ""
    print(f"{corpus.name}: {len(corpus.train)} texts to train on ({shares}){to_test}")
    print(
        f"recipe mira: uni+bigrams, presence · averaged PA-I, C = {RULE.C} · {plan.max_iter} epochs · seed {plan.seed}"
    )
    labels = sorted(counts)
    vocabulary, matrix = count_and_learn(corpus.train.texts, TEXT, ColumnSettings(), binary=True)
    rows = check_rows(*matrix)
    codes = _codes(corpus.train, labels)
    rule: MiraRule | NativeRule
    if len(labels) == 2:
        rule = RULE
        run = _trained(train(rule, rows, (2 * codes - 1).astype(np.int8), plan))
        weights = rule.final_weights(run.state)
        by_label = np.vstack([-weights[:-1], weights[:-1]])
    else:
        rule = NativeRule(inner=RULE, layout=choose_layout(rows.n_columns, len(labels)))
        run = _trained(train(rule, rows, codes, plan))
        weights = rule.final_weights(run.state)
        by_label = rule.layout.by_class(weights)[0]
    _print_epochs(run, len(corpus.train))
    if corpus.test is not None:
        test = check_rows(*count_known(corpus.test.texts, TEXT, vocabulary, binary=True))
        if isinstance(rule, NativeRule):
            found = test.class_scores(weights, rule.layout, pad=rule.pad).argmax(axis=1)
        else:
            found = test.scores(weights, pad=rule.pad) > 0
        _print_accuracy(int((found == _codes(corpus.test, labels)).sum()), len(found))
    _print_heaviest(vocabulary.names(), by_label, labels)


def _trained(run: Run) -> Run:
    if run.error is not None:
        raise run.error
    return run


def _codes(documents: Documents, labels: list[str]) -> npt.NDArray[np.int32]:
    return np.array([labels.index(label) for label in documents.labels], np.int32)


def _print_epochs(run: Run, n_rows: int) -> None:
    print("\nepoch  mistakes  accuracy while learning")
    for record in run.history:
        share = 1 - record["mistakes"] / n_rows
        print(f"{record['epoch']:5}{record['mistakes']:10}{100 * share:9.1f} %  {'━' * round(40 * share)}")
    print(f"stopped by {run.stopped_by}: {sum(record['updates'] for record in run.history)} updates")


def _print_accuracy(right: int, n: int) -> None:
    low, high = wilson_interval(right, n)
    print(f"\ntest   {100 * right / n:.1f} %  (95 % interval {100 * low:.1f}–{100 * high:.1f}, {right} of {n} right)")


def _print_heaviest(names: list[str], weights: npt.NDArray[Any], labels: list[str], n: int = 8) -> None:
    width = max(6, *map(len, labels))
    for label, mine in zip(labels, weights, strict=True):
        print(f"{label:{width}} " + ", ".join(names[column] for column in np.argsort(-mine, kind="stable")[:n]))


def wilson_interval(right: int, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share, by Wilson's score.

    Examples
    --------
    >>> low, high = wilson_interval(80, 100)
    >>> print(f"{low:.3f} {high:.3f}")
    0.711 0.867
    """
    z = 1.959964
    share, spread = right / n, z * z / n
    centre = share + spread / 2
    half = math.sqrt(spread * share * (1 - share) + spread * spread / 4)
    return (centre - half) / (1 + spread), (centre + half) / (1 + spread)
