"""A model as one C file: the data of the model as static arrays, and classifier.c."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import __version__
from textperceptron._kernels import hash_names
from textperceptron.export.characters import CharacterTable, accent_table, character_table
from textperceptron.export.portable import PairWeights, Portable, portable
from textperceptron.learn.calibration import Platt
from textperceptron.model import TextModel
from textperceptron.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]

MAX_BYTES = 2_000_000_000
_PAGE_BITS = 7
_ROW = 4000  # bytes of a string literal; C99 promises 4095
_ANALYZERS = {"word": 0, "char": 1, "char_wb": 2}
_STRIPPERS = {None: 0, "unicode": 1, "ascii": 2}
_NEEDS_ESCAPE = re.compile(r"[^ !#->@-\[\]-~]")  # no question marks: two of them begin a trigraph


def c_source(model: TextModel) -> str:
    """Return a model as C.

    Raises
    ------
    ValueError
        If the model cannot be exported, or the file would be too large for a compiler.
    """
    source = portable(model)
    text = "".join(_sections(source))  # ASCII
    if len(text) > MAX_BYTES:
        raise ValueError(
            f"the model would take {len(text) / 1e6:,.0f} MB of C, and compilers read at most "
            f"{MAX_BYTES / 1e6:,.0f} MB. Prune the model, or train with fewer columns."
        )
    return text


def _sections(source: Portable) -> Iterator[str]:
    table = character_table(source.text.strip_accents)
    yield _HEADER.format(
        n_columns=source.n_columns, n_classes=len(source.classes), version=__version__, unicode=table.version
    )
    yield "".join(f"#define TP_{name} {value}\n" for name, value in _macros(source).items())
    yield f"typedef {_c_type(source.dtype)} tp_number;\n"
    labels = ",\n    ".join(_literal(label_bytes(label)) for label in source.classes)
    yield "\nextern const char *const tp_labels[TP_N_CLASSES];\n"
    yield f"const char *const tp_labels[] = {{\n    {labels}\n}};\n"
    yield from _characters(source, table)
    yield _NAMES
    if source.vocabulary is not None:
        yield from _names("vocabulary", source.vocabulary)
    if source.text.uses_words:
        yield from _names("stop_words", Vocabulary.from_names(sorted(source.text.stop_list)))
        yield from _names("negators", Vocabulary.from_names(source.negators))
        yield from _names("pivots", Vocabulary.from_names(source.pivots or []))
    yield from _weights(source)
    yield "\n"
    yield files("textperceptron.export").joinpath("classifier.c").read_text("utf-8")


def _macros(source: Portable) -> dict[str, Any]:
    text, calibration = source.text, source.calibration
    single, marks = text.compiled_pattern or (True, 0)
    is_platt = isinstance(calibration, Platt)
    stripped = accent_table(text.strip_accents).values() if text.strip_accents else ()
    macros: dict[str, Any] = {
        "N_CLASSES": len(source.classes),
        "N_SCORES": source.n_scores,
        "N_PRODUCTS": len(source.intercepts),
        "N_COLUMNS": f"{source.n_columns}u",
        "N_WORDS": f"{source.n_words}u",
        "LOWERCASE": int(text.lowercase),
        "STRIP_ACCENTS": _STRIPPERS[text.strip_accents],
        "MAX_BYTES": max([9, *(len(_utf8(each)) for each in stripped)]),  # of one character of a text
        "ANALYZER": _ANALYZERS[text.analyzer],
        "SINGLE": int(single),
        "MARKS": marks,
        "MIN_N": text.ngram_range[0],
        "MAX_N": text.ngram_range[1],
        "UNSPACED_N": text.unspaced_n,
        "PREFIXES": text.n_prefixes,
        "CHARACTERS": text.n_characters,
        "CHARACTER_WEIGHT": repr(float(text.character_weight)),
        "NEGATION": int(text.negation),
        "MAX_DISTANCE": source.max_distance,
        "HAS_PIVOTS": int(source.pivots is not None),
        "BINARY": int(text.is_binary),
        "SUBLINEAR": int(source.is_sublinear),
        "UNIT_ROWS": int(text.norm is not None),
        "HASHED": int(source.vocabulary is None),
        "SIGNED": int(source.is_signed),
        "PAIRS": int(isinstance(source.weights, PairWeights)),
        "CALIBRATION": 0 if calibration is None else 1 if is_platt else 2,
    }
    if isinstance(calibration, Platt):
        macros |= {"SLOPE": f"({calibration.slope!r})", "OFFSET": f"({calibration.offset!r})"}
    elif calibration is not None:
        macros["SHARPNESS"] = f"({calibration.sharpness!r})"
    return macros


def _characters(source: Portable, table: CharacterTable) -> Iterator[str]:
    """Yield the tables of characters: pages of properties, of which most are equal; lower cases; accents."""
    pages = table.properties.reshape(-1, 1 << _PAGE_BITS)
    number_of: dict[bytes, int] = {}
    numbers = [number_of.setdefault(page.tobytes(), len(number_of)) for page in pages]
    distinct = ["{" + ",".join(map(str, page)) + "}" for page in number_of]
    yield f"\n#define TP_PAGE_BITS {_PAGE_BITS}\n"
    yield _array("uint16_t", "page_of", numbers)
    yield f"static const unsigned char tp_page[][1 << TP_PAGE_BITS] = {{\n{_lines(distinct, 1)}\n}};\n"
    if source.text.lowercase:
        lowering = [f"{{{each.last}u,{each.delta}}}" for each in table.lowering]
        yield f"#define TP_N_LOWERING {len(lowering)}\n"
        yield f"static const struct {{ uint32_t last; int32_t delta; }} tp_lowering[] = {{\n{_lines(lowering)}\n}};\n"
    if source.text.strip_accents:
        accents = accent_table(source.text.strip_accents)
        plain = [_utf8(text) for text in accents.values()]
        starts = np.cumsum([0, *map(len, plain)]).tolist()
        entries = [f"{{{point}u,{start}u}}" for point, start in zip([*accents, 0], starts, strict=True)]
        yield f"#define TP_N_ACCENTS {len(accents)}\n"
        yield f"static const struct {{ uint32_t point, start; }} tp_accents[] = {{\n{_lines(entries)}\n}};\n"
        yield _bytes("plain", b"".join(plain))


def _names(name: str, vocabulary: Vocabulary) -> Iterator[str]:
    yield _bytes(f"{name}_bytes", vocabulary.arena.tobytes())
    yield _array("uint32_t", f"{name}_starts", vocabulary.offsets.tolist())
    slots = hash_slots(vocabulary)
    yield _array("uint32_t", f"{name}_slots", slots.tolist())
    yield (
        f"static const tp_names tp_{name} = {{(const unsigned char *)tp_{name}_bytes, tp_{name}_starts, "
        f"tp_{name}_slots, {len(slots)}u}};\n"
    )


def hash_slots(vocabulary: Vocabulary) -> npt.NDArray[np.uint32]:
    """Return a hash table of the columns + 1, with steps of 1 after a collision; 0 is an empty slot.

    The place of a name is its 32-bit MurmurHash, taken as a signed number: its absolute value modulo the size.

    Examples
    --------
    >>> from textperceptron.export.c import hash_slots
    >>> from textperceptron.text.vocabulary import Vocabulary
    >>> hash_slots(Vocabulary.from_names(["good", "bad", "film"])).tolist()
    [0, 1, 3, 2, 0, 0, 0, 0]
    """
    n = len(vocabulary)
    size = max(1, 1 << (4 * n // 3).bit_length()) if n else 1
    place, waiting = np.empty(n, np.int32), np.arange(n, dtype=np.uint32)
    hash_names(vocabulary.offsets, vocabulary.arena, size, place)
    slots = np.zeros(size, np.uint32)
    while len(waiting):  # all names advance at once; a slot that one of them finds taken stays taken
        free = slots[place] == 0
        _, first = np.unique(place[free], return_index=True)
        chosen = np.flatnonzero(free)[first]
        slots[place[chosen]] = waiting[chosen] + 1
        rest = np.ones(len(waiting), bool)
        rest[chosen] = False
        waiting, place = waiting[rest], (place[rest] + 1) & (size - 1)
    return slots


def _weights(source: Portable) -> Iterator[str]:
    weights = source.weights
    if isinstance(weights, PairWeights):
        yield _array("uint32_t", "pair_starts", weights.starts.tolist())
        yield _array("uint32_t", "pair_numbers", weights.pairs.tolist())
        yield _array("int", "lower_class", weights.lower.tolist())
        yield _array("int", "upper_class", weights.upper.tolist())
        weights = weights.weights
    yield _array("tp_number", "weights", _numbers(weights))
    yield _array("tp_number", "intercepts", _numbers(source.intercepts))


def _numbers(array: Array) -> list[str]:
    """Return the shortest decimals that a compiler reads as these numbers."""
    flat = np.ascontiguousarray(array).ravel()
    suffix = "f" if flat.dtype == np.float32 else ""
    return [text + suffix for text in flat.astype(str).tolist()]


def _array(kind: str, name: str, values: Sequence[Any]) -> str:
    return f"static const {kind} tp_{name}[] = {{\n{_lines(map(str, values or [0]))}\n}};\n"


def _lines(items: Iterable[str], per_line: int = 16) -> str:
    items = list(items)
    return ",\n".join(",".join(items[k : k + per_line]) for k in range(0, len(items), per_line))


def _bytes(name: str, data: bytes) -> str:
    """Return an array of bytes as string literals, which compilers read many times faster than numbers."""
    rows = [_literal(data[k : k + _ROW]) for k in range(0, len(data), _ROW)] or ['""']
    return f"static const unsigned char tp_{name}[][{_ROW}] = {{\n{_lines(rows, 1)}\n}};\n"


def _literal(data: bytes) -> str:
    return '"' + _NEEDS_ESCAPE.sub(lambda found: f"\\{ord(found[0]):03o}", data.decode("latin-1")) + '"'


def label_bytes(label: Any) -> bytes:
    r"""Return a label as UTF-8 for printing: control characters escaped, numbers and truth values as in JSON.

    Examples
    --------
    >>> from textperceptron.export.c import label_bytes
    >>> label_bytes("good"), label_bytes(True), label_bytes("a\tb")
    (b'good', b'true', b'a\\u0009b')
    """
    text = str(label).lower() if isinstance(label, bool) else str(label)
    text = re.sub("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode("utf-8")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _c_type(dtype: np.dtype[Any]) -> str:
    return "float" if dtype == np.float32 else "double"


_HEADER = """\
/* A text classifier with {n_columns:,} columns and {n_classes} classes, exported by textperceptron {version}.
   Characters are those of Unicode {unicode}.

   cc -std=c99 -O2 THIS_FILE -lm, then ./a.out < texts.txt prints a label and the score of each class per line. */

#include <stddef.h>
#include <stdint.h>

"""

_NAMES = """
/* Names and a hash table of their numbers. */
typedef struct {
    const unsigned char *bytes;
    const uint32_t *starts, *slots;
    uint32_t n_slots;
} tp_names;
"""
