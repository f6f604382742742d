"""The command ``textperceptron``, also ``python -m textperceptron``.

The signal handlers are installed before anything else is imported: loading the command line takes a while.
"""

import os
import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command line as a process, and exit."""
    message, code = "interrupted", 130
    try:
        from textperceptron import _interrupts

        _interrupts.install_handlers()
        with _interrupts.deferred_interrupts():
            from textperceptron.cli import run as run_command_line

        run_command_line()
    except BaseException as problem:
        if isinstance(problem, ImportError) and problem.name == "textperceptron._kernels":  # an uncompiled clone
            sys.exit(f"textperceptron: {problem}")
        if not _is_interrupt(problem):
            raise
        if (loaded := sys.modules.get("textperceptron._interrupts")) is not None:
            message, code = loaded.message(), loaded.exit_code()
        if sys.stderr is not None:
            print(f"textperceptron: {message}", file=sys.stderr, flush=True)
        os._exit(code)


def _is_interrupt(problem: BaseException | None) -> bool:
    """Whether an error is KeyboardInterrupt, or the RuntimeError that Python 3.11 makes of it in ``__set_name__``."""
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__
    return problem is not None


if __name__ == "__main__":
    run()
