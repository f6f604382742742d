"""Whole commands, start-up included: from IMDB's training texts to a model file, uni+bigrams.

python benchmarks/commands.py            seconds, alternating, best of several rounds (short commands run three times
                                         per round), and accuracy on the test split (not timed)
python benchmarks/commands.py --runs 1   once
python benchmarks/commands.py --start    start-up times

Peers that are not installed are left out. To install them, perhaps into a separate environment, whose Python the
variable PEERS_PYTHON names:

    pip install vowpalwabbit fasttext-wheel scikit-learn

Ours and scikit-learn's read label<TAB>text. Vowpal Wabbit and fastText get the same texts already split into lower-case
words. fastText's learning rate was chosen in its favour, on the test split: its default of 0.1 gave 85.75 %, while 0.5
and 1.0 gave 89.6 %. Vowpal Wabbit's setting was the only one tried. A `vw` on the path is preferred to the Python
package, which takes longer to start; its start-up time is printed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from data import CACHE, imdb_texts

from textperceptron.settings import TextSettings
from textperceptron.text.analyze import terms_of

PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)
OURS = [shutil.which("textperceptron") or "textperceptron"]
VW = [shutil.which("vw")] if shutil.which("vw") else [PYTHON, "-m", "vowpalwabbit"]
FOLDER = CACHE / "commands"
SHORT = 3  # seconds; shorter commands run three times per round, because other load disturbs them more

SKLEARN = """
import pickle, warnings
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import PassiveAggressiveClassifier
from sklearn.pipeline import make_pipeline
warnings.simplefilter("ignore")  # it is deprecated
lines = open("train.tsv", encoding="utf-8", newline="\\n")
labels, texts = zip(*(line.rstrip("\\n").split("\\t", 1) for line in lines))
learner = PassiveAggressiveClassifier(C=0.01, max_iter=10, tol=None, average=True, random_state=0)
model = make_pipeline(CountVectorizer(ngram_range=(1, 2), binary=True), learner).fit(texts, labels)
pickle.dump(model, open("sklearn.model", "wb"))
"""
SKLEARN_SCORE = """
import pickle
lines = open("test.tsv", encoding="utf-8", newline="\\n")
labels, texts = zip(*(line.rstrip("\\n").split("\\t", 1) for line in lines))
print(pickle.load(open("sklearn.model", "rb")).score(texts, labels))
"""
FASTTEXT = """
import fasttext, os
model = fasttext.train_supervised("train.ft", wordNgrams=2, epoch=5, lr=0.5, dim={}, thread=os.cpu_count(), verbose=0)
model.save_model("fasttext{}.model")
"""
FASTTEXT_SCORE = "import fasttext; print(fasttext.load_model('fasttext{}.model').test('test.ft')[1])"


def write_inputs():
    """Write IMDB in the format of each command, once."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    settings = TextSettings()
    for part in ("train", "test"):
        if all((FOLDER / f"{part}.{kind}").exists() for kind in ("tsv", "vw", "ft")):
            continue
        texts, labels = imdb_texts(part)
        words = [" ".join(terms_of(text, settings)) for text in texts]
        _write(f"{part}.tsv", (f"{label}\t{text}" for label, text in zip(labels, texts, strict=True)))
        _write(f"{part}.ft", (f"__label__{label} {text}" for label, text in zip(labels, words, strict=True)))
        signs = {"neg": -1, "pos": 1}
        _write(f"{part}.vw", (f"{signs[label]} |w {text}" for label, text in zip(labels, words, strict=True)))


def _write(name, lines):
    (FOLDER / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


def ours(name, *options):
    command = [*OURS, "train", "train.tsv", "--model", f"{name}.tpm", *options]
    return command, lambda: _our_accuracy(f"{name}.tpm")


def _our_accuracy(model):
    import json

    return json.loads(_run([*OURS, "evaluate", model, "test.tsv", "--json"]))["accuracy"]["value"]


def vowpal_wabbit():
    learn = "-d train.vw --ngram w2 -b 22 --loss_function hinge --passes 10 -k --holdout_off --quiet"
    command = [*VW, *learn.split(), "--cache_file", "vw.cache", "-f", "vw.model"]

    def accuracy():
        _run([*VW, "-t", "-d", "test.vw", "-i", "vw.model", "--quiet", "-p", "vw.predictions"])
        pairs = zip(_lines("test.vw"), _lines("vw.predictions"), strict=True)
        right = [line.startswith("1") == (float(score.split()[0]) > 0) for line, score in pairs]
        return sum(right) / len(right)

    return command, accuracy


def _lines(name):
    return (FOLDER / name).read_text("utf-8").rstrip("\n").split("\n")


def fasttext(dimensions):
    return script(FASTTEXT.format(dimensions, dimensions), FASTTEXT_SCORE.format(dimensions))


def script(code, score):
    return [PYTHON, "-c", code], lambda: float(_run([PYTHON, "-c", score]).split()[-1])


def _run(command):
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return done.stdout


def seconds(command):
    began = time.perf_counter()
    _run(command)
    return time.perf_counter() - began


def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def commands():
    """Return the commands that can run, by name; print which cannot."""
    mira = ("--recipe", "mira")
    found = {
        "textperceptron, averaged MIRA, 10 epochs": ours("mira", *mira),
        "the same, one thread": ours("jobs", *mira, "--threads", "1"),
        "the same with log-count ratios": ours("ratio", *mira, "--column-weight", "log_count_ratio"),
        "textperceptron, recipe best, tests 25,000 texts": ours("best", "--test", "test.tsv"),
        "the same, tests a fifth with a second model": ours("second"),
    }
    peers = (
        ("Vowpal Wabbit, hinge, 10 passes, tokenised", "vowpalwabbit", vowpal_wabbit()),
        ("fastText, 5 epochs, tokenised", "fasttext", fasttext(100)),  # its default number of dimensions
        ("the same, 10 dimensions", "fasttext", fasttext(10)),
        ("scikit-learn, averaged PA-I, 10 epochs", "sklearn", script(SKLEARN, SKLEARN_SCORE)),
    )
    for name, module, command in peers:
        if has(module) or (module == "vowpalwabbit" and VW[0] != PYTHON):
            found[name] = command
        else:
            print(f"{name}: left out, {module} is not installed (see the head of this file)")
    return found


def print_commands(runs):
    write_inputs()
    found = commands()
    best = dict.fromkeys(found, float("inf"))
    for _ in range(runs):
        for again in range(3):
            for name, (command, _) in found.items():
                if not again or best[name] < SHORT:
                    best[name] = min(best[name], seconds(command))
    fastest = min(list(best.values())[:2])
    print(f"{'text → model file':48}{'seconds':>8}{'times ours':>12}{'test accuracy':>16}")
    for name, (_, accuracy) in found.items():
        print(f"{name:48}{best[name]:8.2f}{best[name] / fastest:12.1f}{100 * accuracy():14.2f} %")


def print_starts(runs):
    _run([*OURS, "train", "reviews", "--model", "start.tpm"])
    starts = {
        "import numpy, scipy.sparse": [sys.executable, "-c", "import numpy, scipy.sparse"],
        "textperceptron predict": [*OURS, "predict", "start.tpm"],
        "textperceptron train reviews": [*OURS, "train", "reviews"],
        "textperceptron --version": [*OURS, "--version"],
    }
    if has("vowpalwabbit") or VW[0] != PYTHON:
        starts["Vowpal Wabbit --version"] = [*VW, "--version"]
    for name, module in (("import fasttext", "fasttext"), ("import sklearn.linear_model", "sklearn")):
        if has(module):
            starts[name] = [PYTHON, "-c", name]
    best = dict.fromkeys(starts, float("inf"))
    for _ in range(runs):
        for name, command in starts.items():
            best[name] = min(best[name], seconds(command))
    for name, value in best.items():
        print(f"{name:34}{1000 * value:7.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="number of rounds (default: 5, or 10 with --start)")
    parser.add_argument("--start", action="store_true", help="measure start-up times")
    options = parser.parse_args()
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    if options.start:
        print_starts(options.runs or 10)
    else:
        print_commands(options.runs or 5)


if __name__ == "__main__":
    main()
