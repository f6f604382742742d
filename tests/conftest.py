"""Settings for every test: import paths, signals and profiles of hypothesis."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests import tests/reference.py and the package tests/helpers by name, in whichever directory pytest runs.
sys.path.insert(0, str(Path(__file__).parent))

# NumPy, imported later, would start threads for linear algebra: on rows of tests they only wait for each other.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# A shell starts background jobs with Ctrl-C ignored, and every command that a test starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# "quick" is the default, CI runs "full", and "thorough" draws other examples each time.
settings.register_profile(
    "full", max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("quick", parent=settings.get_profile("full"), max_examples=20)
settings.register_profile("thorough", parent=settings.get_profile("full"), max_examples=5000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_collection_finish():
    # The garbage collector would look through thousands of collected tests again and again: 7 % of the time.
    gc.collect()
    gc.freeze()


def pytest_addoption(parser):
    parser.addoption(
        "--renew-outputs", action="store_true",
        help="write the printed outputs into the golden commands and the pages, instead of comparing them",
    )  # fmt: skip


@pytest.fixture(scope="module")
def topics():
    """Return rows of five classes, each with its own words, and their labels."""
    from helpers.topic_like import topic_like

    return topic_like()
