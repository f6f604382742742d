"""Words of a text that stand near each other, joined before there are any columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron.text.conjunctions.names import JOINT
from textperceptron.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textperceptron.text.pieces import Scratch

Array = npt.NDArray[Any]

SLACK = 64  # kernels that hash names read a little behind the end


@dataclass(frozen=True)
class WindowSettings:
    """Which words of a document are joined.

    Attributes
    ----------
    pivots : tuple of str or None
        One of the two words has to be among these; None for no such limit.
    window : int or None
        How many tokens apart the two may be, 1 for neighbours; None for anywhere in the document.
    """

    pivots: tuple[str, ...] | None
    window: int | None

    def check(self) -> None:
        """Raise on values that make no sense.

        Raises
        ------
        ValueError
            With the setting, its value and what would be right.
        """
        window = self.window
        if window is not None and (isinstance(window, bool) or not isinstance(window, Integral) or window < 1):
            raise ValueError(f"window={window!r}: use a number of tokens from 1 on, or None for the whole document.")
        if self.pivots is None and window is None:
            raise ValueError(
                "conjunctions with neither pivots nor window would join all words of a document with all. Give "
                "one of them, or count words and use Conjunctions(min_df=...)."
            )
        if self.pivots is not None and len(self.pivots) == 0:
            raise ValueError("pivots is empty, so nothing would be joined. Use None for no such limit.")
        wrong = [pivot for pivot in self.pivots or () if not isinstance(pivot, str)]
        if wrong:
            raise ValueError(f"pivots holds {', '.join(map(repr, wrong))}: use words, the columns are not known yet.")

    @property
    def description(self) -> str:
        """What words have to be like to be joined."""
        near = "two different words" + ("" if self.window is None else f" at most {self.window} tokens apart")
        if self.pivots is None:
            return near
        some = ", ".join(map(repr, self.pivots[:3])) + (" …" if len(self.pivots) > 3 else "")
        return f"{near}, one of them among {some}"

    @property
    def reach(self) -> int:
        """How many tokens apart two words may be."""
        return np.iinfo(np.int32).max if self.window is None else int(self.window)

    @cached_property
    def pivot_vocabulary(self) -> Vocabulary:
        """The pivots as compiled code reads them."""
        return Vocabulary.from_names(sorted(set(self.pivots or ())))


def joined_names(
    text: Array, starts: Array, stops: Array, lengths: Array, settings: WindowSettings, scratch: Scratch
) -> tuple[Array, Array, Array, Array]:
    """Join the tokens of a block of documents; return names as the tokens were: bytes, starts, stops and lengths.

    Raises
    ------
    ValueError
        If the names of one block take more than 2 GB.
    """
    following = scratch.get("following", len(starts) + 1 if settings.pivots is not None else 0, np.int64)
    if settings.pivots is not None:
        pivots = settings.pivot_vocabulary
        _kernels.find_pivots(text, starts, stops, pivots.offsets, pivots.arena, pivots.slots, following)
    tokens = text, starts, stops, lengths, following, settings.reach
    counts = np.empty(len(lengths), np.int32)
    nothing = np.empty(0, np.int32)
    n, n_bytes = _kernels.join_near(*tokens, np.empty(0, np.uint8), nothing, nothing, counts)
    if n_bytes > np.iinfo(np.int32).max - SLACK:
        raise ValueError(
            f"The {n:,} pairs of one document, or of some that lie together, take {n_bytes / 1e9:.1f} GB. Use a "
            "smaller window, fewer pivots, or shorter documents."
        )
    names = scratch.get("names", n_bytes + SLACK, np.uint8)
    name_starts, name_stops = (scratch.get(name, n, np.int32) for name in ("name_starts", "name_stops"))
    _kernels.join_near(*tokens, names, name_starts, name_stops, counts)
    return names, name_starts[:n], name_stops[:n], counts


def join_tokens(tokens: Sequence[str], settings: WindowSettings) -> list[str]:
    """Return the names of the pairs in a list of tokens: the same, in plain Python.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.windows import WindowSettings, join_tokens
    >>> join_tokens(["not", "so", "very", "good"], WindowSettings(pivots=("not",), window=2))
    ['not-and-so', 'not-and-very']
    """
    pivots = None if settings.pivots is None else frozenset(settings.pivots)
    return [
        JOINT.join(sorted((token, other)))
        for i, token in enumerate(tokens)
        for other in tokens[i + 1 : i + 1 + settings.reach]
        if token != other and (pivots is None or token in pivots or other in pivots)
    ]


# What negates, as the token patterns leave it: "don't" is don and t, or don alone.
STEMS = (
    "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "mustn", "needn", "shan",
    "shouldn", "wasn", "weren", "wouldn",
)  # fmt: skip
