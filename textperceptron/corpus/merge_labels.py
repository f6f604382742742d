"""Labels that are grouped under another name, or dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from textperceptron.corpus.errors import CorpusError, Location
from textperceptron.settings.corpus_columns import CorpusColumns

HINT = 'Write groups such as "1,2=neg;4,5=pos;3=", where 3 is dropped; quote a label that contains , ; or =.'
_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,;="][^,;=]*)|([,;=]))\s*')


class LabelMerge:
    """Merges labels while a corpus is read, and remembers which labels it has seen.

    Parameters
    ----------
    rules : str or mapping of str to str or None
        ``"1,2=neg;4,5=pos;3="``, or ``{"1": "neg", …, "3": None}``. A label that is merged into nothing is dropped with
        the documents that have no other label; other labels are unchanged.
    is_optional : bool
        Whether labels may be absent from the corpus: they come from a model, not from the caller.

    Raises
    ------
    CorpusError
        If the rules cannot be read, or name a label twice.

    Examples
    --------
    >>> merge = LabelMerge("1,2=neg;4,5=pos;3=")
    >>> merge.apply(["5", "3", "1", "9"])
    (['pos', 'neg', '9'], [0, 2, 3])
    >>> merge.unseen()
    ['2', '4']
    >>> merge.apply([("5", "4", "3"), ("3",), ()])
    ([('pos',), ()], [0, 2])
    """

    def __init__(self, rules: str | Mapping[str, str | None], *, is_optional: bool = False) -> None:
        self.text = rules if isinstance(rules, str) else None
        pairs = _parse(rules) if isinstance(rules, str) else [(str(old), new) for old, new in rules.items()]
        self.rules: dict[str, str | None] = {}
        for old, new in pairs:
            if old in self.rules:
                raise _unreadable(f"the label {old!r} occurs twice")
            self.rules[old] = new
        self.is_optional = is_optional
        self.seen: set[str] = set()

    def __str__(self) -> str:
        return str(self.rules) if self.text is None else self.text

    @property
    def pairs(self) -> tuple[tuple[str, str | None], ...]:
        """The rules, for :class:`~textperceptron.settings.corpus_columns.CorpusColumns`."""
        return tuple(self.rules.items())

    def apply(self, labels: Sequence[Any]) -> tuple[list[Any], list[int] | None]:
        """Return the merged labels or sets of labels, and the indices of those that are kept; None if all are."""
        merged: list[Any]
        if labels and isinstance(labels[0], tuple):
            self.seen.update(label for each in labels for label in each)
            merged = [self._merge_set(each) for each in labels]
        else:
            self.seen.update(labels)
            merged = [self.rules.get(label, label) for label in labels]
        if None not in merged:
            return [label for label in merged if label is not None], None
        kept = [k for k, label in enumerate(merged) if label is not None]
        return [label for label in merged if label is not None], kept

    def _merge_set(self, labels: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the merged labels of a text, each once; None if it had labels and has none left."""
        merged = (self.rules.get(label, label) for label in labels)
        kept = tuple(dict.fromkeys(label for label in merged if label is not None))
        return kept if kept or not labels else None

    def unseen(self) -> list[str]:
        """Return the labels of the rules that no document had so far."""
        return [label for label in self.rules if label not in self.seen]

    def check(self, name: str) -> None:
        """Raise CorpusError if a rule names a label that the corpus does not have."""
        unseen = [] if self.is_optional else self.unseen()
        if unseen:
            labels = sorted(self.seen)
            shown = ", ".join(map(repr, labels[:20])) + (", …" if len(labels) > 20 else "")
            raise CorpusError(
                f"no document has the label {unseen[0]!r} of --merge-labels", Location(name),
                f"Use labels of the corpus: {shown}." if labels else "The documents have no labels.",
            )  # fmt: skip


MergeLabels = str | Mapping[str, str | None] | LabelMerge | None


def as_merge(rules: MergeLabels, columns: CorpusColumns | None = None) -> LabelMerge | None:
    """Return the merge of labels that the caller asks for, or else the one that a model remembers."""
    if rules is None:
        return LabelMerge(dict(columns.merged), is_optional=True) if columns is not None and columns.merged else None
    return rules if isinstance(rules, LabelMerge) else LabelMerge(rules)


def format_merge(pairs: Iterable[tuple[str, str | None]]) -> str:
    """Return rules as :class:`LabelMerge` reads them.

    Examples
    --------
    >>> format_merge([("1", "neg"), ("2", "neg"), ("a;b", "pos"), ("3", None)])
    '1,2=neg;"a;b"=pos;3='
    """
    groups: dict[str | None, list[str]] = {}
    for old, new in pairs:
        groups.setdefault(new, []).append(old)
    return ";".join(
        ",".join(map(_quoted, old)) + "=" + ("" if new is None else _quoted(new)) for new, old in groups.items()
    )


def _quoted(label: str) -> str:
    is_plain = label and label == label.strip() and not set(label) & set(',;="')
    return label if is_plain else '"' + label.replace('"', '""') + '"'


def _parse(text: str) -> list[tuple[str, str | None]]:
    groups: list[list[list[str]]] = [[[]]]  # of each group its old labels, then its new one
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise _unreadable(f"a quote is not closed in {text[position:]!r}")
        position = token.end()
        quoted, plain, sign = token.groups()
        if sign == ";":
            groups.append([[]])
        elif sign == "=":
            groups[-1].append([])
        elif sign is None:
            groups[-1][-1].append(plain.rstrip() if quoted is None else quoted.replace('""', '"'))
    pairs: list[tuple[str, str | None]] = []
    for group in groups:
        if group == [[]]:  # after the last semicolon
            continue
        if len(group) != 2 or not group[0] or len(group[1]) > 1:
            raise _unreadable(f"{text!r} is not made of groups with one = each")
        pairs += [(old, group[1][0] if group[1] else None) for old in group[0]]
    if not pairs:
        raise _unreadable("there is no label")
    return pairs


def _unreadable(reason: str) -> CorpusError:
    return CorpusError(f"--merge-labels: {reason}", None, HINT)
