"""Texts → rows, by a vocabulary or a hash, and the names of columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn import Rows, check_rows
from textperceptron.settings import TextSettings
from textperceptron.text.counted_texts import CountedTexts
from textperceptron.text.csr import CountMatrix, scale_rows
from textperceptron.text.vectorize import fit_transform, inconsistent_stop_words, transform
from textperceptron.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textperceptron.text.growth import Growth


@dataclass(frozen=True)
class Features:
    """The text settings of a model and its vocabulary, which is None if columns are hashed."""

    settings: TextSettings
    vocabulary: Vocabulary | None

    @classmethod
    def learn(
        cls, texts: Iterable[Any] | CountedTexts, settings: TextSettings, n_jobs: int | None = None
    ) -> tuple[Callable[[], Features], Rows]:
        """Learn the vocabulary of texts; return a function that waits for the features, and the rows."""
        settings.warn_of_unused()
        if settings.conjunctions is not None:
            with deferred_interrupts():
                from textperceptron.text.analyze import check_pivots

            check_pivots(settings)
        if tokens := inconsistent_stop_words(settings):
            warnings.warn(
                f"stop_words are tokenised like the texts, and some become {', '.join(map(repr, tokens))}, which "
                "are not removed. Add them to stop_words.",
                stacklevel=4,
            )
        if settings.n_features is not None:
            if isinstance(texts, CountedTexts):
                raise ValueError(f"n_features={settings.n_features}: pass the texts themselves, not counted ones.")
            features = cls(settings, None)
            return lambda: features, features.rows(texts, n_jobs)
        if isinstance(texts, CountedTexts):
            columns = texts.choose(settings)
            vocabulary, counts = texts.vocabulary(columns), texts.rows(columns, settings)
        else:
            vocabulary, counts = fit_transform(texts, settings, n_jobs=n_jobs)
        n_words = vocabulary.result().n_words if settings.n_characters else counts.n_columns
        return lambda: cls(settings, vocabulary.result()), rows_of(counts, settings, n_words)

    def grow(self, texts: Iterable[Any], max_terms: int, n_jobs: int | None = None) -> tuple[Features, Rows, Growth]:
        """Add the terms of texts, as long as there are fewer than ``max_terms``; return the features and the rows."""
        with deferred_interrupts():
            from textperceptron.text.counted_texts import count_texts
            from textperceptron.text.growth import grow

        assert self.vocabulary is not None
        counted = count_texts(texts, self.settings, unique=self.settings.is_binary, n_jobs=n_jobs)
        growth = grow(self.vocabulary, counted, self.settings, max_terms)
        counts = counted.into_rows(growth.columns, self.settings)
        features = replace(self, vocabulary=growth.vocabulary)
        return features, rows_of(counts, self.settings, growth.columns.n_words), growth

    @property
    def n_columns(self) -> int:
        """Number of columns of the rows."""
        if self.vocabulary is not None:
            return len(self.vocabulary)
        assert self.settings.n_features is not None
        return self.settings.n_features

    def rows(self, texts: Iterable[Any], n_jobs: int | None = None) -> Rows:
        """Vectorise texts."""
        if self.vocabulary is not None:
            counts = transform(texts, self.settings, self.vocabulary, n_jobs=n_jobs)
        else:
            with deferred_interrupts():
                from textperceptron.text.hashing import count_hashed

            counts = count_hashed(texts, self.settings, n_jobs=n_jobs)
        return rows_of(counts, self.settings, self.n_words)

    @cached_property
    def n_words(self) -> int:
        """Number of columns before those of n-grams of characters."""
        if self.vocabulary is None or not self.settings.n_characters:
            return self.n_columns
        return self.vocabulary.n_words


def rows_of(counts: CountMatrix, settings: TextSettings, n_words: int) -> Rows:
    """Turn counts into rows; training, prediction and tuning all go through here."""
    has_values = len(counts.data) > 0
    rows = scale_rows(counts, settings, n_words)
    return check_rows(*rows) if has_values else Rows(*rows)
