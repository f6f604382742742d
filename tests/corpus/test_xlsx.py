"""Excel workbooks are read like CSV; other documents that are zip files are refused with a remedy."""

from __future__ import annotations

import datetime
import gzip
import io
import re
import sys
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import corpus_files as files
from helpers.deadline import within
from textperceptron.corpus import CorpusError, iter_corpus, read_corpus

ROWS = [["review", "stars"], ["Lovely soup", 5], ["Cold, “rude”\nand late", 1]]
TEXTS = ["Lovely soup", "Cold, “rude”\nand late"]


def workbook(*sheets, hidden=()):
    """Return a workbook with these sheets of rows, named Sheet1, Sheet2 …"""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for k, rows in enumerate(sheets, 1):
        sheet = book.create_sheet(f"Sheet{k}")
        for row in rows:
            sheet.append(row)
        if k in hidden:
            sheet.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def repacked(raw, changes):
    """Return a zip file with members replaced by functions of their contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, changes.get(member, bytes)(old.read(member)))
    return out.getvalue()


STRINGS = "xl/sharedStrings.xml"


def with_shared_strings(raw, strings=None):
    """Return a workbook whose texts are in a table of their own, as Excel writes them; or with another such table."""
    texts = []

    def refer(cell):
        texts.append(b"<si>%s</si>" % cell[1])
        return b't="s"><v>%d</v>' % (len(texts) - 1)

    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    out = io.BytesIO(repacked(raw, {
        "xl/worksheets/sheet1.xml": lambda xml: re.sub(rb't="inlineStr"><is>(.*?)</is>', refer, xml, flags=re.DOTALL),
        "[Content_Types].xml": lambda xml: xml.replace(b"</Types>", override),
    }))  # fmt: skip
    head = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(STRINGS, head + b"".join(texts) + b"</sst>" if strings is None else strings)
    assert texts
    return out.getvalue()


def message(raw, **options):
    with pytest.raises(CorpusError) as caught:
        read_corpus(io.BytesIO(raw), **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_texts_and_labels_are_those_of_the_columns(tmp_path):
    raw = workbook(ROWS)
    (tmp_path / "r.xlsx").write_bytes(raw)
    (tmp_path / "r.csv").write_bytes(raw)  # a wrong name
    (tmp_path / "r.xlsx.gz").write_bytes(gzip.compress(raw))
    shared = with_shared_strings(raw)
    sources = [tmp_path / "r.xlsx", tmp_path / "r.csv", tmp_path / "r.xlsx.gz", io.BytesIO(raw), io.BytesIO(shared)]
    for source in sources:
        corpus = read_corpus(source)
        assert (corpus.texts, corpus.labels) == (TEXTS, ["5", "1"])
        assert (corpus.columns.text, corpus.columns.label) == (("review",), "stars")


def test_a_folder_and_an_archive_may_contain_workbooks(tmp_path):
    folder = files.write_tree(tmp_path / "tree", {"a.xlsx": workbook(ROWS), "b.xlsx": workbook(ROWS)})
    assert read_corpus(folder).texts == TEXTS * 2
    assert read_corpus(io.BytesIO(files.zipped({"a.xlsx": workbook(ROWS)}))).texts == TEXTS


def test_cells_become_texts_as_excel_shows_them():
    cells = [
        12, 4.0, 4.5, True, datetime.date(2024, 5, 1), datetime.datetime(2024, 5, 1, 10, 30), datetime.time(7, 5),
        None, "#N/A", " spaces ",
    ]  # fmt: skip
    raw = workbook([["text", "label"], *([cell, "x"] for cell in cells)])
    assert read_corpus(io.BytesIO(raw)).texts == [
        "12", "4", "4.5", "true", "2024-05-01", "2024-05-01 10:30:00", "07:05:00", "", "", " spaces ",
    ]  # fmt: skip


def test_a_formula_has_the_value_that_excel_stored():
    raw = workbook([["text", "label"], ["=1+1", "a"], ["=2+2", "b"]])
    stored = repacked(raw, {
        "xl/worksheets/sheet1.xml": lambda xml: xml.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>")
        .replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    })  # fmt: skip
    assert stored != raw
    assert read_corpus(io.BytesIO(stored)).texts == ["2", ""]  # the second was never computed


def test_empty_rows_and_cells_outside_the_table_are_ignored():
    raw = workbook([[], [None, None], ["text", "label"], [], ["a", "x", None, "a note"], ["b", "y"], [None, None, ""]])
    batches = list(iter_corpus(io.BytesIO(raw)))
    assert [text for batch in batches for text in batch.texts] == ["a", "b"]
    assert [str(place) for batch in batches for place in batch.locations] == ["the stream, row 5", "the stream, row 6"]


def test_a_row_without_a_label_is_reported_with_its_number_and_its_column():
    raw = workbook([["text", "stars"], ["a", 1], ["b"], ["c", 2], ["d", None]])
    expected = "the stream, row 3: column 'stars', the label, is empty"
    assert message(raw).startswith(expected)
    corpus = read_corpus(io.BytesIO(raw), on_bad="skip")
    assert corpus.texts == ["a", "c"]
    assert str(corpus.skipped) == "2 rows left out: column 'stars', the label, is empty: 2 (the stream, rows 3, 5)"


def test_the_first_visible_sheet_with_data_is_read_unless_another_is_named():
    other = [["text", "label"], ["other", "z"], ["sheet", "w"]]
    raw = workbook([], other, ROWS, hidden=(2,))
    corpus = read_corpus(io.BytesIO(raw))
    assert corpus.texts == TEXTS
    assert corpus.files[0].choice.sheet == "Sheet3"
    assert read_corpus(io.BytesIO(raw), sheet="Sheet2").texts == ["other", "sheet"]
    assert message(raw, sheet="Sheet9") == (
        "the stream: there is no sheet 'Sheet9' among 'Sheet1', 'Sheet2', 'Sheet3'. Name another: --sheet."
    )
    assert read_corpus(io.BytesIO(workbook(ROWS))).files[0].choice.sheet is None


def test_the_first_row_names_the_columns_and_unknown_names_are_not_guessed():
    raw = workbook([["Kommentar", "Note"], ["Lovely", 1], ["Cold", 5]])
    assert message(raw) == (
        'the stream, row 1: it is not clear which of 2 columns is the text ("Kommentar | Note"). '
        "Name the columns (--text-column, --label-column), by a name in the header or a number from 1."
    )
    corpus = read_corpus(io.BytesIO(raw), text_column="Kommentar")
    assert (corpus.texts, corpus.labels) == (["Lovely", "Cold"], ["1", "5"])
    plain = workbook([["pos", "Lovely"], ["neg", "Cold"]])
    assert read_corpus(io.BytesIO(plain), header=False).texts == ["Lovely", "Cold"]


def test_an_empty_workbook_contains_no_documents():
    for raw in (workbook([]), workbook([["text", "label"]])):
        assert message(raw) == "the stream: the file contains no documents. Name a file with documents."


def test_a_missing_package_is_named_with_its_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "r.xlsx").write_bytes(workbook(ROWS))
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "r.xlsx")
    assert str(caught.value) == (
        f"{tmp_path / 'r.xlsx'}: an Excel workbook needs openpyxl, which is not installed. "
        'Run: pip install "textperceptron[excel]"'
    )


@pytest.mark.parametrize(
    ("members", "what"),
    [
        (["[Content_Types].xml", "_rels/.rels", "word/document.xml"], "a Word document (.docx)"),
        (["[Content_Types].xml", "ppt/presentation.xml"], "a PowerPoint presentation (.pptx)"),
        (["[Content_Types].xml", "xl/workbook.bin"], "an Excel binary workbook (.xlsb)"),
        (["[Content_Types].xml", "docProps/app.xml", "visio/document.xml"], "an Office document"),
        (["mimetype", "content.xml", "META-INF/manifest.xml"], "an OpenDocument file (.ods, .odt)"),
        (["mimetype", "META-INF/container.xml", "OEBPS/1.xhtml"], "an EPUB book"),
        (["META-INF/MANIFEST.MF", "org/a.class"], "a package of software or a document (.jar, .apk, …)"),
        (["Index/Document.iwa", "Data/a.jpg"], "a document of Numbers, Pages or Keynote"),
    ],
)
def test_a_zip_that_is_a_document_is_not_read_as_folders(members, what):
    raw = files.zipped(dict.fromkeys(members, b"some text"))
    found = message(raw)
    assert found.startswith(f"the stream: the file is {what}, not an archive of texts. ")
    assert re.search(r"Save it|Extract|Convert", found)
    assert message(raw, format="tsv") == found
    assert read_corpus(io.BytesIO(raw), format="folders").labels  # the caller insists


def test_an_archive_of_texts_may_contain_folders_of_any_other_name():
    raw = files.zipped({"xl/1.txt": b"large", "docProps/2.txt": b"small", "word.txt": b"left out"})
    assert sorted(read_corpus(io.BytesIO(raw)).labels) == ["docProps", "xl"]


def test_a_workbook_is_read_as_no_other_format():
    assert message(workbook(ROWS), format="csv") == "the stream: the file is an Excel workbook, not csv. Omit --format."
    assert read_corpus(io.BytesIO(workbook(ROWS)), format="xlsx").texts == TEXTS
    assert message(files.zipped({"a.tsv": b"pos\ta\n"}), format="xlsx") == (
        "the stream: the zip file is not an Excel workbook. Omit --format."
    )


@pytest.mark.parametrize(
    ("magic", "what", "remedy"),
    [
        (b"%PDF-1.7\n", "a PDF file", "Extract its text, for instance with pdftotext."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an old Office file (.xls, .doc) or an encrypted one",
         "Save it without a password as .xlsx, CSV or plain text."),
    ],
)  # fmt: skip
def test_files_of_other_programs_are_refused_by_name(tmp_path, magic, what, remedy):
    (tmp_path / "r.csv").write_bytes(magic)
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "r.csv")
    assert str(caught.value) == f"{tmp_path / 'r.csv'}: the file is {what}, not text. {remedy}"
    folder = files.write_tree(tmp_path / "tree", {"pos/1": magic, "neg/2": b"text"})
    with pytest.raises(CorpusError, match=re.escape(f"the file is {what}, not text")):
        read_corpus(folder)


BILLION = b"""<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a0 "lol">%s]><sst><si><t>&a9;</t></si></sst>""" % b"".join(
    b'<!ENTITY a%d "%s">' % (k, b"&a%d;" % (k - 1) * 100) for k in range(1, 10)
)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"xl/worksheets/sheet1.xml": lambda xml: xml.replace(b'<row r="3"', b'<row r="2000000000"')},
         "has a row beyond 1,048,576"),
        ({"xl/workbook.xml": lambda xml: xml[:40]}, "the Excel workbook cannot be read"),
        ({"xl/worksheets/sheet1.xml": lambda xml: xml[:-30]}, "the Excel workbook cannot be read"),
    ],
)  # fmt: skip
def test_bombs_and_damage_are_one_line(changes, reason):
    raw = repacked(workbook(ROWS), changes)
    with within(60):
        assert reason in message(raw)


@pytest.mark.parametrize(
    ("strings", "reason"),
    [
        (b"<sst>" + b" " * 150_000_000, "unpack to more than 200 times their size"),
        (BILLION, "the Excel workbook cannot be read"),
        (b"<sst><si><t>a", "the Excel workbook cannot be read"),
        (b"<sst></sst>", "the Excel workbook cannot be read"),
    ],
    ids=["bomb", "billion laughs", "cut short", "missing"],
)
def test_a_table_of_texts_that_is_a_bomb_or_damaged_is_one_line(strings, reason):
    with within(60):
        assert reason in message(with_shared_strings(workbook(ROWS), strings))


def test_a_false_size_of_the_sheet_is_ignored():
    raw = repacked(workbook(ROWS), {
        "xl/worksheets/sheet1.xml": lambda xml: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1"', xml)
    })  # fmt: skip
    assert read_corpus(io.BytesIO(raw)).texts == TEXTS


WHOLE = [workbook(ROWS), with_shared_strings(workbook(ROWS))]


@given(st.data())
def test_any_damage_gives_rows_or_a_corpus_error(data):
    raw = bytearray(data.draw(st.sampled_from(WHOLE)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        found = read_corpus(io.BytesIO(bytes(raw)))
    except CorpusError:
        return
    assert len(found.texts) == len(found.labels)
