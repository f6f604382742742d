"""Settings ↔ options of ``train`` and ``tune``, generated from the declarations of the settings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import Field, dataclass
from functools import wraps
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from textperceptron.cli.common import complete_from
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, Settings, learners, setting_fields, setting_types
from textperceptron.settings import recipe as named_recipe
from textperceptron.settings.fields import Declaration, choices_of, declaration_of, declared_fields


@dataclass(frozen=True)
class Option:
    """A command-line option, generated from the declaration of a setting.

    Attributes
    ----------
    field : Field
        Field of the setting.
    hint : type
        Type of the setting.
    parent : str or None
        Name of the nested setting that this one is a field of.
    """

    field: Field[Any]
    hint: Any
    parent: str | None = None

    @property
    def name(self) -> str:
        """Name of the setting and of the verb's parameter."""
        return self.field.name

    @property
    def declared(self) -> Declaration:
        """Declaration of the setting."""
        declaration = declaration_of(self.field)
        assert declaration is not None
        return declaration

    @property
    def flag(self) -> str:
        """The first flag, which messages name."""
        return (self.declared.flags or (f"--{self.name.replace('_', '-')}",))[0]

    @property
    def choices(self) -> tuple[str, ...]:
        """Valid arguments; empty if the option is not limited to a list."""
        if self.declared.choices is not None:
            return self.declared.choices()
        return tuple("none" if choice is None else choice for choice in choices_of(self.hint)) if not self.parse else ()

    @property
    def parse(self) -> Callable[[str], Any] | None:
        """Function that parses the argument, if its type does not."""
        return self.declared.parse or self._optional_number

    @property
    def can_be_none(self) -> bool:
        """Whether the argument ``none`` unsets the setting."""
        is_optional = type(None) in get_args(self.hint) and self.declared.parse is None
        return (self.field.default is None or is_optional) and self.declared.nested is None

    @property
    def _optional_number(self) -> type | None:
        """``int`` or ``float`` for a number that can be None, whose option must take a word too."""
        kinds = [kind for kind in get_args(self.hint) if kind in (int, float)]
        return kinds[0] if self.can_be_none and kinds else None

    @property
    def metavar(self) -> str | None:
        """Name of the argument in ``--help``; None for the list of its values."""
        numbers = {int: "N", float: "NUMBER"}
        kinds = get_args(self.hint) or (self.hint,)
        return self.declared.metavar or next((numbers[kind] for kind in kinds if kind in numbers), None)

    @property
    def is_switch(self) -> bool:
        """Whether the option is a switch: on or off, no argument."""
        return self.hint is bool or "/" in self.flag or self.declared.nested is not None

    @property
    def type(self) -> Any:
        """Type of the verb's parameter."""
        if self.is_switch:
            return bool
        if self.choices:
            return Literal[self.choices]
        if self.parse is not None:
            return str
        kinds = [kind for kind in get_args(self.hint) or (self.hint,) if kind is not type(None)]
        return self.hint if isinstance(self.hint, type(tuple[int, int])) else kinds[0]

    @property
    def help(self) -> str:
        """One line of help; that of a learner's parameter starts with the learners that have it."""
        owners = [name for name, learner in learners().items() if self.name in learner.parameters]
        said, syntax = self.declared.help, self.declared.syntax
        if syntax:
            said = f"{said} {syntax}" if syntax[0].isupper() else f"{said.rstrip('.')}: {syntax}"
        return f"{', '.join(owners)}: {said}" if owners else said

    def value(self, argument: Any) -> Any:
        """Convert an argument to the value of the setting."""
        if argument == "none" and self.can_be_none:
            return None
        if self.parse is None:
            return argument
        try:
            return self.parse(argument)
        except OSError as problem:
            raise ValueError(
                f"{self.flag} {argument!r}: the file cannot be read ({problem.strerror}). Check the path."
            ) from None
        except ValueError as problem:
            if str(problem).startswith(self.flag):
                raise
            takes = "a number, or none." if self._optional_number else self.declared.syntax or self.help
            raise ValueError(f"{self.flag} {argument!r} is not valid. It takes: {takes}") from None

    def arguments(self, value: Any) -> list[str]:
        """Return the flag and the arguments that set a value."""
        if self.is_switch:
            on, _, off = self.flag.partition("/")
            return [on if value else off or f"--no-{on[2:]}"]
        if value is None and self.can_be_none:
            return [self.flag, "none"]
        if self.declared.unparse is not None:
            return [self.flag, *self.declared.unparse(value)]
        return [self.flag, *map(str, value)] if isinstance(value, tuple) else [self.flag, _argument(self, value)]

    def default(self, value: Any) -> str:
        """Return a value as ``--help`` shows it."""
        if self.declared.nested is not None:
            return "no" if value is None else "yes"
        if self.is_switch and isinstance(value, str):
            return value
        if isinstance(value, bool) and "/" in self.flag:
            return self.flag.split("/")[0 if value else 1].removeprefix("--")
        if isinstance(value, bool) and self.declared.unparse is None:
            return "yes" if value else "no"
        return "none" if value is None else " ".join(self.arguments(value)[1:])


def _argument(option: Option, value: Any) -> str:
    return option.declared.unparse(value)[0] if option.declared.unparse is not None else str(value)


def setting_options() -> list[Option]:
    """Return the options of all settings; the fields of a nested setting follow it."""
    options, types = [], setting_types()
    for name, field in setting_fields().items():
        declared = declaration_of(field)
        if declared is None or not declared.is_option:
            continue
        options.append(Option(field, types[name]))
        if declared.nested is not None:
            hints = get_type_hints(declared.nested)
            options += [Option(each, hints[each.name], name) for each in declared_fields(declared.nested).values()]
    return options


def takes_settings(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of all settings to a verb, which receives those that the user gave as ``changes``."""
    options = setting_options()

    @wraps(verb)
    def with_options(**given: Any) -> Any:
        changes = {option.name: given.pop(option.name) for option in options}
        try:
            return verb(**given, changes={name: value for name, value in changes.items() if value is not None})
        except ValueError as problem:
            if type(problem) is not ValueError:  # that of a corpus or a file quotes names
                raise
            raise ValueError(name_options(str(problem))) from problem

    signature = inspect.signature(verb, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "changes"]
    defaults = named_recipe(DEFAULT_RECIPE)
    added = [_parameter(option, defaults) for option in options]
    with_options.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return with_options


def _parameter(option: Option, defaults: Settings) -> inspect.Parameter:
    declared = option.declared
    value = option.field.default if option.parent else defaults[option.name]
    unset = " Use none to unset it." if option.can_be_none and value is not None else ""
    shown = typer.Option(
        *declared.flags, help=option.help + unset, rich_help_panel=declared.group, metavar=option.metavar,
        show_default=option.default(value),
        autocompletion=complete_from(*declared.suggest) if declared.suggest else None,
    )  # fmt: skip
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[option.type | None, shown]
    )


def settings_for(recipe: Settings, changes: dict[str, Any]) -> Settings:
    """Return the settings of a recipe, changed by options.

    Raises
    ------
    ValueError
        If a value is invalid.
    """
    options = {option.name: option for option in setting_options()}
    wanted = {name: options[name].value(argument) for name, argument in changes.items()}
    for name in [each.name for each in options.values() if each.declared.nested is not None]:
        fields = {
            each: wanted.pop(each) for each, option in options.items() if option.parent == name and each in wanted
        }
        if fields or name in wanted:
            wanted[name] = options[name].declared.nested(**fields) if wanted.get(name, True) else None
    try:
        return recipe.replace(**wanted)
    except ValueError as problem:
        raise ValueError(str(problem).replace("random_state", "seed")) from None


def name_options(message: str) -> str:
    """Return a message with options instead of the parameters of Python that it names.

    Examples
    --------
    >>> name_options("pair_bits=20 with hash_bits=10: leave hash_bits out, or use multiclass='one-vs-all'.")
    '--pair-bits 20 with --hash-bits 10: leave --hash-bits out, or use --multiclass one-vs-all.'
    >>> name_options("early_stopping=True needs all texts at once.")
    '--early-stopping needs all texts at once.'
    """
    options = {option.name: option for option in setting_options()}

    def option(found: re.Match[str]) -> str:
        name, quoted, word = found.groups()
        if name not in options or (word is None and quoted is None and "_" not in name):
            return found[0]
        chosen = options[name]
        if chosen.is_switch and word in ("True", "False"):
            return chosen.arguments(word == "True")[0]
        flag = chosen.flag.split("/")[0]
        value = "none" if word == "None" else quoted if word is None else word
        return flag if value is None else f"{flag} {value}"

    return re.sub(r"(?<![\w'-])([A-Za-z_]\w*)(?:='([^']*)'|=([\w+-][\w.+-]*(?<!\.)))?", option, message)


def check_used(settings: Settings, changes: dict[str, Any]) -> None:
    """Raise ValueError for an option of another learner than that of the settings."""
    own = learners()[settings.learner.learner].parameters
    for option in setting_options():
        owners = [name for name, learner in learners().items() if option.name in learner.parameters]
        if option.name in changes and owners and option.name not in own:
            raise ValueError(
                f"{option.flag} has no effect on --learner {settings.learner.learner}: it is for {', '.join(owners)}. "
                f"Leave it out, or use --learner {owners[0]}."
            )


def option_files(changes: dict[str, Any]) -> list[str]:
    """Return the files that options read their values from (``@FILE``)."""
    return [each[1:] for each in changes.values() if isinstance(each, str) and each.startswith("@")]


def options_for(settings: Settings, base: Settings) -> list[str]:
    """Return the options that change ``base`` to ``settings``.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> mira = recipe("mira")
    >>> options_for(mira.replace(ngram_range=(1, 3), binary=False, C=0.1, negation=True), mira)
    ['--ngram-range', '1', '3', '--counts', '--negation', '--C', '0.1']
    """
    arguments: list[str] = []
    changed = settings.differences(base)
    for option in setting_options():
        if option.parent is not None and changed.get(option.parent) is not None:
            value = getattr(changed[option.parent], option.name)
            arguments += option.arguments(value) if value != option.field.default else []
        elif option.name in changed:
            arguments += option.arguments(changed[option.name])
    return arguments


def recipe_and_options(settings: Settings, recipe: str) -> list[str]:
    """Return ``--recipe``, unless it is the default, and the options that lead to the settings."""
    options = options_for(settings, named_recipe(recipe))
    return options if recipe == DEFAULT_RECIPE else ["--recipe", recipe, *options]


def shortest_recipe_and_options(settings: Settings) -> list[str]:
    """Return the recipe and the fewest options that lead to the same weights as the settings.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> shortest_recipe_and_options(recipe("mira").replace(C=0.1))
    ['--recipe', 'mira', '--C', '0.1']
    """
    own = learners()[settings.learner.learner].parameters
    unused = {
        name for learner in learners().values() for name in learner.parameters if name not in own
    }  # of other learners: they have no effect, and check_used rejects them
    found = []
    for name in RECIPES:
        base = named_recipe(name)
        found.append(recipe_and_options(settings.replace(**{each: base[each] for each in unused}), name))
    return min(found, key=len)
