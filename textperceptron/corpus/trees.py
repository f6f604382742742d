"""Folders and archives as trees of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO

from textperceptron.corpus.blocks import BLOCK, file_blocks
from textperceptron.corpus.errors import MAY_READ, CorpusError, Place
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream
from textperceptron.corpus.tar import tar_files


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
        raise CorpusError(
            f"the folder cannot be read ({error.strerror})", Place(str(error.filename)), MAY_READ
        ) from None

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

    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:  # see below
        raise _damaged("zip archive", name, error) from None
    with archive:

        def member_blocks(member: zipfile.ZipInfo) -> Iterator[bytes]:
            try:
                with archive.open(member) as stream:
                    while block := stream.read(BLOCK):
                        yield block
            except Exception as error:  # zipfile meets damage and passwords with errors of a dozen kinds
                raise _damaged("member", f"{name}/{member.filename}", error) from None

        def opener(member: zipfile.ZipInfo) -> Callable[[], Iterable[bytes]]:
            return lambda: member_blocks(member)

        leaves = [
            Leaf(f"{name}/{member.filename}", PurePosixPath(member.filename).parts, opener(member))
            for member in archive.infolist()
            if member.filename and not member.filename.endswith("/")
        ]
        yield sorted((leaf for leaf in leaves if is_visible(leaf.path)), key=lambda leaf: leaf.path)


def tar_leaves(blocks: Iterable[bytes], name: str) -> Iterator[Leaf]:
    """Yield the members of a tar archive as they come, each with its bytes."""
    for member, raw in tar_files(blocks, name):
        path = tuple(part for part in member.split("/") if part not in ("", "."))
        if is_visible(path):
            yield Leaf(f"{name}/{member}", path, _held(raw))


def _held(raw: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: [raw]


def _damaged(what: str, name: str, error: Exception) -> CorpusError:
    return CorpusError(
        f"the {what} cannot be read ({str(error).rstrip('.')})", Place(name),
        "Fetch or write the archive again, without a password.",
    )  # fmt: skip
