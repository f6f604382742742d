"""Descriptions of what all online classifiers have in common."""

from __future__ import annotations

from collections.abc import Collection

PARAMETERS = {
    "fit_intercept": """\
fit_intercept : bool, default=True
        Learn an intercept, as the weight of a column that is 1 in every row.
""",
    "max_iter": """\
max_iter : int, default=10
        Epochs at most.
""",
    "shuffle": """\
shuffle : bool or "once", default=True
        Permute the rows before every epoch (True), before the first only ("once"), or never. The permutation
        of epoch e comes from ``numpy.random.default_rng([seed, e])``.
""",
    "tol": """\
tol : float, optional
        Stop when an epoch changed the weights by less than this, relative to their length.
""",
    "early_stopping": """\
early_stopping : bool, default=False
        Hold out ``validation_fraction`` of each class, stop when its error has not improved for
        ``n_iter_no_change`` epochs, and keep the best weights.
""",
    "validation_fraction": """\
validation_fraction : float, default=0.1
        Share of the rows that ``early_stopping`` holds out.
""",
    "n_iter_no_change": """\
n_iter_no_change : int, default=5
        Epochs without improvement that ``early_stopping`` waits for.
""",
    "class_weight": """\
class_weight : dict from label to weight or "balanced", optional
        How much the rows of a class count, times their sample weight.
""",
    "column_weight": """\
column_weight : "log_count_ratio", LogCountRatio or array of shape (n_columns,), optional
        Learn as if the columns were multiplied by these, without a matrix that holds the products. ``coef_`` belongs
        to the columns as they come: rows to predict are not to be weighted. Ratios are those of the first call's
        rows, without rows that are held out or weigh nothing.
""",
    "interpolation": """\
interpolation : float from 0 to 1, optional
        How much of the finished model is what was learnt; the rest is the column weights alone, times the mean size of
        what was learnt. For log-count ratios 0.25 to 0.5 often helps, above all on short texts; 0 is naive Bayes.
""",
    "pair_bits": """\
pair_bits : int, optional
        Learn from all pairs of a row's columns too, which are formed on the fly and never stored: they share
        ``2**pair_bits`` weights by hashing, 1 to 30 bits. ``coef_`` has the weights of the columns alone;
        ``pair_weights`` and ``pair_report`` have those of pairs.
""",
    "calibrate": """\
calibrate : bool, default=False
        Hold out ``validation_fraction`` of the rows and learn from them how scores become probabilities, for
        ``predict_proba``: Platt's sigmoid for two classes, a softmax with one temperature for more.
""",
    "warm_start": """\
warm_start : bool, default=False
        Let ``fit`` go on from where the last one stopped, with the same bits as never having stopped.
""",
    "random_state": """\
random_state : int, RandomState or None, default=0
        Seed of the permutations and of the held-out rows.
""",
    "hash_bits": """\
hash_bits : int, optional
        For more than two classes, keep the weights in ``2**hash_bits`` places by hashing, or with 0 all of them. By
        default they are hashed only if columns × classes exceed 2**28.
""",
    "n_jobs": """\
n_jobs : int, optional
        Threads that predict; -1 for all processors. The result is the same for any number.
""",
    "callback": """\
callback : callable, optional
        Called with a :class:`textperceptron.learn.Progress` after each slice of an epoch.
""",
}

ATTRIBUTES = """\
classes_ : array of shape (n_classes,)
        The labels, sorted.
    n_iter_, n_updates_ : int
        Epochs and updates, over warm starts and calls of ``partial_fit``.
    history_ : list of dict
        For each epoch: mistakes, updates, online loss, validation accuracy (or None) and seconds.
    stopped_by_ : str
        "converged" (an epoch without an update), "validation", "small_change", "budget" (``max_iter``
        epochs done) or "interrupted" (Ctrl-C).
"""

WEIGHTS = """\
coef_ : array of shape (1, n_columns) or, for more than two classes, (n_classes, n_columns)
        One weight a column: above 0 speaks for ``classes_[1]``, or for the row's own class.
    intercept_ : array of shape (1,) or (n_classes,)
        Weight of the padded column, 0 without an intercept.
"""


def with_shared_docs(doc: str | None, parameters: Collection[str]) -> str | None:
    """Return a docstring with the shared descriptions in their places, those of the given parameters only."""
    if doc is None:
        return None
    described = "    ".join(text for name, text in PARAMETERS.items() if name in parameters)
    for place, text in (("{parameters}", described), ("{weights}", WEIGHTS), ("{attributes}", ATTRIBUTES)):
        doc = doc.replace(place + "\n", text)
    return doc
