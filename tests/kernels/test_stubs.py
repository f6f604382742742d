"""The stub of the kernels names every function and parameter of the sources."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import textperceptron._kernels
from textperceptron.learn import state

HOME = Path(textperceptron._kernels.__file__).parent
SOURCES = sorted(HOME.glob("*.pyx"))


def in_source(path):
    """The functions of a .pyx file and the names of their parameters, in order."""
    for name, parameters in re.findall(r"^def (\w+)\(([^)]*)\)", path.read_text(), re.MULTILINE):
        yield name, re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", re.sub(r"\s+", " ", parameters).strip())


def in_stub():
    for node in ast.parse((HOME / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, [argument.arg for argument in node.args.args]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_stub_and_lazy_table_have_the_functions_of_a_source(source):
    functions = dict(in_source(source))
    stub = dict(in_stub())
    assert {name: stub.get(name) for name in functions} == functions
    assert sorted(textperceptron._kernels._KERNELS_OF[source.stem]) == sorted(functions)


def test_stub_and_lazy_table_have_nothing_else():
    names = sorted(name for source in SOURCES for name, _ in in_source(source))
    assert names
    assert sorted(name for name, _ in in_stub()) == names
    assert textperceptron._kernels.__all__ == names
    for name in names:
        assert callable(getattr(textperceptron._kernels, name))


def test_kernels_and_state_agree_on_the_positions_of_counts():
    positions = re.findall(r"^    ([A-Z]+) = (\d)", (HOME / "rows.pxd").read_text(), re.MULTILINE)
    assert positions
    for name, position in positions:
        assert getattr(state, name) == int(position)
