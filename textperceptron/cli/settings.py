"""The options of ``train`` that override a recipe, a line each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal, NamedTuple, get_args

import typer

from textperceptron.cli.common import complete_from
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, Settings
from textperceptron.text.conjunctions.windows import STEMS, WindowSettings
from textperceptron.text.settings import NEGATORS

TEXT = "From text to columns"
PAIRS = "Pairs of words"
LEARNER = "Learner"
TRAINING = "Training"
CLASSES = "More than two classes"


def number_or_share(value: str) -> int | float:
    """Return a number of documents, or a share of them if it is written with a point."""
    try:
        return int(value)
    except ValueError:
        return float(value)


def words(value: str) -> tuple[str, ...]:
    """Return words that commas separate."""
    return tuple(word.strip() for word in value.split(",") if word.strip())


def stop_words(value: str) -> str | tuple[str, ...]:
    """Return the name of a list, or words: those given, or those of the file behind an ``@``."""
    if value.startswith("@"):
        with open(value[1:], encoding="utf-8-sig") as lines:
            return tuple(line.strip() for line in lines if line.strip())
    return value if value == "english" else words(value)


def weights_of_classes(value: str) -> str | tuple[tuple[str, float], ...]:
    """Return ``balanced``, or the pairs of ``pos=2,neg=1``."""
    if value == "balanced":
        return value
    pairs = [pair.rpartition("=") for pair in words(value)]
    return tuple((label, float(weight)) for label, _, weight in pairs)


def shuffling(value: str) -> bool | str:
    """Return the value that learners have for a choice."""
    return value if value == "once" else value == "each-epoch"


def files_in(changes: dict[str, Any]) -> list[str]:
    """Return the files that values of options are read from."""
    value = changes.get("stop_words", "")
    return [value[1:]] if value.startswith("@") else []


class Option(NamedTuple):
    """An option: the setting's name, its type on the command line, and how that becomes a setting."""

    name: str
    kind: Any
    panel: str
    help: str
    flags: tuple[str, ...] = ()
    read: Callable[[Any], Any] | None = None
    metavar: str | None = None
    offered: tuple[str, ...] = ()


OPTIONS = (
    Option("ngram_range", tuple[int, int], TEXT, "Shortest and longest n-grams.", metavar="MIN MAX"),
    Option("binary", bool, TEXT, "Whether words are present, or how often.", ("--binary/--counts",)),
    Option("norm", Literal["l2", "none"], TEXT, "Divide rows by their length."),
    Option("lowercase", bool, TEXT, "Lower the text."),
    Option("strip_accents", Literal["ascii", "unicode", "none"], TEXT, "Remove accents."),
    Option(
        "stop_words", str, TEXT, "Words to leave out: english, words with commas between, or @FILE with one a line.",
        read=stop_words, metavar="WORDS", offered=("english",),
    ),
    Option("token_pattern", str, TEXT, "A regular expression: what a word is.", metavar="PATTERN"),
    Option("analyzer", Literal["word", "char", "char_wb"], TEXT, "N-grams of words or of characters."),
    Option("negation", bool, TEXT, "Mark the words after not, never … up to the next punctuation."),
    Option("prefixes", int, TEXT, "Let words of more characters count by their first ones too; 0 for none."),
    Option(
        "min_df", str, TEXT, "Leave out terms in fewer documents: a number (3), or a share (0.01).",
        read=number_or_share, metavar="N",
    ),
    Option("max_df", str, TEXT, "Leave out terms in more documents, likewise.", read=number_or_share, metavar="N"),
    Option("max_features", int, TEXT, "Keep so many terms, the most frequent."),
    Option("n_features", int, TEXT, "Hash terms to so many columns instead of keeping their names."),
    Option("alternate_sign", bool, TEXT, "Whether the hash gives signs too."),
    Option("order", Literal["frequency", "alphabet"], TEXT, "How columns are numbered."),
    Option("dtype", Literal["float32", "float64"], TEXT, "Type of the weights."),
    Option("conjunctions", bool, PAIRS, "Join words that stand near each other: good-and-not."),
    Option(
        "pivots", str, PAIRS, "One word of a pair is among these: words with commas between, negators, or any.",
        metavar="WORDS", offered=("negators", "any"),
    ),
    Option("window", int, PAIRS, "How many words apart the two may be; 0 for anywhere in the document."),
    Option(
        "pair_bits", int, PAIRS, "All pairs of a document's terms, formed on the fly, on 2^N weights that they share.",
        metavar="N",
    ),
    Option("learner", Literal["perceptron", "averaged", "mira", "arow", "batch", "voted"], LEARNER, "What learns."),
    Option("C", float, LEARNER, "mira: longest step (pa1), or how much it is damped (pa2).", ("--C",)),
    Option("variant", Literal["pa", "pa1", "pa2"], LEARNER, "mira: passive-aggressive, I or II."),
    Option("average", bool, LEARNER, "mira: the mean of the weights instead of the last."),
    Option("r", float, LEARNER, "arow: how slowly it learns.", ("--r",)),
    Option("eta0", float, LEARNER, "perceptron, averaged, voted: length of a step."),
    Option("margin", float, LEARNER, "perceptron, averaged, voted, batch: scores up to this are mistakes."),
    Option("alpha", float, LEARNER, "batch: length of a step."),
    Option("normalize", bool, LEARNER, "batch: divide a step by the number of rows."),
    Option("kernel", Literal["linear", "poly"], LEARNER, "voted: kernel."),
    Option("degree", int, LEARNER, "voted: degree of the polynomial kernel."),
    Option("coef0", float, LEARNER, "voted: constant of the polynomial kernel."),
    Option("fit_intercept", bool, LEARNER, "Learn an intercept."),
    Option(
        "column_weight", Literal["log_count_ratio", "auto", "none"], LEARNER,
        "Weight columns by what a class has more of; auto: unless two classes are very uneven.",
    ),
    Option("ratio_alpha", float, LEARNER, "What is added to counts before their ratio is taken."),
    Option("ratio_binary", bool, LEARNER, "Let a text count once for each of its terms in ratios."),
    Option("ratio_balanced", bool, LEARNER, "Share out what is added to counts by the texts of the classes."),
    Option("interpolation", float, LEARNER, "Share of the model that is learnt; the rest is ratios alone."),
    Option(
        "class_weight", str, LEARNER, "balanced, or weights such as pos=2,neg=1.",
        read=weights_of_classes, metavar="WEIGHTS", offered=("balanced",),
    ),
    Option("max_iter", int, TRAINING, "Most epochs.", ("--max-iter", "--epochs")),
    Option("shuffle", Literal["each-epoch", "once", "no"], TRAINING, "When rows are reordered.", read=shuffling),
    Option("seed", int, TRAINING, "Decides the order of the rows, and what is held out."),
    Option("tol", float, TRAINING, "Stop when an epoch changes the weights by less than this share."),
    Option("early_stopping", bool, TRAINING, "Hold rows out, and stop when the accuracy on them no longer rises."),
    Option("validation_fraction", float, TRAINING, "Share of rows that early stopping and calibration hold out."),
    Option("n_iter_no_change", int, TRAINING, "Epochs that early stopping waits."),
    Option("calibrate", bool, TRAINING, "Learn probabilities from rows that are held out."),
    Option(
        "multiclass", Literal["native", "one-vs-all", "one-vs-one", "auto"], CLASSES,
        "One problem, or many of two; auto is one-vs-all while its weights fit.",
    ),
    Option("hash_bits", int, CLASSES, "Let weights share 2^N places; 0 keeps all."),
)  # fmt: skip

DEFAULT_PIVOTS, DEFAULT_WINDOW = "negators", 4
NAMED_PIVOTS: dict[str, tuple[str, ...] | None] = {DEFAULT_PIVOTS: (*NEGATORS, *STEMS), "any": None}


def takes_settings(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options above; what a person gave of them comes in as ``changes``."""

    @wraps(verb)
    def with_options(**given: Any) -> Any:
        changes = {option.name: given.pop(option.name) for option in OPTIONS}
        return verb(**given, changes={name: value for name, value in changes.items() if value is not None})

    signature = inspect.signature(verb, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "changes"]
    added = [_parameter(option) for option in OPTIONS]
    with_options.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return with_options


def settings_for(recipe: Settings, changes: dict[str, Any]) -> Settings:
    """Return the settings of a recipe with what a person asked for instead.

    Raises
    ------
    ValueError
        If a value makes no sense.
    """
    wanted = {option.name: _read(option, changes[option.name]) for option in OPTIONS if option.name in changes}
    asked = {name: wanted.pop(name) for name in ("conjunctions", "pivots", "window") if name in wanted}
    if asked:
        joined = asked.pop("conjunctions", True)
        wanted["conjunctions"] = _window(**asked) if joined else None
    try:
        return recipe.changed(**wanted)
    except ValueError as problem:
        raise ValueError(str(problem).replace("random_state", "seed")) from None


def _window(pivots: str = DEFAULT_PIVOTS, window: int = DEFAULT_WINDOW) -> WindowSettings:
    if window < 0:
        raise ValueError(f"--window {window}: use a number of words from 1 on, or 0 for anywhere in the document.")
    chosen = NAMED_PIVOTS[pivots] if pivots in NAMED_PIVOTS else words(pivots)
    if chosen == ():
        raise ValueError(f"--pivots {pivots!r}: there is no word in it. Give some, or any for all words.")
    return WindowSettings(chosen, window or None)


def _read(option: Option, value: Any) -> Any:
    if value == "none" and value in get_args(option.kind):
        return None
    if option.read is None:
        return value
    flag = (option.flags or (f"--{option.name.replace('_', '-')}",))[0]
    try:
        return option.read(value)
    except OSError as problem:
        raise ValueError(f"{flag} {value!r}: the file cannot be read ({problem.strerror}). Check the path.") from None
    except ValueError:
        raise ValueError(f"{flag} {value!r} cannot be read. It takes: {option.help}") from None


def _parameter(option: Option) -> inspect.Parameter:
    declared = typer.Option(
        *option.flags, help=option.help, rich_help_panel=option.panel, metavar=option.metavar,
        show_default=_default(option), autocompletion=complete_from(*option.offered) if option.offered else None,
    )  # fmt: skip
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[option.kind | None, declared]
    )


def _default(option: Option) -> str:
    """Return the value that the default recipe has, as a person would give it."""
    pairs = {"conjunctions": "no", "pivots": DEFAULT_PIVOTS, "window": str(DEFAULT_WINDOW)}
    if option.name in pairs:
        return pairs[option.name]
    recipe = RECIPES[DEFAULT_RECIPE]
    value = getattr(recipe.text if hasattr(recipe.text, option.name) else recipe.learner, option.name)
    if option.name == "shuffle":
        return "each-epoch"
    if option.name == "binary":
        return "binary" if value else "counts"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
