"""Weights of texts from a column of the corpus."""

from __future__ import annotations

import json

import numpy as np
import pytest

from textperceptron import TextModel, read_corpus
from textperceptron.corpus import CorpusError
from textperceptron.settings import CorpusColumns

ROWS = [("Lovely soup", "pos", 1.0), ("Cold soup", "neg", 2.5), ("Fine, fine bread", "pos", 0.0)]


def write(path, rows):
    """Write a file in the format of its suffix."""
    names = ("text", "label", "weight")
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    elif path.suffix == ".tsv":
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in [names, *rows]))
    elif path.suffix == ".csv":
        path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in [names, *rows]))
    elif path.suffix == ".parquet":
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({n: [row[k] for row in rows] for k, n in enumerate(names)}), path)
    else:
        workbook = pytest.importorskip("openpyxl").Workbook()
        for row in [names, *rows]:
            workbook.active.append(row)
        workbook.save(path)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_a_column_of_every_format_has_the_weights(tmp_path, suffix):
    write(path := tmp_path / f"soups.{suffix}", ROWS)
    corpus = read_corpus(path, weight_column="weight")
    assert (corpus.texts, corpus.labels, corpus.train.weights) == tuple(map(list, zip(*ROWS, strict=True)))
    assert corpus.columns == CorpusColumns(("text",), "label", weight="weight")
    assert read_corpus(path).train.weights == []
    with pytest.raises(
        CorpusError, match=r"no column 'importance' with weights among 'text', 'label', 'weight'\. Name"
    ):
        read_corpus(path, weight_column="importance")


def test_a_column_without_a_name_is_chosen_by_its_number(tmp_path):
    (path := tmp_path / "soups.tsv").write_text("pos\tLovely soup\t2\nneg\tCold soup\t1\n")
    corpus = read_corpus(path, text_column=2, label_column=1, weight_column=3)
    assert (corpus.texts, corpus.train.weights) == (["Lovely soup", "Cold soup"], [2.0, 1.0])
    assert corpus.columns == CorpusColumns((2,), 1, weight=3)
    with pytest.raises(CorpusError, match="there is no column 0"):
        read_corpus(path, text_column=2, label_column=1, weight_column=0)
    with pytest.raises(CorpusError, match="there is no column 4 with weights"):
        read_corpus(path, text_column=2, label_column=1, weight_column=4)


@pytest.mark.parametrize("bad", ["-1", "much", "", "nan", "inf"])
def test_what_is_not_a_weight_is_reported_with_its_line_or_skipped(tmp_path, bad):
    write(path := tmp_path / "soups.csv", [*ROWS, ("Bad soup", "neg", bad), ("Hot soup", "pos", 3.0)])
    with pytest.raises(CorpusError, match=r"soups\.csv, line 5: column 'weight' (is \".*\", not a|has no) weight"):
        read_corpus(path, weight_column="weight")
    corpus = read_corpus(path, weight_column="weight", on_bad="skip", merge_labels="pos=good;neg=bad")
    assert corpus.train.weights == [1.0, 2.5, 0.0, 3.0]
    assert len(corpus.texts) == len(corpus.labels) == 4
    assert len(corpus.skipped) == 1


def test_formats_without_columns_have_no_weights(tmp_path):
    (path := tmp_path / "soups.txt").write_text("__label__pos Lovely soup\n__label__neg Cold soup\n")
    with pytest.raises(CorpusError, match="no column 'weight' with weights"):
        read_corpus(path, weight_column="weight")


def test_a_model_remembers_the_column(tmp_path):
    write(path := tmp_path / "soups.csv", ROWS)
    corpus = read_corpus(path, weight_column="weight")
    model = TextModel.train(corpus.texts, corpus.labels, "mira", sample_weight=corpus.train.weights)
    model.corpus_columns = corpus.columns
    model.save(tmp_path / "model", trainable=True)
    loaded = TextModel.load(tmp_path / "model")
    assert loaded.corpus_columns == corpus.columns
    assert "weight from 'weight'" in corpus.columns.describe()
    assert read_corpus(path, columns=loaded.corpus_columns).texts == corpus.texts  # predict needs no weights
    unweighted = TextModel.train(corpus.texts, corpus.labels, "mira")
    assert (model.scores(corpus.texts) != unweighted.scores(corpus.texts)).any()
    loaded.update(corpus.texts, corpus.labels, sample_weight=corpus.train.weights)
    model.update(corpus.texts, corpus.labels, sample_weight=np.array(corpus.train.weights))
    np.testing.assert_array_equal(loaded.scores(corpus.texts), model.scores(corpus.texts))
