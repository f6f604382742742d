"""Text → CSR: BagOfWords and HashedBagOfWords compared with scikit-learn's vectorisers, on IMDB train.

python benchmarks/vectorise.py            all four tables
python benchmarks/vectorise.py speed      seconds and ratios, alternating runs, best of several
python benchmarks/vectorise.py memory     peak memory relative to the result
python benchmarks/vectorise.py growth     1 k to 1 M documents
python benchmarks/vectorise.py scripts    MB/s of the default recipe's tokens in several scripts
"""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
from data import imdb_texts, labelled
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords

THEIR_RUNS, OUR_RUNS = 2, 7


def seconds(work):
    gc.collect()
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def best_in_turn(theirs, ours):
    """Return the best times of ``theirs`` and of each of ``ours`` in alternating runs, and the last results."""
    best = [float("inf")] * (1 + len(ours))
    results = [None] * (1 + len(ours))
    for turn in range(OUR_RUNS):
        for side, work in enumerate([theirs, *ours]):
            if side == 0 and turn >= THEIR_RUNS:
                continue
            results[side] = None
            taken, results[side] = seconds(work)
            best[side] = min(best[side], taken)
    return best, results


def same_counts(ours, theirs, our_names, their_names):
    place = {name: column for column, name in enumerate(their_names)}
    columns = np.array([place[name] for name in our_names])
    assert len(our_names) == len(their_names)
    assert ours.nnz == theirs.nnz
    assert (ours.indptr == theirs.indptr).all()
    renumbered = ours.copy()
    renumbered.indices = columns[ours.indices].astype(ours.indices.dtype)
    renumbered.has_sorted_indices = False
    renumbered.sort_indices()
    theirs.sort_indices()
    assert (renumbered.indices == theirs.indices).all()
    assert (renumbered.data == theirs.data).all()


def row(name, times):
    ratios = "".join(f"{taken:9.3f} s {times[0] / taken:5.1f}×" for taken in times[1:])
    print(f"{name:34s}{times[0]:8.2f} s{ratios}", flush=True)


def speed():
    texts, _ = imdb_texts("train")
    print(f"IMDB train, {len(texts):,} documents, {sum(map(len, texts)) / 1e6:.0f} M characters")
    print(f"{'':34s}{'sklearn':>10s}{'1 thread':>17s}{'2 threads':>18s}")
    for ngrams in ((1, 1), (1, 2)):
        their_estimator = CountVectorizer(ngram_range=ngrams, dtype=np.float32)
        bags = [BagOfWords(ngram_range=ngrams, n_jobs=jobs) for jobs in (1, 2)]
        times, results = best_in_turn(
            lambda e=their_estimator: e.fit_transform(texts), [lambda b=b: b.fit_transform(texts) for b in bags]
        )
        for bag, X in zip(bags, results[1:], strict=True):
            same_counts(X, results[0], bag.get_feature_names_out(), their_estimator.get_feature_names_out())
        row(f"fit_transform, {ngrams[0]}-{ngrams[1]}-grams", times)
        times, _ = best_in_turn(
            lambda e=their_estimator: e.transform(texts), [lambda b=b: b.transform(texts) for b in bags]
        )
        row(f"transform, {ngrams[0]}-{ngrams[1]}-grams", times)
    for ngrams in ((1, 1), (1, 2)):
        hashing = HashingVectorizer(ngram_range=ngrams, norm=None, dtype=np.float32)
        bags = [HashedBagOfWords(ngram_range=ngrams, n_jobs=jobs) for jobs in (1, 2)]
        times, results = best_in_turn(
            lambda e=hashing: e.transform(texts), [lambda b=b: b.transform(texts) for b in bags]
        )
        results[0].sort_indices()
        assert all((results[0] != X).nnz == 0 for X in results[1:])
        row(f"hashed, {ngrams[0]}-{ngrams[1]}-grams", times)


def resident():
    """Return the resident memory in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def memory_of(kind, ngrams, jobs):
    """Run in a new process: print the peak memory above the start, and the size of the result."""
    texts, _ = imdb_texts("train")
    vectoriser = {"fit_transform": BagOfWords, "hashed": HashedBagOfWords}[kind]
    vectoriser(ngram_range=(1, ngrams), n_jobs=jobs).fit_transform(texts[:200])
    bag = vectoriser(ngram_range=(1, ngrams), n_jobs=jobs)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = resident()
    X = bag.fit_transform(texts)
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024 - before
    result = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    print(peak, result + (bag.vocabulary_.nbytes if kind == "fit_transform" else 0))


def memory():
    print(f"{'peak memory':34s}{'result':>10s}{'peak':>10s}")
    for kind, ngrams, jobs in product(("fit_transform", "hashed"), (1, 2, 3), (1, 2)):
        command = [sys.executable, __file__, "memory_of", kind, str(ngrams), str(jobs)]
        peak, result = map(int, subprocess.run(command, capture_output=True, check=True).stdout.split())
        name = f"{kind}, 1-{ngrams}-grams, {jobs} thread{'s' * (jobs > 1)}"
        print(f"{name:34s}{result / 1e6:7.0f} MB{peak / 1e6:7.0f} MB{peak / result:7.2f}×", flush=True)


def growth():
    texts, _ = imdb_texts("train")
    print(f"{'documents':>10s}{'non-zeros':>14s}{'seconds':>10s}{'µs per document':>16s}")
    for size in (1_000, 10_000, 100_000, 1_000_000):
        many = (texts * (size // len(texts) + 1))[:size]
        taken, X = min((seconds(lambda m=many: BagOfWords().fit_transform(m)) for _ in range(3)), key=lambda r: r[0])
        print(f"{size:10,d}{X.nnz:14,d}{taken:10.3f}{1e6 * taken / size:16.1f}", flush=True)


def scripts():
    """Print MB/s of text in UTF-8, in CPU time of one thread, with and without the rule of every script."""
    corpora = {"Latin": None, "Han": "zh_waimai", "Thai": "wisesight_th", "Devanagari": "mr_reviews"}
    patterns = {"any-script": "any-script", "words and punctuation": r"(?u)\w+|[^\w\s]"}
    print(f"{'uni+bigrams, presence, MB/s':30s}{'any-script':>22s}{'words and punctuation':>26s}")
    print(f"{'':30s}{'fit':>11s}{'transform':>11s}{'fit':>13s}{'transform':>13s}")
    for script, name in corpora.items():
        texts = imdb_texts("train")[0] if name is None else labelled(f"world/{name}.train")[0]
        size = sum(len(text.encode()) for text in texts) / 1e6
        best = {}
        for _ in range(OUR_RUNS):
            for pattern in patterns:
                bag = BagOfWords(token_pattern=patterns[pattern], ngram_range=(1, 2), binary=True)
                for kind, work in (("fit", bag.fit_transform), ("transform", bag.transform)):
                    began = time.process_time()
                    work(texts)
                    taken = time.process_time() - began
                    best[pattern, kind] = min(taken, best.get((pattern, kind), taken))
        speeds = [size / best[pattern, kind] for pattern in patterns for kind in ("fit", "transform")]
        print(f"{f'{script}, {size:.1f} MB':30s}", *(f"{speed:10.0f}" for speed in speeds), flush=True)


if __name__ == "__main__":
    tables = {"speed": speed, "memory": memory, "growth": growth, "scripts": scripts}
    chosen = sys.argv[1:] or list(tables)
    if chosen[0] == "memory_of":
        memory_of(chosen[1], int(chosen[2]), int(chosen[3]))
    else:
        for table in chosen:
            tables[table]()
            print()
