"""Exported models: size of the files and time per text, compared with Python.

python benchmarks/export.py               trained on IMDB train, whole and pruned to 100,000 columns

Node and a C compiler are needed; ONNX is left out unless onnx and onnxruntime are installed. The times of Node and ONNX
are taken inside one process, that of C is that of the program, less its time on an empty input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data import imdb_texts

from textperceptron import TextModel
from textperceptron.export import export_model, onnx_terms

N_TEXTS = 2000
TURNS = 3
NODE = """
const began = performance.now(), classifier = require(process.argv[1]), opened = performance.now();
const texts = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
const best = (work) => Math.min(...[1, 2, 3].map(() => {
  const start = performance.now();
  texts.forEach((text) => work(text));
  return performance.now() - start;
}));
const each = (milliseconds) => (1000 * milliseconds) / texts.length;
console.log(JSON.stringify([opened - began, each(best(classifier.predict)), each(best(classifier.classify))]));
"""


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def best(work):
    return min(seconds(work) for _ in range(TURNS))


def report(name, path, **figures):
    shown = " · ".join(f"{key.replace('_', ' ')} {value}" for key, value in figures.items())
    print(f"{name:12}{path.stat().st_size / 1e6:8.1f} MB  {shown}")


def micro(taken, n):
    return f"{taken / n * 1e6:.1f} µs"


def measure(model, texts, folder):
    n = len(texts)
    print(f"\n{model.n_columns:,} columns, {n} texts of {sum(map(len, texts)) / n:.0f} characters")
    path = folder / "model.tpm"
    model.save(path)
    one_by_one = best(lambda: [model.predict_one(text) for text in texts])
    report("Python", path, predict_one=micro(one_by_one, n))

    path = folder / "model.js"
    wrote = seconds(lambda: export_model(model, path))
    (folder / "texts.json").write_text(json.dumps(texts), "utf-8")
    command = ["node", "-e", NODE, path, folder / "texts.json"]
    opened, label, terms = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    report(
        "JavaScript", path, written_in=f"{wrote:.1f} s", opened_in=f"{opened:.0f} ms", predict=f"{label:.1f} µs",
        classify=f"{terms:.1f} µs",
    )  # fmt: skip

    path, program = folder / "model.c", folder / "model"
    wrote = seconds(lambda: export_model(model, path))
    compiler = os.environ.get("CC", "cc")
    compiled = seconds(
        lambda: subprocess.run([compiler, "-std=c99", "-O2", path, "-lm", "-o", program], check=True)
    )  # fmt: skip
    lines = "".join(" ".join(text.split()) + "\n" for text in texts).encode()

    def run(data):
        return lambda: subprocess.run([program], input=data, stdout=subprocess.DEVNULL, check=True)

    taken = best(run(lines)) - best(run(b""))
    report("C", path, written_in=f"{wrote:.1f} s", compiled_in=f"{compiled:.1f} s", program=micro(taken, n))
    print(f"{'':12}{program.stat().st_size / 1e6:8.1f} MB  compiled")

    try:
        import onnxruntime
    except ImportError:
        print("onnxruntime is not installed: pip install 'textperceptron[export]' onnxruntime")
        return
    path = folder / "model.onnx"
    wrote = seconds(lambda: export_model(model, path))
    began = time.perf_counter()
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    opened = time.perf_counter() - began
    batches = [onnx_terms(model, texts[k : k + 50]) for k in range(0, n, 50)]
    taken = best(lambda: [session.run(None, {"terms": batch}) for batch in batches])
    report(
        "ONNX", path, written_in=f"{wrote:.1f} s", opened_in=f"{1000 * opened:.0f} ms", terms_to_label=micro(taken, n)
    )


def main():
    texts, labels = imdb_texts("train")
    test_texts, _ = imdb_texts("test")
    sample = test_texts[:: len(test_texts) // N_TEXTS][:N_TEXTS]
    model = TextModel.train(texts, labels, *sys.argv[1:2], n_jobs=2)
    for each in (model, model.pruned(keep=100_000)):
        with tempfile.TemporaryDirectory() as name:
            measure(each, sample, Path(name))


if __name__ == "__main__":
    main()
