"""What ``pair_bits`` asks of training, whichever door it came through: what cannot go with it, and its room."""

from __future__ import annotations

from textperceptron._memory import check_memory
from textperceptron.learn.layout import DENSE_WEIGHTS, ClassLayout
from textperceptron.learn.places import MOST_BITS, check_bits
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import NOTHING

_WORTH_A_LOOK = 1 << 26  # bytes that need not be compared with what is free


def paired(rows: Rows, bits: int | None) -> Rows:
    """Return rows with their pairs, or as they are where no pairs are asked for (None)."""
    if bits is None:
        return rows
    from textperceptron.learn.pairs import with_pairs

    return with_pairs(rows, bits)


def refuse_beside_pairs(bits: int | None, *, column_weight: object, hash_bits: int | None) -> None:
    """Raise ValueError if ``bits`` are out of range, or if there are parameters that pairs cannot go with."""
    if bits is None:
        return
    check_bits(bits)
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


def refuse_other_bits(bits: int | None, before: int | None) -> None:
    """Raise ValueError if the places of pairs are no longer those with which training began."""
    if bits != before:
        raise ValueError(
            f"pair_bits={bits!r}: it was {before!r} when training began and cannot change in the middle of it. "
            "Fit a new estimator."
        )


def pair_layout(n_columns: int, n_classes: int, bits: int, otherwise: str = "") -> ClassLayout:
    """Return the table of several classes; ``n_columns`` count the places of pairs.

    Raises
    ------
    ValueError
        If there are more weights than one table holds; ``otherwise`` is what can be done but for fewer bits.
    """
    layout = ClassLayout(n_columns, n_classes)
    if layout.size > DENSE_WEIGHTS:
        n_words = n_columns - (1 << bits)
        fitting = [b for b in range(1, MOST_BITS) if ClassLayout(n_words + (1 << b), n_classes).size <= DENSE_WEIGHTS]
        remedy = f"Use pair_bits={fitting[-1]} at most" if fitting else "Use fewer columns"
        raise ValueError(
            f"pair_bits={bits} with {n_classes} classes: {layout.size:.2g} weights are more than {DENSE_WEIGHTS:.2g}. "
            f"{remedy}{otherwise}."
        )
    return layout


def check_table(rule: Rule, rows: Rows, bits: int | None, plan: Plan, learner: str) -> None:
    """Raise MemoryError if the weights, and what the rule keeps beside them, would not fit into memory."""
    # Rules of many classes have both; to ask for their types would import them for two.
    layout, inner = getattr(rule, "layout", None), getattr(rule, "inner", rule)
    n = rows.n_columns + 1 if layout is None else layout.size
    beside = inner.first_memory(1, rows.dtype, NOTHING)
    number = rows.dtype.itemsize
    state = number + (beside.itemsize if len(beside) else 0)
    each = state + number  # the model's own
    if plan.early_stopping:
        each += state  # the best so far
    if plan.tol is not None:
        each += 2 * number + 8  # the weights before an epoch, what changed, and its squares
    if n * each < _WORTH_A_LOOK:
        return
    whose = "" if bits is None else f"pair_bits={bits}: "
    remedy = "Use fewer columns (min_df, max_features, n_features) or classes." if bits is None else "Use fewer bits."
    check_memory(n * each, None, f"{whose}{n:,} weights, with what {learner} keeps beside them,", remedy)
