"""What all verbs share."""

from __future__ import annotations

from typing import Any

VERB: dict[str, Any] = {"add_completion": False, "context_settings": {"help_option_names": ["-h", "--help"]}}
"""How a verb is made: completion is installed for the whole command, not for each."""
