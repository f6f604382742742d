r"""What exported programs know about characters: the classes and lower cases of this Python, as compact tables.

A program in another language must not use its own tables: they are of another version of Unicode, and ``toLowerCase``
and ``\w`` differ between languages.
"""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import character_tables
from textperceptron.text.documents import ACCENT_STRIPPERS

N_CHARACTERS = sys.maxunicode + 1

# Bits of a character's properties. The lowest two are its class (0 space, 1 word, 2 other), the next two its script
# class (1 attached, 2 without spaces, 3 syllable).
SCRIPT_SHIFT = 2
CASED = 16
IGNORABLE = 32  # for the final sigma
CAPITAL = 64  # its lower case is another character
ACCENTED = 128  # it has an entry in the table of accents

_HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # decomposed by arithmetic


@dataclass(frozen=True)
class Lowering:
    """Every ``step``-th character from ``first`` to ``last`` has the lower case ``delta`` further on."""

    first: int
    last: int
    step: int
    delta: int


@dataclass(frozen=True)
class CharacterTable:
    """Properties of all characters.

    Attributes
    ----------
    version : str
        Version of Unicode.
    properties : array of uint8
        One byte per code point, of the bits above.
    lowering : tuple of Lowering
        Ascending, without overlaps.
    """

    version: str
    properties: npt.NDArray[np.uint8]
    lowering: tuple[Lowering, ...]

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Lengths and properties of runs of characters with the same properties.

        Examples
        --------
        >>> from textperceptron.export.characters import character_table
        >>> character_table().runs[:3]  # nine controls, five spaces, controls again
        [(9, 2), (5, 0), (14, 2)]
        """
        starts = np.flatnonzero(np.diff(self.properties, prepend=self.properties[0] ^ 1))
        lengths = np.diff(starts, append=len(self.properties))
        return list(zip(lengths.tolist(), self.properties[starts].tolist(), strict=True))


@cache
def character_table(strip_accents: str | None = None) -> CharacterTable:
    """Return the properties of all characters, as the kernels have them."""
    classes, scripts = (np.empty(N_CHARACTERS, np.uint8) for _ in range(2))
    lower = np.empty(N_CHARACTERS, np.int32)
    character_tables(classes, scripts, lower)
    properties = classes.copy()
    properties |= scripts << SCRIPT_SHIFT
    cased, ignorable = _final_sigma_tables()
    properties[cased] |= CASED
    properties[ignorable] |= IGNORABLE
    properties[lower != np.arange(N_CHARACTERS)] |= CAPITAL
    if strip_accents is not None:
        properties[list(accent_table(strip_accents))] |= ACCENTED
    return CharacterTable(unicodedata.unidata_version, properties, tuple(_lowering(lower)))


@cache
def accent_table(strip_accents: str) -> dict[int, str]:
    """Return what ``strip_accents`` makes of a character, for those it changes.

    Accents are removed character by character: normalisation reorders only marks, and marks are removed. Syllables of
    Hangul are left out for ``"unicode"``, and for ``"ascii"`` all characters of which nothing remains.

    Examples
    --------
    >>> from textperceptron.export.characters import accent_table
    >>> accent_table("ascii")[ord("é")], accent_table("unicode")[ord("ﬁ")], 0xAC00 in accent_table("unicode")
    ('e', 'fi', False)
    """
    strip = ACCENT_STRIPPERS[strip_accents]
    codes = (code for code in range(128, N_CHARACTERS) if code not in _HANGUL_SYLLABLES)
    changed = (c for c in map(chr, codes) if unicodedata.decomposition(c) or unicodedata.combining(c))
    table = {ord(c): strip(c) for c in changed}
    return table if strip_accents == "unicode" else {code: text for code, text in table.items() if text}


def _final_sigma_tables() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which characters make a sigma after them final, and which are skipped to find one that does.

    Python does not export these properties, but ``str.lower`` shows them.
    """
    # Unassigned characters have neither property, and they are three quarters of all.
    codes = [code for code in range(N_CHARACTERS) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")]
    characters = ["A" if code == ord("İ") else chr(code) for code in codes]  # its lower case would be two characters
    after, beyond = np.zeros((2, N_CHARACTERS), bool)
    after[codes] = _lowered("Σ ".join(characters) + "Σ ")[1::3] == ord("ς")
    beyond[codes] = _lowered("A" + "Σ A".join(characters) + "Σ ")[2::4] == ord("ς")
    return after, beyond & ~after


def _lowered(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.lower().encode("utf-32-le", "surrogatepass"), np.uint32)


def _lowering(lower: npt.NDArray[np.int32]) -> list[Lowering]:
    found: list[Lowering] = []
    for code in np.flatnonzero(lower != np.arange(len(lower))).tolist():
        delta = int(lower[code]) - code
        last = found[-1] if found else None
        if last is not None and last.delta == delta and code - last.last in (1, 2):
            step = code - last.last
            if last.first == last.last or last.step == step:
                found[-1] = Lowering(last.first, code, step, delta)
                continue
        found.append(Lowering(code, code, 1, delta))
    return found
