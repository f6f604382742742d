"""What a model says about texts, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from textperceptron.cli.escaping import escaped_field, json_line
from textperceptron.cli.labels import label_text

if TYPE_CHECKING:
    from textperceptron.corpus import Batch
    from textperceptron.model import TextModel


class Answers:
    """Texts → lines: the best labels, with scores or probabilities if they are asked for.

    Raises
    ------
    ValueError
        If more is asked for than there is.
    """

    def __init__(
        self, model: TextModel, *, scores: bool = False, probabilities: bool = False, top: int | None = None,
        json: bool = False,
    ) -> None:  # fmt: skip
        if scores and probabilities:
            raise ValueError("--scores and --probabilities: give one of them.")
        if top is not None and top < 1:
            raise ValueError(f"--top {top} would print nothing: use 1 or more.")
        if probabilities and model.parts.calibration is None:
            raise ValueError(
                "the model has scores, not probabilities. Use --scores, or train it with --calibrate, which holds out "
                "texts to learn probabilities from."
            )
        self._model = model
        self._kind = "scores" if scores else "probabilities" if probabilities else None
        self._top, self._json = top, json

    def to(self, batch: Batch, n_jobs: int = 1) -> str:
        """Return a line for each text of a batch."""
        lines = self._objects(batch, n_jobs) if self._json else self._columns(batch.texts, n_jobs)
        return "".join(line + "\n" for line in lines)

    def _columns(self, texts: list[str], n_jobs: int) -> list[str]:
        names = [escaped_field(label_text(label)) for label in self._model.classes]
        if self._kind is None and self._top is None:
            spelt = dict(zip(self._model.classes, names, strict=True))
            return [spelt[label] for label in self._model.predict(texts, n_jobs)]
        values, best_of = self._values(texts, n_jobs, self._top or 1)
        lines = []
        for row, best in zip(values, best_of, strict=True):
            cells = ([names[k], f"{row[k]:.6g}"] if self._kind else [names[k]] for k in best)
            lines.append("\t".join(cell for pair in cells for cell in pair))
        return lines

    def _objects(self, batch: Batch, n_jobs: int) -> list[str]:
        names = [label_text(label) for label in self._model.classes]
        answers: list[dict[str, Any]] = [{"line": place.line} for place in batch.places]
        if self._kind is None and self._top is None:
            for answer, label in zip(answers, self._model.predict(batch.texts, n_jobs), strict=True):
                answer["label"] = label
        else:
            values, best_of = self._values(batch.texts, n_jobs, self._top or len(names))
            for answer, row, best in zip(answers, values, best_of, strict=True):
                answer["label"] = self._model.classes[best[0]]
                if self._kind is None:
                    answer["labels"] = [self._model.classes[k] for k in best]
                else:
                    answer[self._kind] = {names[k]: row[k] for k in best}
        return [json_line(answer) for answer in answers]

    def _values(self, texts: list[str], n_jobs: int, top: int) -> tuple[list[list[float]], list[list[int]]]:
        """Return a number for each class, and the numbers of the best classes, the first of equals first.

        Scores decide which are the best, as they do in ``predict``: a calibrated probability of the predicted class can
        be below a half. Of two classes, the score of the first is the opposite of the second's.
        """
        scores = self._model.scores(texts, n_jobs)
        of_classes = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        order = np.argsort(-of_classes, axis=1, kind="stable")[:, :top]
        calibration = self._model.parts.calibration
        if self._kind == "probabilities" and calibration is not None:
            of_classes = calibration.probabilities(scores)
        return of_classes.tolist(), order.tolist()
