"""Conjunctions with dictionaries and itertools: slow, and obviously right."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations


def choose(rows, degree=2, min_df=1, max_df=math.inf, max_features=None, pivots=None):
    """Return the conjunctions of rows ({column: value}), in order, with the document frequency of each."""

    def rank(column):
        return (pivots is not None and column not in pivots, column)

    frequency = Counter(
        conjunction
        for row in rows
        for size in range(2, degree + 1)
        for conjunction in combinations(sorted((c for c in row if row[c] != 0), key=rank), size)
        if pivots is None or conjunction[0] in pivots
    )
    found = [one for one in frequency if min_df <= frequency[one] <= max_df]
    found.sort(key=lambda one: (len(one), [rank(column) for column in one]))
    if max_features is not None:
        strongest = sorted(found, key=lambda one: -frequency[one])[:max_features]  # a stable sort
        found = [one for one in found if one in strongest]
    return found, [frequency[one] for one in found]


def conjoin(rows, chosen, n_columns, keep_words=True):
    """Return the rows with their conjunctions, each row as {column: value}."""
    first = n_columns if keep_words else 0
    results = []
    for row in rows:
        result = {column: value for column, value in row.items() if value != 0} if keep_words else {}
        for number, conjunction in enumerate(chosen):
            value = math.prod(row.get(column, 0) for column in conjunction)
            if all(row.get(column, 0) != 0 for column in conjunction):
                result[first + number] = value
        results.append(result)
    return results


def log_likelihood(rows, labels, conjunction):
    """Return G² of a conjunction's presence and the class: 2·Σ O·log(O/E)."""
    present = [all(row.get(column, 0) != 0 for column in conjunction) for row in rows]
    table, n = Counter(zip(present, labels, strict=True)), len(rows)
    here, classes = Counter(present), Counter(labels)
    return 2 * sum(o * math.log(o * n / (here[p] * classes[label])) for (p, label), o in table.items())


def names(chosen, words):
    return ["-and-".join(sorted(words[column] for column in conjunction)) for conjunction in chosen]


def window_pairs(tokens, pivots=None, window=None):
    """Return the names of pairs of different tokens at most ``window`` apart, one per pair of positions."""
    return [
        "-and-".join(sorted((a, b)))
        for (i, a), (j, b) in combinations(enumerate(tokens), 2)
        if a != b and (window is None or j - i <= window) and (pivots is None or a in pivots or b in pivots)
    ]
