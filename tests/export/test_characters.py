"""The exported tables of characters are those of Python's str and of the kernels."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.paths import ROOT
from helpers.texts import AWKWARD
from textperceptron.export.characters import (
    ACCENTED,
    CAPITAL,
    CASED,
    IGNORABLE,
    N_CHARACTERS,
    SCRIPT_SHIFT,
    accent_table,
    character_table,
)
from textperceptron.text.documents import ACCENT_STRIPPERS


@pytest.mark.slow
def test_classes_are_those_of_str():
    properties = character_table().properties
    for code in range(N_CHARACTERS):
        c = chr(code)
        assert properties[code] & 3 == (1 if c.isalnum() or c == "_" else 0 if c.isspace() else 2)


@pytest.mark.parametrize(("array", "script"), [("tp_attached", 1), ("tp_unspaced", 2), ("tp_syllables", 3)])
def test_script_classes_are_those_of_the_committed_table(array, script):
    table = (ROOT / "textperceptron" / "_kernels" / "script_classes.pxd").read_text("utf-8")
    ranges = re.findall(r"\{0x(\w+), 0x(\w+)\}", table.partition(f"{array}[]")[2].partition(";")[0])
    codes = [code for first, last in ranges for code in range(int(first, 16), int(last, 16) + 1)]
    assert np.flatnonzero(character_table().properties >> SCRIPT_SHIFT & 3 == script).tolist() == codes


def test_runs_are_all_characters():
    table = character_table()
    codes = [value for length, value in table.runs for _ in range(length)]
    assert codes == table.properties.tolist()


def lowered(text):
    """Lower a text by the exported tables, as the programs do."""
    table = character_table()
    lower = {c: c + each.delta for each in table.lowering for c in range(each.first, each.last + 1, each.step)}
    properties = [int(table.properties[ord(c)]) for c in text]

    def is_final(at):
        before = next((p for p in reversed(properties[:at]) if not p & IGNORABLE), 0)
        after = next((p for p in properties[at + 1 :] if not p & IGNORABLE), 0)
        return bool(before & CASED) and not after & CASED

    special = {"İ": lambda at: "i̇", "Σ": lambda at: "ς" if is_final(at) else "σ"}
    return "".join(special[c](k) if c in special else chr(lower.get(ord(c), ord(c))) for k, c in enumerate(text))


@given(st.text(st.sampled_from(AWKWARD + "ΣΣ'·.\u0345ʰ") | st.characters(codec=None), max_size=12))
def test_lower_case_is_that_of_str(text):
    assert lowered(text) == text.lower()


@pytest.mark.slow
def test_every_character_has_the_lower_case_of_str():
    text = "".join(map(chr, range(N_CHARACTERS))).replace("Σ", "")
    assert lowered(text) == text.lower()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["unicode", "ascii"])
def test_accents_of_every_character(mode):
    table, strip = accent_table(mode), ACCENT_STRIPPERS[mode]
    for code in (*range(128, 0xAC00), *range(0xD7A4, N_CHARACTERS)):
        rest = "" if mode == "ascii" else chr(code)
        assert table.get(code, rest) == strip("é" + chr(code))[1:]
    assert all(character_table(mode).properties[list(table)] & ACCENTED)


def test_lower_cases_have_as_many_utf16_units():
    for each in character_table().lowering:
        assert (each.first > 0xFFFF) == (each.first + each.delta > 0xFFFF)
    assert character_table().properties[ord("A")] & CAPITAL
