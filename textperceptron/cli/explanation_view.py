"""An explanation, printed: the text in colour, and its terms with what each adds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textperceptron.cli.labels import label_text
from textperceptron.cli.screen import Piece, Screen
from textperceptron.cli.tables import columns

if TYPE_CHECKING:
    from textperceptron.model.explain import Explanation

MOST_CLASSES = 4  # whose columns fit on a line


def show(screen: Screen, found: Explanation, classes: Sequence[Any], text: str, top: int) -> None:
    """Print an explanation, with as many terms as asked for (0: all)."""
    shown = _shown_classes(found)
    sign = -1 if len(classes) == 2 and found.label == classes[0] else 1
    main = shown[0]
    screen.line((label_text(found.label), "bold"), f"  score {sign * found.scores[main]:+.4g}")
    screen.line()
    for line in _lines(_coloured(text.rstrip(), {term.name: sign * term.contributions[main] for term in found.terms})):
        screen.line(*line)
    screen.line()
    terms = found.terms[: top or None]
    # Of two classes, all figures are turned to speak for the label.
    labels = [found.label] if len(classes) == 2 else [found.classes[k] for k in shown]
    heads: list[Piece] = [("for " + label_text(label), "bold") for label in labels]
    rows: list[list[Piece]] = [[("term", "bold"), *heads]]
    rows += [[term.name, *(_figure(sign * term.contributions[k]) for k in shown)] for term in terms]
    if rest := found.terms[len(terms) :]:
        sums = (sum(term.contributions[k] for term in rest) for k in shown)
        rows.append([(f"{len(rest)} more", "dim"), *(_figure(sign * total) for total in sums)])
    rows.append([("intercept", "dim"), *(_figure(sign * found.intercepts[k]) for k in shown)])
    rows.append([("score", "bold"), *(_figure(sign * found.scores[k]) for k in shown)])
    for line in columns(rows):
        screen.line(*line)


def _shown_classes(found: Explanation) -> list[int]:
    """Return the places of the classes to show: that of the label first, then those that came nearest."""
    if found.label not in found.classes:
        return [0]  # two classes, of which one alone has figures
    label = found.classes.index(found.label)
    others = sorted((k for k in range(len(found.classes)) if k != label), key=lambda k: -found.scores[k])
    return [label, *others][:MOST_CLASSES]


def _figure(value: float) -> Piece:
    """Return a number, green if it speaks for a class, red if against."""
    return f"{value:+.4f}", "green" if value > 0 else "red" if value < 0 else "dim"


def _lines(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces of each line of a text, whose line ends a reader wants to see as such."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        text, style = piece if isinstance(piece, tuple) else (piece, "")
        first, *others = text.split("\n")
        lines[-1].append((first, style))
        lines += [[(other, style)] for other in others]
    return lines


def _coloured(text: str, effects: dict[str, float]) -> list[Piece]:
    """Colour the words of a text by what they and their prefixes add by themselves, strong where it is much.

    A word that stands there with and without a negator before it has the colour of both together.
    """
    most = max(map(abs, effects.values()), default=0.0)
    sizes = {len(name) - 1 for name in effects if re.fullmatch(r"\w+\*", name)}
    pieces: list[Piece] = []
    for word, between in re.findall(r"(\w+)|(\W+)", text):
        known = word if word in effects or f"NOT_{word}" in effects else word.lower()
        terms = [known, f"NOT_{known}", *(f"{known[:size]}*" for size in sizes if len(known) > size)] if word else []
        effect = sum(effects.get(term, 0.0) for term in terms)
        if effect == 0:
            pieces.append((word or between, "dim") if word else between)
        else:
            strong = "bold " if abs(effect) > most / 2 else ""
            pieces.append((word, strong + ("green" if effect > 0 else "red")))
    return pieces
