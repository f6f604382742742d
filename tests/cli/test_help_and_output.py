"""The command line: the same results as Python, help, completion, colours and links."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from sklearn.pipeline import make_pipeline

from helpers.command_cases import MODELS
from helpers.corpus_server import serving
from helpers.fresh import run_fresh
from helpers.terminal import in_a_terminal
from helpers.texts import shared_file
from textperceptron import AROW, MIRA, BagOfWords, OneVsAll, WordPairs
from textperceptron.cli import main
from textperceptron.cli.corpus_options import FORMATS
from textperceptron.cli.explain import _coloured
from textperceptron.cli.main import VERBS, app
from textperceptron.cli.model_io import open_model
from textperceptron.cli.setting_options import setting_options
from textperceptron.corpus import load_corpus
from textperceptron.corpus.options import FILE_FORMATS, LAYOUTS
from textperceptron.model import Explanation, TextModel, Word
from textperceptron.report import compare, evaluate, folds, hold_out
from textperceptron.settings import recipe, setting_fields
from textperceptron.settings.typed_json import as_json

COMMAND = [sys.executable, "-P", "-m", "textperceptron"]


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; return its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run_it(*words, stdin="", exit_code=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        capfd.readouterr()
        assert main(list(map(str, words))) == exit_code
        return capfd.readouterr().out

    return run_it


# Options of train, and the corresponding settings in Python.
SAME = [
    ([], "best"),
    (["--recipe", "perceptron"], "perceptron"),
    (["--learner", "arow", "--r", "0.1", "--max-iter", "3"], recipe("best").replace(learner="arow", r=0.1, max_iter=3)),
    (
        ["--ngram-range", "1", "3", "--counts", "--min-df", "2", "--max-df", "0.5", "--seed", "3"],
        recipe("best").replace(ngram_range=(1, 3), binary=False, min_df=2, max_df=0.5, seed=3),
    ),
    (["--n-features", "512", "--shuffle", "no"], recipe("best").replace(n_features=512, shuffle=False)),
    (["--class-weight", "neg=2,pos=0.5"], recipe("best").replace(class_weight=(("neg", 2.0), ("pos", 0.5)))),
    (["--class-weight", "balanced", "--calibrate"], recipe("best").replace(class_weight="balanced", calibrate=True)),
    (["--stop-words", "the, and", "--negation"], recipe("best").replace(stop_words=("the", "and"), negation=True)),
    (["--conjunctions"], recipe("best").replace(conjunctions=WordPairs().settings())),
    (["--pivots", "any", "--window", "2"], recipe("best").replace(conjunctions=WordPairs(None, 2).settings())),
    (["--window", "0"], recipe("best").replace(conjunctions=WordPairs(window=None).settings())),
    (
        ["--conjunctions", "--pivots", "not,no"],
        recipe("best").replace(conjunctions=WordPairs(["not", "no"]).settings()),
    ),
    (["--no-conjunctions"], "best"),
    (["--column-weight", "log_count_ratio"], recipe("best").replace(column_weight="log_count_ratio")),
    (["--column-weight", "none", "--strip-accents", "none"], recipe("best").replace(column_weight=None)),
    (["--recipe", "mira"], "mira"),
    (
        ["--norm", "none", "--interpolation", "0.2", "--no-ratio-binary", "--multiclass", "native"],
        recipe("best").replace(norm=None, interpolation=0.2, ratio_binary=False, multiclass="native"),
    ),
    (["--pair-bits", "12", "--epochs", "2"], recipe("best").replace(pair_bits=12, max_iter=2)),
    (["--stop-words", "english"], recipe("best").replace(stop_words="english")),
]


@pytest.mark.parametrize(("options", "settings"), SAME, ids=[" ".join(words) for words, _ in SAME])
def test_a_model_has_the_same_bytes_whether_the_command_line_or_python_makes_it(run, tmp_path, options, settings):
    run("train", "reviews", "--model", "command.tpm", *options)
    corpus = load_corpus("reviews")
    model = TextModel.train(corpus.texts, corpus.labels, settings)
    model.measured = TextModel.load("command.tpm").measured
    model.save(tmp_path / "python.tpm")
    assert (tmp_path / "command.tpm").read_bytes() == (tmp_path / "python.tpm").read_bytes()


def test_stop_words_are_read_from_a_file_with_one_word_per_line(run, tmp_path):
    (tmp_path / "words.txt").write_text("\ufeffthe\n\n and \nnaïve", encoding="utf-8")
    run("train", "reviews", "--model", "file.tpm", "--stop-words", "@words.txt")
    run("train", "reviews", "--model", "given.tpm", "--stop-words", "the,and,naïve")
    assert (tmp_path / "file.tpm").read_bytes() == (tmp_path / "given.tpm").read_bytes()


@pytest.mark.parametrize(
    ("corpus", "options", "learner"),
    [
        ("reviews", [], MIRA(C=0.01)),
        ("reviews", ["--learner", "arow"], AROW()),
        ("stars", [], MIRA(C=0.01)),
        ("stars", ["--multiclass", "one-vs-all"], OneVsAll(MIRA(C=0.01))),
    ],
)
def test_labels_and_accuracy_are_those_of_the_estimators(run, corpus, options, learner):
    printed = run("train", corpus, "--recipe", "mira", "--model", "m.tpm", *options)
    texts = load_corpus(corpus)
    pipeline = make_pipeline(BagOfWords(ngram_range=(1, 2), binary=True), learner).fit(texts.texts, texts.labels)
    expected = pipeline.predict(texts.test.texts).tolist()
    assert run("predict", "m.tpm", stdin="\n".join(texts.test.texts)).splitlines() == expected
    right = round(len(expected) * pipeline.score(texts.test.texts, texts.test.labels))
    assert f"{right} of {len(expected)} correct" in printed


def test_predictions_scores_and_probabilities_are_those_of_python(run):
    for command in MODELS.values():
        run(*command.split())
    for path in MODELS:
        model = TextModel.load(path)
        texts = load_corpus("stars" if path == "stars.tpm" else "reviews").test.texts
        lines = "\n".join(texts) + "\n"
        labels = model.predict(texts)
        assert run("predict", path, stdin=lines).splitlines() == labels
        scores = model.scores(texts).tolist()
        for kind in ("--scores", "--probabilities") if model.parts.calibration else ("--scores",):
            answers = [json.loads(line) for line in run("predict", path, "--json", kind, stdin=lines).splitlines()]
            assert [answer["label"] for answer in answers] == labels
            assert [answer["line"] for answer in answers] == list(range(1, len(texts) + 1))
            expected = model.probabilities(texts).tolist() if kind == "--probabilities" else scores
            for answer, values in zip(answers, expected, strict=True):
                given = answer[kind[2:]]
                if isinstance(values, float):
                    values = [-values, values]
                assert given == dict(zip(model.classes, values, strict=True))
                assert next(iter(given)) == answer["label"]
                if kind == "--scores":
                    assert list(given.values()) == sorted(given.values(), reverse=True)


def test_evaluations_are_those_of_python(run):
    for command in MODELS.values():
        run(*command.split())
    test = load_corpus("reviews").test
    first, second = (TextModel.load(path).predict(test.texts) for path in ("reviews.tpm", "arow.tpm"))
    found = json.loads(run("evaluate", "reviews.tpm", "reviews", "--compare", "arow.tpm", "--json"))
    assert found["mcnemar"] == compare(test.labels, first, second).as_dict()
    assert found["compared"] == {"model": "arow.tpm", **evaluate(test.labels, second).as_dict()}
    expected = evaluate(test.labels, first).as_dict()
    assert {name: found[name] for name in expected} == expected


def test_hold_out_and_folds_are_those_of_python(run):
    measured = json.loads(run("train", "stars", "--holdout", "0.3", "--cv", "4", "--seed", "5", "--json"))["measured"]
    corpus, settings = load_corpus("stars"), recipe("best").replace(seed=5)

    def right(rest, held_out):
        model = TextModel.train([corpus.texts[k] for k in rest], [corpus.labels[k] for k in rest], settings)
        found = model.predict([corpus.texts[k] for k in held_out])
        return sum(corpus.labels[k] == label for k, label in zip(held_out, found, strict=True))

    shares = {each["method"]: each["accuracy"]["right"] for each in measured}
    assert shares["hold-out"] == right(*hold_out(corpus.labels, 0.3, 5))
    assert shares["cross-validation"] == sum(right(*part) for part in folds(corpus.labels, 4, 5))


def test_explanations_are_those_of_python_and_add_up(run):
    run("train", "stars", "--model", "m.tpm")
    text = "An average meal, not the best, but the waiter was lovely"
    found = json.loads(run("explain", "m.tpm", text, "--json"))
    assert found == json.loads(json.dumps(TextModel.load("m.tpm").explain(text).as_dict()))
    for k, score in enumerate(found["scores"]):
        added = sum(term["contributions"][k] for term in found["terms"])
        assert score == pytest.approx(found["intercepts"][k] + added, abs=1e-9)


def test_the_json_of_train_and_inspect_agrees_with_the_model(run):
    told = json.loads(run("train", "reviews", "--recipe", "mira", "--model", "m.tpm", "--json"))
    model = TextModel.load("m.tpm")
    inspected = json.loads(run("inspect", "m.tpm", "--json"))
    assert told["settings"] == inspected["settings"] == model.settings.as_json()
    assert told["columns"] == inspected["columns"] == model.n_columns
    assert told["bytes"] == inspected["bytes"] == os.path.getsize("m.tpm")
    assert told["history"] == inspected["summary"]["history"] == as_json(model.history)
    assert told["top_terms"]["pos"] == [name for name, _ in model.top_terms("pos", 8)]
    assert list(inspected["top_terms"][1])[:8] == told["top_terms"]["pos"]
    assert told["measured"][0]["method"] == "test split"
    assert told["measured"][0]["accuracy"]["right"] == 116


def test_without_a_test_split_the_accuracy_is_that_of_the_first_epoch_unless_there_are_ratios(run, tmp_path):
    (tmp_path / "some.tsv").write_text("".join(f"{'ab'[k % 2]}\tword{k % 2} other{k}\n" for k in range(50)))
    held_out, asked_for = (json.loads(run("train", "some.tsv", "--json", *more)) for more in ([], ["--holdout", "0.2"]))
    assert held_out["measured"] == asked_for["measured"]
    assert [each["method"] for each in held_out["measured"]] == ["hold-out"]
    told = json.loads(run("train", "some.tsv", "--recipe", "mira", "--json"))
    assert [each["method"] for each in told["measured"]] == ["first epoch"]
    assert told["measured"][0]["accuracy"]["right"] == 50 - told["history"][0]["mistakes"]


@pytest.mark.parametrize(("labels", "spelt"), [([1, 20, 3], ["1", "20", "3"]), ([True, False], ["true", "false"])])
def test_labels_that_are_not_strings_are_written_as_in_json(run, tmp_path, labels, spelt):
    texts = [f"word{k} other" for k in range(len(labels))]
    TextModel.train(texts, labels).save(tmp_path / "m.tpm")
    assert run("predict", "m.tpm", stdin="\n".join(texts)).splitlines() == spelt
    answers = run("predict", "m.tpm", "--json", stdin="\n".join(texts)).splitlines()
    assert [json.loads(answer)["label"] for answer in answers] == labels
    (tmp_path / "c.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in zip(spelt, texts, strict=True)))
    assert json.loads(run("evaluate", "m.tpm", "c.tsv", "--json"))["accuracy"]["value"] == 1


def test_labels_with_tabs_and_line_ends_do_not_break_lines(run, tmp_path):
    TextModel.train(["one", "two"], ["a\tb", "c\nd"]).save(tmp_path / "m.tpm")
    assert run("predict", "m.tpm", "--top", "2", stdin="one\ntwo\n") == "a\\tb\tc\\nd\nc\\nd\ta\\tb\n"


def test_a_model_can_go_through_standard_output(tmp_path):
    command = [*COMMAND, "train", "reviews", "--model"]
    piped = subprocess.run([*command, "-"], capture_output=True, check=True)
    subprocess.run([*command, tmp_path / "m.tpm"], capture_output=True, check=True)
    assert piped.stdout == (tmp_path / "m.tpm").read_bytes()
    assert "written to standard output" in piped.stderr.decode()


def test_a_published_corpus_is_fetched_found_and_trained_on_by_name(run, tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTPERCEPTRON_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    name = "sentence_polarity"
    assert "can be fetched" in next(line for line in run("corpora", "list").splitlines() if name in line)
    with serving({"it.zip": shared_file(f"{name}.zip").read_bytes()}) as server:
        printed = run("corpora", "fetch", name, "--url", server.url("it.zip"))
    assert printed == run("corpora", "path", name) == f"{tmp_path / 'data' / name}.zip\n"
    assert " fetched " in next(line for line in run("corpora", "list").splitlines() if name in line)
    assert "10,662 training texts (neg: 5,331 · pos: 5,331)" in run("train", name, "--epochs", "1")


def test_the_folder_of_a_bundled_corpus_is_printed(run):
    folder = Path(run("corpora", "path", "reviews").rstrip("\n"))
    assert run("corpora", "fetch", "reviews") == f"{folder}\n"
    assert (folder / "train.tsv").is_file()


def test_every_setting_has_an_option():
    of_corpora = {"encoding", "decode_error"}  # --encoding and --errors: texts come decoded
    options = {option.name for option in setting_options()}
    assert options - {"pivots", "window"} == setting_fields().keys() - of_corpora


def commands():
    """Yield the arguments and the command of each verb and each verb of ``corpora``."""
    command = typer.main.get_command(app)
    for verb in VERBS:
        found = command.get_command(None, verb)
        below = getattr(found, "commands", None)
        yield from [((verb, name), each) for name, each in below.items()] if below else [((verb,), found)]


def described_options(shown):
    """Return option → its line of a help text, with continuation lines."""
    entries = re.findall(r"^  ((?:-\w, )?--[^\n]*(?:\n {6,}[^\n]*)*)", shown, re.MULTILINE)
    words = [re.sub(r"\s+", " ", entry) for entry in entries]
    return {option: entry for entry in words for option in re.findall(r"--[\w-]+", entry.split("  ")[0].split(" [")[0])}


@pytest.mark.parametrize("columns", ["60", "80", "300"])
def test_help_shows_every_option_of_every_verb_with_its_default(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    for words, command in commands():
        shown = run(*words, "--help-all" if getattr(command, "common", ()) else "--help")
        assert max(map(len, shown.splitlines())) <= int(columns)
        described = described_options(shown)
        for option in (each for each in command.params if each.opts[0].startswith("--")):
            for name in (*option.opts, *option.secondary_opts):
                if name.startswith("--"):
                    assert re.search(r"\[default: .+\]", described[name]), (words, name)


@pytest.mark.parametrize(("columns", "most_lines"), [("60", 90), ("80", 65)])
def test_help_is_short_and_breaks_lines_at_spaces_only(run, monkeypatch, columns, most_lines):
    monkeypatch.setenv("COLUMNS", columns)
    for words, command in commands():
        shown = run(*words, "--help")
        assert len(shown.splitlines()) <= most_lines
        assert not re.search(r"[\w-](-\n|\n +-\w)", shown)
        if common := getattr(command, "common", ()):
            options = {option.name for option in command.params if option.param_type_name == "option"}
            assert set(common) <= options
            assert f"Show all {len(options)} options" in shown


def test_defaults_in_the_help_are_valid_arguments(run):
    described = described_options(run("train", "--help-all"))
    defaults = {"--r": "auto", "--max-iter": "5", "--ngram-range": "1 2", "--half": "no", "--format": "detected"}
    for option, default in defaults.items():
        assert f"[default: {default}]" in described[option]
    assert "[default: detected]" in described_options(run("predict", "--help"))["--format"]


def test_without_a_verb_it_shows_its_help_and_all_verbs(run):
    shown = run()
    for verb in VERBS:
        assert re.search(rf"\b{verb}\b", shown)
    assert run("--version").startswith("textperceptron ")


def test_verbs_and_options_complete_in_a_shell(monkeypatch, capfd):
    def asked(words):
        return {
            "_TEXTPERCEPTRON_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1),
        }  # fmt: skip

    def completed(words):
        for name, value in asked(words).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            main([])
        return capfd.readouterr().out.split()

    env = os.environ | asked("textperceptron ev")
    assert subprocess.run(COMMAND, capture_output=True, text=True, env=env, check=False).stdout.split() == ["evaluate"]
    assert completed("textperceptron ev") == ["evaluate"]
    assert "--multiclass" in completed("textperceptron train --mul")
    assert completed("textperceptron train --pair") == ["--pair-bits"]  # an option of --help-all
    assert completed("textperceptron train --help-") == ["--help-all"]
    assert completed("textperceptron train --learner ar") == ["arow"]
    assert completed("textperceptron tune reviews --recipe m") == ["mira"]
    assert completed("textperceptron predict --format f") == ["fasttext", "folders", "files"]
    assert completed("textperceptron evaluate --errors re") == ["replace"]
    assert completed("textperceptron train --pivots a") == ["any"]
    assert completed("textperceptron corpora path s") == ["stars", "sentence_polarity", "subjectivity"]


def test_completion_offers_the_formats_that_can_be_read():
    assert FORMATS == FILE_FORMATS + LAYOUTS


@pytest.mark.slow
def test_no_verb_imports_scikit_learn_or_scipy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = [
        "train reviews --model m.tpm", "predict m.tpm texts.txt", "evaluate m.tpm reviews", "inspect m.tpm",
        "explain m.tpm soup", "corpora path reviews", "tune reviews --trials 2 --folds 2",
    ]  # fmt: skip
    (tmp_path / "texts.txt").write_text("Lovely soup\n")
    for command in commands:
        code = f"import sys; from textperceptron.cli import main; main({command.split()}); print(*sys.modules)"
        loaded = set(run_fresh(code).splitlines()[-1].split())
        assert "textperceptron" in loaded
        assert not {"sklearn", "scipy"} & loaded, command
        assert "rich" not in loaded, f"{command}: Rich is for terminals"


@pytest.mark.parametrize(
    "words", [["train", "reviews"], ["evaluate", "m.tpm", "reviews"], ["explain", "m.tpm", "Cold soup"]], ids=str
)
def test_a_terminal_shows_the_same_text_in_colour(run, words):
    run("train", "reviews", "--model", "m.tpm")
    plain = run(*words)
    code, shown = in_a_terminal(*words)
    assert code == 0
    assert "\x1b[1m" in shown
    assert "\x1b[32m" in shown
    without_live = re.sub(r"\x1b\[\?25l.*?\x1b\[\?25h\r?(\x1b\[1A\x1b\[2K|\r)*", "", shown, flags=re.DOTALL)
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]|\r", "", without_live)
    text = text.replace("for neg · against neg · bold: strongly\n", "")  # of colours, in explain
    seconds = re.compile(r"\d+\.\d\d s")
    assert seconds.sub("", text) == seconds.sub("", plain)


def test_progress_is_shown_while_texts_are_read_and_the_measuring_model_trains():
    code, shown = in_a_terminal("train", "stars", "--cv", "3", "--epochs", "400")
    assert code == 0
    assert re.search(r"reading … [\d,]+ text", shown)
    assert re.search(r"measuring the accuracy: model \d of 3, epoch \d+ of 400", shown)


def test_colours_are_for_and_against_the_label_that_is_shown(run):
    run("train", "reviews", "--model", "m.tpm")
    for text, label in (("Lovely warm soup but rude", "pos"), ("Cold soup and a rude waiter but lovely", "neg")):
        _, shown = in_a_terminal("explain", "m.tpm", text)
        assert f"\x1b[32mfor {label}\x1b[0m · \x1b[31magainst {label}\x1b[0m" in shown
        for word, supported in (("lovely", "pos"), ("rude", "neg")):
            colour = 32 if supported == label else 31
            assert re.search(rf"\x1b\[(1;)?{colour}m{word}\x1b", shown, re.IGNORECASE)
        assert "against" not in in_a_terminal("explain", "m.tpm", text, NO_COLOR="1")[1]


def test_a_word_has_the_colour_of_its_contribution_bold_above_half_of_the_largest():
    words = (Word(0, 7, 0.5), Word(8, 18, -2.0), Word(18, 19, 0.0), Word(23, 26, -0.1))
    found = Explanation("Useless usefulness, no use!", "p", "p", "n", ("p",), (0.0,), (0.0,), (), (), words)
    assert _coloured(found) == ["", ("Useless", "green"), " ", ("usefulness", "bold red"), ", no ", ("use", "red"), "!"]


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_corpus_is_not_replaced_by_a_link_to_it(run, tmp_path, link):
    rows = "pos\tLovely soup\nneg\tCold soup\n"
    (tmp_path / "soups.tsv").write_text(rows)
    link(tmp_path / "soups.tsv", tmp_path / "linked")
    for words in (["soups.tsv", "--model", "linked"], ["linked", "--model", "soups.tsv"]):
        assert run("train", *words, exit_code=2) == ""
    assert (tmp_path / "soups.tsv").read_text() == (tmp_path / "linked").read_text() == rows


def test_a_corpus_is_not_replaced_while_it_is_standard_input(run, tmp_path):
    (tmp_path / "soups.tsv").write_text("pos\tLovely soup\nneg\tCold soup\n")
    with open("soups.tsv") as rows:
        command = [*COMMAND, "train", "-", "--model", "soups.tsv"]
        done = subprocess.run(command, stdin=rows, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "textperceptron: --model soups.tsv: this file is an input and would be overwritten. Name another.\n"
    )


def test_a_model_may_be_saved_next_to_the_folders_of_its_corpus(run, tmp_path):
    for label, text in (("pos", "good"), ("neg", "bad")):
        (tmp_path / "corpus" / label).mkdir(parents=True)
        (tmp_path / "corpus" / label / "1.txt").write_text(text)
    for _ in range(2):  # the second time the file exists, but is not read
        run("train", "corpus", "--model", "corpus/model.tpm")


def test_an_unreadable_model_is_named_with_a_remedy(monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(TextModel, "load", refuse)
    with pytest.raises(ValueError, match=r"m: the file cannot be read \(Permission denied\)\. Check its permissions"):
        open_model("m")
