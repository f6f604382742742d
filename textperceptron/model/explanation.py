"""Explanations as objects: terms with their places, the words of the text with their weight, and the nearest flip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

from textperceptron._format import shown_term
from textperceptron._interrupts import deferred_interrupts
from textperceptron.model.classes import Label
from textperceptron.text.places import Span

Place = tuple[Span, ...]

DEFAULT_TOP = 20
_MAX_LABELS = 4  # columns that fit on a line


@dataclass(frozen=True)
class Term:
    """A term of a text: a word, an n-gram, a prefix, an n-gram of characters or a conjunction.

    Attributes
    ----------
    name : str
    value : float
        Its value in the row: its count, or 1; scaled if the rows are normalised.
    contributions : tuple of float
        Added to the score of each class; with two classes one number, for the second class.
    places : tuple of places
        One per occurrence. A place is a tuple of (start, end) in code points, ``text[start:end]``: one span, or one for
        each word of a conjunction. Empty if the place is not known, as after a user's analyzer.
    """

    name: str
    value: float
    contributions: tuple[float, ...]
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Word:
    """A word, a punctuation mark or an emoji of the text, with its share of all terms that it is part of.

    The contribution of a term is divided equally among its occurrences, and that of an occurrence among its words.

    Attributes
    ----------
    start, end : int
        The word is ``text[start:end]``.
    contribution : float
        For the label: to its score, or with more than two classes, to the difference from the runner-up's score.
    """

    start: int
    end: int
    contribution: float


@dataclass(frozen=True)
class Flip:
    """The smallest change that was found to give the text another label.

    Attributes
    ----------
    removed : tuple of str
        One word or two. Each is removed wherever it occurs, and the rest is classified anew.
    spans : tuple of (start, end)
        What is removed.
    label : str, int or bool, or a tuple of them
        The label without it, or the labels.
    """

    removed: tuple[str, ...]
    spans: tuple[Span, ...]
    label: Label | tuple[Label, ...]

    def __str__(self) -> str:
        return f"without {' and '.join(map(repr, self.removed))} it would be {label_text(self.label)}"


@dataclass(frozen=True)
class Explanation:
    """The label of a text, and its scores term by term.

    Printed, it is a table; in a notebook, the text with its words tinted. ``scores`` is the sum of ``intercepts`` and
    all contributions, up to rounding: relative to the largest of them, the error is below 1e-12, and so is the
    difference from the scores of the model.

    Attributes
    ----------
    text : str
    label : str, int or bool, or a tuple of them if texts have several labels
    for_class : str, int or bool
        The class that is explained: the label; of several labels, the one with the highest score.
    runner_up : str, int, bool or None
        The class with the next best score; None if texts have several labels, because each is decided alone.
    classes : tuple of labels
        The classes of the scores, in order; with two classes only the second.
    scores : tuple of float
        For one-vs-one: the summed scores that break ties of votes.
    intercepts : tuple of float
    terms : tuple of Term
        Largest contribution first. Column pairs (``pair_bits``) are listed if their contribution is not 0.
    merged_terms : tuple of Term
        The same for people to read: a prefix and the n-grams of characters of a word are added to the word. Those that
        speak most for or against the label come first, as :meth:`contribution` says. The sums are the same.
    words : tuple of Word
        The text word by word.
    flip : Flip or None
        None if no such change was found, or it was not asked for.
    """

    text: str
    label: Label | tuple[Label, ...]
    for_class: Label
    runner_up: Label | None
    classes: tuple[Label, ...]
    scores: tuple[float, ...]
    intercepts: tuple[float, ...]
    terms: tuple[Term, ...]
    merged_terms: tuple[Term, ...]
    words: tuple[Word, ...]
    flip: Flip | None = None

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, which have one score."""
        return len(self.classes) == 1 and self.runner_up is not None

    @property
    def margin(self) -> float:
        """The score of ``for_class``; with more than two classes, its difference from the runner-up's score."""
        return self.for_label(self.scores)

    @property
    def intercept(self) -> float:
        """What the intercepts add to the margin."""
        return self.for_label(self.intercepts)

    def contribution(self, term: Term) -> float:
        """Return what a term adds to the margin: above 0 if it speaks for the class and not the runner-up."""
        return self.for_label(term.contributions)

    def for_label(self, values: tuple[float, ...]) -> float:
        """Return the share of the margin in values of the classes, such as scores."""
        if self.is_binary:
            return values[0] if self.for_class == self.classes[0] else 0.0 - values[0]
        value = values[self.classes.index(self.for_class)]
        return value if self.runner_up is None else value - values[self.classes.index(self.runner_up)]

    def table(self, top: int = DEFAULT_TOP) -> tuple[list[str], list[tuple[str, list[float]]]]:
        """Return heads and rows for people: the ``top`` merged terms, the sum of the others, intercept and score.

        With more than two classes, the first number is the difference between label and runner-up, followed by both; if
        texts have several labels, there is a number for each of the four labels with the highest scores.
        """
        heads = [f"for {label_text(self.for_class)}"]
        columns: list[Callable[[tuple[float, ...]], float]] = [self.for_label]
        if not self.is_binary:
            ranked = sorted(range(len(self.classes)), key=lambda k: -self.scores[k])[:_MAX_LABELS]
            if self.runner_up is not None:
                ranked = [self.classes.index(each) for each in (self.for_class, self.runner_up)]
            names = [label_text(self.classes[k]) for k in ranked]
            over = [] if self.runner_up is None else [f"{names[0]} over {names[1]}"]
            heads = [*over, *(f"for {name}" for name in names)]
            columns = [*(columns if over else []), *map(itemgetter, ranked)]

        def row(name: str, values: tuple[float, ...]) -> tuple[str, list[float]]:
            return name, [column(values) for column in columns]

        terms = self.merged_terms[: top or None]
        rows = [row(shown_term(term.name), term.contributions) for term in terms]
        if others := self.merged_terms[len(terms) :]:
            sums = tuple(map(sum, zip(*(term.contributions for term in others), strict=True)))
            rows.append(row(f"{len(others)} more", sums))
        return heads, [*rows, row("intercept", self.intercepts), row("score", self.scores)]

    def as_dict(self, top: int = 0) -> dict[str, Any]:
        """Return it as a JSON object, without the text: label, scores, the ``top`` terms (0 for all) and the flip."""
        terms = self.terms[: top or None]
        return {
            "label": self.label, "for_class": self.for_class, "runner_up": self.runner_up, "classes": self.classes,
            "scores": self.scores, "intercepts": self.intercepts, "terms": [asdict(term) for term in terms],
            "flip": None if self.flip is None else asdict(self.flip),
        }  # fmt: skip

    def to_html(self, top: int = DEFAULT_TOP) -> str:
        """Return a page of HTML without scripts: the tinted text, the nearest flip, and the ``top`` merged terms."""
        with deferred_interrupts():
            from textperceptron.model.explanation_html import page

        return page([self], top)

    def _repr_html_(self) -> str:
        from textperceptron.model.explanation_html import fragment

        return fragment(self, DEFAULT_TOP)

    def __str__(self) -> str:
        heads, rows = self.table()
        cells = [["term", *heads], *([_plain(name), *(f"{value:+.4f}" for value in values)] for name, values in rows)]
        first, *widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        lines = [
            "  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(row, widths, strict=True))])
            for name, *row in cells
        ]
        flip = [] if self.flip is None else [_plain(str(self.flip)), ""]
        return "\n".join([f"{label_text(self.label)}  score {self.margin:+.4g}", "", *flip, *lines])


def label_text(value: Label | tuple[Label, ...]) -> str:
    """Return a label, or several, as text."""
    return (", ".join(map(label_text, value)) or "no label") if isinstance(value, tuple) else _plain(str(value))


def _plain(text: str) -> str:
    """Return a text without control characters, which could change what a terminal shows."""
    return "".join(c if c.isprintable() or c == " " else repr(c)[1:-1] for c in text)
