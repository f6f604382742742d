"""The page in Chromium: typing, search, filters, keyboard, hostile texts, and the scores of Python."""

from __future__ import annotations

import re
import statistics
from dataclasses import replace

import numpy as np
import pytest

from helpers.bundled import bundled
from helpers.exported_cases import awkward_texts, texts_of_scripts
from textperceptron import TextModel
from textperceptron.report import write_page
from textperceptron.settings import recipe

pytestmark = pytest.mark.slow

HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 2">',
    "<!-- <script>window.hacked = 3</script>",
    "</textarea></p></li></ol><svg onload=window.hacked=4><iframe srcdoc='<script>parent.hacked=5</script>'>",
    "javascript:window.hacked=6 \u2028 window.hacked=7 \u2029 ]]>",
]


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    """Return the page of the reviews and its model."""
    train, test = bundled("reviews")
    model = TextModel.train(*train)
    path = tmp_path_factory.mktemp("page") / "reviews.html"
    write_page(path, model, *test, training=train, title="reviews", command="textperceptron train reviews")
    return path, model


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """Return the page of the topics, of six classes, and its model."""
    train, test = bundled("topics")
    settings = recipe("best")
    model = TextModel.train(*train, replace(settings, learner=settings.learner.replace(calibrate=True)))
    path = tmp_path_factory.mktemp("page") / "topics.html"
    write_page(path, model, *test, training=train)
    return path, model


def scores_in(page, texts):
    return page.evaluate("texts => texts.map((text) => textperceptron.classify(text).scores)", texts)


def test_typing_changes_the_label(reviews, opened):
    path, model = reviews
    with opened(path) as page:
        page.fill("#box", "")
        page.type("#box", "A wonderful, lovely evening")
        assert page.inner_text("#label bdi") == "pos"
        page.fill("#box", "An awful, overpriced phone")
        assert page.inner_text("#label bdi") == "neg"
        shown = float(re.search(r"score \+([\d.]+)", page.inner_text("#label"))[1])
        assert shown == pytest.approx(-model.scores(["An awful, overpriced phone"])[0], rel=1e-2)
        total = float(page.inner_text("#sum strong").replace("−", "-"))
        assert total == pytest.approx(-shown, rel=1e-2)
        assert "awful" in page.locator("#words .word.b").all_inner_texts()


def test_tints_and_flips_are_those_of_explain(reviews, topics, opened):
    for path, model, corpus in ((*reviews, "reviews"), (*topics, "topics")):
        texts = bundled(corpus)[1][0][:40]
        with opened(path) as page:
            found = page.evaluate("texts => texts.map(textperceptron.explain)", texts)
        for text, seen in zip(texts, found, strict=True):
            explanation = model.explain(text)
            assert (seen["label"], seen["against"]) == (explanation.label, explanation.runner_up)
            # With two classes, the page tints for the second.
            sign = -1 if len(model.classes) == 2 and explanation.label == model.classes[0] else 1
            assert [text[word["start"] : word["end"]] for word in seen["words"]] == [
                text[word.start : word.end] for word in explanation.words
            ]
            np.testing.assert_allclose(
                [word["weight"] for word in seen["words"]],
                [sign * word.contribution for word in explanation.words], rtol=0, atol=1e-6,
            )  # fmt: skip
            flip = explanation.flip and {"words": list(explanation.flip.removed), "label": explanation.flip.label}
            assert seen["flip"] == flip


def test_the_nearest_flip_is_shown(reviews, opened):
    path, model = reviews
    with opened(path) as page:
        for text in ("The soup was wonderful but the bill was poor", "An awful, awful, overpriced evening"):
            page.fill("#box", text)
            flip = model.explain(text).flip
            said = "no word and no two words carry this label alone." if flip is None else f"{flip}."
            page.locator("#flip", has_text=said.replace("'", "")).wait_for()


def test_several_classes_are_explained_against_any_other(topics, opened):
    path, model = topics
    text = "A guitar for the goalkeeper of the garden"
    with opened(path) as page:
        page.fill("#box", text)
        label = model.predict_one(text)
        assert page.inner_text("#label bdi") == label
        assert page.input_value("#against") == model.explain(text).runner_up
        page.fill("#box", "The guitar of the cook")
        assert page.input_value("#against") == model.explain("The guitar of the cook").runner_up
        page.fill("#box", text)
        others = page.locator("#against option").all_inner_texts()
        assert sorted([label, *others]) == sorted(model.classes)
        page.select_option("#against", "cooking")
        scores = dict(zip(model.classes, model.scores([text])[0], strict=True))
        total = float(page.inner_text("#sum strong").replace("−", "-"))
        assert total == pytest.approx(scores[label] - scores["cooking"], rel=1e-2)
        probability = float(re.search(r"probability ([\d.]+)", page.inner_text("#label"))[1])
        assert probability == pytest.approx(100 * model.probabilities([text]).max(), abs=0.06)


def test_scores_are_those_of_python_on_texts_of_many_scripts(tmp_path, opened):
    texts, labels = texts_of_scripts(300)
    more, _ = awkward_texts(250)
    model = TextModel.train(texts, ["long" if len(text) > 100 else "short" for text in texts])
    write_page(tmp_path / "page.html", model, texts, ["short"] * len(texts), max_terms=3000)
    small = model.pruned(keep=3000)
    every = [*texts, *more]
    assert len(every) >= 500
    with opened(tmp_path / "page.html") as page:
        found = np.array(scores_in(page, every))[:, 1]
        np.testing.assert_allclose(found, small.scores(every), rtol=0, atol=1e-6)
        # The weights of words add up to the score, and each is a part of the text.
        sums = page.evaluate(
            """texts => texts.map((text) => {
                const { terms } = textperceptron.classify(text, textperceptron.classes[1]);
                const intercept = textperceptron.intercept(textperceptron.classes[1]);
                return terms.reduce((sum, term) => sum + term.contribution, intercept);
            })""",
            every,
        )
        np.testing.assert_allclose(sums, small.scores(every), rtol=0, atol=1e-6)
        for text in ("أكلنا وجبة رائعة", "我不喜欢这部电影", "วันนี้อากาศดี"):
            page.fill("#box", text)
            assert page.inner_text("#words") == text
    assert len(set(labels)) > 10


def test_terms_are_searched_and_show_their_sentences(reviews, opened):
    with opened(reviews[0]) as page:
        page.fill("#term-search", "awful")
        assert "terms contain “awful”" in page.inner_text("#term-found")
        buttons = page.locator("#term-list button")
        assert all("awful" in text for text in buttons.all_inner_texts())
        buttons.first.click()
        assert buttons.first.get_attribute("aria-pressed") == "true"
        assert page.locator("#term-sentences mark").first.inner_text().lower() == "awful"
        page.fill("#term-search", "no such term")
        assert page.inner_text("#term-found") == "No term of this page contains “no such term”."
        page.locator(".top-term").first.click()
        assert page.inner_text("#term-chosen strong") == page.locator(".top-term").first.inner_text()


def test_a_click_on_a_dot_chooses_its_term(reviews, opened):
    with opened(reviews[0]) as page:
        page.fill("#term-search", "poor")
        page.locator("#scatter").scroll_into_view_if_needed()
        box = page.locator("#scatter").bounding_box()
        for x in range(int(box["x"]) + 20, int(box["x"] + box["width"]) - 20, 40):  # somewhere there are dots
            page.mouse.click(x, box["y"] + box["height"] / 2)
        assert re.search(r"in \d+ of 480 training texts", page.inner_text("#term-chosen"))


def test_the_matrix_and_the_search_filter_mistakes(reviews, opened):
    path, model = reviews
    texts, labels = bundled("reviews")[1]
    wrong = [
        (label, found) for label, found in zip(labels, model.predict(texts), strict=True) if label != found
    ]  # fmt: skip
    with opened(path) as page:
        shown = page.locator("#mistake-list > li:visible")
        assert shown.count() == len(wrong)
        cell = page.locator("#matrix button").first
        cell.click()
        assert shown.count() == wrong.count(("neg", "pos")) == int(cell.inner_text())
        assert page.input_value("#mistake-predicted") == "1"
        cell.click()
        assert shown.count() == len(wrong)
        word = shown.nth(3).locator(".text").inner_text().split()[0]
        page.fill("#mistake-search", word.upper())
        assert 1 <= shown.count() < len(wrong)
        assert f"{shown.count()} of {len(wrong)} mistakes shown." == page.inner_text("#mistake-count")
        page.check("#mistake-doubtful")
        assert all("likely wrong label" in text for text in shown.all_inner_texts())
        page.click("#mistake-reset")
        assert shown.count() == len(wrong)
        shown.first.scroll_into_view_if_needed()
        page.wait_for_selector("#mistake-list .text .word")  # tinted when it is seen


def test_arrow_keys_move_in_the_matrix(topics, opened):
    with opened(topics[0]) as page:
        assert page.locator("#matrix button[tabindex='0']").count() == 1
        page.locator("#matrix button[tabindex='0']").focus()
        before = page.evaluate("document.activeElement.getAttribute('aria-label')")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        after = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert before != after
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


def test_the_keyboard_reaches_everything_with_visible_focus(topics, opened):
    with opened(topics[0]) as page:
        wanted = page.evaluate(
            """() => [...document.querySelectorAll("a, button, input, select, textarea, summary, [tabindex='0']")]
                .filter((each) => each.tabIndex >= 0 && each.checkVisibility() && !each.closest("#mistake-list"))
                .map((each, k) => { each.dataset.stop = k; return k; })"""
        )
        reached = {}
        page.evaluate("document.activeElement.blur()")
        for _ in range(len(wanted) + 100):
            page.keyboard.press("Tab")
            stop, outline = page.evaluate(
                "[document.activeElement.dataset.stop, getComputedStyle(document.activeElement).outlineStyle]"
            )
            if stop is not None:
                reached.setdefault(int(stop), outline)
            if len(reached) == len(wanted):
                break
        assert set(reached) == set(wanted)
        assert list(reached) == sorted(reached)  # in the order of the page
        assert set(reached.values()) <= {"solid", "auto"}


def test_everything_has_a_name_for_screen_readers(topics, opened):
    with opened(topics[0]) as page:
        nameless = page.evaluate(
            """() => [...document.querySelectorAll("button, input, select, textarea, svg, canvas, [role=region]")]
                .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() ||
                  (each.labels && each.labels.length) || each.getAttribute("aria-labelledby")))
                .map((each) => each.outerHTML.slice(0, 100))"""
        )
        assert nameless == []
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((each) => each.tagName)")
        assert levels[0] == "H1"
        assert levels.count("H1") == 1


def test_hostile_texts_do_nothing(tmp_path, opened):
    labels = ["<b onclick=hacked()>", "</script>"]
    texts = HOSTILE * 4
    given = [labels[k % 2] for k in range(len(texts))]
    model = TextModel.train([f"{text} word{k % 2}" for k, text in enumerate(texts)], given, "mira")
    write_page(
        tmp_path / "page.html",
        model,
        [*texts],
        given[::-1],
        training=(texts, given),
        title=HOSTILE[0],
        command=HOSTILE[3],
    )
    with opened(tmp_path / "page.html") as page:
        for text in HOSTILE:
            page.fill("#box", text)
            assert page.inner_text("#words").split() == text.split()
        for details in page.locator("#mistake-list details").all():
            details.evaluate("each => { each.open = true; }")
        page.fill("#term-search", "script")
        for button in page.locator("#term-list button").all()[:5]:
            button.click()
        page.wait_for_timeout(200)
        assert page.evaluate("window.hacked") is None
        assert page.locator("iframe, img, #mistake-list svg, #mistake-list script").count() == 0


def test_without_scripts_all_tables_are_there(reviews, opened):
    with opened(reviews[0], scripts=False) as page:
        assert page.locator("table").count() >= 7
        assert page.locator("#mistake-list > li").count() > 10
        assert page.locator("#mistake-list > li").first.is_visible()
        assert page.locator("#matrix").is_visible()
        assert not page.locator("#box").is_visible()
        assert page.locator("text=Scripts are off").is_visible()


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_the_screen(topics, opened, width, dark, tmp_path):
    with opened(topics[0], width=width, dark=dark) as page:
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for section in ("try", "terms", "mistakes", "margins"):  # to look at
            page.locator(f"#{section} h2").scroll_into_view_if_needed()
            page.screenshot(path=tmp_path / f"{section}.png")
        ink, paper = page.evaluate(
            """() => { const style = getComputedStyle(document.documentElement);
                return [style.color, style.backgroundColor]; }"""
        )
        assert contrast(ink, paper) > 7
        muted = page.evaluate("getComputedStyle(document.querySelector('.how')).color")
        assert contrast(muted, paper) > 4.5


def test_it_prints(reviews, opened):
    with opened(reviews[0]) as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator("#box").is_visible()
        assert page.locator("#matrix").is_visible()
        assert page.pdf()[:4] == b"%PDF"


def test_typing_is_fast_with_100_000_terms(tmp_path, opened):
    words = [f"w{k}" for k in range(50_200)]
    texts = [" ".join(words[k : k + 200]) for k in range(0, 50_000, 100)]
    labels = ["pos" if k % 3 else "neg" for k in range(len(texts))]
    model = TextModel.train(texts, labels, recipe("mira").replace(max_iter=1))
    write_page(tmp_path / "page.html", model, texts[:50], labels[:50], max_terms=100_000)
    with opened(tmp_path / "page.html") as page:
        page.fill("#box", " ".join(words[:200]))
        times = page.evaluate(
            """() => Array.from({ length: 30 }, (_, k) => {
                const box = document.getElementById("box"), start = performance.now();
                box.value += ` w${k}`;
                box.dispatchEvent(new InputEvent("input"));
                document.body.offsetHeight; // layout
                return performance.now() - start;
            })"""
        )
        assert statistics.median(times) < 50
        assert page.evaluate("JSON.parse(document.getElementById('model-data').textContent).names.length") == 100_000


def test_a_text_of_a_megabyte(reviews, opened):
    path, model = reviews
    text = ("The film was not good. " * 20 + "\n") * 2_250
    with opened(path) as page:
        page.evaluate(
            """text => {
                const box = document.getElementById("box");
                box.value = text;
                box.dispatchEvent(new InputEvent("input"));
            }""",
            text,
        )
        page.wait_for_selector("#label bdi")
        assert page.inner_text("#label bdi") == model.predict_one(text)
        assert "more characters" in page.inner_text("#words")


def contrast(one, other):
    """Return the contrast of two colours as WCAG defines it."""

    def luminance(colour):
        channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(one), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)
