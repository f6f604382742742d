"""Settings of a learner and of training; the registry of learners."""

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
    SHUFFLE_CHOICES,
    TRAINING,
    check_value,
    declared_fields,
    format_class_weight,
    format_shuffle,
    parse_class_weight,
    parse_shuffle,
    setting,
)
from textperceptron.settings.threshold import SYNTAX as THRESHOLD_SYNTAX
from textperceptron.settings.threshold import ThresholdRule, check_threshold, say_threshold
from textperceptron.settings.typed_json import field_types

Multiclass = Literal["native", "one-vs-all", "one-vs-one", "auto"]
Shuffle = bool | Literal["once"]
Label = str | int | bool
RuleType = TypeVar("RuleType", bound=type)

# "auto" is one-vs-all up to this number of weights: 20 classes of three million columns, 16 bytes each in training.
MAX_ONE_VS_ALL_WEIGHTS = 1 << 26

# "auto" takes log-count ratios up to this ratio of class sizes: a term that only the larger class has by chance is
# evidence against the smaller class in all texts. A threshold makes up for that, and so do enough texts: with this many
# of the smaller class, ratios gain up to the larger bound (docs/accuracy.md).
MAX_CLASS_RATIO = 3
MAX_CLASS_RATIO_OF_MANY, MANY_TEXTS = 5, 500

# Classes are uneven if the largest has more than this many times the rows of the smallest.
UNEVEN_RATIO = 1.5

# "auto" of the logit adjustment: docs/accuracy.md.
TWO_CLASS_ADJUSTMENT, MULTICLASS_ADJUSTMENT = 0.05, 0.03

# "auto" of AROW's r. Labels of more than two classes are noisier, and smaller steps fit less noise: docs/accuracy.md.
TWO_CLASS_R, MULTICLASS_R = 0.7, 2.0
# Several labels per text; of 2 to 64 the best mean of micro and macro F1 on the folds of two corpora:
# docs/several-labels.md.
LABEL_SETS_R = 16.0

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
    """Raise ValueError for parameters that cannot be combined with ``pair_bits``."""
    if bits is None:
        return
    check_pair_bits("pair_bits", bits)
    if column_weight is not None:
        raise ValueError(
            f"pair_bits={bits} with a column_weight: pairs that are formed on the fly have no column weights. "
            "Multiply the columns beforehand, for instance with LogCountRatio."
        )
    if hash_bits:
        raise ValueError(
            f"pair_bits={bits} with hash_bits={hash_bits}: pairs would be hashed twice. Leave hash_bits out, and "
            "choose pair_bits so that 2**pair_bits × classes weights fit into memory."
        )


class Learner(NamedTuple):
    """A registered learner.

    Attributes
    ----------
    name : str
    rule : type
        A dataclass of :mod:`textperceptron.learn.rules`; its declared fields are the learner's parameters.
    fixed : mapping
        Fields of the rule that have a fixed value for this learner, and are not its parameters.
    rank : int or None
        Its rank among the learners that ``tune`` tries; None if it is not tried.
    """

    name: str
    rule: Any
    fixed: Mapping[str, Any]
    rank: int | None

    @property
    def parameters(self) -> dict[str, Field[Any]]:
        """The learner's parameters, by name."""
        return {name: field for name, field in declared_fields(self.rule).items() if name not in self.fixed}


_LEARNERS: dict[str, Learner] = {}
_PARAMETERS: dict[str, Field[Any]] = {}
_TYPES: dict[str, Any] = {}
_BUILT_IN = "textperceptron.learn.rules"  # a plug-in: imported by name, when a learner is first needed


def register_learner(name: str, *, rank: int | None = None, **fixed: Any) -> Callable[[RuleType], RuleType]:
    """Register a rule as a learner, for the command line, model files, ``tune`` and descriptions.

    Parameters
    ----------
    name : str
        Its name for ``learner=`` and ``--learner``.
    rank : int, optional
        Its rank among the learners that ``tune`` tries; without one it is not tried.
    **fixed
        Fields of the rule that have a fixed value, and are not parameters of this learner.
    """

    def register(rule: RuleType) -> RuleType:
        entry = Learner(name, rule, MappingProxyType(fixed), rank)
        for parameter, field in entry.parameters.items():
            _PARAMETERS.setdefault(parameter, field)
            _TYPES.setdefault(parameter, get_type_hints(rule)[parameter])
        _LEARNERS[name] = entry
        ordered = sorted(_LEARNERS.items(), key=lambda item: (item[1].rank is None, item[1].rank))
        _LEARNERS.clear()
        _LEARNERS.update(ordered)
        return rule

    return register


def unregister_learner(name: str) -> None:
    """Remove a learner, and the parameters that only it has."""
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


def _check_adjustment(name: str, value: Any) -> None:
    if value != "auto":
        at_least(name, value, 0)


def _parse_adjustment(text: str) -> float | str:
    return text if text == "auto" else float(text)


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
    """A learner, the parameters of all learners, and settings of training; checked when they are made.

    The fields below are shared by all learners. Each learner declares its own parameters in its rule; these are
    attributes of this class too. Parameters of other learners than ``learner`` have no effect.

    Examples
    --------
    >>> from textperceptron.settings import LearnerSettings
    >>> settings = LearnerSettings(learner="mira", C=0.01)
    >>> settings.C, settings.r, settings.max_iter
    (0.01, 1.0, 10)
    """

    learner: str = setting(
        "mira", "Learning algorithm.", group=LEARNER, check=check_learner, say="", rank=4,
        choices=lambda: tuple(learners()),
    )  # fmt: skip
    fit_intercept: bool = setting(
        True, "Learn an intercept.", details="It is the weight of a column that is 1 in every row.",
        group=LEARNER, check=_YES_NO,
    )  # fmt: skip
    column_weight: Literal["log_count_ratio", "auto"] | None = setting(
        None, "Multiply columns by log-count ratios: how typical a term is of a class.",
        syntax="With auto, unless the sizes of two classes differ much.",
        details="The products are not stored. ``coef_`` belongs to the unweighted columns: do not weight the rows to "
        "predict. Ratios are those of the first call's rows, without rows that are held out or have weight 0. "
        'In :class:`TextClassifier`, ``"auto"`` takes ratios unless one of two classes has more than '
        f"{MAX_CLASS_RATIO} times the texts of the other, or {MAX_CLASS_RATIO_OF_MANY} times if that has at least "
        f"{MANY_TEXTS}.",
        group=LEARNER, check=partial(one_of, allowed=(None, "log_count_ratio", "auto")), say="",
        tune=("log_count_ratio", None), rank=1,
    )  # fmt: skip
    ratio_alpha: float = setting(
        1.0, "Smoothing of log-count ratios: added to all counts.",
        group=LEARNER, check=positive, say="", needs="column_weight",
    )  # fmt: skip
    ratio_binary: bool = setting(
        False, "Count each term once per text in log-count ratios.",
        details='Use it for rows of length 1, such as those of ``BagOfWords(norm="l2")``.',
        group=LEARNER, check=_YES_NO, say="", needs="column_weight",
    )  # fmt: skip
    ratio_balanced: bool = setting(
        False, "Smooth log-count ratios in proportion to the sizes of the classes.",
        details="A class and the others also get one text more, the mean of all. Better than equal smoothing where the "
        "sizes differ, above all for classes of few texts.",
        group=LEARNER, check=_YES_NO, say="", needs="column_weight",
    )  # fmt: skip
    interpolation: float | None = setting(
        None, "Fraction of the model that is learnt; the rest is log-count ratios alone.",
        details="The ratios are scaled to the mean size of the learnt weights. 0.25 to 0.5 often helps, above all on "
        "short texts; 0 is naive Bayes.",
        group=LEARNER, check=fraction, say="", needs="column_weight", tune=(None, 0.25, 0.4, 0.5), rank=2,
    )  # fmt: skip
    multiclass: Multiclass = setting(
        "native", "How to learn more than two classes.",
        syntax="With auto, one-vs-all up to 2^26 weights, native above.",
        details='``"auto"`` is one-vs-all up to 2**26 weights, native above.', group=CLASSES,
        check=partial(one_of, allowed=("native", "one-vs-all", "one-vs-one", "auto")),
        say=lambda mode: "one-vs-all" if mode == "auto" else mode,
        needs="many classes", tune=("native", "one-vs-all"), rank=13,
    )  # fmt: skip
    logit_adjustment: float | Literal["auto"] = setting(
        0.0, "Raise the scores of rare classes by this times the logarithm of their rarity.",
        syntax=f"With auto, {TWO_CLASS_ADJUSTMENT} for two uneven classes, {MULTICLASS_ADJUSTMENT} for more than two.",
        details="The rarity of a class is the mean number of texts per class divided by its own (Menon et al. 2021); "
        "of two classes, the number of texts of the other divided by its own. Rare classes are then found more often. "
        "More than two classes: one-vs-all only. "
        f'``"auto"`` is {TWO_CLASS_ADJUSTMENT} for two classes of which one has more than {UNEVEN_RATIO} times the '
        f"texts of the other, {MULTICLASS_ADJUSTMENT} for more than two classes.",
        group=CLASSES, check=_check_adjustment, parse=_parse_adjustment, metavar="FLOAT",
        say=lambda strength: "" if strength == "auto" else f"logit adjustment {strength:g}",
    )  # fmt: skip
    hash_bits: int | None = setting(
        None, "Hash the weights of more than two classes into a table of 2^N; 0 for no hashing.",
        details="By default they are hashed only if columns × classes exceed 2**28.",
        group=CLASSES, metavar="N", check=check_hash_bits, needs="many classes",
    )  # fmt: skip
    pair_bits: int | None = setting(
        None, "Also learn from all pairs of a row's columns, hashed to 2^N weights.",
        details="Pairs are formed on the fly and never stored. ``coef_`` has the weights of the columns alone; "
        "``pair_weights`` and ``pair_report`` give those of pairs.",
        group=PAIRS, metavar="N", check=check_pair_bits,
    )  # fmt: skip
    class_weight: Literal["balanced"] | tuple[tuple[Label, float], ...] | None = setting(
        None, "Weights of the classes.", syntax="balanced, or numbers such as pos=2,neg=1.",
        details="The weight of a row is that of its class times its ``sample_weight``.",
        group=LEARNER, metavar="WEIGHTS", suggest=("balanced",),
        check=_check_class_weight, parse=parse_class_weight, unparse=format_class_weight, say=_say_class_weight,
        tune=(None, "balanced"), rank=10,
    )  # fmt: skip
    max_iter: int = setting(
        10, "Maximum number of epochs.", group=TRAINING, flags=("--max-iter", "--epochs"), say="",
        check=(partial(at_least, low=1), integer), tune=(10, 20, 5), rank=11,
    )  # fmt: skip
    shuffle: Shuffle = setting(
        True, "When to permute the rows: before each epoch, before the first only, or never.",
        details="The permutation of epoch e comes from ``numpy.random.default_rng([seed, e])``.",
        group=TRAINING, check=partial(one_of, allowed=(True, False, "once")),
        choices=lambda: SHUFFLE_CHOICES, parse=parse_shuffle, unparse=format_shuffle,
    )  # fmt: skip
    seed: int = setting(
        0, "Seed of the permutations and of the held-out rows.", group=TRAINING, say="",
        check=(partial(at_least, low=0), integer),
    )  # fmt: skip
    tol: float | None = setting(
        None, "Stop when an epoch changes the weights by less than this fraction of their length.",
        group=TRAINING, check=partial(at_least, low=0),
    )  # fmt: skip
    early_stopping: bool = setting(
        False, "Stop when the accuracy on held-out rows no longer rises.",
        details="Training then keeps the best weights.", group=TRAINING, check=_YES_NO,
    )  # fmt: skip
    validation_fraction: float = setting(
        0.1, "Fraction of the rows that early stopping and calibration hold out.",
        group=TRAINING, check=partial(between, low=0, high=1),
    )  # fmt: skip
    n_iter_no_change: int = setting(
        5, "Number of epochs that early stopping waits for a rise.", group=TRAINING, check=partial(at_least, low=1)
    )
    calibrate: bool = setting(
        False, "Learn probabilities from held-out rows.",
        details="``predict_proba`` is then Platt's sigmoid for two classes, a softmax with one temperature for more.",
        group=TRAINING, check=_YES_NO,
    )  # fmt: skip
    threshold: str | None = setting(
        None, "Choose the decision for the rarer of two classes, or a class, on held-out texts.",
        details='``"f1"``: its highest F1; ``"recall=0.9"``: that recall, with as few other texts as possible; '
        '``"precision=0.9"``: that precision, with as many of its texts as possible; ``"cost=5"``: the lowest cost, if '
        'missing one of its texts costs 5, and one of another class 1. ``"recall=0.9:spam"`` names a class, also of '
        'many, ``"cost=5:spam,2:ads"`` several. With more than two classes, ``"f1"`` is for macro F1. Five models, of '
        "four fifths of the rows each, score the rows that they did not see: training takes six times as long. With "
        'several labels per text, ``"f1"`` is the default and chooses a threshold per label; ``"0"`` takes the labels '
        "whose score is above 0.",
        syntax=THRESHOLD_SYNTAX, group=TRAINING, check=check_threshold, metavar="RULE",
        suggest=("f1", "recall=0.9", "precision=0.9", "cost=5"), say=say_threshold,
    )  # fmt: skip
    parameters: tuple[tuple[str, Any], ...] = ()
    """Names and values of the parameters of all learners that differ from the default."""

    def __init__(self, **values: Any) -> None:
        fields = learner_fields()
        if unknown := [name for name in values if name not in fields]:
            raise TypeError(f"there is no setting of a learner called {unknown[0]!r}. There are {', '.join(fields)}.")
        for name, field in fields.items():
            value = values.get(name, field.default)
            check_value(field, value)
            if name not in _PARAMETERS:
                object.__setattr__(self, name, value)
        own = {name: values[name] for name in _PARAMETERS if name in values}
        given = tuple((name, value) for name, value in own.items() if value != _PARAMETERS[name].default)
        object.__setattr__(self, "parameters", given)
        self._check_combinations()

    def __getattr__(self, name: str) -> Any:
        if name in _PARAMETERS:
            return dict(self.parameters).get(name, _PARAMETERS[name].default)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_combinations(self) -> None:
        if self.calibrate and self.multiclass == "one-vs-one":
            raise ValueError("calibrate=True: votes of one-vs-one have no probabilities. Use native or one-vs-all.")
        given = None if self.column_weight == "auto" else self.column_weight
        check_pair_options(self.pair_bits, column_weight=given, hash_bits=self.hash_bits)
        rule = learners()[self.learner].rule
        if self.pair_bits is not None and not rule.has_weights:
            raise ValueError(
                f"pair_bits={self.pair_bits}: learner={self.learner!r} keeps rows, not weights. Use kernel='poly', "
                "which learns from all pairs."
            )
        if self.threshold is not None and not rule.has_weights:
            raise ValueError(
                f"threshold={self.threshold!r}: learner={self.learner!r} keeps rows, not weights. Use "
                "learner='averaged'."
            )
        if self.column_weight == "log_count_ratio" and not rule.has_weights:
            raise ValueError(
                f"column_weight={self.column_weight!r}: learner={self.learner!r} keeps rows, not weights. Use "
                "column_weight=None, or learner='averaged'."
            )

    @property
    def adjustment(self) -> float:
        """The logit adjustment; 0 for an ``"auto"`` that is not resolved."""
        return 0.0 if self.logit_adjustment == "auto" else self.logit_adjustment

    @property
    def threshold_rule(self) -> ThresholdRule | None:
        """How thresholds are chosen on held-out rows; None if none are."""
        return None if self.threshold in (None, "0") else ThresholdRule.parse(self.threshold)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value of every setting."""
        return ((name, getattr(self, name)) for name in learner_fields())

    def replace(self, **changes: Any) -> LearnerSettings:
        """Return settings with some values replaced."""
        return LearnerSettings(**dict(self.items()) | changes)

    def rule_arguments(self, weighted: bool | None = None) -> dict[str, Any]:
        """Return the arguments of the rule; ``weighted`` overrides whether columns have weights."""
        weighted = self.column_weight is not None if weighted is None else weighted
        entry = learners()[self.learner]
        own = {name: getattr(self, name) for name in entry.parameters}
        interpolation = self.interpolation if weighted and entry.rule.has_weights else None
        return {**own, **entry.fixed, "fit_intercept": self.fit_intercept, "interpolation": interpolation}

    def resolve_auto(self, rows_of_class: Sequence[int], n_columns: int) -> LearnerSettings:
        """Return the settings without ``"auto"``, for given class sizes and number of columns.

        Examples
        --------
        >>> from textperceptron.settings import recipe
        >>> learner = recipe("best").learner.resolve_auto([500, 480], 100_000)
        >>> learner.multiclass, learner.column_weight, learner.r
        ('one-vs-all', 'log_count_ratio', 0.7)
        >>> recipe("best").learner.resolve_auto([500, 10], 100_000).column_weight is None
        True
        """
        multiclass, column_weight, n_classes = self.multiclass, self.column_weight, len(rows_of_class)
        r = (TWO_CLASS_R if n_classes <= 2 else MULTICLASS_R) if self.r == "auto" else self.r
        adjustment = self.logit_adjustment
        if adjustment == "auto":
            two = TWO_CLASS_ADJUSTMENT if max(rows_of_class) > UNEVEN_RATIO * min(rows_of_class) else 0.0
            adjustment = two if n_classes <= 2 else MULTICLASS_ADJUSTMENT
        if "auto" not in (multiclass, column_weight, self.r, self.logit_adjustment):
            return self
        if multiclass == "auto":
            fits = n_classes <= 2 or n_classes * (n_columns + 1) <= MAX_ONE_VS_ALL_WEIGHTS
            fits = fits and self.pair_bits is None
            multiclass = "one-vs-all" if fits else "native"
            column_weight = column_weight if fits else None
        if column_weight == "auto":
            few, many = min(rows_of_class), max(rows_of_class)
            limit = MAX_CLASS_RATIO if few < MANY_TEXTS else MAX_CLASS_RATIO_OF_MANY
            even = n_classes > 2 or many <= limit * few
            even = even or self.threshold_rule is not None
            helps = (
                even
                and learners()[self.learner].rule.has_weights
                and self.pair_bits is None
                and (n_classes == 2 or multiclass != "native")
            )
            column_weight = "log_count_ratio" if helps else None
        return self.replace(multiclass=multiclass, column_weight=column_weight, r=r, logit_adjustment=adjustment)

    def for_label_sets(self) -> LearnerSettings:
        """Return the settings with the defaults for several labels per text.

        Examples
        --------
        >>> from textperceptron.settings import recipe
        >>> learner = recipe("best").learner.for_label_sets()
        >>> learner.threshold, learner.r
        ('f1', 16.0)
        """
        threshold = "f1" if self.threshold is None else self.threshold
        r = LABEL_SETS_R if self.r == "auto" else self.r
        return self.replace(threshold=threshold, r=r, logit_adjustment=0.0)  # thresholds adjust rare labels, too

    def describe(self) -> list[str]:
        """Return the first phrases of a description: the learner and the column weights."""
        entry = learners()[self.learner]
        said: list[str] = entry.rule(**self.rule_arguments()).describe(self.learner)
        if self.column_weight is None:
            return said
        how = [f"alpha = {self.ratio_alpha:g}"] if self.ratio_alpha != 1 else []
        how += ["presence"] if self.ratio_binary else []
        how += ["balanced"] if self.ratio_balanced else []
        how += ["auto"] if self.column_weight == "auto" else []
        said.append("log-count ratios" + (f" ({', '.join(how)})" if how else ""))
        return [*said, f"interpolation {self.interpolation:g}"] if self.interpolation is not None else said

    def unused(self, n_classes: int) -> set[str]:
        """Return the names of the settings that have no effect with the others."""
        own = learners()[self.learner].parameters
        missing = {
            *(("column_weight",) if self.column_weight is None else ()),
            *(("many classes",) if n_classes == 2 else ()),
        }
        idle = {name for name, field in declared_fields(LearnerSettings).items() if _needs(field) in missing}
        return idle | {name for name in parameter_fields() if name not in own}


def label_set_sizes(n_labels: int) -> list[int]:
    """Return class sizes to resolve ``"auto"`` by where texts have several labels: many classes, all of one size."""
    return [1] * max(3, n_labels)


def _needs(field: Field[Any]) -> str | None:
    needs: str | None = field.metadata["setting"].needs
    return needs


def learner_fields() -> dict[str, Field[Any]]:
    """Return all settings of learners by name, parameters after the name of the learner."""
    fields = declared_fields(LearnerSettings)
    name = fields.pop("learner")
    return {"learner": name, **parameter_fields(), **fields}


def learner_types() -> dict[str, Any]:
    """Return the types of all settings of learners, by name."""
    parameter_fields()
    types = field_types(LearnerSettings) | _TYPES
    return {name: types[name] for name in learner_fields()}
