"""Control characters in data never reach a terminal unescaped; output for programs is exact."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
import tarfile

import pytest

from helpers import corpus_files as files
from helpers.corpus_server import serving
from helpers.model_files import put_together, taken_apart
from helpers.terminal import in_a_terminal
from helpers.texts import shared_file
from textperceptron import TextModel
from textperceptron.cli import main
from textperceptron.cli.escaping import escaped, escaped_field, escaped_lines, json_line
from textperceptron.settings import recipe

COMMAND = [sys.executable, "-P", "-m", "textperceptron"]

# A sequence that sets a terminal's title, its bell, a colour by a C1 character, every control of direction, DEL, and
# markup of Rich and str.format.
EVIL = "\x1b]0;owned\x07\x9b31m\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x7f[red]{0}"
ESCAPED = r"\x1b]0;owned\x07\x9b31m\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x7f[red]{0}"
FROM_A_SERVER, ESCAPED_OF_A_SERVER = "\x1b]0;owned\x07\x9b31m\x7f[red]{0}", r"\x1b]0;owned\x07\x9b31m\x7f[red]{0}"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
IN_A_TERMINAL = re.compile("\x1b]|[\x07\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

ROWS = b"".join(f"{'ab'[k % 2]}\tword{k % 2} other{k} {EVIL}\n".encode() for k in range(20))
LABELLED = b"".join(f"{['a', EVIL][k % 2]}\tword{k % 2} other{k}\n".encode() for k in range(20))
BAD = ROWS + b"no tab\n"
TERMS = ["--recipe", "perceptron", "--token-pattern", r"\S+"]


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, raw in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return out.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Create models with malicious labels and terms, forged models, and corpora with malicious names."""
    folder = tmp_path_factory.mktemp("evil")
    texts = [f"word{k % 2} other{k} {EVIL}" for k in range(20)]
    settings = recipe("perceptron").replace(token_pattern=r"\S+")
    model = TextModel.train(texts, [["a", EVIL][k % 2] for k in range(20)], settings)
    model.save(folder / f"{EVIL}.tpm")
    model.save(folder / "m.tpm")
    TextModel.train(texts, ["ab"[k % 2] for k in range(20)], settings).save(folder / "ab.tpm")
    outer, own, data = taken_apart((folder / "m.tpm").read_bytes())
    for name, changes in {
        "toolkit": {"toolkit": EVIL}, "newer": {"toolkit": EVIL[:20], "format": 9}, "kind": {"kind": EVIL[:20]},
        "unknown": {EVIL[:40]: 1}, "settings": {"settings": {**own["settings"], EVIL: 1}},
    }.items():  # fmt: skip
        (folder / f"{name}.tpm").write_bytes(put_together(outer, own | changes, data))
    (folder / "array.tpm").write_bytes(put_together(outer | {EVIL: {}}, own, data))
    for name, raw in {
        f"{EVIL}.tsv": ROWS, f"bad {EVIL}.tsv": BAD, "labelled.tsv": LABELLED, "plain.txt": EVIL.encode(),
        "a.zip": files.zipped({f"{EVIL}.tsv": BAD}), "a.tar": tar_of({f"{EVIL}.tsv": BAD}), "rows.tsv": ROWS,
        "header.csv": f"{EVIL},b,c\n1,2,3\n".encode(), f"classes/{EVIL}/1": b"one", "classes/b/1": b"two",
        f"bytes/{EVIL}/1": b"\xff", f"empty {EVIL}.tsv": b"",
    }.items():  # fmt: skip
        files.write_tree(folder, {name: raw})
    (folder / "one.tsv").write_text(f"{EVIL}\ttext\n")
    os.mkfifo(folder / "bytes" / EVIL / "0")
    return folder


# Source of the malicious text, command, exit code.
CASES = [
    ("file", ["train", f"{EVIL}.tsv"], 0),
    ("file", ["train", f"{EVIL}.tsv", "--test", f"{EVIL}.tsv", "--prune", "5"], 0),
    ("file", ["train", f"bad {EVIL}.tsv"], 2),
    ("file", ["train", f"bad {EVIL}.tsv", "--skip-bad"], 0),
    ("file", ["train", f"empty {EVIL}.tsv"], 2),
    ("file", ["train", f"no {EVIL}.tsv"], 2),
    ("file", ["train", "bytes"], 2),
    ("file", ["train", "rows.tsv", "--model", f"no {EVIL}/m.tpm"], 2),
    ("file", ["train", "rows.tsv", "--model", f"new {EVIL}.tpm"], 0),
    ("file", ["train", "rows.tsv", "--stop-words", f"@no {EVIL}"], 2),
    ("file", ["tune", f"{EVIL}.tsv", "--trials", "2", "--folds", "2"], 0),
    ("file", ["predict", "m.tpm", f"no {EVIL}"], 2),
    ("file", ["predict", f"no {EVIL}.tpm", "rows.tsv"], 2),
    ("file", ["evaluate", "ab.tpm", f"{EVIL}.tsv", "--compare", "ab.tpm"], 0),
    ("file", ["evaluate", f"{EVIL}.tpm", "labelled.tsv"], 0),
    ("file", ["inspect", f"{EVIL}.tpm"], 0),
    ("file", ["explain", f"no {EVIL}.tpm", "text"], 2),
    ("member of a zip", ["train", "a.zip"], 2),
    ("member of a tar", ["train", "a.tar"], 2),
    ("column", ["train", "header.csv", "--text-column", "no"], 2),
    ("label", ["train", "labelled.tsv"], 0),
    ("label", ["train", "classes"], 0),
    ("label", ["train", "one.tsv"], 2),
    ("label", ["train", "labelled.tsv", "--class-weight", f"{EVIL}=2,a=1"], 0),
    ("label", ["tune", "labelled.tsv", "--trials", "2", "--folds", "2", "--metric", "f1", "--label", EVIL], 0),
    ("label", ["evaluate", "m.tpm", "labelled.tsv"], 0),
    ("label", ["evaluate", "m.tpm", f"{EVIL}.tsv"], 0),
    ("label", ["evaluate", "ab.tpm", "classes"], 0),
    ("label", ["inspect", "m.tpm"], 0),
    ("term", ["train", "rows.tsv", *TERMS], 0),
    ("term", ["explain", "m.tpm", f"word1 {EVIL}"], 0),
    ("text", ["explain", "m.tpm", f"{EVIL}\n{EVIL}\r"], 0),
    ("header", ["inspect", "toolkit.tpm"], 0),
    ("header", ["explain", "newer.tpm", "text"], 2),
    ("header", ["predict", "kind.tpm", "rows.tsv"], 2),
    ("header", ["inspect", "kind.tpm"], 2),
    ("header", ["inspect", "unknown.tpm"], 2),
    ("header", ["inspect", "settings.tpm"], 2),
    ("header", ["evaluate", "array.tpm", "rows.tsv"], 2),
    ("argument", [EVIL], 2),
    ("argument", ["train", f"--{EVIL}"], 2),
    ("argument", ["train", "rows.tsv", "--format", EVIL], 2),
    ("argument", ["train", "rows.tsv", "--learner", EVIL], 2),
    ("argument", ["corpora", "fetch", EVIL], 2),
    ("argument", ["corpora", "path", EVIL], 2),
    ("argument", ["corpora", "fetch", "subjectivity", "--url", f"ftp://{EVIL}"], 2),
]  # fmt: skip
NAMES = [f"{source}: {' '.join(words).replace(EVIL, 'EVIL')}" for source, words, _ in CASES]


@pytest.fixture
def inside(made, tmp_path, monkeypatch):
    """Change to the folder of malicious files, with an empty folder of corpora."""
    monkeypatch.chdir(made)
    monkeypatch.setenv("TEXTPERCEPTRON_DATA", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return made


def is_escaped(shown):
    return ESCAPED[:23] in shown  # messages quote the beginning of long texts


@pytest.mark.parametrize(("source", "words", "code"), CASES, ids=NAMES)
def test_control_characters_are_escaped(inside, capfd, source, words, code):
    capfd.readouterr()
    assert main(words) == code
    printed = "".join(capfd.readouterr())
    assert not RAW.search(printed)
    assert is_escaped(printed)


def in_a_wide_terminal(words, **environment):
    return in_a_terminal(*words, COLUMNS="3000", **environment)


@pytest.mark.slow
@pytest.mark.parametrize(("source", "words", "code"), CASES, ids=NAMES)
def test_control_characters_are_escaped_in_a_terminal(inside, source, words, code):
    found, shown = in_a_wide_terminal(words)
    assert found == code
    assert not IN_A_TERMINAL.search(shown)
    assert is_escaped(shown)


def test_server_responses_are_escaped(inside, capfd):
    with serving({}, reason=FROM_A_SERVER) as server:
        for words in (["corpora", "fetch", "subjectivity", "--url", server.url("x")],):
            assert main(words) == 2
            printed = "".join(capfd.readouterr())
            assert f"(the server says 404 {ESCAPED_OF_A_SERVER})" in printed
            assert not RAW.search(printed)
            shown = in_a_wide_terminal(words)[1]
            assert ESCAPED_OF_A_SERVER in shown
            assert not IN_A_TERMINAL.search(shown)


def test_a_traceback_is_escaped(inside):
    env = os.environ | {"TEXTPERCEPTRON_TRACEBACK": "1"}
    done = subprocess.run([*COMMAND, "train", f"no {EVIL}"], capture_output=True, env=env, check=False)
    shown = done.stderr.decode()
    assert shown.startswith("Traceback (most recent call last):\n")
    assert ESCAPED in shown
    assert not RAW.search(shown)


JSON = [
    (["train", f"{EVIL}.tsv", "--json", *TERMS], lambda found: found["corpus"] == f"{EVIL}.tsv"),
    (
        ["tune", f"{EVIL}.tsv", "--trials", "2", "--folds", "2", "--json"],
        lambda found: f"{EVIL}.tsv" in found["command"],
    ),
    (["evaluate", "m.tpm", "labelled.tsv", "--json"], lambda found: EVIL in {c["label"] for c in found["classes"]}),
    (["inspect", "toolkit.tpm", "--json"], lambda found: found["classes"][0] == EVIL and found["toolkit"] == EVIL[:40]),
    (["explain", "m.tpm", EVIL, "--json"], lambda found: EVIL in {term["name"] for term in found["terms"]}),
    (["predict", "m.tpm", "labelled.tsv", "--json", "--scores"], lambda found: EVIL in found["scores"]),
]


@pytest.mark.parametrize(("words", "is_exact"), JSON, ids=[words[0] for words, _ in JSON])
def test_json_is_exact_and_harmless(inside, capfd, words, is_exact):
    assert main(words) == 0
    printed = capfd.readouterr().out
    assert not RAW.search(printed)
    assert is_exact(json.loads(printed.splitlines()[0]))


@pytest.mark.slow
@pytest.mark.parametrize("words", [words for words, _ in JSON], ids=[words[0] for words, _ in JSON])
def test_json_is_harmless_in_a_terminal(inside, words):
    found, shown = in_a_wide_terminal(words)
    assert found == 0
    assert not IN_A_TERMINAL.search(shown)


def test_labels_are_exact_for_programs_and_escaped_in_a_terminal(inside, capfd, tmp_path):
    (tmp_path / "texts").write_text("word1 other1\nword0 other0\n")
    words = ["predict", "m.tpm", str(tmp_path / "texts")]
    assert main(words) == 0
    assert capfd.readouterr().out == f"{EVIL}\na\n"
    assert main([*words, "--output", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_text() == f"{EVIL}\na\n"
    assert main([*words, "--scores"]) == 0
    assert re.fullmatch(rf"{re.escape(EVIL)}\t[\d.]+\na\t[\d.]+\n", capfd.readouterr().out)
    assert in_a_wide_terminal(words) == (0, f"{ESCAPED}\na\n")
    leader, follower = pty.openpty()
    assert main([*words, "--output", os.ttyname(follower)]) == 0
    assert os.read(leader, 1 << 16).decode() == f"{ESCAPED}\r\na\r\n"
    os.close(leader)
    os.close(follower)
    assert re.fullmatch(rf"{re.escape(ESCAPED)}\t[\d.]+\na\t[\d.]+\n", in_a_wide_terminal([*words, "--scores"])[1])


def test_a_label_never_breaks_a_line(inside, capfd, tmp_path, monkeypatch):
    label, spelt = "a\tb\nc\rd\x0b\x0c\x1c\x85\u2028e", r"a\tb\nc\rd\x0b\x0c\x1c\x85\u2028e"
    TextModel.train(["one", "two"], [label, "z"]).save(tmp_path / "m.tpm")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n"), encoding="utf-8"))
    assert main(["predict", str(tmp_path / "m.tpm")]) == 0
    assert capfd.readouterr().out == f"{spelt}\nz\n"


@pytest.mark.parametrize(
    "name",
    [
        EVIL,
        pytest.param(b"no \xff text".decode("utf-8", "surrogateescape"), marks=pytest.mark.slow),
        pytest.param("two\nlines", marks=pytest.mark.slow),
    ],
)
def test_paths_are_exact_for_programs_and_escaped_in_a_terminal(inside, tmp_path, name):
    corpus = {"sentence_polarity.zip": shared_file("sentence_polarity.zip").read_bytes()}
    data = str(files.write_tree(tmp_path / name, corpus))
    words = ["corpora", "path", "sentence_polarity"]
    env = os.environ | {"TEXTPERCEPTRON_DATA": data}
    done = subprocess.run([*COMMAND, *words], capture_output=True, env=env, check=True)
    assert done.stdout == os.fsencode(f"{data}/sentence_polarity.zip\n")
    assert in_a_wide_terminal(words, TEXTPERCEPTRON_DATA=data) == (0, escaped(f"{data}/sentence_polarity.zip") + "\n")


@pytest.mark.slow
def test_every_control_character_is_escaped_and_others_are_not():
    every = "".join(map(chr, range(0x110000)))
    spelt = escaped(every)
    assert not re.search("[\t\n\ud800-\udfff]", spelt)
    assert not RAW.search(spelt)
    controls = {*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)}
    controls |= set(range(0xD800, 0xE000))
    for code in range(0x110000):
        character = chr(code)
        assert (escaped(character) == character) == (code not in controls)
        assert (escaped_lines(character) == character) == (code not in controls or character in "\t\n")
        assert (escaped_field(character) == character) == (
            character != "\t" and len(f"a{character}a".splitlines()) == 1
        )
    assert escaped(spelt) == spelt
    for part in (every[:0xDC00], every[0xDC00:]):  # between them JSON would read a pair of surrogates as one character
        assert json.loads(json_line(part)) == part
