"""From files to texts and labels.

============  ==========================================================================================
read          read_corpus and its streaming twin, over ``batches``
sources       what may be named as a corpus: paths, patterns, standard input → files
trees         folders and archives as trees of files; ``tar`` reads the archive
layouts       what the folders and files of a tree mean: classes, or parts to train and to test on
blocks        bytes in blocks, decompressed
streams       one file, ready to be cut into lines
lines         bytes → lines of text
detect        which format a file has
formats/      one file for each
columns       which column is the text, which the label; ``records`` is the same for values with names
documents     what reading gives; ``errors`` what it raises
load          corpora by name: ``embedded`` ones, and published ones in the ``registry``
fetch         download of those; ``download`` resumes it
svmlight      rows of numbers
============  ==========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach
from textperceptron.corpus.batches import Batches
from textperceptron.corpus.documents import Batch, Corpus, Documents
from textperceptron.corpus.errors import CorpusError, Place, SkippedRows
from textperceptron.corpus.read import iter_corpus, read_corpus

if TYPE_CHECKING:
    from textperceptron.corpus.embedded import corpus_names
    from textperceptron.corpus.fetch import fetch_corpus
    from textperceptron.corpus.load import load_corpus, open_corpus
    from textperceptron.corpus.registry import KnownCorpus, corpus_path, known_corpora
    from textperceptron.corpus.svmlight import SvmlightRows, read_svmlight

__all__ = [
    "Batch",
    "Batches",
    "Corpus",
    "CorpusError",
    "Documents",
    "KnownCorpus",
    "Place",
    "SkippedRows",
    "SvmlightRows",
    "corpus_names",
    "corpus_path",
    "fetch_corpus",
    "iter_corpus",
    "known_corpora",
    "load_corpus",
    "open_corpus",
    "read_corpus",
    "read_svmlight",
]

# Whoever only reads texts starts sooner.
__getattr__ = attach(
    __name__,
    {
        "embedded": ("corpus_names",),
        "fetch": ("fetch_corpus",),
        "load": ("load_corpus", "open_corpus"),
        "registry": ("KnownCorpus", "corpus_path", "known_corpora"),
        "svmlight": ("SvmlightRows", "read_svmlight"),
    },
)
