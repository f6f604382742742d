"""Commands and examples in the README and the docs: a block, followed by its output."""

from __future__ import annotations

import os
import re
import subprocess
import sys

SHOWN = re.compile(r"```bash\n((?:(?!```).)*)```\n+```text\n(.*?)```", re.DOTALL)
EXAMPLE = re.compile(r"```python\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)
_SECONDS = re.compile(r"\b\d+\.\d\d s\b")


def shown_commands(page):
    """Return the commands of a page, each with the output printed below it."""
    return SHOWN.findall(page.read_text("utf-8"))


def python_examples(page):
    """Return the Python examples of a page, each with the output printed below it."""
    return EXAMPLE.findall(page.read_text("utf-8"))


def run_shell(commands, folder):
    """Run commands in a folder and return their output."""
    function = f'textperceptron() {{ "{sys.executable}" -P -m textperceptron "$@"; }}\n'
    env = os.environ | {"COLUMNS": "100", "TEXTPERCEPTRON_DATA": str(folder), "FORCE_COLOR": ""}
    done = subprocess.run(["bash", "-c", function + commands], cwd=folder, env=env, capture_output=True, check=False)
    assert done.stderr == b""
    return done.stdout.decode()


def without_times(text):
    """Replace times, which differ from run to run."""
    return _SECONDS.sub("0.00 s", text)
