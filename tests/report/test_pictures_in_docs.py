"""The pictures in docs/pictures are those that docs/plots.md draws."""

from __future__ import annotations

import contextlib
import io

import matplotlib
import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from helpers.page_commands import python_examples, run_shell, shown_commands
from helpers.paths import ROOT

PAGE = ROOT / "docs" / "plots.md"
FOLDER = ROOT / "docs" / "pictures"
MAX_BYTES = 60_000
COLOURS = 64  # of a picture in the docs


@pytest.mark.slow
def test_pictures_are_those_that_the_page_draws(tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    for commands, _ in shown_commands(PAGE):
        run_shell(commands, tmp_path)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for code, _ in python_examples(PAGE):
            exec(code, names)
    drawn = {path.name: Image.open(path).convert("RGB") for path in tmp_path.glob("*.png")}
    if request.config.getoption("--renew-outputs"):
        renew(drawn)
    assert sorted(drawn) == sorted(path.name for path in FOLDER.iterdir())
    for name, picture in drawn.items():
        committed = Image.open(FOLDER / name)
        assert committed.size == picture.size, f"docs/pictures/{name} is old: run pytest --renew-outputs"
        if (
            committed.text["Software"] == f"matplotlib {matplotlib.__version__}"
        ):  # others draw letters a little otherwise
            difference = np.asarray(picture, float) - np.asarray(committed.convert("RGB"), float)
            assert np.sqrt(np.mean(difference**2)) < 4, f"docs/pictures/{name} is old: run pytest --renew-outputs"


def test_pictures_are_small_and_shown():
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md"))
    for path in FOLDER.iterdir():
        assert path.stat().st_size < MAX_BYTES
        assert f"](pictures/{path.name})" in pages


def renew(drawn):
    """Write pictures with few colours, which are half as large, and the version of matplotlib that drew them."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    version = PngInfo()
    version.add_text("Software", f"matplotlib {matplotlib.__version__}")
    for name, picture in drawn.items():
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True, pnginfo=version)
