"""Settings → the options of ``train`` that make them."""

from __future__ import annotations

from typing import Any, get_args

from textperceptron.cli.settings import DEFAULT_WINDOW, NAMED_PIVOTS, OPTIONS, Option
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, Settings
from textperceptron.settings import recipe as named
from textperceptron.text.conjunctions.windows import WindowSettings

_SHUFFLING = {True: "each-epoch", "once": "once", False: "no"}


def options_for(settings: Settings, recipe: Settings) -> list[str]:
    """Return the options that turn the settings of a recipe into others, as words of a command.

    Raises
    ------
    ValueError
        If no option takes a setting back that the recipe has.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> mira = recipe("mira")
    >>> options_for(mira.changed(ngram_range=(1, 3), binary=False, C=0.1, negation=True), mira)
    ['--ngram-range', '1', '3', '--counts', '--negation', '--C', '0.1']
    """
    words: list[str] = []
    for option in OPTIONS:
        if option.name in ("pivots", "window"):
            continue
        value, usual = _value(settings, option.name), _value(recipe, option.name)
        if value != usual:
            words += _pairs(value) if option.name == "conjunctions" else _option(option, value)
    return words


def recipe_and_options(settings: Settings, recipe: str) -> list[str]:
    """Return the recipe, unless it is the default, and the options that make settings.

    Another recipe takes its place if no option takes back what it has.

    Raises
    ------
    ValueError
        If there is none.
    """
    problem = None
    for name in (recipe, *RECIPES):
        try:
            options = options_for(settings, named(name))
        except ValueError as not_this:
            problem = problem or not_this
            continue
        return options if name == DEFAULT_RECIPE else ["--recipe", name, *options]
    assert problem is not None
    raise problem


def _value(settings: Settings, name: str) -> Any:
    return getattr(settings.text if hasattr(settings.text, name) else settings.learner, name)


def _option(option: Option, value: Any) -> list[str]:
    flag = (option.flags or (f"--{option.name.replace('_', '-')}",))[0]
    if option.name == "shuffle":
        return [flag, _SHUFFLING[value]]
    if option.kind is bool:
        yes, _, no = flag.partition("/")
        return [yes if value else no or f"--no-{yes[2:]}"]
    if value is None:
        if "none" not in get_args(option.kind):
            raise ValueError(f"{flag} cannot be taken back on the command line: begin with another recipe.")
        return [flag, "none"]
    if option.name == "ngram_range":
        return [flag, *map(str, value)]
    if isinstance(value, tuple):
        pairs = (f"{each[0]}={each[1]:g}" if isinstance(each, tuple) else each for each in value)
        return [flag, ",".join(pairs)]
    return [flag, str(value)]


def _pairs(chosen: WindowSettings | None) -> list[str]:
    if chosen is None:
        return ["--no-conjunctions"]
    words = ["--conjunctions"]
    name = next((name for name, pivots in NAMED_PIVOTS.items() if pivots == chosen.pivots), None)
    if name is None:
        words += ["--pivots", ",".join(chosen.pivots or ())]
    elif name != next(iter(NAMED_PIVOTS)):
        words += ["--pivots", name]
    return words if chosen.window == DEFAULT_WINDOW else [*words, "--window", str(chosen.window or 0)]
