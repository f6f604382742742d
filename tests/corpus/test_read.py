"""Documents written in any format are read back unchanged."""

from __future__ import annotations

import codecs
import csv
import io
import os
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers import corpus_files as files
from helpers.fresh import FRESH_PYTHON
from textperceptron.corpus import CorpusError, iter_corpus, read_corpus

REVIEWS = [("Lovely soup", "pos"), ("Cold, rude", "neg"), ("", "neg"), ("Écht: “gut” 😀", "pos")]
ends = st.fixed_dictionaries({"end": st.sampled_from(["\n", "\r\n"]), "last": st.booleans()})
sizes = st.integers(1, 40)


def read(raw, size=1 << 20, **options):
    """Read bytes that come a few at a time, as a corpus and as a stream; both must agree."""
    corpus = read_corpus(files.Drip(raw, size), **options)
    batches = list(iter_corpus(files.Drip(raw, size), **options))
    assert [text for batch in batches for text in batch.texts] == corpus.texts
    assert [label for batch in batches for label in batch.labels] == corpus.labels
    assert all(len(batch.locations) == len(batch.texts) > 0 for batch in batches)
    assert corpus.test is None
    return corpus


def assert_same(corpus, rows):
    assert corpus.texts == [text for text, _ in rows]
    assert corpus.labels == [label for _, label in rows]


@given(files.rows_of(files.line_texts, files.labels), ends, sizes, st.booleans())
def test_tsv_is_read_back(rows, ends, size, mark):
    raw = codecs.BOM_UTF8 * mark + files.tsv(rows, **ends)
    assume(mark or not raw.startswith(codecs.BOM_UTF8))
    assert_same(read(raw, size, format="tsv", header=False), rows)


@given(files.rows_of(files.line_texts, files.words), ends, sizes)
def test_fasttext_is_read_back(rows, ends, size):
    assert_same(read(files.fasttext(rows, **ends), size, format="fasttext"), rows)


def test_vowpal_wabbit_lines_are_texts():
    raw = b"1 |t Warm soup |body Kind:1 people:2 at 10:0\n\n-1 1 'x7|\tLate | ratio: http://a:b/ |\nA | 'b'\n"
    corpus = read(raw, 7, format="vw")
    assert corpus.labels == ["1", "-1", "A"]
    assert corpus.texts == ["Warm soup\nKind people people at", "Late\nratio: http://a:b/", "'b'"]
    assert read(b"| Late\nx|n Cold\n", format="vw", labelled=False).texts == ["Late", "Cold"]
    assert read(b"1,2 | a\n", format="vw", label_separator=",").labels == [("1", "2")]


@given(st.lists(files.line_texts, min_size=1), ends, sizes)
def test_plain_text_has_one_document_per_line(texts, ends, size):
    raw = files.plain([(text, None) for text in texts], **ends)
    assume(raw and not raw.startswith(codecs.BOM_UTF8) and (ends["last"] or texts[-1]))
    corpus = read(raw, size, format="text")
    assert (corpus.texts, corpus.labels) == (texts, [])


@given(files.rows_of(files.texts, st.text(files.characters, min_size=1)), ends, sizes, st.booleans())
def test_json_lines_are_read_back(rows, ends, size, ascii_only):
    assert_same(read(files.jsonl(rows, ascii_only=ascii_only, **ends), size, format="jsonl"), rows)


csv_shapes = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t|"),
        "end": st.sampled_from(["\n", "\r\n"]),
        "header": st.sampled_from([None, ["label", "text"], ["Klasse", "Inhalt"]]),
        "quoting": st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    }
)


@given(files.rows_of(files.texts, st.text(files.characters, min_size=1)), csv_shapes, sizes)
def test_csv_is_read_back(rows, shape, size):
    if shape["quoting"] == csv.QUOTE_MINIMAL:  # Python < 3.13 does not quote a return, so it must not be last
        rows = [(text.rstrip("\r"), label.rstrip("\r") or "x") for text, label in rows]
    raw = files.quoted(rows, **shape)
    assume(not raw.startswith(codecs.BOM_UTF8))
    corpus = read(raw, size, format="csv", header=bool(shape["header"]), delimiter=shape["delimiter"])
    assert_same(corpus, rows)


@given(files.rows_of(files.texts, files.labels))
def test_parquet_is_read_back(rows):
    raw = files.parquet(rows)
    assert_same(read(raw), rows)


@pytest.mark.parametrize("suffix", files.COMPRESS)
@pytest.mark.parametrize("name", ["tsv", "fasttext", "jsonl", "quoted", "parquet"])
@settings(max_examples=5)
@given(
    rows=files.rows_of(st.sampled_from(["Lovely soup", "", "ä\u2028ö\x85", "a, b"]), st.sampled_from(["pos", "neg"]))
)
def test_formats_are_detected_in_every_compression(tmp_path_factory, name, suffix, rows):
    options = {"header": ["label", "text"]} if name == "quoted" else {}
    raw = files.COMPRESS[suffix](getattr(files, name)(rows, **options))
    path = tmp_path_factory.mktemp("c") / f"data{suffix}"
    path.write_bytes(raw)
    assert_same(read_corpus(path), rows)
    assert_same(read_corpus(str(path)), rows)
    assert_same(read(raw, 1000), rows)


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.tsv", files.tsv(REVIEWS)),
        ("a.csv", files.quoted(REVIEWS)),
        ("a.csv", files.quoted(REVIEWS, delimiter=";", header=["Sentiment", "Review"])),
        ("a.tsv", files.quoted(REVIEWS, delimiter="\t", quoting=csv.QUOTE_MINIMAL, header=["label", "text"])),
        ("a.ndjson", files.jsonl(REVIEWS)),
        ("a.ft", files.fasttext(REVIEWS)),
        ("a.txt", files.fasttext(REVIEWS)),
        ("a.vw", files.lines([f"{label} |text {text}" for text, label in REVIEWS])),
        ("a.txt", files.tsv(REVIEWS)),
        ("a", files.jsonl(REVIEWS)),
    ],
)
def test_formats_are_detected_by_name_and_by_content(tmp_path, name, raw):
    path = tmp_path / name
    path.write_bytes(raw)
    assert_same(read_corpus(path), REVIEWS)


def test_plain_text_is_the_format_of_last_resort(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"Lovely soup, and warm\n\nCold: 3:4\twithout salt\nNever again\n")
    corpus = read_corpus(path)
    assert corpus.texts == ["Lovely soup, and warm", "", "Cold: 3:4\twithout salt", "Never again"]
    assert corpus.labels == []


def test_only_newlines_end_lines():
    corpus = read("pos\ta\rb\x85c\u2028d\x0b\x0c\x1ce\r\nneg\tf\r\r\n\n  \nneg\tg\r".encode(), format="tsv")
    assert corpus.texts == ["a\rb\x85c\u2028d\x0b\x0c\x1ce", "f\r", "g\r"]


def test_a_tab_in_the_text_is_kept():
    assert read(b"pos\ta\tb\nneg\tc\n").texts == ["a\tb", "c"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be", "utf-7"])
@given(size=sizes)
def test_every_encoding_is_read_in_blocks_of_every_size(encoding, size):
    rows = [("Crème brûlée", "pos"), ("Ça ne va pas", "neg"), ("\u010a".encode("utf-8").decode("latin-1"), "neg")]
    if "1" in encoding and "utf" not in encoding:
        rows.pop()
    raw = files.tsv(rows, end="\r\n").decode().encode(encoding)
    assert_same(read(raw, size, encoding=encoding), rows)


def test_errors_replace_replaces_bytes_that_do_not_decode():
    assert read(b"pos\tcaf\xe9\n", errors="replace").texts == ["caf\ufffd"]
    assert read(b"pos\tcaf\xe9\n", encoding="latin-1").texts == ["café"]
    assert read(b"pos\tcaf\xe9\n", errors="surrogateescape").texts == ["caf\udce9"]


@pytest.mark.parametrize(
    ("raw", "options", "rows"),
    [
        (b"id,review,stars\n1,Lovely,5\n2,Cold,1\n", {}, [("Lovely", "5"), ("Cold", "1")]),
        (b"1,Lovely,5\n2,Cold,1\n", {"text_column": 2, "label_column": 3}, [("Lovely", "5"), ("Cold", "1")]),
        (b"1,Lovely,5\n2,Cold,1\n", {"text_column": "2", "label_column": "3"}, [("Lovely", "5"), ("Cold", "1")]),
        (b"a,b,c\n1,Lovely,5\n", {"text_column": "b", "label_column": "c"}, [("Lovely", "5")]),
        (b"a,b,c\n1,Lovely,5\n", {"text_column": 2, "label_column": 3, "header": True}, [("Lovely", "5")]),
        (b"title,text,label\nSoup,Lovely,pos\n", {"text_column": "title"}, [("Soup", "pos")]),
        (b"text,label\nLovely,pos\n", {}, [("Lovely", "pos")]),
        (b"was,wie\nLovely,pos\n", {"label_column": "wie"}, [("Lovely", "pos")]),
        (b"label,text\nlabel,text\n", {"header": False}, [("text", "label"), ("text", "label")]),
        (b"pos,Lovely\n  \n\nneg,Cold\n", {}, [("Lovely", "pos"), ("Cold", "neg")]),
        (b'pos,"Lovely\nand ""warm"""\n', {}, [('Lovely\nand "warm"', "pos")]),
    ],
)
def test_columns_are_found_by_name_number_and_convention(raw, options, rows):
    assert_same(read(raw, format="csv", **options), rows)
    if b'"' not in raw:
        assert_same(read(raw.replace(b",", b"\t"), format="tsv", **options), rows)


@pytest.mark.parametrize(
    ("raw", "options"),
    [
        (b"id,text\n1,Lovely\n2,Cold\n", {"format": "csv"}),
        (b"text\nLovely\nCold\n", {"format": "csv"}),
        (b"label,text\n,Lovely\n,Cold\n", {"labelled": False}),
        (b"pos\tLovely\npos\tCold\n", {"labelled": False}),
        (b'{"text": "Lovely"}\n{"text": "Cold", "label": null}\n', {}),
        (b'{"text": "Lovely", "label": null}\n{"text": "Cold"}\n', {"labelled": False}),
    ],
)
def test_labels_may_be_absent_or_left_out(raw, options):
    corpus = read(raw, **options)
    assert (corpus.texts, corpus.labels) == (["Lovely", "Cold"], [])


def test_labels_that_are_not_strings_are_written_as_in_json():
    raw = b'{"text": "a", "label": 1}\n{"text": "b", "label": true}\n{"text": "c", "label": 4.5}\n'
    assert read(raw).labels == ["1", "true", "4.5"]
    assert read(files.parquet([("a", 1), ("b", 2)])).labels == ["1", "2"]
    assert read(files.parquet([("a", True), ("b", False)])).labels == ["true", "false"]


@pytest.mark.parametrize("size", [1, 2, 17, 1000])
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"one; two; three\nfour",pos\n"five",neg\n', "one; two; three\nfour"),
        (b'"one, ""two"", three\n,,four";pos\n"five";neg\n', 'one, "two", three\n,,four'),
        (b'a 5" nail|pos\na 6" nail|neg\n', 'a 5" nail'),
        (b'"one; two; three\nfour",pos', "one; two; three\nfour"),
    ],
)
def test_the_delimiter_of_csv_does_not_depend_on_block_sizes(raw, text, size):
    assert read(raw, size, format="csv", text_column=1, label_column=2).texts[0] == text


def test_a_record_of_csv_that_is_never_closed_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("textperceptron.corpus.formats.csv.FIRST_LINE_LENGTH", 100)
    with pytest.raises(CorpusError, match="a quote that is opened here is never closed"):
        read(b'pos,"' + b"never; closed " * 100, 17, format="csv")


@pytest.fixture
def usual_csv_limit():
    """Start with the default limit of the csv module, and restore the limit afterwards."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


@pytest.mark.usefixtures("usual_csv_limit")
def test_documents_longer_than_a_block_and_than_the_limit_of_csv():
    long = "long " * 100_000
    for raw, name in [(files.tsv([(long, "a"), ("b", "b")]), "tsv"), (files.quoted([(long, "a"), ("b", "b")]), "csv")]:
        assert read(raw, 1000, format=name).texts == [long, "b"]


class Staged(io.RawIOBase):
    """A stream whose blocks wait for events."""

    def __init__(self, *stages):
        self._stages = iter(stages)  # each: an event to set, an event to wait for, bytes

    def readable(self):
        return True

    def read(self, size=-1):
        begun, awaited, raw = next(self._stages, (None, None, b""))
        if begun is not None:
            begun.set()
        assert awaited is None or awaited.wait(30)
        return raw


@pytest.mark.usefixtures("usual_csv_limit")
def test_a_thread_that_has_read_csv_does_not_affect_another():
    begin, end = (
        b'a,"' + b"long " * 14_000,
        b"long " * 26_000 + b'"\n',
    )  # the first alone is enough to find the delimiter
    first_is_inside, second_is_inside, first_is_done = (threading.Event() for _ in range(3))
    streams = [
        Staged((None, None, begin), (first_is_inside, second_is_inside, end)),
        Staged((None, first_is_inside, begin), (second_is_inside, first_is_done, end)),
    ]
    with ThreadPoolExecutor(2) as pool:
        first, second = (pool.submit(read_corpus, stream, format="csv") for stream in streams)
        assert len(first.result(60).texts[0]) == 200_000
        first_is_done.set()
        assert len(second.result(60).texts[0]) == 200_000


@pytest.mark.usefixtures("usual_csv_limit")
def test_csv_is_read_by_several_threads_at_once():
    long = "long " * 40_000
    raw = files.quoted([(long, "a"), ("b", "b")])

    def read_often(_):
        return [len(read(raw, 50_000, format="csv").texts[0]) for _ in range(5)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            lengths = list(pool.map(read_often, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert lengths == [[len(long)] * 5] * 8


def test_a_csv_limit_raised_by_the_caller_is_kept():
    before = csv.field_size_limit(sys.maxsize)
    try:
        read(files.quoted([("a", "b"), ("c", "d")]), 1000, format="csv")
        assert csv.field_size_limit() == sys.maxsize
    finally:
        csv.field_size_limit(before)


def test_several_files_a_pattern_and_a_generator_are_one_corpus(tmp_path):
    for name, rows in {"b.tsv": REVIEWS[2:], "a.tsv": REVIEWS[:2]}.items():
        (tmp_path / name).write_bytes(files.tsv(rows))
    paths = [tmp_path / "a.tsv", tmp_path / "b.tsv"]
    for source in (paths, tuple(map(str, paths)), iter(paths), str(tmp_path / "*.tsv"), str(tmp_path / "**" / "?.tsv")):
        assert_same(read_corpus(source), REVIEWS)
    assert_same(read_corpus(reversed(paths)), REVIEWS[2:] + REVIEWS[:2])


def test_a_file_whose_name_looks_like_a_pattern_is_read(tmp_path):
    path = tmp_path / "a[1].tsv"
    path.write_bytes(files.tsv(REVIEWS))
    assert_same(read_corpus(str(path)), REVIEWS)


@pytest.mark.parametrize("suffix", files.COMPRESS)
def test_standard_input_is_read(suffix, monkeypatch):
    reader, writer = os.pipe()
    with open(writer, "wb") as out:
        out.write(files.COMPRESS[suffix](files.tsv(REVIEWS)))
    with open(reader) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        corpus = read_corpus("-")
    assert corpus.name == "standard input"
    assert_same(corpus, REVIEWS)


@pytest.mark.parametrize(
    ("options", "line"),
    [("", b"%s\ttext\n"), ("format='csv'", b'%s,"text"\n'), ("", b'{"label": "%s", "text": "x"}\n'),
     ("", b"__label__%s text\n")],
)  # fmt: skip
def test_a_line_that_has_arrived_is_not_held_back(options, line):
    code = f"""
from textperceptron.corpus import iter_corpus
for batch in iter_corpus("-", {options}):
    print(*batch.labels, flush=True)
"""
    with subprocess.Popen([*FRESH_PYTHON, code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        for label in (b"pos", b"neg"):
            process.stdin.write(line % label)
            assert process.stdout.readline().strip() == label
        process.stdin.close()
        assert process.wait() == 0


def test_a_stream_is_read_in_memory_that_does_not_grow():
    class Endless(io.RawIOBase):
        left, line = 60 << 20, b"pos\t" + b"lovely " * 100 + b"\n"

        def read(self, size=-1):
            self.left -= size
            return self.line * (size // len(self.line)) if self.left > 0 else b""

    tracemalloc.start()
    try:
        n = sum(len(batch) for batch in iter_corpus(Endless()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n > 80_000
    assert peak < 6 << 20


def test_locations_name_file_and_line(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\npos\ta\n\n\nneg\tb\n")
    (batch,) = iter_corpus(path)
    assert [str(location) for location in batch.locations] == [f"{path}, line 2", f"{path}, line 5"]
    assert batch.locations[1:] == [batch.locations[1]]
    (batch,) = iter_corpus(io.BytesIO(b'label,text\npos,"a\nb"\nneg,c\n'), format="csv")
    assert [location.line for location in batch.locations] == [2, 4]
    (batch,) = iter_corpus(io.BytesIO(files.parquet(REVIEWS)))
    assert str(batch.locations[2]) == "the stream, row 3"
