"""Compiled code and Python read the same lines: rows, labels, numbers of lines and messages."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import corpus_files as files
from textperceptron._kernels import cut_labelled, cut_lines
from textperceptron.corpus import CorpusError, iter_corpus, lines

LABEL = b"__label__"
usual = {
    "tsv": st.sampled_from(
        [b"pos\tLovely soup", "näg\tKalte Süppe".encode(), b"pos\t", b"neg\ta\tb", b" \t ", b"neg\t\0"]
    ),
    "fasttext": st.sampled_from(
        [b"__label__pos Lovely", "__label__ä\tÖl".encode(), b"__label__a  ", b"__label__a _ b"]
    ),
}
usual["text"] = st.one_of(usual["tsv"], usual["fasttext"])
unusual = st.one_of(
    st.sampled_from([
        b"", b"  ", b"no tab", b"\tno label", b"\t", b"\r", b"pos\ta\r", b"p\ros\ta\rb", b"pos\r", b"pos\t\xff",
        b"\xffs\ta", b"pos\t\xed\xa0\x80", "pos\t\x85\u2028\ufeff".encode(), b"label\ttext", b"text\tlabel\tid",
        b"\xef\xbb\xbfpos\ta",
        LABEL, LABEL + b" a", LABEL + b"a", LABEL + b"a\r", LABEL + b"a __label__b", LABEL + b"a\t \t__label__b c",
        "__label__a \u3000\x85__label__b".encode(), "__label__a ä__label__b".encode(), b" __label__a b", b"__labe",
        b"x a",
    ]),
    st.binary(max_size=12),
    st.text(files.characters, max_size=12).map(str.encode),
)  # fmt: skip
sizes = st.one_of(st.integers(1, 12), st.integers(1, 400))
options = st.fixed_dictionaries(
    {"on_bad": st.sampled_from(["raise", "skip"])},
    optional={
        "errors": st.sampled_from(["replace", "ignore", "surrogateescape"]),
        "encoding": st.sampled_from(["UTF8", "utf-8-sig", "ascii", "latin-1", "utf-16-le", "utf-7"]),
        "header": st.booleans(),
        "labelled": st.booleans(),
        "label_column": st.sampled_from([1, 2, "label"]),
    },
)


def files_of(name):
    """Draw the bytes of a file: mostly usual lines, both line ends, perhaps none after the last."""
    line = st.one_of(usual[name], usual[name], usual[name], unusual)
    lines = st.lists(st.tuples(line, st.sampled_from([b"\n", b"\n", b"\r\n"])), min_size=1, max_size=25)
    return st.tuples(lines, st.booleans()).map(
        lambda drawn: b"".join(line + end for line, end in drawn[0])[: None if drawn[1] else -1]
    )


def read_results(raw, size, **options):
    """Return all results of reading: rows and their locations, skipped rows, and the error."""
    batches = iter_corpus(files.Drip(raw, size), **options)
    texts, labels, locations, end = [], [], [], ""
    try:
        for batch in batches:
            texts += batch.texts
            labels += batch.labels
            locations += batch.locations
    except CorpusError as error:
        end = str(error)
    return texts, labels, locations, batches.skipped.count, list(map(str, batches.skipped.first)), end


@pytest.mark.parametrize("name", usual)
@given(data=st.data(), size=sizes, options=options)
def test_compiled_code_reads_what_python_reads(name, data, size, options):
    raw = data.draw(files_of(name))
    compiled = read_results(raw, size, format=name, **options)
    with pytest.MonkeyPatch.context() as patch:
        disable_compiled_reader(patch)
        assert read_results(raw, size, format=name, **options) == compiled


def disable_compiled_reader(patch):
    """Disable the compiled reader, so that Python reads every line."""
    patch.setattr(lines, "cut_lines", lambda *_: b"\xff".decode())
    patch.setattr(lines, "cut_labelled", lambda *_: None)


@given(st.data(), st.sampled_from(["tsv", "fasttext"]))
def test_usual_lines_are_not_rejected(data, name):
    lines = data.draw(st.lists(usual[name], max_size=30))
    raw = b"".join(line + b"\n" for line in lines)
    texts, labels = cut_labelled(b"", raw, 0, len(raw), *((b"", False) if name == "tsv" else (LABEL, True)))
    assert len(texts) == len(labels) == len(lines)


@given(st.lists(st.tuples(st.text("pqä", min_size=1, max_size=9), files.line_texts), max_size=200))
def test_labels_are_interned_however_many_there_are(rows):
    raw = files.tsv([(text, label) for label, text in rows])[: None if rows else 0]
    texts, labels = cut_labelled(b"", raw, 0, len(raw), b"", ends_at_space=False)
    assert list(zip(labels, texts, strict=True)) == rows
    assert all(label is sys.intern(label) for label in labels)


@given(files.line_texts, st.lists(files.line_texts), st.binary(max_size=9), st.binary(max_size=9))
def test_lines_may_start_in_the_head_and_end_in_the_block(first, texts, before, after):
    head, raw = files.lines([first]), files.lines(texts) if texts else b""
    begin, end = len(before), len(before) + len(raw)
    assert cut_lines(head, before + raw + after, begin, end) == [first, *texts]
    assert cut_lines(b"", before + raw + after, begin, end) == texts
    assert cut_lines(b"last", b"", 0, 0) == ["last"]


def test_a_second_label_is_found_after_any_space():
    for space in filter(str.isspace, map(chr, range(sys.maxunicode + 1))):
        raw = f"__label__a {space}__label__b c\n".encode()
        assert space == "\n" or cut_labelled(b"", raw, 0, len(raw), LABEL, ends_at_space=True) is None
