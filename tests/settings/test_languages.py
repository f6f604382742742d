"""The setting of docs/languages.md identifies languages by their characters."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers.texts import shared_file
from textperceptron import TextModel, read_corpus
from textperceptron.settings import recipe

CHARACTERS = recipe().replace(analyzer="char_wb", ngram_range=(1, 4), binary=True, n_features=2**16, interpolation=0.2)


def languages(n):
    """Return training and test texts with labels, of the languages with the most training texts, ties by label."""
    parts = [read_corpus(shared_file(f"world/sib200_lid.{part}.tsv.gz")) for part in ("train", "test")]
    counts = Counter(parts[0].labels)
    chosen = set(sorted(counts, key=lambda label: (-counts[label], label))[:n])
    pairs = [[pair for pair in zip(part.texts, part.labels, strict=True) if pair[1] in chosen] for part in parts]
    return [([text for text, _ in part], [label for _, label in part]) for part in pairs]


@pytest.mark.slow
def test_twenty_languages_are_identified_with_the_same_labels_for_any_number_of_threads():
    train, (texts, labels) = languages(20)
    one, two = (TextModel.train(*train, CHARACTERS, n_jobs=n_jobs) for n_jobs in (1, 2))
    predicted = one.predict(texts, n_jobs=1)
    assert predicted == two.predict(texts, n_jobs=2)
    assert np.mean(np.array(predicted) == labels) > 0.98
    short = [text[:20] for text in texts]
    assert np.mean(np.array(one.predict(short)) == labels) > 0.94
