"""Docstrings of estimators: descriptions of parameters come from the declarations of the settings."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field
from typing import Any, Final, TypeVar, get_args

import numpy as np

from textperceptron.settings import learners, setting_types
from textperceptron.settings.fields import choices_of, declaration_of

Class = TypeVar("Class", bound=type)

FROM_RECIPE: Final = "recipe"
"""The value of a parameter that the recipe decides."""

_WIDTH = 84  # and four spaces
# Types of parameters that are not those of the settings.
_TYPES = {
    "analyzer": '{"word", "char", "char_wb"} or callable',
    "class_weight": 'dict from label to weight, "balanced" or None',
    "column_weight": '"log_count_ratio", LogCountRatio, array of shape (n_columns,) or None',
    "conjunctions": "WordPairs or None",
    "dtype": "numpy dtype",
    "input": '{"content", "filename", "file"}',
    "max_df": "int, or float from 0 to 1",
    "min_df": "int, or float from 0 to 1",
    "ngram_range": "tuple of two ints",
    "pivots": '"negators", collection of str or None',
    "preprocessor": "callable or None",
    "random_state": "int, RandomState or None",
    "shuffle": 'bool or "once"',
    "stop_words": '"english", collection of str or None',
    "strip_accents": '{"ascii", "unicode"}, callable or None',
    "tokenizer": "callable or None",
    "window": "int or None",
}
# Parameters that are not settings: type and description.
_PARAMETERS = {
    "callback": (
        "callable or None",
        "Called with a :class:`textperceptron.learn.Progress` after each slice of an epoch.",
    ),
    "n_jobs": ("int or None", "Number of threads; -1 for all processors. The result does not depend on it."),
    "warm_start": (
        "bool",
        "Let ``fit`` continue from the last call: the result has the same bits as one longer training.",
    ),
}
_ATTRIBUTES = {
    "weights": """\
coef_ : array of shape (1, n_columns) or, for more than two classes, (n_classes, n_columns)
    Weights. Positive weights speak for ``classes_[1]``, or for the class of their row.
intercept_ : array of shape (1,) or (n_classes,)
    Intercepts; 0 without ``fit_intercept``.
""",
    "attributes": """\
classes_ : array of shape (n_classes,)
    The labels, sorted.
n_iter_, n_updates_ : int
    Number of epochs and of updates, including those before a warm start or ``partial_fit``.
history_ : list of Epoch
    Per epoch: rows, mistakes, updates, online loss, validation accuracy (or None) and seconds.
stopped_by_ : str
    "converged" (an epoch without an update), "validation", "small_change", "budget" (``max_iter``
    epochs) or "interrupted" (Ctrl-C).
""",
}


def documented(fields: Mapping[str, Field[Any]], **types: str) -> Callable[[Class], Class]:
    """Fill in the docstring of a class: ``{parameters}`` becomes the parameters that it does not describe itself.

    Parameters
    ----------
    fields : mapping of names to fields
        The declarations of the settings that are parameters of the class.
    **types : str
        Types of parameters that differ from those of other classes.

    Examples
    --------
    >>> from textperceptron.settings import setting_fields
    >>> @documented(setting_fields())
    ... class Example:
    ...     '''{parameters}'''
    ...
    ...     def __init__(self, *, lowercase: bool = True): ...
    >>> print(Example.__doc__)
    lowercase : bool, default=True
        Convert the text to lower case.
    """

    def document(cls: Class) -> Class:
        if "{parameters}" not in (cls.__doc__ or ""):  # a user's subclass, or python -OO
            return cls
        # cleandoc: the added lines have no indentation, and Python 3.13 removes that of the source.
        doc = inspect.cleandoc(cls.__doc__ or "")
        own = set(re.findall(r"^(\w+) : ", doc, re.MULTILINE))
        missing = [each for each in inspect.signature(cls).parameters.values() if each.name not in own]
        entries = {"parameters": "\n".join(_entry(each, fields, types) for each in missing), **_ATTRIBUTES}
        for name, text in entries.items():
            doc = doc.replace(f"{{{name}}}", text.rstrip("\n"))
        cls.__doc__ = doc
        return cls

    return document


def _entry(parameter: inspect.Parameter, fields: Mapping[str, Field[Any]], types: Mapping[str, str]) -> str:
    name, default = parameter.name, parameter.default
    if name in _PARAMETERS:
        kind, text = _PARAMETERS[name]
    else:
        field = fields["seed" if name == "random_state" else name]
        kind = types.get(name) or _TYPES.get(name) or _type_of(field)
        text = _description(field, default)
    shown = "" if default is inspect.Parameter.empty or default == FROM_RECIPE else f", default={_literal(default)}"
    literals_in_one = re.sub("``.*?``", lambda found: found[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(literals_in_one, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join([f"{name} : {kind}{shown}", *lines]).replace("\0", " ")


def _description(field: Field[Any], default: Any) -> str:
    """Return the help and the details; where a recipe decides, also which learners have the parameter."""
    declared = declaration_of(field)
    assert declared is not None
    text = f"{declared.help[0].upper()}{declared.help[1:]} {declared.details}".rstrip()
    owners = [name for name, learner in learners().items() if field.name in learner.parameters]
    return f"{text} Learners: {', '.join(owners)}." if owners and default == FROM_RECIPE else text


def _type_of(field: Field[Any]) -> str:
    declared = declaration_of(field)
    choices = declared.choices if declared is not None else None
    return _type_name(setting_types()[field.name]) if choices is None else _set_of(choices())


def _set_of(choices: Iterable[str]) -> str:
    return "{" + ", ".join(f'"{choice}"' for choice in choices) + "}"


def _type_name(hint: Any) -> str:
    """Return a type as numpydoc writes it.

    Examples
    --------
    >>> from typing import Literal
    >>> _type_name(float), _type_name(int | None), _type_name(Literal["l2"] | None)
    ('float', 'int or None', '{"l2"} or None')
    """
    options, choices = get_args(hint) or (hint,), [choice for choice in choices_of(hint) if choice is not None]
    kinds = [_set_of(choices)] if choices else [kind.__name__ for kind in options if kind is not type(None)]
    return " or ".join([*kinds, "None"] if type(None) in options else kinds)


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return f'r"{value}"' if "\\" in value else f'"{value}"'
    return f"numpy.{value.__name__}" if isinstance(value, type) and issubclass(value, np.generic) else repr(value)
