"""Files of a corpus → batches of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import overload

from textperceptron.corpus.detect import detect_format
from textperceptron.corpus.documents import Batch, no_labels
from textperceptron.corpus.errors import CorpusError, Place, SkippedRows, excerpt
from textperceptron.corpus.formats import reader_of
from textperceptron.corpus.formats.plain import read_class
from textperceptron.corpus.layouts import Item
from textperceptron.corpus.lines import Rows, UndecodableError, decode_document
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.sources import Source, find_items
from textperceptron.corpus.streams import Stream

WHOLE_FILES = 256  # documents in a batch, where each is a file
LONG_FILES = 1 << 24  # characters after which a batch of files ends


class Batches:
    """Batches of a corpus, and a count of the rows that were left out."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.skipped = SkippedRows()
        self._options = options
        self._first: tuple[str, bool] | None = None  # a file, and whether it has labels
        self._batches = self._read(find_items(source, options))

    def __iter__(self) -> Iterator[Batch]:
        return self._batches

    def __next__(self) -> Batch:
        return next(self._batches)

    def _report(self, error: CorpusError) -> None:
        if self._options.on_bad == "raise":
            raise error
        self.skipped.add(error)

    def _read(self, items: Iterator[Item]) -> Iterator[Batch]:
        for (part, whole), group in groupby(items, key=lambda item: (item.part, item.whole)):
            for batch in self._whole(group, part) if whole else self._in_rows(group, part):
                if batch.texts:
                    self._check_labels(batch)
                    yield batch

    def _whole(self, items: Iterable[Item], part: str) -> Iterator[Batch]:
        """Yield batches of files that are one document each."""
        wants_labels = self._options.labelled is not False
        texts: list[str] = []
        labels: list[str] = []
        places: list[Place] = []
        held = 0
        for item in items:
            with item.leaf.open(self._options) as stream:
                try:
                    texts.append(decode_document(stream.as_text().read_all(), stream, self._options))
                except UndecodableError as error:
                    self._report(error)
                    continue
            labels.extend([item.label or ""] if wants_labels else [])
            places.append(Place(stream.name))
            held += len(texts[-1])
            if len(texts) == WHOLE_FILES or held > LONG_FILES:
                yield Batch(texts, labels, places, part)
                texts, labels, places, held = [], [], [], 0
        yield Batch(texts, labels, places, part)

    def _in_rows(self, items: Iterable[Item], part: str) -> Iterator[Batch]:
        """Yield batches of files that have rows."""
        options = self._options
        for item in items:
            with item.leaf.open(options) as stream:
                is_empty = not stream.data.head()
                found = False
                for rows in self._rows(stream, item.label):
                    found = found or bool(rows.texts)
                    labels = rows.labels if options.labelled is not False else []
                    yield Batch(rows.texts, labels, Places(stream.name, rows), part)
            if not found and options.format != "text":  # there, no lines in are no lines out
                raise CorpusError(
                    f"the file {'is empty' if is_empty else 'holds no documents'}", Place(stream.name),
                    "Give one that has some.",
                )  # fmt: skip

    def _rows(self, stream: Stream, label: str | None) -> Iterator[Rows]:
        """Read a file whose place says its label, or one of a format that does."""
        options = self._options
        if label is not None:
            return read_class(stream, label, options, self._report)
        kind = detect_format(stream, options)
        if options.labelled and kind == "text" and stream.data.head():
            first = stream.text_head().partition("\n")[0]
            raise no_labels(Place(stream.name), f"its first line is {excerpt(first)}")
        return reader_of(kind)(stream, options, self._report)

    def _check_labels(self, batch: Batch) -> None:
        """Refuse documents with labels beside documents without."""
        here = (batch.places[0].file, bool(batch.labels))
        first = self._first = self._first or here
        if first[1] != here[1]:
            with_labels, without = (first[0], here[0]) if first[1] else (here[0], first[0])
            raise CorpusError(
                f"its documents have no labels, those of {with_labels} have", Place(without),
                "Read them one by one, or name the format of both (--format).",
            )  # fmt: skip


class Places(Sequence[Place]):
    """The places of rows of one file, made when they are asked for."""

    def __init__(self, file: str, rows: Rows) -> None:
        self._file, self._rows = file, rows

    def __len__(self) -> int:
        return len(self._rows.numbers)

    @overload
    def __getitem__(self, index: int) -> Place: ...
    @overload
    def __getitem__(self, index: slice) -> list[Place]: ...
    def __getitem__(self, index: int | slice) -> Place | list[Place]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        return Place(self._file, self._rows.numbers[index], self._rows.unit)
