"""The objective of a search: accuracy or F1, from a confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from textperceptron.report import wilson_interval

MetricName = Literal["accuracy", "macro-f1", "micro-f1", "f1"]
Confusion = npt.NDArray[np.int64]

_BOOTSTRAP_SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Score:
    """A metric over held-out texts, with its 95 % confidence interval.

    The interval of an accuracy is Wilson's; that of an F1 is a bootstrap interval. If texts have several labels, ``n``
    is the number of labels that they have or got, which the bootstrap takes for independent.
    """

    value: float
    interval: tuple[float, float]
    n: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"value": self.value, "interval": list(self.interval), "n": self.n}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.value:.1f} %  (95 % interval {100 * low:.1f}–{100 * high:.1f}, {self.n} texts)"


@dataclass(frozen=True, slots=True)
class Metric:
    """A score of predictions, from 0 to 1.

    Attributes
    ----------
    name : {"accuracy", "macro-f1", "micro-f1", "f1"}
        Fraction of correct predictions; mean F1 of all classes; F1 of all classes together, which is the accuracy
        unless texts have several labels; F1 of one class.
    code : int or None
        Code of that class.
    multilabel : bool
        Whether texts have several labels: the last class of a confusion matrix is then none of them, see
        :meth:`textperceptron.model.cross_validation.CrossValidation.evaluate`.

    Examples
    --------
    >>> import numpy as np
    >>> confusion = np.array([[2, 0], [1, 1]])  # one text of class 1 was predicted as class 0
    >>> [round(float(Metric(*which).value(confusion)), 3) for which in (("accuracy",), ("macro-f1",), ("f1", 1))]
    [0.75, 0.733, 0.667]
    """

    name: MetricName = "accuracy"
    code: int | None = None
    multilabel: bool = False

    def __post_init__(self) -> None:
        if self.name not in get_args(MetricName):
            raise ValueError(f"metric={self.name!r}: use {', '.join(map(repr, get_args(MetricName)))}.")
        if self.multilabel and self.name == "accuracy":
            raise ValueError("metric='accuracy' is for one label per text: use 'micro-f1' or 'macro-f1'.")
        if (self.name == "f1") != (self.code is not None):
            raise ValueError(
                "metric='f1' is the F1 of one label: name it with label=."
                if self.name == "f1"
                else f"label= is for metric='f1', but the metric is {self.name!r}: leave one of them out."
            )

    def value(self, confusion: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the metric of one or more confusion matrices, whose last two axes are true and predicted class."""
        hits = np.diagonal(confusion, axis1=-2, axis2=-1)
        if self.name == "accuracy":
            accuracy: npt.NDArray[np.float64] = hits.sum(-1) / confusion.sum((-2, -1))
            return accuracy
        total = confusion.sum(-1) + confusion.sum(-2)
        if self.multilabel:
            hits, total = hits[..., :-1], total[..., :-1]
        if self.name == "micro-f1":
            micro: npt.NDArray[np.float64] = 2.0 * hits.sum(-1) / np.maximum(total.sum(-1), 1)
            return micro
        f1 = np.divide(2.0 * hits, total, out=np.zeros(hits.shape), where=total > 0)
        found: npt.NDArray[np.float64] = f1.mean(-1) if self.code is None else f1[..., self.code]
        return found

    def score(self, confusion: Confusion) -> Score:
        """Return the metric of a confusion matrix with its interval."""
        value, n = float(self.value(confusion)), int(confusion.sum())
        if self.name == "accuracy":
            return Score(value, wilson_interval(int(np.trace(confusion)), n), n)
        # Texts (or labels of texts) in the same cell are interchangeable: the bootstrap draws cells instead of texts.
        cells = np.random.default_rng(0).multinomial(n, confusion.ravel() / n, _BOOTSTRAP_SAMPLES)
        low, high = np.quantile(self.value(cells.reshape(_BOOTSTRAP_SAMPLES, *confusion.shape)), (0.025, 0.975))
        return Score(value, (min(value, float(low)), max(value, float(high))), n)


def default_metric(*, multilabel: bool) -> MetricName:
    """Return the objective where none is named."""
    return "micro-f1" if multilabel else "accuracy"
