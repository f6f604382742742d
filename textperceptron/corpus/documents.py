"""Documents with labels, as a corpus or in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from textperceptron.corpus.errors import CorpusError, Location, SkippedRows, excerpt


@dataclass(frozen=True, slots=True)
class Documents:
    """Texts and their labels; ``labels`` is empty if the texts have none.

    Examples
    --------
    >>> len(Documents(["Lovely soup", "Cold soup"], ["pos", "neg"]))
    2
    """

    texts: list[str]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True)
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

    Examples
    --------
    >>> corpus = Corpus("soups", Documents(["Lovely soup", "Cold soup"], ["pos", "neg"]))
    >>> corpus.labels, corpus.test
    (['pos', 'neg'], None)
    """

    name: str
    train: Documents
    test: Documents | None = None
    skipped: SkippedRows = field(default_factory=SkippedRows, compare=False)

    @property
    def texts(self) -> list[str]:
        """The texts to train on."""
        return self.train.texts

    @property
    def labels(self) -> list[str]:
        """The labels to train on."""
        return self.train.labels

    def require_classes(self) -> None:
        """Raise CorpusError unless the training documents have labels of at least two classes.

        Examples
        --------
        >>> Corpus("soups.tsv", Documents(["Lovely soup", "Warm soup"], ["pos", "pos"])).require_classes()
        Traceback (most recent call last):
        ...
        textperceptron.corpus.errors.CorpusError: soups.tsv: all 2 documents have the label "pos". A classifier needs \
two classes: add documents of another.
        """
        found = set(self.labels)
        if not found:
            raise missing_labels(Location(self.name))
        if len(found) == 1:
            raise CorpusError(
                f"all {len(self.train)} documents have the label {excerpt(self.labels[0])}", Location(self.name),
                "A classifier needs two classes: add documents of another.",
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a corpus that is read as a stream.

    Attributes
    ----------
    texts, labels : list of str
        As in :class:`Documents`.
    locations : sequence of Location
        File and line of each document.
    split : str
        ``"train"`` or ``"test"``.
    """

    texts: list[str]
    labels: list[str]
    locations: Sequence[Location]
    split: str = "train"

    def __len__(self) -> int:
        return len(self.texts)


def missing_labels(location: Location, seen: str = "") -> CorpusError:
    """Build the error for documents that should have labels."""
    return CorpusError(
        "the documents have no labels" + (f": {seen}" if seen else ""), location,
        "Name the format (--format tsv, csv, jsonl or fasttext) or the column (--label-column); "
        "or give a folder with one folder or file per class.",
    )  # fmt: skip
