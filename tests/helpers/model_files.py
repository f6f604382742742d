"""Model files of every kind for tests, and functions to disassemble and reassemble them."""

from __future__ import annotations

import hashlib
import json
import re
import struct

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.settings import WindowSettings, recipe

XOR = bundled("xor").train
TOPICS = tuple(part[::6] for part in bundled("topics").train)
NUMBERS = [k % 2 for k in range(len(XOR.texts))]

# Texts, labels, changed settings, a function of the trained model, whether the training state is saved.
KINDS = {
    "two classes": (*XOR, {}, None, False),
    "trainable": (*XOR, {}, None, True),
    "variances": (*XOR, {"learner": "arow"}, None, True),
    "probabilities": (*XOR, {"calibrate": True}, None, False),
    "half": (*XOR, {}, TextModel.halved, False),
    "votes": (*XOR, {"learner": "voted"}, None, True),
    "kernel": (*XOR, {"learner": "voted", "kernel": "poly"}, None, False),
    "hashed": (*XOR, {"n_features": 64}, None, False),
    "conjunctions": (*XOR, {"conjunctions": WindowSettings(["not"], 3), "stop_words": ("a", "the")}, None, False),
    "pairs on the fly": (*XOR, {"pair_bits": 6, "ngram_range": (1, 1)}, None, True),
    "characters": (XOR.texts, NUMBERS, {"analyzer": "char_wb", "ngram_range": (2, 3)}, None, False),
    "float64": (XOR.texts, [n == 0 for n in NUMBERS], {"dtype": "float64"}, None, False),
    "six classes": (*TOPICS, {}, None, True),
    "one-vs-all": (*TOPICS, {"multiclass": "one-vs-all", "column_weight": "log_count_ratio"}, None, True),
    "pairs of six classes": (*TOPICS, {"pair_bits": 6, "ngram_range": (1, 1)}, None, True),
    "pairs one-vs-one": (*TOPICS, {"pair_bits": 6, "multiclass": "one-vs-one"}, None, False),
    "one-vs-one": (*TOPICS, {"multiclass": "one-vs-one"}, None, False),
    "half one-vs-one": (*TOPICS, {"multiclass": "one-vs-one"}, TextModel.halved, False),
    "hashed weights": (*TOPICS, {"hash_bits": 8}, None, True),
}

PROBES = [*XOR.texts[:3], *TOPICS[0][:3], "", "not a ÀÉ Σ"]


def model_of(kind):
    """Return a model, and whether its training state is saved."""
    texts, labels, changes, change, trainable = KINDS[kind]
    model = TextModel.train(texts, labels, recipe("mira").replace(**changes))
    return model if change is None else change(model), trainable


def taken_apart(file):
    """Return the format's header, our own, and the bytes of the arrays."""
    n = struct.unpack("<Q", file[:8])[0]
    outer = json.loads(file[8 : 8 + n])
    return outer, json.loads(outer["__metadata__"]["textperceptron"]), file[8 + n :]


def put_together(outer, own, data):
    """Return a file of these parts with the right digest; ``own`` may be text instead of a dict."""
    if isinstance(outer, dict) and own is not None:
        text = own if isinstance(own, str) else json.dumps(own, separators=(",", ":"))
        outer = {**outer, "__metadata__": {"textperceptron": text}}
    header = (outer if isinstance(outer, str) else json.dumps(outer)).encode()
    header += b" " * (-len(header) % 8)
    return sealed(struct.pack("<Q", len(header)) + header + data)


def sealed(file):
    """Return a file with the right digest, if its header has one: SHA-256 with 64 zeros in its place."""
    blank, n = re.subn(rb'(\\"sha256\\":\\")[0-9a-f]{64}', rb"\g<1>" + b"0" * 64, file)
    return blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1) if n == 1 else file
