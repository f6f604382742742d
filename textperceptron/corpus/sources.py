"""What a caller may name as a corpus → the files to read."""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

from textperceptron.corpus.blocks import STANDARD_INPUT, file_blocks, regular_blocks, standard_input, stream_blocks
from textperceptron.corpus.errors import CorpusError, Place
from textperceptron.corpus.layouts import Item, arrange, arrange_stream, class_files
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.tar import is_tar
from textperceptron.corpus.trees import Leaf, folder_leaves, tar_leaves, zip_leaves

Source = str | os.PathLike[str] | BinaryIO | Iterable[str | os.PathLike[str]]


def source_name(source: Source) -> str:
    """Return what messages call a corpus."""
    if isinstance(source, str | os.PathLike):
        return STANDARD_INPUT if source == "-" else os.fspath(source)
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return name if isinstance(name, str) else "the stream"
    return ", ".join(map(source_name, source))


def settled(source: Source) -> Source:
    """Return a source that can be looked at more than once: paths that come from a generator become a list."""
    return source if isinstance(source, str | os.PathLike) or hasattr(source, "read") else list(source)


def find_items(source: Source, options: ReadOptions) -> Iterator[Item]:
    """Yield the files of a corpus in the order in which they are to be read."""
    if hasattr(source, "read"):
        stream = cast(BinaryIO, source)
        name = source_name(stream)
        yield from _in_file(Leaf(name, (name,), lambda: stream_blocks(stream)), options)
        return
    given = [source] if isinstance(source, str | os.PathLike) else source
    paths = [(path, path == os.fspath(one)) for one in given for path in _expand(os.fspath(one))]
    if not paths:
        raise CorpusError("the list of files is empty", None, "Name at least one.")
    if options.format == "files" and len(paths) > 1:  # files named one by one, each a class
        yield from class_files([_leaf(path, is_named) for path, is_named in paths])
        return
    for path, is_named in paths:
        if os.path.isdir(path):
            yield from arrange(folder_leaves(path), path, options, archive=False)
        else:
            yield from _in_file(_leaf(path, is_named), options)


def files_on_disk(source: str, options: ReadOptions) -> Iterator[str]:
    """Yield the files that would be opened for a path or a pattern; ``"-"`` as it is."""
    for path in _expand(source):
        if os.path.isdir(path):
            items = arrange(folder_leaves(path), path, options, archive=False)
            yield from (item.leaf.on_disk for item in items if item.leaf.on_disk is not None)
        else:
            yield path


def _expand(path: str) -> list[str]:
    """Return the paths that a pattern means, or the path itself."""
    if path == "-" or os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        if found := sorted(glob.glob(path, recursive=True)):
            return found
        raise CorpusError("no file is called so", Place(path), "Check the pattern.")
    raise CorpusError("there is no such file or folder", Place(path), "Check the path.")


def _leaf(path: str, is_named: bool) -> Leaf:
    """Return a file: any that the caller named, such as ``/dev/fd/63``, or a regular one that a pattern found."""
    if path == "-":
        return Leaf(STANDARD_INPUT, (STANDARD_INPUT,), lambda: stream_blocks(standard_input()))
    on_disk = path if os.path.isfile(path) else None  # a pipe cannot be opened a second time
    blocks = (lambda: file_blocks(path, path)) if is_named else (lambda: regular_blocks(path))
    return Leaf(path, (os.path.basename(path),), blocks, on_disk)


def _in_file(leaf: Leaf, options: ReadOptions) -> Iterator[Item]:
    """Yield a file, or what is in it if it is an archive."""
    head = leaf.look(options).data.head()
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        with leaf.open(options) as stream:
            whole = leaf.on_disk if leaf.on_disk is not None else io.BytesIO(stream.read_all())
        with zip_leaves(cast("str | BinaryIO", whole), leaf.name) as leaves:
            yield from arrange(leaves, leaf.name, options, archive=True)
    elif is_tar(head, leaf.name):
        with leaf.open(options) as stream:
            yield from arrange_stream(tar_leaves(stream.data, leaf.name), leaf.name, options)
    elif options.format == "folders":
        raise CorpusError("the file is neither a folder nor an archive", Place(leaf.name), "Name another --format.")
    elif options.format == "files":
        yield from class_files([leaf])
    else:
        yield Item(leaf)
