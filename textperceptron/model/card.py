"""The model card: what is in a model file, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from textperceptron._format import escaped, percent
from textperceptron.model.serialize import Description
from textperceptron.model.top_terms import positive_terms

MAX_CLASSES = 50  # rows of the table of classes
TOP_TERMS = 8  # per class, unless the caller says otherwise


def model_card(
    found: Description,
    title: str,
    *,
    n_bytes: int | None = None,
    weights_digest: str | None = None,
    command: str | None = None,
    top: int = TOP_TERMS,
) -> str:
    """Return a model card.

    Parameters
    ----------
    found : Description
    title : str
    n_bytes : int, optional
        Size of the file.
    weights_digest : str, optional
    command : str, optional
        Shell command that trains the model again; without one, the card has the call in Python.
    top : int
        Terms per class.
    """
    sections = [
        f"# {_text(title)}",
        _introduction(found),
        _table(("", ""), _facts(found, n_bytes)),
        f"## Accuracy\n\n{_accuracy(found)}",
        f"## {'Labels' if _n_texts(found) else 'Classes'}\n\n{_classes(found, top)}",
        f"## Settings\n\n{_settings(found)}",
        f"## Train it again\n\n{_repetition(found, command)}",
    ]
    if notes := found.provenance.metadata:
        sections.append(f"## Notes\n\n{_table(('note', 'value'), notes.items())}")
    digests = _digests(found, weights_digest)
    if digests:
        sections.append(f"## Digests\n\n{_table(('of', 'SHA-256'), digests)}")
    return "\n\n".join(sections) + "\n"


def _introduction(found: Description) -> str:
    n_texts = _n_texts(found) or found.summary.n_rows
    kind = (
        f"{len(found.classes):,} labels, any number per text," if _n_texts(found) else f"{len(found.classes):,} classes"
    )
    return (
        f"A text classifier of {kind} trained on {n_texts:,} {'text' if n_texts == 1 else 'texts'} with textperceptron "
        f"{_text(found.toolkit)}."
    )


def _facts(found: Description, n_bytes: int | None) -> list[tuple[str, str]]:
    facts = []
    if found.provenance.training_texts is not None:
        facts.append(("texts", found.provenance.training_texts.describe()))
    if found.corpus_columns is not None:
        facts.append(("columns of the corpus", found.corpus_columns.describe()))
    facts.append(("terms with weights", f"{found.n_columns:,}"))
    facts.append(("probabilities", "no" if found.calibration is None else "yes, fitted to held-out texts"))
    if n_bytes is not None:
        size = f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"
        facts.append(("size of the file", f"{size}, format {found.format}"))
    return facts


def _accuracy(found: Description) -> str:
    measured = found.provenance.measured
    said = []
    if measured:
        names = {"macro_f1": "macro F1", "micro_f1": "micro F1"}
        further = {key: name for key, name in names.items() if any(getattr(each, key) is not None for each in measured)}
        right = "all labels right" if _n_texts(found) else "accuracy"
        head = ["measured on", right, "95 % interval", "correct", *further.values()]
        rows = [
            (
                each.measured_on, f"{percent(each.accuracy)} %",
                f"{percent(each.interval[0])}–{percent(each.interval[1])} %", f"{each.correct:,} of {each.n:,}",
                *("" if (f1 := getattr(each, key)) is None else f"{percent(f1)} %" for key in further),
            )
            for each in measured
        ]  # fmt: skip
        said.append(_table(head, rows))
        said.append("The figures hold for texts like those that they were measured on.")
    else:
        said.append("Not measured, or not since the weights were changed.")
    counts, n_texts = found.summary.rows_of_class, found.summary.n_rows
    if not _n_texts(found) and n_texts:
        most = max(range(len(counts)), key=counts.__getitem__)
        said.append(
            f"Of the training texts, {percent(counts[most] / n_texts)} % have the most frequent label, "
            f"{_label(found.classes.labels[most])}: a classifier that always gives it would be right that often."
        )
    return "\n\n".join(said)


def _classes(found: Description, top: int) -> str:
    counts, n_texts = found.summary.rows_of_class, _n_texts(found) or found.summary.n_rows
    rows = []
    for k, label in enumerate(found.classes.labels[:MAX_CLASSES]):
        terms = positive_terms(found.top_terms[k])[:top] if found.top_terms is not None else []
        share = f"{percent(counts[k] / n_texts)} %" if n_texts else ""
        rows.append((str(label), f"{counts[k]:,}", share, " · ".join(term for term, _ in terms)))
    table = _table(("label" if _n_texts(found) else "class", "training texts", "share", "top terms"), rows)
    more = len(found.classes) - MAX_CLASSES
    return table + (f"\n\n… and {more:,} more." if more > 0 else "")


def _settings(found: Description) -> str:
    settings = found.settings.resolve_learner(found.summary.class_sizes, found.n_columns)
    return _text(settings.describe(len(found.summary.class_sizes)) + ".")


def _repetition(found: Description, command: str | None) -> str:
    texts = found.provenance.training_texts
    order = (
        "These lines train the model again, with the same weights, from the same texts, labels and sample weights in "
        "the same order" + ("" if texts is None else f" (SHA-256 `{texts.digest[:12]}…`)") + "."
    )
    if texts is not None and texts.n_batches > 1:
        updates = "once" if texts.n_batches == 2 else f"{texts.n_batches - 1:,} times"
        order = f"These lines repeat the first training; the model was updated {updates} since, with further texts."
    elif found.summary.stopped_by == "interrupted":
        order = "Training was interrupted; these lines repeat it as far as its settings go."
    code, language = (command, "bash") if command is not None else (_python(found), "python")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{order}\n\n{fence}{language}\n{code}\n{fence}"


def _python(found: Description) -> str:
    return (
        "from textperceptron import TextModel\nfrom textperceptron.settings import Settings\n\n"
        f"settings = Settings.from_json({found.settings.as_json()!r})\nmodel = TextModel.train(texts, labels, settings)"
    )


def _digests(found: Description, weights_digest: str | None) -> list[tuple[str, str]]:
    texts = found.provenance.training_texts
    digests = [
        ("training texts and labels", None if texts is None else texts.digest),
        ("vocabulary and weights", weights_digest),
        ("the file, but for this digest", found.sha256),
    ]
    return [(name, digest) for name, digest in digests if digest is not None]


def _n_texts(found: Description) -> int | None:
    """Return the number of texts if each has any number of labels, else None."""
    return found.summary.n_texts


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *(map(_text, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _label(label: Any) -> str:
    return f"“{_text(str(label))}”"


def _text(text: str) -> str:
    r"""Return data as Markdown that shows it: punctuation of Markdown and control characters escaped.

    Examples
    --------
    >>> print(_text("a|b *c* <d>\x1b[0m"))
    a\|b \*c\* \<d\>\\x1b\[0m
    """
    return re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", escaped(text))
