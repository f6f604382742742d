"""The parts of a text model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textperceptron.learn import Rows
from textperceptron.learn.column_pairs import with_pairs
from textperceptron.learn.models.base import Model
from textperceptron.model.classes import Classes
from textperceptron.model.features import Features
from textperceptron.model.training_summary import Summary
from textperceptron.settings import Settings

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration
    from textperceptron.learn.fitted import Fitted


@dataclass(frozen=True, slots=True)
class ModelParts:
    """Settings, classes, features, weights, and how training went.

    Attributes
    ----------
    calibration : Platt, Temperature or None
        Converts scores to probabilities.
    fitted : Fitted or None
        The training state, which an update needs.
    half_exponent : int or None
        The power of two that scales the weights, if the file stores them as float16.
    """

    settings: Settings
    classes: Classes
    features: Features
    model: Model
    summary: Summary
    calibration: Calibration | None = None
    fitted: Fitted | None = None
    half_exponent: int | None = None

    def rows(self, texts: Iterable[Any], n_jobs: int | None = None) -> Rows:
        """Vectorise texts, with column pairs if the learner has ``pair_bits``."""
        return with_pairs(self.features.rows(texts, n_jobs), self.settings.learner.pair_bits)
