"""Predictions as lines of text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from textperceptron.cli.escaping import escaped_field, json_line, label_text

if TYPE_CHECKING:
    from textperceptron.corpus import Batch
    from textperceptron.model import TextModel


class PredictionFormatter:
    """Formats the best labels of texts, with scores or probabilities on request.

    Raises
    ------
    ValueError
        If the options exclude each other, or the model has no probabilities.
    """

    def __init__(
        self, model: TextModel, *, scores: bool = False, probabilities: bool = False, top: int | None = None,
        json: bool = False,
    ) -> None:  # fmt: skip
        if scores and probabilities:
            raise ValueError("use --scores or --probabilities, not both.")
        if top is not None and top < 1:
            raise ValueError(f"--top {top} would print nothing: use 1 or more.")
        if probabilities and model.parts.calibration is None:
            raise ValueError("the model has no probabilities. Use --scores, or train it with --calibrate.")
        self._model = model
        self._kind = "scores" if scores else "probabilities" if probabilities else None
        self._top, self._json = top, json

    def format(self, batch: Batch, n_jobs: int = 1) -> str:
        """Return one line per text of a batch."""
        lines = self._objects(batch, n_jobs) if self._json else self._columns(batch.texts, n_jobs)
        return "".join(line + "\n" for line in lines)

    def _columns(self, texts: list[str], n_jobs: int) -> list[str]:
        names = [escaped_field(label_text(label)) for label in self._model.classes]
        if self._kind is None and self._top is None:
            name_of = dict(zip(self._model.classes, names, strict=True))
            return [name_of[label] for label in self._model.predict(texts, n_jobs)]
        values, best_classes = self._values(texts, n_jobs, self._top or 1)
        lines = []
        for row, best in zip(values, best_classes, strict=True):
            cells = ([names[k], f"{row[k]:.6g}"] if self._kind else [names[k]] for k in best)
            lines.append("\t".join(cell for pair in cells for cell in pair))
        return lines

    def _objects(self, batch: Batch, n_jobs: int) -> list[str]:
        names = [label_text(label) for label in self._model.classes]
        records: list[dict[str, Any]] = [{"line": location.line} for location in batch.locations]
        if self._kind is None and self._top is None:
            for record, label in zip(records, self._model.predict(batch.texts, n_jobs), strict=True):
                record["label"] = label
        else:
            values, best_classes = self._values(batch.texts, n_jobs, self._top or len(names))
            for record, row, best in zip(records, values, best_classes, strict=True):
                record["label"] = self._model.classes[best[0]]
                if self._kind is None:
                    record["labels"] = [self._model.classes[k] for k in best]
                else:
                    record[self._kind] = {names[k]: row[k] for k in best}
        return [json_line(record) for record in records]

    def _values(self, texts: list[str], n_jobs: int, top: int) -> tuple[list[list[float]], list[list[int]]]:
        """Return one value per class for each text, and the best classes by score; ties keep their order.

        The order is that of the scores, as in ``predict``: the calibrated probability of the predicted class can be
        below one half. With two classes, the score of the first is the negative of the second's.
        """
        scores = self._model.scores(texts, n_jobs)
        per_class = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        order = np.argsort(-per_class, axis=1, kind="stable")[:, :top]
        calibration = self._model.parts.calibration
        if self._kind == "probabilities" and calibration is not None:
            per_class = calibration.probabilities(scores)
        return per_class.tolist(), order.tolist()
