"""Predictions as lines of text or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.escaping import escaped_field, escaped_lines, json_line, label_text
from textperceptron.cli.output import open_results
from textperceptron.corpus.sources import source_name

if TYPE_CHECKING:
    from textperceptron.corpus import Batch, Location
    from textperceptron.model import TextModel
    from textperceptron.model.classes import Label

TABLE_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def table_format(path: str) -> str | None:
    """Return the format of an output that is a table, by its suffix; None for lines of labels.

    Raises
    ------
    ValueError
        If the suffix promises what is not written: a compressed file, or an Excel workbook.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix in (".gz", ".bz2", ".xz", ".zst", ".zip"):
        raise ValueError(f"--output {path}: the output is not compressed. Name it without {suffix}, then compress it.")
    if suffix in (".xlsx", ".xlsm", ".xls", ".ods"):
        raise ValueError(f"--output {path}: Excel workbooks are not written. Use .csv, which Excel opens.")
    return TABLE_FORMATS.get(suffix)


class PredictionFormatter:
    """Formats the best labels of texts, with scores or probabilities on request.

    ``source`` is the input, whose name JSON omits.

    Raises
    ------
    ValueError
        If the options exclude each other, or the model has no probabilities.
    """

    def __init__(
        self, model: TextModel, *, scores: bool = False, probabilities: bool = False, top: int | None = None,
        json: bool = False, source: str = "-", separator: str | None = None,
    ) -> None:  # fmt: skip
        if scores and probabilities:
            raise ValueError("use --scores or --probabilities, not both.")
        if top is not None and top < 1:
            raise ValueError(f"--top {top} would print nothing: use 1 or more.")
        if probabilities and model.parts.calibration is None:
            raise ValueError("the model has no probabilities. Use --scores, or train it with --calibrate.")
        if separator is not None and not model.multilabel:
            raise ValueError(f"--label-separator {separator!r}: the model gives a text one label. Leave it out.")
        if model.multilabel:
            with deferred_interrupts():
                from textperceptron.cli.label_sets import joined_labels, separator_of

            self.join: Callable[[Sequence[Any]], str] = partial(joined_labels, separator=separator_of(model, separator))
        self.model = model
        self._source = source_name(source)
        self._kind = "scores" if scores else "probabilities" if probabilities else None
        self._top, self._json = top, json

    def format(self, batch: Batch, n_jobs: int = 1) -> str:
        """Return one line per text of a batch."""
        lines = self._objects(batch, n_jobs) if self._json else self._columns(batch.texts, n_jobs)
        return "".join(line + "\n" for line in lines)

    @contextmanager
    def open(self, path: str) -> Iterator[Callable[[Any], None]]:
        """Open a file or standard output; yield the function that writes formatted lines to it."""
        with open_results(path) as stream:
            as_shown = escaped_lines if stream.isatty() else str

            def write(lines: str) -> None:
                stream.write(as_shown(lines))
                stream.flush()

            yield write

    def _columns(self, texts: list[str], n_jobs: int) -> list[str]:
        names = [escaped_field(label_text(label)) for label in self.model.classes]
        if self.model.multilabel and self._top is None:
            if self._kind is None:
                return [escaped_field(self.join(labels)) for labels in self.model.predict(texts, n_jobs)]
            return [
                "\t".join(f"{names[k]}\t{value:.6g}" for k, value in row) for row in self._valued_sets(texts, n_jobs)
            ]
        if self._kind is None and self._top is None:
            name_of = dict(zip(self.model.classes, names, strict=True))
            return [name_of[label] for label in self.model.predict(texts, n_jobs)]
        values, best_classes = self._values(texts, n_jobs, self._top or 1)
        lines = []
        for row, best in zip(values, best_classes, strict=True):
            cells = ([names[k], f"{row[k]:.6g}"] if self._kind else [names[k]] for k in best)
            lines.append("\t".join(cell for pair in cells for cell in pair))
        return lines

    def _objects(self, batch: Batch, n_jobs: int) -> list[str]:
        names = [label_text(label) for label in self.model.classes]
        records = [self._place(location) for location in batch.locations]
        if self._kind is None and self._top is None:
            for record, label in zip(records, self.model.predict(batch.texts, n_jobs), strict=True):
                record["labels" if self.model.multilabel else "label"] = label
        else:
            values, best_classes = self._values(batch.texts, n_jobs, self._top or len(names))
            sets = self.model.predict(batch.texts, n_jobs) if self.model.multilabel else []
            for k, (record, row, best) in enumerate(zip(records, values, best_classes, strict=True)):
                if self.model.multilabel:
                    record["labels"] = sets[k]
                    record[self._kind or "top"] = (
                        {names[k]: row[k] for k in best} if self._kind else [self.model.classes[k] for k in best]
                    )
                    continue
                record["label"] = self.model.classes[best[0]]
                if self._kind is None:
                    record["labels"] = [self.model.classes[k] for k in best]
                else:
                    record[self._kind] = {names[k]: row[k] for k in best}
        return [json_line(record) for record in records]

    def _place(self, location: Location) -> dict[str, Any]:
        """Return the line of a document, and its file if the input has several."""
        file = {} if location.file == self._source else {"file": location.file}
        return file if file and location.line is None else {**file, location.unit: location.line}

    def _valued_sets(self, texts: list[str], n_jobs: int) -> list[list[tuple[int, float]]]:
        """Return the codes of each text's labels with the values to print."""
        use_probability = self._kind == "probabilities"
        found = self._label_sets(texts, n_jobs)
        return [
            [(k, score if probability is None or not use_probability else probability) for k, score, probability in row]
            for row in found
        ]

    def _label_sets(self, texts: list[str], n_jobs: int) -> list[list[tuple[int, float, float | None]]]:
        """Return the codes of each text's labels with score and probability, highest score first."""
        scores, _, order = self._ranked(texts, n_jobs, len(self.model.classes))
        calibration = self.model.parts.calibration
        chosen = scores if calibration is None else calibration.probabilities(scores)
        has_probability = calibration is not None
        return [
            [(k, float(row[k]), float(values[k]) if has_probability else None) for k in best.tolist() if row[k] > 0]
            for row, values, best in zip(scores, chosen, order, strict=True)
        ]

    def best_sets(self, texts: list[str], n_jobs: int) -> list[list[list[Any]]]:
        """Return the labels of each text, highest score first, their scores, and their probabilities if it has them."""
        n_kinds = 2 if self.model.parts.calibration is None else 3
        found = []
        for row in self._label_sets(texts, n_jobs):
            named = [(self.model.classes[k], score, probability) for k, score, probability in row]
            found.append([[each[kind] for each in named] for kind in range(n_kinds)])
        return found

    def best(self, texts: list[str], n_jobs: int) -> list[tuple[Label, float, float | None]]:
        """Return the label of each text, its score, and its probability if the model has probabilities."""
        scores, per_class, order = self._ranked(texts, n_jobs, 1)
        rows, best = np.arange(len(order)), order[:, 0]
        calibration = self.model.parts.calibration
        chosen: list[float | None] = [None] * len(best)
        if calibration is not None:
            chosen = calibration.probabilities(scores)[rows, best].tolist()
        labels = [self.model.classes[k] for k in best]
        return list(zip(labels, per_class[rows, best].tolist(), chosen, strict=True))

    def _values(self, texts: list[str], n_jobs: int, top: int) -> tuple[list[list[float]], list[list[int]]]:
        """Return one value per class for each text, and the best classes."""
        scores, per_class, order = self._ranked(texts, n_jobs, top)
        calibration = self.model.parts.calibration
        if self._kind == "probabilities" and calibration is not None:
            per_class = calibration.probabilities(scores)
        return per_class.tolist(), order.tolist()

    def _ranked(
        self, texts: list[str], n_jobs: int, top: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.intp]]:
        """Return the scores, one score per class for each text, and the best classes by score; ties keep their order.

        The order is that of the scores, as in ``predict``: the calibrated probability of the predicted class can be
        below one half. With two classes, the score of the first is the negative of the second's.
        """
        scores = self.model.scores(texts, n_jobs) + 0.0  # without -0.0
        per_class = np.column_stack([0.0 - scores, scores]) if scores.ndim == 1 else scores
        return scores, per_class, np.argsort(-per_class, axis=1, kind="stable")[:, :top]
