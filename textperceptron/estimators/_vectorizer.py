"""What the vectorizers share: the functions that they are made of, stop words and scikit-learn's tags."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin

from textperceptron.estimators._parameters import VectorizerSettings, text_settings
from textperceptron.text.analyze import check_pivots, terms_of
from textperceptron.text.documents import python_preprocessor
from textperceptron.text.vectorize import inconsistent_stop_words


class Vectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the vectorizers.

    A subclass may override ``build_preprocessor``, ``build_tokenizer`` or ``build_analyzer``, as with scikit-learn's
    vectorizers: their functions then make the terms, in Python.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)  # sparse matrices have no set_output

    def build_preprocessor(self) -> Callable[[Any], str]:
        """Return the function from a text to the text that is split into tokens: lowered, without accents.

        Returns
        -------
        callable
        """
        return python_preprocessor(text_settings(self))

    def build_tokenizer(self) -> Callable[[str], Any]:
        """Return the function from a preprocessed text to its tokens, stop words included.

        Returns
        -------
        callable
        """
        settings = text_settings(self, analyzer="word")
        if settings.tokenizer is not None:
            given: Callable[[str], Any] = settings.tokenizer
            return given
        alone = replace(settings.tokens_only(), lowercase=False, strip_accents=None, preprocessor=None, stop_words=None)
        return partial(terms_of, settings=alone)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return the function from a document to the list of its terms.

        Returns
        -------
        callable
            It decodes, preprocesses, tokenises and forms n-grams as :meth:`transform` does.
        """
        return partial(terms_of, settings=text_settings(self, **self._overridden("preprocessor", "tokenizer")))

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the stop words; None if there are none.

        Returns
        -------
        frozenset of str or None
        """
        words = text_settings(self).stop_words
        return None if words is None else frozenset(words)

    def _settings(self) -> VectorizerSettings:
        """Return the parameters as settings, with the functions that a subclass overrides."""
        changes = self._overridden("preprocessor", "tokenizer", "analyzer")
        if "analyzer" in changes:
            changes["input"] = "content"  # the analyzer reads files itself
        return text_settings(self, **changes)

    def _overridden(self, *names: str) -> dict[str, Any]:
        methods = {name: f"build_{name}" for name in names}
        return {
            name: getattr(self, method)()
            for name, method in methods.items()
            if getattr(type(self), method) is not getattr(Vectorizer, method)
        }

    def _warn(self, settings: VectorizerSettings) -> None:
        """Raise or warn of settings that do not go together, as scikit-learn does in ``fit``."""
        text_settings(self).warn_of_unused(stacklevel=4)
        check_pivots(settings)
        if tokens := inconsistent_stop_words(settings):
            warnings.warn(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop words "
                f"generated tokens {tokens} not in stop_words.",
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
