"""What is wrong with a file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that is no model, or a damaged one, or one of a newer version."""
