"""One document → its terms as strings: for looking at, not for speed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from textperceptron.text.documents import read_documents
from textperceptron.text.pieces import Pieces, Scratch, blocks_of, cut
from textperceptron.text.settings import TextSettings


def terms_of(document: Any, settings: TextSettings) -> list[str]:
    """Return the terms of a document in their order: n-grams, of fewer tokens first, pairs of words, prefixes.

    Examples
    --------
    >>> from textperceptron.text.analyze import terms_of
    >>> from textperceptron.text.settings import TextSettings
    >>> terms_of("Not bad at ALL", TextSettings(ngram_range=(1, 2)))
    ['not', 'bad', 'at', 'all', 'not bad', 'bad at', 'at all']
    """
    settings.check()
    terms: list[str] = []
    for block in blocks_of(read_documents([document], settings), settings):
        for pieces in cut(block, settings, Scratch()).chain():
            terms += _names(pieces)
    return terms


def _names(pieces: Pieces) -> Iterator[str]:
    text, starts, stops = pieces.text.data, pieces.starts.tolist(), pieces.stops.tolist()
    for n in range(pieces.min_n, min(pieces.max_n, len(starts)) + 1):
        for start, stop in zip(starts, stops[n - 1 :], strict=False):
            yield bytes(text[start:stop]).decode("utf-8", "surrogatepass")


def check_pivots(settings: TextSettings) -> None:
    """Refuse pivots that no document can hold, because the text is cut in another way.

    Raises
    ------
    ValueError
        With the pivots and what they become.

    Examples
    --------
    >>> from textperceptron.text.analyze import check_pivots
    >>> from textperceptron.text.conjunctions.windows import WindowSettings
    >>> from textperceptron.text.settings import TextSettings
    >>> check_pivots(TextSettings(conjunctions=WindowSettings(("not", "No", "don't"), window=4)))
    Traceback (most recent call last):
    ...
    ValueError: pivots that can be no tokens of a document: 'No' (it becomes 'no'), "don't" (it becomes 'don').
    """
    if settings.conjunctions is None:
        return
    alone = replace(settings, ngram_range=(1, 1), negation=False, conjunctions=None, prefixes=0, input="content")
    wrong = []
    for pivot in settings.conjunctions.pivots or ():
        word = pivot.removeprefix("NOT_") if settings.negation else pivot
        try:
            tokens = terms_of(word, alone)
        except Exception:  # a user's function that cannot take a word alone
            return
        if word not in tokens:
            wrong.append(f"{pivot!r} (it becomes {' '.join(map(repr, tokens)) or 'nothing'})")
    if wrong:
        raise ValueError(f"pivots that can be no tokens of a document: {', '.join(wrong)}.")
