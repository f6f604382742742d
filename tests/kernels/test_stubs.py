"""Each compiled module has a stub, and the stub names the parameters that the code has."""

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


def in_stub(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, [argument.arg for argument in node.args.args]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_stub_and_source_agree(source):
    assert dict(in_source(source)) == dict(in_stub(source.with_suffix(".pyi")))


def test_kernels_and_state_agree_on_the_places_of_the_counts():
    places = re.findall(r"^    ([A-Z]+) = (\d)", (HOME / "rows.pxd").read_text(), re.MULTILINE)
    assert len(places) == 6
    for name, place in places:
        assert getattr(state, name) == int(place)


def test_every_kernel_goes_through_the_one_door():
    names = {name for source in SOURCES for name, _ in in_source(source)}
    assert set(textperceptron._kernels.__all__) == names
    assert SOURCES


def test_the_door_and_its_stub_name_the_same_modules():
    stub = ast.parse((HOME / "__init__.pyi").read_text())
    found = {
        node.module.removeprefix("textperceptron._kernels."): tuple(alias.name for alias in node.names)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
    }
    assert found == textperceptron._kernels._HOMES
    (listed,) = (ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign))
    assert listed == textperceptron._kernels.__all__
    for name in listed:
        assert callable(getattr(textperceptron._kernels, name))
