"""From text to CSR arrays."""

from textperceptron.text.presence import WordPresence

__all__ = ["WordPresence"]
