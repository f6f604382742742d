"""A model as an ONNX graph, from the terms of texts to labels and scores.

ONNX has no tokeniser that makes the terms of Python, so the graph begins with terms: its input is an array of strings
of shape (texts, terms), one row per text, padded with empty strings. :func:`onnx_terms` makes it. Everything else is in
the graph, in standard operators: looking up columns, counting, scaling, scores, labels, probabilities. Sums are in the
order of the kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron import __version__
from textperceptron._interrupts import deferred_interrupts
from textperceptron._validation import MissingPackageError as MissingPackageError
from textperceptron.export.portable import PairWeights, Portable, portable
from textperceptron.learn.calibration import Platt
from textperceptron.model import TextModel
from textperceptron.text.analyze import terms_of

if TYPE_CHECKING:
    from types import ModuleType

Array = npt.NDArray[Any]

OPSET, ML_OPSET, IR_VERSION = 18, 3, 8
MAX_BYTES = 2_000_000_000  # of a protocol buffer
_SURROGATES = re.compile("[\ud800-\udfff]")
_INT64 = range(-(1 << 63), 1 << 63)


def onnx_terms(model: TextModel, texts: Iterable[str]) -> npt.NDArray[np.object_]:
    """Return the terms of texts, as the graph of the exported model takes them.

    Parameters
    ----------
    model : TextModel
        The model that was exported: it knows what a term is.
    texts : iterable of str

    Returns
    -------
    array of str, of shape (n_texts, n_terms)
        Rows are padded with empty strings.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.export import onnx_terms
    >>> model = TextModel.train(["good", "bad"], ["pos", "neg"], "mira")
    >>> onnx_terms(model, ["Not bad", "good"])
    array([['not', 'bad', 'not bad'],
           ['good', '', '']], dtype=object)
    """
    settings = model.parts.features.settings
    rows = [[_escaped(term) for term in terms_of(text, settings)] for text in texts]
    array = np.full((len(rows), max(1, *map(len, rows)) if rows else 1), "", object)
    for k, row in enumerate(rows):
        array[k, : len(row)] = row
    return array


def onnx_bytes(model: TextModel) -> bytes:
    """Return a model as an ONNX file.

    Raises
    ------
    ValueError
        If the model cannot be exported, or the file would be too large.
    MissingPackageError
        If the package onnx is not installed.
    """
    source = portable(model)
    if source.vocabulary is None:
        raise ValueError(
            f"n_features={source.n_columns}: ONNX cannot hash terms. Export to javascript or c, or train with a "
            "vocabulary."
        )
    weights = source.weights
    n_weights = source.n_columns * len(source.intercepts)
    n_bytes = n_weights * source.dtype.itemsize + int(source.vocabulary.offsets[-1]) + 8 * source.n_columns
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"the model would take {n_bytes / 1e6:,.0f} MB of ONNX, which has at most {MAX_BYTES / 1e6:,.0f} MB. Prune "
            "the model, or export to javascript or c."
        )
    if isinstance(weights, PairWeights):
        dense = np.zeros((source.n_columns, len(source.intercepts)), source.dtype)
        dense[np.repeat(np.arange(source.n_columns), np.diff(weights.starts)), weights.pairs] = weights.weights
    else:
        dense = np.ascontiguousarray(weights)
    return _Graph(source).serialized(dense)


def _escaped(term: str) -> str:
    """Return a term with lone surrogates as text: ONNX takes valid UTF-8 only, and no term has two line ends."""
    return _SURROGATES.sub(lambda found: f"\n\n{ord(found[0]):x}", term)


def _valid(label: str) -> str:
    return label.encode("utf-8", "backslashreplace").decode()


def _import_onnx() -> ModuleType:
    try:
        with deferred_interrupts():
            return import_module("onnx")  # typed alike with and without the package
    except ImportError:
        raise MissingPackageError(
            'the export to ONNX needs onnx, which is not installed. Run: pip install "textperceptron[export]"'
        ) from None


class _Graph:
    """Builds the nodes one after the other; each method returns the name of its result."""

    def __init__(self, source: Portable) -> None:
        self.source = source
        self.onnx = _import_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []

    def add(self, operator: str, *inputs: str, domain: str = "", to: str | None = None, **attributes: Any) -> str:
        """Add a node with one output."""
        name = to or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def constant(self, value: Any, dtype: npt.DTypeLike = np.int64) -> str:
        """Add an initializer."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def filled(self, shape: str, value: float, dtype: npt.DTypeLike = np.float64) -> str:
        """Return an array of one value."""
        return self.add("ConstantOfShape", shape, value=self.onnx.numpy_helper.from_array(np.array([value], dtype)))

    def describe(self, name: str, kind: str, *shape: str | int) -> Any:
        """Describe an input or output."""
        return self.onnx.helper.make_tensor_value_info(name, getattr(self.onnx.TensorProto, kind), list(shape))

    def output(self, name: str, kind: str, *shape: str | int) -> None:
        """Declare an output."""
        self.outputs.append(self.describe(name, kind, *shape))

    def cast(self, value: str, dtype: npt.DTypeLike) -> str:
        """Convert numbers."""
        name = f"cast_{len(self.nodes)}"
        kind = self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.nodes.append(self.onnx.helper.make_node("Cast", [value], [name], to=kind))
        return name

    def rounded(self, value: str) -> str:
        """Round double values to the type of the model, as kernels do after each step; the result is double again."""
        return self.cast(self.cast(value, self.source.dtype), np.float64)

    def count(self) -> None:
        """Look up the terms and count them: columns, values and text of each entry, and its place in the sums."""
        source, add, constant = self.source, self.add, self.constant
        names = [_escaped(name).encode() for name in source.names]
        columns = add(
            "LabelEncoder", "terms", domain="ai.onnx.ml", keys_strings=names,
            values_int64s=list(range(len(names))), default_int64=-1,
        )  # fmt: skip
        known = add("NonZero", add("GreaterOrEqual", columns, constant(0)))
        row = add("Gather", known, constant(0))
        columns = add("GatherND", columns, add("Transpose", known))
        n_columns = constant(source.n_columns)
        keys = add("Add", add("Mul", row, n_columns), columns)
        # Entries are ordered by text, then by column.
        self.nodes.append(self.onnx.helper.make_node("Unique", [keys], ["entries", "", "", "counts"], sorted=1))
        self.row, self.column = add("Div", "entries", n_columns), add("Mod", "entries", n_columns)
        self.values = self.cast("counts", np.float64)
        if source.text.is_binary:
            self.values = add("Min", self.values, constant(1, np.float64))
        # Kernels add entry k of a text to the sum k modulo 4, and the last ones, up to three, to the first sum.
        self.n_texts = add("Gather", add("Shape", "terms"), constant([0]))
        one = self.filled(add("Shape", "entries"), 1, np.int64)
        none = self.filled(self.n_texts, 0, np.int64)
        lengths = add("ScatterElements", none, self.row, one, axis=0, reduction="add")
        starts = add("CumSum", lengths, constant(0), exclusive=1)
        number = add("Range", constant(0), add("Squeeze", add("Shape", "entries")), constant(1))
        number = add("Sub", number, add("Gather", starts, self.row))
        length, four = add("Gather", lengths, self.row), constant(4)
        whole = add("Sub", length, add("Mod", length, four))
        lane = add("Where", add("Less", number, whole), add("Mod", number, four), constant(0))
        self.slots = add("Add", add("Mul", self.row, four), lane)
        self.n_lanes = add("Mul", self.n_texts, four)

    def scale(self) -> None:
        """Turn counts into values: logarithms, the weight of n-grams of characters, length 1."""
        source, add, constant = self.source, self.add, self.constant
        if source.is_sublinear:
            self.values = self.rounded(add("Add", add("Log", self.values), constant(1, np.float64)))
        if source.n_words < source.n_columns:
            weighted = self.rounded(add("Mul", self.values, constant(source.text.character_weight, np.float64)))
            is_word = add("Less", self.column, constant(source.n_words))
            self.values = add("Where", is_word, self.values, weighted)
        if source.text.norm is not None:
            squares = add("Unsqueeze", add("Mul", self.values, self.values), constant([1]))
            lengths = add("Squeeze", add("Sqrt", self.sum_lanes(squares, 1)), constant([1]))
            self.values = self.rounded(add("Div", self.values, add("Gather", lengths, self.row)))

    def sum_lanes(self, values: str, width: int) -> str:
        """Sum rows of double values per text: four sums, then (a + b) + (c + d)."""
        add, constant = self.add, self.constant
        shape = add("Concat", self.n_lanes, constant([width]), axis=0)
        zeros = self.filled(shape, 0)
        where = add("Expand", add("Unsqueeze", self.slots, constant([1])), add("Shape", values))
        sums = add("ScatterElements", zeros, where, values, axis=0, reduction="add")
        lanes = add("Reshape", sums, add("Concat", self.n_texts, constant([4, width]), axis=0))
        a, b, c, d = (add("Gather", lanes, constant(k), axis=1) for k in range(4))
        return add("Add", add("Add", a, b), add("Add", c, d))

    def score(self, weights: Array) -> None:
        """Compute scores, labels and probabilities."""
        source, add, constant = self.source, self.add, self.constant
        gathered = self.cast(add("Gather", constant(weights, weights.dtype), self.column, axis=0), np.float64)
        products = add("Mul", add("Unsqueeze", self.values, constant([1])), gathered)
        found = add("Add", self.sum_lanes(products, weights.shape[1]), constant(source.intercepts, np.float64))
        n_classes = len(source.classes)
        if n_classes == 2:
            scores = add("Squeeze", found, constant([1]), to="scores")
            self.output("scores", "DOUBLE", "texts")
            code = self.cast(add("Greater", scores, constant(0, np.float64)), np.int64)
        else:
            self.output("scores", "DOUBLE", "texts", n_classes)
            if isinstance(source.weights, PairWeights):
                code = self.vote(found, source.weights)
            else:
                code = add("ArgMax", add("Identity", found, to="scores"), axis=1, keepdims=0)
        self.label(code)
        calibration = source.calibration
        if calibration is None:
            return
        self.output("probabilities", "DOUBLE", "texts", n_classes)
        if isinstance(calibration, Platt):
            margin = add("Mul", "scores", constant(calibration.slope, np.float64))
            margin = add("Unsqueeze", add("Add", margin, constant(calibration.offset, np.float64)), constant([1]))
            upper = add("Sigmoid", margin)
            add("Concat", add("Sub", constant(1, np.float64), upper), upper, axis=1, to="probabilities")
        else:
            scaled = add("Mul", "scores", constant(calibration.sharpness, np.float64))
            add("Softmax", scaled, axis=1, to="probabilities")

    def vote(self, found: str, pairs: PairWeights) -> str:
        """Let class pairs vote: most votes, then the highest sum of scores, then the first class."""
        add, constant = self.add, self.constant
        shape = add("Concat", self.n_texts, constant([len(self.source.classes)]), axis=0)
        zeros = self.filled(shape, 0)
        # Scores are added in the order of the class pairs: to the upper class, then from the lower one.
        places = np.stack([pairs.upper, pairs.lower], 1).ravel()
        signed = add("Mul", add("Unsqueeze", found, constant([2])), constant([1, -1], np.float64))
        signed = add("Reshape", signed, add("Concat", self.n_texts, constant([len(places)]), axis=0))
        where = add("Expand", constant(places[np.newaxis], np.int64), add("Shape", signed))
        confidence = add("ScatterElements", zeros, where, signed, axis=1, reduction="add")
        wins = add("Greater", found, constant(0, np.float64))
        winners = add("Where", wins, constant(pairs.upper, np.int64), constant(pairs.lower, np.int64))
        one = self.filled(add("Shape", winners), 1)
        votes = add("ScatterElements", zeros, winners, one, axis=1, reduction="add")
        fraction = add("Mul", add("Add", add("Abs", confidence), constant(1, np.float64)), constant(3, np.float64))
        add("Add", votes, add("Div", confidence, fraction), to="scores")
        has_most = add("Equal", votes, add("ReduceMax", votes, constant([1]), keepdims=1))
        among = add("Where", has_most, confidence, constant(-np.inf, np.float64))
        return add("ArgMax", among, axis=1, keepdims=0)

    def label(self, code: str) -> None:
        """Look up the labels of class codes."""
        labels = self.source.classes
        values: Array
        if isinstance(labels[0], str):
            values, kind = np.empty(len(labels), object), "STRING"
            values[:] = [_valid(str(label)) for label in labels]
        elif isinstance(labels[0], bool):
            values, kind = np.array(labels, np.bool_), "BOOL"
        else:
            if beyond := [label for label in labels if label not in _INT64]:
                raise ValueError(f"label {beyond[0]}: ONNX has integers of 64 bits. Use a string.")
            values, kind = np.array(labels, np.int64), "INT64"
        self.add("Gather", self.constant(values, values.dtype), code, to="label")
        self.outputs.insert(0, self.describe("label", kind, "texts"))

    def serialized(self, weights: Array) -> bytes:
        """Return the finished model."""
        onnx, source = self.onnx, self.source
        self.count()
        self.scale()
        self.score(weights)
        terms = [self.describe("terms", "STRING", "texts", "terms")]
        graph = onnx.helper.make_graph(self.nodes, "textperceptron", terms, self.outputs, self.constants)
        model = onnx.helper.make_model(
            graph,
            opset_imports=[onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
            ir_version=IR_VERSION, producer_name="textperceptron", producer_version=__version__,
            doc_string=f"{source.n_columns} columns, {len(source.classes)} classes. Input: the terms of texts, one row "
            "per text, padded with empty strings; see onnx_terms in textperceptron.export.",
        )  # fmt: skip
        onnx.checker.check_model(model)
        data: bytes = model.SerializeToString()
        return data
