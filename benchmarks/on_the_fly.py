"""One pass over all pairs of words of IMDB train, formed on the fly, compared with Vowpal Wabbit's ``-q``.

    pip install vowpal-wabbit-next       Vowpal Wabbit 9.9 with its command line
    python benchmarks/conjunctions.py on_the_fly

Words and punctuation marks of the 25,000 reviews, presence; both sides train in the same shuffled order. Every run is a
new process, runs alternate, and the best of several counts.

Our time is that of ``fit`` from a CSR matrix in memory, including validation, the permutation and the table. Vowpal
Wabbit's is that of its command-line driver from start to end, which reads its binary cache (text that is already
hashed) on a second thread. It also squares every word (1 % more features). It gets words, which it hashes all over the
table, or our column numbers, frequent words first, which it uses unchanged, so that neighbours share cache lines. With
``--sgd`` it has one number per weight, like a perceptron; without, it adapts a rate per weight, which takes three.

A perceptron updates on mistakes, hinge loss on every row within the margin, as MIRA does. Ratios are relative to the
Perceptron, in wall-clock time and in processor time, which other load disturbs less.

Memory is the process's peak minus its memory before the run: with the CSR matrix loaded, or, for Vowpal Wabbit, which
reads a file, with its library loaded. (Linux only.)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from data import CACHE, imdb_texts

RUNS = 5
MATRIX, LABELS = CACHE / "pairs.npz", CACHE / "pairs.npy"
SIDES = {
    "Perceptron": ("ours", "Perceptron"),
    "AveragedPerceptron": ("ours", "AveragedPerceptron"),
    "MIRA, not averaged": ("ours", "MIRA", "average"),
    "VW, words": ("theirs", "words"),
    "VW --sgd, words": ("theirs", "words", "--sgd"),
    "VW, numbers": ("theirs", "numbers"),
    "VW --sgd, numbers": ("theirs", "numbers", "--sgd"),
}


class Watch:
    """Measures a block: wall-clock and processor seconds, and peak megabytes."""

    def __enter__(self):
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        self._memory = self._now("VmHWM")
        self._began = time.perf_counter(), time.process_time()
        return self

    def elapsed(self):
        """Wall-clock and processor seconds so far."""
        return time.perf_counter() - self._began[0], time.process_time() - self._began[1]

    def __exit__(self, *_):
        self.memory = self._now("VmHWM") - self._memory

    def _now(self, name):
        return int(re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


def ours(bits, name, *off):
    import textperceptron

    X, y = sp.load_npz(MATRIX), np.load(LABELS)
    how = {"max_iter": 1} | dict.fromkeys(off, False)
    learner = getattr(textperceptron, name)
    learner(pair_bits=4, **how).fit(X[:100], y[:100])  # imports
    with Watch() as watch:
        model = learner(pair_bits=bits, **how).fit(X, y)
        times = watch.elapsed()
        model.decision_function(X[:1])  # computes the finished weights
    n = np.diff(X.indptr).astype(np.int64)
    mistakes = model.history_[0].mistakes / len(y)
    return *times, watch.memory, int((n + n * (n - 1) // 2).sum()), mistakes


def theirs(bits, kind, *how):
    from vowpal_wabbit_next import run_cli_driver

    source = ["--data", str(CACHE / f"pairs.{kind}.vw"), "--cache_file", str(CACHE / f"pairs.{kind}.cache")]
    options = ["-b", str(bits), "-q", "ff", "--loss_function", "hinge", "--binary", *how]
    with Watch() as watch:
        said, _ = run_cli_driver([*source, *options])
        times = watch.elapsed()
    lines = dict(line.split(" = ") for line in said.splitlines() if " = " in line)
    return *times, watch.memory, int(lines["total feature number"]), float(lines["average loss"])


def prepare():
    """Write the matrix, and the same rows in the order of the first epoch as Vowpal Wabbit's text and cache."""
    from vowpal_wabbit_next import run_cli_driver

    from textperceptron import BagOfWords

    CACHE.mkdir(exist_ok=True)
    texts, y = imdb_texts("train")
    bag = BagOfWords(binary=True, token_pattern=r"\w+|[^\w\s]")
    X = bag.fit_transform(texts)
    sp.save_npz(MATRIX, X, compressed=False)
    np.save(LABELS, y)
    columns = np.arange(X.shape[1]).astype(str).astype(object)
    special = {":": "(colon)", "|": "(bar)"}
    words = np.array([special.get(word, word) for word in bag.get_feature_names_out()], object)
    for kind, names in (("words", words), ("numbers", columns)):
        text = CACHE / f"pairs.{kind}.vw"
        with text.open("w", encoding="utf-8") as file:
            for row in np.random.default_rng([0, 0]).permutation(len(y)):
                mine = names[X.indices[X.indptr[row] : X.indptr[row + 1]]]
                print(1 if y[row] == "pos" else -1, "|f", *mine, file=file)
        cache = ["--cache_file", str(text.with_suffix(".cache")), "--kill_cache"]
        run_cli_driver(["--data", str(text), *cache, "-b", "24", "--noconstant"])


def run(side, bits):
    """Run one side in a new process."""
    where, *how = SIDES[side]
    command = [sys.executable, str(Path(__file__)), where, str(bits), *how]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])


def compare():
    prepare()
    for bits in (24, 22):
        best = {}
        for _ in range(RUNS):
            for side in SIDES:
                best[side] = min(best.get(side, [np.inf]), run(side, bits))
        print(f"2**{bits} weights{'':8}{'seconds':>10}{'processor':>17}{'memory':>12}{'features':>13}{'mistakes':>10}")
        for side, (clock, processor, memory, features, wrong) in best.items():
            slower = clock / best["Perceptron"][0], processor / best["Perceptron"][1]
            print(f"{side:20}{clock:7.2f} {slower[0]:5.1f}×{processor:8.2f} {slower[1]:5.1f}×", end="")
            print(f"{memory:9.0f} MB{features:13,}{wrong:10.1%}", flush=True)


if __name__ == "__main__":
    print(json.dumps({"ours": ours, "theirs": theirs}[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:])))
