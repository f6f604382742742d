"""Figures, colours, fonts and files of plots: what all of them share."""

from __future__ import annotations

import functools
import io
import os
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from textperceptron._interrupts import deferred_interrupts
from textperceptron._validation import MissingPackageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
"""Formats of plots: the suffixes of their files."""

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart. Two that are used together
# also differ in lightness, and each comes with its own marker, line style or hatch.
BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
DARK, GREY, LIGHT = "#222222", "#666666", "#DDDDDD"

WIDTH, HEIGHT = 6.0, 3.8  # inches; 600 pixels wide at 100 dots per inch
SIZE, SMALL = 10, 8.5  # points: 14 and 12 pixels
DPI = 150
MAX_LABEL = 24  # columns of a terminal: characters of East Asian scripts take two


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a path names.

    Raises
    ------
    ValueError
        If it names none of :data:`FORMATS`.

    Examples
    --------
    >>> from textperceptron.report.plots.canvas import check_format
    >>> check_format("margins.SVG")
    'svg'
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()[1:]
    if suffix not in FORMATS:
        raise ValueError(f"{os.fspath(path)}: the suffix names no format of plots. Use .png, .svg or .pdf.")
    return suffix


def check_installed() -> None:
    """Raise MissingPackageError if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingPackageError(
            'plots need matplotlib, which is not installed. Run: pip install "textperceptron[report]"'
        )


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """Return a figure of its own, without pyplot; its layout leaves room for all labels."""
    check_installed()
    with deferred_interrupts():
        from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def new_axes(ax: Axes | None, height: float = HEIGHT) -> Axes:
    """Return the Axes to draw on: those given, or those of a new figure."""
    return new_figure(height=height).subplots() if ax is None else ax


def finish(
    ax: Axes, title: str = "", x: str = "", y: str = "", *, grid: str = "y", **title_style: Any
) -> Axes:  # fmt: skip
    """Set title, labels and grid of Axes in the style of all plots, and return them."""
    style = {"loc": "left", "fontsize": SIZE, "fontfamily": families([title]), **title_style}
    ax.set_title(title, **style, color=DARK, parse_math=False)
    ax.set_xlabel(x, fontsize=SIZE, parse_math=False, fontfamily=families([x]))
    ax.set_ylabel(y, fontsize=SIZE, parse_math=False, fontfamily=families([y]))
    ax.tick_params(labelsize=SMALL, colors=DARK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=LIGHT, linewidth=0.8)  # type: ignore[arg-type]
    return ax


def legend(ax: Axes, handles: Sequence[Any], labels: Sequence[str], **where: Any) -> None:
    """Add a legend whose labels are data: no formulas, and an underscore at the start hides nothing."""
    made = ax.legend(handles, ["?"] * len(labels), fontsize=SMALL, frameon=True, framealpha=0.9, **where)
    made.get_frame().set_linewidth(0)
    for text, label in zip(made.get_texts(), labels, strict=True):
        text.set(text=label, parse_math=False, fontfamily=families([label]))


def annotate(ax: Axes, x: float, y: float, text: str, **style: Any) -> Any:
    """Write data next to a point: a label, a term or a number."""
    style = {"fontsize": SMALL, "color": DARK, "parse_math": False, "fontfamily": families([text]), **style}
    return ax.annotate(text, (x, y), **style)


def percent_axis(axis: Axis) -> None:
    """Show the fractions of an axis in percent."""
    with deferred_interrupts():
        from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda fraction, _: f"{number_text(100 * fraction, '.4g')} %"))


def whole_numbers(axis: Axis) -> None:
    """Put the ticks of an axis at whole numbers."""
    with deferred_interrupts():
        from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def tick_style(labels: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of tick labels that are data."""
    return {"parse_math": False, "fontfamily": families(labels), "fontsize": SMALL}


def number_text(value: float, form: str = ".3g") -> str:
    """Return a number with three digits, or in another format, and the sign that matplotlib draws on axes.

    Examples
    --------
    >>> from textperceptron.report.plots.canvas import number_text
    >>> number_text(-0.12345), number_text(0.0)
    ('−0.123', '0')
    """
    return f"{value:{form}}".replace("-", "−")


def short(label: Any, limit: int = MAX_LABEL) -> str:
    r"""Return a label for a plot: control characters as escapes, and the middle of a long one left out.

    Examples
    --------
    >>> from textperceptron.report.plots.canvas import short
    >>> print(short("a\tb\x1b"), short("comp.sys.ibm.pc.hardware.drivers"), short(True))
    a\tb\x1b comp.sys.ibm.pc….drivers true
    """
    text = label if isinstance(label, str) else str(label).lower() if isinstance(label, bool) else str(label)
    text = "".join(character if _is_visible(character) else repr(character)[1:-1] for character in text)
    if _columns(text) <= limit:
        return text
    head, tail = text, text
    while _columns(head) > limit * 2 // 3 - 1 or _is_mark(text, len(head)):
        head = head[:-1]
    while _columns(tail) > limit - limit * 2 // 3 or _is_mark(tail, 0):
        tail = tail[1:]
    return f"{head}…{tail}"


def _is_visible(character: str) -> bool:
    return character.isprintable() or character in "\u200c\u200d" or unicodedata.category(character) == "Zs"


def _is_mark(text: str, at: int) -> bool:
    """Whether a character belongs to the one before it: no label is cut there."""
    return at < len(text) and (unicodedata.category(text[at])[0] == "M" or text[at] in "\u200c\u200d")


def _columns(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)


def families(texts: Iterable[str]) -> list[str]:
    """Return the fonts for texts: matplotlib's own, and installed ones for the characters that it lacks."""
    characters = {ord(character) for text in texts for character in text if character > "~"}
    return ["DejaVu Sans", *_fallbacks(frozenset(characters))] if characters else ["DejaVu Sans"]


@functools.lru_cache(1024)
def _fallbacks(characters: frozenset[int]) -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    fonts = [font for font in fontManager.ttflist if font.style == "normal" and font.variant == "normal"]
    fonts.sort(key=lambda font: (font.name != "DejaVu Sans", "Sans" not in font.name, abs(int(font.weight) - 400)))
    missing, found = characters, []
    for font in fonts:
        if not missing:
            break
        covered = missing & _characters_of(font.fname)
        if covered:
            missing -= covered
            found.append(font.name)
    return tuple(name for name in found if name != "DejaVu Sans")


@functools.cache
def _characters_of(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError):  # bitmap fonts, which matplotlib cannot draw
        return frozenset()


@contextmanager
def own_style() -> Iterator[None]:
    """Draw with matplotlib's defaults, whatever a ``matplotlibrc`` says: for files that the command line writes."""
    with deferred_interrupts():
        import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        yield


def to_bytes(drawn: Axes | Sequence[Axes], format: str, **options: Any) -> bytes:  # noqa: A002 - matplotlib's name
    """Return a figure as a file of one of :data:`FORMATS`; the same plot, drawn anew, gives the same bytes.

    The text of SVG stays text: browsers find it, and choose fonts for it. A character that no font has is drawn as a
    box elsewhere, without a warning.
    """
    with deferred_interrupts():
        import matplotlib

        ax = drawn[0] if isinstance(drawn, Sequence) else drawn
        figure = ax.get_figure(root=True)
        assert figure is not None  # it was drawn
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[format]
    file = io.BytesIO()
    fixed = {"svg.fonttype": "none", "svg.hashsalt": "textperceptron", "text.usetex": False}
    with matplotlib.rc_context(fixed), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing", UserWarning)
        figure.savefig(file, format=format, **{"dpi": DPI, "metadata": metadata, **options})
    return file.getvalue()


def save(drawn: Axes | Sequence[Axes], path: str | os.PathLike[str], **options: Any) -> int:
    """Write the figure of Axes to a file, and return its size in bytes.

    Parameters
    ----------
    drawn : Axes or sequence of Axes
        What a function of :mod:`textperceptron.report.plots` returned.
    path : str or path
        The suffix names the format: .png, .svg or .pdf. The file is replaced when the new one is complete.
    **options
        Of ``Figure.savefig``, such as ``dpi``.

    Raises
    ------
    ValueError
        If the suffix names no format.
    OSError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from textperceptron.report import evaluate, plots
    >>> ax = plots.confusion_matrix(evaluate(["pos", "pos", "neg"], ["pos", "neg", "neg"]))
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "confusion.svg"
    ...     plots.save(ax, path) == path.stat().st_size
    True
    """
    from textperceptron.model.file.atomic_write import atomic_replace

    data = to_bytes(drawn, check_format(path), **options)
    with atomic_replace(path) as file:
        file.write(data)
    return len(data)
