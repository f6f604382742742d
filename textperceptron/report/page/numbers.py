"""The sections of a page that are numbers: margins, probabilities, learning, classes, words, the model file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf

import numpy as np

from textperceptron.learn import Rows
from textperceptron.learn.models import BinaryModel
from textperceptron.margins import MistakeBound, mistake_bound
from textperceptron.margins.problem import Floats
from textperceptron.model import TextModel
from textperceptron.report.page.charts import histogram, legend, lines
from textperceptron.report.page.findings import Findings, label_name, reliability, score_margins, unknown_words
from textperceptron.report.page.html import Markup, join, name_of, percent_of, table, tag, three_digits
from textperceptron.report.page.sections import how, section

BINS = 40
STOP_REASONS = {
    "budget": "all epochs done",
    "converged": "an epoch without updates",
    "validation": "the accuracy on held-out texts did not grow",
    "small_change": "the weights hardly changed",
    "interrupted": "interrupted",
}


def classes(findings: Findings) -> Markup | None:
    """Return precision, recall and F1 of each class; None without labels."""
    evaluation = findings.evaluation
    if evaluation is None:
        return None
    rows: list[list[object]] = [
        [
            name_of(each.label), *map(percent_of, (each.precision, each.recall, each.f1)),
            f"{each.support:,}", f"{each.predicted:,}",
        ]
        for each in evaluation.classes
    ]  # fmt: skip
    macro = evaluation.macro
    rows.append(
        [
            "mean of classes",
            *map(percent_of, (macro.precision, macro.recall, macro.f1)),
            f"{evaluation.accuracy.n:,}",
            "",
        ]
    )
    head = ("class", "precision", "recall", "F1", "labelled", "predicted")
    return section(
        "classes",
        "Class by class",
        how(
            "Precision: how many texts predicted as the class have its label; recall: how many texts with the label "
            "are predicted as it; F1: their harmonic mean. Same texts as above."
        ),
        table("Precision, recall and F1 per class", head, rows),
    )


def margins(findings: Findings, measured_on: str, training: TrainingMargins | None) -> Markup | None:
    """Return the histogram of margins, and R, γ and the bound; None without labels."""
    tested = findings.margins
    if tested is None or not len(tested):
        return None
    series = [(measured_on.split(", ")[0], tested), *([("training texts", training.margins)] if training else [])]
    edges = _edges([values for _, values in series])
    counts = [(name, np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0].tolist()) for name, values in series]
    what = (
        "the score of a text’s own label, which is right above 0"
        if len(findings.classes) == 2
        else "how far the score of a text’s own label is ahead of the best other label"
    )
    rows = [
        (
            name, f"{len(values):,}", *map(three_digits, np.quantile(values, [0, 0.05, 0.5, 0.95])),
            f"{int(np.sum(values <= 0)):,}",
        )
        for name, values in series
    ]  # fmt: skip
    return section(
        "margins",
        "Margins: how sure it is",
        how(f"A margin is {what}. Bars count texts; each series is scaled to its own highest bar."),
        tag(
            "figure",
            histogram("Histogram of margins", edges.tolist(), counts, "wrong", "right"),
            legend([name for name, _ in series]) if len(series) > 1 else None,
        ),
        table("Margins", ("texts", "number", "smallest", "5 %", "median", "95 %", "at most 0"), rows),
        _theorem(findings.model, training),
    )


@dataclass(frozen=True, eq=False)
class TrainingMargins:
    """Margins of the training texts, and for two classes the bound of the convergence theorem."""

    margins: Floats
    bound: MistakeBound | None


def training_margins(
    model: TextModel, classes: Sequence[str], rows: Rows, labels: Sequence[str], n_jobs: int | None
) -> TrainingMargins:
    """Score the training texts, and bound the updates of a perceptron on them."""
    code_of = {name: code for code, name in enumerate(classes)}
    codes = np.array([code_of.get(name, -1) for name in labels], np.intp)
    found = score_margins(model.parts.model.scores(rows, n_jobs), codes)
    bound = None
    if len(classes) == 2 and len(set(labels)) == 2 and model.settings.learner.pair_bits is None:
        has_intercept = model.settings.learner.fit_intercept
        bound = mistake_bound(rows, labels, fit_intercept=has_intercept, tol=0.1, max_iter=20, max_seconds=10)
    return TrainingMargins(found, bound)


def _theorem(model: TextModel, training: TrainingMargins | None) -> Markup | None:
    if training is None or training.bound is None:
        return None
    bound = training.bound
    rows = [
        ("R, length of the longest row (x, 1)", f"{bound.radius:.5g}"),
        ("γ, largest margin that any weights (w, b) have", bound.margin.range_text()),
    ]
    own = model.parts.model
    if isinstance(own, BinaryModel):
        norm = float(np.linalg.norm(own.weights.astype(np.float64)))
        least = float(training.margins.min()) / norm if norm else 0.0
        rows.append(
            (
                "margin of this model’s own weights",
                three_digits(least) + ("" if least > 0 else ": it does not separate them"),
            )
        )
    rows.append(("bound (R/γ)²", str(bound)))
    if bound.margin.separable is False:
        said = "No weights classify all training texts correctly, so there is no bound."
    elif isinf(bound.upper):
        said = "It has not been proved that weights exist which separate the training texts."
    else:
        said = (
            f"The training texts can be separated, and a perceptron would find such weights after at most "
            f"{int(bound.upper):,} updates, in whatever order it meets them."
        )
    made = f" This model was trained with {model.n_updates:,} updates of {model.settings.learner.learner}."
    return join(
        [
            tag("h3", "The convergence theorem on the training texts"),
            how(
                said,
                made,
                " γ and R belong to the rows of the texts as the model reads them, without log-count ratios.",
            ),
            table("Radius, margin and bound", ("", ""), rows),
        ]
    )


def _edges(values: Sequence[Floats]) -> Floats:
    """Return edges of bins with 0 among them, around all values but the extreme ones."""
    low = min(0.0, *(float(np.quantile(each, 0.002)) for each in values))
    high = max(0.0, *(float(np.quantile(each, 0.998)) for each in values))
    width = (high - low or 1.0) / BINS
    return width * np.arange(np.floor(low / width), max(np.ceil(high / width), 1) + 1)


def probabilities(findings: Findings) -> Markup | None:
    """Return the reliability of probabilities; None for a model without them."""
    found = reliability(findings)
    if not found:
        return None
    rows = [(percent_of(mean), percent_of(share), f"{n:,}") for mean, share, n in found]
    sure, right, _ = zip(*found, strict=True)
    chart = lines("Accuracy against predicted probability", sure, [("accuracy", right)], diagonal=True)
    return section(
        "reliability",
        "Can its probabilities be believed?",
        how(
            "Texts are grouped by the probability of their predicted label; on the dashed line, as many are right as "
            "the probability says."
        ),
        tag("figure", chart),
        table("Reliability", ("mean probability", "right", "texts"), rows),
    )


def learning(model: TextModel) -> Markup:
    """Return mistakes and accuracy per epoch."""
    history = model.history
    reason = STOP_REASONS.get(model.stopped_by, model.stopped_by)
    heading = "Learning, epoch by epoch"
    if not history:
        said = f"The classes were trained one after the other, so there are no epochs of the whole model: {reason}."
        return section("learning", heading, tag("p", said, f" {model.n_updates:,} updates in all."))
    progressive = [epoch.progressive_accuracy for epoch in history]
    held_out = [epoch.validation_accuracy for epoch in history]
    series = [
        (name, values)
        for name, values in (("each text before training on it", progressive), ("held-out training texts", held_out))
        if any(value is not None for value in values)
    ]
    rows = [
        [
            epoch.epoch, f"{epoch.mistakes:,}", f"{epoch.updates:,}",
            *(percent_of(value) if (value := values[k]) is not None else "" for _, values in series),
        ]
        for k, epoch in enumerate(history)
    ]  # fmt: skip
    summed = "" if any(value is not None for value in progressive) else " Mistakes are summed over classes or pairs."
    chart = None
    if series and len(history) > 1:
        chart = tag(
            "figure",
            lines("Accuracy per epoch", [epoch.epoch for epoch in history], series),
            legend([name for name, _ in series], "line"),
        )
    return section(
        "learning",
        heading,
        how(
            "Counted while the model was trained: a mistake is a text that the weights of that moment got wrong. After "
            f"the first epoch, the model has met every text before.{summed} Training ended: {reason}."
        ),
        chart,
        table("Epochs", ("epoch", "mistakes", "updates", *(f"accuracy, {name}" for name, _ in series)), rows),
    )


def words(findings: Findings, measured_on: str) -> Markup | None:
    """Return the rate of unknown words; None for models without words."""
    found = unknown_words(findings.model, findings.texts)
    if found is None or not found.n_words:
        return None
    sample = "" if found.n_texts == len(findings.texts) else f" {found.n_texts:,} of them, evenly chosen, were counted."
    frequent = [(name_of(word), f"{n:,}") for word, n in found.frequent[:12]]
    return section(
        "words",
        "Words it does not know",
        tag(
            "p", tag("strong", percent_of(found.rate)),
            f" of the words are not in the model: {found.n_unknown:,} of {found.n_words:,}. They do not count.",
        ),
        how(f"Each occurrence of a word or mark in the texts ({measured_on}) was looked up in the full model.{sample}"),
        table("The most frequent unknown words", ("word", "occurrences"), frequent) if frequent else None,
    )  # fmt: skip


def model_file(model: TextModel, size: int | None) -> Markup:
    """Return what the model consists of."""
    features, summary = model.parts.features, model.summary
    settings = model.settings.resolve_learner(summary.class_sizes, features.n_columns)
    named = features.vocabulary is not None
    n_characters = features.n_columns - features.n_words
    columns = f"{features.n_columns:,}" + (
        (f", {n_characters:,} of them n-grams of characters" if n_characters else "")
        if named
        else " hashed, without names"
    )
    rows: list[tuple[str, object]] = [
        ("settings", settings.describe(len(model.classes))),
        ("terms", columns),
        ("classes", f"{len(model.classes):,}"),
        ("trained on", f"{summary.n_rows:,} texts"),
        ("training", f"{summary.n_updates:,} updates; {STOP_REASONS.get(summary.stopped_by, summary.stopped_by)}"),
        ("probabilities", "calibrated" if model.parts.calibration is not None else "none (train with --calibrate)"),
        ("can be trained further", "yes, in this process" if model.parts.fitted is not None else "no"),
    ]
    if model.corpus_columns is not None:
        rows.append(("corpus", model.corpus_columns.describe()))
    if size is not None:
        rows.append(("file", f"{size:,} bytes"))
    counts = [
        (name_of(label_name(label)), f"{n:,}", percent_of(n / max(1, summary.n_rows)))
        for label, n in zip(model.classes, summary.rows_of_class, strict=True)
    ]
    return section(
        "model",
        "What the model consists of",
        how("Read from the model itself."),
        table("Model", ("", ""), rows, class_="words"),
        table("Training texts per class", ("class", "texts", "share"), counts),
    )
