"""Paths, patterns, standard input → a corpus, or a stream of batches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import overload

from textperceptron._interrupts import deferred_interrupts
from textperceptron._memory import check_memory
from textperceptron.corpus.columns import keep_fields
from textperceptron.corpus.detect import Detected, check_is_text, detect_format
from textperceptron.corpus.documents import (
    Batch,
    Corpus,
    Documents,
    FileReading,
    as_sets,
    missing_labels,
)
from textperceptron.corpus.errors import CorpusError, Location, SkippedRows, excerpt
from textperceptron.corpus.formats import reader_of
from textperceptron.corpus.layouts import CorpusFile
from textperceptron.corpus.lines import ParsedRows, UndecodableError, decode_document
from textperceptron.corpus.merge_labels import LabelMerge, MergeLabels, as_merge
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.sources import Source, find_files, materialize, source_name
from textperceptron.corpus.streams import Stream
from textperceptron.corpus.weights import take_weights
from textperceptron.settings.corpus_columns import Column, CorpusColumns

MEMORY_CHECK_BYTES = 1 << 28  # of texts, between two checks of free memory
MAX_BATCH_FILES = 256  # where each file is one document
MAX_BATCH_CHARACTERS = 1 << 24  # of such files


def read_corpus(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 - the option's name on the command line
    encoding: str = "utf-8",
    errors: str = "strict",
    text_column: Column | Sequence[Column] | None = None,
    label_column: Column | None = None,
    weight_column: Column | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    labelled: bool | None = None,
    label_separator: str | None = None,
    merge_labels: MergeLabels = None,
    columns: CorpusColumns | None = None,
    known_labels: Collection[str] | None = None,
    on_bad: str = "raise",
    callback: Callable[[int], object] | None = None,
) -> Corpus:
    r"""Read labelled or unlabelled documents from files, folders, archives or standard input.

    :func:`~textperceptron.corpus.iter_corpus` reads them as a stream.

    Parameters
    ----------
    source : path, list of paths, or binary stream
        A file, a folder, a zip or tar archive, a pattern such as ``"data/*.tsv"``, ``"-"`` for standard input, or
        several of them. Files may be compressed with gzip, bzip2, xz or Zstandard.
    format : str, optional
        ``"tsv"``, ``"csv"``, ``"jsonl"``, ``"fasttext"``, ``"vw"``, ``"text"``, ``"parquet"``, ``"xlsx"``, or for a
        folder or archive ``"folders"`` (one per class) or ``"files"`` (one per class, one document per line). By
        default it is detected from names and first lines.
    encoding : str, default="utf-8"
        Character encoding.
    errors : str, default="strict"
        How to handle undecodable bytes: ``"strict"`` raises an error, ``"replace"`` inserts U+FFFD; Python's other
        error handlers work too.
    text_column : str or int, or a list of them, optional
        Name or number (from 1) of the column with the text, in TSV, CSV, JSON lines, Parquet and Excel. The texts of
        several columns become one document, joined by a line end; empty ones are left out.
    label_column : str or int, optional
        Name or number (from 1) of the column with the label.
    weight_column : str or int, optional
        Name or number (from 1) of a column with the importance of each text, a number from 0: ``train.weights``.
    header : bool, optional
        Whether the first row of a TSV or CSV file names its columns. By default, a first row that names a text and a
        label is the header.
    delimiter : str, optional
        Field separator of CSV; by default comma, semicolon, tab or bar is detected.
    sheet : str, optional
        Name of the sheet of an Excel workbook; by default the first one with data.
    labelled : bool, optional
        True to raise an error for documents without labels, False to ignore labels.
    label_separator : str, optional
        What separates the labels of a text in TSV, CSV, Excel, JSON lines and Parquet, such as ``"|"``; an empty label
        is then a text without labels. Several ``__label__`` of a fastText line and arrays of JSON lines and Parquet are
        several labels without it.
    merge_labels : str or mapping, optional
        Labels to group or drop: ``"1,2=neg;4,5=pos;3="``, or ``{"1": "neg", …, "3": None}``.
    columns : CorpusColumns, optional
        The columns to read unless others are named: those that a model was trained on (``model.corpus_columns``). A
        file with named columns must have them. Merged labels are merged again.
    known_labels : collection of str, optional
        The labels of a model. Two columns without names are then label and text only if one of them is found, and
        otherwise an error; lines of plain text that contain tabs stay texts.
    on_bad : {"raise", "skip"}, default="raise"
        Whether a row that cannot be read raises an error, or is skipped and counted in ``skipped``.
    callback : callable, optional
        Called with the number of documents read so far, after each batch.

    Returns
    -------
    Corpus
        With ``train`` and ``test`` if a folder or archive has these splits, else with all documents in ``train``.
        Labels are strings; the list is empty if the documents have none. If a document may have several labels, they
        are tuples of strings.

    Raises
    ------
    CorpusError
        A ValueError that names file, line and remedy.
    MemoryError
        If the texts would fill the memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "soups.tsv").write_text("pos\tLovely soup\nneg\tCold soup\n")
    >>> corpus = read_corpus(folder / "soups.tsv")
    >>> corpus.texts, corpus.labels
    (['Lovely soup', 'Cold soup'], ['pos', 'neg'])
    """
    source = materialize(source)
    batches = iter_corpus(
        source, format=format, encoding=encoding, errors=errors, text_column=text_column, label_column=label_column,
        header=header, delimiter=delimiter, sheet=sheet, labelled=labelled, label_separator=label_separator,
        merge_labels=merge_labels, columns=columns, known_labels=known_labels, on_bad=on_bad,
        weight_column=weight_column, keep_columns=False if weight_column is None else [weight_column],
    )  # fmt: skip
    splits: dict[str, Documents] = {}
    held, checked = 0, 0
    for batch in batches:
        held += sum(map(sys.getsizeof, batch.texts))
        if held - checked > MEMORY_CHECK_BYTES:
            what = f"{source_name(source)}: {held / 1e9:.1f} GB of texts are read, and the next"
            check_memory(MEMORY_CHECK_BYTES, None, what, "Read fewer texts, or use a machine with more memory.")
            checked = held
        documents = splits.setdefault(batch.split, Documents([], []))
        if weight_column is not None:
            batch, weights = take_weights(batch, batches.report)
            documents.weights.extend(weights)
        documents.texts.extend(batch.texts)
        documents.labels.extend(batch.labels)
        if callback is not None:
            callback(sum(map(len, splits.values())))
    if batches.merge is not None and batches.merge is not merge_labels:  # else the caller checks it
        batches.merge.check(source_name(source))
    if not splits:
        raise CorpusError("it contains no documents", Location(source_name(source)))
    if any(isinstance(label, tuple) for documents in splits.values() for label in documents.labels):
        splits = {name: replace(each, labels=as_sets(each.labels)) for name, each in splits.items()}
    train = splits.pop("train", None) or splits.pop("test")  # documents of one split only are all documents
    found = tuple(batches.files)
    return Corpus(
        source_name(source), train, splits.get("test"), batches.skipped,
        columns_of(found, batches.merge, batches.options.separator, weight_column), found,
    )  # fmt: skip


def iter_corpus(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    encoding: str = "utf-8",
    errors: str = "strict",
    text_column: Column | Sequence[Column] | None = None,
    label_column: Column | None = None,
    weight_column: Column | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    labelled: bool | None = None,
    label_separator: str | None = None,
    merge_labels: MergeLabels = None,
    columns: CorpusColumns | None = None,
    known_labels: Collection[str] | None = None,
    on_bad: str = "raise",
    keep_columns: bool | Sequence[Column] = False,
) -> Batches:
    r"""Read documents as a stream, in memory that does not grow with the corpus.

    Takes the arguments of :func:`read_corpus`. Batches vary in length: a batch does not wait for a slow writer. Nothing
    is read twice, so pipes work.

    Parameters
    ----------
    keep_columns : bool or list of str
        Whether batches have ``records``: all columns of their rows, or those named.

    Returns
    -------
    Batches
        An iterator over :class:`Batch`, whose ``skipped`` counts the rows skipped so far, and whose ``files`` tell how
        the files were read so far.

    Examples
    --------
    >>> import io
    >>> for batch in iter_corpus(io.BytesIO(b"pos\tLovely soup\nneg\tCold soup\n")):
    ...     for text, label, location in zip(batch.texts, batch.labels, batch.locations):
    ...         print(location.line, label, text)
    1 pos Lovely soup
    2 neg Cold soup
    """
    options = ReadOptions(
        format=format, encoding=encoding, errors=errors, text_column=text_column, label_column=label_column,
        header=header, delimiter=delimiter, sheet=sheet, labelled=labelled,
        merge_labels=as_merge(merge_labels, columns), columns=columns, known_labels=known_labels, on_bad=on_bad,
        keep_columns=keep_columns, label_separator=label_separator, weight_column=weight_column,
    )  # fmt: skip
    return Batches(source, options)


def columns_of(
    files: Sequence[FileReading],
    merge: LabelMerge | None,
    separator: str | None = None,
    weight: Column | None = None,
) -> CorpusColumns | None:
    """Return what a model should remember: the columns, if all files have the same ones, merged labels, separator."""
    named = [file.choice for file in files if file.choice is not None and not file.choice.is_default]
    chosen = {(choice.text, choice.label) for choice in named}
    text, label = chosen.pop() if len(chosen) == 1 else ((), None)
    found = CorpusColumns(text, label, () if merge is None else merge.pairs, separator, weight)
    return None if found == CorpusColumns() else found


class Batches:
    """Iterator over the batches of a corpus, which counts the rows it skips."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.skipped = SkippedRows()
        self.files: list[FileReading] = []
        self.merge = options.merge_labels
        self.options = options
        self._first: tuple[str, bool] | None = None  # the first file, and whether it has labels
        self._batches = self._read(find_files(source, options))

    def __iter__(self) -> Iterator[Batch]:
        return self._batches

    def __next__(self) -> Batch:
        return next(self._batches)

    def report(self, error: CorpusError) -> None:
        """Raise the error of a row, or skip the row."""
        if self.options.on_bad == "raise":
            raise error
        self.skipped.add(error)

    def _read(self, files: Iterator[CorpusFile]) -> Iterator[Batch]:
        for (split, is_document), group in groupby(files, key=lambda file: (file.split, file.is_document)):
            for batch in self._read_documents(group, split) if is_document else self._read_rows(group, split):
                if batch.texts:
                    self._check_labels(batch)
                    merged = self._merge_labels(batch)
                    if merged.texts:
                        yield merged

    def _merge_labels(self, batch: Batch) -> Batch:
        if self.merge is None or not batch.labels:
            return batch
        labels, kept = self.merge.apply(batch.labels)
        if kept is None:
            return replace(batch, labels=labels)
        records = None if batch.records is None else batch.records.take(kept)
        texts, locations = [batch.texts[k] for k in kept], [batch.locations[k] for k in kept]
        return Batch(texts, labels, locations, batch.split, records)

    def _note_reading(self, reading: FileReading) -> None:
        """Store how a file was read, once for all files that were read in the same way."""
        if all(replace(reading, file=other.file) != other for other in self.files):
            self.files.append(reading)

    def _read_documents(self, files: Iterable[CorpusFile], split: str) -> Iterator[Batch]:
        """Yield batches of files that are one document each."""
        texts: list[str] = []
        labels: list[str] = []
        locations: list[Location] = []
        n_characters = 0
        for file in files:
            with file.source.open(self.options) as stream:
                check_is_text(stream)
                try:
                    texts.append(decode_document(stream.as_text().read_all(), stream, self.options))
                except UndecodableError as error:
                    self.report(error)
                    continue
            labels.extend([] if file.label is None else [file.label])
            locations.append(Location(stream.name))
            n_characters += len(texts[-1])
            if len(texts) == MAX_BATCH_FILES or n_characters > MAX_BATCH_CHARACTERS:
                yield self._document_batch(texts, labels, locations, split)
                texts, labels, locations, n_characters = [], [], [], 0
        yield self._document_batch(texts, labels, locations, split)

    def _document_batch(self, texts: list[str], labels: list[str], locations: list[Location], split: str) -> Batch:
        fields = {"file": [location.file for location in locations], "label": labels, "text": texts}
        if not labels:  # a folder of documents without classes
            del fields["label"]
        records = keep_fields(fields, self.options, locations[0]) if locations else None
        return Batch(texts, labels if self.options.labelled is not False else [], locations, split, records)

    def _read_rows(self, files: Iterable[CorpusFile], split: str) -> Iterator[Batch]:
        """Yield batches of files that hold one document per row."""
        options = self.options
        for file in files:
            with file.source.open(options) as stream:
                head = stream.data.head()
                found = False
                detected, parsed = self._parse(stream, file.label)
                reading = FileReading(stream.name, detected.format, detected.by_content, None, detected.has_tabs)
                is_noted = False
                for rows in parsed:
                    if not is_noted:
                        is_noted = True
                        self._note_reading(replace(reading, choice=rows.choice))
                    found = found or bool(rows.texts)
                    labels = rows.labels if options.labelled is not False else []
                    if options.separator is not None and detected.format not in ("files", "fasttext"):
                        labels = [options.split_labels(each) if isinstance(each, str) else each for each in labels]
                    elif any(isinstance(each, tuple) for each in labels):
                        labels = as_sets(labels)
                    yield Batch(rows.texts, labels, Locations(stream.name, rows), split, rows.records)
            # Nothing in, nothing out: for texts without labels that is no error.
            if not found and options.labelled is not False and options.format != "text":
                raise _no_documents(head, Location(stream.name))

    def _parse(self, stream: Stream, label: str | None) -> tuple[Detected, Iterator[ParsedRows]]:
        """Parse the rows of a file: all of one class if ``label`` is given, else in the file's format."""
        options = self.options
        if label is not None:
            with deferred_interrupts():
                from textperceptron.corpus.formats.plain import read_class

            return Detected("files", options.format is None), read_class(stream, label, options, self.report)
        detected = detect_format(stream, options)
        if options.labelled and detected.format == "text" and stream.data.head():
            first = stream.text_head().partition("\n")[0]
            raise missing_labels(Location(stream.name), f"its first line is {excerpt(first)}")
        return detected, reader_of(detected.format)(stream, options, self.report)

    def _check_labels(self, batch: Batch) -> None:
        """Raise if only some of the files have labels."""
        here = (batch.locations[0].file, bool(batch.labels))
        first = self._first = self._first or here
        if first[1] != here[1]:
            with_labels, without = (first[0], here[0]) if first[1] else (here[0], first[0])
            raise CorpusError(
                f"its documents have no labels, but those of {with_labels} do", Location(without),
                "Read the files separately, or name the format of both (--format).",
            )  # fmt: skip


def _no_documents(head: bytes, location: Location) -> CorpusError:
    if b"\r" in head and b"\n" not in head:
        remedy = "Write line ends as \\n: tr '\\r' '\\n' < FILE."
        return CorpusError("the file is one line, which contains carriage returns (\\r)", location, remedy)
    return CorpusError(
        f"the file {'contains no documents' if head else 'is empty'}", location, "Name a file with documents."
    )


class Locations(Sequence[Location]):
    """The locations of rows of one file, built on access."""

    def __init__(self, file: str, rows: ParsedRows) -> None:
        self._file, self._rows = file, rows

    def __len__(self) -> int:
        return len(self._rows.numbers)

    @overload
    def __getitem__(self, index: int) -> Location: ...
    @overload
    def __getitem__(self, index: slice) -> list[Location]: ...
    def __getitem__(self, index: int | slice) -> Location | list[Location]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        return Location(self._file, self._rows.numbers[index], self._rows.unit)
