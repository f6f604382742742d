"""A token_pattern that may backtrack forever is detected by its structure; loading a model with one warns."""

from __future__ import annotations

import re
import signal
import subprocess
import time
import warnings

import numpy as np
import pytest

from helpers.fresh import FRESH_PYTHON
from helpers.model_files import XOR, put_together, taken_apart
from textperceptron import TextModel
from textperceptron.model import SlowPatternWarning, inspect
from textperceptron.settings import recipe
from textperceptron.settings.text import COMPILED_PATTERNS
from textperceptron.text.patterns import may_backtrack

COMMAND = [*FRESH_PYTHON, "from textperceptron.__main__ import run; run()"]

HARMLESS = [
    r"[a-z]+", r"\b\w\w+\b", r"\w+(?:'\w+)?", r"[A-Za-z]+(?:-[A-Za-z]+)*", r"\b\w+(?:[-']\w+)*\b", r"\S+",
    r"\d+(?:[.,]\d+)?|\w+", r"(\w+)", r"(?i)[a-z]{3,}", r"#?\w+", r"@\w+|#\w+|\w+", r"https?://\S+|\w+",
    r"(?:[A-Z][a-z]+)+", r"\w{2,20}", r"(?:\w\.)+|\w+", r"[\w.]+@[\w.]+\.\w+", r"\w+x", r"(?<!\w)\w+(?!\w)", r".",
    r"\$?\d+(?:\.\d+)?%?", r"(?:\w+\.)+\w+", r"(?>\w+)", r"\w++", r"(?:\w|\d)*!", *COMPILED_PATTERNS,
]  # fmt: skip

# Each with a text on which it takes at least seconds.
ENDLESS = [
    (r"(?:a+)+b", "a" * 60), (r"(a*)*b", "a" * 60), (r"(?:a|aa)+b", "a" * 60), (r"(\w+\s?)*$", "a" * 60 + "!"),
    (r"(?s).*.*.*.*#", "a" * 600), (r"\w*\w*\w*\w*x", "a" * 600), ("a?" * 30 + "a" * 30, "a" * 29 + "b"),
    (r"(?:a?){40}a{40}", "a" * 40), (r"(x+x+)+y", "x" * 60), (r"(?:(?:ab)?(?:a|b)?)*c", "ab" * 40),
    (r"(?:a{1,9}){1,9}b", "a" * 200), (r"(?:(?!b))?" * 30 + "!", "a" * 9),
]  # fmt: skip


class TooSlowError(Exception):
    """A match was interrupted."""


@pytest.fixture
def alarm():
    """Return a function that interrupts a match after some processor time; re checks for signals on the main thread."""

    def interrupt(*_):
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, interrupt)

    def is_slow(matches, text, seconds):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            matches(text)
        except TooSlowError:
            return True
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return False

    yield is_slow
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("pattern", HARMLESS)
def test_usual_patterns_are_not_suspected(pattern):
    assert not may_backtrack(pattern)


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "text"), ENDLESS, ids=[pattern for pattern, _ in ENDLESS])
def test_patterns_that_backtrack_forever_are_detected(alarm, pattern, text):
    assert alarm(re.compile(pattern).findall, text, 0.2)  # a match without backtracking takes microseconds
    assert may_backtrack(pattern)


def test_a_pattern_of_more_than_a_thousand_characters_is_not_examined():
    assert not may_backtrack("a" * 1000)
    assert may_backtrack("a" * 1001)


PARTS = ["a", "b", "c", "[ab]", "[^a]", r"\w", ".", "[bc]", r"\b", r"\d", "(?=a)", "(?!b)"]
TIMES = ["*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{0,12}", "{2,}", "{15}", "*+"]
TEXTS = ["a" * 60, "ab" * 30, "aab" * 20, "abc" * 20, "b" * 60, "a" * 59 + "!", "ab" * 30 + "!", "aabbcc" * 10 + "!"]


def any_pattern(random, depth=0):
    way = random.random()
    if depth > 4 or way < 0.35:
        return str(random.choice(PARTS))
    first = any_pattern(random, depth + 1)
    if way < 0.7:
        second = any_pattern(random, depth + 1)
        return first + second if way < 0.55 else f"(?:{first}|{second})"
    return f"(?:{first}){random.choice(TIMES)}"


@pytest.mark.parametrize("n_patterns", [300, pytest.param(3000, marks=pytest.mark.slow)])
def test_no_pattern_that_is_not_suspected_is_slow(alarm, n_patterns):
    random, n_harmless = np.random.default_rng(0), 0
    while n_harmless < n_patterns:
        pattern = any_pattern(random) + str(random.choice(["", "x", "$", "!"]))
        if may_backtrack(pattern):
            continue
        n_harmless += 1
        find = re.compile(pattern).findall
        assert not alarm(lambda _, find=find: [find(text) for text in TEXTS], None, 5.0), pattern


def forged(path, pattern, **others):
    """Write a model whose words are found by a pattern."""
    TextModel.train(*XOR, recipe("mira")).save(path)
    outer, own, arrays = taken_apart(path.read_bytes())
    own["settings"]["text"] |= {"token_pattern": pattern, **others}
    path.unlink()
    path.write_bytes(put_together(outer, own, arrays))
    return path


def test_loading_a_file_with_such_a_pattern_warns_with_its_path(tmp_path):
    path = forged(tmp_path / "forged.tpm", "(?:a+)+b")
    for read in (TextModel.load, inspect):
        with pytest.warns(
            SlowPatternWarning, match=r"forged\.tpm: its token_pattern '\(\?:a\+\)\+b' may take"
        ) as found:
            read(path)
        assert found[0].filename == __file__
    with pytest.warns(SlowPatternWarning):
        assert TextModel.load(path).predict(["not bad"])


@pytest.mark.parametrize("pattern", [r"[a-z]+", r"\w+(?:'\w+)?", r"(?u)\w+|[^\w\s]"])
def test_files_with_usual_patterns_are_opened_without_a_warning(tmp_path, pattern):
    path = forged(tmp_path / "model", pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TextModel.load(path)
        inspect(path)


def test_the_character_analyzer_ignores_the_pattern(tmp_path):
    TextModel.load(forged(tmp_path / "model", "(?:a+)+b", analyzer="char"))


@pytest.mark.slow
@pytest.mark.parametrize("verb", [["inspect"], ["predict"], ["explain"]])
def test_the_command_line_warns_in_one_line(tmp_path, verb):
    path = forged(tmp_path / "forged.tpm", "(?:a+)+b")
    (tmp_path / "texts").write_text("not bad\n")
    further = {"predict": [str(tmp_path / "texts")], "explain": ["not bad"]}.get(verb[0], [])
    done = subprocess.run([*COMMAND, *verb, path, *further], capture_output=True, text=True, timeout=60, check=True)
    assert re.fullmatch(
        rf"textperceptron: {path}: its token_pattern '\(\?:a\+\)\+b' may .* trust its source\.\n", done.stderr
    )


def test_ctrl_c_stops_a_match_that_backtracks_forever(tmp_path):
    path = forged(tmp_path / "forged.tpm", "(?:a+)+b")
    (tmp_path / "texts").write_text(("a" * 60 + "\n") * 20_000)  # several batches, which threads would share
    command = [*COMMAND, "predict", path, tmp_path / "texts"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as predict:
        try:
            assert "may take very long" in predict.stderr.readline()
            time.sleep(0.3)
            assert predict.poll() is None
            predict.send_signal(signal.SIGINT)
            assert predict.wait(20) == 130
        finally:
            predict.kill()
