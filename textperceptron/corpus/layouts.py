"""Directory layouts: the class or split (train, test) of a file, from its path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from textperceptron.corpus.archives import SourceFile
from textperceptron.corpus.detect import detect_format, uncompressed_name
from textperceptron.corpus.errors import CorpusError, Location
from textperceptron.corpus.options import FILE_FORMATS, ReadOptions

_README = r"(?i)(readme|license|licence|copying|notice|changes|changelog)(\..*)?"
_OTHER_SPLITS = {"dev", "valid", "validation", "val"}  # neither train nor test
UNLABELLED = "unsup"  # aclImdb's folder of reviews without a class
LAYOUT_HINT = (
    "A class is a folder of documents (NAME/pos/1.txt) or a file with one document per line (NAME/pos.txt)."
)  # fmt: skip


class CorpusFile(NamedTuple):
    """A file and its role: its split, its label if the path gives one, one document or one per row."""

    source: SourceFile
    split: str = "train"
    label: str | None = None
    is_document: bool = False


def interpret_files(
    files: Sequence[SourceFile], name: str, options: ReadOptions, *, archive: bool
) -> list[CorpusFile]:  # fmt: skip
    """Return the role of each file of a folder or archive; if there are classes, files without one are left out."""
    if not files:
        raise CorpusError(f"the {'archive' if archive else 'folder'} contains no files", Location(name), LAYOUT_HINT)
    depth = _root_depth(files, archive)
    if options.format in FILE_FORMATS:
        return _row_files([file for file in files if not _is_readme(file)], depth, name)
    splits = {folder: split for folder in _folders(files, depth) if (split := split_of(folder)) in ("train", "test")}
    if len(set(splits.values())) < 2:
        return _classes(files, depth, name, options)
    return [
        CorpusFile(file.source, split, file.label, file.is_document)
        for folder, split in sorted(splits.items(), key=_train_first)
        for file in _classes(_below(files, depth, folder), depth + 1, f"{name}/{folder}", options)
        if file.label != UNLABELLED
    ]


def interpret_stream(files: Iterator[SourceFile], name: str, options: ReadOptions) -> Iterator[CorpusFile]:
    """Yield the files of an archive that can be read only once, each as soon as its role is known.

    In ``…train/CLASS/FILE`` every path gives the role. Other files are held until all names are known.
    """
    held, has_splits = [], False
    for file in files:
        found = None if options.format in FILE_FORMATS else _role_by_path(file)
        if found is not None:
            has_splits = True
            if found.label != UNLABELLED:
                yield found
        elif not has_splits:
            held.append(file)
    if not has_splits:
        yield from interpret_files(sorted(held, key=lambda file: file.path), name, options, archive=True)


@lru_cache(1000)  # many files share a few folders
def split_of(name: str) -> str | None:
    """Return ``"train"``, ``"test"`` or another split if the name of a folder or file contains it.

    Examples
    --------
    >>> split_of("20news-bydate-train"), split_of("imdb.test.tsv.gz"), split_of("sst_fine.dev.tsv"), split_of("attest")
    ('train', 'test', 'dev', None)
    """
    found = {word for word in re.split(r"[-_.]", name.lower()) if word in {"train", "test", *_OTHER_SPLITS}}
    return found.pop() if len(found) == 1 else None


def class_names(files: Sequence[str]) -> list[str]:
    """Return file names without the dot-separated words that all of them share.

    Examples
    --------
    >>> class_names(["rt-polarity.neg", "rt-polarity.pos"]), class_names(["plot.tok.gt9.5000", "quote.tok.gt9.5000"])
    (['neg', 'pos'], ['plot', 'quote'])
    """
    words = [uncompressed_name(file).split(".") for file in files]
    limit = min(map(len, words), default=1) - 1  # at least one word of each name remains
    n_prefix = _n_shared(zip(*words, strict=False), limit if len(words) > 1 else 0)
    n_suffix = _n_shared(zip(*map(reversed, words), strict=False), limit - n_prefix)
    return [".".join(name[n_prefix : len(name) - n_suffix]) for name in words]


def _n_shared(columns: Iterable[tuple[str, ...]], limit: int) -> int:
    """Return the number of leading columns, at most ``limit``, that contain a single word."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, islice(columns, limit)))


def files_as_classes(files: Sequence[SourceFile]) -> list[CorpusFile]:
    """Return files that hold the documents of one class each, one per line."""
    labels = class_names([file.path[-1] for file in files])
    return [CorpusFile(file, label=label) for file, label in zip(files, labels, strict=True)]


def _classes(files: Sequence[SourceFile], depth: int, name: str, options: ReadOptions) -> list[CorpusFile]:
    in_folders = [file for file in files if len(file.path) > depth + 1]
    if in_folders and options.format != "files":
        return [CorpusFile(file, label=file.path[depth], is_document=True) for file in in_folders]
    here = [file for file in files if len(file.path) == depth + 1 and not _is_readme(file)]
    if options.format == "folders" and options.labelled is False and here:  # documents without classes
        return [CorpusFile(file, is_document=True) for file in here]
    if options.format == "folders" or not here:
        raise CorpusError("it contains no folders of documents, so no classes", Location(name), LAYOUT_HINT)
    if options.format == "files" or (len(here) > 1 and detect_format(here[0].peek(options), options).format == "text"):
        return files_as_classes(here)
    return _row_files(here, depth, name)


def _row_files(files: Sequence[SourceFile], depth: int, name: str) -> list[CorpusFile]:
    """Return files whose rows have labels."""
    splits = [next(filter(None, map(split_of, reversed(file.path[depth:]))), None) for file in files]
    if not {"train", "test"} <= set(splits):
        return [CorpusFile(file) for file in files]
    stray = [file for file, split in zip(files, splits, strict=True) if split is None]
    if stray:
        raise CorpusError(
            f"{stray[0].path[-1]} is in neither split, while other files are called train or test", Location(name),
            "Put train or test into its name, or name the files to read one by one.",
        )  # fmt: skip
    pairs = sorted(zip(files, splits, strict=True), key=_train_first)
    return [CorpusFile(file, split) for file, split in pairs if split in ("train", "test")]


def _train_first(pair: tuple[object, str | None]) -> bool:
    return pair[1] != "train"


def _role_by_path(file: SourceFile) -> CorpusFile | None:
    for k, folder in enumerate(file.path[:-2]):
        split = split_of(folder)
        if split in ("train", "test"):
            return CorpusFile(file, split, file.path[k + 1], is_document=True)
    return None


def _below(files: Sequence[SourceFile], depth: int, folder: str) -> list[SourceFile]:
    return [file for file in files if file.path[depth] == folder and len(file.path) > depth + 1]


def _folders(files: Sequence[SourceFile], depth: int) -> list[str]:
    return sorted({file.path[depth] for file in files if len(file.path) > depth + 1})


def _root_depth(files: Sequence[SourceFile], archive: bool) -> int:
    """Return the number of folders that contain all files, such as the top folder of an archive."""
    depth = 0
    while len({file.path[depth] for file in files}) == 1 and all(len(file.path) > depth + 1 for file in files):
        if not archive and not _folders(files, depth + 1):
            break  # a folder with the documents of one class and nothing else
        depth += 1
    return depth


def _is_readme(file: SourceFile) -> bool:
    return re.fullmatch(_README, file.path[-1]) is not None
