"""A share of right answers, and how sure it is."""

from __future__ import annotations

import math
from typing import NamedTuple

# The 97.5 % quantile of the normal distribution: 95 % lie between it and its negative.
_Z = 1.959963984540054


def wilson_interval(right: int, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share, by Wilson's score.

    Unlike the share ± 1.96 standard errors, it stays between 0 and 1 and holds for few examples and for shares near 1.

    Parameters
    ----------
    right : int
        How many of them.
    n : int
        How many there are.

    Raises
    ------
    ValueError
        If ``right`` is not between 0 and ``n``, or ``n`` is 0.

    Examples
    --------
    >>> low, high = wilson_interval(80, 100)
    >>> print(f"{low:.3f} {high:.3f}")
    0.711 0.867
    """
    if n < 1 or not 0 <= right <= n:
        raise ValueError(f"{right} of {n} is no share: use a number from 0 to n, of n examples, 1 at least.")
    share, spread = right / n, _Z * _Z / n
    centre = share + spread / 2
    half = math.sqrt(spread * share * (1 - share) + spread * spread / 4)
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    # All or none right: the share is an end of the interval, and rounding must not move it.
    return (0.0 if right == 0 else low), (1.0 if right == n else high)


class Share(NamedTuple):
    """So many of so many, for instance right answers.

    Examples
    --------
    >>> print(Share(116, 160))
    72.5 %  (95 % interval 65.1–78.8, 116 of 160)
    """

    right: int
    n: int

    @property
    def value(self) -> float:
        """The share, from 0 to 1."""
        return self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % confidence interval."""
        return wilson_interval(self.right, self.n)

    def as_dict(self) -> dict[str, float | int | list[float]]:
        """Return it as JSON has it."""
        return {"value": self.value, "interval": list(self.interval), "right": self.right, "n": self.n}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.value:.1f} %  (95 % interval {100 * low:.1f}–{100 * high:.1f}, {self.right} of {self.n})"
