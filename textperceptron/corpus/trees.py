"""Folders and archives as trees of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from textperceptron.corpus.blocks import BLOCK, file_blocks
from textperceptron.corpus.errors import CorpusError, Place
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream


@dataclass(slots=True)
class Leaf:
    """A file in a tree: its name in messages, its path below the root, and how to open it."""

    name: str
    path: tuple[str, ...]
    blocks: Callable[[], Iterable[bytes]]
    on_disk: str | None = None
    _stream: Stream | None = field(default=None, repr=False)

    def look(self, options: ReadOptions) -> Stream:
        """Return its stream for a look at the beginning; :meth:`open` goes on with it."""
        if self._stream is None:
            self._stream = Stream(self.name, self.blocks(), options, self.on_disk)
        return self._stream

    def open(self, options: ReadOptions) -> Stream:
        """Return its stream, to be read once."""
        stream = self.look(options)
        self._stream = None  # a corpus of 50,000 files keeps no streams
        return stream


def is_visible(path: Iterable[str]) -> bool:
    """Whether no part of a path is hidden or left behind by a system."""
    return not any(part.startswith(".") or part == "__MACOSX" for part in path)


def folder_leaves(folder: str) -> list[Leaf]:
    """Return the files below a folder, by name; links are followed, each folder once."""
    leaves, seen = [], set()

    def stop(error: OSError) -> None:
        raise CorpusError(f"the folder cannot be read ({error.strerror})", Place(str(error.filename))) from None

    for here, folders, files in os.walk(folder, followlinks=True, onerror=stop):
        real = os.path.realpath(here)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        below = () if here == folder else tuple(os.path.relpath(here, folder).split(os.sep))
        for name in files:
            path = os.path.join(here, name)
            leaves.append(Leaf(path, (*below, name), _opener(path), path))
    return sorted((leaf for leaf in leaves if is_visible(leaf.path)), key=lambda leaf: leaf.path)


def _opener(path: str) -> Callable[[], Iterable[bytes]]:
    return lambda: file_blocks(path, path)


@contextmanager
def zip_leaves(file: str | BinaryIO, name: str) -> Iterator[list[Leaf]]:
    """Give the members of a zip archive, by name, as long as it is open."""
    import zipfile
    import zlib

    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError) as error:
        raise _damaged("zip archive", name, error) from None
    with archive:

        def member_blocks(member: zipfile.ZipInfo) -> Iterator[bytes]:
            try:
                with archive.open(member) as stream:
                    while block := stream.read(BLOCK):
                        yield block
            # RuntimeError: a password is needed, or the method of compression is unknown.
            except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError) as error:
                raise _damaged("member", f"{name}/{member.filename}", error) from None

        def opener(member: zipfile.ZipInfo) -> Callable[[], Iterable[bytes]]:
            return lambda: member_blocks(member)

        leaves = [
            Leaf(f"{name}/{member.filename}", PurePosixPath(member.filename).parts, opener(member))
            for member in archive.infolist()
            if not member.is_dir()
        ]
        yield sorted((leaf for leaf in leaves if is_visible(leaf.path)), key=lambda leaf: leaf.path)


def is_tar(head: bytes, name: str) -> bool:
    """Whether data begin as a tar archive, or their name says that they are one of the oldest kind."""
    return head[257:262] == b"ustar" or name.lower().endswith((".tar", ".tar.gz", ".tgz"))


def tar_leaves(blocks: Iterable[bytes], name: str) -> Iterator[Leaf]:
    """Yield the members of a tar archive as they come, each with its bytes."""
    import tarfile

    file = _BlockFile(blocks)
    try:
        with tarfile.open(fileobj=cast(BinaryIO, file), mode="r|", bufsize=BLOCK) as archive:
            for member in archive:
                archive.members = []  # type: ignore[attr-defined] # else it keeps one for each of 100,000
                path = PurePosixPath(member.name).parts
                if member.isfile() and is_visible(path):
                    stream = archive.extractfile(member)
                    raw = stream.read() if stream is not None else b""
                    if len(raw) < member.size:
                        raise tarfile.ReadError("unexpected end of data")
                    yield Leaf(f"{name}/{member.name}", path, _held(raw))
        if any(file.tail):  # tarfile takes a missing end for the end
            raise tarfile.ReadError("unexpected end of data")
    except tarfile.TarError as error:
        raise _damaged("tar archive", name, error) from None


def _held(raw: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: [raw]


class _BlockFile:
    """Blocks behind the one method that tarfile calls on a stream."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._held = b""
        self.tail = b""  # an archive ends in zeros

    def read(self, size: int) -> bytes:
        parts, missing = [self._held], size - len(self._held)
        while missing > 0 and (block := next(self._blocks, None)) is not None:
            parts.append(block)
            missing -= len(block)
        data = b"".join(parts)
        self._held = data[size:]
        self.tail = data[:size][-512:] or self.tail
        return data[:size]


def _damaged(what: str, name: str, error: Exception) -> CorpusError:
    return CorpusError(f"the {what} cannot be read ({str(error).rstrip('.')})", Place(name))
