"""The tar reader reads archives written by the standard library."""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import corpus_files as files
from helpers.deadline import within
from textperceptron._memory import available_memory
from textperceptron.corpus import CorpusError, read_corpus
from textperceptron.corpus.tar import MAX_HEADER_BYTES, MAX_NAME_BYTES, tar_members

KINDS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
names = st.text(st.sampled_from("abc.-_ é中"), min_size=1, max_size=30)
paths = st.lists(names, min_size=1, max_size=7).map("/".join)
ascii_names = st.lists(st.text(st.sampled_from("abc.-_ "), min_size=1, max_size=60), min_size=1, max_size=3)
members = st.dictionaries(paths, st.binary(max_size=1500), max_size=6)


def archive_of(tree, kind, **options):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind, **options) as archive:
        for name, raw in tree.items():
            folder = tarfile.TarInfo("folder")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "elsewhere"
            archive.addfile(link)
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["gnu", "pax"])
@given(tree=members, size=st.integers(1, 2000))
def test_every_file_is_found(kind, tree, size):
    raw = archive_of(tree, KINDS[kind], pax_headers={"comment": "path=no"} if kind == "pax" else {})
    blocks = (raw[k : k + size] for k in range(0, len(raw), size))
    assert list(tar_members(blocks, "x")) == list(tree.items())


@given(folders=ascii_names, raw=st.binary(max_size=600))
def test_names_in_two_fields_are_joined(folders, raw):
    path = "/".join(folders)
    packed = archive_of({path: raw}, tarfile.USTAR_FORMAT)
    assert list(tar_members([packed], "x")) == [(path, raw)]


@given(st.data())
def test_an_archive_cut_short_or_damaged_is_reported(data):
    raw = archive_of({"a": b"x" * 700, "b/c": b"y"}, data.draw(st.sampled_from([*KINDS.values()])))
    end = raw.rindex(b"y") // 512 * 512 + 512
    cut = data.draw(st.integers(0, end))
    with pytest.raises(CorpusError, match=r"x: the tar archive cannot be read \(it is truncated\)"):
        list(tar_members([raw[:cut]], "x"))
    at = data.draw(st.integers(0, 511))
    broken = raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :]
    with pytest.raises(CorpusError, match="the tar archive cannot be read"):
        list(tar_members([broken], "x"))


def test_a_file_that_is_not_an_archive_is_reported():
    for raw in (b"no tar" * 200, files.tsv([("a", "b")]), b""):
        with pytest.raises(CorpusError, match="the tar archive cannot be read"):
            list(tar_members([raw], "x"))


def header_of(name=b"a", size=b"0", kind=b"0"):
    """Return a header with any fields and a correct checksum."""
    header = bytearray(512)
    header[: len(name)], header[124 : 124 + len(size)], header[156:157] = name, size, kind
    header[257:263] = b"ustar\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def of_256(size):
    return b"\x80" + size.to_bytes(11, "big")


def in_blocks(raw, size=1 << 17):
    return (raw[k : k + size] for k in range(0, len(raw), size))


def test_sizes_beyond_eight_gigabytes_are_understood():
    content = b"z" * 600
    raw = header_of(size=of_256(600)) + content + bytes(-600 % 512) + bytes(1024)
    assert list(tar_members([raw], "x")) == [("a", content)]


@pytest.mark.parametrize(
    "size", [b"-1", b"-0000000001", b"-777\0", b"\xff" * 12, b"\xff" * 11 + b"\0", b"\x81" + b"\0" * 11, b"0o7", b"7_7",
             b"7 7", b"8", b"+7", b"\t7"],
)  # fmt: skip
def test_a_negative_or_malformed_size_is_reported(size):
    raw = header_of(size=size) + b"z" * 512 + bytes(1024)
    with within(10), pytest.raises(CorpusError, match=r"the size of a member, b.*, is negative or not a number"):
        list(tar_members([raw], "x"))


@pytest.mark.parametrize("size", [b"7\0", b" 7 ", b"0000000007 ", b"\0" * 12, b" " * 12])
def test_a_size_may_have_spaces_and_zero_bytes_around_it(size):
    n = 7 if b"7" in size else 0
    raw = header_of(size=size) + (b"z" * n).ljust(512 * (n > 0), b"\0") + bytes(1024)
    assert list(tar_members([raw], "x")) == [("a", b"z" * n)]


@pytest.mark.skipif(available_memory() is None, reason="this system does not tell how much memory is free")
@pytest.mark.parametrize("size", [1 << 50, (1 << 88) - 1])
def test_a_file_larger_than_memory_is_rejected_before_it_is_read(size):
    endless = chain([header_of(size=of_256(size))], repeat(bytes(512)))
    with (
        within(10),
        pytest.raises(CorpusError, match=rf"x/a: its size is {size:,} bytes by the header, more than the "),
    ):
        list(tar_members(endless, "x"))


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"5", b"6", b"g", b"S"])
def test_members_that_are_not_files_are_skipped_without_being_held(kind):
    n = 1 << 25
    blocks = chain([header_of(size=b"%o" % n, kind=kind)], in_blocks(bytes(n)), [header_of(b"b") + bytes(1024)])
    tracemalloc.start()
    try:
        assert list(tar_members(blocks, "x")) == [("b", b"")]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n + (n >> 2)  # n bytes are the test's own


def test_a_large_file_is_read_in_linear_time():
    content = bytes(1 << 26)
    raw = header_of(size=of_256(len(content))) + content + bytes(1024)
    with within(5):  # a quadratic version took 8 to 28 s, this one takes 0.1
        assert list(tar_members(in_blocks(raw), "x")) == [("a", content)]


@pytest.mark.parametrize("name", [b"", b".", b"./.", b"././"])
def test_a_file_without_a_name_is_reported_and_a_folder_skipped(name):
    raw = header_of(b"pos/1") + header_of(name) + header_of(b"neg/1") + bytes(1024)
    if name.endswith(b"/"):
        assert read_corpus(io.BytesIO(raw)).labels == ["neg", "pos"]
        return
    with pytest.raises(CorpusError) as caught:
        read_corpus(io.BytesIO(raw))
    assert (
        str(caught.value)
        == f"the stream: a file in the archive has no name ({name.decode()!r}). Write the archive again."
    )


def test_a_folder_of_the_oldest_archives_is_skipped():
    raw = header_of(b"pos/old/", kind=b"\0") + header_of(b"pos/old/1", kind=b"\0") + header_of(b"neg/1") + bytes(1024)
    assert read_corpus(io.BytesIO(raw)).labels == ["neg", "pos"]


@pytest.mark.parametrize("kind", [b"L", b"x"])
def test_a_name_without_end_is_reported(kind):
    raw = header_of(size=b"%o" % (MAX_HEADER_BYTES + 1), kind=kind)
    with pytest.raises(CorpusError, match=r"an extended header has 1,048,577 bytes"):
        list(tar_members([raw], "x"))
    name = b"n" * (MAX_NAME_BYTES + 1)
    held = name if kind == b"L" else b"70000 path=" + name + b"\n"
    raw = header_of(size=b"%o" % len(held), kind=kind) + held + bytes(-len(held) % 512) + header_of()
    with pytest.raises(CorpusError, match=r"the name of a member has 65,536 bytes"):
        list(tar_members([raw], "x"))
