"""The sections of a page that scripts enhance: verdict, text box, terms, mistakes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from textperceptron.model.top_terms import positive_terms
from textperceptron.report.evaluation import Evaluation
from textperceptron.report.interval import Proportion
from textperceptron.report.page.charts import accuracy_bar
from textperceptron.report.page.embedded import Embedded
from textperceptron.report.page.findings import Findings
from textperceptron.report.page.html import Markup, join, name_of, percent_of, scrollable, table, tag, three_digits

_LINE_BREAK = re.compile(r"<br\s*/?>")

MATRIX_CLASSES = 30  # more do not fit: the most frequent confusions are listed instead
LISTED_CONFUSIONS = 50
LONGEST_SHOWN = 280  # characters of a mistake that is shown unopened
LONGEST_TEXT = 6000  # characters of a mistake
MISTAKES, PER_CONFUSION = 250, 5  # the worst of all, and of each pair of classes
MISTAKE_BYTES = 450_000


def how(*text: object) -> Markup:
    """Return the sentence that says how the numbers of a section were obtained."""
    return tag("p", *text, class_="how")


def section(name: str, heading: str, *content: object) -> Markup:
    """Return a section with its heading, which a link can name."""
    return tag(
        "section", tag("h2", heading, id=f"{name}-heading"), *content, id=name, aria_labelledby=f"{name}-heading"
    )


def verdict(findings: Findings, measured_on: str, command: str | None) -> Markup:
    """Return the accuracy with its interval, the majority baseline, and the command."""
    evaluation = findings.evaluation
    parts: list[Markup] = []
    if evaluation is None:
        shares = Counter(findings.predicted).most_common()
        rows = [(name_of(name), f"{n:,}", percent_of(n / len(findings.texts))) for name, n in shares]
        parts.append(tag("p", "No accuracy: the texts have no labels. These labels were predicted.", class_="verdict"))
        parts.append(table(f"Labels predicted for {len(findings.texts):,} texts", ("label", "texts", "share"), rows))
    else:
        parts += _accuracy(findings, evaluation, measured_on)
    if command:
        copy = tag("button", "copy", type="button", class_="copy needs-script", data_copies="command")
        parts.append(tag("p", "To repeat it:"))
        parts.append(tag("div", tag("code", command, id="command", dir="ltr"), copy, class_="command"))
    return join(parts)


def _accuracy(findings: Findings, evaluation: Evaluation, measured_on: str) -> list[Markup]:
    accuracy = evaluation.accuracy
    low, high = accuracy.interval
    name, n = Counter(findings.labels or ()).most_common(1)[0]
    baseline = Proportion(n, accuracy.n)
    clearly = low > baseline.value
    comparison = "" if clearly else " So the model is not clearly better than that."
    texts = "text" if accuracy.n == 1 else "texts"
    return [
        tag(
            "p", tag("strong", percent_of(accuracy.value)), f" of {accuracy.n:,} {texts} get the right label.",
            class_="verdict",
        ),
        accuracy_bar(accuracy.value, accuracy.interval, baseline.value, f"always “{name}”"),
        tag(
            "p", f"95 % interval {percent_of(low)} to {percent_of(high)}. To answer always ", name_of(name),
            f", the most frequent label, would be right for {percent_of(baseline.value)}.{comparison}",
        ),
        how(
            f"Texts: {measured_on}. {accuracy.successes:,} of {accuracy.n:,} are correct; the interval is Wilson’s, "
            "for other texts of the same kind."
        ),
    ]  # fmt: skip


def text_box(findings: Findings, embedded: Embedded | str, examples: Sequence[str]) -> Markup:
    """Return the text box, or why there is none."""
    heading = "Try it"
    if isinstance(embedded, str):
        return section("try", heading, tag("p", "This page cannot classify texts: ", embedded))
    many = len(findings.classes) > 2
    buttons = [
        tag("button", _shortened(text, 40), type="button", class_="example", data_text=text, dir="auto")
        for text in examples
    ]  # fmt: skip
    result = tag(
        "div",
        tag("p", id="label", class_="result", role="status"),
        tag("p", id="runners-up", class_="muted") if many else None,
        tag("div", id="words", class_="tinted", dir="auto", role="group", aria_label="The text, tinted", tabindex=0),
        tag("div", id="legend"),
        tag("p", id="sum"),
        tag("p", id="flip"),
        tag(
            "details",
            tag("summary", "Terms with the largest contributions"),
            tag(
                "div",
                tag(
                    "table",
                    tag("thead", tag("tr", tag("th", "term", scope="col"), tag("th", id="term-head", scope="col"))),
                    tag("tbody", id="term-rows"),
                ),
                class_="scroll", role="region", aria_label="Terms with the largest contributions", tabindex=0,
            ),
        ),
        class_="panel",
    )  # fmt: skip
    against = tag(
        "div",
        tag("div", tag("label", "Explain against", for_="against"), tag("select", id="against")),
        class_="controls",
    )
    return section(
        "try",
        heading,
        how(_embedding_cost(findings, embedded)),
        tag("p", "Scripts are off: the box needs them. All tables below are complete.", class_="without-script"),
        tag(
            "div",
            tag("p", tag("label", "Type or paste a text", for_="box")),
            tag("textarea", examples[0] if examples else "", id="box", dir="auto", spellcheck="false", rows=4),
            tag("div", *buttons, class_="buttons", role="group", aria_label="Examples") if len(buttons) > 1 else None,
            against if many else None,
            result,
            class_="needs-script",
        ),
    )


def _embedding_cost(findings: Findings, embedded: Embedded) -> str:
    full, small = findings.model.n_columns, embedded.model.n_columns
    n = len(findings.texts)
    if embedded.columns is None:
        return f"The page computes scores itself, with all {full:,} terms of the model; nothing is sent anywhere."
    cost = (
        f"The page computes scores itself, with the {small:,} terms of largest weight of {full:,}; nothing is sent "
        f"anywhere. On the {n:,} texts, "
    )
    changed = f"{n - embedded.n_same:,} labels differ from those of the full model"
    if embedded.n_right is None or embedded.n_right_full is None or not findings.is_own or not n:
        return f"{cost}{changed}."
    before, after = embedded.n_right_full / n, embedded.n_right / n
    return f"{cost}that changes the accuracy from {percent_of(before)} to {percent_of(after)}: {changed}."


def terms(findings: Findings, embedded: Embedded | str, counted_in: str) -> Markup:
    """Return the scatter of terms, and a table of the top terms of each class."""
    model, heading = findings.model, "What it learnt"
    try:
        top = {
            code: positive_terms(model.top_terms(model.classes[code], 12 if len(model.classes) <= 6 else 8))
            for code in range(len(model.classes))
        }
    except ValueError as problem:
        return section("terms", heading, tag("p", f"There are no terms to show: {problem}"))
    has_scatter = not isinstance(embedded, str)
    rows = [
        (
            name_of(findings.classes[code]),
            join((_top_term(code, name, weight, has_scatter) for name, weight in found), " · "),
        )
        for code, found in top.items()
    ]
    content: list[object] = []
    if has_scatter:
        content.append(
            how(
                f"Each dot is a term of the page’s model: left to right, in how many of {counted_in} it occurs; up and "
                "down, its weight, as trained."
            )
        )
        content.append(_scatter(findings))
    content.append(table("The terms with the largest weights for each class", ("class", "terms"), rows, class_="words"))
    return section("terms", heading, *content)


def _top_term(code: int, name: str, weight: float, is_button: bool) -> Markup:
    title = f"weight {three_digits(weight)}"
    if not is_button:
        return tag("span", name_of(name), title=title)
    return tag("button", name_of(name), type="button", class_="top-term", data_class=code, title=title)


def _scatter(findings: Findings) -> Markup:
    classes = [tag("option", name) for name in findings.classes]
    chooser = tag("div", tag("label", "Class", for_="term-class"), tag("select", *classes, id="term-class"))
    return tag(
        "div",
        tag(
            "div",
            tag(
                "div",
                tag("label", "Search terms", for_="term-search"),
                tag("input", type="search", id="term-search", autocomplete="off", spellcheck="false"),
            ),
            chooser if len(classes) > 2 else None,
            class_="controls",
        ),
        tag(
            "canvas",
            "A scatter of terms; the buttons below it are the same terms.",
            id="scatter",
            role="img",
            aria_label="Scatter of terms: number of texts against weight. The buttons below it are the same terms.",
        ),
        tag("p", id="term-found", class_="muted", role="status"),
        tag("div", id="term-list", class_="buttons", role="group", aria_label="Terms"),
        tag("p", id="term-chosen", role="status"),
        tag("ul", id="term-sentences", class_="sentences"),
        class_="needs-script prints",
    )


def mistakes(findings: Findings, measured_on: str) -> Markup | None:
    """Return the confusion matrix and the list of mistakes, worst first; None without labels."""
    evaluation = findings.evaluation
    if evaluation is None or findings.labels is None or findings.margins is None:
        return None
    names = [str(label) for label in evaluation.labels]
    heading = "Mistakes"
    total = len(findings.mistakes)
    if not total:
        return section("mistakes", heading, tag("p", f"None: all {len(findings.texts):,} texts get the right label."))
    chosen = _chosen_mistakes(findings)
    n_flagged = int(findings.suspicious.sum())
    code_of = {name: k for k, name in enumerate(names)}
    margins = findings.margins
    flagged = dict(zip(findings.mistakes.tolist(), findings.suspicious.tolist(), strict=True))
    items = [
        _mistake(
            findings.texts[k], findings.labels[k], findings.predicted[k], float(margins[k]), flagged[k], code_of,
            findings.classes,
        )
        for k in chosen
    ]  # fmt: skip
    flags = f" {n_flagged:,} of them are flagged" if n_flagged else ""
    doubt = (
        f"{flags}: another label scores as high there as it does in the average text that has it, so the given label "
        "is likely wrong, or the text says both."
        if n_flagged
        else ""
    )
    other = (
        ""
        if findings.is_own
        else " The labels and scores are those of models that had not seen the texts; the tint of words is that of the "
        "model trained on all texts."
    )
    matrix = _matrix(evaluation, names) if len(names) <= MATRIX_CLASSES else _confusions(evaluation, names)
    return section(
        "mistakes",
        heading,
        how(
            f"{total:,} of {len(findings.texts):,} texts ({measured_on}) get another label than their own; worst "
            f"first, by how far the score of the true label is behind.{other}{doubt}"
        ),
        matrix,
        tag("h3", "Read them"),
        _mistake_controls(names, has_flags=bool(n_flagged)),
        tag("ol", *items, class_="mistakes", id="mistake-list", data_total=total),
    )


def _chosen_mistakes(findings: Findings) -> list[int]:
    """Return the worst mistakes, and a few of each pair of classes, as far as there is room."""
    assert findings.labels is not None
    kept: list[int] = []
    of_pair: Counter[tuple[str, str]] = Counter()
    size = 0
    for number, k in enumerate(findings.mistakes.tolist()):
        pair = findings.labels[k], findings.predicted[k]
        if number >= MISTAKES and of_pair[pair] >= PER_CONFUSION:
            continue
        if size > MISTAKE_BYTES:
            break
        of_pair[pair] += 1
        size += min(len(findings.texts[k]), LONGEST_TEXT) + 250
        kept.append(k)
    return kept


def _mistake(
    text: str, true: str, predicted: str, margin: float, is_flagged: bool, code_of: dict[str, int], classes: list[str]
) -> Markup:
    side: dict[str, str] = {predicted: "a", true: "b"}
    if len(classes) == 2:
        side = {classes[0]: "b", classes[1]: "a"}

    def label(name: str) -> Markup:
        return tag("span", name_of(name), class_=f"label {side.get(name, '')}".strip())

    shown = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT]
    head: list[object] = [
        "labelled ",
        label(true),
        " predicted ",
        label(predicted),
        f" behind by {three_digits(-margin)}",
    ]
    if is_flagged:
        head += [" ", tag("span", "⚑ likely wrong label", class_="flag")]
    if len(shown) < len(text):
        head.append(f" (the first {LONGEST_TEXT:,} of {len(text):,} characters)")
    body = tag("p", shown, class_="text", dir="auto")
    if not text.strip():
        body = tag("p", "(empty text)", class_="text muted")
    elif len(text) > LONGEST_SHOWN:
        body = tag("details", tag("summary", _shortened(text, LONGEST_SHOWN - 80), dir="auto"), body)
    return tag(
        "li",
        tag("p", *head, class_="head"),
        body,
        data_true=code_of[true],
        data_predicted=code_of[predicted],
        data_true_name=true,
        data_predicted_name=predicted,
        data_doubtful="yes" if is_flagged else None,
    )


def _shortened(text: str, length: int) -> str:
    flat = " ".join(_LINE_BREAK.sub(" ", text[: 2 * length]).split())
    return flat if len(flat) <= length else flat[:length].rsplit(" ", 1)[0] + " …"


def _mistake_controls(names: Sequence[str], *, has_flags: bool) -> Markup:
    options = [tag("option", "any", value=""), *(tag("option", name, value=k) for k, name in enumerate(names))]
    flags = tag(
        "div",
        tag("input", type="checkbox", id="mistake-doubtful"),
        tag("label", "only likely wrong labels", for_="mistake-doubtful"),
        class_="check",
    )
    return tag(
        "div",
        tag(
            "div",
            tag(
                "div",
                tag("label", "Search in texts", for_="mistake-search"),
                tag("input", type="search", id="mistake-search", autocomplete="off"),
            ),
            tag("div", tag("label", "Labelled", for_="mistake-true"), tag("select", *options, id="mistake-true")),
            tag(
                "div",
                tag("label", "Predicted", for_="mistake-predicted"),
                tag("select", *options, id="mistake-predicted"),
            ),
            flags if has_flags else None,
            tag("div", tag("button", "Show all", type="button", id="mistake-reset")),
            class_="controls",
        ),
        tag("p", id="mistake-count", class_="muted", role="status"),
        class_="needs-script",
    )


def _matrix(evaluation: Evaluation, names: list[str]) -> Markup:
    largest = max((n for i, row in enumerate(evaluation.confusion) for j, n in enumerate(row) if i != j), default=0)

    def cell(i: int, j: int, n: int) -> Markup:
        if i == j:
            return tag("td", tag("span", f"{n:,}", class_="right"))
        if not n:
            return tag("td", tag("span", "·", class_="none"))
        return tag("td", _filter_button(i, j, names, f"{n:,}", "much" if 2 * n >= largest else None))

    head = tag(
        "tr",
        tag("th", "labelled ↓  predicted →", scope="col"),
        *(tag("th", name_of(name), scope="col", class_="class") for name in names),
    )
    rows = [
        tag("tr", tag("th", name_of(names[i]), scope="row"), *(cell(i, j, n) for j, n in enumerate(row)))
        for i, row in enumerate(evaluation.confusion)
    ]
    few = len(names) <= 6 and sum(map(len, names)) < 60
    content = tag(
        "table",
        tag("thead", head),
        tag("tbody", *rows),
        id="matrix",
        class_="few" if few else None,
    )
    caption = tag("p", "Confusion matrix; a button shows the mistakes it counts.", class_="muted")
    return join([caption, scrollable("Confusion matrix", content)])


def _confusions(evaluation: Evaluation, names: list[str]) -> Markup:
    found = evaluation.confused_pairs(len(names) ** 2)
    code_of = {name: k for k, name in enumerate(names)}
    pairs = [(code_of[str(pair.label)], code_of[str(pair.predicted)], pair.count) for pair in found[:LISTED_CONFUSIONS]]
    rows = [(name_of(names[i]), name_of(names[j]), _filter_button(i, j, names, f"{n:,}")) for i, j, n in pairs]
    caption = f"The most frequent of {len(found):,} confusions of {len(names)} classes; a button shows its mistakes"
    return tag("div", table(caption, ("labelled", "predicted", "texts"), rows), id="confusions")


def _filter_button(i: int, j: int, names: list[str], text: str, class_: str | None = None) -> Markup:
    return tag(
        "button", text, type="button", class_=class_, data_true=i, data_predicted=j, aria_pressed="false",
        aria_label=f"{text} labelled {names[i]}, predicted {names[j]}",
    )  # fmt: skip
