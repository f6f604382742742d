"""Labels that a corpus has and a model does not."""

from __future__ import annotations

from collections.abc import Iterable

from textperceptron.cli.labels import in_a_column
from textperceptron.cli.screen import say


def check_labels(corpus: str, labels: Iterable[str], of_model: Iterable[str]) -> None:
    """Say which labels of a corpus to measure on a model cannot give.

    Raises
    ------
    ValueError
        If these are all of them, so that nothing would be measured.
    """
    given, known = set(labels), set(of_model)
    if not given & known:
        raise ValueError(
            f"{corpus}: its labels ({_some(given)}) are none of the model's ({_some(known)}). Measure on a corpus with "
            "the same labels."
        )
    if given - known:
        say(f"the model does not know {_some(given - known)}, so texts with that label count as wrong")


def _some(labels: set[str]) -> str:
    shown = [in_a_column(label) for label in sorted(labels)]
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
