"""Small files that unpack to gigabytes are an error of one line, long before they fill the memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from helpers.deadline import within
from helpers.fresh import run_fresh
from textperceptron.cli import main
from textperceptron.corpus import CorpusError, iter_corpus, read_corpus, read_svmlight
from textperceptron.corpus.byte_blocks import MAX_RATIO, MAX_UNPACKED, UnpackLimit

LINE = b"pos\t" + b"a" * 120_000 + b"\n"
MEGABYTES = LINE * 16  # 1.9 MB
MANY = 1100  # times of it are 2 GB


def gz():
    return gzip.compress(MEGABYTES) * MANY


def bzip2():
    return bz2.compress(MEGABYTES) * MANY


def xz():
    return lzma.compress(MEGABYTES, preset=0) * MANY


def zst():
    compressor = zstandard.ZstdCompressor().compressobj()  # one frame, as a tool writes it
    return b"".join([*(compressor.compress(MEGABYTES) for _ in range(MANY)), compressor.flush()])


def zip_of(kind, members, times):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for k in range(members):
            with archive.open(f"c/part-{k:03}.tsv", "w") as member:
                for _ in range(times):
                    member.write(MEGABYTES)
    return out.getvalue()


def zip_deflated():
    return zip_of(zipfile.ZIP_DEFLATED, 1, 100)


def zip_bzip2():
    return zip_of(zipfile.ZIP_BZIP2, 1, 60)


def zip_lzma():
    return zip_of(zipfile.ZIP_LZMA, 1, 60)


def zip_of_many_members():
    return zip_of(zipfile.ZIP_DEFLATED, 60, 1)


def tar_gz():
    header = tarfile.TarInfo("c/part-1.tsv")
    header.size = MANY * len(MEGABYTES)
    return gzip.compress(header.tobuf()) + gz()


def gz_in_zip():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("c/part-1.tsv.gz", gz())
    return out.getvalue()


def parquet():
    out = io.BytesIO()
    rows = {"text": pyarrow.array(["a" * 12_000] * 9000), "label": pyarrow.array(["pos"] * 9000)}
    pyarrow.parquet.write_table(pyarrow.table(rows), out)
    return out.getvalue()


BOMBS = [gz, bzip2, xz, zst, zip_deflated, zip_bzip2, zip_lzma, zip_of_many_members, tar_gz, gz_in_zip, parquet]
KINDS = {"gz": "gzip", "tar_gz": "gzip", "gz_in_zip": "gzip", "zst": "zstd", "parquet": "Parquet"}
READ = """
import re, sys
from textperceptron.corpus import read_corpus
try:
    read_corpus(sys.argv[1])
except ValueError as error:
    print(error)
# Not getrusage, whose maximum a process inherits from the one that started it.
print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell what memory was used")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_reported_before_it_fills_the_memory(tmp_path, bomb):
    path = tmp_path / "bomb"
    path.write_bytes(bomb())
    message, kilobytes = run_fresh(READ, str(path)).splitlines()
    assert message.startswith(str(path))
    kind = KINDS.get(bomb.__name__, bomb.__name__.split("_")[0])
    assert f": the {kind} data unpack to more than 200 times their size: 1" in message
    assert message.endswith("If you trust the file, unpack it and read the result; below 100 MB there is no limit.")
    assert int(kilobytes) < 400_000, "Python, what may be unpacked, and what was unpacked last"


@pytest.mark.slow
def test_a_bomb_is_reported_by_every_reader(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bomb.zst").write_bytes(zst())
    expected = "bomb.zst: the zstd data unpack to more than 200 times their size"
    with within(60):
        for read in (read_corpus, lambda path: list(iter_corpus(path, labelled=False, format="text"))):
            with pytest.raises(CorpusError, match=expected):
                read("bomb.zst")
        with pytest.raises(CorpusError, match="the zstd data unpack to more than 200 times their size"):
            read_svmlight(
                io.BytesIO(zstandard.ZstdCompressor().compress((b"1 1:1 # " + b"a" * 120_000 + b"\n") * 1000))
            )
        assert main(["train", "bomb.zst"]) == 2
    assert capfd.readouterr().err.startswith(f"textperceptron: {expected}")


@pytest.mark.slow
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_repetitive_data_are_read_up_to_the_limit(compress):
    n = MAX_UNPACKED // len(LINE)
    corpus = read_corpus(io.BytesIO(compress(LINE * n)))
    assert len(corpus.texts) == n


def test_the_limit_grows_with_the_compressed_data():
    limit = UnpackLimit("gzip")
    limit.packed = 10**9
    limit.add(MAX_RATIO * 10**9, "a.gz")
    with pytest.raises(CorpusError) as caught:
        limit.add(1, "a.gz")
    assert str(caught.value) == (
        "a.gz: the gzip data unpack to more than 200 times their size: 200,000,000,001 bytes so far, from "
        "1,000,000,000. If you trust the file, unpack it and read the result; below 100 MB there is no limit."
    )


def test_reading_stops_before_texts_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("textperceptron.corpus.read.MEMORY_CHECK_BYTES", 1 << 20)
    monkeypatch.setattr("textperceptron._memory.available_memory", lambda: 1 << 19)
    path = tmp_path / "plain.tsv"
    path.write_bytes(LINE * 8)
    assert len(read_corpus(path).texts) == 8
    path.write_bytes(LINE * 16)
    with pytest.raises(MemoryError) as caught:
        read_corpus(path)
    assert str(caught.value) == (
        f"{path}: 0.0 GB of texts are read, and the next would take about 1.0 MB, more than the 524.3 kB that are "
        "free. Read fewer texts, or use a machine with more memory."
    )
    assert sum(len(batch.texts) for batch in iter_corpus(path)) == 16
