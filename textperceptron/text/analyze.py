"""One document → its terms as strings: for looking at, not for speed."""

from __future__ import annotations

from typing import Any

from textperceptron.text.documents import read_documents
from textperceptron.text.pieces import Scratch, blocks_of, cut
from textperceptron.text.settings import TextSettings


def terms_of(document: Any, settings: TextSettings) -> list[str]:
    """Return the terms of a document in their order, n-grams of fewer tokens first.

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
        pieces = cut(block, settings, Scratch())
        text, starts, stops = pieces.text.data, pieces.starts.tolist(), pieces.stops.tolist()
        for n in range(pieces.min_n, min(pieces.max_n, len(starts)) + 1):
            spans = zip(starts, stops[n - 1 :], strict=False)
            terms += [bytes(text[start:stop]).decode("utf-8", "surrogatepass") for start, stop in spans]
    return terms
