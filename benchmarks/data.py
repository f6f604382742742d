"""Published corpora for benchmarks, as texts or as cached matrices."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TEXTPERCEPTRON_DATA", ROOT.parent / "shared" / "corpora"))
CACHE = ROOT / ".cache"


def imdb_texts(part):
    """Return texts and labels of ``part``, "train" or "test"."""
    with gzip.open(DATA / f"imdb.{part}.tsv.gz", "rt", encoding="utf-8", newline="\n") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [text for _, text in pairs], np.array([label for label, _ in pairs])


def imdb(ngrams):
    """Return IMDB as counted by CountVectorizer (train, labels, test, labels), with int32 indices and its columns."""
    parts = [CACHE / f"imdb.{ngrams}.{part}.npz" for part in ("train", "test")]
    (train, y), (test, y_test) = imdb_texts("train"), imdb_texts("test")
    if not all(part.exists() for part in parts):
        from sklearn.feature_extraction.text import CountVectorizer

        print(f"vectorising IMDB, 1-{ngrams}-grams, once …", flush=True)
        vectoriser = CountVectorizer(ngram_range=(1, ngrams))
        CACHE.mkdir(exist_ok=True)
        sp.save_npz(parts[0], vectoriser.fit_transform(train), compressed=False)
        sp.save_npz(parts[1], vectoriser.transform(test), compressed=False)
    return sp.load_npz(parts[0]), y, sp.load_npz(parts[1]), y_test


def zipped(name):
    """Return texts and labels of one of the three zipped corpora: a folder or a file per class."""
    texts, labels = [], []
    with zipfile.ZipFile(DATA / f"{name}.zip") as archive:
        for member in sorted(archive.namelist()):
            path = Path(member)
            if path.name == "README.txt":
                continue
            if path.suffix == ".txt":  # a folder per class, one document per file
                texts.append(archive.read(member).decode("latin-1"))
                labels.append(path.parent.name)
            elif path.name.startswith(("rt-polarity.", "quote.", "plot.")):  # a file per class, one document per line
                with io.TextIOWrapper(archive.open(member), "latin-1", newline="\n") as lines:
                    found = [line.strip() for line in lines if line.strip()]
                texts += found
                labels += [path.name] * len(found)
    return texts, np.array(labels)


def labelled(name):
    """Return texts and labels of a corpus in TSV, plain or gzipped, such as "20news.train"."""
    plain = DATA / f"{name}.tsv"
    with plain.open("rb") if plain.exists() else gzip.open(DATA / f"{name}.tsv.gz") as file:
        lines = file.read().decode("utf-8").removesuffix("\n").split("\n")
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return list(texts), np.array(labels)
