"""What training leaves: weights, or votes, that rows are scored with. Arrays in, scores out.

Each kind of model is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.learn.models.base import Model
    from textperceptron.learn.models.binary import BinaryModel
    from textperceptron.learn.models.classes import ClassModel
    from textperceptron.learn.models.pairs import PairsModel
    from textperceptron.learn.models.votes import VotesModel

__all__ = ["BinaryModel", "ClassModel", "Model", "PairsModel", "VotesModel"]

__getattr__ = attach(
    __name__,
    {
        "base": ("Model",),
        "binary": ("BinaryModel",),
        "classes": ("ClassModel",),
        "pairs": ("PairsModel",),
        "votes": ("VotesModel",),
    },
)
