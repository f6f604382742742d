"""The command as a process: pipes, full disks, signals, memory and start-up time."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import stat
import struct
import subprocess
import time
import tomllib

import pytest

from helpers.fresh import FRESH_PYTHON, run_fresh
from helpers.paths import ROOT
from textperceptron.cli import main
from textperceptron.cli.prediction_format import PredictionFormatter
from textperceptron.model import TextModel

COMMAND = [*FRESH_PYTHON, "from textperceptron.__main__ import run; run()"]  # as it is installed


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.tpm"
    assert main(["train", "reviews", "--json", "--model", str(path)]) == 0
    return path


def limit_files(n_bytes):
    """Return a function that limits the size of a process's files, as a full disk does."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


def assert_one_line(error, *parts):
    assert error.endswith("\n")
    assert error.count("\n") == 1
    assert error.startswith("textperceptron: ")
    for part in parts:
        assert part in error


def test_a_reader_that_closes_early_is_not_an_error(model):
    for words in (["train", "reviews"], ["predict", model, "/dev/stdin"]):
        with subprocess.Popen(
            [*COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            if words[0] == "predict":
                process.stdin.write(b"Lovely soup\n")
                process.stdin.flush()
            process.stdout.readline()
            process.stdout.close()
            if words[0] == "predict":
                process.stdin.write(b"Lovely soup\n" * 1000)
                process.stdin.close()
            assert (process.stderr.read(), process.wait()) == (b"", 0)


EVERY_VERB = [
    [], ["--help"], ["--version"], ["train", "reviews", "--json"], ["train", "--help"], ["predict", "{}", "{}"],
    ["predict", "--help"], ["evaluate", "{}", "reviews"], ["evaluate", "{}", "reviews", "--json"], ["inspect", "{}"],
    ["inspect", "{}", "--json"], ["explain", "{}", "soup"], ["explain", "{}", "soup", "--json"], ["corpora", "--help"],
    ["corpora", "list"], ["corpora", "path", "reviews"],
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["PYTHONUNBUFFERED", "FORCE_COLOR", None])
@pytest.mark.parametrize("words", EVERY_VERB, ids=lambda words: " ".join(words) or "nothing")
def test_every_verb_ends_quietly_if_its_reader_has_closed_the_pipe(model, words, variable):
    words = [word.format(model) for word in words]
    if words[0:1] == ["predict"] and "--help" not in words:
        words += ["--errors", "replace", "--format", "text"]  # the text is a model file
    env = os.environ | ({variable: "1"} if variable else {})
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        process.stdout.close()  # before Python has started
        assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_help_can_be_cut_off_by_head():
    for words in ([], ["train"]):
        command = f"set -o pipefail; {shlex.join([*COMMAND, *words])} --help | head -1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        assert (done.stderr, done.returncode) == (b"", 0)


@pytest.mark.parametrize(
    "variable",
    ["NOTHING", *(pytest.param(each, marks=pytest.mark.slow) for each in ("PYTHONUNBUFFERED", "FORCE_COLOR"))],
)
def test_a_model_is_saved_when_the_report_has_no_reader(tmp_path, variable):
    command = [*COMMAND, "train", "reviews", "--model", tmp_path / "m.tpm"]
    env = os.environ | {variable: "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)
    assert TextModel.load(tmp_path / "m.tpm").classes == ("neg", "pos")


def test_an_old_code_page_is_not_an_error():
    env = os.environ | {"PYTHONIOENCODING": "cp1252"}
    old = subprocess.run([*COMMAND, "train", "reviews"], capture_output=True, env=env, check=True)
    assert b" of 160 correct" in old.stdout


def test_predictions_are_utf8_in_any_locale(tmp_path):
    TextModel.train(["one", "two"], ["süß", "bitter"]).save(tmp_path / "m.tpm")
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [*COMMAND, "predict", tmp_path / "m.tpm"]
    found = subprocess.run(command, input=b"one\n", capture_output=True, env=env, check=True)
    assert found.stdout.decode("utf-8") == "süß\n"


# Commands that print labels as JSON, for a corpus c.jsonl and a model m.tpm of its labels.
JSON = [
    "train c.jsonl", "train c.jsonl --model other.tpm", "predict m.tpm c.jsonl --format jsonl --scores",
    "inspect m.tpm", "evaluate m.tpm c.jsonl", "explain m.tpm one",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", JSON)
@pytest.mark.parametrize("label", ["pös", "\ud800"], ids=ascii)
def test_json_is_utf8_with_every_label_in_any_locale(tmp_path, command, label):
    rows = [{"label": label, "text": "one"}, {"label": "bitter", "text": "two"}] * 4
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    others = rows[:-2]  # evaluate would say so if they were those of c.jsonl
    TextModel.train([row["text"] for row in others], [row["label"] for row in others]).save(tmp_path / "m.tpm")
    for encoding in ("ascii", "utf-8"):
        done = subprocess.run(
            [*COMMAND, *command.split(), "--json"], cwd=tmp_path, capture_output=True, check=True,
            env=os.environ | {"PYTHONIOENCODING": encoding},
        )  # fmt: skip
        printed = done.stdout.decode("utf-8")
        assert done.stderr == b""
        assert label in strings_in([json.loads(line) for line in printed.splitlines()])


def strings_in(value):
    """Return all strings of a JSON value, names included."""
    if isinstance(value, dict):
        return strings_in([*value, *value.values()])
    return [text for each in value for text in strings_in(each)] if isinstance(value, list) else [value]


@pytest.mark.parametrize(
    "words",
    [
        ["train", "reviews"],
        ["predict", "{}"],
        pytest.param(["evaluate", "{}", "reviews"], marks=pytest.mark.slow),
        pytest.param(["explain", "{}", "soup"], marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_full_disk_at_standard_output_is_one_line(model, words):
    words = [word.format(model) for word in words]
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, *words], input=b"soup\n", stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert_one_line(done.stderr.decode(), "standard output: No space left on device. Free some disk space")


def test_a_model_that_does_not_fit_on_the_disk_leaves_the_old_one(tmp_path, model):
    kept = tmp_path / "m.tpm"
    kept.write_bytes(model.read_bytes())
    done = subprocess.run(
        [*COMMAND, "train", "stars", "--model", kept],
        capture_output=True, text=True, preexec_fn=limit_files(100_000), check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert_one_line(done.stderr, str(kept), "File too large. Free some disk space")
    assert kept.read_bytes() == model.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["m.tpm"]


def test_predictions_that_do_not_fit_on_the_disk_leave_the_old_file(tmp_path, model):
    kept = tmp_path / "labels.txt"
    kept.write_text("old\n")
    done = subprocess.run(
        [*COMMAND, "predict", model, "--output", kept],
        input="soup\n" * 10_000, capture_output=True, text=True, preexec_fn=limit_files(10_000), check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert_one_line(done.stderr, str(kept), "File too large. Free some disk space")
    assert kept.read_text() == "old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["labels.txt"]


def test_predictions_replace_the_target_of_a_link_and_stay_private(tmp_path, model, monkeypatch):
    (tmp_path / "folder").mkdir()
    private, link = tmp_path / "folder" / "labels.txt", tmp_path / "link.txt"
    private.touch(mode=0o600)
    link.symlink_to(private)
    (tmp_path / "texts.txt").write_text("Lovely soup\n")
    modes = []

    def format_and_look(*_):
        modes.append(mode_of_the_only_hidden(private.parent))
        return "pos\n"

    monkeypatch.setattr(PredictionFormatter, "format", format_and_look)
    assert main(["predict", str(model), str(tmp_path / "texts.txt"), "--output", str(link)]) == 0
    assert link.is_symlink()
    assert private.read_text() == "pos\n"
    assert [*modes, stat.S_IMODE(private.stat().st_mode)] == [0o600, 0o600]


def mode_of_the_only_hidden(folder):
    """Return the permissions of a file that is being written."""
    (hidden,) = folder.glob(".*")
    return stat.S_IMODE(hidden.stat().st_mode)


def test_an_open_file_is_written_to_and_not_replaced(tmp_path, model):
    command = shlex.join([*COMMAND, "predict", str(model), "--output", "/dev/fd/1"])
    subprocess.run(["sh", "-c", f"(echo soup | {command}; echo behind) >>all.txt"], cwd=tmp_path, check=True)
    assert (tmp_path / "all.txt").read_text() == "pos\nbehind\n"


def test_a_message_is_never_written_to_standard_output():
    command = f"{shlex.join(COMMAND)} predict none.tpm 2>&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="this user may write everywhere")
@pytest.mark.parametrize("words", [["train", "reviews", "--model"], ["predict", "{}", "{}", "--output"]])
def test_an_unwritable_folder_is_named_before_work_starts(tmp_path, model, words):
    tmp_path.chmod(0o500)
    command = [*COMMAND, *(word.format(model) for word in words), tmp_path / "new"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_line(done.stderr, str(tmp_path), "cannot be written to")


@pytest.mark.parametrize("verb", ["predict", "evaluate", "inspect", "explain"])
def test_a_model_cut_short_or_of_a_newer_format_is_one_line(tmp_path, model, verb, capfd):
    others = {"evaluate": ["reviews"], "explain": ["soup"]}.get(verb, [])
    whole = model.read_bytes()
    (n,) = struct.unpack("<Q", whole[:8])
    newer = whole[: 8 + n].replace(b'\\"format\\":2', b'\\"format\\":9') + whole[8 + n :]
    assert newer != whole
    for content, reason in ((whole[:-1], "truncated"), (whole[:1000], "truncated"), (newer, "newer version")):
        (tmp_path / "bad.tpm").write_bytes(content)
        assert main([verb, str(tmp_path / "bad.tpm"), *others]) == 2
        printed = capfd.readouterr()
        assert printed.out == ""
        assert_one_line(printed.err, "bad.tpm", reason)


# Some seconds of training, so that there is time to interrupt it.
LONG = ["train", "reviews", "--epochs", "3000", "--every", "0.05"]


def start_and_wait_for(checkpoint, *words):
    """Start training and wait until there is a checkpoint."""
    process = subprocess.Popen([*COMMAND, *LONG, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not checkpoint.exists():
        assert process.poll() is None, "it was over before it could be interrupted"
        time.sleep(0.01)
    return process


@pytest.mark.slow
def test_ctrl_c_and_kill_keep_the_checkpoint_and_resuming_gives_the_same_bytes(tmp_path):
    checkpoint, kept = tmp_path / "c.tpc", tmp_path / "m.tpm"
    words = ["--checkpoint", checkpoint, "--resume", "--model", kept]
    with start_and_wait_for(checkpoint, *words) as process:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert said == (
        f"textperceptron: training state saved in {checkpoint}; run the same command with --resume to continue\n"
        "textperceptron: interrupted\n"
    )
    assert not kept.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["c.tpc"]

    first = checkpoint.stat().st_mtime_ns
    with subprocess.Popen([*COMMAND, *LONG, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while checkpoint.stat().st_mtime_ns == first:
            assert process.poll() is None, "it was over before it could be killed"
            time.sleep(0.01)
        process.kill()
    assert not kept.exists()

    subprocess.run([*COMMAND, *LONG, *words], check=True, capture_output=True)
    subprocess.run([*COMMAND, *LONG, "--model", tmp_path / "whole.tpm"], check=True, capture_output=True)
    assert kept.read_bytes() == (tmp_path / "whole.tpm").read_bytes()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_an_update_that_ends_early_leaves_the_model_as_it_was(tmp_path, sent):
    path = tmp_path / "m.tpm"
    assert main(["train", "reviews", "--recipe", "mira", "--json", "--model", str(path), "--updatable"]) == 0
    before = path.read_bytes()
    words = ["update", path, "reviews", "--epochs", "100000"]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()  # the new texts are read
        time.sleep(0.3)
        process.send_signal(sent)
        _, said = process.communicate()
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    assert said == (
        "" if sent == signal.SIGKILL else f"textperceptron: {path} is unchanged\ntextperceptron: interrupted\n"
    )
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["m.tpm"]


def test_an_update_gives_the_same_bytes_on_any_number_of_threads(tmp_path):
    path = tmp_path / "m.tpm"
    assert main(["train", "stars", "--json", "--model", str(path), "--updatable"]) == 0
    for threads in "1", "3":
        words = ["update", str(path), "stars", "--json", "--output", str(tmp_path / threads), "--threads", threads]
        assert main(words) == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


def test_sigterm_keeps_the_checkpoint_as_ctrl_c_does(tmp_path):
    checkpoint = tmp_path / "c.tpc"
    with start_and_wait_for(checkpoint, "--checkpoint", checkpoint) as process:
        process.terminate()
        _, said = process.communicate()
    assert process.returncode == 143
    assert said == (
        f"textperceptron: training state saved in {checkpoint}; run the same command with --resume to continue\n"
        "textperceptron: terminated\n"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_interrupted_predictions_leave_the_old_file(tmp_path, model, number):
    (tmp_path / "labels.txt").write_text("old\n")
    with subprocess.Popen(
        [*COMMAND, "predict", model, "--output", tmp_path / "labels.txt"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdin.write(b"Lovely soup\n")
        process.stdin.flush()
        while len(list(tmp_path.iterdir())) == 1:
            assert process.poll() is None, "it was over before it could be broken off"
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        said = {signal.SIGTERM: b"terminated", signal.SIGINT: b"interrupted"}[number]
        assert process.stderr.read() == b"textperceptron: " + said + b"\n"
    assert [path.name for path in tmp_path.iterdir()] == ["labels.txt"]
    assert (tmp_path / "labels.txt").read_text() == "old\n"


@pytest.mark.parametrize("old", [None, "that of another day"])
def test_a_checkpoint_that_was_not_written_is_not_mentioned(tmp_path, monkeypatch, capfd, old):
    checkpoint = tmp_path / "c.tpc"
    if old is not None:
        checkpoint.write_text(old)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(TextModel, "train", interrupted)
    assert main(["train", "reviews", "--checkpoint", str(checkpoint)]) == 130
    assert capfd.readouterr().err == "textperceptron: interrupted\n"


# Presses Ctrl-C when a module is looked up: at once, or while a class is made, where Python 3.11 wraps the exception.
CTRL_C = """
import os, signal, sys

module, where, *sys.argv[1:] = sys.argv[1:]

def press(*_):
    os.kill(os.getpid(), signal.SIGINT)

class Finder:
    def find_spec(name, *_):
        if name == module:
            press() if where == "at once" else type("Made", (), {"part": type("Part", (), {"__set_name__": press})()})

sys.meta_path.insert(0, Finder)
from textperceptron.__main__ import run
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["at once", "in a class"])
@pytest.mark.parametrize("module", ["textperceptron.cli.main", "typer", "textperceptron.cli.inspect", "numpy"])
def test_ctrl_c_is_one_line_while_modules_are_imported(model, module, where):
    command = [*FRESH_PYTHON, CTRL_C, module, where, "inspect", model]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"textperceptron: interrupted\n", 130)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg"])
def test_ctrl_c_while_a_plot_is_drawn_leaves_no_file(model, module, tmp_path):
    command = [*FRESH_PYTHON, CTRL_C, module, "at once", "inspect", model, "--plot", tmp_path / "terms.png"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.stderr, done.returncode) == (b"textperceptron: interrupted\n", 130)
    assert list(tmp_path.iterdir()) == []


def test_a_plot_that_does_not_fit_on_the_disk_leaves_the_old_one(model, tmp_path):
    kept = tmp_path / "terms.png"
    kept.write_bytes(b"old")
    done = subprocess.run(
        [*COMMAND, "inspect", model, "--plot", kept],
        capture_output=True, text=True, preexec_fn=limit_files(10_000), check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert_one_line(done.stderr, str(kept), "File too large. Free some disk space")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("terms.png", b"old")]


def test_the_installed_command_handles_ctrl_c_from_its_first_import():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts == {"textperceptron": "textperceptron.__main__:run"}
    loaded = run_fresh("import sys, textperceptron.__main__; print(*sys.modules)").split()
    assert [name for name in loaded if name.startswith(("typer", "textperceptron."))] == ["textperceptron.__main__"]


def test_predictions_are_printed_while_the_writer_is_still_writing(model):
    with subprocess.Popen([*COMMAND, "predict", model], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for text, label in ((b"Lovely soup\n", b"pos\n"), (b"Cold soup\n", b"neg\n")):
            process.stdin.write(text)
            process.stdin.flush()
            assert process.stdout.readline() == label
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak from /proc")
def test_predicting_takes_no_more_memory_for_more_texts(tmp_path, model):
    # Not getrusage: its peak is inherited from the parent process.
    code = """
import re, sys
from textperceptron.cli import main
main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr)
"""

    def peak_kb(n):
        path = tmp_path / "texts.txt"
        path.write_text("Lovely soup, but a rude and useless waiter\n" * n)
        command = [*FRESH_PYTHON, code, "predict", model, path]
        return int(subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True).stderr)

    few, many = peak_kb(100_000), peak_kb(1_000_000)  # 4 and 40 MB
    assert many < few + 5_000


@pytest.mark.slow
def test_predict_starts_in_little_more_cpu_time_than_numpy_and_scipy_take_to_import(tmp_path, model):
    # As in an installed package, whose modules are compiled; in a clone that may be forbidden.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)

    def cpu_seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def seconds(code, *words):
        before = cpu_seconds()  # not the time of the clock, for which other processes count
        subprocess.run(
            [*FRESH_PYTHON, code, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=env, check=True
        )
        return cpu_seconds() - before

    def both():
        ours = "from textperceptron.__main__ import run; run()"
        return seconds("import numpy, scipy.sparse"), seconds(ours, "predict", model)

    both()  # compiles
    theirs, mine = map(min, zip(*(both() for _ in range(5)), strict=True))
    assert mine <= theirs + 0.150


def test_predicting_imports_nothing_that_only_training_or_threads_need(model):
    code = f"""
import sys
from textperceptron.cli import main
sys.stdin.close()
main(["predict", {str(model)!r}, "/dev/null"])
print(*sys.modules)
"""
    loaded = set(run_fresh(code).split())
    assert "textperceptron.model.text_model" in loaded
    unneeded = {"sklearn", "scipy", "rich", "hashlib", "secrets", "concurrent.futures", "logging", "safetensors"}
    assert not loaded & unneeded


def test_a_command_starts_no_threads_for_linear_algebra(model):
    # Print the number of threads instead of ending the process.
    code = """
import os
from textperceptron.cli import run
os._exit = lambda code: print("threads", len(os.listdir("/proc/self/task")), "numpy" in __import__("sys").modules)
run()
"""
    env = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [*FRESH_PYTHON, code, "inspect", str(model)]
    said = subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout
    assert said.splitlines()[-1] == "threads 1 True"


def test_a_warning_is_one_line(tmp_path):
    words = ["train", "reviews", "--stop-words", "isn't", "--epochs", "1"]
    said = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True).stderr
    assert_one_line(said, "isn")


def test_python_dash_m_is_the_command():
    code = "import runpy, sys; sys.argv = ['x', '--version']; runpy.run_module('textperceptron', run_name='__main__')"
    assert run_fresh(code).startswith("textperceptron ")


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_model_is_saved_even_if_its_evaluation_is_interrupted(tmp_path, threads):
    path = tmp_path / "m.tpm"
    words = ["train", "reviews", "--cv", "200", "--model", path, "--threads", threads]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not path.exists():
            assert process.poll() is None, "it was over before it could be interrupted"
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"textperceptron: interrupted\n"
        assert b"cross-validation" not in process.stdout.read()
    assert TextModel.load(path, verify=True).classes == ("neg", "pos")
