"""Exported models, run: in a Node process, as a compiled library, in onnxruntime."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import shutil
import subprocess
import tempfile

import numpy as np
import pytest

from textperceptron.export import export_model, onnx_terms

# Node answers one line of JSON per line: the name of a function and its arguments → its result. The terms of `results`
# are left out.
_SERVE = """
const classifier = require(process.argv[1]);
const results = (text) => ({ ...classifier.classify(text), terms: null, predicted: classifier.predict(text) });
require("readline").createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const [name, ...values] = JSON.parse(line);
  process.stdout.write(JSON.stringify({ ...classifier, results }[name](...values)) + "\\n");
});
"""

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-sign-conversion", "-Wshadow", "-Werror"]


def program(*names):
    """Return the path of the first of some programs; if there is none, the test is skipped, or fails in CI."""
    for name in names:
        if found := shutil.which(name):
            return found
    return unavailable(f"there is no {' or '.join(names)} on this machine")


def unavailable(reason):
    """Skip a test, or fail it in CI."""
    return (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def as_utf16(text):
    """Return a text as JavaScript reads it: two surrogates in a row are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class JavaScriptModel:
    """A Node process that classifies texts."""

    def __init__(self, model, folder):
        node = program("node")
        self.path = folder / "model.js"
        export_model(model, self.path)
        self._is_binary = len(model.classes) == 2
        self._process = subprocess.Popen(
            [node, "-e", _SERVE, str(self.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(60) == 0

    def call(self, name, *values):
        """Return the result of a function of the classifier."""
        self._process.stdin.write(json.dumps([name, *values]).encode("ascii") + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def results(self, texts):
        """Return labels, scores in the shape of Python's, and probabilities or None."""
        found = [self.call("results", text) for text in texts]
        assert [each["predicted"] for each in found] == [each["label"] for each in found]
        scores = np.array([each["scores"] for each in found])
        if self._is_binary:
            np.testing.assert_array_equal(scores[:, 0], -scores[:, 1])
            scores = scores[:, 1]
        probabilities = [each["probabilities"] for each in found]
        return [each["label"] for each in found], scores, None if None in probabilities else np.array(probabilities)


def compile_c(source, target, *options):
    """Compile a C file as strictly as C99 allows; any warning is an error."""
    command = [program("cc", "gcc", "clang"), *STRICT, *options, "-o", str(target), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]


_DOUBLES = ctypes.POINTER(ctypes.c_double)


class CModel:
    """A shared library that classifies texts."""

    def __init__(self, model, folder):
        self.path = folder / "model.c"
        export_model(model, self.path)
        library = tempfile.mkdtemp(dir=folder) + "/model.so"  # a loaded library is found again by its path
        compile_c(self.path, library, "-O1", "-shared", "-fPIC", "-DTP_NO_MAIN")
        self._library, self._classes = ctypes.CDLL(library), model.classes
        self._library.tp_classify.argtypes = [ctypes.c_char_p, ctypes.c_size_t, _DOUBLES]
        source = self.path.read_text("ascii")
        sizes = dict(re.findall(r"#define TP_(N_SCORES|N_CLASSES|CALIBRATION) (\d+)", source))
        self._n_scores, self._n_classes, self._calibrated = (
            int(sizes[name]) for name in ("N_SCORES", "N_CLASSES", "CALIBRATION")
        )
        self.labels = list((ctypes.c_char_p * self._n_classes).in_dll(self._library, "tp_labels"))

    def close(self):
        pass

    def classify(self, text):
        """Return the class code and the scores of a text, str or bytes."""
        scores = np.zeros(self._n_scores)
        text = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return self._library.tp_classify(text, len(text), scores.ctypes.data_as(_DOUBLES)), scores

    def results(self, texts):
        """Return labels, scores in the shape of Python's, and probabilities or None."""
        found = [self.classify(text) for text in texts]
        scores = np.array([scores for _, scores in found])
        labels = [self._classes[code] for code, _ in found]
        probabilities = np.array([self._probabilities(scores) for _, scores in found]) if self._calibrated else None
        return labels, scores[:, 0] if self._n_scores == 1 else scores, probabilities

    def _probabilities(self, scores):
        found = np.zeros(self._n_classes)
        self._library.tp_probabilities(scores.ctypes.data_as(_DOUBLES), found.ctypes.data_as(_DOUBLES))
        return found


class OnnxModel:
    """A session of onnxruntime."""

    def __init__(self, model, folder):
        runtime = import_or_skip("onnxruntime")
        import_or_skip("onnx")
        self.path, self._model = folder / "model.onnx", model
        export_model(model, self.path)
        self.session = runtime.InferenceSession(self.path, providers=["CPUExecutionProvider"])

    def close(self):
        pass

    def results(self, texts):
        """Return labels, scores in the shape of Python's, and probabilities or None."""
        batches = [texts[k : k + 64] for k in range(0, len(texts), 64)]
        found = [self.session.run(None, {"terms": onnx_terms(self._model, batch)}) for batch in batches]
        label, scores, *probabilities = (np.concatenate(part) for part in zip(*found, strict=True))
        return label.tolist(), scores, probabilities[0] if probabilities else None


def import_or_skip(name):
    """Import a package; if it is missing, the test is skipped, or fails in CI."""
    return __import__(name) if os.environ.get("CI") else pytest.importorskip(name)


FORMATS = {"javascript": JavaScriptModel, "c": CModel, "onnx": OnnxModel}


@contextlib.contextmanager
def opened(to, model, folder):
    """Export a model and open the file."""
    running = FORMATS[to](model, folder)
    try:
        yield running
    finally:
        running.close()


def assert_same_results(running, model, texts, *, tolerance=0):
    """Assert that an exported model gives the labels, scores and probabilities of the model, by default to the bit."""
    labels, scores, probabilities = running.results(texts)
    assert labels == model.predict(texts)
    np.testing.assert_allclose(scores, model.scores(texts), rtol=0, atol=tolerance)
    if model.parts.calibration is None:
        assert probabilities is None
    else:
        np.testing.assert_allclose(probabilities, model.probabilities(texts), rtol=0, atol=1e-12)
