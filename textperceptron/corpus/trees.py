"""Folders and archives as trees of files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from textperceptron.corpus.blocks import BLOCK, UnpackLimit, regular_blocks
from textperceptron.corpus.errors import MAY_READ, CorpusError, Place
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream
from textperceptron.corpus.tar import tar_files

if TYPE_CHECKING:
    import zipfile


SMALL_STEP = 1 << 12  # bytes, which bzip2 unpacks to 82 MB at most


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
    """Return the files below a folder, by name; links are followed, each folder once.

    Pipes, sockets and devices are among them: whether one is in the way depends on which files are read.
    """
    leaves, seen = [], set()

    def stop(error: OSError) -> None:
        raise CorpusError(
            f"the folder cannot be read ({error.strerror})", Place(str(error.filename)), MAY_READ
        ) from None

    try:
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
    except RecursionError:
        raise CorpusError("its folders are nested too deeply", Place(folder), "Name a folder further down.") from None
    return sorted((leaf for leaf in leaves if is_visible(leaf.path)), key=lambda leaf: leaf.path)


def _opener(path: str) -> Callable[[], Iterable[bytes]]:
    return lambda: regular_blocks(path)


def _member_path(archive: str, member: str) -> tuple[str, ...]:
    """Return the parts of a member's name.

    Raises
    ------
    CorpusError
        If there are none.
    """
    path = tuple(part for part in member.split("/") if part not in ("", "."))
    if not path:
        raise CorpusError(f"a file in the archive has no name ({member!r})", Place(archive), "Write the archive again.")
    return path


@contextmanager
def zip_leaves(file: str | BinaryIO, name: str) -> Iterator[list[Leaf]]:
    """Give the members of a zip archive, by name, as long as it is open."""
    import zipfile

    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:  # see below
        raise _damaged("zip archive", name, error) from None
    with archive:
        # Of all members together: many small ones, which may share their bytes, are a bomb, too.
        limit = UnpackLimit("zip", os.stat(file).st_size if isinstance(file, str) else file.seek(0, os.SEEK_END))

        def member_blocks(member: zipfile.ZipInfo) -> Iterator[bytes]:
            place = f"{name}/{member.filename}"
            # zipfile unpacks as much as asked for of deflated data only; of others, all that comes of so many bytes.
            step = BLOCK if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else SMALL_STEP
            try:
                with archive.open(member) as stream:
                    while block := stream.read(step):
                        limit.add(len(block), place)
                        yield block
            except CorpusError:
                raise
            except Exception as error:  # zipfile meets damage and passwords with errors of a dozen kinds
                raise _damaged("member", place, error) from None

        def opener(member: zipfile.ZipInfo) -> Callable[[], Iterable[bytes]]:
            return lambda: member_blocks(member)

        leaves = [
            Leaf(f"{name}/{member.filename}", _member_path(name, member.filename), opener(member))
            for member in archive.infolist()
            if not member.filename.endswith("/") and _is_file(member)
        ]
        yield sorted((leaf for leaf in leaves if is_visible(leaf.path)), key=lambda leaf: leaf.path)


def _is_file(member: zipfile.ZipInfo) -> bool:
    """Whether a member of a zip archive is no link, pipe or device; systems other than Unix do not say."""
    return stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)


def tar_leaves(blocks: Iterable[bytes], name: str) -> Iterator[Leaf]:
    """Yield the members of a tar archive as they come, each with its bytes."""
    for member, raw in tar_files(blocks, name):
        path = _member_path(name, member)
        if is_visible(path):
            yield Leaf(f"{name}/{member}", path, _held(raw))


def _held(raw: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: [raw]


def _damaged(what: str, name: str, error: Exception) -> CorpusError:
    return CorpusError(
        f"the {what} cannot be read ({str(error).rstrip('.')})", Place(name),
        "Fetch or write the archive again, without a password.",
    )  # fmt: skip
