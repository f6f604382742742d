"""Our reader of tar archives finds in them what the standard library put there."""

from __future__ import annotations

import io
import tarfile

import corpus_files as files
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textperceptron.corpus import CorpusError
from textperceptron.corpus.tar import tar_files

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
    assert list(tar_files(blocks, "x")) == list(tree.items())


@given(folders=ascii_names, raw=st.binary(max_size=600))
def test_names_in_two_fields_are_put_together(folders, raw):
    path = "/".join(folders)
    packed = archive_of({path: raw}, tarfile.USTAR_FORMAT)
    assert list(tar_files([packed], "x")) == [(path, raw)]


@given(st.data())
def test_an_archive_cut_short_or_damaged_is_reported(data):
    raw = archive_of({"a": b"x" * 700, "b/c": b"y"}, data.draw(st.sampled_from([*KINDS.values()])))
    end = raw.rindex(b"y") // 512 * 512 + 512
    cut = data.draw(st.integers(0, end))
    with pytest.raises(CorpusError, match=r"x: the tar archive cannot be read \(it is cut short\)"):
        list(tar_files([raw[:cut]], "x"))
    at = data.draw(st.integers(0, 511))
    broken = raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :]
    with pytest.raises(CorpusError, match="the tar archive cannot be read"):
        list(tar_files([broken], "x"))


def test_what_is_no_archive_is_reported():
    for raw in (b"no tar" * 200, files.tsv([("a", "b")]), b""):
        with pytest.raises(CorpusError, match="the tar archive cannot be read"):
            list(tar_files([raw], "x"))


def test_sizes_beyond_eight_gigabytes_are_understood():
    header = bytearray(archive_of({"a": b""}, tarfile.GNU_FORMAT)[1024:1536])
    header[124:136] = b"\x80" + (600).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    content = b"z" * 600
    raw = bytes(header) + content + bytes(-600 % 512) + bytes(1024)
    assert list(tar_files([raw], "x")) == [("a", content)]
