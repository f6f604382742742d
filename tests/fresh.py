"""Code run in a new interpreter."""

from __future__ import annotations

import subprocess
import sys


def run_fresh(code):
    """Return what ``code`` prints; -P keeps the uncompiled tree in the current folder out of the way."""
    return subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
