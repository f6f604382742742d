"""Code run in a new interpreter."""

from __future__ import annotations

import subprocess
import sys

# -P keeps the uncompiled tree in the current folder out of the way.
FRESH_PYTHON = [sys.executable, "-P", "-c"]


def run_fresh(code, *arguments):
    """Return the output of ``code``."""
    return subprocess.run([*FRESH_PYTHON, code, *arguments], capture_output=True, text=True, check=True).stdout
