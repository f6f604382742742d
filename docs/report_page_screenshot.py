"""Renew docs/report-page.png: ``python docs/report_page_screenshot.py``. Needs chromium, playwright and pillow."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from textperceptron import TextModel, load_corpus
from textperceptron.report import write_page

TEXT = "The staff were lovely and the soup was wonderful, but we waited an hour and the bill was overpriced."
COLOURS = 64  # enough for a page, and a fifth of the bytes


def main() -> None:
    """Write the page of the reviews, and a picture of its text box and its terms."""
    reviews = load_corpus("reviews")
    assert reviews.test is not None
    training = reviews.train.texts, reviews.train.labels
    model = TextModel.train(*training)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "reviews.html")
        write_page(path, model, reviews.test.texts, reviews.test.labels, training=training, title="reviews")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 1250})
        page.goto(path.as_uri())
        page.fill("#box", TEXT)
        page.wait_for_selector("#flip strong")
        page.locator("#try").scroll_into_view_if_needed()
        page.evaluate("document.getElementById('try').scrollIntoView({ behavior: 'instant' })")
        page.evaluate("document.activeElement.blur()")
        page.wait_for_timeout(300)
        picture = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(COLOURS).save(Path(__file__).with_name("report-page.png"), optimize=True)


main()
