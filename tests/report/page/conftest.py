"""One browser for all tests of pages, and pages that are opened as files."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

# Nothing that the browser does on its own may look like a request of the page.
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def _unavailable(reason):
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture(scope="session")
def browser():
    """Return Chromium, with a new empty profile."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        _unavailable("there is no chromium on this machine: apt-get install chromium")
    if os.environ.get("CI"):
        from playwright.sync_api import sync_playwright
    else:
        sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser):
    """Return a context manager that opens a page as a file; it fails for an error of a script or a request."""

    @contextmanager
    def open_page(path, *, scripts=True, width=1000, dark=False):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        context.set_default_timeout(30_000)
        page = context.new_page()
        problems = []
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: problems.append(f"request: {request.url}") if request.url != url else None)
        url = path.resolve().as_uri()
        page.goto(url)
        if scripts:
            page.wait_for_selector("html[data-started]")
        yield page
        context.close()
        assert problems == []

    return open_page
