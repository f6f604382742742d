"""What training asks of whoever keeps its progress; this one keeps nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textperceptron.learn import RunProgress, State

if TYPE_CHECKING:
    from textperceptron.learn.one_vs_one import BinaryPairModel


class Keeper:
    """Keeps nothing. A checkpoint overrides all of it.

    Training is either one long problem, whose state and course are kept in the middle, or many short ones, of which
    the finished ones are kept.
    """

    keeps: ClassVar[bool] = False

    def restore(self, state: State, course: RunProgress) -> None:
        """Bring a state and a course, both as they are at the start, to where they were when they were kept."""

    def keep(self, state: State, course: RunProgress, *, at_once: bool = False) -> None:
        """Keep a problem under way, if it is time to, or in any case ``at_once``."""

    def finished(self) -> list[BinaryPairModel]:
        """Return the problems that were finished when they were kept."""
        return []

    def keep_finished(self, problems: Sequence[BinaryPairModel], *, at_once: bool = False) -> None:
        """Keep finished problems, if it is time to, or in any case ``at_once``."""
