"""What an epoch leaves behind in a model: nothing that depends on the clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textperceptron.learn import EpochRecord


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the rows.

    Attributes
    ----------
    epoch : int
        Its number, from 1.
    rows : int
        Rows that it learnt from: not held out, and of a weight above 0.
    mistakes, updates : int
        Of one-vs-all, over all classes.
    online_loss : float or None
        Mean over the examples of the loss that the rule acts on, each taken before its own update; None for
        one-vs-all.
    validation_accuracy : float or None
        On the rows that ``early_stopping`` holds out.
    """

    epoch: int
    rows: int
    mistakes: int
    updates: int
    online_loss: float | None
    validation_accuracy: float | None

    @property
    def progressive_accuracy(self) -> float | None:
        """Share of the rows that were right when they came, before they were learnt from; None for one-vs-all.

        With a ``margin``, of those that were right by more than it.
        """
        return None if self.online_loss is None or not self.rows else 1 - self.mistakes / self.rows

    @classmethod
    def of(cls, record: EpochRecord, rows: int) -> Epoch:
        """Take over a record of the engine, without its seconds."""
        return cls(
            record["epoch"], rows, record["mistakes"], record["updates"],
            record["online_loss"], record["validation_accuracy"],
        )  # fmt: skip

    def record(self) -> EpochRecord:
        """Return what the engine had noted, but for the seconds."""
        return EpochRecord(
            epoch=self.epoch, mistakes=self.mistakes, updates=self.updates, online_loss=self.online_loss or 0.0,
            validation_accuracy=self.validation_accuracy, seconds=0.0,
        )  # fmt: skip


def of_groups(histories: Sequence[Sequence[EpochRecord]], rows: int) -> list[Epoch]:
    """Return the history of classes that were trained in groups: the same however they were divided.

    A group whose classes have all converged has no more epochs. Losses are left out: their sums depend on the division.
    """
    longest = max(histories, key=len)
    return [
        Epoch(
            record["epoch"], rows,
            sum(one[k]["mistakes"] for one in histories if k < len(one)),
            sum(one[k]["updates"] for one in histories if k < len(one)),
            None, None,
        )
        for k, record in enumerate(longest)
    ]  # fmt: skip
