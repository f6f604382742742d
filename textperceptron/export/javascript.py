"""A model as one JavaScript file, for browsers and Node: the data of the model and classifier.js."""

from __future__ import annotations

import base64
import json
import re
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import __version__
from textperceptron.export.characters import accent_table, character_table
from textperceptron.export.portable import PairWeights, Portable, portable
from textperceptron.learn.calibration import Platt
from textperceptron.model import TextModel
from textperceptron.model.classes import Label

MAX_BYTES = 500_000_000  # engines have strings of at most 2**29 characters, and a source is a string
_MAX_INTEGER = 1 << 53  # numbers of JavaScript are exact up to it
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def classifier_source() -> str:
    """Return the source of ``textClassifier``, for a page that has the data of models.

    Examples
    --------
    >>> from textperceptron.export import classifier_source
    >>> "function textClassifier(model) {" in classifier_source()
    True
    """
    return files("textperceptron.export").joinpath("classifier.js").read_text("utf-8")


def model_data(model: TextModel) -> dict[str, Any]:
    """Return the argument of ``textClassifier`` as JSON: settings, names, weights in base64, tables of characters.

    Raises
    ------
    ValueError
        If the model cannot be exported.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.export import model_data
    >>> data = model_data(TextModel.train(["good", "bad"], ["pos", "neg"], "mira"))
    >>> data["classes"], data["names"], data["text"]["ngram_range"]
    (['neg', 'pos'], ['good', 'bad'], [1, 2])
    """
    return _data(portable(model))


def to_json(value: Any) -> str:
    r"""Return JSON that is JavaScript too, within a page as well: no ``<``, no line separators.

    Examples
    --------
    >>> from textperceptron.export.javascript import to_json
    >>> print(to_json(["</script>", "\u2028", "\ud800", 'a"b']))
    ["\u003c/script>","\u2028","\ud800","a\"b"]
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<\x7f\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def javascript_source(model: TextModel) -> str:
    """Return a model as JavaScript.

    Raises
    ------
    ValueError
        If the model cannot be exported, or the file would be too large for JavaScript.
    """
    source = _render(portable(model))
    if len(source) > MAX_BYTES:
        raise ValueError(
            f"the model would take {len(source) / 1e6:,.0f} MB of JavaScript, and engines read at most "
            f"{MAX_BYTES / 1e6:,.0f} MB. Prune the model, or train with fewer columns."
        )
    return source


def _data(source: Portable) -> dict[str, Any]:
    text, table = source.text, character_table(source.text.strip_accents)
    single, marks = text.compiled_pattern or (True, 0)
    weights, pairs = source.weights, None
    if isinstance(weights, PairWeights):
        pairs = {
            "starts": _base64(weights.starts.astype(np.int32)),
            "numbers": _base64(weights.pairs),
            "lower": weights.lower.tolist(),
            "upper": weights.upper.tolist(),
        }
        weights = weights.weights
    calibration = source.calibration
    return {
        "classes": [_label(label) for label in source.classes],
        "text": {
            "lowercase": text.lowercase,
            "strip_accents": text.strip_accents,
            "analyzer": text.analyzer,
            "single": single,
            "marks": marks,
            "ngram_range": list(text.ngram_range),
            "unspaced_n": text.unspaced_n,
            "prefixes": text.n_prefixes,
            "characters": text.n_characters,
            "character_weight": text.character_weight,
            "negation": text.negation,
            "negators": source.negators,
            "stop_words": sorted(text.stop_list),
            "pivots": source.pivots,
            "max_distance": source.max_distance,
            "binary": text.is_binary,
            "sublinear_tf": source.is_sublinear,
            "unit_rows": text.norm is not None,
        },
        "n_columns": source.n_columns,
        "n_words": source.n_words,
        "signed": source.is_signed,
        "names": None if source.vocabulary is None else [_name(name) for name in source.names],
        "dtype": str(source.dtype),
        "weights": _base64(weights),
        "intercepts": _base64(source.intercepts),
        "pairs": pairs,
        "calibration": None
        if calibration is None
        else {"slope": calibration.slope, "offset": calibration.offset}
        if isinstance(calibration, Platt)
        else {"sharpness": calibration.sharpness},
        "unicode": {
            "version": table.version,
            "runs": [number for run in table.runs for number in run],
            "lower": [number for each in table.lowering for number in (each.first, each.last, each.step, each.delta)],
            "accents": list(accent_table(text.strip_accents).items()) if text.strip_accents else [],
        },
    }


def _base64(array: npt.NDArray[Any]) -> str:
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def _label(label: Label) -> Label:
    return str(label) if type(label) is int and abs(label) > _MAX_INTEGER else label


def _name(name: str) -> str | int:
    """Return a name; a number, which no text contains, for two surrogates in a row: they would be one character."""
    return 0 if _SURROGATE_PAIR.search(name) else name


def _render(source: Portable) -> str:
    program = files("textperceptron.export").joinpath("program.js").read_text("utf-8")
    header = _HEADER.format(
        n_columns=source.n_columns, n_classes=len(source.classes), version=__version__,
        unicode=character_table(source.text.strip_accents).version,
    )  # fmt: skip
    return f"{header}{classifier_source()}\n{{\nconst model = {to_json(_data(source))};\n{program}}}\n"


_HEADER = """\
/* A text classifier with {n_columns:,} columns and {n_classes} classes, exported by textperceptron {version}.
   Characters are those of Unicode {unicode}. The file is UTF-8 and needs no other file.

   In a page: load it with a script element and charset="utf-8", then call textperceptron.classify("…").
   In Node:   const {{ classify }} = require("./….js"), or as a program, node ….js < texts.txt: per line, the label and
              the score of each class. */
"""
