"""A short, slow, obviously right reference of every learner, written to be read.

Rows and weight vectors are dicts from column to value; the intercept is the weight of the column ``PAD``, which is 1 in
every row. There is no CSR, no types, no slices and no optimisation here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

PAD = "intercept"


def rows_of(X, fit_intercept=True):
    """Return the rows of a scipy matrix as dicts; duplicate columns are summed, zeros left out."""
    rows = []
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        row = defaultdict(float)
        for column, value in zip(X.indices[start:stop], X.data[start:stop], strict=True):
            row[int(column)] += float(value)
        row = {column: value for column, value in row.items() if value != 0}
        rows.append({**row, PAD: 1.0} if fit_intercept else row)
    return rows


def dot(w, x):
    return sum(w.get(column, 0.0) * value for column, value in x.items())


def add(w, step, x):
    for column, value in x.items():
        w[column] = w.get(column, 0.0) + step * value


def sqnorm(x):
    return sum(value * value for value in x.values())


@dataclass
class Model:
    w: dict = field(default_factory=dict)
    mistakes: list = field(default_factory=list)  # per epoch
    updates: list = field(default_factory=list)  # per epoch
    stopped_by: str = "budget"


def examples(rows, y, weight, order):
    for i in order:
        if weight[i] != 0:
            yield rows[i], y[i], weight[i]


def online(rows, y, orders, act, weight=None, average=False, stop=True):
    """Run ``act(w, x, y, s) -> (mistake, update)`` over the orders, one per epoch.

    Ends after an epoch without an update, unless told not to stop.
    """
    weight = weight or [1.0] * len(rows)
    model, w, total, seen = Model(), {}, {}, 0
    for order in orders:
        mistakes = updates = 0
        for x, label, s in examples(rows, y, weight, order):
            mistake, update = act(w, x, label, s)
            mistakes += mistake
            updates += update
            seen += 1
            add(total, 1.0, w)
        model.mistakes.append(mistakes)
        model.updates.append(updates)
        if stop and updates == 0:
            model.stopped_by = "converged"
            break
    model.w = {column: value / seen for column, value in total.items()} if average else w
    return model


def perceptron(rows, y, orders, eta=1.0, margin=0.0, **how):
    def act(w, x, label, s):
        mistake = label * dot(w, x) <= margin
        if mistake:
            add(w, eta * s * label, x)
        return mistake, mistake and bool(x)

    return online(rows, y, orders, act, **how)


def mira(rows, y, orders, C=1.0, variant="pa1", **how):
    def act(w, x, label, s):
        score = label * dot(w, x)
        loss = max(0.0, 1 - score)
        if loss == 0 or not x:
            return score <= 0, False
        tau = {
            "pa": lambda: loss / sqnorm(x),
            "pa1": lambda: min(C * s, loss / sqnorm(x)),
            "pa2": lambda: loss / (sqnorm(x) + 1 / (2 * C * s)),
        }[variant]()
        add(w, tau * label, x)
        return score <= 0, True

    return online(rows, y, orders, act, **how)


def arow(rows, y, orders, r=1.0, **how):
    sigma = defaultdict(lambda: 1.0)

    def act(w, x, label, s):
        score = label * dot(w, x)
        if score >= 1 or not x:
            return score <= 0, False
        spread = {column: sigma[column] * value for column, value in x.items()}
        beta = 1 / (dot(spread, x) + r / s)
        add(w, beta * (1 - score) * label, spread)
        for column, value in spread.items():
            sigma[column] -= beta * value * value
        return score <= 0, True

    return online(rows, y, orders, act, **how)


def best_wrong(scores, right):
    """Return the class other than ``right`` with the highest score; of ties, the first."""
    return max((c for c in range(len(scores)) if c != right), key=lambda c: (scores[c], -c))


def native(rows, y, orders, n_classes, act, weight=None, average=False, stop=True):
    """Run ``act(w, x, right, wrong, gap, s) -> (mistake, update)``; ``w`` has one vector per class."""

    def act_on_best_wrong(w, x, label, s):
        for c in range(n_classes):
            w.setdefault(c, {})
        scores = [dot(w[c], x) for c in range(n_classes)]
        wrong = best_wrong(scores, label)
        return act(w, x, label, wrong, scores[label] - scores[wrong], s)

    weight = weight or [1.0] * len(rows)
    model, w, total, seen = Model(), {}, {c: {} for c in range(n_classes)}, 0
    for order in orders:
        mistakes = updates = 0
        for x, label, s in examples(rows, y, weight, order):
            mistake, update = act_on_best_wrong(w, x, label, s)
            mistakes += mistake
            updates += update
            seen += 1
            for c in range(n_classes):
                add(total[c], 1.0, w[c])
        model.mistakes.append(mistakes)
        model.updates.append(updates)
        if stop and updates == 0:
            model.stopped_by = "converged"
            break
    if average:
        w = {c: {column: value / seen for column, value in total[c].items()} for c in total}
    model.w = w
    return model


def native_perceptron(rows, y, orders, n_classes, eta=1.0, margin=0.0, **how):
    def act(w, x, right, wrong, gap, s):
        if gap <= margin:
            add(w[right], eta * s, x)
            add(w[wrong], -eta * s, x)
        return gap <= margin, gap <= margin and bool(x)

    return native(rows, y, orders, n_classes, act, **how)


def native_mira(rows, y, orders, n_classes, C=1.0, variant="pa1", **how):
    def act(w, x, right, wrong, gap, s):
        loss = max(0.0, 1 - gap)
        if loss == 0 or not x:
            return gap <= 0, False
        tau = {
            "pa": lambda: loss / (2 * sqnorm(x)),
            "pa1": lambda: min(C * s, loss / (2 * sqnorm(x))),
            "pa2": lambda: loss / (2 * sqnorm(x) + 1 / (2 * C * s)),
        }[variant]()
        add(w[right], tau, x)
        add(w[wrong], -tau, x)
        return gap <= 0, True

    return native(rows, y, orders, n_classes, act, **how)


def native_arow(rows, y, orders, n_classes, r=1.0, **how):
    sigma = {c: defaultdict(lambda: 1.0) for c in range(n_classes)}

    def act(w, x, right, wrong, gap, s):
        if gap >= 1 or not x:
            return gap <= 0, False
        spreads = {c: {column: sigma[c][column] * value for column, value in x.items()} for c in (right, wrong)}
        beta = 1 / (dot(spreads[right], x) + dot(spreads[wrong], x) + r / s)
        for c, sign in ((right, 1), (wrong, -1)):
            add(w[c], sign * beta * (1 - gap), spreads[c])
            for column, value in spreads[c].items():
                sigma[c][column] -= beta * value * value
        return gap <= 0, True

    return native(rows, y, orders, n_classes, act, **how)


def batch(rows, y, epochs, alpha=1.0, normalize=True, margin=0.0, tol=None, weight=None):
    weight = weight or [1.0] * len(rows)
    model = Model()
    for _ in range(epochs):
        delta, mistakes = {}, 0
        for x, label, s in examples(rows, y, weight, range(len(rows))):
            if label * dot(model.w, x) <= margin:
                mistakes += 1
                add(delta, s * label, x)
        if normalize:
            delta = {column: value / sum(weight) for column, value in delta.items()}
        add(model.w, alpha, delta)
        model.mistakes.append(mistakes)
        model.updates.append(int(any(delta.values())))
        if not any(delta.values()):
            model.stopped_by = "converged"
            break
        if tol is not None and math.sqrt(sqnorm(delta)) < tol:
            model.stopped_by = "small_change"
            break
    return model


def voted(rows, y, orders, kernel=dot, eta=1.0, margin=0.0, weight=None):
    """Return every intermediate vector as a list of steps, with the number of examples it survived."""
    weight = weight or [1.0] * len(rows)
    steps, survived = [], [0]
    for order in orders:
        before = len(steps)
        for x, label, s in examples(rows, y, weight, order):
            if label * sum(step * kernel(z, x) for step, z in steps) <= margin and kernel(x, x) != 0:
                steps.append((eta * s * label, x))
                survived.append(0)
            survived[-1] += 1
        if len(steps) == before:
            break
    return steps, survived


def votes(steps, survived, x, kernel=dot):
    score = total = 0.0
    for (step, z), c in zip(steps, survived[1:], strict=True):
        score += step * kernel(z, x)
        total += c * (math.copysign(1, score) if score else 0)
    return total


def polynomial(degree, coef0):
    """Return the kernel of padded rows: the padding is not part of the product, but adds 1."""

    def kernel(x, z):
        plain = {column: value for column, value in x.items() if column != PAD}
        return (dot(plain, z) + coef0) ** degree + (1 if PAD in x else 0)

    return kernel


def interpolated(w, share, rows_are_unit):
    """Draw weights towards their mean size, on rows of length 1 of those that are not zero; the intercept shrinks."""
    sizes = [abs(value) for column, value in w.items() if column != PAD and (value != 0 or not rows_are_unit)]
    mean = sum(sizes) / len(sizes) if sizes else 0.0
    return {column: (0 if column == PAD else (1 - share) * mean) + share * value for column, value in w.items()}


def prefixes(tokens, size):
    """Return the first ``size`` characters of each longer word, followed by an asterisk."""
    return [token[:size] + "*" for token in tokens if len(token) > size and (token[0].isalnum() or token[0] == "_")]


def any_script_tokens(text, attached, unspaced):
    """Tokens of the rule ``any-script``, character by character; ``attached`` and ``unspaced`` are sets of characters.

    Returns the tokens and, for each, whether it is a character of a script without spaces.
    """
    tokens, kinds = [], []  # kinds: "word", "unspaced", "mark", or "space" between tokens
    kind = "space"
    for character in text:
        if character in attached and kind != "space":
            tokens[-1] += character
        elif character in unspaced:
            kind = "unspaced"
            tokens.append(character)
            kinds.append(kind)
        elif character.isalnum() or character == "_":
            if kind == "word":
                tokens[-1] += character
            else:
                tokens.append(character)
                kinds.append("word")
            kind = "word"
        elif character.isspace():
            kind = "space"
        elif kind == "mark" and continues_emoji(tokens[-1], character):
            tokens[-1] += character
        else:
            kind = "mark"
            tokens.append(character)
            kinds.append(kind)
    return tokens, [each == "unspaced" for each in kinds]


def continues_emoji(token, character):
    """Whether a symbol follows a joiner within a sequence, or completes a flag."""
    if len(token) > 1 and token.endswith("\N{ZERO WIDTH JOINER}"):
        return ord(character) >= 0x300
    return len(token) == 1 and all("\U0001f1e6" <= each <= "\U0001f1ff" for each in (token, character))


def unspaced_ngrams(tokens, is_unspaced, n):
    """N-grams of neighbouring characters of scripts without spaces."""
    starts = range(len(tokens) - n + 1)
    return ["".join(tokens[k : k + n]) for k in starts if all(is_unspaced[k : k + n])]


def character_ngrams(word, n):
    """N-grams of n characters of a word, whose ends count as characters; each begins with a mark."""
    ends = f"^{word}$"
    grams = [ends[k : k + n] for k in range(len(ends) - n + 1)]
    return [gram if gram[0] == "^" else f"~{gram}" for gram in grams]
