"""Declare a setting once, as a dataclass field with help, checks, option and description.

Validation, JSON, command-line options and their help, docstrings, descriptions and the tuning space come from these
declarations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field
from typing import Any, Literal, get_args

Check = Callable[[str, Any], None]

TERMS = "From text to terms"
COLUMNS = "From terms to columns"
PAIRS = "Pairs of words"
LEARNER = "Learner"
TRAINING = "Training"
CLASSES = "More than two classes"
"""Panels of ``--help``."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Metadata of a setting.

    Attributes
    ----------
    help : str
        What it does, in one line, for ``--help`` and docstrings.
    group : str
        Its panel in ``--help``.
    details : str
        Further sentences for docstrings.
    syntax : str
        Values of the option, for ``--help`` and messages, if the type does not give them.
    is_option : bool
        Whether the command line has an option for it.
    checks : sequence of callables
        Each raises ValueError for a bad value, given the name and the value. A default of None is not checked.
    tune : tuple
        Values that ``tune`` tries; empty if it is not searched.
    rank : int
        Settings of lower rank are tried first.
    needs : str, optional
        Condition without which it has no effect: ``"column_weight"`` or ``"many classes"``.
    say : str or callable, optional
        How a description states a value other than the default: a format string or a function of the value, empty
        for never. By default ``name = value``.
    flags : tuple of str
        Flags of the option, if they do not follow from the name.
    metavar : str, optional
        Name of the value in ``--help``.
    choices : callable, optional
        Function that returns the values of the option, if the type does not list them.
    suggest : tuple of str
        Words for shell completion.
    nested : type, optional
        The dataclass of the value; its settings are further options.
    parse : callable, optional
        Function from the option's string to the value.
    unparse : callable, optional
        Function from a value to the option's strings, the inverse of ``parse``.
    """

    help: str
    group: str
    details: str = ""
    syntax: str = ""
    is_option: bool = True
    checks: tuple[Check, ...] = ()
    tune: tuple[Any, ...] = ()
    rank: int = 100
    needs: Literal["column_weight", "many classes"] | None = None
    say: str | Callable[[Any], str] | None = None
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    choices: Callable[[], tuple[str, ...]] | None = None
    suggest: tuple[str, ...] = ()
    nested: Any = None
    parse: Callable[[str], Any] | None = None
    unparse: Callable[[Any], list[str]] | None = None


def setting(
    default: Any,
    help: str,  # noqa: A002
    *,
    group: str,
    check: Check | Sequence[Check] = (),
    **metadata: Any,
) -> Any:
    """Declare a field of a settings dataclass; the other arguments are those of :class:`Declaration`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from functools import partial
    >>> from textperceptron._validation import at_least
    >>> from textperceptron.settings.fields import TERMS, check_fields, setting
    >>> @dataclass(frozen=True)
    ... class Example:
    ...     depth: int = setting(0, "Maximum depth.", group=TERMS, check=partial(at_least, low=0))
    >>> check_fields(Example(-1))
    Traceback (most recent call last):
    ...
    ValueError: depth=-1: use a number of at least 0.
    """
    checks = (check,) if callable(check) else tuple(check)
    declaration = Declaration(help=help, group=group, checks=checks, **metadata)
    return dataclasses.field(default=default, metadata={"setting": declaration})


def or_callable(kind: type, name: str, details: str) -> Any:
    """Declare a field of a subclass like that of ``kind``, except that its value may also be a function."""
    inherited = declared_fields(kind)[name]
    declared: Declaration = inherited.metadata["setting"]

    def check(name: str, value: Any) -> None:
        if not callable(value):
            check_value(inherited, value)

    metadata = {
        "setting": dataclasses.replace(declared, checks=(check,), details=f"{declared.details} {details}".strip())
    }
    return dataclasses.field(default=inherited.default, metadata=metadata)


def declaration_of(field: Field[Any]) -> Declaration | None:
    """Return the declaration of a field, or None if it is not a setting."""
    declared: Declaration | None = field.metadata.get("setting")
    return declared


def declared_fields(kind: Any) -> dict[str, Field[Any]]:
    """Return the settings of a dataclass by name."""
    return {field.name: field for field in dataclasses.fields(kind) if declaration_of(field) is not None}


def check_fields(values: Any) -> None:
    """Raise ValueError for the first setting of a dataclass that fails a check."""
    for name, field in declared_fields(values).items():
        check_value(field, getattr(values, name))


def check_value(field: Field[Any], value: Any) -> None:
    """Raise ValueError if the value of a setting is invalid."""
    declared = declaration_of(field)
    if declared is None or (value is None and field.default is None):
        return
    for check in declared.checks:
        check(field.name, value)


def choices_of(hint: Any) -> tuple[Any, ...]:
    """Return the values of a ``Literal`` type, with None if it is optional; empty for other types.

    Examples
    --------
    >>> from typing import Literal
    >>> choices_of(Literal["l2"] | None), choices_of(int | None)
    (('l2', None), ())
    """
    parts = get_args(hint)
    if parts and all(isinstance(part, str | bool | int) for part in parts):
        return parts
    literals = [choice for part in parts for choice in choices_of(part)]
    return (*literals, None) if literals and type(None) in parts else tuple(literals)


def describe_value(field: Field[Any], value: Any) -> Iterator[str]:
    """Yield the phrase for the value of a setting in a description; nothing for the default."""
    declared = declaration_of(field)
    if declared is None or value == field.default:
        return
    say = declared.say
    if callable(say):
        if said := say(value):
            yield said
    elif say is not None:
        if say:
            yield say.format(value)
    else:
        name = field.name.replace("_", " ")
        if isinstance(value, bool):
            yield name if value else f"no {name}"
        else:
            yield f"{name} = {value}"


_SHUFFLE: dict[str, bool | str] = {"each-epoch": True, "once": "once", "no": False}


def parse_number_or_fraction(word: str) -> int | float:
    """Return an int, or a float if the number has a decimal point."""
    try:
        return int(word)
    except ValueError:
        return float(word)


def parse_words(word: str) -> tuple[str, ...]:
    """Split at commas."""
    return tuple(each.strip() for each in word.split(",") if each.strip())


def format_words(words: tuple[str, ...]) -> list[str]:
    """Join with commas."""
    return [",".join(words)]


def parse_stop_words(word: str) -> str | tuple[str, ...]:
    """Return the name of a list, the given words, or the words in the file of ``@FILE``."""
    if word.startswith("@"):
        with open(word[1:], encoding="utf-8-sig") as lines:
            return tuple(line.strip() for line in lines if line.strip())
    return word if word == "english" else parse_words(word)


def parse_class_weight(word: str) -> str | tuple[tuple[str, float], ...]:
    """Return ``balanced``, or the items of ``pos=2,neg=1``."""
    if word == "balanced":
        return word
    items = [item.rpartition("=") for item in parse_words(word)]
    return tuple((label, float(weight)) for label, _, weight in items)


def format_class_weight(value: str | tuple[tuple[Any, float], ...]) -> list[str]:
    """Return the word that :func:`parse_class_weight` reads."""
    return [value if isinstance(value, str) else ",".join(f"{label}={weight:g}" for label, weight in value)]


def parse_shuffle(word: str) -> bool | str:
    """Return the value of a choice."""
    return _SHUFFLE[word]


def format_shuffle(value: bool | str) -> list[str]:
    """Return the word that :func:`parse_shuffle` reads."""
    return [next(word for word, known in _SHUFFLE.items() if known is value or known == value is not True)]


SHUFFLE_CHOICES = tuple(_SHUFFLE)
