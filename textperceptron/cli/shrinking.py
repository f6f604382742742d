"""Smaller models, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from textperceptron.cli.parts import chosen_part
from textperceptron.cli.settings import number_or_share
from textperceptron.corpus import Corpus, Documents
from textperceptron.model import TextModel
from textperceptron.settings import Settings

if TYPE_CHECKING:
    from textperceptron.model.shrink import Comparison


class Shrunk(NamedTuple):
    """A smaller model, how it does beside the whole one, and on which texts."""

    model: TextModel
    cost: Comparison
    measured_on: str

    def in_words(self, whole: TextModel) -> str:
        """Return what was lost, in one line."""
        cost, before, after = self.cost, whole.n_columns, self.model.n_columns
        columns = f"{before:,} → {after:,} columns, " if before != after else ""
        shares = f"{100 * cost.accuracy_before:.1f} % → {100 * cost.accuracy_after:.1f} %"
        change = "lost" if cost.accuracy_lost >= 0 else "won"
        return (
            f"{columns}{shares}, {abs(100 * cost.accuracy_lost):.1f} points {change}, "
            f"{cost.changed} of {cost.n_texts} labels changed; {self.measured_on}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        cost = self.cost
        return {
            "columns": self.model.n_columns,
            "measured_on": self.measured_on,
            "n": cost.n_texts,
            "right_before": cost.right_before,
            "right_after": cost.right_after,
            "changed": cost.changed,
        }


def read_prune(value: str | None) -> dict[str, Any] | None:
    """Return what ``pruned`` takes: a number of columns, or with a point the smallest weight.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if value is None:
        return None
    try:
        read = number_or_share(value)
    except ValueError:
        raise ValueError(f"--prune {value!r}: use a number of columns (10000) or a weight (0.001).") from None
    if not read > 0:
        raise ValueError(f"--prune {value}: use a number of columns or a weight above 0.")
    return {"keep": read} if isinstance(read, int) else {"min_weight": read}


def refuse_unshrinkable(settings: Settings, prune: dict[str, Any] | None, half: bool) -> None:
    """Raise before anything is learnt that could not be made small.

    Raises
    ------
    ValueError
        With the option and the setting that do not go together.
    """
    option = "--prune" if prune is not None else "--half"
    if settings.learner.learner == "voted" and (half or prune is not None):
        raise ValueError(f"{option}: the voted perceptron keeps texts, not weights. Use another --learner.")
    if settings.text.n_features is not None and prune is not None:
        raise ValueError("--prune: hashed columns cannot be left out. Use fewer of them (--n-features).")
    if settings.learner.pair_bits is not None and prune is not None:
        raise ValueError(
            "--prune: no column can be left out beside pairs on the fly. Use --min-df, --max-features or smaller "
            "--pair-bits."
        )


def shrink(
    model: TextModel, prune: dict[str, Any] | None, half: bool, corpus: Corpus, other: Corpus | None
) -> Shrunk | None:
    """Make a model as small as asked for; None if nothing was. What is lost is measured on texts to test on if any."""
    if prune is None and not half:
        return None
    small = model if prune is None else model.pruned(**prune)
    small = small.halved() if half else small
    texts, measured_on = _texts(corpus, other)
    return Shrunk(small, model.compare(small, texts.texts, texts.labels), measured_on)


def _texts(corpus: Corpus, other: Corpus | None) -> tuple[Documents, str]:
    if other is not None:
        documents, part = chosen_part(other)
        return documents, f"{other.name}, {part}"
    if corpus.test is not None:
        return corpus.test, "the corpus's test split"
    return corpus.train, "the texts that it learnt from"
