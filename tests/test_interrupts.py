"""Signals that end a command: raised where nothing gets lost or stays locked."""

from __future__ import annotations

import signal
import subprocess

import pytest

from helpers.fresh import FRESH_PYTHON, run_fresh

# Python's import holds a lock for a moment, and forgets what is raised in another; Cython's modules, when they are
# imported, forget what is raised while they register classes. There nothing may be interrupted.
AT_A_BAD_MOMENT = """
import abc, signal, sys, time
from textperceptron import _interrupts

def interrupt():
    try:
        _interrupts._interrupt(getattr(signal, sys.argv[1]), sys._getframe(2))  # as if it came there
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
    try:
        if sys.argv[2] == "register":
            issubclass(int, Kind)
        else:
            import nothing
    except ModuleNotFoundError:
        pass
    time.sleep(50)
except KeyboardInterrupt:
    print(_interrupts.message(), _interrupts.exit_code())
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer here")
@pytest.mark.parametrize("moment", ["import", "register"])
@pytest.mark.parametrize(
    ("number", "said"), [("SIGINT", "interrupted 130"), ("SIGTERM", "terminated 143")], ids=["Ctrl-C", "SIGTERM"]
)
def test_an_interrupt_that_would_get_lost_comes_a_little_later(number, said, moment):
    done = subprocess.run([*FRESH_PYTHON, AT_A_BAD_MOMENT, number, moment], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{said}\n", "")


def test_an_interrupt_is_not_put_off_for_ever():
    code = """
import os, signal, threading
from textperceptron import _interrupts
_interrupts.install_handlers()
try:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    threading.Event().wait(50)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run_fresh(code) == "interrupted\n"
