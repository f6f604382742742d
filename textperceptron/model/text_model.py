"""TextModel: text in, label out; tokeniser, columns, weights and classes in one object."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn import Callback, OverflowedError
from textperceptron.model.classes import Label, plain_labels
from textperceptron.model.parts import Epoch, ModelParts, Prediction, Summary
from textperceptron.model.provenance import Measured, TrainingTexts, checked_metadata
from textperceptron.model.top_terms import top_terms
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe
from textperceptron.settings.corpus_columns import CorpusColumns
from textperceptron.text.frames import documents_of, repeatable

if TYPE_CHECKING:
    from textperceptron._kernels import TextScorer
    from textperceptron.learn.threshold import ClassThreshold
    from textperceptron.model.explanation import Explanation
    from textperceptron.model.pair_report import PairReport
    from textperceptron.model.shrink import Comparison
    from textperceptron.text.counted_texts import CountedTexts

_BLOCK = 4096  # texts vectorised at once
_FEW = 64  # labels that compiled code may rank by insertion


class TextModel:
    """A text classifier in one file, which needs neither scikit-learn nor scipy.

    Create one with :meth:`train` or :meth:`load`. Threads may share a model.

    Parameters
    ----------
    parts : ModelParts
        As :meth:`train` and :meth:`load` assemble them.

    Attributes
    ----------
    settings : Settings
    classes : tuple of labels
        Sorted; all str, all int or all bool.
    multilabel : bool
        Whether a text has any number of labels, instead of one.
    n_columns : int
        Number of terms with weights.
    summary : Summary
        Training texts per class, ``history``, ``stopped_by`` and ``n_updates``.
    thresholds : dict
        The thresholds that were chosen on held-out texts, by class.
    corpus_columns : CorpusColumns or None
        The columns of the corpus that the texts came from. Assign ``corpus.columns`` before saving, and ``predict`` and
        ``evaluate`` on the command line read the same columns of other files.
    metadata : dict of str
        Notes that are saved with the model.
    training_texts : TrainingTexts or None
        Digest, script, language and mean length of the training texts.
    measured : tuple of Measured
        The accuracy that ``textperceptron train`` measured.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    >>> model = TextModel.train(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["fine", "so dull"]), model.predict_one("a fine cast")
    (['pos', 'neg'], 'pos')
    >>> [name for name, weight in model.top_terms("pos", 2)]
    ['fine', 'a fine']
    """

    def __init__(self, parts: ModelParts) -> None:
        self.parts = parts
        # Stored with the parts that it was made for: another thread may replace them.
        self._scorer: tuple[ModelParts | None, TextScorer | None] = None, None

    @classmethod
    def train(
        cls,
        texts: Iterable[Any] | CountedTexts,
        labels: Iterable[Any],
        settings: Settings | str = DEFAULT_RECIPE,
        *,
        classes: Iterable[Any] = (),
        sample_weight: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        every: float = 60.0,
        resume: bool = False,
    ) -> TextModel:
        """Train a model on texts and their labels.

        Parameters
        ----------
        texts : iterable of str or bytes, or CountedTexts
            Read once. Texts whose terms are counted already must have been counted with the same settings.
        labels : iterable of str, int or bool, or of lists of them
            One label per text, all of one type; or a list, tuple or set of labels per text, perhaps empty.
        settings : Settings or str
            Settings, or the name of a recipe.
        classes : iterable of labels
            Further classes, without texts yet: :meth:`update` can add some.
        sample_weight : array-like of shape (n_texts,), optional
        n_jobs : int, optional
            Number of threads; the result is the same for any number.
        callback : callable, optional
            Called with a :class:`textperceptron.learn.Progress` about every tenth of a second, and at least once per
            epoch; in one-vs-one, once per class pair.
        checkpoint : str or path, optional
            Save the training state to this file every ``every`` seconds and after Ctrl-C. The file is not removed at
            the end. One-vs-all then trains on one thread.
        every : float
            Seconds between checkpoints.
        resume : bool
            Resume from the checkpoint, if the file exists. The model has the same bytes as without the interruption.

        Raises
        ------
        ValueError
            If texts, labels and settings do not match, or the checkpoint belongs to another training.
        OSError
            If the checkpoint cannot be read, or its file cannot be written when training starts.
        KeyboardInterrupt
            After Ctrl-C.

        Warns
        -----
        CheckpointWarning
            If a later checkpoint cannot be written: the disk is full, the folder was removed. Training continues and
            tries again after ``every`` seconds; a previous checkpoint is unchanged.
        """
        with deferred_interrupts():
            from textperceptron.model.train import open_checkpoint, train_model

        settings = recipe(settings) if isinstance(settings, str) else settings
        parts = train_model(
            texts, labels, settings,
            classes=classes, sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
            checkpoint=open_checkpoint(checkpoint, every, resume, settings, sample_weight),
        )  # fmt: skip
        return cls(parts)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, verify: bool = False) -> TextModel:
        """Open a model file; its arrays are mapped into memory.

        Parameters
        ----------
        path : str or path
        verify : bool
            Read the whole file first and compare its digest, which detects any changed byte; 53 MB take 40 ms.

        Raises
        ------
        ValueError
            If the file is not a model file, is damaged or of a newer format, or has no digest to verify (format 1).
        OSError
            If the file cannot be read.

        Warns
        -----
        SlowPatternWarning
            If its ``token_pattern`` is not a built-in one and may take very long on some texts.
        """
        with deferred_interrupts():
            from textperceptron.model.serialize import load_parts

        return cls(load_parts(path, verify=verify))

    def save(self, path: str | os.PathLike[str], *, trainable: bool = False) -> int:
        """Write the model to a file atomically; return its size in bytes.

        Parameters
        ----------
        path : str or path
        trainable : bool
            Save the training state too, so that the loaded model can be updated. For an averaged model it is three
            times as large as the weights.

        Raises
        ------
        ValueError
            If the model has no training state to save.
        OSError
            If the file cannot be written; a previous file is then unchanged.
        """
        with deferred_interrupts():
            from textperceptron.model.serialize import save_parts

        return save_parts(path, self.parts, trainable=trainable)

    @property
    def settings(self) -> Settings:
        """Settings of the text features and of the learner."""
        return self.parts.settings

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels, sorted."""
        return self.parts.classes.labels

    @property
    def n_columns(self) -> int:
        """Number of terms with weights."""
        return self.parts.features.n_columns

    @property
    def summary(self) -> Summary:
        """How the model was trained."""
        return self.parts.summary

    @property
    def thresholds(self) -> dict[Label, ClassThreshold]:
        """The thresholds that the setting ``threshold`` chose, with their figures on held-out texts, by class.

        Examples
        --------
        >>> from textperceptron import TextModel, load_corpus
        >>> from textperceptron.settings import recipe
        >>> reviews = load_corpus("reviews").train
        >>> model = TextModel.train(reviews.texts, reviews.labels, recipe("best").replace(threshold="recall=0.9:neg"))
        >>> model.thresholds["neg"].recall >= 0.9, model.thresholds["neg"].raised > 0
        (True, True)
        """
        return {self.classes[each.code]: each for each in self.parts.thresholds}

    @property
    def corpus_columns(self) -> CorpusColumns | None:
        """The columns of the corpus that texts and labels came from, and merged labels."""
        return self.parts.corpus_columns

    @corpus_columns.setter
    def corpus_columns(self, columns: CorpusColumns | None) -> None:
        self.parts = replace(self.parts, corpus_columns=columns)

    @property
    def training_texts(self) -> TrainingTexts | None:
        """Digest, script, language and mean length of the training texts; None for a model from an older file."""
        return self.parts.provenance.training_texts

    @property
    def metadata(self) -> dict[str, str]:
        """Notes that are saved with the model.

        Examples
        --------
        >>> from textperceptron import TextModel
        >>> model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"])
        >>> model.metadata["author"] = "Ada"
        >>> model.metadata
        {'author': 'Ada'}
        """
        return self.parts.provenance.metadata

    @metadata.setter
    def metadata(self, notes: Mapping[str, str]) -> None:
        self._set_provenance(metadata=checked_metadata(notes))

    @property
    def measured(self) -> tuple[Measured, ...]:
        """The accuracy that ``textperceptron train`` measured, with its interval; empty if nothing was measured."""
        return self.parts.provenance.measured

    @measured.setter
    def measured(self, measured: Iterable[Measured]) -> None:
        self._set_provenance(measured=tuple(measured))

    def _set_provenance(self, **changes: Any) -> None:
        self.parts = replace(self.parts, provenance=replace(self.parts.provenance, **changes))

    @property
    def weights_digest(self) -> str:
        """SHA-256 of vocabulary and weights: equal models have the same, whatever their settings and notes."""
        with deferred_interrupts():
            from textperceptron.model.serialize import weights_digest

        return weights_digest(self.parts)

    def card(self, title: str = "Text classifier") -> str:
        """Return a model card in Markdown: classes, texts, accuracy, settings, notes and digests.

        Examples
        --------
        >>> from textperceptron import TextModel
        >>> model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"])
        >>> print(model.card("Film reviews").splitlines()[0])
        # Film reviews
        """
        with deferred_interrupts():
            from textperceptron.model.card import model_card
            from textperceptron.model.serialize import describe

        return model_card(describe(self.parts), title, weights_digest=self.weights_digest)

    @property
    def history(self) -> tuple[Epoch, ...]:
        """One record per epoch; empty for classes that were trained one after the other."""
        return self.summary.history

    @property
    def stopped_by(self) -> str:
        """Why training ended."""
        return self.summary.stopped_by

    @property
    def n_updates(self) -> int:
        """Total number of updates."""
        return self.summary.n_updates

    @property
    def multilabel(self) -> bool:
        """Whether the model was trained on texts with any number of labels."""
        return self.parts.multilabel

    def predict(self, texts: Iterable[Any], n_jobs: int | None = None) -> list[Any]:
        """Return the label of each text; texts are read in blocks, so an iterator of any length will do.

        If the model is ``multilabel``, return a tuple of labels per text, in the order of ``classes``: those whose
        score is above 0. It may be empty.
        """
        parts = self.parts  # read once: another thread may update the model
        return [label for block in _blocks(texts) for label in parts.labels_of(parts.rows(block, n_jobs), n_jobs)]

    def codes(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the index in ``classes`` of each text's label.

        Raises
        ------
        ValueError
            If texts have several labels.
        """
        parts = self.parts
        if parts.multilabel:
            raise ValueError(
                "a text may have several labels, or none: use predict, or scores, which are above 0 for them."
            )
        found = [parts.model.codes(parts.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
        return np.concatenate([np.empty(0, np.intp), *found])

    def predict_one(self, text: str) -> Any:
        """Return the label of one text, or its labels, with less overhead than :meth:`predict`."""
        parts = self.parts
        made_for, scorer = self._scorer
        if made_for is not parts:
            scorer = self._make_scorer(parts)
        if scorer is None or type(text) is not str:
            return self.predict([text])[0]
        labels = parts.classes.labels
        if parts.multilabel:
            return tuple(label for label, score in zip(labels, scorer.scores(text), strict=True) if score > 0)
        return labels[scorer.code(text)]

    def score_one(self, text: str) -> Prediction:
        """Return the label of one text with its score, in the time of :meth:`predict_one`.

        Of several labels it is the one with the highest score, which is not a label of the text if it is not above 0.

        Returns
        -------
        Prediction
            ``label``, ``score`` and, if the model was trained with ``calibrate``, ``probability``.

        Examples
        --------
        >>> from textperceptron import TextModel
        >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
        >>> model = TextModel.train(texts, ["pos", "pos", "neg", "neg"], "mira")
        >>> label, score, probability = model.score_one("a dull cast")
        >>> label, round(score, 2), probability
        ('neg', 0.1, None)
        """
        parts = self.parts
        made_for, scorer = self._scorer
        if made_for is not parts:
            scorer = self._make_scorer(parts)
        labels, calibration = parts.classes.labels, parts.calibration
        if scorer is None or type(text) is not str or (calibration is not None and not parts.is_binary):
            return self.top_labels(text, 1)[0]
        code, score = scorer.code_and_score(text)
        probability = None if calibration is None else calibration.of_row([score])[code]
        return Prediction(labels[code], 0.0 - score if code == 0 and parts.is_binary else score, probability)

    def top_labels(self, text: str, n: int = 3) -> list[Prediction]:
        """Return the labels of one text with the highest scores, highest first.

        Parameters
        ----------
        text : str
        n : int
            Number of labels; all of them if there are fewer. The first is that of :meth:`predict_one`. If texts have
            several labels, those of the text have scores above 0.

        Returns
        -------
        list of Prediction
            ``label``, ``score`` and, if the model was trained with ``calibrate``, ``probability``.

        Examples
        --------
        >>> from textperceptron import TextModel, load_corpus
        >>> topics = load_corpus("topics").train
        >>> model = TextModel.train(topics.texts, topics.labels)
        >>> [label for label, score, probability in model.top_labels("a guitar for the goalkeeper", 2)]
        ['sport', 'music']
        """
        if not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n={n!r}: use a number of labels, 1 or more.")
        parts = self.parts
        made_for, scorer = self._scorer
        if made_for is not parts:
            scorer = self._make_scorer(parts)
        labels = parts.classes.labels
        if scorer is not None and parts.calibration is None and type(text) is str and n <= _FEW:
            return [Prediction(labels[code], score) for code, score in scorer.top(text, n)]
        if scorer is not None and type(text) is str:
            return _ranked(parts, scorer.scores(text), n)
        return _ranked(parts, np.ravel(_scores(parts, [text], None)).tolist(), n)

    def scores(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the scores of texts.

        Returns
        -------
        array of shape (n_texts,), or (n_texts, n_classes) with more than two classes
            Above 0 for ``classes[1]``; with more than two classes, one score per class. If texts have several labels,
            one score per label, above 0 for those of the text.
        """
        return _scores(self.parts, texts, n_jobs)

    def probabilities(self, texts: Iterable[Any], n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the probability of each class, of shape (n_texts, n_classes).

        Raises
        ------
        ValueError
            If the model was trained without ``calibrate``.
        """
        parts = self.parts
        if parts.calibration is None:
            raise ValueError(
                "the model has scores, not probabilities: train with calibrate=True, which holds out texts to learn "
                "probabilities from."
            )
        return parts.calibration.probabilities(_scores(parts, texts, n_jobs))

    def explain(self, text: str, *, flip: bool = True) -> Explanation:
        """Return the contribution of each term of a text to its scores, and the nearest change of the label.

        Parameters
        ----------
        text : str
        flip : bool
            Search for a word, or two, without which the text has another label. All occurrences of a word are removed,
            and the rest is classified anew. The search tries the 200 words that speak most for the label, then the
            pairs of 20 of them, and fewer in texts of more than 5,000 characters.

        Returns
        -------
        Explanation
            Printed, a table; in a notebook, the text with its words tinted; :meth:`~Explanation.to_html` is a page.

        Raises
        ------
        ValueError
            If scores are not sums of contributions (the voted perceptron).

        Examples
        --------
        >>> from textperceptron import TextModel, load_corpus
        >>> reviews = load_corpus("reviews").train
        >>> model = TextModel.train(reviews.texts, reviews.labels, "mira")
        >>> explanation = model.explain("Lovely soup, rude waiter")
        >>> explanation.label, str(explanation.flip), explanation.terms[0].name, explanation.terms[0].places
        ('pos', "without 'Lovely' it would be neg", 'lovely', (((0, 6),),))
        """
        with deferred_interrupts():
            from textperceptron.model.explain import explain

        return explain(self.parts, text, flip=flip)

    def top_terms(self, label: Any, n: int = 10) -> list[tuple[str, float]]:
        """Return the terms with the largest weights for a class, largest first.

        N-grams of characters of words are left out, and so are column pairs (``pair_bits``): see :meth:`pair_report`.

        Raises
        ------
        ValueError
            If the label is not one of the classes, or columns have no names or no weights.
        """
        return top_terms(self.parts, self.parts.classes.code(label), n)

    def pair_report(self, texts: Iterable[Any], top: int = 20) -> PairReport:
        """Report the column pairs (``pair_bits``) in texts: how many, how many share a weight, the top ones by name.

        Parameters
        ----------
        texts : iterable of str or bytes
            The training texts. With others, only the pairs in them can be named.
        top : int
            Number of pairs to name: those with the weights furthest from 0.

        Raises
        ------
        ValueError
            If the model has no ``pair_bits``, or columns have no names.
        """
        with deferred_interrupts():
            from textperceptron.model.pair_report import report_texts

        return report_texts(self.parts, texts, top)

    def update(
        self,
        texts: Iterable[Any],
        labels: Iterable[Any],
        *,
        epochs: int | None = None,
        classes: Iterable[Any] = (),
        max_terms: int | None = None,
        sample_weight: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        """Train further, on more texts, from the current training state.

        New terms get columns, which the settings choose as in training: ``min_df`` counts the new texts. Log-count
        ratios are computed again, from all texts so far. A new label adds a class with weights of 0.

        Hashed columns and hashed weights stay as they are, and so does a vocabulary with ``pair_bits``.

        Parameters
        ----------
        texts, labels, sample_weight, n_jobs, callback
            As for :meth:`train`; only the new texts.
        epochs : int, optional
            Passes over the new texts; by default as many as in training (``max_iter``).
        classes : iterable of labels
            Further classes, without texts yet.
        max_terms : int, optional
            Most terms of the vocabulary; if there are more, those in the most new texts are added. Default:
            ``max_features``, or no limit. More than two classes share 2**28 weights.

        Raises
        ------
        ValueError
            If the model was loaded from a file without training state, or cannot be updated (one-vs-one, early
            stopping, calibration, several labels per text), or there are no texts.

        Warns
        -----
        UpdateWarning
            If most words are unknown to the model, or the vocabulary is full.

        Examples
        --------
        >>> from textperceptron import TextModel
        >>> model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"])
        >>> model.update(["a superb film", "an average film"], ["pos", "so-so"])
        >>> model.classes, model.predict_one("superb")
        (('neg', 'pos', 'so-so'), 'pos')
        """
        with deferred_interrupts():
            from textperceptron.model.update import update_model

        parts, fitted = self.parts, self.parts.fitted
        if parts.multilabel:
            raise ValueError(
                "a model of several labels per text chooses thresholds on all texts, so it cannot be updated: train it "
                "from the start, on all texts."
            )
        if fitted is None or not fitted.can_update:
            raise ValueError(
                "the model has no training state to update: one-vs-one and classes trained one by one have none, and a "
                "file has one only if it was saved with trainable=True."
            )
        try:
            parts, error = update_model(
                parts, fitted, texts, labels,
                epochs=epochs, classes=classes, max_terms=max_terms, sample_weight=sample_weight,
                n_jobs=n_jobs, callback=callback,
            )  # fmt: skip
        except BaseException as problem:
            if not isinstance(problem, ValueError) or isinstance(problem, OverflowedError):
                self.parts = replace(self.parts, fitted=None)  # the state changed, the model did not
            raise
        self.parts = parts
        if error is not None:
            raise error

    def pruned(self, *, keep: int | None = None, min_weight: float | None = None) -> TextModel:
        """Return a model with fewer columns, which cannot be updated.

        Parameters
        ----------
        keep : int, optional
            Number of columns to keep: those with the largest absolute weight for any class.
        min_weight : float, optional
            Drop columns whose absolute weights are all below this.

        Raises
        ------
        ValueError
            If columns have no names or no weights, or no column would be left.
        """
        with deferred_interrupts():
            from textperceptron.model.shrink import prune

        return TextModel(prune(self.parts, keep, min_weight))

    def halved(self) -> TextModel:
        """Return a model with weights rounded to float16 (11 bits, two bytes each), which cannot be updated.

        Its file has no hash table of the vocabulary either; loading rebuilds it.

        Raises
        ------
        ValueError
            If the model has no weights (the voted perceptron).
        """
        with deferred_interrupts():
            from textperceptron.model.shrink import halve

        return TextModel(halve(self.parts))

    def compare(self, other: TextModel, texts: Iterable[Any], labels: Iterable[Any]) -> Comparison:
        """Compare the accuracy of this model and another, say a smaller one, on the same texts.

        A text with several labels is right if all of them are.

        Raises
        ------
        ValueError
            If there are no texts.
        """
        with deferred_interrupts():
            from textperceptron.model.shrink import compare
            from textperceptron.model.targets import as_label_sets

        texts = repeatable(texts)
        known = as_label_sets(labels) if self.multilabel else plain_labels(labels)
        return compare(self.predict(texts), other.predict(texts), known)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.classes[:4])) + (", …" if len(self.classes) > 4 else "")
        return f"<TextModel of {self.n_columns} columns and {len(self.classes)} classes: {shown}>"

    @property
    def _text_scorer(self) -> TextScorer | None:
        """The scorer of single texts, created lazily; None if the model does not support it."""
        made_for, scorer = self._scorer
        return scorer if made_for is self.parts else self._make_scorer(self.parts)

    def _make_scorer(self, parts: ModelParts) -> TextScorer | None:
        with deferred_interrupts():
            from textperceptron.model.predict_one import fast_scorer

        scorer = fast_scorer(parts.features, parts.model)
        self._scorer = parts, scorer
        return scorer


def _scores(parts: ModelParts, texts: Iterable[Any], n_jobs: int | None) -> npt.NDArray[np.float64]:
    found = [parts.model.scores(parts.rows(block, n_jobs), n_jobs) for block in _blocks(texts)]
    if not found:
        return np.empty(0) if parts.is_binary else np.empty((0, len(parts.classes)))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _ranked(parts: ModelParts, scores: list[float], n: int) -> list[Prediction]:
    """Return the ``n`` labels with the highest of a text's scores: one score for two classes, else one per class."""
    labels = parts.classes.labels
    probabilities = [None] * len(labels) if parts.calibration is None else parts.calibration.of_row(scores)
    by_class = [0.0 - scores[0], scores[0]] if parts.is_binary else scores
    ranked = sorted(
        range(len(labels)), key=by_class.__getitem__, reverse=True
    )  # of equal scores, the first stays first
    return [Prediction(labels[code], by_class[code], probabilities[code]) for code in ranked[:n]]


def _blocks(texts: Iterable[Any]) -> Iterator[list[Any]]:
    if isinstance(texts, str | bytes):
        raise ValueError("texts is one string: put it into a list, or use predict_one.")
    items = iter(documents_of(texts))
    while block := list(islice(items, _BLOCK)):
        yield block
