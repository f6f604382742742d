"""The rule that a threshold is chosen by, as users write it: ``f1``, ``recall=0.9:spam``, ``cost=5``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, get_args

Method = Literal["f1", "recall", "precision", "cost"]

SYNTAX = (
    "f1, recall=0.9, precision=0.9 or cost=5; for a class of your choice recall=0.9:CLASS, cost=5:CLASS,2:CLASS; 0 for "
    "none where several labels per text have f1"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A class and its number: the recall or precision to reach, or the cost of a miss.

    Without a label, it is the rarer of two classes.
    """

    label: str | None
    number: float = 1.0


@dataclass(frozen=True, slots=True)
class ThresholdRule:
    """How thresholds are chosen on held-out rows.

    Attributes
    ----------
    method : str
        ``f1``: the highest F1, or macro F1 of more than two classes if none is named. ``recall``: that recall, with as
        few other texts as possible. ``precision``: that precision, with as many texts as possible. ``cost``: the lowest
        cost, if missing a text of the class costs the number, and a text of any other class 1.
    targets : tuple of Target
        Several for ``cost`` only.

    Examples
    --------
    >>> from textperceptron.settings.threshold import ThresholdRule
    >>> ThresholdRule.parse("recall=0.9:spam")
    ThresholdRule(method='recall', targets=(Target(label='spam', number=0.9),))
    >>> ThresholdRule.parse("f1").targets
    (Target(label=None, number=1.0),)
    >>> ThresholdRule.parse("recall=1.5")
    Traceback (most recent call last):
    ...
    ValueError: threshold='recall=1.5': use a recall above 0 and up to 1, such as recall=0.9.
    """

    method: Method
    targets: tuple[Target, ...]

    @classmethod
    def parse(cls, text: str) -> ThresholdRule:
        """Read a rule; raise ValueError if it is none."""
        found = re.fullmatch(r"(\w+)(?:=([^:]+))?(?::(.+))?", text, re.DOTALL) if isinstance(text, str) else None
        word, number, label = found.groups() if found is not None else (None, None, None)
        method = next((each for each in get_args(Method) if each == word), None)
        if method is None or (method == "f1") != (number is None):
            raise ValueError(f"threshold={text!r}: use {SYNTAX}.")
        targets = [Target(label) if number is None else Target(label, _number(text, method, number))]
        if method == "cost" and label is not None:  # 5:spam,2:eggs; another comma belongs to a label
            items = [item.partition(":") for item in re.split(r",(?=[-+.\d]+:)", f"{number}:{label}")]
            targets = [Target(each, _number(text, method, cost)) for cost, _, each in items]
        labels = [target.label for target in targets]
        if repeated := [label for label in labels if labels.count(label) > 1]:
            raise ValueError(f"threshold={text!r}: the class {repeated[0]!r} has two costs. Give it one.")
        return cls(method, tuple(targets))

    @property
    def names_class(self) -> bool:
        """Whether it names a class."""
        return self.targets[0].label is not None

    def for_target(self, target: Target) -> ThresholdRule:
        """Return the rule for one target."""
        return ThresholdRule(self.method, (target,))

    def __str__(self) -> str:
        """Return the rule as it is written."""
        names = [f":{target.label}" if target.label is not None else "" for target in self.targets]
        if self.method == "f1":
            return f"f1{names[0]}"
        numbers = [f"{target.number:g}" for target in self.targets]
        return f"{self.method}={','.join(map(''.join, zip(numbers, names, strict=True)))}"


def _number(text: str, method: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if method == "cost" and not 0 < number < math.inf:
        raise ValueError(f"threshold={text!r}: use a cost above 0, such as cost=5.")
    if method != "cost" and not 0 < number <= 1:
        raise ValueError(f"threshold={text!r}: use a {method} above 0 and up to 1, such as {method}=0.9.")
    return number


def check_threshold(name: str, value: str) -> None:
    """Raise ValueError unless ``value`` is a rule for thresholds, or ``"0"`` for none."""
    if value != "0":
        ThresholdRule.parse(value)


def say_threshold(value: str) -> str:
    """Return the phrase of a description."""
    if value == "0":
        return ""
    return f"threshold by {'F1' + value[2:] if value.startswith('f1') else value}"
