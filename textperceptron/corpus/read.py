"""A path, several, a glob or standard input → a corpus, or a stream of batches."""

from __future__ import annotations

import sys

from textperceptron._memory import check_memory
from textperceptron.corpus.batches import Batches
from textperceptron.corpus.documents import Corpus, Documents
from textperceptron.corpus.errors import CorpusError, Place
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.sources import Source, settled, source_name

STEP = 1 << 28  # bytes of texts after which free memory is looked at


def read_corpus(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 - the option's name on the command line
    encoding: str = "utf-8",
    errors: str = "strict",
    text_column: str | int | None = None,
    label_column: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    labelled: bool | None = None,
    on_bad: str = "raise",
) -> Corpus:
    r"""Read labelled or unlabelled documents from files, folders, archives or standard input.

    :func:`~textperceptron.corpus.iter_corpus` gives the same as a stream.

    Parameters
    ----------
    source : path, list of paths, or binary stream
        A file, a folder, a zip or tar archive, a pattern such as ``"data/*.tsv"``, ``"-"`` for standard input, or
        several of them. Files may be compressed by gzip, bzip2, xz or Zstandard.
    format : str, optional
        ``"tsv"``, ``"csv"``, ``"jsonl"``, ``"fasttext"``, ``"text"``, ``"parquet"``, or for a folder or archive
        ``"folders"`` (one for each class) or ``"files"`` (one for each class, a document a line). It is found out from
        names and first lines if it is not given.
    encoding : str, default="utf-8"
        How characters are written.
    errors : str, default="strict"
        What becomes of bytes that are no text: ``"strict"`` makes them an error, ``"replace"`` puts U+FFFD in their
        place; Python's other names are taken too.
    text_column : str or int, optional
        Name or number (from 1) of the column that holds the text, in TSV, CSV, JSON lines and Parquet.
    label_column : str or int, optional
        Name or number (from 1) of the column that holds the label.
    header : bool, optional
        Whether the first row of a TSV or CSV file names its columns. Without it, a row that names a text and a label is
        taken for a header.
    delimiter : str, optional
        What separates the fields of CSV; found out among comma, semicolon, tab and bar if it is not given.
    labelled : bool, optional
        True if documents without labels are an error, False if labels are to be left out.
    on_bad : {"raise", "skip"}, default="raise"
        Whether a row that cannot be read is an error or is left out and counted in ``skipped``.

    Returns
    -------
    Corpus
        With ``train`` and ``test`` if a folder or archive has such parts, else with everything in ``train``. Labels are
        strings; there are none if the documents have none.

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
    source = settled(source)
    batches = iter_corpus(
        source, format=format, encoding=encoding, errors=errors, text_column=text_column, label_column=label_column,
        header=header, delimiter=delimiter, labelled=labelled, on_bad=on_bad,
    )  # fmt: skip
    parts: dict[str, Documents] = {}
    held, checked = 0, 0
    for batch in batches:
        held += sum(map(sys.getsizeof, batch.texts))
        if held - checked > STEP:
            what = f"{source_name(source)}: {held / 1e9:.1f} GB of texts are read, and the next"
            check_memory(STEP, None, what, "Read fewer texts, or use a machine with more memory.")
            checked = held
        documents = parts.setdefault(batch.part, Documents([], []))
        documents.texts.extend(batch.texts)
        documents.labels.extend(batch.labels)
    if not parts:
        raise CorpusError("there are no documents in it", Place(source_name(source)))
    train = parts.pop("train", None) or parts.pop("test")  # a test part alone is no split
    return Corpus(source_name(source), train, parts.get("test"), batches.skipped)


def iter_corpus(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    encoding: str = "utf-8",
    errors: str = "strict",
    text_column: str | int | None = None,
    label_column: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    labelled: bool | None = None,
    on_bad: str = "raise",
) -> Batches:
    r"""Read documents as a stream, in memory that does not grow with the corpus.

    Takes the arguments of :func:`read_corpus`. Batches have different lengths, and follow a slow writer: what has come
    is handed on. Nothing is read twice, so that pipes can be read.

    Returns
    -------
    Batches
        An iterator over :class:`Batch`, whose ``skipped`` counts the rows left out so far.

    Examples
    --------
    >>> import io
    >>> for batch in iter_corpus(io.BytesIO(b"pos\tLovely soup\nneg\tCold soup\n")):
    ...     for text, label, place in zip(batch.texts, batch.labels, batch.places):
    ...         print(place.line, label, text)
    1 pos Lovely soup
    2 neg Cold soup
    """
    options = ReadOptions(
        format, encoding, errors, text_column, label_column, header, delimiter, labelled, on_bad
    )  # fmt: skip
    return Batches(source, options)
