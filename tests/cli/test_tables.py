"""Tables in and out of the command line: one label per document in every format, beside its row."""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import random
import subprocess
import sys

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from helpers import corpus_files as files
from helpers.fresh import FRESH_PYTHON
from textperceptron import read_corpus
from textperceptron.cli import main
from textperceptron.corpus import load_corpus
from textperceptron.model import TextModel
from textperceptron.settings import CorpusColumns

REVIEWS = load_corpus("reviews").test
# Line ends, quotes and delimiters within texts, as people write them.
TEXTS = [text.replace(". ", '.\n"Well", ', 1) for text in REVIEWS.texts]
TSV_TEXTS = [text.replace("\n", " ") for text in TEXTS]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.tpm"
    assert main(["train", "reviews", "--recipe", "mira", "--calibrate", "--json", "--model", str(path)]) == 0
    return path


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; return its output and its messages."""
    monkeypatch.chdir(tmp_path)

    def run_it(*words, stdin=b"", exit_code=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfd.readouterr()
        assert main(list(map(str, words))) == exit_code
        return capfd.readouterr()

    return run_it


def as_xlsx(texts):
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["id", "review", "when"])
    for k, text in enumerate(texts):
        book.active.append([k, text, datetime.date(2024, 5, 1)])
    book.save(out)
    return out.getvalue()


def as_parquet(texts):
    out = io.BytesIO()
    table = {"id": range(len(texts)), "review": texts, "when": [datetime.date(2024, 5, 1)] * len(texts)}
    pyarrow.parquet.write_table(pyarrow.table(table), out)
    return out.getvalue()


def as_csv(texts, delimiter=","):
    out = io.StringIO(newline="")
    rows = [["id", "review", "when"], *([k, text, "2024-05-01"] for k, text in enumerate(texts))]
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue().encode()


def as_jsonl(texts):
    rows = ({"id": k, "review": text, "when": "2024-05-01"} for k, text in enumerate(texts))
    return files.lines(map(json.dumps, rows))


def as_tsv(texts):
    return files.lines(["id\treview\twhen", *(f"{k}\t{text}\t2024-05-01" for k, text in enumerate(texts))])


# Name, bytes, texts.
INPUTS = [
    ("new.csv", as_csv(TEXTS), TEXTS),
    ("semicolons.csv", as_csv(TEXTS, ";"), TEXTS),
    ("new.tsv", as_tsv(TSV_TEXTS), TSV_TEXTS),
    ("new.jsonl", as_jsonl(TEXTS), TEXTS),
    ("new.parquet", as_parquet(TEXTS), TEXTS),
    ("new.xlsx", as_xlsx(TEXTS), TEXTS),
    ("new.csv.gz", files.COMPRESS[".gz"](as_csv(TEXTS)), TEXTS),
    ("new.zip", files.zipped({"new.csv": as_csv(TEXTS)}), TEXTS),
    ("labelled.tsv", files.tsv(list(zip(TSV_TEXTS, REVIEWS.labels, strict=True))), TSV_TEXTS),
    ("labelled.ft", files.fasttext(list(zip(TSV_TEXTS, REVIEWS.labels, strict=True))), TSV_TEXTS),
    ("plain.txt", files.plain([(text, None) for text in TSV_TEXTS]), TSV_TEXTS),
    ("plain", files.plain([(text, None) for text in TSV_TEXTS]), TSV_TEXTS),
    (
        "folders.zip",
        files.zipped({f"{'neg' if k < 80 else 'pos'}/{k:03}": text.encode() for k, text in enumerate(TEXTS)}),
        TEXTS,
    ),
]


@pytest.mark.parametrize(("name", "raw", "texts"), INPUTS, ids=[name for name, *_ in INPUTS])
def test_every_format_gives_one_label_per_document(run, tmp_path, model, name, raw, texts):
    (tmp_path / name).write_bytes(raw)
    expected = TextModel.load(model).predict(texts)
    found = run("predict", model, name)
    assert found.out.splitlines() == expected
    assert found.err == ""
    assert run("predict", model, name, "--n-jobs", 1).out.splitlines() == expected
    if not name.endswith((".csv.gz", ".zip")):
        assert run("predict", model, "-", stdin=raw).out.splitlines() == expected


@pytest.mark.parametrize(("name", "raw", "texts"), INPUTS, ids=[name for name, *_ in INPUTS])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_row_has_its_label_score_and_probability(run, tmp_path, model, name, raw, texts, suffix):
    (tmp_path / name).write_bytes(raw)
    opened = TextModel.load(model)
    run("predict", model, name, "--output", f"out{suffix}")
    rows = read_table(tmp_path / f"out{suffix}")
    prefix = "predicted_" if name.startswith(("labelled", "folders")) else ""
    assert [row[f"{prefix}label"] for row in rows] == opened.predict(texts)
    scores = abs(opened.scores(texts))
    assert [float(row[f"{prefix}score"]) for row in rows] == pytest.approx(scores, rel=1e-5)
    best = opened.probabilities(texts)[range(len(texts)), opened.codes(texts)]
    assert [float(row[f"{prefix}probability"]) for row in rows] == pytest.approx(best, rel=1e-5)
    column = "review" if "review" in rows[0] else "text"
    shown = [text.replace("\n", "\\n") for text in texts] if suffix == ".tsv" else texts
    assert [row[column] for row in rows] == shown
    if column == "review":
        assert [int(row["id"]) for row in rows] == list(range(len(texts)))
        assert {str(row["when"]) for row in rows} == {"2024-05-01"}


def read_table(path):
    raw = path.read_bytes()
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    text = raw.decode("utf-8-sig")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if path.suffix == ".tsv":
        header, *rows = (line.split("\t") for line in text.split("\n")[:-1])
        return [dict(zip(header, row, strict=True)) for row in rows]
    delimiter = ";" if text.startswith("id;") else ","
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_a_table_of_parquet_keeps_the_types_of_parquet(run, tmp_path, model):
    now = datetime.datetime(2024, 5, 1, 10, 30, tzinfo=datetime.UTC)
    table = pyarrow.table({
        "text": ["Lovely", "Cold"], "n": pyarrow.array([1, None], pyarrow.int16()),
        "at": pyarrow.array([now, now], pyarrow.timestamp("ms", "UTC")), "tags": [["a", "b"], []],
    })  # fmt: skip
    pyarrow.parquet.write_table(table, tmp_path / "new.parquet")
    run("predict", model, "new.parquet", "--output", "out.parquet")
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.select(table.column_names) == table
    assert found.schema.field("score").type == pyarrow.float64()
    run("predict", model, "new.parquet", "--output", "out.csv")
    first, second = read_table(tmp_path / "out.csv")
    assert (first["n"], first["at"], first["tags"]) == ("1", "2024-05-01 10:30:00+00:00", '["a", "b"]')
    assert (second["n"], second["tags"]) == ("", "[]")
    run("predict", model, "new.parquet", "--output", "out.jsonl")
    assert read_table(tmp_path / "out.jsonl")[0]["at"] == "2024-05-01T10:30:00+00:00"


def test_values_that_do_not_fit_a_column_of_parquet_are_one_line(run, tmp_path, model):
    (tmp_path / "new.jsonl").write_text('{"text": "a", "n": 1}\n{"text": "b", "n": "one"}\n')
    found = run("predict", model, "new.jsonl", "--output", "out.parquet", exit_code=2)
    assert found.err.startswith("textperceptron: out.parquet: a value does not have the type of its column (")
    assert found.err.count("\n") == 1
    assert not (tmp_path / "out.parquet").exists()


def test_csv_for_excel_begins_with_a_byte_order_mark_if_the_input_did(run, tmp_path, model):
    (tmp_path / "marked.csv").write_bytes("\ufeffid,text\n1,Süß\n".encode())
    (tmp_path / "plain.csv").write_bytes("id,text\n1,Süß\n".encode())
    (tmp_path / "book.xlsx").write_bytes(as_xlsx(["Süß"]))
    for name, has_mark in (("marked.csv", True), ("plain.csv", False), ("book.xlsx", True)):
        run("predict", model, name, "--output", "out.csv")
        assert (tmp_path / "out.csv").read_bytes().startswith("\ufeffid".encode()) == has_mark


def test_predictions_of_several_models_stand_side_by_side(run, tmp_path, model):
    (tmp_path / "0.csv").write_text("label,text\npos,Lovely\n")
    for k in range(3):
        run("predict", model, f"{k}.csv", "--output", f"{k + 1}.csv", "--text-column", "text")
    header = (tmp_path / "3.csv").read_text().splitlines()[0].split(",")
    assert [name for name in header if name.endswith("label")] == [
        "label", "predicted_label", "predicted_2_label", "predicted_3_label",
    ]  # fmt: skip


def test_a_model_of_numbers_writes_numbers(run, tmp_path):
    trained = TextModel.train(["lovely", "cold", "warm", "rude"] * 3, [1, 0, 1, 0] * 3)
    trained.corpus_columns = CorpusColumns(("body",))
    trained.save(tmp_path / "n.tpm")
    (tmp_path / "new.csv").write_text("text,body\ncold,lovely\n")
    run("predict", "n.tpm", "new.csv", "--output", "out.parquet")
    (row,) = read_table(tmp_path / "out.parquet")
    assert (row["body"], row["label"]) == ("lovely", 1)
    run("predict", "n.tpm", "new.csv", "--output", "out.jsonl")
    assert read_table(tmp_path / "out.jsonl")[0]["label"] == 1


def test_a_workbook_is_trained_on_evaluated_and_explained(run, tmp_path):
    labels = ["good" if label == "pos" else "bad" for label in REVIEWS.labels]
    book = openpyxl.Workbook()
    book.create_sheet("Notes", 0)
    book.active = 1
    sheet = book.worksheets[1]
    sheet.append(["id", "Review", "Sentiment"])
    for row in zip(range(len(labels)), TEXTS, labels, strict=True):
        sheet.append(row)
    book.save(tmp_path / "r.xlsx")
    printed = run("train", "r.xlsx", "--recipe", "mira", "--model", "m.tpm").out
    assert "r.xlsx: 160 training texts (bad: 80 · good: 80)" in printed
    assert "columns of sheet 'Sheet': text from 'Review', label from 'Sentiment'" in printed
    assert "160 texts" in run("evaluate", "m.tpm", "r.xlsx").out
    assert run("explain", "m.tpm", "--file", "r.xlsx", "--row", "3").out.startswith("r.xlsx, row 4\n")
    answers = run("predict", "m.tpm", "r.xlsx", "--json", "--sheet", "Sheet").out.splitlines()
    assert json.loads(answers[0])["row"] == 2
    assert len(answers) == 160


def test_a_command_and_python_remember_the_same_columns(run, tmp_path):
    (tmp_path / "r.jsonl").write_bytes(files.lines(
        json.dumps({"review": text, "stars": label}) for text, label in zip(TEXTS, REVIEWS.labels, strict=True)
    ))  # fmt: skip
    run("train", "r.jsonl", "--merge-labels", "pos=good", "--model", "command.tpm")
    corpus = read_corpus(tmp_path / "r.jsonl", merge_labels={"pos": "good"})
    trained = TextModel.train(corpus.texts, corpus.labels)
    trained.corpus_columns = corpus.columns
    trained.measured = TextModel.load("command.tpm").measured
    trained.save(tmp_path / "python.tpm")
    assert (tmp_path / "command.tpm").read_bytes() == (tmp_path / "python.tpm").read_bytes()
    assert TextModel.load("command.tpm").corpus_columns == CorpusColumns(("review",), "stars", (("pos", "good"),))


def test_a_table_that_fails_leaves_the_old_one(run, tmp_path, model):
    for suffix in (".csv", ".parquet"):
        (tmp_path / f"out{suffix}").write_text("old")
        raw = as_csv(TEXTS * 20) + b'9,"Lovely'
        (tmp_path / "new.csv").write_bytes(raw)
        found = run("predict", model, "new.csv", "--output", f"out{suffix}", exit_code=2)
        assert "a quote that is opened here is never closed" in found.err
        assert (tmp_path / f"out{suffix}").read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_the_number_of_threads_changes_no_byte_of_a_table(run, tmp_path, model):
    (tmp_path / "new.csv").write_bytes(as_csv(TEXTS * 20))
    tables = []
    for n_jobs in (1, 2, 3):
        run("predict", model, "new.csv", "--output", "out.csv", "--n-jobs", n_jobs)
        tables.append((tmp_path / "out.csv").read_bytes())
    assert len(set(tables)) == 1


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak from /proc")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_larger_table_takes_no_more_memory(tmp_path, model, suffix):
    code = """
import re, sys
from textperceptron.cli import main
assert main(sys.argv[1:]) == 0
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""
    drawn = random.Random(0)

    def peak_kb(n):
        path = tmp_path / "new.csv"
        with path.open("w") as out:
            out.write("id,text\n")
            for k in range(n):
                out.write(f"{k},{drawn.choice(REVIEWS.texts).replace(',', ' ')}\n")
        command = [*FRESH_PYTHON, code, "predict", model, path, "--output", tmp_path / f"out{suffix}", "--n-jobs", "1"]
        return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    small, large = peak_kb(40_000), peak_kb(400_000)
    assert large < small + 20_000


def test_messages_escape_what_a_file_names(run, tmp_path, model):
    evil = "\x1b[31m"
    (tmp_path / "new.csv").write_text(f"id,{evil}\n1,a\n")
    found = run("predict", model, "new.csv", exit_code=2)
    assert evil not in found.err
