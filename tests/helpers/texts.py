"""Texts: strategies for hypothesis, and the published corpora."""

from __future__ import annotations

import functools
import gzip
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from helpers.paths import ROOT

DATA = Path(os.environ.get("TEXTPERCEPTRON_DATA", ROOT.parent / "shared" / "corpora"))
CORPORA = [
    "imdb.train.tsv.gz", "imdb.test.tsv.gz", "movie_reviews.zip", "sentence_polarity.zip", "subjectivity.zip",
    "sst_fine.train.tsv", "sst_fine.dev.tsv", "sst_fine.test.tsv", "trec.train.tsv", "trec.test.tsv",
    "20news.train.tsv.gz", "20news.test.tsv.gz",
]  # fmt: skip


def as_parameters(names):
    """Names of corpora as parameters of a test; it is slow for IMDB and 20 Newsgroups."""
    return [pytest.param(name, marks=pytest.mark.slow if name.startswith(("imdb", "20news")) else ()) for name in names]


# Letters whose lower case is special, marks that are no letters, digits that are, spaces of all kinds, both
# kinds of surrogate, characters of each storage width; few enough of each that terms repeat.
AWKWARD = "aAbBß_09 .,'’-!\n\t\x00\x01\x1c\x1f\x85\xa0éÉªº²¼µÿŸİıΣσςſKÅΑΩαЖжאב中日０ǅ\u0307\u0301\u200b\u2028\u3000"
WIDE = "\ud800\udc00\udfff😀𐐀𐐨𝒜🂡\U0001f1e6\U000e0041\uffff"

WORDS = ["the", "The", "film", "FILM", "not", "isn't", "never", "good.", "bad,", "so-so", "“quoted”", "naïve", "ΟΔΟΣ"]
words = st.sampled_from([*WORDS, "İstanbul", "straße"])
documents = st.one_of(
    st.text(max_size=80),
    st.text(st.sampled_from(AWKWARD), max_size=80),
    st.text(st.sampled_from(AWKWARD + WIDE), max_size=40),
    st.lists(words, max_size=30).map(" ".join),
    st.lists(words, min_size=30, max_size=300).map(" ".join),
)
collections = st.lists(documents, min_size=1, max_size=6)


def shared_file(name):
    """Return the path of a published corpus; if it is missing, the test is skipped, or fails in CI."""
    path = DATA / name
    if not path.exists():
        absent = f"{path} is missing: set TEXTPERCEPTRON_DATA to the folder of the published corpora"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(absent)
    return path


def corpus(name, limit=None):
    """Return the texts of a published corpus, evenly sampled to about ``limit``."""
    texts = _texts(shared_file(name))
    return list(texts if limit is None else texts[:: max(1, len(texts) // limit)])


@functools.lru_cache(maxsize=2)
def _texts(path):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.namelist() if "README" not in member and member[-1] != "/"]
            raw = [archive.read(member).decode("latin-1") for member in members]
        return raw if path.name.startswith("movie") else [line for text in raw for line in text.split("\n")]
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n").split("\t", 1)[1] for line in lines]


def assert_same_counts(ours, theirs, our_names, their_names):
    """Assert the same terms and counts; columns are compared by name."""
    assert sorted(our_names) == sorted(their_names)
    place = {name: column for column, name in enumerate(their_names)}
    permuted = theirs.tocsc()[:, [place[name] for name in our_names]].tocsr()
    permuted.sort_indices()
    np.testing.assert_array_equal(ours.indptr, permuted.indptr)
    np.testing.assert_array_equal(ours.indices, permuted.indices)
    np.testing.assert_array_equal(ours.data, permuted.data)
