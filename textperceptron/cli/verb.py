"""What all verbs share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

VERB: dict[str, Any] = {"add_completion": False, "context_settings": {"help_option_names": ["-h", "--help"]}}
"""How a verb is made: completion is installed for the whole command, not for each."""

Threads = Annotated[
    int,
    typer.Option(
        "--n-jobs",
        "--threads",
        help="Threads; -1 for all processors. The result is the same for any number.",
        show_default="all processors",
    ),
]
ALL_PROCESSORS = -1
