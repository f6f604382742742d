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
    """The functions and methods of a .pyx file and the names of their parameters, in order."""
    owner = ""
    found = re.findall(
        r"^cdef class (\w+)|^( *)def (?!__dealloc__|__reduce__)(\w+)\(([^)]*)\)", path.read_text(), re.MULTILINE
    )
    for cls, indent, name, parameters in found:
        if cls:
            owner = cls
            continue
        parameters = re.sub(r"\s+", " ", parameters.replace(" not None", "")).strip()
        found_names = re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", parameters)
        if name == "__cinit__":  # which runs within __new__
            name, found_names = "__new__", ["cls", *found_names[1:]]
        yield f"{owner}.{name}" if indent else name, found_names


def in_stub():
    for node in ast.parse((HOME / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                yield f"{node.name}.{method.name}", [argument.arg for argument in method.args.args]


def public(names):
    """Without the methods: a class is one name."""
    return sorted({name.partition(".")[0] for name in names})


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_stub_and_lazy_table_have_the_functions_of_a_source(source):
    functions = dict(in_source(source))
    stub = dict(in_stub())
    assert {name: stub.get(name) for name in functions} == functions
    assert sorted(textperceptron._kernels._KERNELS_OF[source.stem]) == public(functions)


def test_stub_and_lazy_table_have_nothing_else():
    names = sorted(name for source in SOURCES for name, _ in in_source(source))
    assert names
    assert sorted(name for name, _ in in_stub()) == names
    assert textperceptron._kernels.__all__ == public(names)
    for name in public(names):
        assert callable(getattr(textperceptron._kernels, name))


def test_kernels_and_state_agree_on_the_positions_of_counts():
    positions = re.findall(r"^    ([A-Z]+) = (\d)", (HOME / "rows.pxd").read_text(), re.MULTILINE)
    assert positions
    for name, position in positions:
        assert getattr(state, name) == int(position)
