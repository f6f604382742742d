"""Bad rows and files are reported with location and remedy; nothing is lost silently."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import pickle
import sys
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import corpus_files as files
from textperceptron.corpus import Corpus, CorpusError, Documents, Location, iter_corpus, read_corpus, read_svmlight

GOOD = b"pos\tLovely soup\n"
SKIP_LINES = "or --skip-bad to leave such lines out."
USE_SKIP = "or use --skip-bad to leave such lines out."
OBJECTS = "Write one object per line, read the lines as texts (--format text)"
SKIP_ROWS = "or use --skip-bad to leave such rows out."
ENCODING = "Name the file's encoding (--encoding latin-1 or cp1252), replace such bytes (--errors replace), " + USE_SKIP
WHICH = "Name the columns (--text-column, --label-column), by a name in the header or a number from 1."
FORMATS = "--format tsv, csv, jsonl, fasttext, vw, text, parquet or xlsx"
LABELS = (
    "Name the format (--format tsv, csv, jsonl, fasttext or vw) or the column (--label-column); "
    "or give a folder with one folder or file per class."
)

# Bytes, options, message after the file's name; the first group are rows that on_bad="skip" leaves out.
BAD_ROWS = [
    (GOOD + b"great phone but\n", {"format": "tsv"},
     ', line 2: no tab between label and text ("great phone but"). '
     f"Use --format text for unlabelled documents, {SKIP_LINES}"),
    (GOOD + b"\tgreat\n", {"format": "tsv"},
     f', line 2: there is no label before the tab ("\\tgreat"). Add it, {USE_SKIP}'),
    (GOOD + b"\n\r\nneg\tcaf\xe9 au lait\n", {"format": "tsv"},
     f', line 4: byte 8 of the line, 0xe9, is not utf-8 ("neg\\tcaf\\xe9 au lait"). {ENCODING}'),
    (GOOD + b"neg\tcaf\xe9", {"format": "tsv"},
     f', line 2: byte 8 of the line, 0xe9, is not utf-8 ("neg\\tcaf\\xe9"). {ENCODING}'),
    (b"pos\ttext\nneg\t\x80\n", {"encoding": "ascii"},
     ', line 2: byte 5 of the line, 0x80, is not ascii ("neg\\t\\x80"). '
     + ENCODING.replace("latin-1 or cp1252", "utf-8")),
    (b"__label__pos Lovely\nCold soup\n", {},
     ', line 2: the line does not begin with __label__ ("Cold soup"). '
     f"Use --format text for unlabelled documents, {SKIP_LINES}"),
    (b"__label__pos Lovely\nCold soup __label__neg\n", {},
     ', line 2: the line does not begin with __label__ ("Cold soup __label__neg"). '
     f"Move its labels there, {USE_SKIP}"),
    (b"1 |t Lovely\n1|t Cold\n", {"format": "vw"}, ', line 2: there is no label before the | ("1|t Cold"). '
     f"Write LABEL | TEXT, with a space before the |, {USE_SKIP}"),
    (b"__label__pos Lovely\n__label__ Cold\n", {},
     f', line 2: there is no label after __label__ ("__label__ Cold"). Add it, {USE_SKIP}'),
    (b"__label__pos Lovely\n__label__a __label__ Cold\n", {},
     f', line 2: there is no label after __label__ ("__label__a __label__ Cold"). Add it, {USE_SKIP}'),
    (b"label,text\npos,Lovely\nneg,Cold, rude\n", {},
     ', line 3: 3 columns where the first row has 2 ("neg | Cold |  rude"). '
     f"Put a text that contains a delimiter in quotes (CSV), {USE_SKIP}"),
    (b"label,text\npos,Lovely\n,Cold\n", {},
     f", line 3: column 'label', the label, is empty (\" | Cold\"). Add it, {USE_SKIP}"),
    (b'label,text\npos,Lovely\nneg,"Cold" rude\n', {},
     ', line 3: the row is not CSV (\',\' expected after \'"\'). '
     f'Double a quote that is part of the text (""), {USE_SKIP}'),
    (b'label,text\npos,"Lovely\n"\nneg,"caf\n\xe9\n"\n', {},
     f', line 5: byte 1 of the line, 0xe9, is not utf-8 ("\\xe9"). {ENCODING}'),
    (b"id\ttext\tlabel\n1\ta\tpos\n2\tb\n", {},
     ', line 3: 2 columns where the first row has 3 ("2 | b"). '
     f"Put a text that contains a delimiter in quotes (CSV), {USE_SKIP}"),
    (b'{"text": "Lovely", "label": 1}\n{"text": "Co\n', {},
     ', line 2: the line is not JSON: unterminated string starting at ("{"text": "Co"). '
     f"{OBJECTS}, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": 1}\n["Cold"]\n', {},
     f', line 2: the line is not a JSON object ("["Cold"]"). {OBJECTS}, {SKIP_ROWS}'),
    (b'{"text": "Lovely", "label": 1}\n{"text": 5, "label": 1}\n', {},
     f", line 2: 'text' is \"5\", not a text. Add it, name another --text-column, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": 1}\n{"label": 1}\n', {},
     f", line 2: there is no 'text'. Add it, name another --text-column, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": 1}\n{"text": "Cold", "label": null}\n', {},
     f", line 2: there is no label in 'label'. Add it, name another --label-column, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": 1}\n{"text": "Cold", "label": NaN}\n', {},
     f", line 2: there is no label in 'label'. Add it, name another --label-column, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": ["a"]}\n{"text": "Cold", "label": ["a", ["b"]]}\n', {},
     f", line 2: 'label' is not a label (\"[\"b\"]\"). Name another --label-column, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": ["a"]}\n{"text": "Cold", "label": ["a", ""]}\n', {},
     f", line 2: there is no label in 'label'. Add it, name another --label-column, {SKIP_ROWS}"),
    (b'{"text": "Lovely", "label": 1}\n{"text": "Cold", "label": {}}\n', {},
     f", line 2: 'label' is not a label (\"{{}}\"). Name another --label-column, {SKIP_ROWS}"),
    (files.parquet([("Lovely", "pos"), (None, "neg")]), {},
     f", row 2: there is no 'text'. Add it, name another --text-column, {SKIP_ROWS}"),
    (files.parquet([("Lovely", "pos"), ("Cold", None)]), {},
     f", row 2: there is no label in 'label'. Add it, name another --label-column, {SKIP_ROWS}"),
]  # fmt: skip
BAD_FILES = [
    (b"", {}, ": the file is empty. Name a file with documents."),
    (b"", {"format": "tsv"}, ": the file is empty. Name a file with documents."),
    (b"", {"format": "text"}, ": it contains no documents."),
    (gzip.compress(b"", mtime=0), {}, ": the file is empty. Name a file with documents."),
    (b"\n  \r\n\n", {"format": "tsv"}, ": the file contains no documents. Name a file with documents."),
    (b"label,text\n", {}, ": the file contains no documents. Name a file with documents."),
    (b"great phone\n", {"labelled": True},
     f': the documents have no labels: its first line is "great phone". {LABELS}'),
    (b"a\0b\0", {}, ': the file contains zero bytes, so it is not text ("a\\x00b\\x00"). '
     f"If it is UTF-16, use --encoding utf-16; else name its format: {FORMATS}."),
    ("pos\ta\n".encode("utf-16"), {},
     ": the file begins with the byte order mark of UTF-16. Use --encoding utf-16, or utf-32."),
    (b"pos\ta\n", {"encoding": "utf-16"}, ": the file is not utf-16 (UTF-16 stream does not start with BOM). "
     "Name its byte order (--encoding utf-16-le or utf-16-be), or another encoding."),
    ("pos\ta\nneg\tb\n".encode("utf-16")[:-3], {"encoding": "utf-16"},
     ", line 2: byte 23 of the file is not utf-16 (truncated data). "
     "Name another encoding (--encoding), or replace such bytes (--errors replace)."),
    (b'[{"text": "a"},\n', {},
     ': the file looks like one JSON array ("[{"text": "a"},"), not like JSON lines. '
     f"Write one object per line (jq -c '.[]'), or name its format: {FORMATS}."),
    (b"+1 1:0.5 7:1\n-1 2:1\n", {}, ": the file looks like svmlight, which holds numbers, not texts. "
     f"Read it with textperceptron.corpus.read_svmlight, or name its format: {FORMATS}."),
    (b'label,text\npos,"Lovely\nneg,Cold\n', {}, ", line 2: a quote that is opened here is never closed. "
     'Close it, or double a quote that is part of the text ("").'),
    (b"1,2,3\n", {"format": "csv"},
     f', line 1: it is not clear which of 3 columns is the text ("1 | 2 | 3"). {WHICH}'),
    (b"a,b,text\n", {"format": "csv", "labelled": True, "header": True},
     ", line 1: the text is 'text', but it is not clear which column is the label (\"a | b | text\"). "
     "Name the column with the label (--label-column), by a name in the header or a number from 1."),
    (b"text,label\rSoup,pos\r", {"format": "csv", "text_column": "text", "label_column": 2},
     ": the file is one line, which contains carriage returns (\\r). "
     "Write line ends as \\n: tr '\\r' '\\n' < FILE."),
    (b"title,body,stars\n", {"format": "csv", "text_column": "title, body"},
     ", line 1: there is no column 'title, body' among 'title', 'body', 'stars'. "
     "Give each its own option: --text-column title --text-column body."),
    (b"a,b\n", {"format": "csv", "text_column": 3},
     ', line 1: there is no column 3: the first row has 2 columns ("a | b"). '
     "Columns are counted from 1; name another --text-column."),
    (b"a,b\n", {"format": "csv", "label_column": "c"},
     ", line 1: there is no column 'c' among 'a', 'b'. Name another --label-column, or its number from 1."),
    (b'{"a": "b", "c": "d"}\n', {}, ", line 1: it is not clear which of 'a', 'c' is the text. "
     "Name it: --text-column, --label-column."),
    (b'{"text": "b"}\n', {"labelled": True},
     ", line 1: the text is 'text', but it is not clear which of the names is the label ('text'). "
     "Name it: --label-column."),
    (b'{"text": "b"}\n', {"label_column": "c"}, ", line 1: there is no 'c' among 'text'. Name another --label-column."),
    (gzip.compress(GOOD, mtime=0)[:-9], {}, ": the gzip data are truncated. Fetch or write the file again."),
    (gzip.compress(GOOD, mtime=0)[:-4] + b"\1\1\1\1", {},
     ": the gzip data are damaged (Error -3 while decompressing data: incorrect length check). "
     "Fetch or write it again."),
    (gzip.compress(GOOD, mtime=0) + b"more", {},
     ": the gzip data are damaged (Error -3 while decompressing data: incorrect header check). "
     "Fetch or write it again."),
    (files.zipped({"a": GOOD})[:-9], {}, ": the zip archive cannot be read (File is not a zip file). "
     "Fetch or write the archive again, without a password."),
    (files.zipped({}), {}, ": the archive contains no files. "
     "A class is a folder of documents (NAME/pos/1.txt) or a file with one document per line (NAME/pos.txt)."),
    (b"PAR1 is no table", {}, ": the file is not Parquet, or damaged (Parquet magic bytes not found in footer. "
     "Either the file is corrupted or this is not a parquet file). "
     "Name another format (--format), or fetch or write it again."),
    (files.parquet([("Lovely", "pos")]).replace(b"Lovely", b"L\xffvely"), {},
     ": the file is not Parquet, or damaged "
     "('utf-8' codec can't decode byte 0xff in position 1: invalid start byte). "
     "Name another format (--format), or fetch or write it again."),
    (GOOD, {"format": "folders"}, ": the file is neither a folder nor an archive. Name another --format."),
]  # fmt: skip


def message(raw, options, tmp_path):
    path = tmp_path / "reviews"
    path.write_bytes(raw)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize(("raw", "options", "expected"), BAD_ROWS)
def test_a_bad_row_is_reported_with_its_location_and_a_remedy(tmp_path, raw, options, expected):
    assert message(raw, options, tmp_path) == expected


@pytest.mark.parametrize(("raw", "options", "expected"), BAD_ROWS)
def test_skip_bad_leaves_bad_rows_out_and_counts_them(raw, options, expected):
    corpus = read_corpus(io.BytesIO(raw), on_bad="skip", **options)
    assert len(corpus.texts) == len(corpus.labels) == 1
    assert len(corpus.skipped) == 1
    if b"caf\n" not in raw:  # a row over several lines is left out as a whole
        assert corpus.skipped.first[0].reason in expected
    assert str(corpus.skipped).startswith("1 row left out: the stream, ")


@pytest.mark.parametrize(("raw", "options", "expected"), BAD_FILES)
def test_a_bad_file_is_reported_whether_or_not_bad_rows_are_left_out(tmp_path, raw, options, expected):
    assert message(raw, options, tmp_path) == expected
    assert message(raw, options | {"on_bad": "skip"}, tmp_path) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"format": "xml"},
         "format 'xml' is unknown. Use one of tsv, csv, jsonl, fasttext, vw, text, parquet, xlsx, folders, files."),
        ({"format": "svmlight"},
         "svmlight files hold numbers, not texts. Read them with textperceptron.corpus.read_svmlight."),
        ({"encoding": "utf-9"}, "encoding 'utf-9' is unknown. Use one that Python knows, such as utf-8 or latin-1."),
        ({"encoding": "hex"}, "encoding 'hex' is unknown. Use one that Python knows, such as utf-8 or latin-1."),
        ({"errors": "warn"},
         "error handler 'warn' is unknown. Use --errors strict, replace, ignore or backslashreplace."),
        ({"on_bad": "warn"}, "on_bad='warn' is unknown. Use 'raise' or 'skip'."),
        ({"delimiter": "::"}, "delimiter '::' is not one character. Use one such as ',' or ';'."),
        ({"text_column": 0}, "there is no column 0. Columns are counted from 1."),
    ],
)  # fmt: skip
def test_an_unknown_option_is_rejected_before_anything_is_read(options, expected):
    with pytest.raises(CorpusError) as caught:
        iter_corpus("nowhere", **options)
    assert str(caught.value) == expected


def test_a_missing_file_or_pattern_is_named(tmp_path):
    for name, why in {"none.tsv": "there is no such file or folder. Check the path.",
                      "*.tsv": "no file matches this pattern. Check the pattern."}.items():  # fmt: skip
        with pytest.raises(CorpusError) as caught:
            read_corpus(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: {why}"
    with pytest.raises(CorpusError, match="the list of files is empty"):
        read_corpus([])


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="this user may read every file")
def test_an_unreadable_file_is_named(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(
        CorpusError, match=r"a\.tsv: the file cannot be read \(Permission denied\)\. Check its permissions"
    ):
        read_corpus(path)


def test_a_stream_of_text_is_rejected():
    with pytest.raises(CorpusError, match="Open the file in mode 'rb'"):
        read_corpus(io.StringIO("pos\tLovely"))


def test_files_with_and_without_labels_are_not_mixed(tmp_path):
    (tmp_path / "a.tsv").write_bytes(GOOD)
    (tmp_path / "b.txt").write_bytes(b"Cold soup\n")
    for names in (["a.tsv", "b.txt"], ["b.txt", "a.tsv"]):
        with pytest.raises(CorpusError, match=r"b\.txt: its documents have no labels, but those of .*a\.tsv do"):
            read_corpus([tmp_path / name for name in names])


# A line of each format, and whether it is a row (None: neither row nor error).
LINES = {
    "tsv": [
        (b"pos\ta", True), (b"neg\tb\r", True), (b"", None), (b"  ", None), (b"no tab", False), (b"\tc", False),
        (b"pos\t\xff", False),
    ],
    "csv": [
        (b"pos,a", True), (b'neg,"b"\r', True), (b"", None), (b"  ", None), (b"a,b,c", False), (b",c", False),
        (b"pos,\xff", False), (b'pos,"a"b', False),
    ],
    "jsonl": [
        (b'{"text": "a", "label": 1}', True), (b'{"text": "", "label": 2}\r', True), (b"", None), (b"  ", None),
        (b"{", False), (b"[]", False), (b'{"label": 1}', False), (b'{"text": "a"}', False),
        (b'{"text": "\xff"}', False),
    ],
    "vw": [
        (b"1 | a b", True), (b"-1 1.0 'id|text a |title b\r", True), (b"3 |", True), (b"", None), (b"  ", None),
        (b"a b", False), (b"| a", False), (b"1|a b", False), (b"1:0.5 | a", False), (b"1 2 | a", False),
        (b"1 x | a", False), (b"1 | price:0.5", False), (b"1 | \xff", False),
    ],
    "fasttext": [
        (b"__label__a b", True), (b"__label__a\tb\r", True), (b"__label__a", True), (b"", None), (b"a", False),
        (b"__label__ b", False), (b"__label__a __label__b c", True), (b"__label__a __label__", False),
        (b"__label__a \xff", False),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
@given(data=st.data(), size=st.integers(1, 30))
def test_every_line_is_a_row_or_reported_with_its_number(name, data, size):
    kinds = LINES[name][:1] + data.draw(st.lists(st.sampled_from(LINES[name]), max_size=30))
    raw = b"".join(line + b"\n" for line, _ in kinds)
    batches = iter_corpus(files.Drip(raw, size), format=name, on_bad="skip")
    rows = [location.line for batch in batches for location in batch.locations]
    bad = [number for number, (_, good) in enumerate(kinds, 1) if good is False]
    assert rows == [number for number, (_, good) in enumerate(kinds, 1) if good]
    assert batches.skipped.count == len(bad)
    assert [error.location.line for error in batches.skipped.first] == bad[:5]


def test_skipped_rows_name_the_first_few():
    corpus = read_corpus(io.BytesIO(GOOD + b"x\n" * 7), format="tsv", on_bad="skip")
    lines = "the stream, lines 2, 3, 4, 5, 6, …"
    assert str(corpus.skipped) == f"7 rows left out: no tab between label and text: 7 ({lines})"
    assert str(read_corpus(io.BytesIO(GOOD)).skipped) == "no rows left out"


def test_a_classifier_needs_two_classes():
    with pytest.raises(CorpusError) as caught:
        Corpus("a.tsv", Documents(["a", "b"], ["pos", "pos"])).require_classes()
    assert str(caught.value) == (
        'a.tsv: all 2 documents have the label "pos". A classifier needs two classes: add documents of another.'
    )
    with pytest.raises(CorpusError) as caught:
        Corpus("a.txt", Documents(["a"], [])).require_classes()
    assert str(caught.value) == f"a.txt: the documents have no labels. {LABELS}"
    Corpus("a.tsv", Documents(["a", "b"], ["pos", "neg"])).require_classes()


def test_an_error_can_be_pickled_between_processes():
    error = CorpusError("no tab", Location("a.tsv", 3), "Add it.")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.location, copy.remedy) == (str(error), error.location, "Add it.")


@pytest.mark.parametrize(("module", "extra", "raw"), [
    ("pyarrow", "parquet", files.parquet([("a", "b")])),
    ("zstandard", "zstd", files.COMPRESS[".zst"](GOOD)),
])  # fmt: skip
def test_a_missing_package_is_named_with_its_extra(monkeypatch, module, extra, raw):
    monkeypatch.setitem(sys.modules, module, None)  # makes its import raise ImportError
    with pytest.raises(CorpusError) as caught:
        read_corpus(io.BytesIO(raw))
    assert str(caught.value).endswith(
        f'needs {module}, which is not installed. Run: pip install "textperceptron[{extra}]"'
    )


def tar_of(name, raw):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(raw)
        archive.addfile(member, io.BytesIO(raw))
    return out.getvalue()


ROWS = [("Lovely soup", "pos"), ("Cold, “rude”", "neg"), ("a\r\nb", "neg")]
WHOLE = [write(ROWS) for write in (files.tsv, files.jsonl, files.fasttext, files.quoted, files.plain)]
WHOLE += [compress(WHOLE[0]) for compress in files.COMPRESS.values()]
WHOLE += [
    tar_of("train/pos/1", b"a"),
    files.zipped({"pos/1": b"a", "neg/2": b"b"}),
    b"+1 1:2 3:4\n",
    "pos\ta".encode("utf-16"),
]


@given(st.data())
def test_any_bytes_give_rows_or_a_corpus_error(data):
    raw = bytearray(data.draw(st.one_of(st.sampled_from(WHOLE), st.binary(max_size=200))))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    raw = raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw
    options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "format": st.sampled_from(["tsv", "csv", "jsonl", "fasttext", "text", "parquet", "folders", "files"]),
                "encoding": st.sampled_from(["latin-1", "utf-16", "utf-16-le", "utf-7", "shift_jis", "cp037", "ascii"]),
                "errors": st.sampled_from(["replace", "ignore", "surrogateescape"]),
                "on_bad": st.just("skip"),
                "text_column": st.sampled_from([1, 2, "text"]),
                "label_column": st.sampled_from([1, 2, "label"]),
                "labelled": st.booleans(),
                "header": st.booleans(),
            },
        )
    )
    with contextlib.suppress(CorpusError):
        found = read_corpus(io.BytesIO(bytes(raw)), **options)
        assert found.texts
        assert len(found.labels) in (0, len(found.texts))
    with contextlib.suppress(CorpusError):
        read_svmlight(io.BytesIO(bytes(raw)))
