"""Classifying one review at a time, and opening a model, compared with a scikit-learn pipeline and fastText.

python benchmarks/one_review.py           all trained on IMDB train, uni- and bigrams

fastText is left out, with a message, unless it is installed (``pip install fasttext-wheel``).
"""

from __future__ import annotations

import tempfile
import time
import timeit
from pathlib import Path

from data import imdb_texts, labelled
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Perceptron
from sklearn.pipeline import make_pipeline

from textperceptron import TextModel
from textperceptron.settings import recipe

REVIEW = "The plot was thin but the acting was superb and I would happily watch it"  # 15 words
TURNS = 7


def microseconds(classify, number):
    return timeit.timeit(lambda: classify(REVIEW), number=number) / number * 1e6


def milliseconds(work):
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def fasttext_model(texts, labels, folder):
    """Return a fastText model with its recommended settings for text, or None if it is not installed."""
    try:
        import fasttext
    except ImportError:
        return None
    corpus = folder / "fasttext.txt"
    lines = (f"__label__{label} {' '.join(text.lower().split())}\n" for label, text in zip(labels, texts, strict=True))
    corpus.write_text("".join(lines), encoding="utf-8")
    return fasttext.train_supervised(str(corpus), wordNgrams=2, epoch=5, thread=2, verbose=0)


def main():
    texts, labels = imdb_texts("train")
    assert len(REVIEW.split()) == 15
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = TextModel.train(texts, labels, "mira", n_jobs=2)
        size = model.save(folder / "imdb.tpm")
        small = model.pruned(keep=100_000).halved()
        small_size = small.save(folder / "small.tpm")
        best_recipe = TextModel.train(texts, labels, n_jobs=2)
        calibrated = TextModel.train(texts, labels, recipe("mira").replace(calibrate=True), n_jobs=2)
        topics = TextModel.train(*labelled("20news.train"), "mira", n_jobs=2)
        ways = {
            "TextModel.predict_one": (TextModel.load(folder / "imdb.tpm").predict_one, 20_000),
            "… of the recipe best": (best_recipe.predict_one, 20_000),
            "… of 100,000 columns, half the size": (TextModel.load(folder / "small.tpm").predict_one, 20_000),
            "TextModel.score_one, label and score": (model.score_one, 20_000),
            "… score_one of the recipe best": (best_recipe.score_one, 20_000),
            "… score_one with a probability": (calibrated.score_one, 20_000),
            "TextModel.scores([text])": (lambda text: model.scores([text]), 500),
            "TextModel.predict([text])": (lambda text: model.predict([text]), 500),
            "20 topics: TextModel.predict_one": (topics.predict_one, 20_000),
            "… TextModel.score_one": (topics.score_one, 20_000),
            "… TextModel.top_labels(text, 3)": (lambda text: topics.top_labels(text, 3), 20_000),
            "… TextModel.scores([text])": (lambda text: topics.scores([text]), 500),
        }
        pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2), binary=True), Perceptron(max_iter=10, tol=None))
        pipeline.fit(texts, labels)
        ways["scikit-learn pipeline"] = (lambda text: pipeline.predict([text]), 200)
        peer = fasttext_model(texts, labels, folder)
        if peer is None:
            print("fastText is not installed: pip install fasttext-wheel")
        else:
            # Its compiled function: the wrapper around it does not work with numpy 2.
            ways["fastText, compiled predict"] = (lambda text: peer.f.predict(text + "\n", 1, 0.0, "strict"), 20_000)
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(TURNS):
            for side, (classify, number) in ways.items():
                best[side] = min(best[side], microseconds(classify, number))
        for side, taken in best.items():
            print(f"{side:40}{taken:10.2f} µs{taken / best['TextModel.predict_one']:9.1f}")
        opening = min(milliseconds(lambda: TextModel.load(folder / "imdb.tpm")) for _ in range(TURNS))
        print(f"opening {size / 1e6:.1f} MB, {model.n_columns:,} columns: {opening:.1f} ms")
        opening = min(milliseconds(lambda: TextModel.load(folder / "small.tpm")) for _ in range(TURNS))
        print(f"opening {small_size / 1e6:.1f} MB, {small.n_columns:,} columns: {opening:.1f} ms")
        test_texts, test_labels = imdb_texts("test")
        lost = model.compare(small, test_texts, test_labels)
        print(f"accuracy on IMDB test {100 * lost.accuracy_before:.2f} %, small {100 * lost.accuracy_after:.2f} %")


if __name__ == "__main__":
    main()
