"""Published corpora are downloaded, verified and moved into place atomically; every failure has a remedy."""

from __future__ import annotations

import gc
import hashlib
import io
import os
import random
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from helpers.corpus_server import make_certificate, serving
from helpers.texts import shared_file
from textperceptron.corpus import (
    CorpusError,
    corpus_names,
    corpus_path,
    fetch_corpus,
    known_corpora,
    load_corpus,
    open_corpus,
)
from textperceptron.corpus.fetch import BLOCK_BYTES

SIZES = {"movie_reviews": {"neg": 1000, "pos": 1000}, "sentence_polarity": {"neg": 5331, "pos": 5331},
         "subjectivity": {"plot": 5000, "quote": 5000}}  # fmt: skip
SMALL = "sentence_polarity"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Create an empty folder for corpora and an empty system cache folder."""
    monkeypatch.setenv("TEXTPERCEPTRON_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    return tmp_path / "data"


def published(name):
    return shared_file(f"{name}.zip").read_bytes()


def whole_blocks(n):
    """Return how many of ``n`` bytes remain after a broken connection: whole blocks only."""
    return n // BLOCK_BYTES * BLOCK_BYTES


def tar_of(tree):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, raw in tree.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return out.getvalue()


NEWS = tar_of({
    "20news-bydate-train/a/1": b"caf\xe9", "20news-bydate-train/b/2": b"two", "20news-bydate-test/a/3": b"three",
    "20news-bydate-test/b/4": random.Random(0).randbytes(50_000),
})  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_the_published_file_is_fetched_checked_and_read(folder, name):
    seen = []
    with serving({f"{name}.zip": published(name)}) as server:
        path = fetch_corpus(name, url=server.url(f"{name}.zip"), progress=lambda *state: seen.append(state))
        assert fetch_corpus(name, url=server.url(f"{name}.zip")) == path
    assert len(server.requests) == 1
    assert path == folder / f"{name}.zip" == corpus_path(name)
    assert os.listdir(folder) == [path.name]
    assert seen[-1] == (path.stat().st_size,) * 2
    found = load_corpus(name)
    assert found.name == name
    assert {label: found.labels.count(label) for label in set(found.labels)} == SIZES[name]
    assert open_corpus(name).texts == found.texts


@pytest.mark.parametrize("tags", [True, False])
def test_a_broken_download_is_resumed(folder, tags):
    raw = published(SMALL)
    with serving({"x": raw}, breaks=[100_000, 150_000], tags=tags) as server:
        fetch_corpus(SMALL, url=server.url("x"))
    first = whole_blocks(100_000)
    second = first + whole_blocks(150_000)
    assert [(asked, sent) for _, asked, sent in server.requests] == [
        (None, 100_000), (f"bytes={first}-", 150_000), (f"bytes={second}-", len(raw) - second),
    ]  # fmt: skip
    assert corpus_path(SMALL).read_bytes() == raw


def test_a_download_is_resumed_by_a_later_call(folder):
    raw = published(SMALL)
    with serving({"x": raw}, breaks=[100_000, 0]) as server:
        with pytest.raises(CorpusError) as caught:
            fetch_corpus(SMALL, url=server.url("x"))
        assert "To resume after the 98,304 bytes received, run it again." in str(caught.value)
        assert not (folder / f"{SMALL}.zip").exists()
        fetch_corpus(SMALL, url=server.url("x"))
    assert server.requests[-1][1:] == ("bytes=98304-", len(raw) - 98_304)
    assert os.listdir(folder) == [f"{SMALL}.zip"]


def test_a_server_without_ranges_sends_all_of_it_again(folder):
    raw = published(SMALL)
    with serving({"x": raw}, ranges=False, breaks=[100_000]) as server:
        assert fetch_corpus(SMALL, url=server.url("x")).read_bytes() == raw
    assert [sent for _, _, sent in server.requests] == [100_000, len(raw)]


def test_a_file_that_changed_on_the_server_is_downloaded_again(folder):
    raw = published(SMALL)
    with serving({"x": raw[:-1] + b"?"}, breaks=[20_000, 0]) as server:
        with pytest.raises(CorpusError, match="after the 16,384 bytes"):
            fetch_corpus(SMALL, url=server.url("x"))
        server.files["x"] = raw
        assert fetch_corpus(SMALL, url=server.url("x")).read_bytes() == raw
    assert server.requests[-1][1:] == ("bytes=16384-", len(raw))


@pytest.mark.parametrize("more", [b"", b"too long"])
def test_a_complete_or_longer_partial_file_is_not_resumed(folder, more):
    raw = published(SMALL)
    folder.mkdir()
    (folder / f"{SMALL}.zip.part").write_bytes(raw + more)
    with serving({"x": raw}) as server:
        assert fetch_corpus(SMALL, url=server.url("x")).read_bytes() == raw
    assert len(server.requests) == bool(more)


@pytest.mark.parametrize("name", known_corpora())
def test_junk_is_never_accepted_as_a_corpus(folder, name):
    with serving({"x": b"14 junk bytes."}) as server, pytest.raises(CorpusError) as caught:
        fetch_corpus(name, url=server.url("x"))
    digest = hashlib.sha256(b"14 junk bytes.").hexdigest()
    assert f" is not {name}: its SHA-256 is {digest}, not the one published. The download was discarded" in str(
        caught.value
    )
    assert os.listdir(folder) == []
    path = folder / known_corpora()[name].file
    path.write_bytes(b"14 junk bytes.")
    with pytest.raises(CorpusError, match=rf"the file's SHA-256 is {digest}, not \w{{64}} as published"):
        load_corpus(name)
    assert os.listdir(folder) == [path.name]


@pytest.mark.parametrize("lengths", [True, False])
def test_a_download_stops_when_more_comes_than_the_file_has(folder, lengths):
    size = known_corpora()[SMALL].size
    with serving({"x": bytes(50_000_000)}, lengths=lengths) as server, pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL, url=server.url("x"))
    come = 50_000_000 if lengths else size // BLOCK_BYTES * BLOCK_BYTES + BLOCK_BYTES
    assert str(caught.value) == (
        f"the file from {server.url('x')} is not {SMALL}: it has at least {come:,} bytes, the published file has "
        f"{size:,}. The download was discarded; nothing else was changed. Try a mirror (--url)."
    )
    assert os.listdir(folder) == []


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make a certificate")
def test_an_https_address_must_not_lead_to_http(folder, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path / "certificate.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    raw = published(SMALL)
    with serving({"x": raw}) as plain, serving({"x": raw}, certificate=certificate) as encrypted:
        encrypted.files["plain"] = plain.url("x")
        encrypted.files["again"] = encrypted.url("x")
        plain.files["plain"] = plain.url("x")
        with pytest.raises(CorpusError) as caught:
            fetch_corpus(SMALL, url=encrypted.url("plain"))
        assert (
            f"{SMALL} could not be fetched from {encrypted.url('plain')} (it redirects to an address without https)"
            in str(caught.value)
        )
        assert plain.requests == []
        for url in (encrypted.url("again"), plain.url("plain")):
            assert fetch_corpus(SMALL, url=url).read_bytes() == raw
            corpus_path(SMALL).unlink()


@pytest.mark.parametrize("encoding", ["x-gzip", "gzip", "zstd"])
def test_a_file_declared_as_compressed_is_not_unpacked(folder, encoding):
    raw = published(SMALL)
    with serving({"x": raw}, encoding=encoding) as server:
        assert fetch_corpus(SMALL, url=server.url("x")).read_bytes() == raw


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_bad_redirect_is_not_mistaken_for_a_wrong_file(folder):
    with serving({"x": "/\x9b"}) as server, pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL, url=server.url("x"))
    assert str(caught.value).startswith(f"{SMALL} could not be fetched from {server.url('x')} (")
    del caught
    gc.collect()  # requests leaves the connection open


def test_other_addresses_than_https_and_http_are_rejected(folder):
    with pytest.raises(CorpusError, match=r"from ftp://127\.0\.0\.1/x \(the address is neither https nor http\)"):
        fetch_corpus(SMALL, url="ftp://127.0.0.1/x")


def test_20news_is_read_as_latin_1_by_its_name(folder, monkeypatch):
    known = known_corpora()["20news-bydate"]
    here = known._replace(size=len(NEWS), sha256=hashlib.sha256(NEWS).hexdigest())
    monkeypatch.setattr("textperceptron.corpus.registry._KNOWN", (here,))
    with serving({"x": NEWS}) as server:
        fetch_corpus("20news-bydate", url=server.url("x"))
    news = load_corpus("20news-bydate")
    assert (news.train.texts, news.test.texts[0]) == (["café", "two"], "three")


def test_a_file_that_is_already_there_is_checked_and_used(folder):
    folder.mkdir()
    (folder / f"{SMALL}.zip").write_bytes(published(SMALL))
    assert fetch_corpus(SMALL, url="http://127.0.0.1:1/") == folder / f"{SMALL}.zip"
    assert len(load_corpus(SMALL).train) == 10_662


def test_the_cache_folder_of_the_system_is_used_too(folder, monkeypatch):
    monkeypatch.delenv("TEXTPERCEPTRON_DATA")
    with serving({"x": published(SMALL)}) as server:
        path = fetch_corpus(SMALL, url=server.url("x"))
    assert path.is_relative_to(folder.parent / "cache")
    monkeypatch.setenv("TEXTPERCEPTRON_DATA", str(folder))
    assert corpus_path(SMALL) == path


def test_a_wrong_file_is_neither_used_nor_removed(folder):
    folder.mkdir()
    path = folder / f"{SMALL}.zip"
    path.write_bytes(b"mine")
    with pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL)
    assert str(caught.value) == (
        f"{path}: the file's SHA-256 is {hashlib.sha256(b'mine').hexdigest()}, not {known_corpora()[SMALL].sha256} as "
        "published. It was left as it is. Move it away, then fetch the corpus again."
    )
    assert path.read_bytes() == b"mine"


def test_a_wrong_download_is_discarded(folder):
    with serving({"x": b"something else"}) as server, pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL, url=server.url("x"))
    assert str(caught.value) == (
        f"the file from {server.url('x')} is not {SMALL}: its SHA-256 is "
        f"{hashlib.sha256(b'something else').hexdigest()}, not the one published. "
        "The download was discarded; nothing else was changed. Try a mirror (--url)."
    )
    assert os.listdir(folder) == []


def test_without_a_network_the_message_says_what_to_put_where(folder):
    with serving({}) as server:
        url = server.url("x")
        with pytest.raises(CorpusError, match="the server says 404 Not Found"):
            fetch_corpus(SMALL, url=url)
    with pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL, url=url)  # the server has stopped
    assert str(caught.value) == (
        f"{SMALL} could not be fetched from {url} (no connection). Without a network, put {SMALL}.zip, "
        f"with the SHA-256 {known_corpora()[SMALL].sha256}, into {folder}, "
        "or name the folder that has it in TEXTPERCEPTRON_DATA."
    )


def test_a_folder_that_cannot_be_made_is_named(folder):
    folder.write_bytes(b"a file, not a folder")
    with serving({"x": b""}) as server, pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL, url=server.url("x"))
    assert f"{SMALL} could not be fetched from {server.url('x')} (" in str(caught.value)
    assert str(folder) in str(caught.value)
    assert folder.read_bytes() == b"a file, not a folder"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_reported(folder):
    folder.mkdir()
    (folder / f"{SMALL}.zip.part").symlink_to("/dev/full")
    with serving({"x": b"0" * 100_000}) as server, pytest.raises(CorpusError, match="No space left on device"):
        fetch_corpus(SMALL, url=server.url("x"))


def test_a_corpus_that_was_not_fetched_says_how(folder):
    with pytest.raises(CorpusError) as caught:
        load_corpus("aclImdb")
    assert str(caught.value).startswith(f"aclImdb was not fetched: there is no aclImdb_v1.tar.gz in {folder} or ")
    assert str(caught.value).endswith("Run: textperceptron corpora fetch aclImdb")


def test_an_unknown_name_is_rejected_with_the_known_ones(folder):
    with pytest.raises(CorpusError, match=r"no corpus to fetch is named 'imdb'\. There are 20news-bydate, aclImdb, "):
        fetch_corpus("imdb")
    with pytest.raises(CorpusError, match=r"no corpus is named 'reviewz': there are .*reviews.*\. Published ones"):
        open_corpus("reviewz")
    with pytest.raises(CorpusError, match=r"reviews\.tsv: there is no such file or folder"):
        open_corpus("reviews.tsv")


def test_a_path_takes_precedence_over_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("reviews").write_text("pos\tmine\n")
    assert open_corpus("reviews").texts == ["mine"]
    assert len(load_corpus("reviews").train) == 480
    assert "reviews" in corpus_names()


def test_without_pooch_a_present_file_is_read_and_fetching_names_the_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(CorpusError) as caught:
        fetch_corpus(SMALL)
    assert str(caught.value) == (
        f'fetching {SMALL} needs pooch, which is not installed. Run: pip install "textperceptron[fetch]"'
    )
    folder.mkdir()
    (folder / f"{SMALL}.zip").write_bytes(published(SMALL))
    assert len(load_corpus(SMALL).train) == 10_662
    monkeypatch.delenv("TEXTPERCEPTRON_DATA")
    with pytest.raises(CorpusError, match="in the folder that TEXTPERCEPTRON_DATA names"):
        load_corpus(SMALL)


def test_every_known_corpus_is_complete():
    for name, known in known_corpora().items():
        assert known.name == name
        assert known.url.startswith("https://")
        assert re.fullmatch(r"[0-9a-f]{64}", known.sha256)
        assert known.size > 0
        assert known.summary


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_digests_are_those_of_the_published_files(name):
    raw = published(name)
    assert (len(raw), hashlib.sha256(raw).hexdigest()) == (known_corpora()[name].size, known_corpora()[name].sha256)
