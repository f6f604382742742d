"""Groups of nearly equal texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from textperceptron.settings import TextSettings
from textperceptron.settings.text import ANY_SCRIPT
from textperceptron.text.hashing import count_hashed

SIMILARITY = 0.5  # Jaccard similarity of shingles
_SHINGLE = 4  # words
_SKETCH = 10  # hashes per text by which candidates are found
_MANY = 50  # texts with a hash in common: a phrase that is common, such as a signature


def near_duplicates(texts: Sequence[str], n_jobs: int | None = None) -> list[list[int]]:
    """Return groups of texts that are the same but for case and punctuation, or have half of their shingles in common.

    A shingle is four words in a row (characters in scripts without spaces), hashed to 30 bits. Candidates are texts
    that share one of their ten smallest hashes, except hashes that more than 50 texts share; they are compared by the
    Jaccard similarity of all their shingles. Texts with half of them in common are overlooked once in 1,000 pairs.

    Parameters
    ----------
    texts : sequence of str
    n_jobs : int, optional
        Threads.

    Returns
    -------
    list of lists of int
        Indices, ascending; groups of two texts or more.

    Examples
    --------
    >>> from textperceptron.report.near_duplicates import near_duplicates
    >>> near_duplicates(["A fine film!", "a dull film", "A FINE FILM"])
    [[0, 2]]
    >>> long = "the food was cold and the waiter rude but we had a very nice table by the window"
    >>> near_duplicates([long, "cheap and good", long.replace("nice", "good")])
    [[0, 2]]
    """
    parent = list(range(len(texts)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = index = parent[parent[index]]
        return index

    for first, second in [*_same(texts), *_similar(texts, n_jobs)]:
        parent[max(root(first), root(second))] = min(root(first), root(second))
    groups = defaultdict(list)
    for index in range(len(texts)):
        groups[root(index)].append(index)
    return [group for group in groups.values() if len(group) > 1]


def _same(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield each text that is equal to an earlier one but for case and punctuation, with that one."""
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        words = " ".join(re.findall(r"\w+", text.lower()))
        if words and first.setdefault(words, index) != index:
            yield first[words], index


def _similar(texts: Sequence[str], n_jobs: int | None) -> Iterator[tuple[int, int]]:
    settings = TextSettings(
        token_pattern=ANY_SCRIPT, ngram_range=(_SHINGLE, _SHINGLE), n_features=2**30, binary=True
    )  # fmt: skip
    rows = count_hashed(texts, settings, n_jobs=n_jobs)  # their columns ascend: the smallest hashes come first
    starts, stops = rows.indptr[:-1], rows.indptr[1:]
    with_hash = defaultdict(list)
    for index, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
        for column in rows.indices[start : min(stop, start + _SKETCH)].tolist():
            with_hash[column].append(index)
    seen = set()
    for sharing in with_hash.values():
        if not 1 < len(sharing) <= _MANY:
            continue
        for k, second in enumerate(sharing):
            for first in sharing[:k]:
                if (first, second) in seen:
                    continue
                seen.add((first, second))
                a, b = (rows.indices[starts[each] : stops[each]] for each in (first, second))
                if 2 * min(len(a), len(b)) < max(len(a), len(b)):
                    continue
                common = len(np.intersect1d(a, b, assume_unique=True))
                if common >= SIMILARITY * (len(a) + len(b) - common):
                    yield first, second
