"""Settings ↔ options of ``train`` and ``tune``: both come from the declarations of the settings."""

from __future__ import annotations

import inspect
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
    """An option of a command, made from the declaration of a setting.

    Attributes
    ----------
    field : Field
        The setting.
    hint : type
        Its type.
    parent : str or None
        The setting that this one is a part of.
    """

    field: Field[Any]
    hint: Any
    parent: str | None = None

    @property
    def name(self) -> str:
        """The setting's name, which is that of the command's parameter."""
        return self.field.name

    @property
    def declared(self) -> Declaration:
        """The setting's declaration."""
        declaration = declaration_of(self.field)
        assert declaration is not None
        return declaration

    @property
    def flag(self) -> str:
        """The flag that a message names."""
        return (self.declared.flags or (f"--{self.name.replace('_', '-')}",))[0]

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that the option takes; empty if it takes any."""
        if self.declared.choices is not None:
            return self.declared.choices()
        return tuple("none" if choice is None else choice for choice in choices_of(self.hint)) if not self.parse else ()

    @property
    def parse(self) -> Callable[[str], Any] | None:
        """The function that reads the option's word, if it is not its type."""
        return self.declared.parse

    @property
    def is_switch(self) -> bool:
        """Whether it is turned on and off."""
        return self.hint is bool or self.declared.nested is not None

    @property
    def type(self) -> Any:
        """The type of the command's parameter."""
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
        """One line of help; that of a learner's parameter begins with the learners that have it."""
        owners = [name for name, learner in learners().items() if self.name in learner.parameters]
        said, syntax = self.declared.help, self.declared.syntax
        if syntax:
            said = f"{said} {syntax}" if syntax[0].isupper() else f"{said.rstrip('.')}: {syntax}"
        return f"{', '.join(owners)}: {said}" if owners else said

    def value(self, word: Any) -> Any:
        """Return the setting's value for what a person gave."""
        if word == "none" and word in self.choices:
            return None
        if self.parse is None:
            return word
        try:
            return self.parse(word)
        except OSError as problem:
            raise ValueError(
                f"{self.flag} {word!r}: the file cannot be read ({problem.strerror}). Check the path."
            ) from None
        except ValueError as problem:
            if str(problem).startswith(self.flag):
                raise
            raise ValueError(
                f"{self.flag} {word!r} cannot be read. It takes: {self.declared.syntax or self.help}"
            ) from None

    def words(self, value: Any) -> list[str]:
        """Return the words of a command that give a value.

        Raises
        ------
        ValueError
            If no word does.
        """
        if self.is_switch:
            on, _, off = self.flag.partition("/")
            return [on if value else off or f"--no-{on[2:]}"]
        if value is None and self.declared.unparse is None:
            if "none" not in self.choices:
                raise ValueError(f"{self.flag} cannot be taken back on the command line: begin with another recipe.")
            return [self.flag, "none"]
        if value is not None and self.declared.unparse is not None:
            return [self.flag, *self.declared.unparse(value)]
        return [self.flag, *map(str, value)] if isinstance(value, tuple) else [self.flag, _word(self, value)]

    def default(self, value: Any) -> str:
        """Return a value as ``--help`` shows it."""
        if self.declared.nested is not None:
            return "no" if value is None else "yes"
        if isinstance(value, bool) and "/" in self.flag:
            return self.flag.split("/")[0 if value else 1].removeprefix("--")
        if isinstance(value, bool) and self.declared.unparse is None:
            return "yes" if value else "no"
        return "none" if value is None else " ".join(self.words(value)[1:])


def _word(option: Option, value: Any) -> str:
    return option.declared.unparse(value)[0] if option.declared.unparse is not None else str(value)


def setting_options() -> list[Option]:
    """Return the options of all settings, those of a nested setting behind it."""
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
    """Add the options of all settings to a verb; those that were given are passed as ``changes``."""
    options = setting_options()

    @wraps(verb)
    def with_options(**given: Any) -> Any:
        changes = {option.name: given.pop(option.name) for option in options}
        return verb(**given, changes={name: value for name, value in changes.items() if value is not None})

    signature = inspect.signature(verb, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "changes"]
    usual = named_recipe(DEFAULT_RECIPE)
    added = [_parameter(option, usual) for option in options]
    with_options.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return with_options


def _parameter(option: Option, usual: Settings) -> inspect.Parameter:
    declared = option.declared
    shown = typer.Option(
        *declared.flags, help=option.help, rich_help_panel=declared.group, metavar=declared.metavar,
        show_default=option.default(option.field.default if option.parent else usual[option.name]),
        autocompletion=complete_from(*declared.suggest) if declared.suggest else None,
    )  # fmt: skip
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[option.type | None, shown]
    )


def settings_for(recipe: Settings, changes: dict[str, Any]) -> Settings:
    """Return the settings of a recipe with the options that were given.

    Raises
    ------
    ValueError
        If a value makes no sense.
    """
    options = {option.name: option for option in setting_options()}
    wanted = {name: options[name].value(word) for name, word in changes.items()}
    for name in [each.name for each in options.values() if each.declared.nested is not None]:
        parts = {part: wanted.pop(part) for part, option in options.items() if option.parent == name and part in wanted}
        if parts or name in wanted:
            wanted[name] = options[name].declared.nested(**parts) if wanted.get(name, True) else None
    try:
        return recipe.replace(**wanted)
    except ValueError as problem:
        raise ValueError(str(problem).replace("random_state", "seed")) from None


def option_files(changes: dict[str, Any]) -> list[str]:
    """Return the files that values of options are read from."""
    return [word[1:] for word in changes.values() if isinstance(word, str) and word.startswith("@")]


def options_for(settings: Settings, base: Settings) -> list[str]:
    """Return the words of a command that turn some settings into others.

    Raises
    ------
    ValueError
        If no option does.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> mira = recipe("mira")
    >>> options_for(mira.replace(ngram_range=(1, 3), binary=False, C=0.1, negation=True), mira)
    ['--ngram-range', '1', '3', '--counts', '--negation', '--C', '0.1']
    """
    words: list[str] = []
    changed = settings.differences(base)
    for option in setting_options():
        if option.parent is not None and changed.get(option.parent) is not None:
            value = getattr(changed[option.parent], option.name)
            words += option.words(value) if value != option.field.default else []
        elif option.name in changed:
            words += option.words(changed[option.name])
    return words


def recipe_and_options(settings: Settings, recipe: str) -> list[str]:
    """Return the recipe, unless it is the default, and the options that make settings.

    Another recipe takes its place if no option takes back what it has.

    Raises
    ------
    ValueError
        If no recipe does.
    """
    problem = None
    for name in (recipe, *RECIPES):
        try:
            options = options_for(settings, named_recipe(name))
        except ValueError as not_this:
            problem = problem or not_this
            continue
        return options if name == DEFAULT_RECIPE else ["--recipe", name, *options]
    assert problem is not None
    raise problem
