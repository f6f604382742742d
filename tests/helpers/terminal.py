"""Commands run in a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

COMMAND = [sys.executable, "-P", "-m", "textperceptron"]


def in_a_terminal(*words, **environment):
    """Return the exit code of a command, and its output in a terminal."""
    leader, follower = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env = inherited | {"TERM": "xterm-256color", "COLUMNS": "150", "LANG": "C.UTF-8"} | environment
    with subprocess.Popen([*COMMAND, *words], stdin=follower, stdout=follower, stderr=follower, env=env) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                block = os.read(leader, 1 << 16)
            except OSError:  # the last writer has closed it
                break
            if not block:
                break
            shown += block
    os.close(leader)
    return process.returncode, shown.decode().replace("\r\n", "\n")
