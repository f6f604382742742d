"""Folders and archives: the layout decides about classes and splits."""

from __future__ import annotations

import io
import os
import socket
import stat
import subprocess
import tarfile
import threading
import zipfile

import pytest

from helpers import corpus_files as files
from helpers.deadline import within
from textperceptron.corpus import CorpusError, iter_corpus, read_corpus
from textperceptron.corpus.layouts import class_names

SHOW = "A class is a folder of documents (NAME/pos/1.txt) or a file with one document per line (NAME/pos.txt)."
IMDB = {
    "aclImdb/README": "about",
    "aclImdb/imdb.vocab": "the\nand\n",
    "aclImdb/train/labeledBow.feat": "9 0:9 1:1\n",
    "aclImdb/train/urls_pos.txt": "http://one\n",
    "aclImdb/train/pos/0_9.txt": "Bromwell High\nis a cartoon",
    "aclImdb/train/pos/1_7.txt": "\ufeffNever dull <br />",
    "aclImdb/train/neg/0_3.txt": "A man",
    "aclImdb/train/unsup/0_0.txt": "Unknown",
    "aclImdb/test/pos/0_10.txt": "I went",
    "aclImdb/test/neg/0_2.txt": "Once again",
}
NEWS = {
    "20news-bydate-test/alt.atheism/53068": "From: a",
    "20news-bydate-test/misc.test/76": "From: b",
    "20news-bydate-train/alt.atheism/49960": "From: c",
    "20news-bydate-train/misc.test/75": "From: d",
    "20news-bydate-train/misc.test/77": "caf\xe9".encode("latin-1"),
}


def as_folder(tmp_path, tree):
    return files.write_tree(tmp_path / "tree", tree)


def as_zip(tmp_path, tree):
    path = tmp_path / "tree.zip"
    path.write_bytes(files.zipped(tree))
    return path


def as_tar(tmp_path, tree, suffix=".tar.gz"):
    path = tmp_path / f"tree{suffix}"
    with tarfile.open(path, f"w:{suffix[5:]}" if suffix[5:] else "w") as archive:
        for name, raw in tree.items():
            raw = raw if isinstance(raw, bytes) else raw.encode()
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return path


def as_tar_xz(tmp_path, tree):
    return as_tar(tmp_path, tree, ".tar.xz")


def as_plain_tar(tmp_path, tree):
    return as_tar(tmp_path, tree, ".tar")


CONTAINERS = [as_folder, as_zip, as_tar, as_tar_xz, as_plain_tar]
pack = pytest.mark.parametrize("pack", CONTAINERS)


def pairs(documents):
    return sorted(zip(documents.labels, documents.texts, strict=True))


@pack
def test_aclimdb_has_two_splits_of_two_classes(tmp_path, pack):
    corpus = read_corpus(pack(tmp_path, IMDB))
    assert pairs(corpus.train) == [
        ("neg", "A man"), ("pos", "Bromwell High\nis a cartoon"), ("pos", "Never dull <br />"),
    ]  # fmt: skip
    assert pairs(corpus.test) == [("neg", "Once again"), ("pos", "I went")]


@pack
def test_20news_by_date_has_two_splits_and_needs_its_encoding(tmp_path, pack):
    path = pack(tmp_path, NEWS)
    corpus = read_corpus(path, encoding="latin-1")
    assert pairs(corpus.train) == [("alt.atheism", "From: c"), ("misc.test", "From: d"), ("misc.test", "café")]
    assert pairs(corpus.test) == [("alt.atheism", "From: a"), ("misc.test", "From: b")]
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert "20news-bydate-train/misc.test/77, line 1: byte 4 of the line, 0xe9, is not utf-8" in str(caught.value)
    skipping = read_corpus(path, on_bad="skip")
    assert (len(skipping.train), len(skipping.test), len(skipping.skipped)) == (2, 2, 1)


@pack
def test_each_folder_is_a_class(tmp_path, pack):
    tree = {"all/README.md": "x", "all/.hidden/1": "x", "all/pos/1.txt": "a\n", "all/pos/deep/2.txt": "b",
            "all/dev/3": "", "all/__MACOSX/4": "x"}  # fmt: skip
    path = pack(tmp_path, tree)
    corpus = read_corpus(path)
    assert pairs(corpus.train) == [("dev", ""), ("pos", "a\n"), ("pos", "b")]
    assert corpus.test is None
    assert read_corpus(path, labelled=False).labels == []
    locations = [str(location) for batch in iter_corpus(path) for location in batch.locations]
    assert all(place.startswith(str(path)) for place in locations)


@pack
@pytest.mark.parametrize(
    ("one", "other", "labels"),
    [
        ("rt-polarity.neg", "rt-polarity.pos", ["neg", "pos"]),
        ("plot.tok.gt9.5000", "quote.tok.gt9.5000", ["plot", "quote"]),
        ("neg.txt", "pos.txt", ["neg", "pos"]),
        ("spam", "ham.txt", ["spam", "ham.txt"]),
        ("a.b.neg.v1.txt", "a.c.pos.v1.txt", ["b.neg", "c.pos"]),
    ],
)
def test_each_file_is_a_class(tmp_path, pack, one, other, labels):
    tree = {one: "Cold soup\n\nRude\r\n", other: "Lovely, soup", "README.txt": "about\n"}
    if pack is not as_folder:  # an archive may be packed in a folder
        tree = {f"c/{name}": raw for name, raw in tree.items()}
    corpus = read_corpus(pack(tmp_path, tree))
    assert pairs(corpus.train) == sorted(
        zip([labels[0]] * 2 + labels[1:], ["Cold soup", "Rude", "Lovely, soup"], strict=True)
    )


def test_files_named_one_by_one_may_each_be_a_class(tmp_path):
    files.write_tree(tmp_path, {"neg.txt": "Cold\n", "pos.txt.gz": files.COMPRESS[".gz"](b"Lovely\n")})
    paths = [tmp_path / "neg.txt", tmp_path / "pos.txt.gz"]
    assert read_corpus(paths, format="files").labels == ["neg", "pos"]
    assert read_corpus(str(tmp_path / "*"), format="files").labels == ["neg", "pos"]
    assert read_corpus(paths).labels == []


@pack
def test_files_to_train_and_to_test_on(tmp_path, pack):
    tree = {"a.train.tsv": "pos\ta\n", "a.test.tsv": "neg\tb\n", "a.dev.tsv": "neg\tc\n", "README": "x"}
    path = pack(tmp_path, tree)
    corpus = read_corpus(path)
    assert pairs(corpus.train) == [("pos", "a")]
    assert pairs(corpus.test) == [("neg", "b")]
    assert [batch.split for batch in iter_corpus(path)] == ["train", "test"]


@pack
def test_folders_of_files_to_train_and_to_test_on(tmp_path, pack):
    tree = {"train/1.tsv": "pos\ta\n", "train/2.tsv": "neg\tb\n", "test/1.tsv": "pos\tc\n"}
    for options in ({"format": "tsv"}, {}):
        corpus = read_corpus(pack(tmp_path, tree), **options)
        assert pairs(corpus.train) == [("neg", "b"), ("pos", "a")]
        assert pairs(corpus.test) == [("pos", "c")]


@pack
def test_shards_are_read_as_one_corpus(tmp_path, pack):
    tree = {"part-1.jsonl": '{"text": "a", "label": 1}\n', "part-2.jsonl": '{"text": "b", "label": 2}\n'}
    corpus = read_corpus(pack(tmp_path, tree))
    assert pairs(corpus.train) == [("1", "a"), ("2", "b")]
    assert corpus.test is None


@pack
def test_each_split_may_have_a_file_per_class(tmp_path, pack):
    tree = {"x/train/pos.txt": "a\nb\n", "x/train/neg.txt": "c\n", "x/test/pos.txt": "d\n", "x/test/neg.txt": "e\n"}
    corpus = read_corpus(pack(tmp_path, tree))
    assert pairs(corpus.train) == [("neg", "c"), ("pos", "a"), ("pos", "b")]
    assert pairs(corpus.test) == [("neg", "e"), ("pos", "d")]


@pack
def test_a_split_may_have_several_folders(tmp_path, pack):
    tree = {"x/books-train/pos/1": "a", "x/films-train/neg/1": "b", "x/books-test/pos/1": "c", "x/films-dev/pos/1": "d"}
    corpus = read_corpus(pack(tmp_path, tree))
    assert pairs(corpus.train) == [("neg", "b"), ("pos", "a")]
    assert pairs(corpus.test) == [("pos", "c")]


def test_a_single_test_file_is_not_a_split(tmp_path):
    path = as_tar(tmp_path, {name: raw for name, raw in NEWS.items() if "test/" in name and "train" not in name})
    corpus = read_corpus(path)
    assert (len(corpus.train), corpus.test) == (2, None)


def test_an_archive_of_one_file_is_that_file(tmp_path):
    for pack in CONTAINERS:
        assert read_corpus(pack(tmp_path, {"a.csv": "label,text\npos,Lovely\n"})).texts == ["Lovely"]


@pytest.mark.parametrize(
    ("tree", "options", "expected"),
    [
        ({".hidden": "x"}, {}, f": the folder contains no files. {SHOW}"),
        ({"a.tsv": "pos\ta\n"}, {"format": "folders"},
         f": it contains no folders of documents, so no classes. {SHOW}"),
        ({"README": "x\n"}, {}, f": it contains no folders of documents, so no classes. {SHOW}"),
        ({"train.tsv": "pos\ta\n", "test.tsv": "neg\tb\n", "more.tsv": "neg\tc\n"}, {},
         ": more.tsv is in neither split, while other files are called train or test. "
         "Put train or test into its name, or name the files to read one by one."),
        ({"pos.txt": "a\n", "neg.txt": ""}, {}, "/neg.txt: the file is empty. Name a file with documents."),
    ],
)  # fmt: skip
def test_a_folder_of_unknown_layout_is_reported(tmp_path, tree, options, expected):
    folder = as_folder(tmp_path, tree)
    with pytest.raises(CorpusError) as caught:
        read_corpus(folder, **options)
    assert str(caught.value) == f"{folder}{expected}"


def test_an_archive_cut_short_is_reported(tmp_path):
    tree = {f"train/pos/{k}": f"{k}" * 3000 for k in range(20)} | {"test/pos/1": "x"}
    for path in (as_tar(tmp_path, tree), as_plain_tar(tmp_path, tree), as_tar_xz(tmp_path, tree)):
        raw = path.read_bytes()
        for length in range(100, len(raw) - 11_000 if path.suffix == ".tar" else len(raw) - 1, len(raw) // 9):
            path.write_bytes(raw[:length])
            with pytest.raises(CorpusError, match=r"truncated|cannot be read"):
                read_corpus(path)


def test_an_encrypted_or_damaged_member_is_reported(tmp_path):
    raw = bytearray(files.zipped({"a.tsv": b"pos\ta\n" * 1000}))
    path = tmp_path / "a.zip"
    raw[50] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match=r"a\.zip/a\.tsv: the member cannot be read"):
        read_corpus(path)
    raw[50] ^= 0xFF
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match=r"a\.zip/a\.tsv: the member cannot be read \(.*password"):
        read_corpus(path)


def test_a_link_that_leads_back_is_followed_once(tmp_path):
    folder = as_folder(tmp_path, {"pos/1": "a", "neg/1": "b"})
    (folder / "pos" / "loop").symlink_to(folder)
    assert sorted(read_corpus(folder).texts) == ["a", "b"]


ALONE = "Move it out of the corpus, or read it by itself: name its path."


def socket_at(path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))  # the file remains after closing


@pytest.mark.parametrize(("make", "kind"), [(os.mkfifo, "pipe"), (socket_at, "socket")])
def test_a_pipe_or_socket_among_the_documents_is_named_and_not_waited_for(tmp_path, monkeypatch, make, kind):
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    files.write_tree(tmp_path, {"c/pos/1": "a", "c/neg/1": "b", "d/pos.txt": "a\n", "d/neg.txt": "b\n"})
    make("c/neg/0")
    make("d/more.txt")
    for source, at in (("c", "c/neg/0"), ("d", "d/more.txt"), ("d/*", "d/more.txt")):
        with within(10), pytest.raises(CorpusError) as caught:
            read_corpus(source, **({"format": "files"} if "*" in source else {}))
        assert str(caught.value) == f"{at}: this is a {kind}, not a regular file. {ALONE}"


def test_a_pipe_that_is_not_read_is_not_an_error(tmp_path):
    folder = as_folder(tmp_path, {"pos/1": "a", "neg/1": "b"})
    os.mkfifo(folder / "beside the classes")
    os.mkfifo(folder / "pos" / ".hidden")
    with within(10):
        assert sorted(read_corpus(folder).texts) == ["a", "b"]


@pytest.mark.parametrize(
    "raw",
    [files.tsv([("a", "pos"), ("b", "neg")]), files.zipped({"pos/1": b"a", "neg/1": b"b"}),
     files.parquet([("a", "pos"), ("b", "neg")]), files.COMPRESS[".gz"](files.tsv([("a", "pos"), ("b", "neg")]))],
    ids=["tsv", "zip", "parquet", "gz"],
)  # fmt: skip
def test_a_pipe_that_is_named_is_read(tmp_path, raw):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(raw,), daemon=True)
    writer.start()
    with within(10):
        corpus = read_corpus(path)
    writer.join(10)
    assert pairs(corpus.train) == [("neg", "b"), ("pos", "a")]


def test_links_pipes_and_devices_in_a_zip_are_skipped_as_in_a_tar(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, kind in (("pos/1", stat.S_IFREG), ("neg/1", 0), ("pos/2", stat.S_IFLNK), ("pos/3", stat.S_IFIFO)):
            member = zipfile.ZipInfo(name)
            member.external_attr = (kind | 0o644 * (kind > 0)) << 16
            archive.writestr(member, name)
    assert pairs(read_corpus(path).train) == [("neg", "neg/1"), ("pos", "pos/1")]


@pytest.mark.parametrize("name", [".", "./.", "", "/"])
def test_a_member_of_a_zip_without_a_name_is_reported_and_a_folder_skipped(tmp_path, name):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pos/1", "a")
        archive.writestr(zipfile.ZipInfo(name), "")
        archive.writestr("/neg/1", "b")
    if name == "/":
        assert pairs(read_corpus(path).train) == [("neg", "b"), ("pos", "a")]
        return
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: a file in the archive has no name ({name!r}). Write the archive again."


def test_names_with_many_dots_are_compared_in_linear_time():
    labels = [str(k) for k in range(10)]
    with within(5):  # a quadratic version took 22 s
        assert class_names(["a." * 30_000 + label for label in labels]) == labels


def test_folders_nested_too_deeply_are_reported(tmp_path):
    (tmp_path / "deep").mkdir()
    here = os.open(tmp_path / "deep", os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("a", dir_fd=here)
        deeper = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    try:
        with pytest.raises(CorpusError) as caught:
            read_corpus(tmp_path / "deep")
    finally:
        subprocess.run(["rm", "-r", tmp_path / "deep"], check=True)  # too deep for shutil, and so for pytest
    assert str(caught.value) == f"{tmp_path / 'deep'}: its folders are nested too deeply. Name a folder further down."


def test_long_files_are_handed_on_before_a_batch_of_them_fills_the_memory(tmp_path):
    tree = {f"pos/{k}.zst": files.COMPRESS[".zst"](bytes([48 + k]) * 20_000_000) for k in range(5)}
    batches = iter_corpus(as_folder(tmp_path, tree))
    assert [[text[:2] for text in batch.texts] for batch in batches] == [["00"], ["11"], ["22"], ["33"], ["44"]]
