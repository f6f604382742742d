"""Which settings to try next."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, islice

import numpy as np

from textperceptron.settings import Settings
from textperceptron.tuning.space import Space

# Of four candidates, those that differ from the best so far in one setting; the others differ in several.
ONE_CHANGE, OF = 3, 4


def proposed(
    space: Space, base: Settings, seen: Collection[Settings], size: int, random: np.random.Generator
) -> list[Settings]:
    """Return new candidates around some settings, fewer than ``size`` only if there are no more.

    Most differ from these in one setting, in the order of the space, so that it can be told what a setting is worth;
    the others are drawn, since some settings are good together only.
    """
    found: list[Settings] = []

    def new(candidates: Iterator[Settings]) -> Iterator[Settings]:
        return (each for each in candidates if each not in seen and each not in found)

    for candidate in islice(new(space.one_change(base)), max(1, size * ONE_CHANGE // OF)):
        found.append(candidate)
    for candidate in chain(new(space.drawn(base, random)), new(space.one_change(base))):
        if len(found) >= size:
            break
        found.append(candidate)
    return found
