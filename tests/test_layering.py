"""Layers: a package imports only packages above it, and every allowed import is used."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

import textperceptron
from helpers.fresh import run_fresh

PACKAGE = Path(textperceptron.__file__).parent

# Package or module → its allowed imports, in the order of the layers.
MAY_IMPORT = {
    "_interrupts": set(),
    "_format": set(),
    "_lazy": {"_interrupts"},
    "_parallel": set(),
    "_memory": set(),
    "_validation": set(),
    "settings": {"_validation"},
    "_kernels": {"_lazy"},
    "corpus": {"_interrupts", "_lazy", "_memory", "_kernels", "settings"},
    "text": {"_parallel", "_memory", "_kernels", "settings"},
    "learn": {"_interrupts", "_lazy", "_parallel", "_memory", "_validation", "_kernels", "settings", "text"},
    "margins": {"_kernels", "learn"},
    "model": {"_interrupts", "_format", "_lazy", "_parallel", "_validation", "_kernels", "text", "learn", "settings"},
    "export": {"_interrupts", "_lazy", "_validation", "_kernels", "text", "learn", "settings", "model"},
    "estimators": {"_validation", "_kernels", "text", "learn", "settings", "model"},
    "report": {
        "_interrupts",
        "_format",
        "_lazy",
        "_validation",
        "text",
        "learn",
        "margins",
        "settings",
        "model",
        "export",
        "estimators",
    },
    "tuning": {"_parallel", "settings", "text", "model", "report"},
    "serve": {"_parallel", "_validation", "model"},
    "cli": {
        "_interrupts",
        "_format",
        "_parallel",
        "corpus",
        "settings",
        "model",
        "export",
        "report",
        "tuning",
        "serve",
    },
}
# Outside the estimators, scikit-learn is imported only for its list of English stop words, within a function.
MAY_IMPORT_SKLEARN = {"settings/word_lists.py"}


def modules():
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxd")]):
        package = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if package not in ("__init__", "__main__", "_corpora"):
            yield pytest.param(package, path, id=str(path.relative_to(PACKAGE)))


@functools.cache
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
            assert node.level == 0, f"{path}: relative imports hide which package is meant"
            names.append(node.module or "")
            names += [f"{node.module}.{alias.name}" for alias in node.names if node.module == "textperceptron"]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


@pytest.mark.parametrize(("package", "path"), list(modules()))
def test_a_module_imports_only_what_its_package_may(package, path):
    assert package in MAY_IMPORT, f"{path.name} belongs to no package of MAY_IMPORT: give it a line there"
    allowed = MAY_IMPORT[package] | {package, "__version__"}
    for name in imported(path):
        top, _, rest = name.partition(".")
        if top == "textperceptron" and rest:
            assert rest.split(".")[0] in allowed, f"{package} imports {name}"
        if top == "sklearn" and str(path.relative_to(PACKAGE)) not in MAY_IMPORT_SKLEARN:
            assert package == "estimators", f"{package} imports {name}"
        if top == "scipy":
            assert package in ("estimators", "margins"), f"{package} imports {name}"


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_import_that_a_package_may_make_is_made(package):
    paths = [param.values[1] for param in modules() if param.values[0] == package]
    made = {name.split(".")[1] for path in paths for name in imported(path) if name.startswith("textperceptron.")}
    unused = MAY_IMPORT[package] - made
    assert not unused, f"{package} does not import {sorted(unused)}: take it out of MAY_IMPORT"


def test_packages_import_only_those_above_them():
    above = set()
    for package, may_import in MAY_IMPORT.items():
        assert may_import <= above, f"{package} is above {sorted(may_import - above)}"
        above.add(package)


def test_import_textperceptron_imports_neither_sklearn_nor_scipy_nor_numpy():
    loaded = run_fresh("import sys, textperceptron; print(*sys.modules)").split()
    assert not {"sklearn", "scipy", "numpy"} & set(loaded)


def test_every_public_name_resolves_and_is_listed():
    for name in textperceptron.__all__:
        assert getattr(textperceptron, name) is not None
        assert name in dir(textperceptron)
    with pytest.raises(AttributeError, match="Perzeptron"):
        _ = textperceptron.Perzeptron
