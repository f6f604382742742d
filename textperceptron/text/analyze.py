"""One document → its terms as strings, for inspection; not optimised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textperceptron.settings import TextSettings
from textperceptron.text.documents import read_documents
from textperceptron.text.tokenize import Scratch, TokenBlock, text_blocks, tokenize_block


def terms_of(document: Any, settings: TextSettings) -> list[str]:
    """Return the terms of a document in order: tokens, prefixes, conjunctions, longer n-grams from short to long.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.analyze import terms_of
    >>> terms_of("Not bad at ALL", TextSettings(ngram_range=(1, 2)))
    ['not', 'bad', 'at', 'all', 'not bad', 'bad at', 'at all']
    """
    terms: list[str] = []
    for block in text_blocks(read_documents([document], settings), settings):
        terms += _names(tokenize_block(block, settings, Scratch()))
    return terms


def _names(tokens: TokenBlock) -> Iterator[str]:
    """Yield the terms of a block of one document."""
    text, starts, stops = tokens.text.data, tokens.starts.tolist(), tokens.stops.tolist()
    n_tokens = int(tokens.lengths.sum())
    bounds = list(zip(starts, stops, strict=True))
    if tokens.min_n > 1:
        del bounds[:n_tokens]
    for n in range(max(2, tokens.min_n), min(tokens.max_n, n_tokens) + 1):
        bounds += zip(starts[:n_tokens], stops[n - 1 : n_tokens], strict=False)
    for start, stop in bounds:
        yield bytes(text[start:stop]).decode("utf-8", "surrogatepass")


def check_pivots(settings: TextSettings) -> None:
    """Validate that every pivot is a token: text is tokenised before pivots are looked up.

    Raises
    ------
    ValueError
        With the pivots and their tokens.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings, WindowSettings
    >>> from textperceptron.text.analyze import check_pivots
    >>> check_pivots(TextSettings(conjunctions=WindowSettings(("not", "No", "don't"), window=4)))
    Traceback (most recent call last):
    ...
    ValueError: pivots that are not tokens: 'No' (becomes 'no'), "don't" (becomes 'don'). Use tokens.
    """
    if settings.conjunctions is None:
        return
    alone = settings.tokens_only()
    wrong = []
    for pivot in settings.conjunctions.pivots or ():
        word = pivot.removeprefix("NOT_") if settings.negation else pivot
        try:
            tokens = terms_of(word, alone)
        except Exception:  # a user's function that does not accept a single word
            return
        if word not in tokens:
            wrong.append(f"{pivot!r} (becomes {' '.join(map(repr, tokens)) or 'nothing'})")
    if wrong:
        raise ValueError(f"pivots that are not tokens: {', '.join(wrong)}. Use tokens.")
