"""Python started in a clone finds the package there first: it runs with kernels, and says what to type without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import textperceptron._kernels
from helpers.paths import ROOT

COMMANDS = {
    "import": ["-c", "import textperceptron; print(textperceptron.TextModel.train(['a', 'b'], [0, 1]).classes)"],
    "command": ["-m", "textperceptron", "train", "reviews", "--epochs", "1"],
}
EXPECTED = {"import": "(0, 1)", "command": "reviews: 480 training texts"}
IN_PLACE = list((ROOT / "textperceptron" / "_kernels").glob("*.so")) or list(
    (ROOT / "textperceptron" / "_kernels").glob("*.pyd")
)


def run_in(folder, arguments):
    """Run Python as a user would in this folder: nothing else comes before it on the path."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
    )


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Return a copy of the repository's files without compiled ones."""
    folder = tmp_path_factory.mktemp("clones") / "a clone"
    folder.mkdir()
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(ROOT / "textperceptron", folder / "textperceptron", ignore=ignored, symlinks=True)
    shutil.copytree(ROOT / "corpora", folder / "corpora")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("which", COMMANDS)
@pytest.mark.skipif(not IN_PLACE and not os.environ.get("CI"), reason="this clone was installed from elsewhere")
def test_python_runs_in_a_clone_that_was_installed(which):
    done = run_in(ROOT, COMMANDS[which])
    assert EXPECTED[which] in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("which", COMMANDS)
def test_python_in_a_clone_without_kernels_says_what_to_type(which, clone):
    done = run_in(clone, COMMANDS[which])
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert f"the textperceptron in {clone} is not compiled for this Python" in message
    assert f'Type pip install -e "{clone}" to compile it' in message
    assert ("Traceback" in done.stderr) == (which == "import")
    elsewhere = run_in(clone, ["-P", "-c", "import textperceptron; print(textperceptron.TextModel)"])
    assert "TextModel" in elsewhere.stdout, "the installed package"


@pytest.mark.slow
@pytest.mark.parametrize("which", COMMANDS)
def test_python_runs_in_a_clone_with_the_kernels_that_a_build_leaves_there(which, clone):
    installed = Path(textperceptron._kernels.__file__).parent
    kernels = [*installed.glob("*.so"), *installed.glob("*.pyd")]
    assert kernels
    copies = [clone / "textperceptron" / "_kernels" / kernel.name for kernel in kernels]
    for kernel, copy in zip(kernels, copies, strict=True):
        shutil.copy(kernel, copy)
    try:
        done = run_in(clone, COMMANDS[which])
    finally:
        for copy in copies:
            copy.unlink()
    assert EXPECTED[which] in done.stdout, done.stderr


def test_another_missing_module_is_not_blamed_on_the_compiler(monkeypatch):
    def fails(name):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(textperceptron._kernels, "_find", fails)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        _ = textperceptron._kernels.no_such_kernel
