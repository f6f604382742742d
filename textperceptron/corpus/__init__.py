"""Files → texts and labels.

=============  =========================================================================================
read           ``read_corpus`` and its streaming twin ``iter_corpus``
sources        paths, patterns, standard input → files
archives       files in folders, zip and tar archives; ``tar`` is the reader of the latter
layouts        directory layout → the class of each file, or its split (train or test)
byte_blocks    raw bytes in blocks, decompressed
streams        an open file: byte order mark, encoding, first lines
lines          bytes → lines of text
detect         detection of a file's format
formats/       one module per format
columns        choice of the text and label columns; ``record_fields`` for JSON lines and Parquet
merge_labels   labels that are grouped or dropped
documents      documents with labels; ``errors`` has the exceptions
load           corpora by name: bundled ones, and published ones in the ``registry``
fetch          resumable download of published corpora
svmlight       rows of numbers
=============  =========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach
from textperceptron.corpus.documents import Batch, ColumnChoice, Corpus, Documents, FileReading, Records
from textperceptron.corpus.errors import CorpusError, Location, SkippedRows
from textperceptron.corpus.merge_labels import LabelMerge
from textperceptron.corpus.read import Batches, iter_corpus, read_corpus

if TYPE_CHECKING:
    from textperceptron.corpus.fetch import fetch_corpus
    from textperceptron.corpus.load import corpus_names, load_corpus, open_corpus
    from textperceptron.corpus.registry import KnownCorpus, corpus_path, known_corpora
    from textperceptron.corpus.svmlight import SvmlightRows, read_svmlight

__all__ = [
    "Batch",
    "Batches",
    "ColumnChoice",
    "Corpus",
    "CorpusError",
    "Documents",
    "FileReading",
    "KnownCorpus",
    "LabelMerge",
    "Location",
    "Records",
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

# Lazy: reading texts needs none of these modules.
__getattr__ = attach(
    __name__,
    {
        "fetch": ("fetch_corpus",),
        "load": ("corpus_names", "load_corpus", "open_corpus"),
        "registry": ("KnownCorpus", "corpus_path", "known_corpora"),
        "svmlight": ("SvmlightRows", "read_svmlight"),
    },
)
