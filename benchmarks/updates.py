"""Ten daily updates against training at once: accuracy of each recipe, on a held-out part or on the test split.

    python benchmarks/updates.py imdb --part held-out --recipe best fast --epochs 1 5

A corpus is shuffled once with a fixed seed and divided into batches: a model is trained on the first and updated with
the others, and another is trained on all of them. ``--part held-out`` measures on a fifth of the training texts, on
which choices were made; ``--part test`` on the test split.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from data import DATA

from textperceptron import TextModel, read_corpus
from textperceptron.settings import recipe

SEED = 0


def accuracy(model: TextModel, texts: list[str], labels: list[str]) -> float:
    """Return the accuracy in percent."""
    return 100 * float(np.mean(np.array(model.predict(texts)) == np.array(labels)))


def main() -> None:
    """Print a line per recipe and number of epochs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="imdb, 20news, sst_fine or trec")
    parser.add_argument("--part", choices=("held-out", "test"), default="held-out")
    parser.add_argument("--recipe", nargs="+", default=["best", "fast", "mira", "averaged"])
    parser.add_argument("--epochs", nargs="+", type=int, help="of an update; default: those of training")
    parser.add_argument("--batches", type=int, default=10)
    arguments = parser.parse_args()
    train, test_split = (
        read_corpus(next(DATA.glob(f"{arguments.corpus}.{split}.tsv*"))) for split in ("train", "test")
    )
    order = np.random.default_rng(SEED).permutation(len(train.texts))
    texts, labels = [train.texts[k] for k in order], [train.labels[k] for k in order]
    test = test_split.texts, test_split.labels
    if arguments.part == "held-out":
        n = len(texts) // 5
        test, texts, labels = (texts[:n], labels[:n]), texts[n:], labels[n:]
    bounds = np.linspace(0, len(texts), arguments.batches + 1).astype(int)
    batches = [(texts[a:b], labels[a:b]) for a, b in pairwise(bounds)]
    print(f"{arguments.corpus}: {len(texts)} texts in {len(batches)} batches, {len(test[0])} {arguments.part} texts")
    for name in arguments.recipe:
        at_once = accuracy(TextModel.train(texts, labels, name), *test)
        for epochs in arguments.epochs or [recipe(name).learner.max_iter]:
            model = TextModel.train(*batches[0], name)
            first, seconds = accuracy(model, *test), 0.0
            for batch in batches[1:]:
                start = time.process_time()
                model.update(*batch, epochs=epochs)
                seconds += time.process_time() - start
            updated = accuracy(model, *test)
            with tempfile.TemporaryDirectory() as folder:
                size = model.save(Path(folder) / "model", trainable=True), model.save(Path(folder) / "model")
            print(
                f"{name:10} {epochs:2} epochs: first batch {first:.2f}, updated {updated:.2f}, at once {at_once:.2f}, "
                f"difference {updated - at_once:+.2f}; {seconds / len(batches[1:]):.2f} s CPU per update; "
                f"{size[1] / 1e6:.0f} MB, with training state {size[0] / 1e6:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
