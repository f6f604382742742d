"""Published corpora are read completely: every document, unchanged and in its class."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from collections import Counter

import pytest

from helpers import corpus_files as files
from helpers import texts
from helpers.texts import CORPORA, DATA, as_parameters, shared_file
from textperceptron.corpus import CorpusError, iter_corpus, read_corpus

SIZES = {
    "imdb.train.tsv.gz": (25_000, 2), "imdb.test.tsv.gz": (25_000, 2), "movie_reviews.zip": (2_000, 2),
    "sentence_polarity.zip": (10_662, 2), "subjectivity.zip": (10_000, 2), "sst_fine.train.tsv": (8_544, 5),
    "sst_fine.dev.tsv": (1_101, 5), "sst_fine.test.tsv": (2_210, 5), "trec.train.tsv": (5_452, 6),
    "trec.test.tsv": (500, 6), "20news.train.tsv.gz": (11_314, 20), "20news.test.tsv.gz": (7_532, 20),
}  # fmt: skip


@pytest.mark.parametrize("name", as_parameters(CORPORA))
def test_every_document_and_class_is_read(name):
    found = read_corpus(shared_file(name))
    assert (len(found.texts), len(set(found.labels))) == SIZES[name]
    assert len(found.labels) == len(found.texts)
    assert found.test is None
    assert not found.skipped


@pytest.mark.parametrize("name", as_parameters(name for name in CORPORA if "tsv" in name))
def test_tsv_equals_manual_splitting(name):
    raw = shared_file(name).read_bytes()
    lines = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode().removesuffix("\n").split("\n")
    found = read_corpus(DATA / name)
    assert [f"{label}\t{text}" for label, text in zip(found.labels, found.texts, strict=True)] == lines


@pytest.mark.parametrize(
    ("name", "counts", "members"),
    [
        ("movie_reviews.zip", {"neg": 1000, "pos": 1000}, {"pos": "movie_reviews/pos/cv000_29590.txt"}),
        ("sentence_polarity.zip", {"neg": 5331, "pos": 5331}, {"pos": "sentence_polarity/rt-polarity.pos"}),
        ("subjectivity.zip", {"plot": 5000, "quote": 5000}, {"quote": "subjectivity/quote.tok.gt9.5000"}),
    ],
)
def test_the_zips_have_their_classes_and_are_utf_8(name, counts, members):
    path = shared_file(name)
    found = read_corpus(path)
    assert Counter(found.labels) == counts
    ((label, member),) = members.items()
    with zipfile.ZipFile(path) as archive:
        text = archive.read(member).decode("utf-8")
    first = found.texts[found.labels.index(label)]
    assert first == (text if name == "movie_reviews.zip" else text.split("\n")[0])


@pytest.mark.parametrize(
    ("name", "place"),
    [("sentence_polarity.zip", "sentence_polarity/rt-polarity.neg, line 27: byte 111 "),
     ("subjectivity.zip", "subjectivity/quote.tok.gt9.5000, line 21: byte 30 ")],
)  # fmt: skip
def test_in_another_encoding_the_first_line_that_breaks_is_named(tmp_path, name, place):
    with zipfile.ZipFile(shared_file(name)) as archive:
        members = {member: archive.read(member) for member in archive.namelist() if not member.endswith("/")}
    path = tmp_path / name
    path.write_bytes(files.zipped({member: raw.decode().encode("latin-1") for member, raw in members.items()}))
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(f"{path}/{place}")
    assert "(--encoding latin-1 or cp1252)" in str(caught.value)
    assert read_corpus(path, encoding="latin-1").texts == read_corpus(DATA / name).texts


def test_a_split_corpus_in_a_folder_has_both_parts(tmp_path):
    for part in ("train", "dev", "test"):
        shutil.copy(shared_file(f"sst_fine.{part}.tsv"), tmp_path)
    found = read_corpus(tmp_path)
    assert (len(found.train), len(found.test)) == (8_544, 2_210)


@pytest.mark.slow
def test_a_stream_gives_the_same_documents_in_batches():
    path = shared_file("20news.train.tsv.gz")
    batches = list(iter_corpus(path))
    assert len(batches) > 20
    whole = read_corpus(path)
    assert [text for batch in batches for text in batch.texts] == whole.texts
    assert [label for batch in batches for label in batch.labels] == whole.labels
    assert [location.line for batch in batches for location in batch.locations] == list(range(1, 11_315))


@pytest.mark.parametrize(("value", "raised"), [("true", pytest.fail.Exception), (None, pytest.skip.Exception)])
def test_a_missing_corpus_fails_in_ci_and_is_skipped_elsewhere(monkeypatch, tmp_path, value, raised):
    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.delenv("CI", raising=False)
    if value is not None:
        monkeypatch.setenv("CI", value)
    with pytest.raises(raised, match=r"missing\.tsv is missing: set TEXTPERCEPTRON_DATA"):
        shared_file("missing.tsv")
