"""Reading a corpus compared with decompressing it: IMDB train, gzipped TSV.

python benchmarks/reading.py            milliseconds, alternating runs, best of several
"""

from __future__ import annotations

import gc
import gzip
import time

from data import DATA

from textperceptron.corpus import read_corpus

PATH = DATA / "imdb.train.tsv.gz"
RUNS = 15


def decompress():
    with gzip.open(PATH) as file:
        while file.read(1 << 20):
            pass


def decompress_decode_split():
    with gzip.open(PATH) as file:
        return file.read().decode("utf-8").split("\n")


def lines_in_python():
    with gzip.open(PATH, "rt", encoding="utf-8", newline="\n") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [text for _, text in pairs], [label for label, _ in pairs]


def ours():
    return read_corpus(PATH)


def main():
    sides = (decompress, decompress_decode_split, lines_in_python, ours)
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(RUNS):
        for side in sides:
            gc.collect()
            start = time.perf_counter()
            result = side()
            best[side] = min(best[side], time.perf_counter() - start)
            del result
    names = ("gzip alone", "gzip, decode, split into lines", "gzip, a loop over lines, split at tabs", "read_corpus")
    for name, side in zip(names, sides, strict=True):
        print(f"{name:40}{1000 * best[side]:6.0f} ms{best[side] / best[decompress]:7.2f}")


if __name__ == "__main__":
    main()
