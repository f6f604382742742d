"""Corpora whose texts have any number of labels."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import corpus_files as files
from textperceptron.corpus import CorpusError, LabelMerge, iter_corpus, read_corpus
from textperceptron.settings import CorpusColumns

TEXTS = ["Goal and tax", "Nothing", "Goal"]
SETS = [("sport", "politics"), (), ("sport",)]
LABELS = st.lists(st.text("abc", min_size=1, max_size=3), max_size=4, unique=True)


def read(raw, **options):
    corpus = read_corpus(io.BytesIO(raw), **options)
    return corpus.texts, corpus.labels


def joined(separator):
    return [(separator.join(labels), text) for labels, text in zip(SETS, TEXTS, strict=True)]


def table(name, separator="|"):
    rows = joined(separator)
    if name == "tsv":
        return files.tsv([(text, label) for label, text in rows])
    if name == "csv":
        return files.quoted([("label", "text"), *rows])
    if name == "jsonl":
        return files.jsonl([(text, label) for label, text in rows])
    return files.parquet([(text, label) for label, text in rows])


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("separator", ["|", ", ", "::"])
def test_a_separator_makes_several_labels(name, separator):
    found = read(table(name, separator), format=name, label_separator=separator)
    assert found == (TEXTS, SETS)


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl"])
def test_without_a_separator_nothing_is_split(name):
    rows = [("a|b", "One"), ("c", "Two")]
    raw = {
        "tsv": files.tsv([(text, label) for label, text in rows]), "csv": files.quoted([("label", "text"), *rows]),
        "jsonl": files.jsonl([(text, label) for label, text in rows]),
    }[name]  # fmt: skip
    assert read(raw, format=name)[1] == ["a|b", "c"]


def test_labels_are_stripped_and_counted_once():
    assert read(b"b | a|b||\tOne\n|\tTwo\na\tThree\n", label_separator="|")[1] == [("b", "a"), (), ("a",)]


def test_fasttext_lines_may_have_several_labels():
    raw = b"__label__a One\n__label__b __label__a  Two\n__label__c\t__label__c __label__a Three\n"
    assert read(raw) == (["One", " Two", "Three"], [("a",), ("b", "a"), ("c", "a")])
    assert read(b"__label__a One\n__label__b Two\n")[1] == ["a", "b"]


@given(
    st.lists(st.tuples(LABELS.filter(bool), st.text("xy z", max_size=8)), min_size=1, max_size=6), st.integers(1, 40)
)
def test_fasttext_lines_are_read_back_in_any_block_size(rows, size):
    lines = (" ".join([*(f"__label__{label}" for label in labels), text]) for labels, text in rows)
    raw = b"".join(line.encode() + b"\n" for line in lines)
    found = read_corpus(files.Drip(raw, size), format="fasttext")
    expected = [tuple(labels) for labels, _ in rows]
    single = all(len(labels) == 1 for labels in expected)
    assert found.labels == ([label for (label,) in expected] if single else expected)
    assert [text.strip() for text in found.texts] == [text.strip() for _, text in rows]


def test_arrays_of_json_lines_are_several_labels():
    raw = b"".join(
        json.dumps({"text": text, "label": label}).encode() + b"\n"
        for text, label in zip(TEXTS, [["sport", "politics"], [], "sport"], strict=True)
    )
    assert read(raw) == (TEXTS, SETS)
    assert read(b'{"text": "One", "labels": [1, true, 1]}\n')[1] == [("1", "true")]


def test_list_columns_of_parquet_are_several_labels():
    raw = io.BytesIO()
    pq.write_table(pa.table({"text": TEXTS, "labels": [list(labels) for labels in SETS]}), raw)
    assert read(raw.getvalue()) == (TEXTS, SETS)


def test_labels_of_all_files_are_sets_if_those_of_one_are(tmp_path):
    (tmp_path / "train.ft").write_bytes(b"__label__a One\n__label__b Two\n")
    (tmp_path / "test.ft").write_bytes(b"__label__a __label__b Three\n")
    corpus = read_corpus(tmp_path)
    assert (corpus.train.labels, corpus.test.labels) == ([("a",), ("b",)], [("a", "b")])
    assert corpus.train.multilabel
    assert repr(corpus.train) == '<Documents: 2 texts ("a": 1, "b": 1)>'


def test_the_separator_is_remembered():
    corpus = read_corpus(io.BytesIO(table("csv")), label_separator="|")
    assert corpus.columns == CorpusColumns(("text",), "label", label_separator="|")
    assert corpus.columns.describe() == "text from 'text', label from 'label', labels separated by '|'"
    again = read_corpus(io.BytesIO(table("csv")), columns=corpus.columns)
    assert again.labels == SETS
    assert "label_separator" not in CorpusColumns(("text",)).as_json()


def test_a_model_recognises_its_labels_when_they_are_joined():
    columns = CorpusColumns(label_separator="|")
    options = {"labelled": False, "columns": columns, "known_labels": {"sport", "politics"}}
    assert read(b"politics|sport\tTax\nother\tSoup\n", **options) == (["Tax", "Soup"], [])


def test_labels_of_sets_are_merged_and_dropped():
    merge = LabelMerge("sport,chess=games;politics=")
    raw = b"sport|chess\tOne\npolitics\tTwo\npolitics|sport\tThree\n\tFour\nsoup\tFive\n"
    texts, labels = read(raw, label_separator="|", merge_labels=merge)
    assert texts == ["One", "Three", "Four", "Five"]
    assert labels == [("games",), ("games",), (), ("soup",)]
    merge.check("raw")


def test_streams_have_sets_too():
    batches = iter_corpus(io.BytesIO(table("tsv")), label_separator="|")
    assert [label for batch in batches for label in batch.labels] == SETS


@pytest.mark.parametrize("separator", ["", "\n"])
def test_a_separator_that_cannot_separate_is_named(separator):
    with pytest.raises(CorpusError, match=r"cannot separate labels\. Use --label-separator '|'"):
        read(b"a\tOne\n", label_separator=separator)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a|b\tOne\nb|a|b\tTwo\n", 'all 2 documents have the labels "a", "b". A classifier needs documents with'),
        (b"|\tOne\n|\tTwo\n", "the documents have no labels"),
    ],
)
def test_documents_without_different_labels_are_refused(raw, message):
    corpus = read_corpus(io.BytesIO(raw), label_separator="|")
    with pytest.raises(CorpusError, match=message):
        corpus.require_classes()
