"""Documents written in every format that read_corpus reads, and streams that return them in small blocks."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile

import pyarrow
import pyarrow.parquet
import zstandard
from hypothesis import strategies as st

from helpers.texts import AWKWARD

COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda raw: zstandard.ZstdCompressor().compress(raw),
    ".zip": lambda raw: zipped({"inner": raw}),
}

# No surrogates: they cannot be written. U+FEFF, quotes, commas, brackets and returns are special in some formats.
characters = st.one_of(
    st.sampled_from(AWKWARD + '\r\n"\\,;|{}[]:#\ufeff\u2029😀'), st.characters(exclude_categories=["Cs"])
)
texts = st.text(characters, max_size=60)
# One line: a return at the end would be part of the line's end.
line_texts = texts.map(lambda text: text.replace("\n", " ").rstrip("\r"))
labels = st.text(characters, min_size=1, max_size=8).map(lambda label: label.replace("\n", "x").replace("\t", "y"))
words = labels.map(lambda label: label.replace(" ", "_").replace("\r", "z"))


def rows_of(text, label, **sizes):
    return st.lists(st.tuples(text, label), min_size=1, max_size=12, **sizes)


def lines(rows, end="\n", last=True):
    body = end.join(rows)
    return (body + end if last else body).encode()


def tsv(rows, **ends):
    return lines([f"{label}\t{text}" for text, label in rows], **ends)


def fasttext(rows, **ends):
    return lines([f"__label__{label} {text}" for text, label in rows], **ends)


def plain(rows, **ends):
    return lines([text for text, _ in rows], **ends)


def jsonl(rows, *, ascii_only=False, **ends):
    return lines([json.dumps({"text": t, "label": y, "n": 1}, ensure_ascii=ascii_only) for t, y in rows], **ends)


def quoted(rows, *, delimiter=",", end="\n", quoting=csv.QUOTE_ALL, header=None):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([header] if header else [])
    writer.writerows((label, text) for text, label in rows)
    return out.getvalue().encode()


def parquet(rows, **columns):
    out = io.BytesIO()
    table = {"text": [text for text, _ in rows], "label": [label for _, label in rows], **columns}
    pyarrow.parquet.write_table(pyarrow.table(table), out)
    return out.getvalue()


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            archive.writestr(name, raw)
    return out.getvalue()


def write_tree(folder, files):
    for name, raw in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return folder


class Drip(io.RawIOBase):
    """A stream that returns at most ``size`` bytes at a time and can be read once, like a pipe."""

    def __init__(self, raw, size):
        self._raw, self._size, self._at = raw, size, 0

    def readable(self):
        return True

    def read(self, size=-1):
        piece = self._raw[self._at : self._at + min(size, self._size)]
        self._at += len(piece)
        return piece
