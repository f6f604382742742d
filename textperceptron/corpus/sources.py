"""Sources named by the caller (paths, patterns, standard input) → files to read."""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO, cast

from textperceptron.corpus.archives import SourceFile, folder_files, is_tar, tar_files, zip_files
from textperceptron.corpus.byte_blocks import (
    STANDARD_INPUT,
    file_blocks,
    regular_file_blocks,
    standard_input,
    stream_blocks,
)
from textperceptron.corpus.detect import ZIP_MAGIC
from textperceptron.corpus.errors import CorpusError, Location
from textperceptron.corpus.layouts import CorpusFile, files_as_classes, interpret_files, interpret_stream
from textperceptron.corpus.options import LAYOUTS, ReadOptions

Source = str | os.PathLike[str] | BinaryIO | Iterable[str | os.PathLike[str]]


def source_name(source: Source) -> str:
    """Return the name of a corpus in messages."""
    if isinstance(source, str | os.PathLike):
        return STANDARD_INPUT if source == "-" else os.fspath(source)
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return name if isinstance(name, str) else "the stream"
    return ", ".join(map(source_name, source))


def materialize(source: Source) -> Source:
    """Return a source that can be iterated more than once: a generator of paths becomes a list."""
    return source if isinstance(source, str | os.PathLike) or hasattr(source, "read") else list(source)


def find_files(source: Source, options: ReadOptions) -> Iterator[CorpusFile]:
    """Yield the files of a corpus in reading order."""
    if hasattr(source, "read"):
        stream = cast(BinaryIO, source)
        name = source_name(stream)
        yield from _unpack(SourceFile(name, (name,), partial(stream_blocks, stream)), options)
        return
    given = [source] if isinstance(source, str | os.PathLike) else source
    paths = [(path, path == os.fspath(one)) for one in given for path in _expand(os.fspath(one))]
    if not paths:
        raise CorpusError("the list of files is empty", None, "Name at least one.")
    if options.format == "files" and len(paths) > 1:  # each file named is a class
        yield from files_as_classes([_source_file(path, is_named) for path, is_named in paths])
        return
    for path, is_named in paths:
        if os.path.isdir(path):
            yield from interpret_files(folder_files(path), path, options, archive=False)
        else:
            yield from _unpack(_source_file(path, is_named), options)


def files_on_disk(source: str, options: ReadOptions) -> Iterator[str]:
    """Yield the files that would be opened for a path or a pattern; ``"-"`` is yielded unchanged."""
    for path in _expand(source):
        if os.path.isdir(path):
            files = interpret_files(folder_files(path), path, options, archive=False)
            yield from (file.source.on_disk for file in files if file.source.on_disk is not None)
        else:
            yield path


def _expand(path: str) -> list[str]:
    """Return the paths that match a pattern, or the path itself."""
    if path == "-" or os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        if found := sorted(glob.glob(path, recursive=True)):
            return found
        raise CorpusError("no file matches this pattern", Location(path), "Check the pattern.")
    raise CorpusError("there is no such file or folder", Location(path), "Check the path.")


def _source_file(path: str, is_named: bool) -> SourceFile:
    """Wrap a path: any file that the caller named, such as ``/dev/fd/63``, but only regular ones from a pattern."""
    if path == "-":
        return SourceFile(STANDARD_INPUT, (STANDARD_INPUT,), lambda: stream_blocks(standard_input()))
    on_disk = path if os.path.isfile(path) else None  # a pipe cannot be opened a second time
    blocks = partial(file_blocks, path, path) if is_named else partial(regular_file_blocks, path)
    return SourceFile(path, (os.path.basename(path),), blocks, on_disk)


def _unpack(file: SourceFile, options: ReadOptions) -> Iterator[CorpusFile]:
    """Yield a file, or its members if it is an archive."""
    head = file.peek(options).data.head()
    if head.startswith(ZIP_MAGIC):
        with file.open(options) as stream:
            seekable = stream.as_file(ZIP_MAGIC)
        with zip_files(seekable, file.name) as members:
            if not _is_workbook(members, file.name, options):
                yield from interpret_files(members, file.name, options, archive=True)
                return
        if isinstance(seekable, io.BytesIO):  # it cannot be read from its source again
            file = SourceFile(file.name, file.path, partial(iter, [seekable.getvalue()]))
        yield CorpusFile(file)
    elif is_tar(head, file.name):
        with file.open(options) as stream:
            yield from interpret_stream(tar_files(stream.data, file.name), file.name, options)
    elif options.format == "folders":
        raise CorpusError("the file is neither a folder nor an archive", Location(file.name), "Name another --format.")
    elif options.format == "files":
        yield from files_as_classes([file])
    else:
        yield CorpusFile(file)


_OFFICE = "Save its texts as CSV, .xlsx or plain text, and read that file."
# What a member's path tells about a zip file, and what to do; the first that matches. Any other zip is an archive.
_ZIP_CONTENTS: tuple[tuple[str, str, str], ...] = (
    (r"xl/workbook\.bin", "an Excel binary workbook (.xlsb)", "Save it as .xlsx or CSV."),
    (r"word/.*", "a Word document (.docx)", _OFFICE),
    (r"ppt/.*", "a PowerPoint presentation (.pptx)", _OFFICE),
    (r"\[Content_Types\]\.xml", "an Office document", _OFFICE),
    (r"META-INF/container\.xml", "an EPUB book", "Convert it to plain text."),
    (r"content\.xml|META-INF/manifest\.xml", "an OpenDocument file (.ods, .odt)", _OFFICE),
    (r".*\.iwa", "a document of Numbers, Pages or Keynote", _OFFICE),
    (r"META-INF/.*|AndroidManifest\.xml|mimetype", "a package of software or a document (.jar, .apk, …)",
     "Extract its texts first; if its folders are classes, use --format folders."),
)  # fmt: skip


def _is_workbook(members: Iterable[SourceFile], name: str, options: ReadOptions) -> bool:
    """Whether a zip file is an Excel workbook rather than an archive of texts.

    Raises
    ------
    CorpusError
        If it is another document or package, which would be read as folders; unless the caller says that it is one.
    """
    if options.format in LAYOUTS:
        return False
    paths = {"/".join(member.path) for member in members}
    if "xl/workbook.xml" in paths:
        if options.format not in (None, "xlsx"):
            raise CorpusError(
                f"the file is an Excel workbook, not {options.format}", Location(name), "Omit --format."
            )  # fmt: skip
        return True
    for pattern, what, remedy in _ZIP_CONTENTS:
        if any(re.fullmatch(pattern, path) for path in paths):
            raise CorpusError(f"the file is {what}, not an archive of texts", Location(name), remedy)
    if options.format == "xlsx":
        raise CorpusError("the zip file is not an Excel workbook", Location(name), "Omit --format.")
    return False
