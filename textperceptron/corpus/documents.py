"""Documents with labels, as a corpus or in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from textperceptron.corpus.errors import CorpusError, Location, SkippedRows, excerpt
from textperceptron.settings.corpus_columns import Column, CorpusColumns

_SHOWN = 6  # classes in a summary


@dataclass(frozen=True, slots=True, repr=False)
class Documents:
    """Texts and their labels; ``labels`` is empty if the texts have none.

    Labels are str; or tuples of str, perhaps empty, if a text may have several. ``weights`` is empty unless a column of
    the corpus has them.

    Examples
    --------
    >>> documents = Documents(["Lovely soup", "Cold soup", "Warm soup"], ["pos", "neg", "pos"])
    >>> documents, len(documents)
    (<Documents: 3 texts ("neg": 1, "pos": 2)>, 3)
    """

    texts: list[str]
    labels: list[Any]
    weights: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def multilabel(self) -> bool:
        """Whether a text may have several labels."""
        return bool(self.labels) and isinstance(self.labels[0], tuple)

    def count_labels(self) -> Counter[str]:
        """Return the number of texts per label."""
        return Counter(label for labels in self.labels for label in labels) if self.multilabel else Counter(self.labels)

    def __repr__(self) -> str:
        return f"<Documents: {self._summary()}>"

    def _summary(self) -> str:
        counts = sorted(self.count_labels().items())
        classes = ", ".join(f"{excerpt(label)}: {n}" for label, n in counts[:_SHOWN])
        more = f", … {len(counts)} classes" if len(counts) > _SHOWN else ""
        return f"{len(self)} {'text' if len(self) == 1 else 'texts'} ({classes or 'no labels'}{more})"


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that a file was read from, and others that would have fitted as well.

    Attributes
    ----------
    text : tuple of str or int
        Names of the text's columns; numbers from 1 in a file without a header.
    label : str, int or None
        Name or number of the label's column.
    other_texts, other_labels : tuple of str
        Columns that have a common name for a text or a label, too.
    names : tuple of str
        Names for all columns, each once.
    has_header : bool
        Whether the file names its columns.
    is_default : bool
        Whether neither the file nor the caller named a column, so that there is nothing to remember.
    sheet : str or None
        The sheet, if a workbook has several.
    delimiter : str or None
        The field separator of CSV.
    has_mark : bool
        Whether a program like Excel wrote the file, which expects a byte order mark in CSV.
    """

    text: tuple[Column, ...]
    label: Column | None
    other_texts: tuple[str, ...] = ()
    other_labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    has_header: bool = True
    is_default: bool = False
    sheet: str | None = None
    delimiter: str | None = None
    has_mark: bool = False


@dataclass(frozen=True, slots=True)
class FileReading:
    """How a file was read.

    Attributes
    ----------
    file : str
        The first file that was read in this way.
    format : str
        Its format.
    by_content : bool
        Whether its first lines decided about the format, not its name or the caller.
    choice : ColumnChoice or None
        Its columns; None in a format without columns.
    has_tabs : bool
        Whether most lines of a plain text contain a tab, but none begins with a label of the model.
    """

    file: str
    format: str
    by_content: bool = False
    choice: ColumnChoice | None = None
    has_tabs: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """The kept columns of some rows.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    rows : list of mappings
        One per document, from name to value: texts in CSV, TSV and Excel, other types in JSON lines and Parquet. A row
        of JSON lines may lack a name, and may have others.
    schema : pyarrow.Schema or None
        The types of the columns in Parquet.
    """

    names: tuple[str, ...]
    rows: list[Mapping[str, Any]]
    schema: Any = None

    def take(self, indices: Sequence[int]) -> Records:
        """Return some of the rows."""
        return Records(self.names, [self.rows[k] for k in indices], self.schema)


@dataclass(frozen=True, slots=True, repr=False)
class Corpus:
    """Documents to train on and, if the corpus has a fixed split, documents to test on.

    Attributes
    ----------
    name : str
        Its name or path.
    train : Documents
        The training split, or all documents if there is no split.
    test : Documents or None
        The test split, None if the corpus has no split.
    skipped : SkippedRows
        The rows that ``on_bad="skip"`` left out.
    columns : CorpusColumns or None
        The columns that texts and labels come from, and merged labels; None if the files have no named columns.
        ``model.corpus_columns = corpus.columns`` makes a model remember them.
    files : tuple of FileReading
        How files were read: format and columns, each way once.

    Examples
    --------
    >>> corpus = Corpus("soups", Documents(["Lovely soup", "Cold soup"], ["pos", "neg"]))
    >>> corpus.labels, corpus.test
    (['pos', 'neg'], None)
    >>> corpus
    <Corpus 'soups': 2 texts ("neg": 1, "pos": 1)>
    """

    name: str
    train: Documents
    test: Documents | None = None
    skipped: SkippedRows = field(default_factory=SkippedRows, compare=False)
    columns: CorpusColumns | None = None
    files: tuple[FileReading, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        test = "" if self.test is None else f", {len(self.test)} test texts"
        return f"<Corpus {self.name!r}: {self.train._summary()}{test}>"

    @property
    def texts(self) -> list[str]:
        """The texts to train on."""
        return self.train.texts

    @property
    def labels(self) -> list[Any]:
        """The labels to train on: str, or tuples of them if a text may have several."""
        return self.train.labels

    def require_classes(self) -> None:
        """Raise CorpusError unless the training documents have labels of at least two classes, or different labels.

        Examples
        --------
        >>> Corpus("soups.tsv", Documents(["Lovely soup", "Warm soup"], ["pos", "pos"])).require_classes()
        Traceback (most recent call last):
        ...
        textperceptron.corpus.errors.CorpusError: soups.tsv: all 2 documents have the label "pos". A classifier needs \
two classes: add documents of another.
        """
        found = {frozenset(labels) for labels in self.labels} if self.train.multilabel else set(self.labels)
        if not found or found == {frozenset()}:
            raise missing_labels(Location(self.name))
        if len(found) == 1 and self.train.multilabel:
            raise CorpusError(
                f"all {len(self.train)} documents have the labels {', '.join(map(excerpt, self.labels[0]))}",
                Location(self.name), "A classifier needs documents with different labels.",
            )  # fmt: skip
        if len(found) == 1:
            raise CorpusError(
                f"all {len(self.train)} documents have the label {excerpt(self.labels[0])}", Location(self.name),
                "A classifier needs two classes: add documents of another.",
            )  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Batch:
    """Some documents of a corpus that is read as a stream.

    Attributes
    ----------
    texts, labels : lists
        As in :class:`Documents`; labels of fastText lines are tuples if one of the batch has several.
    locations : sequence of Location
        File and line of each document.
    split : str
        ``"train"`` or ``"test"``.
    records : Records or None
        The kept columns of the rows, with ``keep_columns``.
    """

    texts: list[str]
    labels: list[Any]
    locations: Sequence[Location]
    split: str = "train"
    records: Records | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} texts of the {self.split} split>"


def as_sets(labels: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return labels as tuples, of one if a label is a str."""
    return [(label,) if isinstance(label, str) else label for label in labels]


def missing_labels(location: Location, seen: str = "") -> CorpusError:
    """Build the error for documents that should have labels."""
    return CorpusError(
        "the documents have no labels" + (f": {seen}" if seen else ""), location,
        "Name the format (--format tsv, csv, jsonl, fasttext or vw) or the column (--label-column); "
        "or give a folder with one folder or file per class.",
    )  # fmt: skip
