"""The default recipe on corpora of many languages, beside a LinearSVC on words and characters, and fastText.

    python benchmarks/world.py                       all corpora with one label per text
    python benchmarks/world.py zh_waimai korean_hate
    python benchmarks/world.py --dev                 on a held-out fifth of the training texts, for choices

Ours is ``TextModel.train(texts, labels)``, with no setting changed. LinearSVC gets tf-idf (sublinear) of 1-2-grams of
words and 2-5-grams of characters within words, side by side, and C from 0.1, 0.3, 1, 3, 10 by 3-fold cross-validation
on the training texts. fastText (word bigrams, character 3-6-grams, 25 epochs, texts shuffled) gets the best of the
learning rates 0.1, 0.5 and 1, on 1,000 training texts by models of 3,000 others (fewer of a small corpus), and is then
trained on all of them. Nothing is chosen on the test split.

Seconds are CPU seconds of text → model on one thread, the least of ``--passes`` runs, with those of the kernel; the
summary also compares them without, because on a virtual machine the first use of memory can take the kernel long.
LinearSVC and fastText have the chosen C or rate, and the search is not counted. C, rate and results of the peers are
cached in .cache/world.json; ``--fresh`` trains the peers again, with the C and rate found before. fastText runs under
the Python that PEERS_PYTHON names, and is left out without one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from data import CACHE, DATA, labelled
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC

from textperceptron import TextModel
from textperceptron.model.text_profile import profile_of

warnings.filterwarnings("ignore", category=ConvergenceWarning)
warnings.filterwarnings("ignore", message="The least populated class")

WORLD = DATA / "world"
SEVERAL_LABELS = {"reuters90", "goemotions"}
R52 = "reuters52"  # the texts of reuters90 with one label, of the classes that both of its parts have
LANGUAGES = {
    "afrisenti_amh": "Amharic", "afrisenti_hau": "Hausa", "ar_astd": "Arabic", "ar_restaurants": "Arabic",
    "banking77": "English", "bn_sentiment": "Bengali", "davidson_hate": "English", "el_banks": "Greek",
    "fa_sentipers": "Persian", "fr_amazon": "French", "germeval2018": "German", "gnad10": "German",
    "he_sentiment": "Hebrew", "hu_sst": "Hungarian", "id_smsa": "Indonesian", "kk_polarity": "Kazakh",
    "korean_hate": "Korean", "marc3_ja": "Japanese", "mr_reviews": "Marathi", "nl_bol": "Dutch",
    "ohsumed": "English", "pl_hotels": "Polish", "pt_hatebr": "Portuguese", "reuters52": "English",
    "ru_inappropriate": "Russian", "sib200_lid": "205 languages", "ta_sentiment": "Tamil", "tr_movies": "Turkish",
    "tweeteval_emotion": "English", "tweeteval_irony": "English", "vsfc": "Vietnamese", "wisesight_th": "Thai",
    "xlmt_hindi": "Hindi", "yelp10k_stars": "English", "zh_shopping_cat": "Chinese", "zh_waimai": "Chinese",
}  # fmt: skip
GRID = [0.1, 0.3, 1.0, 3.0, 10.0]
RATES = [0.1, 0.5, 1.0]
SEARCH_TEXTS = 4000
PEERS = os.environ.get("PEERS_PYTHON")

SETTINGS = {"epoch": 25, "wordNgrams": 2, "minn": 3, "maxn": 6}

FASTTEXT = """
import fasttext, json, os, resource, sys
folder, rates, settings, n_tests, passes = json.loads(sys.argv[1])
def train(part, rate, threads):
    return fasttext.train_supervised(os.path.join(folder, part), lr=rate, **settings, thread=threads, verbose=0)
def timed(work, passes):
    seconds = []
    for _ in range(passes):
        began = resource.getrusage(resource.RUSAGE_SELF)
        found = work()
        ended = resource.getrusage(resource.RUSAGE_SELF)
        user, kernel = ended.ru_utime - began.ru_utime, ended.ru_stime - began.ru_stime
        seconds.append([user + kernel, user])
    return min(seconds), found
def one(texts):  # not model.predict, which fails with NumPy 2
    return [model.f.predict(text, 1, 0.0, "strict")[0][1] for text in texts]
def batch(texts):
    return model.f.multilinePredict(texts, 1, 0.0, "strict")
def test(number):
    with open(os.path.join(folder, f"test {number}"), encoding="utf-8") as lines:
        texts = [line.partition(" ")[2] for line in lines]
    ((each, _), predicted), ((together, _), _) = timed(lambda: one(texts), 3), timed(lambda: batch(texts), 3)
    return {"predicted": predicted, "times": {"one": 1e6 * each / len(texts), "batch": 1e6 * together / len(texts)}}
def precision(rate):
    return train("part", rate, 2).test(os.path.join(folder, "held out"))[1]
best = max(rates, key=precision) if len(rates) > 1 else rates[0]
seconds, model = timed(lambda: train("all", best, 1), passes)
model.save_model(os.path.join(folder, "model"))
size = os.path.getsize(os.path.join(folder, "model"))
print(json.dumps([best, seconds, size, [test(number) for number in range(n_tests)]]))
"""


def corpora():
    """Return the names of the corpora with one label per text."""
    names = {path.name.split(".")[0] for path in WORLD.glob("*.train.tsv.gz")}
    return sorted(names - SEVERAL_LABELS | ({R52} if "reuters90" in names else set()))


def part(name, kind):
    """Return the texts and labels of the training or test part of a corpus."""
    if name != R52:
        return labelled(f"world/{name}.{kind}")
    parts = {kind: labelled(f"world/reuters90.{kind}") for kind in ("train", "test")}
    classes = {label for label in set(parts["train"][1]) & set(parts["test"][1]) if "|" not in label}
    texts, labels = parts[kind]
    kept = [k for k, label in enumerate(labels) if label in classes]
    return [texts[k] for k in kept], labels[kept]


def load(name, *, dev):
    """Return texts and labels to train on, and to test on."""
    train, y = part(name, "train")
    if not dev:
        return train, y, *part(name, "test")
    held_out = np.random.default_rng(0).random(len(train)) < 0.2
    inner = [text for text, out in zip(train, held_out, strict=True) if not out]
    outer = [text for text, out in zip(train, held_out, strict=True) if out]
    return inner, y[~held_out], outer, y[held_out]


def result(y, predicted, seconds, **more):
    """Return the figures of a model."""
    f1 = f1_score(y, predicted, average="macro", zero_division=0)
    total, user = seconds
    return {"accuracy": accuracy_score(y, predicted), "f1": f1, "seconds": total, "user": user, **more}


def timed(work, passes):
    """Return the least CPU seconds of some runs, with and without those of the kernel, and the result of the last."""
    seconds = []
    for _ in range(passes):
        began = resource.getrusage(resource.RUSAGE_SELF)
        found = work()
        ended = resource.getrusage(resource.RUSAGE_SELF)
        user, kernel = ended.ru_utime - began.ru_utime, ended.ru_stime - began.ru_stime
        seconds.append((user + kernel, user))
    return min(seconds), found


def ours(train, y, test, y_test, *, passes=1):
    """Train the default recipe."""
    seconds, model = timed(lambda: TextModel.train(train, y.tolist()), passes)
    return result(y_test, model.predict(test), seconds)


def words_and_characters():
    """Return the vectoriser of the peers."""
    return make_union(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True),
    )


def best_c(train, y):
    """Return the C of LinearSVC with the highest accuracy in cross-validation."""
    X = words_and_characters().fit_transform(train).tocsr()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return GridSearchCV(LinearSVC(), {"C": GRID}, cv=folds, refit=False, n_jobs=2).fit(X, y).best_params_["C"]


def linear_svc(train, y, test, y_test, *, C, passes=1):
    """Train a LinearSVC on words and characters."""

    def fit():
        vectoriser = words_and_characters()
        return vectoriser, LinearSVC(C=C).fit(vectoriser.fit_transform(train).tocsr(), y)

    seconds, (vectoriser, model) = timed(fit, passes)
    return result(y_test, model.predict(vectoriser.transform(test)), seconds, C=C)


def fasttext(
    train, y, test, y_test, *, settings=SETTINGS, rates=RATES, search_texts=SEARCH_TEXTS, lengths=(), passes=1
):
    """Train fastText; None without it. ``short`` has the figures of test texts cut to each of ``lengths``."""
    if PEERS is None:
        return None
    codes = {label: f"__label__{k}" for k, label in enumerate(sorted({*y, *y_test}))}
    with tempfile.TemporaryDirectory() as folder:

        def write(name, texts, labels):
            lines = [f"{codes[label]} {' '.join(text.split())}\n" for text, label in zip(texts, labels, strict=True)]
            (Path(folder) / name).write_text("".join(lines), "utf-8")

        order = np.random.default_rng(1).permutation(len(train))  # fastText does not shuffle
        quarter = min(len(train), search_texts) // 4
        parts = {"part": order[quarter : 4 * quarter], "held out": order[:quarter], "all": order}
        for part, which in parts.items():
            write(part, [train[i] for i in which], y[which])
        for number, length in enumerate([None, *lengths]):
            write(f"test {number}", [text[:length] for text in test], y_test)
        work = json.dumps([folder, rates, settings, 1 + len(lengths), passes])
        done = subprocess.run([PEERS, "-c", FASTTEXT, work], capture_output=True, text=True, check=True)
    rate, seconds, size, found = json.loads(done.stdout)
    labels = {code: label for label, code in codes.items()}
    whole, *short = (
        result(y_test, np.array([labels[code] for code in each["predicted"]]), seconds, **each["times"])
        for each in found
    )
    return {**whole, "rate": rate, "size": size, "short": short}


def cached(key, work, file="world.json", *, fresh=False):
    """Return the result of a peer, from the cache if it is there, and unless it must be fresh."""
    path = CACHE / file
    found = None if fresh else _results(path).get(key)
    if found is None and (found := work()) is not None:
        CACHE.mkdir(exist_ok=True)
        path.write_text(json.dumps(_results(path) | {key: found}, indent=1))
    return found


def _results(path):
    return json.loads(path.read_text()) if path.exists() else {}


def cells(found):
    """Return accuracy, macro F1 and seconds of each model for the table; the highest accuracy and F1 are bold."""
    best = {kind: max(round(100 * each[kind], 1) for each in found if each) for kind in ("accuracy", "f1")}

    def score(each, kind):
        shown = round(100 * each[kind], 1)
        return f"**{shown:.1f}**" if shown == best[kind] else f"{shown:.1f}"

    def seconds(each):
        return f"{each['seconds']:.{0 if each['seconds'] >= 10 else 1 if each['seconds'] >= 1 else 2}f}"

    return [f"{score(each, 'accuracy')} · {score(each, 'f1')} · {seconds(each)} s" if each else "–" for each in found]


def summary(rows, peer, name):
    """Print means, wins and losses against a peer."""
    rows = [(corpus, mine, peers[peer]) for corpus, mine, *peers in rows if peers[peer]]
    if not rows:
        return
    print(f"\nbest against {name}, {len(rows)} corpora:")
    for kind, shown in (("accuracy", "accuracy"), ("f1", "macro F1")):
        lead = {corpus: 100 * (mine[kind] - theirs[kind]) for corpus, mine, theirs in rows}
        worst = min(lead, key=lead.get)
        means = [100 * np.mean([row[k][kind] for row in rows]) for k in (1, 2)]
        wins, losses = sum(value > 0 for value in lead.values()), sum(value < 0 for value in lead.values())
        print(
            f"- {shown}: mean {means[0]:.2f} against {means[1]:.2f}; {wins} wins, {losses} losses, worst {worst} ",
            end="",
        )
        below = ", ".join(f"{corpus} {value:+.1f}" for corpus, value in lead.items() if value < -1.5)
        print(f"{lead[worst]:+.1f}; below -1.5: {below or 'none'}")
    for kind, shown in (("seconds", "its CPU seconds over ours"), ("user", "without the kernel's")):
        ratios = {corpus: theirs[kind] / mine[kind] for corpus, mine, theirs in rows}
        least = min(ratios, key=ratios.get)
        print(f"- {shown}: median {np.median([*ratios.values()]):.0f}, least {ratios[least]:.1f} ({least})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dev", action="store_true")
    parser.add_argument("--passes", type=int, default=1, help="runs of each model, of which the fastest is shown")
    parser.add_argument("--fresh", action="store_true", help="train the peers again, with the C and rate of the cache")
    options = parser.parse_args()
    passes, fresh = options.passes, options.fresh
    print("held-out fifth of the training texts" if options.dev else "test splits")
    print("| corpus | language, script | classes | texts, test texts | best | LinearSVC | fastText |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    for name in options.names or corpora():
        data = load(name, dev=options.dev)
        train, y, test, _ = data
        key = f"{name}{' dev' if options.dev else ''}"
        C = cached(f"{key} C", lambda data=data: best_c(*data[:2]))
        rates = _results(CACHE / "world.json").get(f"{key} fastText", {}).get("rate")
        mine = ours(*data, passes=passes)
        svc = cached(f"{key} LinearSVC", lambda data=data, C=C: linear_svc(*data, C=C, passes=passes), fresh=fresh)
        fast = cached(
            f"{key} fastText",
            lambda data=data, rates=[rates] if rates else RATES: fasttext(*data, rates=rates, passes=passes),
            fresh=fresh,
        )
        found = mine, svc, fast
        rows.append((name, *found))
        about = [
            name,
            f"{LANGUAGES.get(name, '?')}, {profile_of(train)[0].script}",
            len(set(y)),
            f"{len(train)}, {len(test)}",
        ]
        print("| " + " | ".join(map(str, [*about, *cells(found)])) + " |", flush=True)
    summary(rows, 0, "LinearSVC")
    summary(rows, 1, "fastText")


if __name__ == "__main__":
    main()
