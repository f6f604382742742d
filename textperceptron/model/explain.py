"""Contributions of terms to the scores of a text."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows
from textperceptron.model.classes import Label
from textperceptron.model.explanation import Explanation, Flip, Place, Term, Word
from textperceptron.model.parts import ModelParts
from textperceptron.text.conjunctions.names import conjunction_name
from textperceptron.text.places import PlacedColumn, Span, join_places, place_columns, words_in

Array = npt.NDArray[Any]
Scorer = Callable[[list[str]], tuple[list[Any], npt.NDArray[np.float64]]]

# Bounds of the search for a flip.
MAX_WORDS = 200
MAX_PARTNERS = 20
MAX_CHARACTERS = 1_000_000


def explain(parts: ModelParts, text: str, *, flip: bool = True) -> Explanation:
    """Return the contribution of each term of a text to its scores, largest first.

    Raises
    ------
    ValueError
        If scores are not sums of contributions (the voted perceptron).
    """
    rows = parts.rows([text])
    columns, values = entries_of(rows)
    sums = RowSums(
        place_columns(text, parts.features.settings, parts.features.vocabulary, rows.indices.tolist()),
        values, parts.model.contributions(columns, values), parts.model.intercepts(),
    )  # fmt: skip

    def scorer(texts: list[str]) -> tuple[list[Any], npt.NDArray[np.float64]]:
        found = parts.rows(texts, 1)
        return parts.labels_of(found, 1), parts.model.scores(found, 1)

    return explain_row(text, sums, parts.classes.labels, parts.labels_of(rows)[0], scorer if flip else None)


@dataclass(frozen=True)
class RowSums:
    """The scores of a row as sums over its entries.

    Attributes
    ----------
    columns : list of PlacedColumn
        Columns of the entries. Entries beyond them are column pairs, in the order of _kernels/hashed_pairs.pyx.
    values : array of shape (n_entries,)
    contributions : array of shape (n_entries, n_scores)
    intercepts : array of shape (n_scores,)
    """

    columns: list[PlacedColumn]
    values: Array
    contributions: npt.NDArray[np.float64]
    intercepts: npt.NDArray[np.float64]


def explain_row(
    text: str, sums: RowSums, classes: Sequence[Label], label: Any, scorer: Scorer | None = None
) -> Explanation:
    """Explain the row of a text, which has a label of the classes, or a tuple of labels.

    With a scorer, which returns labels and scores of texts, also find the nearest flip.
    """
    scores = sums.intercepts + sums.contributions.sum(axis=0)
    several = isinstance(label, tuple)
    is_binary = len(classes) == 2 and not several
    code = int(scores.argmax()) if several else classes.index(label)
    others = [] if several else [k for k in range(len(classes)) if k != code]
    second = max(others, key=lambda k: scores[min(k, len(scores) - 1)]) if others else None
    columns = _with_pairs(sums)
    sizes = np.abs(sums.contributions).max(axis=1, initial=0)
    n = len(sums.columns)
    order = [k for k in np.argsort(-sizes, kind="stable").tolist() if k < n or sizes[k]]
    terms = tuple(_term(columns(k), float(sums.values[k]), sums.contributions[k]) for k in order)
    found = Explanation(
        text=text, label=label, for_class=classes[code], runner_up=None if second is None else classes[second],
        classes=tuple(classes[1:] if is_binary else classes), scores=tuple(scores.tolist()),
        intercepts=tuple(sums.intercepts.tolist()), terms=terms, merged_terms=(), words=(),
    )  # fmt: skip
    words = _Words(words_in(text))
    shares = words.shares(map(columns, order), [found.contribution(term) for term in terms])
    merged = _merged(terms, map(columns, order), words)
    merged.sort(key=lambda term: -abs(found.contribution(term)))
    found = replace(found, merged_terms=tuple(merged), words=shares)
    return found if scorer is None else replace(found, flip=_find_flip(found, code, scorer))


def _with_pairs(sums: RowSums) -> Callable[[int], PlacedColumn]:
    """Return the function from entries to columns; a column pair is at the first places of its columns."""
    columns, n = sums.columns, len(sums.columns)
    upper, lower = np.tril_indices(n, -1) if len(sums.values) > n else (np.empty(0, int), np.empty(0, int))

    def column(entry: int) -> PlacedColumn:
        if entry < n:
            return columns[entry]
        first, second = columns[lower[entry - n]], columns[upper[entry - n]]
        return join_places(conjunction_name(first.name, second.name), [first, second])

    return column


def _term(column: PlacedColumn, value: float, contributions: npt.NDArray[np.float64]) -> Term:
    places = tuple(each.spans for each in column.occurrences if each.spans)
    return Term(column.name, value, tuple(contributions.tolist()), places)


class _Words:
    """The words of a text, found by place."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans
        self._starts, self._ends = [start for start, _ in spans], [end for _, end in spans]

    def at(self, place: Place) -> list[int]:
        """Return the numbers of the words that a place overlaps."""
        starts, ends = self._starts, self._ends
        return [k for start, end in place for k in range(bisect_right(ends, start), bisect_left(starts, end))]

    def shares(self, columns: Iterable[PlacedColumn], contributions: list[float]) -> tuple[Word, ...]:
        """Divide contributions of columns among their occurrences, and those of an occurrence among its words."""
        numbers: list[int] = []
        shares: list[float] = []
        for column, contribution in zip(columns, contributions, strict=True):
            for each in column.occurrences:
                if contribution and (at := self.at(each.spans)):
                    numbers += at
                    shares += [contribution / len(column.occurrences) / len(at)] * len(at)
        totals = np.bincount(np.array(numbers, np.intp), shares, len(self.spans)).tolist()
        return tuple(Word(*span, total) for span, total in zip(self.spans, totals, strict=True))


def _merged(terms: Sequence[Term], columns: Iterable[PlacedColumn], words: _Words) -> list[Term]:
    """Add prefixes and n-grams of characters to their words."""
    own = {term.name: term for term in terms}
    sums: dict[str, npt.NDArray[np.float64]] = {}
    places: dict[str, set[Place]] = {}
    for term, column in zip(terms, columns, strict=True):
        contributions = np.array(term.contributions)
        # A hashed column with several terms is not divided: its name is that of none of them.
        parts = Counter(each.word for each in column.occurrences if each.name == term.name) or Counter([term.name])
        n = parts.total()
        for name, count in parts.items():
            sums[name] = sums.get(name, 0.0) + contributions * (count / n)
        for each in column.occurrences:
            if each.word not in own and each.word in parts:
                places.setdefault(each.word, set()).update((words.spans[k],) for k in words.at(each.spans))
    return [
        Term(name, own[name].value, tuple(total.tolist()), own[name].places)
        if name in own
        else Term(name, 0.0, tuple(total.tolist()), tuple(sorted(places[name])))
        for name, total in sums.items()
    ]


def _find_flip(found: Explanation, code: int, scorer: Scorer) -> Flip | None:
    """Remove a word, then two, and classify what is left.

    Tried are the ``MAX_WORDS`` words that speak most for the label, and all pairs of the ``MAX_PARTNERS`` of them that
    lower the margin most; in long texts as many as make ``MAX_CHARACTERS`` characters, but one at least.
    """
    text = found.text
    by_word: dict[str, list[Word]] = {}
    for word in found.words:
        if not all(unicodedata.category(c)[0] == "P" for c in text[word.start : word.end]):
            by_word.setdefault(text[word.start : word.end].lower(), []).append(word)
    # Of several labels none may be decided: then a word against the best one has to go.
    sign = -1 if found.runner_up is None and found.margin <= 0 else 1
    candidates = sorted(by_word.values(), key=lambda each: -sign * sum(word.contribution for word in each))
    at_most = max(1, MAX_CHARACTERS // max(1, len(text)))
    singles = [(each,) for each in candidates[: min(MAX_WORDS, at_most)]]
    flip, margins = _try(found, singles, code, sign, scorer)
    if flip is None and len(singles) > 1:
        nearest = np.argsort(margins, kind="stable")[:MAX_PARTNERS].tolist()
        pairs = [singles[a] + singles[b] for a, b in combinations(nearest, 2)]
        flip, _ = _try(found, pairs[:at_most], code, sign, scorer)
    return flip


def _try(
    found: Explanation, removals: Sequence[tuple[list[Word], ...]], code: int, sign: int, scorer: Scorer
) -> tuple[Flip | None, npt.NDArray[np.float64]]:
    """Return the removal that gives another label with the lowest margin, if any, and the margins of all."""
    if not removals:
        return None, np.empty(0)
    text = found.text
    spans = [sorted((word.start, word.end) for words in each for word in words) for each in removals]
    labels, scores = scorer([_without(text, each) for each in spans])
    if found.is_binary:
        margins = scores if code else -scores
    elif found.runner_up is None:
        margins = sign * scores[:, code]
    else:
        margins = scores[:, code] - np.delete(scores, code, axis=1).max(axis=1)
    flipping = [k for k, label in enumerate(labels) if label != found.label]
    if not flipping:
        return None, margins
    best = min(flipping, key=margins.__getitem__)
    removed = tuple(text[words[0].start : words[0].end] for words in removals[best])
    return Flip(removed, tuple(spans[best]), labels[best]), margins


def _without(text: str, spans: list[Span]) -> str:
    """Return a text with a space instead of each span."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def entries_of(rows: Rows) -> tuple[Array, Array]:
    """Return columns and values of a single row, those of its column pairs last."""
    ((row, _, _),) = rows.blocks(np.arange(1))
    n = row.n_stored
    return row.indices[:n], row.values[:n]
