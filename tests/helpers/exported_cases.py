"""Texts and settings that exported models are tested with."""

from __future__ import annotations

import functools
import random
from dataclasses import replace

from helpers.exported import as_utf16
from helpers.texts import AWKWARD, WIDE, corpus
from textperceptron.settings import WindowSettings, recipe
from textperceptron.settings.text import ANY_SCRIPT

# Texts of twenty languages and thirteen scripts.
LANGUAGES = [
    "afrisenti_amh", "ar_restaurants", "bn_sentiment", "el_banks", "fa_sentipers", "fr_amazon", "gnad10",
    "he_sentiment", "hu_sst", "kk_polarity", "korean_hate", "marc3_ja", "mr_reviews", "pl_hotels", "ru_inappropriate",
    "ta_sentiment", "tr_movies", "vsfc", "wisesight_th", "zh_waimai",
]  # fmt: skip

PIECES = [
    "the", "The", "film", "FILM", "not", "isn't", "never", "good.", "bad,", "so-so", "“quoted”", "naïve", "ΟΔΟΣ", "Σ'α",
    "İstanbul", "straße", "DON’T", "can‐t", "don-t", "n't", "wasn't.", "NOT_x", "不好", "我不喜欢", "한국어", "ไม่ดี",
    "ሰላም", "👨‍👩‍👧", "🇩🇪🇫🇷", "قَرَأَ", "می‌خواهم", "cafe\u0301", "नहीं", "ﬁne", "Å", "𝐁old", "𐐀𐐨", "x\ud800", "\udfff",
    "\ue000", "\u0378", "\U000e0067", "nul\x00", "line\u2028", "\x1c", "</script>", '"', "\\", "??=", "*", "^a", "~b$",
]  # fmt: skip


def texts_of_scripts(n):
    """Return about n texts of all languages, and their labels."""
    parts = {name: corpus(f"world/{name}.test.tsv.gz", n // len(LANGUAGES)) for name in LANGUAGES}
    return [text[:400] for part in parts.values() for text in part], [name for name in parts for _ in parts[name]]


@functools.cache
def awkward_texts(n):
    """Return texts that are hard to tokenise, and random labels."""
    draw = random.Random(n)
    alphabets = ["ab .'n t", AWKWARD + WIDE, "".join(map(chr, [*range(0x20, 0x250), *range(0x370, 0x400)])) + "ΣİΣ "]
    texts = ["", " ", "\x00"]
    while len(texts) < n:
        kind = draw.randrange(5)
        if kind < 3:
            text = "".join(draw.choices(alphabets[kind], k=draw.randrange(40)))
        elif kind == 3:
            text = "".join(chr(draw.randrange(0x110000)) for _ in range(20))
        else:
            text = draw.choice(["", " ", "  ", "\n"]).join(draw.choices(PIECES, k=draw.randrange(30)))
        texts.append(as_utf16(text))
    return texts, draw.choices(["even", "odd", "so-so"], k=len(texts))


def with_text(base, **changes):
    """Return a recipe with other settings of the text."""
    settings = recipe(base)
    return replace(settings, text=replace(settings.text, **changes))


def with_learner(base, **changes):
    """Return a recipe with other settings of the learner."""
    settings = recipe(base)
    return replace(settings, learner=settings.learner.replace(**changes))


NEAR = WindowSettings(None, 3)
PIVOTS = WindowSettings(("not", "the", "我"), 2)
TEXT_SETTINGS = {
    "best": recipe("best"),
    "fast": recipe("fast"),
    "mira": recipe("mira"),
    "German": with_text("best", language="de"),
    "no negators": with_text("best", language=None, negation=True),
    "runs of marks": with_text("mira", token_pattern=r"\w+|[^\w\s]+", negation=True, conjunctions=NEAR),
    "pivots": with_text("mira", token_pattern=ANY_SCRIPT, conjunctions=PIVOTS),
    "anywhere": with_text("mira", conjunctions=WindowSettings(("not",), None), negation=True),
    "stop words": with_text(
        "mira", token_pattern=r"\w+|[^\w\s]", stop_words=("the", "film"), negation=True, prefixes=2, ngram_range=(2, 3),
        lowercase=False, characters=3,
    ),
    "one letter": with_text("mira", token_pattern=r"\b\w+\b", characters=2, character_weight=0.3, norm="l2"),
    "log counts": with_text("mira", binary=False, sublinear_tf=True, norm="l2"),
    "counts": with_text("mira", binary=False),
    "accents": with_text("best", strip_accents="unicode"),
    "ASCII": with_text("mira", strip_accents="ascii", lowercase=False),
    "characters": with_text("mira", analyzer="char", ngram_range=(1, 4), strip_accents="unicode"),
    "in words": with_text("mira", analyzer="char_wb", ngram_range=(3, 5), lowercase=False),
    "hashed": with_text("mira", n_features=1024, ngram_range=(1, 3), prefixes=3, binary=False),
    "hashed, length 1": with_text("mira", n_features=256, norm="l2", binary=False, sublinear_tf=True),
    "hashed presence": with_text("mira", n_features=4096, analyzer="char", ngram_range=(2, 2)),
    "double": with_text("best", dtype="float64", binary=False, sublinear_tf=False),
}  # fmt: skip
LEARNERS = {
    "native": with_learner("mira", multiclass="native"),
    "one-vs-all": with_learner("mira", multiclass="one-vs-all"),
    "one-vs-one": with_learner("best", multiclass="one-vs-one"),
    "calibrated": with_learner("best", calibrate=True),
    "hash bits": with_learner("mira", multiclass="native", hash_bits=12),
    "no intercept": with_learner("averaged", fit_intercept=False),
    "arow": with_learner("mira", learner="arow"),
    "one-vs-one in double": replace(
        with_text("mira", dtype="float64"), learner=recipe("mira").learner.replace(multiclass="one-vs-one")
    ),
}
