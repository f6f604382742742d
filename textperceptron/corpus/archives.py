"""The files in folders, zip archives and tar archives."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from textperceptron._interrupts import deferred_interrupts
from textperceptron.corpus.byte_blocks import BLOCK_BYTES, UnpackLimit, regular_file_blocks
from textperceptron.corpus.errors import CHECK_PERMISSIONS, CorpusError, Location
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

if TYPE_CHECKING:
    import zipfile


SMALL_STEP = 1 << 12  # bytes, which bzip2 unpacks to at most 82 MB


@dataclass(slots=True)
class SourceFile:
    """A file to read: its name in messages, its path below the root, and how to open it."""

    name: str
    path: tuple[str, ...]
    blocks: Callable[[], Iterable[bytes]]
    on_disk: str | None = None
    _stream: Stream | None = field(default=None, repr=False)

    def peek(self, options: ReadOptions) -> Stream:
        """Return its stream to peek at the first bytes; :meth:`open` returns the same stream."""
        if self._stream is None:
            self._stream = Stream(self.name, self.blocks(), options, self.on_disk)
        return self._stream

    def open(self, options: ReadOptions) -> Stream:
        """Return its stream, to be read once."""
        stream = self.peek(options)
        self._stream = None  # a corpus of 50,000 files would keep as many streams
        return stream


def is_visible(path: Iterable[str]) -> bool:
    """Whether a path has no hidden component and none that macOS adds to archives."""
    return not any(name.startswith(".") or name == "__MACOSX" for name in path)


def folder_files(folder: str) -> list[SourceFile]:
    """Return the files below a folder, by name; links are followed, each folder is visited once.

    Pipes, sockets and devices are included: they are an error only if they would be read.
    """
    files, seen = [], set()

    def fail(error: OSError) -> None:
        raise CorpusError(
            f"the folder cannot be read ({error.strerror})", Location(str(error.filename)), CHECK_PERMISSIONS
        ) from None

    try:
        for here, subfolders, names in os.walk(folder, followlinks=True, onerror=fail):
            status = os.stat(here)  # not realpath, which looks at every component of the path again
            identity = status.st_dev, status.st_ino
            if identity in seen:
                subfolders.clear()
                continue
            seen.add(identity)
            below = () if here == folder else tuple(os.path.relpath(here, folder).split(os.sep))
            for name in names:
                path = os.path.join(here, name)
                files.append(SourceFile(path, (*below, name), partial(regular_file_blocks, path), path))
    except RecursionError:
        raise CorpusError(
            "its folders are nested too deeply", Location(folder), "Name a folder further down."
        ) from None  # fmt: skip
    return sorted((file for file in files if is_visible(file.path)), key=lambda file: file.path)


def _member_path(archive: str, member: str) -> tuple[str, ...]:
    """Return the components of a member's name.

    Raises
    ------
    CorpusError
        If there are none.
    """
    path = tuple(name for name in member.split("/") if name not in ("", "."))
    if not path:
        raise CorpusError(
            f"a file in the archive has no name ({member!r})", Location(archive), "Write the archive again."
        )  # fmt: skip
    return path


@contextmanager
def zip_files(file: str | BinaryIO, name: str) -> Iterator[list[SourceFile]]:
    """Open a zip archive and return its members, by name."""
    import zipfile

    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:  # see below
        raise _damaged("zip archive", name, error) from None
    with archive:
        # One limit for all members: many small ones, which may share their bytes, can be a bomb as well.
        limit = UnpackLimit("zip", os.stat(file).st_size if isinstance(file, str) else file.seek(0, os.SEEK_END))

        def member_blocks(member: zipfile.ZipInfo) -> Iterator[bytes]:
            full_name = f"{name}/{member.filename}"
            # zipfile limits its output only for deflated data; otherwise it returns whatever the input unpacks to.
            step = BLOCK_BYTES if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else SMALL_STEP
            try:
                with archive.open(member) as stream:
                    while block := stream.read(step):
                        limit.add(len(block), full_name)
                        yield block
            except CorpusError:
                raise
            except Exception as error:  # zipfile raises a dozen types for damage and passwords
                raise _damaged("member", full_name, error) from None

        files = [
            SourceFile(f"{name}/{member.filename}", _member_path(name, member.filename), partial(member_blocks, member))
            for member in archive.infolist()
            if not member.filename.endswith("/") and _is_regular(member)
        ]
        yield sorted((file for file in files if is_visible(file.path)), key=lambda file: file.path)


def _is_regular(member: zipfile.ZipInfo) -> bool:
    """Whether a zip member is a regular file, not a link, pipe or device; only Unix records the type."""
    return stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)


def is_tar(head: bytes, name: str) -> bool:
    """Whether data begin like a tar archive; the oldest kind has no magic bytes, so the name decides."""
    return head[257:262] == b"ustar" or name.lower().endswith((".tar", ".tar.gz", ".tgz"))


def tar_files(blocks: Iterable[bytes], name: str) -> Iterator[SourceFile]:
    """Yield the members of a tar archive in archive order, each with its bytes in memory."""
    with deferred_interrupts():
        from textperceptron.corpus.tar import tar_members
    for member, raw in tar_members(blocks, name):
        path = _member_path(name, member)
        if is_visible(path):
            yield SourceFile(f"{name}/{member}", path, partial(iter, [raw]))


def _damaged(what: str, name: str, error: Exception) -> CorpusError:
    return CorpusError(
        f"the {what} cannot be read ({str(error).rstrip('.')})", Location(name),
        "Fetch or write the archive again, without a password.",
    )  # fmt: skip
