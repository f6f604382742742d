"""Settings of a learner and of its training; the registry that learners enter themselves in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, get_type_hints

from textperceptron._validation import at_least, between, fraction, integer, one_of, positive
from textperceptron.settings.fields import (
    CLASSES,
    LEARNER,
    PAIRS,
    TRAINING,
    check_value,
    declared_fields,
    default_of,
    setting,
)
from textperceptron.settings.option_values import (
    SHUFFLE_CHOICES,
    format_class_weight,
    format_shuffle,
    parse_class_weight,
    parse_shuffle,
)

Multiclass = Literal["native", "one-vs-all", "one-vs-one", "auto"]
Shuffle = bool | Literal["once"]
Label = str | int | bool
RuleType = TypeVar("RuleType", bound=type)

# Weights up to which "auto" takes one-vs-all: 20 classes of three million columns. Each takes 16 bytes in training.
MAX_ONE_VS_ALL_WEIGHTS = 1 << 26

# How many times the texts of the other a class may have for "auto" to take log-count ratios: a term that only the
# larger class has by chance speaks against the smaller one in all its texts.
MAX_CLASS_RATIO = 3

MIN_HASH_BITS, MAX_HASH_BITS = 4, 34
MAX_PAIR_BITS = 30


def check_hash_bits(name: str, bits: int) -> None:
    """Raise ValueError unless ``bits`` is 0 or the size of a hashed table."""
    integer(name, bits)
    if bits != 0:
        at_least(name, bits, MIN_HASH_BITS)
    if bits > MAX_HASH_BITS:
        raise ValueError(f"{name}={bits!r}: use at most {MAX_HASH_BITS}, a table of 2**{MAX_HASH_BITS} weights.")


def check_pair_bits(name: str, bits: int) -> None:
    """Raise ValueError unless ``bits`` is the size of a table for pairs of columns."""
    integer(name, bits)
    at_least(name, bits, 1)
    if bits > MAX_PAIR_BITS:
        raise ValueError(f"{name}={bits!r}: use at most {MAX_PAIR_BITS}, a table of 2**{MAX_PAIR_BITS} weights.")


def check_pair_options(bits: int | None, *, column_weight: object, hash_bits: int | None) -> None:
    """Raise ValueError for parameters that pairs on the fly cannot be combined with."""
    if bits is None:
        return
    check_pair_bits("pair_bits", bits)
    if column_weight is not None:
        raise ValueError(
            f"pair_bits={bits} with a column_weight: pairs that are formed on the fly have no weights beside them. "
            "Multiply the columns beforehand (LogCountRatio does), which multiplies pairs by both."
        )
    if hash_bits:
        raise ValueError(
            f"pair_bits={bits} with hash_bits={hash_bits}: pairs are hashed already, and would be hashed twice. Leave "
            "hash_bits out, and choose pair_bits so that 2**pair_bits × classes fit."
        )


class Learner(NamedTuple):
    """A registered learner.

    Attributes
    ----------
    name : str
    rule : type
        A dataclass of :mod:`textperceptron.learn.rules`; its declared fields are the learner's parameters.
    fixed : mapping
        Fields of the rule that this learner gives a value: no parameters of it.
    tune : int or None
        Its place among the learners that ``tune`` tries.
    """

    name: str
    rule: Any
    fixed: Mapping[str, Any]
    tune: int | None

    @property
    def parameters(self) -> dict[str, Field[Any]]:
        """The learner's parameters, by name."""
        return {name: field for name, field in declared_fields(self.rule).items() if name not in self.fixed}


_LEARNERS: dict[str, Learner] = {}
_PARAMETERS: dict[str, Field[Any]] = {}
_TYPES: dict[str, Any] = {}
_BUILT_IN = "textperceptron.learn.rules"  # a plug-in: imported by name, when a learner is first needed


def register_learner(name: str, *, tune: int | None = None, **fixed: Any) -> Callable[[RuleType], RuleType]:
    """Register a rule as a learner: the command line, model files, ``tune`` and descriptions then know it.

    Parameters
    ----------
    name : str
        What ``learner=`` and ``--learner`` call it.
    tune : int, optional
        Its place among the learners that ``tune`` tries; not tried without one.
    **fixed
        Fields of the rule that have this value, and are no parameters of this learner.
    """

    def register(rule: RuleType) -> RuleType:
        entry = Learner(name, rule, MappingProxyType(fixed), tune)
        for parameter, field in entry.parameters.items():
            _PARAMETERS.setdefault(parameter, field)
            _TYPES.setdefault(parameter, get_type_hints(rule)[parameter])
        _LEARNERS[name] = entry
        ordered = sorted(_LEARNERS.items(), key=lambda item: item[1].tune or len(_LEARNERS) + 1)
        _LEARNERS.clear()
        _LEARNERS.update(ordered)
        return rule

    return register


def unregister_learner(name: str) -> None:
    """Forget a learner, and the parameters that only it has."""
    del _LEARNERS[name]
    kept = {parameter for each in _LEARNERS.values() for parameter in each.parameters}
    for parameter in [each for each in _PARAMETERS if each not in kept]:
        del _PARAMETERS[parameter], _TYPES[parameter]


def learners() -> Mapping[str, Learner]:
    """Return the registered learners by name, those that ``tune`` tries first."""
    import_module(_BUILT_IN)
    return _LEARNERS


def parameter_fields() -> Mapping[str, Field[Any]]:
    """Return the parameters of all learners, by name."""
    learners()
    return _PARAMETERS


def check_learner(name: str, value: str) -> None:
    """Raise ValueError unless ``value`` is a registered learner."""
    one_of(name, value, tuple(learners()))


def _say_class_weight(value: str | tuple[tuple[Label, float], ...]) -> str:
    if isinstance(value, str):
        return f"class weight = {value}"
    return "class weight " + ",".join(f"{label}={weight:g}" for label, weight in value)


def _check_class_weight(name: str, value: Any) -> None:
    if not isinstance(value, tuple):
        one_of(name, value, ("balanced", None))


_YES_NO = partial(one_of, allowed=(True, False))


@dataclasses.dataclass(frozen=True, init=False)
class LearnerSettings:
    """A learner, the parameters of all learners, and how training goes.

    The fields below are shared by all learners. Each learner declares its own parameters in its rule; all of them are
    attributes of this class too. Parameters of another learner than ``learner`` are kept, and have no effect.

    Examples
    --------
    >>> from textperceptron.settings import LearnerSettings
    >>> settings = LearnerSettings(learner="mira", C=0.01)
    >>> settings.C, settings.r, settings.max_iter
    (0.01, 1.0, 10)
    """

    learner: str = setting(
        "mira", "What learns.", group=LEARNER, check=check_learner, say="", rank=4, choices=lambda: tuple(learners())
    )
    fit_intercept: bool = setting(True, "Learn an intercept.", group=LEARNER, check=_YES_NO)
    column_weight: Literal["log_count_ratio", "auto"] | None = setting(
        None, "Weight columns by what a class has more of; auto: unless two classes are very uneven.", group=LEARNER,
        check=partial(one_of, allowed=(None, "log_count_ratio", "auto")), say="",
        tune=("log_count_ratio", None), rank=1,
    )  # fmt: skip
    ratio_alpha: float = setting(
        1.0, "What is added to counts before their ratio is taken.",
        group=LEARNER, check=positive, say="", needs="column_weight",
    )  # fmt: skip
    ratio_binary: bool = setting(
        False, "Let a text count once for each of its terms in ratios.",
        group=LEARNER, check=_YES_NO, say="", needs="column_weight",
    )  # fmt: skip
    ratio_balanced: bool = setting(
        False, "Share out what is added to counts by the texts of the classes.",
        group=LEARNER, check=_YES_NO, say="", needs="column_weight",
    )  # fmt: skip
    interpolation: float | None = setting(
        None, "Share of the model that is learnt; the rest is ratios alone.", group=LEARNER, check=fraction, say="",
        needs="column_weight", tune=(None, 0.25, 0.4, 0.5), rank=2,
    )  # fmt: skip
    multiclass: Multiclass = setting(
        "native", "One problem, or many of two; auto is one-vs-all while its weights fit.", group=CLASSES,
        check=partial(one_of, allowed=("native", "one-vs-all", "one-vs-one", "auto")),
        say=lambda mode: "one-vs-all" if mode == "auto" else mode,
        needs="many classes", tune=("native", "one-vs-all"), rank=13,
    )  # fmt: skip
    hash_bits: int | None = setting(
        None, "Let weights share 2^N places; 0 keeps all.", group=CLASSES, check=check_hash_bits, needs="many classes"
    )
    pair_bits: int | None = setting(
        None, "All pairs of a document's terms, formed on the fly, on 2^N weights that they share.",
        group=PAIRS, metavar="N", check=check_pair_bits,
    )  # fmt: skip
    class_weight: Literal["balanced"] | tuple[tuple[Label, float], ...] | None = setting(
        None, "balanced, or weights such as pos=2,neg=1.", group=LEARNER, metavar="WEIGHTS", suggest=("balanced",),
        check=_check_class_weight, parse=parse_class_weight, unparse=format_class_weight, say=_say_class_weight,
        tune=(None, "balanced"), rank=10,
    )  # fmt: skip
    max_iter: int = setting(
        10, "Most epochs.", group=TRAINING, flags=("--max-iter", "--epochs"), say="",
        check=(partial(at_least, low=1), integer), tune=(10, 20, 5), rank=11,
    )  # fmt: skip
    shuffle: Shuffle = setting(
        True, "When rows are reordered.", group=TRAINING, check=partial(one_of, allowed=(True, False, "once")),
        choices=lambda: SHUFFLE_CHOICES, parse=parse_shuffle, unparse=format_shuffle,
    )  # fmt: skip
    seed: int = setting(
        0, "Decides the order of the rows, and what is held out.", group=TRAINING, say="",
        check=(partial(at_least, low=0), integer),
    )  # fmt: skip
    tol: float | None = setting(
        None, "Stop when an epoch changes the weights by less than this share.",
        group=TRAINING, check=partial(at_least, low=0),
    )  # fmt: skip
    early_stopping: bool = setting(
        False, "Hold rows out, and stop when the accuracy on them no longer rises.", group=TRAINING, check=_YES_NO
    )
    validation_fraction: float = setting(
        0.1, "Share of rows that early stopping and calibration hold out.",
        group=TRAINING, check=partial(between, low=0, high=1),
    )  # fmt: skip
    n_iter_no_change: int = setting(
        5, "Epochs that early stopping waits.", group=TRAINING, check=partial(at_least, low=1)
    )
    calibrate: bool = setting(False, "Learn probabilities from rows that are held out.", group=TRAINING, check=_YES_NO)
    parameters: tuple[tuple[str, Any], ...] = ()
    """Names and values of the parameters of all learners, those given by default left out."""

    def __init__(self, **values: Any) -> None:
        fields = learner_fields()
        if unknown := [name for name in values if name not in fields]:
            raise TypeError(f"there is no setting of a learner called {unknown[0]!r}. There are {', '.join(fields)}.")
        for name, field in fields.items():
            value = values.get(name, default_of(field))
            check_value(field, value)
            if name not in _PARAMETERS:
                object.__setattr__(self, name, value)
        own = {name: values[name] for name in _PARAMETERS if name in values}
        given = tuple((name, value) for name, value in own.items() if value != default_of(_PARAMETERS[name]))
        object.__setattr__(self, "parameters", given)
        self._check_combinations()

    def __getattr__(self, name: str) -> Any:
        if name in _PARAMETERS:
            return dict(self.parameters).get(name, default_of(_PARAMETERS[name]))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_combinations(self) -> None:
        if self.calibrate and self.multiclass == "one-vs-one":
            raise ValueError("calibrate=True: votes of one-vs-one have no probabilities. Use native or one-vs-all.")
        given = None if self.column_weight == "auto" else self.column_weight
        check_pair_options(self.pair_bits, column_weight=given, hash_bits=self.hash_bits)
        rule = learners()[self.learner].rule
        if self.pair_bits is not None and not rule.has_weights:
            raise ValueError(
                "pair_bits: the voted perceptron keeps rows, not weights. Use kernel='poly', which joins all."
            )
        if self.column_weight == "log_count_ratio" and not rule.has_weights:
            raise ValueError(
                "column_weight: the voted perceptron keeps rows, not weights, and takes none. Use column_weight=None, "
                "or the averaged perceptron."
            )

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value of every setting."""
        return ((name, getattr(self, name)) for name in learner_fields())

    def replace(self, **changes: Any) -> LearnerSettings:
        """Return settings with some values replaced."""
        return LearnerSettings(**dict(self.items()) | changes)

    def rule_arguments(self, weighted: bool | None = None) -> dict[str, Any]:
        """Return the arguments of the rule; ``weighted`` says whether columns have weights, if settings do not."""
        weighted = self.column_weight is not None if weighted is None else weighted
        entry = learners()[self.learner]
        own = {name: getattr(self, name) for name in entry.parameters}
        interpolation = self.interpolation if weighted and entry.rule.has_weights else None
        return {**own, **entry.fixed, "fit_intercept": self.fit_intercept, "interpolation": interpolation}

    def resolve_auto(self, rows_of_class: Sequence[int], n_columns: int) -> LearnerSettings:
        """Return what ``"auto"`` means for the numbers of texts of the classes, and of columns.

        Examples
        --------
        >>> from textperceptron.settings import recipe
        >>> learner = recipe("best").learner.resolve_auto([500, 480], 100_000)
        >>> learner.multiclass, learner.column_weight
        ('one-vs-all', 'log_count_ratio')
        >>> recipe("best").learner.resolve_auto([500, 10], 100_000).column_weight is None
        True
        """
        multiclass, column_weight, n_classes = self.multiclass, self.column_weight, len(rows_of_class)
        if "auto" not in (multiclass, column_weight):
            return self
        if multiclass == "auto":
            fits = n_classes <= 2 or n_classes * (n_columns + 1) <= MAX_ONE_VS_ALL_WEIGHTS
            fits = fits and self.pair_bits is None
            multiclass = "one-vs-all" if fits else "native"
            column_weight = column_weight if fits else None
        if column_weight == "auto":
            even = n_classes > 2 or max(rows_of_class) <= MAX_CLASS_RATIO * min(rows_of_class)
            helps = (
                even
                and learners()[self.learner].rule.has_weights
                and self.pair_bits is None
                and (n_classes == 2 or multiclass != "native")
            )
            column_weight = "log_count_ratio" if helps else None
        return self.replace(multiclass=multiclass, column_weight=column_weight)

    def describe(self) -> list[str]:
        """Return the phrases with which a description begins: the learner, and how columns are weighted."""
        entry = learners()[self.learner]
        said: list[str] = entry.rule(**self.rule_arguments()).describe(self.learner)
        if self.column_weight is None:
            return said
        how = [f"alpha = {self.ratio_alpha:g}"] if self.ratio_alpha != 1 else []
        how += ["presence"] if self.ratio_binary else []
        how += ["balanced"] if self.ratio_balanced else []
        how += ["unless classes are very uneven"] if self.column_weight == "auto" else []
        said.append("log-count ratios" + (f" ({', '.join(how)})" if how else ""))
        return [*said, f"interpolation {self.interpolation:g}"] if self.interpolation is not None else said

    def unused(self, n_classes: int) -> set[str]:
        """Return the names of the settings that have no effect beside the others."""
        own = learners()[self.learner].parameters
        missing = {
            *(("column_weight",) if self.column_weight is None else ()),
            *(("many classes",) if n_classes == 2 else ()),
        }
        idle = {name for name, field in declared_fields(LearnerSettings).items() if _needs(field) in missing}
        return idle | {name for name in parameter_fields() if name not in own}


def _needs(field: Field[Any]) -> str | None:
    needs: str | None = field.metadata["setting"].needs
    return needs


def learner_fields() -> dict[str, Field[Any]]:
    """Return all settings of learners by name, parameters behind the name of the learner."""
    fields = declared_fields(LearnerSettings)
    name = fields.pop("learner")
    return {"learner": name, **parameter_fields(), **fields}


def learner_types() -> dict[str, Any]:
    """Return the types of all settings of learners, by name."""
    parameter_fields()
    types = get_type_hints(LearnerSettings) | _TYPES
    return {name: types[name] for name in learner_fields()}
