"""How many threads work on documents."""

from __future__ import annotations

from textperceptron._parallel import count_jobs
from textperceptron.text.settings import TextSettings


def jobs_for(n_jobs: int | None, settings: TextSettings) -> int:
    """Return the number of threads to use; a user's functions are called on the caller's thread only."""
    return 1 if settings.needs_python else count_jobs(n_jobs)
