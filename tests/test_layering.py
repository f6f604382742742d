"""Data moves one way through the house: a room imports only rooms with a smaller number."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import textperceptron
from helpers.fresh import run_fresh

PACKAGE = Path(textperceptron.__file__).parent

# Room → rooms it may import. A new room gets a line here, or its modules fail below.
MAY_IMPORT = {
    "_lazy": set(),
    "_parallel": set(),
    "_memory": set(),
    "_validation": set(),
    "_interrupts": set(),
    "_kernels": {"_lazy"},
    "corpus": {"_lazy", "_memory", "_kernels"},
    "text": {"_parallel", "_memory", "_kernels"},
    "learn": {"_lazy", "_parallel", "_memory", "_validation", "_kernels"},
    "margins": {"_kernels", "learn"},
    "settings": {"_validation", "text", "learn"},
    "model": {"_lazy", "_parallel", "_validation", "_kernels", "text", "learn", "settings"},
    "estimators": {"_parallel", "_validation", "_kernels", "text", "learn", "settings", "model"},
    "report": {"_lazy"},
    "tuning": {"_parallel", "_validation", "text", "learn", "settings", "model", "report"},
    "cli": {
        "_interrupts", "_parallel", "_validation", "corpus", "text", "learn", "settings", "model", "report", "tuning",
    },
}  # fmt: skip
# What may import scikit-learn all the same, within a function: its list of English words.
BUT_FOR = {"text/stop_words.py"}
WITHOUT_SKLEARN = set(MAY_IMPORT) - {"estimators"}
WITHOUT_SCIPY = set(MAY_IMPORT) - {"estimators", "margins"}


def modules():
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxd")]):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in ("__init__", "__main__", "_corpora"):
            yield pytest.param(room, path, id=str(path.relative_to(PACKAGE)))


def imported(path):
    """Every module that a Python or Cython file imports, at any depth of nesting, but not for types only."""
    if path.suffix != ".py":
        return re.findall(r"^\s*(?:from|c?import)\s+([\w.]+)", path.read_text(), re.MULTILINE)
    tree = ast.parse(path.read_text())
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    names = []
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide which room is meant"
            names.append(node.module or "")
            names += [f"{node.module}.{alias.name}" for alias in node.names if node.module == "textperceptron"]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


@pytest.mark.parametrize(("room", "path"), list(modules()))
def test_imports_never_point_up(room, path):
    assert room in MAY_IMPORT, f"{path.name} is in no room of the house: add it to MAY_IMPORT and to the README's map"
    for name in imported(path):
        top, _, rest = name.partition(".")
        if top == "textperceptron" and rest:
            other = rest.split(".")[0]
            assert other == room or other in MAY_IMPORT[room] or other == "__version__", f"{room} imports {name}"
        assert not (top == "sklearn" and room in WITHOUT_SKLEARN and str(path.relative_to(PACKAGE)) not in BUT_FOR), (
            f"{room} imports {name}"
        )
        assert not (top == "scipy" and room in WITHOUT_SCIPY), f"{room} imports {name}"


def test_import_textperceptron_imports_neither_sklearn_nor_scipy():
    loaded = run_fresh("import sys, textperceptron; print(*sys.modules)").split()
    assert not {"sklearn", "scipy", "numpy"} & set(loaded)


def test_the_engine_imports_neither_sklearn_nor_scipy():
    loaded = run_fresh("import sys, textperceptron.learn.rules; print(*sys.modules)").split()
    assert not {"sklearn", "scipy"} & set(loaded)


def test_every_public_name_resolves_and_is_listed():
    for name in textperceptron.__all__:
        assert getattr(textperceptron, name) is not None
        assert name in dir(textperceptron)
    with pytest.raises(AttributeError, match="Perzeptron"):
        _ = textperceptron.Perzeptron
