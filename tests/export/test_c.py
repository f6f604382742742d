"""The C file: strict C99, safe with any bytes, and a program that reads lines."""

from __future__ import annotations

import random
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.bundled import bundled
from helpers.exported import compile_c, opened, program
from helpers.exported_cases import LEARNERS, TEXT_SETTINGS, awkward_texts
from helpers.texts import AWKWARD, WIDE
from textperceptron import TextModel
from textperceptron.export import c_source, export_model
from textperceptron.export.c import hash_slots
from textperceptron.text.vocabulary import Vocabulary

SPECIAL = ['a"b', "a\\b", "??/", "two\nlines", "a\tb", "*/", "%s", "\x00", "é", "\ud800", "#if", "\u2028"]


@pytest.fixture(scope="module")
def reviews():
    train, _ = bundled("reviews")
    return TextModel.train(*train)


@pytest.fixture(scope="module")
def library(reviews, tmp_path_factory):
    with opened("c", reviews, tmp_path_factory.mktemp("c")) as running:
        yield running


def decoded(data):
    """Return the text that the classifier sees: U+FFFD for what is not UTF-8, but surrogates as they are."""
    text = ""
    while data:
        try:
            return text + data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as problem:
            text += data[: problem.start].decode("utf-8", "surrogatepass") + "\ufffd"
            data = data[problem.end :]
    return text


PARTS = [b"a", b"\xe2\x82", b"\xac", b"\xf0\x9f", b"\xed\xa0\x80", b"\xed", b"\xc0\x80", b"\xf4\x90", b"good "]


@given(st.binary(max_size=40) | st.lists(st.sampled_from(PARTS)).map(b"".join))
def test_bytes_that_are_not_utf8_count_as_replacement_characters(reviews, library, data):
    code, scores = library.classify(data)
    assert (reviews.classes[code], scores[0]) == (
        reviews.predict_one(decoded(data)),
        reviews.scores([decoded(data)])[0],
    )


def test_threads_share_the_library(reviews, library):
    texts = bundled("reviews").test.texts * 5
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: library.classify(text)[1][0], texts))
    np.testing.assert_array_equal(found, reviews.scores(texts))


def test_labels_and_terms_with_special_characters(tmp_path):
    model = TextModel.train([f"{each} {each}x" for each in SPECIAL], SPECIAL)
    with opened("c", model, tmp_path) as running:
        labels, scores, _ = running.results(SPECIAL)
        assert labels == model.predict(SPECIAL)
        np.testing.assert_array_equal(scores, model.scores(SPECIAL))
        shown = {b"two\\u000alines", b"a\\u0009b", b"\\u0000", "é".encode(), b"\\ud800", b"\\u2028", b"??/", b"%s"}
        assert shown <= set(running.labels)


def test_the_program_prints_label_and_scores_per_line(reviews, library, tmp_path):
    compile_c(library.path, tmp_path / "reviews", "-O2")
    texts = ["A lovely evening", "", "An awful phone", "x" * 100_000, "nul\x00nul"]
    data = "\n".join(texts).replace("evening", "evening\r").encode()
    done = subprocess.run([tmp_path / "reviews"], input=data, capture_output=True, check=True)
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert [line[0] for line in lines] == reviews.predict(texts)
    np.testing.assert_allclose([float(line[2]) for line in lines], reviews.scores(texts), rtol=1e-5)
    np.testing.assert_allclose([float(line[1]) for line in lines], -reviews.scores(texts), rtol=1e-5)
    assert subprocess.run([tmp_path / "reviews"], input=b"", capture_output=True, check=True).stdout == b""


def test_two_models_in_one_program(tmp_path):
    source = "#include <stdio.h>\n#include <stddef.h>\n"
    source += "int one(const char *, size_t, double *), two(const char *, size_t, double *);\n"
    source += 'int main(void) { double s[1]; printf("%d%d\\n", one("good", 4, s), two("good", 4, s)); return 0; }\n'
    (tmp_path / "main.c").write_text(source)
    for name, labels in (("one", ["a", "b"]), ("two", ["b", "a"])):
        export_model(TextModel.train(["good", "bad"], labels), tmp_path / f"{name}.c")
    compiler = program("cc", "gcc", "clang")
    for name in ("one", "two"):
        renamed = [f"-Dtp_classify={name}", f"-Dtp_labels={name}_labels", "-DTP_NO_MAIN"]
        subprocess.run([compiler, *renamed, "-c", f"{name}.c"], cwd=tmp_path, check=True)
    subprocess.run([compiler, "main.c", "one.o", "two.o", "-lm", "-o", "both"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "both"], capture_output=True, text=True, check=True).stdout == "01\n"


@pytest.mark.slow
@pytest.mark.parametrize("changes", ["best", "fast", "char_wb", "accents", "conjunctions", "hashed", "one-vs-one"])
def test_sanitizers_find_nothing(changes, tmp_path):
    named = {"char_wb": "in words", "conjunctions": "runs of marks"}
    settings = {**TEXT_SETTINGS, **LEARNERS}[named.get(changes, changes)]
    texts, labels = awkward_texts(300)
    source = tmp_path / "model.c"
    export_model(TextModel.train(texts, labels, settings), source)
    compile_c(source, tmp_path / "model", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    draw = random.Random(0)
    lines = [text.encode("utf-8", "surrogatepass") for text in texts]
    lines += [draw.randbytes(draw.randrange(200)) for _ in range(500)]
    lines += [
        "".join(draw.choices(AWKWARD + WIDE, k=5000)).encode("utf-8", "surrogatepass"),
        b"a" * 200_000,
        b"\xff" * 9999,
    ]
    data = b"\n".join(line.replace(b"\n", b" ") for line in lines)
    done = subprocess.run([tmp_path / "model"], input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == len(lines)


@given(st.lists(st.text(max_size=8), unique=True, max_size=60))
def test_every_name_is_in_the_hash_table_before_an_empty_slot(names):
    from textperceptron import _kernels

    vocabulary = Vocabulary.from_names(names)
    slots = hash_slots(vocabulary)
    place = np.empty(len(names), np.int32)
    _kernels.hash_names(vocabulary.offsets, vocabulary.arena, len(slots), place)
    for column, start in enumerate(place.tolist()):
        while slots[start] != column + 1:
            assert slots[start] != 0
            start = (start + 1) % len(slots)


def test_the_file_is_ascii_and_the_same_each_time(reviews):
    assert c_source(reviews) == c_source(reviews)
    assert c_source(reviews).isascii()
