"""AROW: adaptive regularisation of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import positive
from textperceptron.learn.rules.base import MulticlassRule, native_arguments, one_vs_all_arguments
from textperceptron.learn.state import Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable, ClassTable
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState


def _check_r(name: str, value: Any) -> None:
    if value != "auto":
        positive(name, value)


def _parse_r(text: str) -> float | str:
    return text if text == "auto" else float(text)


@register_learner("arow", rank=1)
@dataclass(frozen=True, slots=True, kw_only=True)
class ArowRule(MulticlassRule):
    """A step size per column: its variance, which shrinks with every update."""

    r: float | Literal["auto"] = setting(
        1.0, "regularisation; larger values give smaller steps.",
        details='``"auto"`` is 0.7 for two classes, 2 for more.', syntax="With auto, 0.7 for two classes, 2 for more.",
        group=LEARNER, flags=("--r",), check=_check_r, parse=_parse_r, metavar="FLOAT",
        tune=(1.0, 0.7, 2.0, 0.5, 10.0, 0.1), rank=7,
    )  # fmt: skip

    def describe(self, name: str) -> list[str]:
        """Return the phrases that describe the learner."""
        return [f"AROW, r = {self.r if isinstance(self.r, str) else format(self.r, 'g')}"]

    @property
    def _r(self) -> float:
        assert not isinstance(self.r, str), "resolve_auto was not called"
        return self.r

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return variances of 1, or the squares of the column weights."""
        return squared_column_weight.astype(dtype) if len(squared_column_weight) else np.ones(n, dtype)

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``."""
        _kernels.arow_slice(
            *data.arrays, order,
            state.weights, state.accumulator, state.counts, state.loss,
            self._r, self.pad,
        )  # fmt: skip

    def step_classes(self, data: TrainingData, order: npt.NDArray[np.int64], state: State, table: ClassTable) -> None:
        """Train all classes natively on the rows of ``order``."""
        _kernels.arow_classes_slice(
            *data.arrays, order,
            state.weights, state.accumulator, state.counts, state.loss,
            self._r, self.pad,
            *native_arguments(data, table),
        )  # fmt: skip

    def step_one_vs_all(
        self, data: TrainingData, order: npt.NDArray[np.int64], state: OneVsAllState, table: BlockedTable
    ) -> None:
        """Train each class against all others on the rows of ``order``."""
        _kernels.arow_one_vs_all_slice(
            *data.arrays_with_sets, order,
            state.weights, state.accumulator, state.counts, state.loss,
            state.active, state.seen_of_class, state.updates_of_epoch, state.max_abs_weight,
            self._r, self.pad,
            *one_vs_all_arguments(data, state, table),
        )  # fmt: skip
