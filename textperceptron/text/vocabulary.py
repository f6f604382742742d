"""The vocabulary: names of columns in three arrays, which a model file can store and memory-map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import count_slots, fill_slots, find_name, find_terms, first_bad_name, first_descent

Array = npt.NDArray[Any]

_CHUNK_NAMES = 1 << 16  # that are looked up at once


class Vocabulary(Mapping[str, int]):
    """Names → columns, without a Python object per name.

    A mapping like the ``vocabulary_`` of scikit-learn, but made of three arrays. A lookup takes about a microsecond;
    for many, convert it with ``dict(vocabulary)``.

    Attributes
    ----------
    offsets : int64 array of length n + 1
        The name of column c is ``arena[offsets[c]:offsets[c + 1]]``.
    arena : uint8 array
        All names, concatenated, in UTF-8; lone surrogates as with Python's ``surrogatepass``.
    slots : uint64 array, a power of two long
        Hash table, open addressing with steps of 1: the upper half of the name's hash and, below it, the
        column + 1; 0 if empty.

    Examples
    --------
    >>> from textperceptron.text.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary.from_names(["good", "bad", "not good"])
    >>> vocabulary["not good"], vocabulary.get("film"), len(vocabulary)
    (2, None, 3)
    >>> vocabulary.name(1)
    'bad'
    >>> dict(vocabulary)
    {'good': 0, 'bad': 1, 'not good': 2}
    """

    __slots__ = ("arena", "offsets", "slots")

    def __init__(self, offsets: Array, arena: Array, slots: Array) -> None:
        self.offsets = offsets
        self.arena = arena
        self.slots = slots

    @classmethod
    def from_bytes(cls, offsets: Array, arena: Array, spare: Array | None = None) -> Vocabulary:
        """Build the hash table of names in an arena.

        Parameters
        ----------
        offsets, arena : arrays
        spare : uint64 array, optional
            Memory for the table, used if its size is right: clearing it costs a quarter of allocating new.

        Raises
        ------
        ValueError
            If two columns have the same name.
        """
        n = len(offsets) - 1
        size = max(8, 1 << (4 * n // 3).bit_length())
        slots = spare if spare is not None and len(spare) == size else np.empty(size, np.uint64)
        slots.fill(0)  # np.empty, not np.zeros: numpy uses huge pages only for memory that it does not clear
        vocabulary = cls(offsets, arena, slots)
        if (duplicate := fill_slots(offsets, arena, slots)) >= 0:
            raise ValueError(f"Duplicate term in vocabulary: {vocabulary.name(duplicate)!r}")
        return vocabulary

    @classmethod
    def from_names(cls, names: Iterable[str]) -> Vocabulary:
        """Create a vocabulary from names, in their order.

        Raises
        ------
        TypeError
            If a name is not a string.
        ValueError
            If a name occurs twice.
        """
        arena, offsets = pack(names)
        return cls.from_bytes(offsets, arena[: offsets[-1]])

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Vocabulary:
        """Wrap the arrays of :meth:`arrays`, e.g. memory-mapped ones, after validating them.

        The hash table is rebuilt if it is missing.

        Raises
        ------
        ValueError
            If a lookup could leave the arrays or loop forever, or a name is not UTF-8.
        """
        kinds = {"offsets": np.int64, "arena": np.uint8, "slots": np.uint64}
        for name, array in arrays.items():
            if array.dtype != kinds[name] or array.ndim != 1 or not array.flags.c_contiguous:
                raise ValueError(
                    f"The vocabulary's {name} must be a contiguous array of {np.dtype(kinds[name])}, "
                    f"not of {array.dtype} with {array.ndim} dimensions."
                )
        offsets, arena = arrays["offsets"], arrays["arena"]
        n = len(offsets) - 1
        if n < 0 or offsets[0] != 0 or offsets[-1] != len(arena) or first_descent(offsets) >= 0:
            raise ValueError("The vocabulary's offsets do not divide its arena: the file is damaged.")
        if (bad := first_bad_name(offsets, arena)) >= 0:
            raise ValueError(f"The vocabulary's name of column {bad} is not UTF-8: the file is damaged.")
        if "slots" not in arrays:
            return cls.from_bytes(offsets, arena)
        slots = arrays["slots"]
        n_taken, n_columns, largest = count_slots(slots)
        if len(slots) <= n or len(slots) & (len(slots) - 1) or not n_taken == n_columns == n or largest > n:
            raise ValueError("The vocabulary's hash table does not fit its names: the file is damaged.")
        return cls(offsets, arena, slots)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays, for a file."""
        return {"offsets": self.offsets, "arena": self.arena, "slots": self.slots}

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return int(self.offsets.nbytes + self.arena.nbytes + self.slots.nbytes)

    @property
    def n_words(self) -> int:
        """Number of columns before the first n-gram of characters: ``choose_columns`` puts these last."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if is_character_ngram(self.offsets[middle : middle + 2], self.arena)[0]:
                high = middle
            else:
                low = middle + 1
        return low

    def columns_of(self, offsets: Array, arena: Array) -> npt.NDArray[np.int32]:
        """Return the columns of names in another arena; -1 for those that have none."""
        columns = np.full(len(offsets) - 1, -1, np.int32)
        for first in range(0, len(columns), _CHUNK_NAMES):
            bounds = offsets[first : first + _CHUNK_NAMES + 1]
            n, begin, end = len(bounds) - 1, bounds[0], bounds[-1]
            padded = np.append(arena[begin:end], np.zeros(16, np.uint8))
            starts, found, row_stops = (bounds - begin).astype(np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
            one, none = np.ones(n, np.int32), np.zeros(n, np.int32)  # each name is a document of one word
            find_terms(
                padded, starts[:-1], starts[1:], one, none, 1, 1, self.offsets, self.arena, self.slots, found, row_stops
            )
            is_known = np.diff(row_stops, prepend=0) > 0
            columns[first : first + n][is_known] = found[: row_stops[-1]]
        return columns

    def name(self, column: int) -> str:
        """Return the name of a column."""
        begin, end = self.offsets[column], self.offsets[column + 1]
        return self.arena[begin:end].tobytes().decode("utf-8", "surrogatepass")

    def names(self) -> list[str]:
        """Return all names, by column."""
        raw = self.arena.tobytes()
        bounds = self.offsets.tolist()
        if raw.isascii():
            text = raw.decode("ascii")
            return [text[begin:end] for begin, end in pairwise(bounds)]
        return [raw[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(bounds)]

    def __getitem__(self, name: str) -> int:
        column = -1
        if isinstance(name, str):
            column = find_name(encode(name), self.offsets, self.arena, self.slots)
        if column < 0:
            raise KeyError(name)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[Array, Array, Array]]:
        return type(self), (self.offsets, self.arena, self.slots)

    def __repr__(self) -> str:
        shown = ", ".join(repr(self.name(column)) for column in range(min(3, len(self))))
        return f"<Vocabulary of {len(self)} names: {shown}{', …' if len(self) > 3 else ''}>"


def encode(name: str) -> bytes:
    """Return a name as UTF-8."""
    return name.encode("utf-8", "surrogatepass")


def pack(names: Iterable[str]) -> tuple[Array, Array]:
    """Return the offsets of strings, and their bytes followed by 16 zeros.

    Raises
    ------
    TypeError
        If a name is not a string.
    """
    try:
        encoded = [encode(name) for name in names]
    except AttributeError:
        raise TypeError("Terms must be strings; one of them has no encode method.") from None
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    arena = np.frombuffer(b"".join(encoded) + bytes(16), np.uint8)
    return arena, offsets


def is_character_ngram(offsets: Array, arena: Array) -> Array:
    """Return which names are n-grams of characters: ``^`` or ``~``, then characters of a word.

    Examples
    --------
    >>> from textperceptron.text.vocabulary import Vocabulary, is_character_ngram
    >>> names = Vocabulary.from_names(["good", "^", "^go", "~od$"])
    >>> is_character_ngram(names.offsets, names.arena).tolist()
    [False, False, True, True]
    """
    starts = offsets[:-1]
    is_long = np.diff(offsets) > 2
    first = np.where(is_long, arena[np.minimum(starts, len(arena) - 1)], 0)
    second = arena[np.minimum(starts + 1, len(arena) - 1)]
    in_word = (second >= 0x80) | (second == ord("_"))
    for low, high in ("09", "AZ", "az"):
        in_word |= (second >= ord(low)) & (second <= ord(high))
    found: Array = ((first == ord("^")) | (first == ord("~"))) & in_word
    return found
