"""Which words and pairs of neighbouring words a text holds."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

_WORD = re.compile(r"\w\w+|[!?]")


class WordPresence:
    """Uni+bigrams as columns, 1 where a text holds them; the vocabulary is that of the training texts.

    Columns are numbered by document frequency, ties by name: frequent weights then share cache lines.

    Examples
    --------
    >>> words = WordPresence(["good soup", "good"])
    >>> words.names
    ['good', 'good soup', 'soup']
    >>> data, indices, indptr = words.rows(["soup, good soup"])
    >>> indices.tolist(), indptr.tolist()
    ([0, 1, 2], [0, 3])
    """

    def __init__(self, texts: Iterable[str]) -> None:
        counts = Counter(gram for text in texts for gram in set(_grams(text)))
        self.names = sorted(counts, key=lambda gram: (-counts[gram], gram))
        self._column = {gram: column for column, gram in enumerate(self.names)}

    def rows(
        self, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the CSR arrays ``data, indices, indptr`` of texts; words not in the vocabulary are left out."""
        found = [sorted({self._column[gram] for gram in _grams(text) if gram in self._column}) for text in texts]
        indptr = np.cumsum([0, *map(len, found)]).astype(np.int32)
        indices = np.array([column for row in found for column in row], np.int32)
        return np.ones(len(indices), np.float32), indices, indptr


def _grams(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    yield from words
    for first, second in itertools.pairwise(words):
        yield f"{first} {second}"
