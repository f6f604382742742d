"""Columns: several texts in one document, the columns that a model remembers, columns to keep, merged labels."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import corpus_files as files
from textperceptron.corpus import CorpusError, LabelMerge, iter_corpus, load_corpus, open_corpus, read_corpus
from textperceptron.corpus.columns import join_texts
from textperceptron.settings import CorpusColumns

TABLE = [
    ["id", "title", "body", "stars"],
    ["1", "Soup", "Lovely", "5"],
    ["2", "", "Cold", "1"],
    ["3", "Bread", "", "2"],
]
JOINED = ["Soup\nLovely", "Cold", "Bread"]
FORMATS = ["csv", "tsv", "jsonl", "parquet", "xlsx"]


def written(name, table=TABLE):
    """Return a table in a format, the empty cells of JSON lines and Parquet as null."""
    header, *rows = table
    if name in ("csv", "tsv"):
        return files.lines([("," if name == "csv" else "\t").join(row) for row in table])
    records = [dict(zip(header, (cell or None for cell in row), strict=True)) for row in rows]
    if name == "jsonl":
        return files.lines(map(json.dumps, records))
    if name == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book, out = openpyxl.Workbook(), io.BytesIO()
        for row in table:
            book.active.append(row)
        book.save(out)
        return out.getvalue()
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), out)
    return out.getvalue()


def read(raw, **options):
    return read_corpus(io.BytesIO(raw), **options)


def message(raw, **options):
    with pytest.raises(CorpusError) as caught:
        read(raw, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", FORMATS)
def test_the_texts_of_several_columns_are_one_document(name):
    corpus = read(written(name), format=name, text_column=["title", "body"], label_column="stars")
    assert (corpus.texts, corpus.labels) == (JOINED, ["5", "1", "2"])
    assert corpus.columns == CorpusColumns(("title", "body"), "stars")


def test_columns_without_names_are_remembered_by_number():
    raw = written("csv", TABLE[1:])
    corpus = read(raw, format="csv", text_column=[2, 3], label_column=4)
    assert corpus.texts == JOINED
    assert corpus.columns == CorpusColumns((2, 3), 4)
    assert read(raw, format="csv", columns=corpus.columns).texts == JOINED


@given(st.lists(st.text()))
def test_no_text_is_lost_when_texts_are_joined(texts):
    assert "".join(join_texts(texts).split("\n")) == "".join("".join(texts).split("\n"))


def test_a_document_whose_columns_are_all_missing_is_a_bad_row():
    raw = b'{"title": null, "body": "Lovely", "label": 1}\n{"label": 2}\n'
    assert message(raw, text_column=["title", "body"]).startswith("the stream, line 2: there is no 'title'.")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ([], "the list of text columns is empty. Name at least one."),
        (["body", "body"], "the text column 'body' is named twice. Name each column once."),
        (["body", "nothing"], "there is no column 'nothing' among 'id', 'title', 'body', 'stars'."),
        (["body", 9], "there is no column 9: the first row has 4 columns"),
    ],
)
def test_invalid_lists_of_columns_are_errors(columns, reason):
    assert reason in message(written("csv"), format="csv", text_column=columns)


@pytest.mark.parametrize("name", FORMATS)
def test_columns_that_would_fit_as_well_are_listed(name):
    table = [["summary", "Text", "Topic", "rating"], ["a", "b", "c", "d"], ["e", "f", "g", "h"]]
    (reading,) = read(written(name, table), format=name).files
    assert (reading.choice.text, reading.choice.label) == (("Text",), "Topic")
    assert (reading.choice.other_texts, reading.choice.other_labels) == (("summary",), ("rating",))
    (reading,) = read(written(name, table), format=name, text_column="Text", label_column="rating").files
    assert (reading.choice.other_texts, reading.choice.other_labels) == ((), ())


def test_files_without_named_columns_have_nothing_to_remember(tmp_path):
    for raw in (b"pos\ta\nneg\tb\n", b"__label__pos a\n", b"a\nb\n"):
        assert read(raw).columns is None
    assert read(b"pos,a\nneg,b\n", format="csv").columns is None
    for name, raw in {"a.csv": b"text,label\na,x\n", "b.csv": b"review,stars\nb,y\n"}.items():
        (tmp_path / name).write_bytes(raw)
    both = read_corpus([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert both.columns is None  # the files differ, so names are looked for again
    assert [reading.choice.text for reading in both.files] == [("text",), ("review",)]


# What a model remembers, and its labels, as predict passes them.
MODEL = {"labelled": False, "columns": CorpusColumns(("Kommentar",), "Note"), "known_labels": {"pos", "neg"}}
MODEL_WITHOUT_COLUMNS = {"labelled": False, "columns": None, "known_labels": {"pos", "neg"}}
UNNAMED = (
    "the first row (\"{}\") does not name 'Kommentar', which the model was trained on. Name the column with the text "
    "(--text-column), by a name in the header or a number from 1; --format text reads plain lines."
)


@pytest.mark.parametrize("name", FORMATS)
def test_the_columns_of_a_model_are_read_again(name):
    table = [["text", "Kommentar", "label"], ["wrong", "right", "x"], ["no", "yes", "y"]]
    assert read(written(name, table), format=name, **MODEL).texts == ["right", "yes"]
    other_case = [["text", "KOMMENTAR"], ["wrong", "right"], ["no", "yes"]]
    assert read(written(name, other_case), format=name, **MODEL).texts == ["right", "yes"]
    assert read(written(name, table), format=name, **MODEL, text_column="text").texts == ["wrong", "no"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_without_the_columns_of_a_model_is_an_error_with_a_remedy(name):
    table = [["id", "text", "label"], ["1", "a", "x"], ["2", "b", "y"]]
    expected = (
        "there is no column 'Kommentar', which the model was trained on, among 'id', 'text', 'label'. "
        "Name the column with the text: --text-column."
    )
    assert message(written(name, table), format=name, **MODEL).endswith(expected)


def test_a_remembered_label_is_preferred_and_others_are_found_by_name():
    columns = CorpusColumns(("text",), "Note")
    raw = b"text,label,Note\na,x,5\nb,y,1\n"
    assert read(raw, columns=columns).labels == ["5", "1"]
    assert read(raw.replace(b",Note", b",More"), columns=columns).labels == ["x", "y"]
    assert read(b'{"text": "a", "label": 1, "Note": 5}\n', columns=columns).labels == ["5"]


@pytest.mark.parametrize(
    ("raw", "name", "texts"),
    [
        (b"pos\ta\nneg\tb\tc\n", "tsv", ["a", "b\tc"]),  # label and text
        (b"good\ta\nneg\tb\n", "tsv", ["a", "b"]),  # one label that the model knows is enough
        (b"\ta\nneg\tb\n", "tsv", ["a", "b"]),  # a label may be missing
        (b"a\nb\n", "tsv", ["a", "b"]),  # no tab: one column
        (b"text\na\nb\n", "tsv", ["a", "b"]),
        (b"pos,a\nneg,b\n", "csv", ["a", "b"]),
        (b"a\n\"b, c\"\n", "csv", ["a", "b, c"]),
        (b"Kommentar\na\n", "csv", ["a"]),
        (b"text\na\n", "csv", ["a"]),
    ],
)  # fmt: skip
def test_rows_without_names_are_read_where_their_meaning_is_clear(raw, name, texts):
    for model in (MODEL, MODEL_WITHOUT_COLUMNS):
        if raw.startswith(b"Kommentar") and model is MODEL_WITHOUT_COLUMNS:
            continue
        corpus = read(raw, format=name, **model)
        assert (corpus.texts, corpus.labels) == (texts, [])


@pytest.mark.parametrize("name", ["csv", "tsv"])
@pytest.mark.parametrize(
    "rows", [[["Nr", "Inhalt"], ["1", "a"]], [["1", "a"], ["2", "b"]], [["a", "pos"], ["b", "neg"]]]
)
def test_rows_whose_text_cannot_be_told_are_an_error(name, rows):
    raw = written(name, rows)
    assert message(raw, format=name, **MODEL).endswith(UNNAMED.format(" | ".join(rows[0])))
    assert "it is not clear which of 2 columns is the text" in message(raw, format=name, **MODEL_WITHOUT_COLUMNS)
    assert read(raw, format=name, text_column=2, labelled=False).texts == [row[1] for row in rows]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"Lovely\nCold\tand rude\nuseless\n", "text"),
        (b"Cold\tand rude\n", "text"),
        (b"Lovely, warm soup\nCold, rude\n", "text"),
        (b"text\nLovely\n", "text"),
        (b"pos\tLovely\nneg\tCold\n", "tsv"),
        (b"text\twhen it was written\nLovely\t1\n", "text"),  # too long for the name of a column
        (b"text\tdate\nLovely\t1\n", "tsv"),
        (b"Question, why is it so cold\nLovely, 1\n", "text"),
        (b"date;Question\n1;Lovely\n", "csv"),
        (b"x\tKommentar\n1\tLovely\n", "tsv"),
        (b"x,Kommentar\n1,Lovely\n", "csv"),
        (b"Kommentar\nLovely\n", "csv"),
        (b"id,text\n1,Lovely\n", "csv"),
        (b'{"Kommentar": "Lovely"}\n', "jsonl"),
        (b"__label__pos Lovely\n", "fasttext"),
    ],
)
def test_first_lines_decide_only_where_they_are_clear(raw, kind):
    model = MODEL if b"Kommentar" in raw else MODEL_WITHOUT_COLUMNS
    batches = iter_corpus(io.BytesIO(raw), **model)
    texts = [text for batch in batches for text in batch.texts]
    (reading,) = batches.files
    assert (reading.format, reading.by_content) == (kind, True)
    assert len(texts) == len(raw.splitlines()) - (kind in ("csv", "tsv") and not raw.startswith(b"pos"))
    assert reading.has_tabs == (kind == "text" and raw.startswith((b"Cold\t", b"text\t")))


def test_no_documents_are_no_error_without_labels():
    for raw in (b"", b"id,text\n", b"text\tid\n", files.parquet([]), written("xlsx", [["text", "id"]])):
        assert list(iter_corpus(io.BytesIO(raw), labelled=False)) == []


def test_documents_of_a_flat_folder_need_no_classes(tmp_path):
    folder = files.write_tree(tmp_path, {"1.txt": "one\ndocument", "2.txt": "another", "README": "left out"})
    assert read_corpus(folder, format="folders", labelled=False).texts == ["one\ndocument", "another"]
    assert read_corpus(folder, labelled=False).texts == ["one", "document", "another"]


@pytest.mark.parametrize("name", FORMATS)
def test_kept_columns_come_with_their_documents(name):
    records = [
        record for batch in iter_corpus(io.BytesIO(written(name)), format=name, text_column="body", labelled=False,
                                        on_bad="skip", keep_columns=True)
        for record in batch.records.rows
    ]  # fmt: skip
    header, *rows = TABLE
    expected = [dict(zip(header, row, strict=True)) for row in rows]
    if name in ("jsonl", "parquet"):  # null is no text, so the last row is left out
        expected = [{key: value or None for key, value in row.items()} for row in expected[:2]]
    assert records == expected


@pytest.mark.parametrize("name", FORMATS)
def test_some_columns_are_kept_and_unknown_ones_are_errors(name):
    options = {"format": name, "text_column": ["title", "body"], "labelled": False}
    (batch, *_) = iter_corpus(io.BytesIO(written(name)), **options, keep_columns=["stars", "id"])
    assert batch.records.names == ("stars", "id")
    assert batch.records.rows[0] == {"stars": "5", "id": "1"}
    with pytest.raises(CorpusError, match="there is no column 'date' to keep among 'id', 'title', 'body', 'stars'"):
        list(iter_corpus(io.BytesIO(written(name)), **options, keep_columns=["date"]))


@pytest.mark.parametrize(
    ("raw", "record"),
    [
        (b"Lovely\n", {"text": "Lovely"}),
        (b"pos\tLovely\n", {"label": "pos", "text": "Lovely"}),
        (b"__label__pos Lovely\n", {"label": "pos", "text": "Lovely"}),
    ],
)
def test_formats_without_names_have_records_too(raw, record):
    (batch,) = iter_corpus(io.BytesIO(raw), labelled=False, keep_columns=True)
    assert batch.records.rows == [record]


def test_folders_have_records_with_the_file(tmp_path):
    folder = files.write_tree(tmp_path, {"pos/1": "Lovely", "neg/2": "Cold"})
    (batch,) = iter_corpus(folder, labelled=False, keep_columns=True)
    assert batch.records.rows == [
        {"file": str(folder / "neg/2"), "label": "neg", "text": "Cold"},
        {"file": str(folder / "pos/1"), "label": "pos", "text": "Lovely"},
    ]


def test_repeated_and_empty_names_are_kept_apart():
    (batch,) = iter_corpus(io.BytesIO(b"text,,a,a\nLovely,1,2,3\n"), format="csv", text_column="text",
                           labelled=False, keep_columns=True)  # fmt: skip
    assert batch.records.rows == [{"text": "Lovely", "column_2": "1", "a": "2", "a_2": "3"}]


RULES = {"1": "neg", "2": "neg", "4": "pos", "5": "pos", "3": None}


def test_labels_are_grouped_and_dropped_with_their_documents():
    raw = b"5\ta\n3\tb\n1\tc\n4\td\n2\te\n"
    for rules in ("1,2=neg;4,5=pos;3=", RULES):
        corpus = read(raw, merge_labels=rules)
        assert (corpus.texts, corpus.labels) == (["a", "c", "d", "e"], ["pos", "neg", "pos", "neg"])
        assert dict(corpus.columns.merged) == RULES
    (batch,) = iter_corpus(io.BytesIO(raw), merge_labels=RULES, keep_columns=True)
    assert [place.line for place in batch.locations] == [1, 3, 4, 5]
    assert [row["text"] for row in batch.records.rows] == ["a", "c", "d", "e"]


def test_labels_of_a_corpus_by_name_are_merged():
    for read_named in (load_corpus, open_corpus):
        corpus = read_named("stars", merge_labels="1,2=neg;4,5=pos;3=")
        assert set(corpus.labels) == set(corpus.test.labels) == {"neg", "pos"}
    remembered = CorpusColumns(merged=tuple(RULES.items()))
    assert set(open_corpus("stars", columns=remembered).labels) == {"neg", "pos"}
    assert open_corpus("reviews", columns=remembered).labels == load_corpus("reviews").labels


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("a=b", {"a": "b"}),
        (" a , b = c ; ", {"a": "c", "b": "c"}),
        ('"a, b",c=d', {"a, b": "d", "c": "d"}),
        ('"say ""hi"""="x=y"', {'say "hi"': "x=y"}),
        ("a b=c d", {"a b": "c d"}),
    ],
)
def test_groups_are_written_with_commas_semicolons_and_quotes(text, rules):
    assert LabelMerge(text).rules == rules


@pytest.mark.parametrize("text", ["", ";", "a", "a,b", "=b", "a=b=c", "a=b,c", '"a=b', "a=b;a=c"])
def test_groups_that_cannot_be_read_are_errors_with_an_example(text):
    with pytest.raises(CorpusError, match=r'^--merge-labels: .*Write groups such as "1,2=neg;4,5=pos;3="'):
        LabelMerge(text)


def test_a_label_that_no_document_has_is_an_error_with_those_that_exist():
    assert message(b"1\ta\n2\tb\n", merge_labels="1,6=neg") == (
        "the stream: no document has the label '6' of --merge-labels. Use labels of the corpus: '1', '2'."
    )
    assert read(b"1\ta\n2\tb\n", columns=CorpusColumns(merged=(("6", "neg"),))).labels == ["1", "2"]


def test_rows_left_out_are_counted_for_each_reason():
    raw = b"text,stars\na,1\nb,\nc,2,3\nd,\ne,5\n"
    corpus = read(raw, on_bad="skip")
    assert corpus.texts == ["a", "e"]
    assert corpus.skipped.by_kind == {
        "column 'stars', the label, is empty": 2,
        "3 columns where the first row has 2": 1,
    }
    assert str(corpus.skipped) == (
        "3 rows left out: column 'stars', the label, is empty: 2 (the stream, lines 3, 5); "
        '3 columns where the first row has 2 ("c | 2 | 3"): 1 (the stream, line 4)'
    )
