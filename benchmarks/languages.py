"""Language identification: 20, 50, 100 and 205 languages of SIB-200, beside fastText.

    python benchmarks/languages.py              all four
    python benchmarks/languages.py 20 50

The languages of a run are those with the most training texts, ties by label. The first table is of whole test texts,
the second of their first 20 and 50 characters, with the same models.

"default" is ``TextModel.train(texts, labels)``. "characters" is CHARACTERS below, chosen by cross-validation on the
training texts of all languages, whole and cut to 50 and 20 characters; docs/languages.md lists what was tried. fastText
has character 2-4-grams, 16 dimensions, 2^18 buckets, 25 epochs and shuffled lines, and the best of the learning rates
0.5, 1 and 2 on a quarter of the training texts by models of the others; then it is trained on all of them. Nothing is
chosen on the test split.

Seconds and microseconds are CPU time on one thread with that of the kernel, the best of three passes: text → model,
and per test text. The search for a rate is not counted. Bytes are those of the model file. fastText runs under the
Python that PEERS_PYTHON names, and is left out without one; its results are cached in .cache/languages.json.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from data import labelled
from world import cached, fasttext, result, timed

from textperceptron import TextModel
from textperceptron.settings import recipe

LANGUAGES = [20, 50, 100, 205]
LENGTHS = [20, 50]
CHARACTERS = {
    "analyzer": "char_wb", "ngram_range": (1, 4), "binary": True, "n_features": 2**16, "interpolation": 0.2
}  # fmt: skip
FASTTEXT = {"epoch": 25, "minn": 2, "maxn": 4, "dim": 16, "bucket": 2**18}
RATES = [0.5, 1.0, 2.0]
PASSES = 3


def load(n_languages):
    """Return texts and labels to train on, and to test on, of the languages with the most training texts."""
    train, y = labelled("world/sib200_lid.train")
    test, y_test = labelled("world/sib200_lid.test")
    counts = Counter(y.tolist())
    chosen = set(sorted(counts, key=lambda label: (-counts[label], label))[:n_languages])

    def only(texts, labels):
        which = [k for k, label in enumerate(labels.tolist()) if label in chosen]
        return [texts[k] for k in which], labels[which]

    return *only(train, y), *only(test, y_test)


def ours(train, y, test, y_test, settings):
    """Train a model; ``short`` has the figures of test texts cut to each of LENGTHS."""
    seconds, model = timed(lambda: TextModel.train(train, y.tolist(), settings, n_jobs=1), PASSES)
    with tempfile.TemporaryDirectory() as folder:
        size = model.save(Path(folder) / "model")

    def figures(length):
        texts = [text[:length] for text in test]
        (one, _), _ = timed(lambda: [model.predict_one(text) for text in texts], PASSES)
        (batch, _), predicted = timed(lambda: model.predict(texts, n_jobs=1), PASSES)
        return result(y_test, predicted, seconds, one=1e6 * one / len(texts), batch=1e6 * batch / len(texts))

    return {**figures(None), "size": size, "short": [figures(length) for length in LENGTHS]}


def run(n_languages):
    """Return the figures of each model, by its name."""
    data = load(n_languages)
    found = {
        "default": ours(*data, recipe()),
        "characters": ours(*data, recipe().replace(**CHARACTERS)),
        "fastText": cached(
            f"{n_languages} {FASTTEXT} {RATES}",
            lambda: fasttext(
                *data, settings=FASTTEXT, rates=RATES, search_texts=len(data[0]), lengths=LENGTHS, passes=PASSES
            ),
            "languages.json",
        ),
    }
    return {name: figures for name, figures in found.items() if figures is not None}


def accuracies(figures):
    """Return accuracy and macro F1 for a table."""
    return f"{100 * figures['accuracy']:.1f} | {100 * figures['f1']:.1f}"


def times(figures):
    """Return microseconds per text, one at a time and in a batch, for a table."""
    return f"{figures['one']:.0f} | {figures['batch']:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("languages", nargs="*", type=int, help="numbers of languages")
    short = []
    print("| languages | model | accuracy | macro F1 | train, s | one text, µs | in a batch, µs | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    for n_languages in parser.parse_args().languages or LANGUAGES:
        for name, found in run(n_languages).items():
            print(f"| {n_languages} | {name} | {accuracies(found)} | {found['seconds']:.2f}", end=" | ")
            print(f"{times(found)} | {found['size']:,} |", flush=True)
            short.append(
                f"{n_languages} | {name} | " + " | ".join(f"{accuracies(s)} | {times(s)}" for s in found["short"])
            )
    columns = [f"{n} characters | F1 | one text, µs | in a batch, µs" for n in LENGTHS]
    print(f"\n| languages | model | {' | '.join(columns)} |")
    print("|---|---|" + "---|" * 4 * len(LENGTHS))
    print(*(f"| {row} |" for row in short), sep="\n")


if __name__ == "__main__":
    main()
