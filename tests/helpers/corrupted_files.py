"""Model files corrupted with knowledge of the format, any number of them from a seed."""

from __future__ import annotations

import contextlib
import copy
import json

import numpy as np

from helpers.model_files import put_together, taken_apart

SIZES = {"F16": 2, "F32": 4, "F64": 8, "I8": 1, "I32": 4, "I64": 8, "U8": 1, "U64": 8}

# Replacements of a number, a text or a list in a header.
EXTREMES = [
    0, 1, -1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 34, 63, 64, 65, 2**15, 2**24, 2**30, 2**30 + 1, 2**31 - 1, 2**31, 2**32,
    2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**18, 10**400, -(2**31), -(2**63), 0.0, -0.0, 0.5, 1.5, -1e308, 1e308,
    5e-324, 1e38, 1e39, None, True, False, "", "a", "\ud800", "\u0000", "x" * 5000, "(?P<", "(", r"\w+", r"[a-z]+",
    r"(\w+)", "word", "char", "char_wb", "float64", "float32", "utf-16", "idna", "voted", "arow", "mira", "batch",
    "one-vs-one", "one-vs-all", "native", "auto", "log_count_ratio", "balanced", "poly", "binary", "classes", "pairs",
    "votes", "int", "str", "bool", "platt", "temperature", [], {}, [[]], [None], [0], [1, 2], [2**63, 2**63],
    ["a", "b"], [["a", 1.0]], {"a": 1}, {"kind": "votes"},
]  # fmt: skip
SHAPES = [0, 1, 2, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, -1, 2**64, 1.0, None]
NUMBERS = [0, 1, -1, 2, 2**31 - 1, -(2**31), 2**32, 2**53, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e300, 3e38, -3e38, 65504.0, 1e-300, 1e-45, 1.0]


def spoilt(file, random):
    """Return a file that was changed in one to three ways."""
    outer, own, arrays = taken_apart(file)
    del outer["__metadata__"]
    outer, own, arrays = copy.deepcopy(outer), copy.deepcopy(own), bytearray(arrays)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        spoil = WAYS[random.integers(len(WAYS))]
        # Earlier changes may have left nothing to change.
        with contextlib.suppress(AttributeError, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
            outer, own, arrays = spoil(outer, own, arrays, random)
    whole = bytearray(put_together(outer, own if isinstance(own, str) else json.dumps(own), bytes(arrays)))
    if random.random() < 0.15:
        for _ in range(random.integers(1, 5)):
            whole[random.integers(len(whole))] ^= 1 << int(random.integers(8))
    if random.random() < 0.03:
        del whole[random.integers(len(whole)) :]
    return bytes(whole)


def other_value(outer, own, arrays, random):
    """Put an extreme value somewhere into our header."""
    path = pick(list(places(own)), random)
    replace(own, path, pick(EXTREMES, random))
    return outer, own, arrays


def other_numbers_together(outer, own, arrays, random):
    """Change numbers that are compared with each other."""
    n = pick([0, 1, 2, 63, 64, 65, 128, 2**20, 2**24], random)
    own["n_columns"] = n
    if random.random() < 0.7:
        own["settings"]["text"]["n_features"] = n
    return outer, own, arrays


def missing_value(outer, own, arrays, random):
    """Remove a value from our header, or add one."""
    path = pick(list(places(own)), random)
    inner = own
    for name in path[:-1]:
        inner = inner[name]
    if random.random() < 0.5:
        del inner[path[-1]]
    elif isinstance(inner, dict):
        inner["unheard of"] = 1
    else:
        inner.append(pick(EXTREMES, random))
    return outer, own, arrays


def nested(outer, own, arrays, random):
    """Nest JSON somewhere, deep or very deep."""
    path, depth = pick(list(places(own)), random), int(pick([10, 300, 900, 990, 1000, 5000, 100_000], random))
    replace(own, path, "<here>")
    opening, closing = [("[", "]"), ('{"a":', "}")][random.integers(2)]
    return outer, json.dumps(own).replace('"<here>"', opening * depth + "1" + closing * depth), arrays


def other_shape(outer, own, arrays, random):
    """Change type, shape or offset of an array."""
    name = pick(sorted(outer), random)
    tensor = outer[name]
    way = random.integers(6)
    if way == 0:
        tensor["shape"] = [*tensor["shape"], pick(SHAPES, random)]
    elif way == 1:
        tensor["shape"] = [pick(SHAPES, random) for _ in range(random.integers(0, 6))]
        tensor["data_offsets"] = [0, 0] if random.random() < 0.5 else tensor["data_offsets"]
    elif way == 2:
        tensor["dtype"] = pick([*SIZES, "BF16", "BOOL", "", None, 7], random)
    elif way == 3:
        begin, end = tensor["data_offsets"]
        other = [[end, begin], [-1, end], [begin, 2**63], [begin, end - 1], [begin], None]
        tensor["data_offsets"] = pick(other, random)
    elif way == 4:
        of_the_same_size = [kind for kind in SIZES if SIZES[kind] == SIZES[tensor["dtype"]]]
        tensor["dtype"] = pick(of_the_same_size, random)
    else:
        n = int(np.prod(tensor["shape"]))
        tensor["shape"] = pick([[1, n], [n, 1], [1, 1, n], [1] * 40 + [n]], random)
    return outer, own, arrays


def other_names(outer, own, arrays, random):
    """Exchange two arrays, drop one from the list, or give one another name."""
    first, second = pick(sorted(outer), random), pick(sorted(outer), random)
    way = random.integers(3)
    if way == 0:
        outer[first], outer[second] = outer[second], outer[first]
    elif way == 1:
        del outer[first]
    else:
        outer[pick(["weights", "state.weights", "vocabulary.slots", "state.metric", "x"], random)] = outer.pop(first)
    return outer, own, arrays


def shorter_array(outer, own, arrays, random):
    """Remove the last values of an array, in the file too."""
    name = pick(sorted(outer), random)
    n = min(int(random.integers(1, 4)), outer[name]["shape"][0])
    begin, end = outer[name]["data_offsets"]
    width = (end - begin) // outer[name]["shape"][0]
    del arrays[end - n * width : end]
    outer[name]["shape"][0] -= n
    for tensor in outer.values():
        tensor["data_offsets"] = [at - n * width if at >= end else at for at in tensor["data_offsets"]]
    outer[name]["data_offsets"] = [begin, end - n * width]
    return outer, own, arrays


def other_contents(outer, own, arrays, random):
    """Replace a few values of an array, or all of them."""
    tensor = outer[pick(sorted(outer), random)]
    (begin, end), kind = tensor["data_offsets"], tensor["dtype"]
    dtype = np.dtype({"F": "<f", "I": "<i", "U": "<u"}[kind[0]] + str(SIZES[kind]))
    values = np.frombuffer(bytes(arrays[begin:end]), dtype).copy()
    which = np.arange(len(values)) if random.random() < 0.2 else random.integers(0, len(values), random.integers(1, 5))
    way = random.integers(4)
    with np.errstate(all="ignore"):
        if way == 0:
            values[which] = np.frombuffer(random.bytes(len(which) * dtype.itemsize), dtype)
        elif way == 1 and kind[0] == "F":
            values[which] = np.array(pick(FLOATS, random)).astype(dtype)
        elif way == 1:
            values[which] = np.array(pick(NUMBERS, random)).astype(dtype)
        elif way == 2 and kind[0] != "F":
            values[which] += np.array(pick([1, -1], random)).astype(dtype)
        else:
            values[which] = np.roll(values, 1)[which]
    arrays[begin:end] = values.tobytes()
    return outer, own, arrays


WAYS = [
    other_value, other_value, other_value, other_numbers_together, missing_value, nested, other_shape, other_names,
    shorter_array, other_contents, other_contents, other_contents,
]  # fmt: skip


def pick(values, random):
    return values[random.integers(len(values))]


def places(value, path=()):
    """Yield the path to every value inside a JSON value; of long lists to some."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:4]) if isinstance(value, list) else ()
    for name, inner in items:
        yield from places(inner, (*path, name))


def replace(value, path, new):
    for name in path[:-1]:
        value = value[name]
    value[path[-1]] = new
