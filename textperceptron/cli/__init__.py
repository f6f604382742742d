"""The command line: parse, call, print."""

from textperceptron.cli.main import main

__all__ = ["main"]
