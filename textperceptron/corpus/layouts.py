"""What the folders and files of a tree mean: classes, or parts to train and to test on, or pieces of one corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from textperceptron.corpus.detect import detect_format, plain_name
from textperceptron.corpus.errors import CorpusError, Place
from textperceptron.corpus.options import FILE_FORMATS, ReadOptions
from textperceptron.corpus.trees import Leaf

_NOTES = r"(?i)(readme|license|licence|copying|notice|changes|changelog)(\..*)?"
_SPARE = {"dev", "valid", "validation", "val"}  # parts that are neither to train nor to test on
UNLABELLED = "unsup"  # aclImdb's folder of reviews without a class
SHOW = "A class is a folder of documents (NAME/pos/1.txt) or a file with one a line (NAME/pos.txt)."


class Item(NamedTuple):
    """A file to read: one document if it is ``whole``, else rows; its part and, if its place says it, its label."""

    leaf: Leaf
    part: str = "train"
    label: str | None = None
    whole: bool = False


def arrange(leaves: Sequence[Leaf], name: str, options: ReadOptions, *, archive: bool) -> list[Item]:
    """Return what each file of a tree is; files that belong to no class are left out where there are classes."""
    if not leaves:
        raise CorpusError(f"the {'archive' if archive else 'folder'} holds no files", Place(name), SHOW)
    depth = _root_depth(leaves, archive)
    if options.format in FILE_FORMATS:
        return _pieces([leaf for leaf in leaves if not _is_note(leaf)], depth, name)
    parts = {folder: part for folder in _folders(leaves, depth) if (part := part_of(folder)) in ("train", "test")}
    if len(set(parts.values())) < 2:
        return _classes(leaves, depth, name, options)
    return [
        Item(item.leaf, part, item.label, item.whole)
        for folder, part in sorted(parts.items(), key=_train_first)
        for item in _classes(_below(leaves, depth, folder), depth + 1, f"{name}/{folder}", options)
        if item.label != UNLABELLED
    ]


def arrange_stream(leaves: Iterator[Leaf], name: str, options: ReadOptions) -> Iterator[Item]:
    """Yield files of an archive that can be read only once, as soon as it is clear what they are.

    In ``…train/CLASS/FILE`` every path says what the file is. Anything else is kept until all names are known.
    """
    kept, begun = [], False
    for leaf in leaves:
        found = None if options.format in FILE_FORMATS else _by_path(leaf)
        if found is not None:
            begun = True
            if found.label != UNLABELLED:
                yield found
        elif not begun:
            kept.append(leaf)
    if not begun:
        yield from arrange(sorted(kept, key=lambda leaf: leaf.path), name, options, archive=True)


@lru_cache(1000)  # the same few folders, for every file in them
def part_of(name: str) -> str | None:
    """Return ``"train"``, ``"test"`` or the name of another part if a folder's or file's name says so.

    Examples
    --------
    >>> part_of("20news-bydate-train"), part_of("imdb.test.tsv.gz"), part_of("sst_fine.dev.tsv"), part_of("attest")
    ('train', 'test', 'dev', None)
    """
    found = {word for word in re.split(r"[-_.]", name.lower()) if word in {"train", "test", *_SPARE}}
    return found.pop() if len(found) == 1 else None


def class_names(files: Sequence[str]) -> list[str]:
    """Return what distinguishes names of files, cut at dots.

    Examples
    --------
    >>> class_names(["rt-polarity.neg", "rt-polarity.pos"]), class_names(["plot.tok.gt9.5000", "quote.tok.gt9.5000"])
    (['neg', 'pos'], ['plot', 'quote'])
    """
    cut = [plain_name(file).split(".") for file in files]
    most = min(map(len, cut), default=1) - 1  # a word of each is left
    same_before = _n_same(zip(*cut, strict=False), most if len(cut) > 1 else 0)
    same_behind = _n_same(zip(*map(reversed, cut), strict=False), most - same_before)
    return [".".join(words[same_before : len(words) - same_behind]) for words in cut]


def _n_same(columns: Iterable[tuple[str, ...]], most: int) -> int:
    """Return how many columns, at most ``most``, hold one word only, before one that holds several."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, islice(columns, most)))


def class_files(leaves: Sequence[Leaf]) -> list[Item]:
    """Return files that each hold the documents of one class, one a line."""
    labels = class_names([leaf.path[-1] for leaf in leaves])
    return [Item(leaf, label=label) for leaf, label in zip(leaves, labels, strict=True)]


def _classes(leaves: Sequence[Leaf], depth: int, name: str, options: ReadOptions) -> list[Item]:
    in_folders = [leaf for leaf in leaves if len(leaf.path) > depth + 1]
    if in_folders and options.format != "files":
        return [Item(leaf, label=leaf.path[depth], whole=True) for leaf in in_folders]
    files = [leaf for leaf in leaves if len(leaf.path) == depth + 1 and not _is_note(leaf)]
    if options.format == "folders" or not files:
        raise CorpusError("there are no folders of documents in it, so no classes", Place(name), SHOW)
    if options.format == "files" or (len(files) > 1 and detect_format(files[0].look(options), options) == "text"):
        return class_files(files)
    return _pieces(files, depth, name)


def _pieces(files: Sequence[Leaf], depth: int, name: str) -> list[Item]:
    """Return files that each say themselves what their rows are."""
    parts = [next(filter(None, map(part_of, reversed(leaf.path[depth:]))), None) for leaf in files]
    if not {"train", "test"} <= set(parts):
        return [Item(leaf) for leaf in files]
    stray = [leaf for leaf, part in zip(files, parts, strict=True) if part is None]
    if stray:
        raise CorpusError(
            f"{stray[0].path[-1]} is neither to train nor to test on, as other files there are", Place(name),
            "Put train or test into its name, or name the files to read one by one.",
        )  # fmt: skip
    pairs = sorted(zip(files, parts, strict=True), key=_train_first)
    return [Item(leaf, part) for leaf, part in pairs if part in ("train", "test")]


def _train_first(pair: tuple[object, str | None]) -> bool:
    return pair[1] != "train"


def _by_path(leaf: Leaf) -> Item | None:
    for k, folder in enumerate(leaf.path[:-2]):
        part = part_of(folder)
        if part in ("train", "test"):
            return Item(leaf, part, leaf.path[k + 1], whole=True)
    return None


def _below(leaves: Sequence[Leaf], depth: int, folder: str) -> list[Leaf]:
    return [leaf for leaf in leaves if leaf.path[depth] == folder and len(leaf.path) > depth + 1]


def _folders(leaves: Sequence[Leaf], depth: int) -> list[str]:
    return sorted({leaf.path[depth] for leaf in leaves if len(leaf.path) > depth + 1})


def _root_depth(leaves: Sequence[Leaf], archive: bool) -> int:
    """Return how many folders lie around everything, such as the one that an archive is packed in."""
    depth = 0
    while len({leaf.path[depth] for leaf in leaves}) == 1 and all(len(leaf.path) > depth + 1 for leaf in leaves):
        if not archive and not _folders(leaves, depth + 1):
            break  # a folder with nothing but the documents of one class
        depth += 1
    return depth


def _is_note(leaf: Leaf) -> bool:
    return re.fullmatch(_NOTES, leaf.path[-1]) is not None
