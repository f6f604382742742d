"""Finished models, which score rows: one module per kind, imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.learn.models.base import Model
    from textperceptron.learn.models.binary import BinaryModel
    from textperceptron.learn.models.multiclass import MulticlassModel
    from textperceptron.learn.models.one_vs_one import OneVsOneModel
    from textperceptron.learn.models.voted import VotedModel

__all__ = ["BinaryModel", "Model", "MulticlassModel", "OneVsOneModel", "VotedModel"]

__getattr__ = attach(
    __name__,
    {
        "base": ("Model",),
        "binary": ("BinaryModel",),
        "multiclass": ("MulticlassModel",),
        "one_vs_one": ("OneVsOneModel",),
        "voted": ("VotedModel",),
    },
)
