"""The command ``textperceptron``, which ``python -m textperceptron`` is too.

Little is imported before Ctrl-C is heeded: the command line and what it needs take a while.
"""

import os
import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command line as a process of its own, and end it."""
    said, code = "interrupted", 130
    try:
        from textperceptron import _interrupts

        _interrupts.install_handlers()
        from textperceptron.cli import run as run_command_line

        run_command_line()
    except BaseException as problem:
        if not _comes_of_ctrl_c(problem):
            raise
        if (loaded := sys.modules.get("textperceptron._interrupts")) is not None:
            said, code = loaded.message(), loaded.exit_code()
        if sys.stderr is not None:
            print(f"textperceptron: {said}", file=sys.stderr, flush=True)
        os._exit(code)


def _comes_of_ctrl_c(problem: BaseException | None) -> bool:
    """Whether it is Ctrl-C, or what Python 3.11 makes of it while a class is being made: a RuntimeError."""
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__
    return problem is not None


if __name__ == "__main__":
    run()
