"""The quick start of docs/serving.md, as a new user would type it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from helpers.paths import ROOT
from helpers.service import serving
from textperceptron.cli import main

PAGE = ROOT / "docs" / "serving.md"
BLOCK = re.compile(r"```(sh|py)\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)
ADDRESS = "http://127.0.0.1:8000"


def comparable(text):
    """Round numbers, and leave out what another version of the toolkit would change."""
    text = re.sub(r'"version":"\w{12}"', '"version":"…"', text)
    return re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.4f}", text)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_commands_of_the_page_print_what_it_shows(tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    (_, start, started), *blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    *_, train, serve = start.splitlines()
    assert main(train.split()[1:]) == 0
    with serving(*serve.split()[2:]) as service:
        address = f"http://127.0.0.1:{service.port}"
        assert service.banner.replace(address, ADDRESS) == started
        for kind, code, shown in blocks:
            code = code.replace(ADDRESS, address)
            command = ["bash", "-c", code] if kind == "sh" else [sys.executable, "-c", code]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if request.config.getoption("--renew-outputs") and comparable(printed) != comparable(shown):
                PAGE.write_text(PAGE.read_text("utf-8").replace(shown, printed, 1), "utf-8")
            else:
                assert comparable(printed) == comparable(shown)
    assert len(blocks) >= 4
