"""Invalid model files raise ValueError or OSError; no value of a file is trusted unchecked."""

from __future__ import annotations

import json
import os
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.model_files import KINDS, PROBES, model_of, put_together, taken_apart
from textperceptron import TextModel
from textperceptron.model import inspect
from textperceptron.model.file import ModelFileError
from textperceptron.model.file.safetensors_layout import TYPES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def files(folder):
    found = {}
    for kind in KINDS:
        model, trainable = model_of(kind)
        model.save(folder / "whole", trainable=trainable)
        found[kind] = (folder / "whole").read_bytes()
    return found


def put(path, contents):
    """Write a new file: one that a model has mapped must not change under it."""
    path.unlink(missing_ok=True)
    path.write_bytes(contents)


def use(path):
    """Open a file and, if that works, call every method of the model: only ValueError or OSError may be raised."""
    try:
        inspect(path)
        model = TextModel.load(path)
    except (ValueError, OSError):
        return False
    labels = [model.classes[k % 2] for k in range(len(PROBES))]
    for action in (
        lambda: model.predict(PROBES),
        lambda: [model.predict_one(text) for text in PROBES],
        lambda: model.scores(PROBES),
        lambda: model.probabilities(PROBES),
        lambda: model.explain(PROBES[0]),
        lambda: model.top_terms(model.classes[0]),
        lambda: model.pruned(keep=5).predict(PROBES),
        lambda: model.halved().predict(PROBES),
        lambda: model.update(PROBES, labels),
    ):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # sums of infinite weights
                action()
        except ValueError:
            pass
    return True


kinds = st.sampled_from(sorted(KINDS))
fuzz = settings(max_examples=2 * settings.default.max_examples)
fuzz_longer = settings(max_examples=3 * settings.default.max_examples)


@fuzz
@given(kind=kinds, data=st.data())
def test_flipped_bits_are_rejected_or_do_no_harm(files, folder, kind, data):
    file = bytearray(files[kind])
    for _ in range(data.draw(st.integers(1, 8))):
        # Half of them in the header, on which everything else relies.
        end = data.draw(st.sampled_from([8, 2000, len(file)]))
        file[data.draw(st.integers(0, min(end, len(file)) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    put(folder / "flipped", file)
    use(folder / "flipped")


@fuzz
@given(kind=kinds, data=st.data())
def test_a_file_that_was_cut_short_is_rejected(files, folder, kind, data):
    file = files[kind]
    put(folder / "cut", file[: data.draw(st.integers(0, len(file) - 1))])
    with pytest.raises(ValueError, match=r"cut: .*(truncated|not a model file|not valid JSON)"):
        TextModel.load(folder / "cut")


@fuzz
@given(kind=kinds, data=st.data())
def test_swapped_and_inserted_bytes_are_rejected_or_do_no_harm(files, folder, kind, data):
    file = bytearray(files[kind])
    first, second, size = (data.draw(st.integers(0, len(file) - 1)) for _ in range(3))
    size = size % 64 + 1
    if data.draw(st.booleans()):
        file[first : first + size], file[second : second + size] = (
            file[second : second + size],
            file[first : first + size],
        )
    else:
        file[first:first] = data.draw(st.binary(min_size=1, max_size=64))
    put(folder / "swapped", file)
    use(folder / "swapped")


WEIRD = [
    None, True, 0, 1, -1, 3, 2**31, 2**63, 2**64, 10**400, 1.5, 1e308, -0.0, "", "a", "\ud800", "x" * 1000, [], {},
    [[]], [1], ["a"], {"a": 1}, [None], "(?P<", "(a)(b)", r"\w+", "utf-16", "zlib_codec", "one-vs-all", "one-vs-one",
    "voted", "mira", "char", "word", "float64", "int", "str", "bool", "F64", "U8", [0, 8], [8],
]  # fmt: skip


def places(value, path=()):
    """Yield the path to every value inside a JSON value."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:5]) if isinstance(value, list) else ()
    for name, inner in items:
        yield from places(inner, (*path, name))


def replaced(value, path, new):
    """Replace or remove the value at a path."""
    for name in path[:-1]:
        value = value[name]
    if new == "take it out":
        del value[path[-1]]
    else:
        value[path[-1]] = new


@fuzz_longer
@given(kind=kinds, data=st.data())
def test_headers_with_other_values_are_rejected_or_do_no_harm(files, folder, kind, data):
    outer, own, arrays = taken_apart(files[kind])
    del outer["__metadata__"]
    header = data.draw(st.sampled_from([outer, own, own, own]))
    path = data.draw(st.sampled_from(list(places(header))))
    replaced(header, path, data.draw(st.sampled_from([*WEIRD, "take it out"])))
    put(folder / "header", put_together(outer, own, arrays))
    use(folder / "header")


SIZES = {"F16": 2, "F32": 4, "F64": 8, "I8": 1, "I32": 4, "I64": 8, "U8": 1, "U64": 8}


@fuzz_longer
@given(kind=kinds, data=st.data())
def test_arrays_with_other_numbers_are_rejected_or_do_no_harm(files, folder, kind, data):
    outer, own, arrays = taken_apart(files[kind])
    del outer["__metadata__"]
    tensor = outer[data.draw(st.sampled_from(sorted(name for name in outer if outer[name]["shape"] != [0])))]
    (begin, end), size = tensor["data_offsets"], SIZES[tensor["dtype"]]
    changed = bytearray(arrays)
    for _ in range(data.draw(st.integers(1, 4))):
        place = begin + size * data.draw(st.integers(0, (end - begin) // size - 1))
        top = 1 << 8 * size
        number = data.draw(st.sampled_from([0, 1, top - 1, top // 2, top // 2 - 1]) | st.integers(0, top - 1))
        changed[place : place + size] = number.to_bytes(size, "little")
    put(folder / "arrays", put_together(outer, own, bytes(changed)))
    use(folder / "arrays")


@pytest.mark.parametrize("kind", KINDS)
def test_an_intact_file_predicts_and_can_be_reassembled_from_its_parts(files, folder, kind):
    put(folder / "again", put_together(*taken_apart(files[kind])))
    assert use(folder / "again")


def rewritten(change):
    """Return a function that changes our own header."""

    def rewrite(file):
        outer, own, arrays = taken_apart(file)
        return put_together(outer, change(own), arrays)

    return rewrite


def other_tensor(name, **changes):
    def rewrite(file):
        outer, own, arrays = taken_apart(file)
        outer[name] = {**outer[name], **changes}
        return put_together(outer, own, arrays)

    return rewrite


def overlapping(file):
    outer, own, arrays = taken_apart(file)
    begin, end = outer["weights"]["data_offsets"]
    outer["weights"]["data_offsets"] = [0, end - begin]
    return put_together(outer, own, arrays)


BAD = {
    "empty": (lambda file: b"", "not a model file"),
    "text": (lambda file: b"label\ttext\n" * 50, "not a model file"),
    "zeros": (lambda file: bytes(1000), "not a model file"),
    "a pickle": (lambda file: b"\x80\x04\x95" + bytes(500), "not a model file"),
    "other arrays": (
        lambda file: put_together({"__metadata__": {}}, None, b""),
        "file of another program",
    ),
    "no header": (lambda file: put_together("[1, 2]", None, b""), "not a model file"),
    "a list": (lambda file: put_together('{"a": 1, "a": 2}', None, b""), "duplicate key 'a'"),
    "NaN": (rewritten(lambda own: json.dumps(own).replace("0.01", "NaN")), "NaN is not a number in JSON"),
    "huge": (rewritten(lambda own: json.dumps(own).replace("0.01", "1e999")), "is out of range"),
    "deep": (rewritten(lambda own: "[" * 100_000), "is not valid JSON"),
    "deep objects": (rewritten(lambda own: '{"a":' * 100_000), "is not valid JSON"),
    "many digits": (rewritten(lambda own: json.dumps(own).replace("0.01", "1" * 5000)), "is not valid JSON"),
    "newer": (
        rewritten(lambda own: own | {"format": 3, "toolkit": "9.9.9"}),
        r"format 3 \(written by version 9.9.9\); this version reads formats up to 2. Install a newer version",
    ),
    "format 0": (rewritten(lambda own: own | {"format": 0}), "the format number is 0"),
    "format of text": (rewritten(lambda own: own | {"format": "1"}), "has no format number"),
    "a checkpoint": (rewritten(lambda own: own | {"kind": "checkpoint"}), "this is a checkpoint, not a model"),
    "a digest in format 1": (rewritten(lambda own: own | {"format": 1}), "has sha256, which format 1 does not define"),
    "no digest": (
        rewritten(lambda own: {name: own[name] for name in own if name != "sha256"}),
        "sha256 in the header must be 64",
    ),
    "a short digest": (rewritten(lambda own: own | {"sha256": "0" * 63}), "sha256 in the header must be 64"),
    "an empty array of many dimensions": (
        other_tensor("weights", shape=[0, 1 << 62, 1 << 62], data_offsets=[0, 0]),
        "does not fit its data_offsets",
    ),
    "unknown": (rewritten(lambda own: own | {"colour": 1}), "the header has the unknown key 'colour'"),
    "classes twice": (
        rewritten(lambda own: own | {"classes": {"type": "str", "labels": ["a", "a"]}}),
        "two or more, distinct and sorted",
    ),
    "classes of another type": (
        rewritten(lambda own: own | {"classes": {"type": "int", "labels": [True, 2]}}),
        "do not have the type that the header names",
    ),
    "three classes": (
        rewritten(lambda own: own | {"classes": {"type": "str", "labels": ["a", "b", "c"]}}),
        "the summary has 2 classes, expected 3",
    ),
    "columns of another type": (
        rewritten(lambda own: own | {"corpus_columns": {"text": [True], "label": None, "merged": []}}),
        "corpus_columns.text is ",
    ),
    "columns below the first": (
        rewritten(lambda own: own | {"corpus_columns": {"text": ["a"], "label": 0, "merged": []}}),
        "a number in corpus_columns is below 1",
    ),
    "columns that are none": (rewritten(lambda own: own | {"corpus_columns": "text"}), "corpus_columns is 'text'"),
    "overlap": (overlapping, "overlap or have gaps"),
    "beyond the end": (
        other_tensor("weights", data_offsets=[0, 1 << 40], shape=[1 << 38]),
        "does not fit its data_offsets",
    ),
    "negative": (other_tensor("weights", shape=[-1]), "invalid dtype, shape or data_offsets"),
    "overflow": (other_tensor("weights", shape=[1 << 62, 1 << 62]), "does not fit its data_offsets"),
    "unknown type": (other_tensor("weights", dtype="BF16"), "invalid dtype, shape or data_offsets"),
    "bytes behind": (lambda file: file + b"x", "1 bytes follow the last array"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_error_of_a_file_starts_with_its_path(files, folder, name):
    spoil, message = BAD[name]
    put(folder / "bad.tpm", spoil(files["two classes"]))
    for open_ in (TextModel.load, inspect):
        with pytest.raises(ValueError, match=rf"bad\.tpm: .*{message}"):
            open_(folder / "bad.tpm")


# Kind of model, array, change of its values, message.
BAD_ARRAYS = {
    "NaN": (
        "two classes", "weights", lambda w: put_at(w, 7, np.nan),
        "'weights' has nan at index 7.* Copy the original again",
    ),
    "infinite": ("float64", "weights", lambda w: put_at(w, -1, -np.inf), "'weights' has -inf at index"),
    "NaN in a table": ("six classes", "weights", lambda w: put_at(w, 0, np.nan), "'weights' has nan at index 0"),
    "NaN in a half": ("half", "weights", lambda w: put_at(w, 3, np.nan), "'weights' has nan at index 3"),
    "NaN of a pair": ("one-vs-one", "pairs.weights", lambda w: put_at(w, 5, np.nan), "'pairs.weights' has nan"),
    "NaN of a vote": ("votes", "values", lambda w: put_at(w, 5, np.nan), "'values' has nan at index 5"),
    "NaN in a step": ("votes", "steps", lambda w: put_at(w, 0, np.inf), "'steps' has inf at index 0"),
    "NaN in training": ("trainable", "state.memory", lambda w: put_at(w, 1, np.nan), "'state.memory' has nan"),
    "names of no text": ("two classes", "vocabulary.arena", lambda a: put_at(a, 0, 0xFF), "column 0 is not UTF-8"),
    "half a character": ("two classes", "vocabulary.arena", lambda a: put_at(a, -1, 0xC3), "column 387 is not UTF-8"),
    "rows seen": ("one-vs-all", "state.seen_of_class", lambda n: n + (2**63 - 1 - n.max()), "is out of range"),
    "truth values": ("one-vs-all", "state.active", lambda n: n + 1, "a count in 'state.active' is out of range"),
    "negative counts": ("trainable", "state.counts", lambda n: -1 - n, "a count in 'state.counts' is out of range"),
    "columns of ratios": ("one-vs-all", "counts.columns", lambda n: put_at(n, 3, 2**30), "columns' must be from"),
    "columns in disorder": ("one-vs-all", "counts.columns", lambda n: put_at(n, 3, n[0]), "must ascend"),
    "classes of ratios": ("one-vs-all", "counts.starts", lambda n: put_at(n, 1, -1), "'counts.starts' does not divide"),
    "sums of ratios": ("one-vs-all", "counts.sums", lambda n: put_at(n, 2, -1), "a number in 'counts' is out of range"),
    "counts of a pair": ("one-vs-one", "pairs.numbers", lambda n: put_at(n, 4, 2**53), "is out of range"),
    "starts whose differences overflow": (
        "one-vs-one", "pairs.starts", lambda n: put_at(n, slice(1, 4), [2**63 - 1, -(2**63), -1]), "does not divide",
    ),
}  # fmt: skip


def put_at(array, place, value):
    changed = array.copy()
    changed[place] = value
    return changed


def with_array(file, name, change):
    """Return a file with other numbers in an array."""
    outer, own, arrays = taken_apart(file)
    begin, end = outer[name]["data_offsets"]
    dtype = TYPES[outer[name]["dtype"]]
    numbers = change(np.frombuffer(arrays[begin:end], dtype)).astype(dtype)
    return put_together(outer, own, arrays[:begin] + numbers.tobytes() + arrays[end:])


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_impossible_numbers_are_rejected_when_a_file_is_opened(files, folder, name):
    kind, array, change, message = BAD_ARRAYS[name]
    put(folder / "bad.tpm", with_array(files[kind], array, change))
    with pytest.raises(ModelFileError, match=rf"bad\.tpm: .*{message}"):
        TextModel.load(folder / "bad.tpm")


def test_float16_weights_that_their_exponent_makes_infinite_are_rejected(files, folder):
    for kind in ("half", "half one-vs-one"):
        outer, own, arrays = taken_apart(files[kind])
        put(folder / "bad.tpm", put_together(outer, own | {"model": own["model"] | {"half_exponent": 126}}, arrays))
        with pytest.raises(ModelFileError, match=r"bad\.tpm: half_exponent=126 makes a weight infinite"):
            TextModel.load(folder / "bad.tpm")


def test_a_kernel_degree_that_would_take_hours_is_rejected(files, folder):
    outer, own, arrays = taken_apart(files["kernel"])
    for degree in (1001, 2**31 - 1):
        changed = own | {"model": own["model"] | {"degree": degree}}
        put(folder / "bad.tpm", put_together(outer, changed, arrays))
        with pytest.raises(ModelFileError, match=r"bad\.tpm: degree must be an integer from 1 to"):
            TextModel.load(folder / "bad.tpm")


def test_weights_that_are_not_finite_are_not_saved(tmp_path):
    model, _ = model_of("two classes")
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    model.parts.model.weights[3] = np.nan
    with pytest.raises(ValueError, match=r"model: not written, because the array 'weights' has nan at index 3"):
        model.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before
    large, _ = model_of("float64")
    large.parts.model.weights[3] = 1e300
    with pytest.raises(ValueError, match=r"the largest weight is 1e\+300, beyond the range of float32"):
        large.halved()


@pytest.mark.parametrize("field", ["settings", "classes", "toolkit", "kind", "summary", "heaviest"])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_of_any_depth_is_rejected(files, folder, field, brackets):
    outer, own, arrays = taken_apart(files["two classes"])
    own |= {field: "here", "format": 3 if field == "toolkit" else 2}
    opening = "[" if brackets == "[]" else '{"a":'
    for depth in (10, 300, 600, 900, 940, 960, 980, 990, 1000, 3000):
        nested = opening * depth + "1" + brackets[1] * depth
        put(folder / "nested", put_together(outer, json.dumps(own).replace('"here"', nested), arrays))
        for open_ in (TextModel.load, inspect):
            with pytest.raises(ValueError, match="nested: "):
                open_(folder / "nested")


def test_a_file_that_is_not_a_model_is_rejected(folder):
    with pytest.raises(FileNotFoundError):
        TextModel.load(folder / "missing")
    with pytest.raises(IsADirectoryError):
        TextModel.load(folder)
    os.mkfifo(folder / "pipe")  # opening it for reading would wait for a writer
    with pytest.raises(ValueError, match="pipe: not a regular file"):
        TextModel.load(folder / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        TextModel.load("/dev/zero")
