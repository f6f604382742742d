"""Ctrl-C and SIGTERM: deferred while modules are imported, raised at once elsewhere, and never lost."""

from __future__ import annotations

import subprocess

import pytest

from helpers.fresh import FRESH_PYTHON, run_fresh
from textperceptron.corpus import load_corpus
from textperceptron.model import TextModel
from textperceptron.settings import recipe

# Python's import system drops exceptions that are raised in its callbacks, Cython modules those raised while they
# register classes with ABCs. Here a signal arrives in the middle of either.
IN_AN_IMPORT = """
import abc, os, signal, sys, time
from textperceptron import _interrupts

def interrupt():
    try:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        time.sleep(0.01)  # Python calls the handler before the next instruction, but the system may take its time
    except KeyboardInterrupt:
        print("raised at once")

class Finder:
    def find_spec(name, *_):
        if name == "nothing":
            interrupt()

class Kind(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        interrupt()
        return NotImplemented

_interrupts.install_handlers()
sys.meta_path.insert(0, Finder)
try:
    with _interrupts.deferred_interrupts():
        if sys.argv[2] == "register":
            issubclass(int, Kind)
        else:
            import nothing
    print("not raised")
except KeyboardInterrupt:
    print(_interrupts.message(), _interrupts.exit_code())
"""


@pytest.mark.parametrize("moment", ["import", "register"])
@pytest.mark.parametrize(
    ("number", "message"), [("SIGINT", "interrupted 130"), ("SIGTERM", "terminated 143")], ids=["Ctrl-C", "SIGTERM"]
)
def test_an_interrupt_during_an_import_is_raised_after_it(number, message, moment):
    done = subprocess.run([*FRESH_PYTHON, IN_AN_IMPORT, number, moment], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{message}\n", "")


def run_with_handlers(code):
    """Run code that can press Ctrl-C; return its output."""
    beginning = """
import os, signal, threading, time
from textperceptron import _interrupts
from textperceptron._interrupts import deferred_interrupts, install_handlers

def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
"""
    return run_fresh(beginning + code).splitlines()


def test_nested_blocks_raise_when_the_outermost_ends_and_only_once():
    code = """
install_handlers()
try:
    with deferred_interrupts():
        with deferred_interrupts():
            press()
            press()
        print("inner block ended")
    print("not raised")
except KeyboardInterrupt:
    print("raised")
with deferred_interrupts():
    pass
print("not raised again")
"""
    assert run_with_handlers(code) == ["inner block ended", "raised", "not raised again"]


def test_an_error_within_the_block_does_not_hide_the_interrupt():
    code = """
install_handlers()
try:
    with deferred_interrupts():
        press()
        import nothing
except KeyboardInterrupt as interrupt:
    print(type(interrupt.__context__).__name__)
try:
    press()
    print("still deferred")
except KeyboardInterrupt:
    print("raised at once")
"""
    assert run_with_handlers(code) == ["ModuleNotFoundError", "raised at once"]


def test_without_handlers_nothing_is_deferred():
    code = """
try:
    with deferred_interrupts():
        press()
        print("deferred")
except KeyboardInterrupt:
    print("raised at once")
"""
    assert run_with_handlers(code) == ["raised at once"]


def test_a_block_on_another_thread_defers_nothing():
    code = """
install_handlers()
inside, end = threading.Event(), threading.Event()

def defer():
    with deferred_interrupts():
        inside.set()
        end.wait()

threading.Thread(target=defer).start()
inside.wait()
try:
    press()
    print("deferred")
except KeyboardInterrupt:
    print("raised at once")
end.set()
"""
    assert run_with_handlers(code) == ["raised at once"]


def test_a_signal_that_is_ignored_remains_ignored():
    code = """
signal.signal(signal.SIGINT, signal.SIG_IGN)
install_handlers()
press()
print("ignored")
"""
    assert run_with_handlers(code) == ["ignored"]


def test_an_interrupt_ends_a_wait():
    code = """
install_handlers()
try:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    threading.Event().wait(50)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run_with_handlers(code) == ["interrupted"]


# Runs a command; instead of exiting, prints the modules imported while an interrupt could have been lost.
UNDEFERRED_IMPORTS = """
import os, sys
import textperceptron.__main__
from textperceptron import _interrupts

found = []

def note(event, arguments):
    if event == "import" and _interrupts._depth == 0 and _interrupts.get_ident() == _interrupts._thread:
        frame = sys._getframe(1)
        while "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        found.append(f"{arguments[0]} ({os.path.basename(frame.f_code.co_filename)}, line {frame.f_lineno})")

def end(code):
    print(*found, sep="\\n", file=sys.stderr)
    os.close(2)
    leave(code)

leave, os._exit = os._exit, end
sys.addaudithook(note)
textperceptron.__main__.run()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Create a folder with models and texts."""
    folder = tmp_path_factory.mktemp("interrupts")
    (folder / "texts.txt").write_text("Lovely soup\nCold soup\n")
    (folder / "odd.csv").write_text("verdict;what\npos;Lovely soup\nneg;Cold soup\n")
    corpus = load_corpus("reviews")
    TextModel.train(corpus.texts, corpus.labels).save(folder / "best.tpm")
    TextModel.train(corpus.texts, corpus.labels, recipe("best").replace(calibrate=True)).save(folder / "calibrated.tpm")
    return folder


COMMANDS = [
    "train reviews --model model.tpm",
    "train reviews --json --holdout 0.2 --half --prune 100",
    "train reviews --calibrate --checkpoint checkpoint.tpc --resume",
    "train reviews --early-stopping",
    "train odd.csv",
    "train topics --multiclass one-vs-all",
    "train stars --multiclass one-vs-one --recipe mira",
    "predict best.tpm -",
    "predict best.tpm texts.txt --output labels.txt",
    "predict calibrated.tpm texts.txt --json --probabilities",
    "evaluate best.tpm reviews --compare calibrated.tpm",
    "inspect best.tpm --verify",
    "explain best.tpm Lovely",
    "tune reviews --trials 3 --folds 2 --model tuned.tpm",
    "tune reviews --trials 2 --folds 2 --journal journal",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_nothing_while_an_interrupt_could_get_lost(folder, command):
    done = subprocess.run(
        [*FRESH_PYTHON, UNDEFERRED_IMPORTS, *command.split()], cwd=folder, input="soup\n", capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.stderr.strip().splitlines(), done.returncode) == ([], 0)
