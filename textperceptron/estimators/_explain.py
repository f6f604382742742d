"""Explanations of pipelines: vectorizer, transformers of columns, linear classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import OneToOneFeatureMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._online import OnlineClassifier
from textperceptron.estimators._validation import rows_of
from textperceptron.estimators._vectorizer import Vectorizer
from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.conjunctions import Conjunctions
from textperceptron.estimators.text_classifier import TextClassifier
from textperceptron.model import Explanation, TextModel
from textperceptron.model.explain import RowSums, entries_of, explain_row
from textperceptron.text.conjunctions.names import conjunction_name
from textperceptron.text.places import PlacedColumn, join_places, place_columns

Columns = dict[int, PlacedColumn]


def explain(model: TextModel | TextClassifier | Pipeline, text: str, *, flip: bool = True) -> Explanation:
    """Explain the label of a text: the contribution of each term, with its places, and the nearest change of the label.

    Parameters
    ----------
    model : TextModel, TextClassifier or Pipeline
        A fitted pipeline begins with :class:`BagOfWords` or :class:`HashedBagOfWords` and ends with a classifier whose
        scores are sums over columns: one of this package, or of scikit-learn with ``coef_``, or ``OneVsRestClassifier``
        around one. Steps between may be :class:`Conjunctions`, selectors, and transformers that change values only,
        such as :class:`LogCountRatio` or ``TfidfTransformer``.
    text : str
    flip : bool
        Search for words without which the text has another label: see :meth:`TextModel.explain`.

    Returns
    -------
    Explanation
        Printed, a table; in a notebook, the text with its words tinted; :meth:`~Explanation.to_html` is a page.

    Raises
    ------
    ValueError
        If scores are not sums over columns, as for :class:`VotedPerceptron`, or the places of terms are lost.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from textperceptron import MIRA, BagOfWords, LogCountRatio, explain
    >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    >>> pipeline = make_pipeline(BagOfWords(), LogCountRatio(), MIRA()).fit(texts, ["pos", "pos", "neg", "neg"])
    >>> print(explain(pipeline, "Fine but long"))
    pos  score +0.8686
    <BLANKLINE>
    without 'Fine' it would be neg
    <BLANKLINE>
    term       for pos
    fine       +1.0493
    long       -0.0755
    intercept  -0.1053
    score      +0.8686
    """
    if isinstance(model, TextModel):
        return model.explain(text, flip=flip)
    check_is_fitted(model)
    if isinstance(model, TextClassifier):
        return model.model_.explain(text, flip=flip)
    if not isinstance(model, Pipeline):
        raise ValueError(
            f"{type(model).__name__} does not take texts: explain a TextModel, a TextClassifier, or a pipeline of "
            "BagOfWords and a classifier."
        )
    bag, *steps = [step for _, step in model.steps if step not in (None, "passthrough")]
    row, columns = _first_row(bag, text)
    sums = _sums(steps, row, columns)

    def score(texts: list[str]) -> tuple[list[Any], npt.NDArray[np.float64]]:
        return model.predict(texts).tolist(), model.decision_function(texts)

    (label,) = model.predict([text]).tolist()
    return explain_row(text, sums, model.classes_.tolist(), label, score if flip else None)


def _first_row(bag: Any, text: str) -> tuple[sparse.csr_matrix, Columns]:
    if not isinstance(bag, Vectorizer):
        raise ValueError(
            f"the first step is {type(bag).__name__}, which does not say where terms are. Use BagOfWords or "
            "HashedBagOfWords, which have the parameters of CountVectorizer and HashingVectorizer."
        )
    settings = bag._settings()
    if settings.input != "content":
        raise ValueError(f"input={settings.input!r}: explain needs a vectorizer of texts. Use input='content'.")
    row = bag.transform([text])
    vocabulary = bag.vocabulary_ if isinstance(bag, BagOfWords) else None
    numbers = row.indices.tolist()
    return row, dict(zip(numbers, place_columns(text, settings, vocabulary, numbers), strict=True))


def _sums(steps: list[Any], row: Any, columns: Columns) -> RowSums:
    """Pass a row through transformers, and return the sums of the classifier at the end."""
    *transformers, classifier = [step for step in steps if step not in (None, "passthrough")]
    for step in transformers:
        row, columns = _transformed(step, row, columns)
    if isinstance(classifier, Pipeline):
        return _sums([step for _, step in classifier.steps], row, columns)
    if isinstance(classifier, OneVsRestClassifier) and not classifier.multilabel_:
        every = [_sums([each], row, columns) for each in classifier.estimators_]
        if any(each.columns != every[0].columns for each in every):
            raise ValueError("the classes of OneVsRestClassifier have different columns. Transform them before it.")
        contributions = np.hstack([each.contributions for each in every])
        return replace(every[0], contributions=contributions, intercepts=np.hstack([each.intercepts for each in every]))
    if getattr(classifier, "multilabel_", False):
        raise ValueError("the classifier gives several labels to a text: explain one label, with a classifier for it.")
    if hasattr(classifier, "_fitted"):
        own = isinstance(classifier, OnlineClassifier)
        rows = classifier._rows(row, classifier._fitted) if own else rows_of(classifier, row, reset=False)
        numbers, values = entries_of(rows)
        model = classifier._fitted.model
        contributions, intercepts = model.contributions(numbers, values), model.intercepts()
    else:
        row = sparse.csr_matrix(row)
        numbers, values = row.indices, row.data
        contributions, intercepts = _linear(classifier, numbers, values)
    shown = numbers[: row.nnz].tolist() if sparse.issparse(row) else numbers.tolist()
    placed = [columns.get(number, PlacedColumn(f"column {number}", [])) for number in shown]
    return RowSums(placed, values, contributions, intercepts)


def _linear(classifier: Any, numbers: Any, values: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return contributions and intercepts of a classifier with ``coef_``."""
    coef = getattr(classifier, "coef_", None)
    n_classes = len(getattr(classifier, "classes_", ()))
    if coef is None or n_classes < 2 or coef.shape[0] != (1 if n_classes == 2 else n_classes):
        raise ValueError(
            f"the scores of {type(classifier).__name__} are not sums over columns. Use a linear classifier with one "
            "row of coef_ per class, such as AROW or LinearSVC."
        )
    weights = coef[:, numbers].toarray() if sparse.issparse(coef) else coef[:, numbers]
    intercepts = np.broadcast_to(np.asarray(classifier.intercept_, np.float64), coef.shape[0])
    return np.multiply(weights.T, values[:, np.newaxis], dtype=np.float64), intercepts.copy()


def _transformed(step: Any, row: Any, columns: Columns) -> tuple[Any, Columns]:
    after = sparse.csr_matrix(step.transform(row))
    if isinstance(step, Conjunctions):
        return after, _with_conjunctions(step, after.indices.tolist(), columns)
    if isinstance(step, SelectorMixin):
        kept = step.get_support(indices=True).tolist()
        return after, {new: columns[old] for new, old in enumerate(kept) if old in columns}
    if isinstance(step, OneToOneFeatureMixin):
        return after, columns
    raise ValueError(
        f"{type(step).__name__} makes columns that are not terms. Explain a pipeline without it: Conjunctions, "
        "selectors and transformers that change values only can be explained."
    )


def _with_conjunctions(step: Conjunctions, numbers: list[int], columns: Columns) -> Columns:
    pairs, triples = step.pairs_, step.triples_
    first = step.n_features_in_ if step.keep_words else 0
    found = {number: columns[number] for number in numbers if number < first}
    for number in numbers:
        if (k := number - first) >= 0:
            members = [columns[each] for each in (pairs[k] if k < len(pairs) else triples[k - len(pairs)]).tolist()]
            found[number] = join_places(conjunction_name(*(each.name for each in members)), members)
    return found
