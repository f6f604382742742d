"""A vocabulary that gets the terms of further texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.settings import TextSettings
from textperceptron.text.columns import Columns
from textperceptron.text.counted_texts import CountedTexts
from textperceptron.text.tokenize import offsets_from_lengths
from textperceptron.text.vocabulary import Vocabulary, is_character_ngram

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Growth:
    """A vocabulary with the terms of further texts.

    Attributes
    ----------
    vocabulary : Vocabulary
    columns : Columns
        The columns of the further texts' terms.
    positions : int64 array
        The columns that the old ones have now.
    n_omitted : int
        New terms that the limit left out.
    unknown : float
        Share of the texts' words, or of their shortest n-grams, that the old vocabulary does not have; a word counts
        once per text.
    """

    vocabulary: Vocabulary
    columns: Columns
    positions: npt.NDArray[np.int64]
    n_omitted: int
    unknown: float


def grow(vocabulary: Vocabulary, counted: CountedTexts, settings: TextSettings, max_terms: int) -> Growth:
    """Add the terms of texts to a vocabulary, as long as it has fewer than ``max_terms``.

    The settings choose among the new terms as they would in a vocabulary of these texts alone: ``min_df`` counts these
    texts. If there is no room for all, those in the most texts are added. New columns follow the old ones, but words
    stay before n-grams of characters.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.counted_texts import count_texts
    >>> from textperceptron.text.growth import grow
    >>> from textperceptron.text.vocabulary import Vocabulary
    >>> settings = TextSettings()
    >>> grown = grow(Vocabulary.from_names(["film", "fine"]), count_texts(["a new film"], settings), settings, 100)
    >>> grown.vocabulary.names(), grown.unknown
    (['film', 'fine', 'new'], 0.5)
    """
    terms, frequency = counted.terms, counted.frequency
    of_term = np.full(len(terms), -1, np.int32)
    present = np.flatnonzero(frequency).astype(np.int32)
    of_term[present] = vocabulary.columns_of(*terms.names(present))
    unknown = _unknown_share(present, of_term, counted)
    try:
        chosen = counted.choose(settings).terms
    except ValueError:  # no term remains: nothing to add
        chosen = np.empty(0, np.int32)
    new = chosen[of_term[chosen] < 0]
    n_omitted = max(0, len(new) - max(0, max_terms - len(vocabulary)))
    if n_omitted:
        new = new[np.sort((-frequency[new]).argsort(kind="stable")[: len(new) - n_omitted])]
    old_words = vocabulary.n_words if settings.n_characters else len(vocabulary)
    offsets, arena = terms.names(new)
    new_words = len(new)
    if settings.n_characters:  # chosen terms have words first
        new_words -= int(is_character_ngram(offsets, arena).sum()) if len(new) else 0
    positions = np.arange(len(vocabulary))
    positions[old_words:] += new_words
    known = of_term >= 0
    of_term[known] = positions[of_term[known]]
    of_term[new[:new_words]] = old_words + np.arange(new_words)
    of_term[new[new_words:]] = np.arange(len(vocabulary) + new_words, len(vocabulary) + len(new))
    n_columns, n_words = len(vocabulary) + len(new), old_words + new_words
    grown = vocabulary
    if len(new):
        # Words, new words, n-grams of characters, new n-grams of characters.
        parts = [
            (vocabulary.offsets[: old_words + 1], vocabulary.arena),
            (offsets[: new_words + 1], arena),
            (vocabulary.offsets[old_words:], vocabulary.arena),
            (offsets[new_words:], arena),
        ]
        lengths = np.concatenate([np.diff(bounds) for bounds, _ in parts])
        names = np.concatenate([names[bounds[0] : bounds[-1]] for bounds, names in parts])
        grown = Vocabulary.from_bytes(offsets_from_lengths(lengths), names)
    terms_of_columns = np.full(n_columns, -1, np.int32)  # old terms that the texts lack have none
    kept = np.flatnonzero(of_term >= 0)
    terms_of_columns[of_term[kept]] = kept
    return Growth(grown, Columns(terms_of_columns, of_term, n_columns, n_words), positions, n_omitted, unknown)


def _unknown_share(present: Array, of_term: Array, counted: CountedTexts) -> float:
    """Return the share of unknown words; of all terms if words have no columns of their own."""
    words = present[present < counted.terms.n_tokens]
    words = words if len(words) else present
    total = int(counted.frequency[words].sum())
    return float(counted.frequency[words[of_term[words] < 0]].sum() / total) if total else 0.0
