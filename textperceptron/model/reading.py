"""What a model remembers of its training texts, found while others read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from textperceptron._parallel import count_jobs, in_background
from textperceptron.model.provenance import Provenance, TrainingTexts
from textperceptron.model.text_digest import TextDigest, combined_digest
from textperceptron.model.text_profile import profile_of
from textperceptron.text.counted_texts import CountedTexts


class Reading:
    """Texts to train on, with their profile and their digest.

    Texts in memory are digested in the background: on IMDB this takes 33 ms of one processor. An iterator is digested
    while it is read.

    Attributes
    ----------
    texts : iterable of str or bytes, or CountedTexts
        The texts to read instead of the given ones.
    """

    def __init__(self, texts: Iterable[Any] | CountedTexts, n_jobs: int | None) -> None:
        self.texts: Any = texts
        source = texts.documents if isinstance(texts, CountedTexts) else texts
        self._is_known = source is not None and not isinstance(source, str | bytes)
        if source is None or not self._is_known:  # one string is an error for those who read it
            return
        self._profile, source = profile_of(source)
        digest = TextDigest()
        if hasattr(source, "__len__"):
            self._digest = in_background(lambda: digest.add(source), count_jobs(n_jobs))
        else:
            self.texts = chain.from_iterable(digest.passing(source))
            self._digest = in_background(lambda: digest, 1)

    def training_texts(self, labels: Sequence[Any]) -> TrainingTexts | None:
        """Return the description of the texts, after they were read; None for texts that were counted before."""
        if not self._is_known:
            return None
        profile, digest = self._profile, self._digest.result().with_labels(labels)
        return TrainingTexts(digest, profile.mean_length, profile.script, profile.language)

    def update(self, before: Provenance, labels: Sequence[Any]) -> Provenance:
        """Return the provenance of a model after an update with these texts."""
        found, texts = self.training_texts(labels), before.training_texts
        if found is not None and texts is not None:
            texts = replace(texts, digest=combined_digest(texts.digest, found.digest), n_batches=texts.n_batches + 1)
        return replace(before, training_texts=texts, measured=())
