"""HTML elements from strings; whatever is not markup already is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from textperceptron._format import percent

# HTML cannot contain these: controls other than tab and line feed, surrogates, and what is not a character.
_INVALID = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_VOID = frozenset({"br", "input", "link", "meta"})


class Markup(str):
    """HTML that is not escaped again."""

    __slots__ = ()


def escape(text: object) -> Markup:
    r"""Return a text as HTML; characters that HTML cannot contain become U+FFFD.

    Examples
    --------
    >>> print(escape('<b> & "\x00"'), escape(escape("&")))
    &lt;b&gt; &amp; &quot;\ufffd&quot; &amp;
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(_INVALID.sub("\ufffd", str(text).replace("\r\n", "\n").replace("\r", "\n"))))


def tag(name: str, /, *children: object, **attributes: str | int | float | bool | None) -> Markup:
    """Return an element. Children that are strings are escaped; None, and attributes that are None, are left out.

    An underscore in the name of an attribute is a hyphen; ``class_`` and ``for_`` are ``class`` and ``for``.

    Examples
    --------
    >>> print(tag("p", "a < b ", tag("b", "!"), class_="x", hidden=True, id=None))
    <p class="x" hidden>a &lt; b <b>!</b></p>
    """
    opening = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{opening}>")
    return Markup(f"<{name}{opening}>{join(children)}</{name}>")


def join(children: Iterable[object], between: str = "") -> Markup:
    """Return HTML of several children, escaped where they are not markup."""
    return Markup(between.join(escape(child) for child in children if child is not None))


def table(
    caption: str, head: Sequence[object], rows: Iterable[Sequence[object]], *, class_: str | None = None
) -> Markup:
    """Return a table that scrolls in its own box if it is too wide. The first cell of each row is its heading.

    Numbers are aligned to the right: all columns but the first, unless ``class_`` is ``"words"``.
    """
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows
    ]  # fmt: skip
    content = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", cell, scope="col") for cell in head))),
        tag("tbody", *body),
        class_=class_,
    )
    return scrollable(caption, content)


def scrollable(label: str, content: object) -> Markup:
    """Return a box that scrolls sideways, also by keyboard."""
    return tag("div", content, class_="scroll", role="region", aria_label=label, tabindex=0)


def percent_of(value: float) -> str:
    """Return a fraction in percent, with a sign that stays on its line."""
    return f"{percent(value)}\N{NO-BREAK SPACE}%"


def three_digits(value: float) -> str:
    """Return a number with three digits and a true minus.

    Examples
    --------
    >>> three_digits(-0.33), three_digits(25.0), three_digits(1e-9)
    ('−0.330', '25.0', '1.00e−09')
    """
    return f"{value:#.3g}".removesuffix(".").replace("-", "−")


def name_of(text: object) -> Markup:
    """Return a label or a term whose direction of writing does not affect the text around it."""
    return tag("bdi", text)
