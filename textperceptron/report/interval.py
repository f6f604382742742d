"""A proportion and its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from textperceptron._format import percent

# The 97.5 % quantile of the normal distribution.
_Z = 1.959963984540054


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a proportion, by Wilson's score.

    Unlike the proportion ± 1.96 standard errors, it stays between 0 and 1 and holds for few examples and for
    proportions near 1.

    Parameters
    ----------
    successes : int
        Number of successes.
    n : int
        Number of examples.

    Raises
    ------
    ValueError
        If ``successes`` is not between 0 and ``n``, or ``n`` is 0.

    Examples
    --------
    >>> low, high = wilson_interval(80, 100)
    >>> print(f"{low:.3f} {high:.3f}")
    0.711 0.867
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is not a proportion: use 0 to n successes out of n >= 1 examples.")
    value, spread = successes / n, _Z * _Z / n
    centre = value + spread / 2
    half = math.sqrt(spread * value * (1 - value) + spread * spread / 4)
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    # At 0 and 1 the proportion is an end of the interval, and rounding must not move it.
    return (0.0 if successes == 0 else low), (1.0 if successes == n else high)


@dataclass(frozen=True, slots=True)
class Proportion:
    """A proportion: ``successes`` out of ``n``, for instance correct predictions.

    Examples
    --------
    >>> print(Proportion(116, 160))
    72.5 %  (95 % interval 65.1–78.8, 116 of 160)
    """

    successes: int
    n: int

    @property
    def value(self) -> float:
        """The proportion, from 0 to 1."""
        return self.successes / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval."""
        return wilson_interval(self.successes, self.n)

    def as_dict(self) -> dict[str, float | int | list[float]]:
        """Return it as a JSON object."""
        return {"value": self.value, "interval": list(self.interval), "right": self.successes, "n": self.n}

    def __str__(self) -> str:
        low, high = self.interval
        interval = f"{percent(low)}–{percent(high)}"
        return f"{percent(self.value)} %  (95 % interval {interval}, {self.successes} of {self.n})"
