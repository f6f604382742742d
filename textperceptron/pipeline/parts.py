"""What a text model is made of."""

from __future__ import annotations

from dataclasses import dataclass

from textperceptron.learn.calibration import Calibration
from textperceptron.learn.models import Model
from textperceptron.pipeline.features import Features
from textperceptron.pipeline.labels import Classes
from textperceptron.pipeline.outcome import Training
from textperceptron.pipeline.summary import Summary
from textperceptron.recipes import Settings


@dataclass(frozen=True)
class Parts:
    """Settings, classes, the text part, the weights, and how they came about.

    Attributes
    ----------
    calibration : Platt, Temperature or None
        How scores become probabilities.
    training : Training or None
        What training on needs.
    half_exponent : int or None
        A power of two, if the weights are kept as float16.
    """

    settings: Settings
    classes: Classes
    features: Features
    model: Model
    summary: Summary
    calibration: Calibration | None = None
    training: Training | None = None
    half_exponent: int | None = None
