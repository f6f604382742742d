"""``textperceptron train --learning-curve``: accuracy against the number of training texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textperceptron._format import percent
from textperceptron.cli.console import Span, align_columns
from textperceptron.cli.corpus_split import select_split
from textperceptron.cli.evaluation import DEFAULT_HOLDOUT
from textperceptron.corpus import Corpus
from textperceptron.report import CurvePoint, hold_out, learning_curve
from textperceptron.settings import Settings


@dataclass(frozen=True)
class MeasuredCurve:
    """A learning curve, and the texts that it was measured on."""

    points: Sequence[CurvePoint]
    measured_on: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"measured_on": self.measured_on, "points": [point.as_dict() for point in self.points]}

    def lines(self) -> list[list[Span]]:
        """Return a table."""
        rows: list[list[Span]] = [[(head, "bold") for head in ("texts", "accuracy", "95 % interval")]]
        for point in self.points:
            low, high = point.accuracy.interval
            rows.append([f"{point.n_texts:,}", f"{percent(point.accuracy.value)} %", f"{percent(low)}–{percent(high)}"])
        return [[], [f"accuracy by number of training texts; {self.measured_on}"], *align_columns(rows, left=0), []]


class LearningCurve:
    """Measures a learning curve on the test corpus, the test split, or held-out texts.

    Raises
    ------
    ValueError
        If there is no test split, and too few texts to hold some out.
    """

    def __init__(
        self, corpus: Corpus, other: Corpus | None, holdout: float | None, settings: Settings, n_jobs: int
    ) -> None:
        train, self.settings, self.n_jobs = corpus.train, settings, n_jobs
        self.texts, self.labels = train.texts, train.labels
        if holdout is None and (other is not None or corpus.test is not None):
            tested, split = select_split(corpus if other is None else other)
            self.tested, self.tested_labels = tested.texts, tested.labels
            self.measured_on = split if other is None else f"{other.name}, {split}"
            return
        rest, held_out = hold_out(train.labels, DEFAULT_HOLDOUT if holdout is None else holdout, settings.learner.seed)
        self.texts, self.labels = [train.texts[k] for k in rest], [train.labels[k] for k in rest]
        self.tested, self.tested_labels = [train.texts[k] for k in held_out], [train.labels[k] for k in held_out]
        self.measured_on = "held-out texts"

    def measure(self) -> MeasuredCurve:
        """Train and evaluate a model for each number of texts."""
        points = learning_curve(
            self.texts, self.labels, self.tested, self.tested_labels, self.settings, n_jobs=self.n_jobs
        )
        return MeasuredCurve(points, self.measured_on)
