"""Detection of regular expressions that may backtrack for very long, by their structure.

Python's ``re`` takes one branch at every repeat, option and alternative, and tries the others if the rest does not
match. If the next character decides the branch, nothing is tried twice. This module counts the choices that the next
character leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

Characters = frozenset[int]
Node = tuple[Any, Any]  # of re's parser: an operation and its arguments

_NONE: Characters = frozenset()

# At most this many iterations of a repeat, and this many open choices, multiply the time by a small factor.
_FEW = 10

# Characters of every kind: ASCII and Latin; letters, digits, spaces and marks of other scripts.
_SAMPLES = (*range(0x180), 0x301, 0x430, 0x660, 0x2014, 0x2028, 0x3000, 0x4E2D, 0x1F600)

_MAX_LENGTH = 1000  # characters of a pattern to examine: takes milliseconds

_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
}  # fmt: skip


def may_backtrack(pattern: str) -> bool:
    r"""Whether the time of matching may grow faster than the square of a text's length.

    False only if the next character decides all choices but one. A pattern for which it is True may still be fast on
    every real text. For patterns of more than 1000 characters it is True without examination.

    Parameters
    ----------
    pattern : str
        A valid pattern of ``re``.

    Examples
    --------
    >>> from textperceptron.text.patterns import may_backtrack
    >>> may_backtrack("(?:a+)+b"), may_backtrack("(?:a|aa)*b"), may_backtrack(".*.*#")
    (True, True, True)
    >>> may_backtrack("[a-z]+"), may_backtrack(r"\b\w+(?:[-']\w+)*\b"), may_backtrack(r"\d+(?:[.,]\d+)?|\w+")
    (False, False, False)
    """
    if len(pattern) > _MAX_LENGTH:
        return True
    try:
        return _Examination(pattern).is_slow
    except (AttributeError, ImportError, LookupError, RecursionError):  # a Python version with another parser
        return True


class _Examination:
    """The choices in a pattern that the next character leaves open."""

    def __init__(self, pattern: str) -> None:
        from re import _parser  # type: ignore[attr-defined]  # since Python 3.11

        tree = _parser.parse(pattern)
        nodes = list(_nodes(tree))
        flags = tree.state.flags
        for operation, inside in nodes:
            flags |= inside[1] if str(operation) == "SUBPATTERN" else 0
        self._ignores_case, self._ascii = bool(flags & re.IGNORECASE), bool(flags & re.ASCII)
        self._alphabet = frozenset(_SAMPLES) | frozenset(_mentioned(nodes))
        self._n_long = self._n_short = 0
        self._is_exponential = any(str(operation).startswith("GROUPREF") for operation, _ in nodes)
        self._examine(tree, _NONE, 1)

    @property
    def is_slow(self) -> bool:
        """Whether more than one repeat is open; a single one takes the square of a text's length."""
        return self._is_exponential or self._n_long > 1 or self._n_short > _FEW

    def _examine(self, sequence: Iterable[Node], follow: Characters, times: int) -> None:
        """Count the open choices in a sequence that is matched up to ``times`` times and followed by ``follow``."""
        for node in reversed(list(sequence)):
            self._examine_node(node, follow, times)
            follow = self._first([node], follow)

    def _examine_node(self, node: Node, follow: Characters, times: int) -> None:
        operation, inside = str(node[0]), node[1]
        if operation in _REPEATS:
            low, high, body = inside
            first = self._first(body, _NONE)
            if self._can_be_empty(body) or (low != high and first & follow):
                self._count(int(high), times)
            self._examine(body, follow | first if high > 1 else follow, min(times * int(high), _FEW + 1))
            return
        if operation == "BRANCH" and self._overlap(inside[1], follow):
            self._count(1, times)
        is_assertion = operation in ("ASSERT", "ASSERT_NOT")
        for sequence in _sequences(node):
            self._examine(sequence, _NONE if is_assertion else follow, times)

    def _overlap(self, alternatives: Sequence[Sequence[Node]], follow: Characters) -> bool:
        """Whether two of the alternatives may begin with the same character, or be empty."""
        if sum(map(self._can_be_empty, alternatives)) > 1:
            return True
        seen = _NONE
        for each in alternatives:
            first = self._first(each, follow)
            if first & seen:
                return True
            seen |= first
        return False

    def _count(self, high: int, times: int) -> None:
        """Count a choice that is made up to ``high`` times in a sequence that is matched up to ``times`` times."""
        if times > _FEW:
            self._is_exponential = True
        elif high > _FEW:
            self._n_long += times
        else:
            self._n_short += times * high

    def _first(self, sequence: Iterable[Node], follow: Characters) -> Characters:
        """Return the possible first characters of a sequence, including ``follow`` if it can be empty."""
        found = _NONE
        for node in sequence:
            found |= self._first_of(node)
            if not self._can_be_empty([node]):
                return found
        return found | follow

    def _first_of(self, node: Node) -> Characters:
        sequences = [] if str(node[0]) in ("ASSERT", "ASSERT_NOT") else list(_sequences(node))
        if sequences:
            return _NONE.union(*(self._first(each, _NONE) for each in sequences))
        return self._characters(node)

    def _can_be_empty(self, sequence: Iterable[Node]) -> bool:
        for node in sequence:
            operation, inside = str(node[0]), node[1]
            if operation in _REPEATS and inside[0] == 0:
                continue
            if operation in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS"):
                continue
            if not any(self._can_be_empty(each) for each in _sequences(node)):
                return False
        return True

    def _characters(self, node: Node) -> Characters:
        """Return the characters that a single-character node matches."""
        operation, inside = str(node[0]), node[1]
        if operation in ("AT", "ASSERT", "ASSERT_NOT", "FAILURE"):
            return _NONE
        if operation == "LITERAL":
            return self._cased({inside})
        if operation == "NOT_LITERAL":
            return self._alphabet - {inside}
        if operation == "RANGE":
            return self._cased(c for c in self._alphabet if inside[0] <= c <= inside[1])
        if operation == "CATEGORY":
            return _category(str(inside), self._alphabet, self._ascii)
        if operation == "IN":
            chosen = _NONE.union(*(self._characters(each) for each in inside if str(each[0]) != "NEGATE"))
            return self._alphabet - chosen if str(inside[0][0]) == "NEGATE" else chosen
        return self._alphabet  # any character, or an unknown operation

    def _cased(self, characters: Iterable[int]) -> Characters:
        found = frozenset(characters)
        if not self._ignores_case:
            return found
        return found | {ord(other) for c in found for other in (chr(c).lower(), chr(c).upper()) if len(other) == 1}


@lru_cache(maxsize=32)
def _category(name: str, alphabet: Characters, is_ascii: bool) -> Characters:
    matches = re.compile(_CATEGORIES[name], re.ASCII if is_ascii else 0).match
    return frozenset(c for c in alphabet if matches(chr(c)))


def _nodes(sequence: Iterable[Node]) -> Iterator[Node]:
    """Yield all nodes of a parsed pattern."""
    for node in sequence:
        yield node
        for inner in _sequences(node):
            yield from _nodes(inner)


def _sequences(node: Node) -> Iterator[Sequence[Node]]:
    """Yield the sequences inside a node."""
    operation, inside = str(node[0]), node[1]
    if operation in _REPEATS:
        yield inside[2]
    elif operation == "BRANCH":
        yield from inside[1]
    elif operation == "SUBPATTERN":
        yield inside[3]
    elif operation == "ATOMIC_GROUP":
        yield inside
    elif operation in ("ASSERT", "ASSERT_NOT"):
        yield inside[1]
    elif operation == "GROUPREF_EXISTS":
        yield from (each for each in inside[1:] if each is not None)


def _mentioned(nodes: Iterable[Node]) -> Iterator[int]:
    """Yield the characters that a pattern mentions, and their neighbours."""
    for operation, inside in nodes:
        name = str(operation)
        if name == "IN":
            yield from _mentioned(inside)
        elif name in ("LITERAL", "NOT_LITERAL", "RANGE"):
            for c in inside if name == "RANGE" else (inside,):
                yield from (near for near in (c - 1, c, c + 1) if 0 <= near <= 0x10FFFF)
