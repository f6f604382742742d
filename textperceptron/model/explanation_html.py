"""Explanations as HTML: no scripts, readable on light and dark, and without colour.

Everything that comes from data is escaped. Words that speak for the label have a blue tint and a solid underline, those
against it an orange tint and a dotted one; the stronger, the thicker. Each has its number as a title, and the table has
them all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textperceptron.model.explanation import label_text

if TYPE_CHECKING:
    from textperceptron.model.explanation import Explanation

MAX_CHARACTERS = 20_000  # of a text; browsers become slow with many more words
_WEAKEST = 0.02  # of the strongest word: below, a word is not marked

# Middle tones, which have a contrast of 3 : 1 to white and to black: a notebook may be dark while the system is light.
_STYLE = """
.tp-explanation { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 0 0 2rem; overflow-wrap: anywhere; }
.tp-explanation p { margin: .5rem 0; }
.tp-explanation .tp-text { white-space: pre-wrap; font-size: 1.1rem; line-height: 2; }
.tp-explanation .tp-for, .tp-explanation .tp-against { border-radius: .15em; padding-block: .1em; }
.tp-explanation .tp-for { background-color: rgb(38 132 204 / calc(var(--s) * .45));
  border-bottom: calc(1px + var(--s) * 2px) solid rgb(38 132 204); }
.tp-explanation .tp-against { background-color: rgb(212 100 20 / calc(var(--s) * .45));
  border-bottom: calc(1px + var(--s) * 2px) dotted rgb(212 100 20); }
.tp-explanation .tp-key { font-size: .875rem; }
.tp-explanation table { border-collapse: collapse; font-size: .9375rem; }
.tp-explanation th, .tp-explanation td { padding: .1rem .8rem .1rem 0; text-align: end;
  font-variant-numeric: tabular-nums; background: none; border: 0; }
.tp-explanation th[scope=row], .tp-explanation thead th:first-child { text-align: start; font-weight: normal; }
.tp-explanation thead th, .tp-explanation .tp-total { font-weight: bold; }
.tp-explanation .tp-bar { width: 8rem; text-align: start; }
.tp-explanation .tp-bar span { display: inline-block; height: .6em; min-width: 1px; border-bottom: 0;
  width: calc(var(--s) * 8rem); }
.tp-explanation .tp-bar .tp-for { background-color: rgb(38 132 204); }
.tp-explanation .tp-bar .tp-against { background-color: transparent; border: 1px solid rgb(212 100 20);
  box-sizing: border-box; }
@media (forced-colors: active) {
  .tp-explanation .tp-for { border-bottom-color: CanvasText; }
  .tp-explanation .tp-against { border-bottom-color: CanvasText; }
  .tp-explanation .tp-bar .tp-for { background-color: CanvasText; forced-color-adjust: none; }
}
"""

_PAGE_STYLE = """
:root { color-scheme: light dark; }
body { margin: 1rem; font: 1rem/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText; }
@media (prefers-color-scheme: dark) { body { background: #16181b; color: #e8e8e8; } }
h2 { font-size: 1.125rem; }
@media print { .tp-explanation { break-inside: avoid; print-color-adjust: exact; } }
"""

# Control characters are not allowed in HTML, and half of a surrogate pair cannot be written.
_NOT_ALLOWED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def page(explanations: Sequence[Explanation], top: int, titles: Sequence[str] = ()) -> str:
    """Return a page with explanations, each below its title, such as the place of the text in a file."""
    heads = [f"<h2>{_escaped(title)}</h2>\n" for title in titles] or [""] * len(explanations)
    parts = [head + _body(each, top) for head, each in zip(heads, explanations, strict=True)]
    shown = _escaped(label_text(explanations[0].label)) if len(explanations) == 1 else f"{len(explanations)} texts"
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown} – textperceptron</title>\n<style>{_STYLE}{_PAGE_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def fragment(explanation: Explanation, top: int) -> str:
    """Return an explanation as a part of a page, with its style."""
    return f"<style>{_STYLE}</style>\n{_body(explanation, top)}"


def _body(explanation: Explanation, top: int) -> str:
    label, about = _name(label_text(explanation.label)), _name(explanation.for_class)
    other = "other labels" if explanation.runner_up is None else _name(explanation.runner_up)
    over = f" (over {other})" if not explanation.is_binary and explanation.runner_up is not None else ""
    lines = [
        '<div class="tp-explanation">',
        f"<p><strong>{label}</strong>{over}: {explanation.margin:+.4g}</p>",
        f'<p class="tp-text" dir="auto">{_text(explanation)}</p>',
    ]
    if explanation.flip is not None:
        removed = " and ".join(f"<em>{_name(word)}</em>" for word in explanation.flip.removed)
        lines.append(
            f"<p>Without {removed} it would be <strong>{_name(label_text(explanation.flip.label))}</strong>.</p>"
        )
    lines += [
        f'<p class="tp-key"><span class="tp-for" style="--s:1">solid</span> speaks for {about}, '
        f'<span class="tp-against" style="--s:1">dotted</span> against; '
        "hover over a word for its number.</p>",
        _table(explanation, top),
        "</div>",
    ]
    return "\n".join(lines)


def _text(explanation: Explanation) -> str:
    text = explanation.text
    largest = max((abs(word.contribution) for word in explanation.words), default=0.0)
    pieces, at = [], 0
    for word in explanation.words:
        strength = abs(word.contribution) / largest if largest else 0.0
        if word.end > MAX_CHARACTERS:
            break
        if strength >= _WEAKEST:
            kind = "tp-for" if word.contribution > 0 else "tp-against"
            pieces += [
                _escaped(text[at : word.start]),
                f'<span class="{kind}" style="--s:{strength:.2f}" title="{word.contribution:+.4f}">',
                f"{_escaped(text[word.start : word.end])}</span>",
            ]
            at = word.end
    if len(text) <= MAX_CHARACTERS:
        return "".join([*pieces, _escaped(text[at:])])
    cut = max(at, MAX_CHARACTERS)
    return "".join([*pieces, _escaped(text[at:cut]), f" … ({len(text) - cut:,} more characters)"])


def _table(explanation: Explanation, top: int) -> str:
    heads, rows = explanation.table(top)
    largest = max((abs(numbers[0]) for _, numbers in rows[:-1]), default=0.0) or 1.0
    head = "".join(f'<th scope="col"><bdi>{_escaped(each)}</bdi></th>' for each in heads)
    lines = [f'<table>\n<thead><tr><th scope="col">term</th>{head}<td></td></tr></thead>\n<tbody>']
    for k, (name, numbers) in enumerate(rows):
        is_total = k == len(rows) - 1
        cells = "".join(f"<td>{number:+.4f}</td>" for number in numbers)
        kind = "tp-for" if numbers[0] > 0 else "tp-against"
        bar = "" if is_total else f'<span class="{kind}" style="--s:{abs(numbers[0]) / largest:.3f}"></span>'
        row = ' class="tp-total"' if is_total else ""
        lines.append(f'<tr{row}><th scope="row"{row}>{_name(name)}</th>{cells}<td class="tp-bar">{bar}</td></tr>')
    return "\n".join([*lines, "</tbody>\n</table>"])


def _name(value: object) -> str:
    """Return a label or term that cannot change the direction of the text around it."""
    return f"<bdi>{_escaped(value)}</bdi>"


def _escaped(value: object) -> str:
    return html.escape(_NOT_ALLOWED.sub("\ufffd", str(value)))
