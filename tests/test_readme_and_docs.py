"""Examples and commands in the README and the docs print the output shown there."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

from helpers.exported import program
from helpers.page_commands import python_examples, run_shell, shown_commands, without_times
from helpers.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def printed(call):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        call()
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_the_output_below_them(page, request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    names = {}  # a page is one session: its examples build on each other
    for code, output in python_examples(page):
        check_or_renew(request, page, output, printed(lambda code=code: exec(code, names)))


def check_or_renew(request, page, shown, found):
    """Compare an output with the one that a page shows; with ``--renew-outputs``, write it there."""
    if request.config.getoption("--renew-outputs") and without_times(found) != without_times(shown):
        page.write_text(page.read_text("utf-8").replace(shown, found, 1), "utf-8")
    else:
        assert without_times(found) == without_times(shown)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=() if page == PAGES[0] else pytest.mark.slow)
        for page in PAGES
        if shown_commands(page)
    ],
)
def test_commands_print_the_output_below_them(page, tmp_path, request):
    for name in ("node", "cc"):
        if any(re.search(rf"^{name} ", commands, re.MULTILINE) for commands, _ in shown_commands(page)):
            program(name)
    for commands, output in shown_commands(page):  # one session: later commands use the models of earlier ones
        check_or_renew(request, page, output, run_shell(commands, tmp_path))


def test_the_first_command_prints_what_the_readme_shows(tmp_path, request):
    page = PAGES[0].read_text("utf-8")
    shown = re.search(r"textperceptron train reviews\n```.*?```text\n(.*?)```", page, re.DOTALL)[1]
    check_or_renew(request, PAGES[0], shown, run_shell("textperceptron train reviews", tmp_path))


def test_both_commands_are_one_line_that_installs_and_runs():
    commands = re.findall(r"^pip install .*$", PAGES[0].read_text("utf-8"), re.MULTILINE)
    assert commands == ["pip install . && textperceptron train reviews", 'pip install ".[test]" && pytest']


def test_the_docs_have_no_placeholders():
    for page in PAGES:
        assert not re.search(r"@@|TODO|XXX", page.read_text("utf-8"))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_links_and_paths_lead_somewhere(page):
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
    for path in re.findall(r"`((?:tests|benchmarks|docs)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), f"{page.name} names {path}"
