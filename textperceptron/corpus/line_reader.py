"""The lines of a file as text: by compiled code where they are as usual, else step by step."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from contextlib import suppress

from textperceptron._kernels import cut_labelled, cut_lines
from textperceptron.corpus.lines import Part, Report, Rows, line_parts, undecodable
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

Numbered = tuple[list[str], Sequence[int]]  # lines without their ends, and their numbers


class LineReader:
    """The lines of a file, a part at a time and each part once, and their numbers.

    Compiled code reads UTF-8, which nearly all files are. It has neither rules for what is unusual nor messages: a part
    that it refuses is read step by step, and so is every other encoding.
    """

    def __init__(self, stream: Stream, options: ReadOptions, report: Report) -> None:
        self._stream, self._options, self._report = stream.as_text(), options, report
        self._is_utf8 = codecs.lookup(stream.encoding).name == "utf-8"
        self._next = 1

    def parts(self) -> Iterator[Part]:
        """Yield what there is to read."""
        return line_parts(self._stream.data)

    def labelled(self, part: Part, prefix: bytes = b"", *, ends_at_space: bool = False) -> Rows | None:
        """Return the rows of a part in which every line has prefix, label, tab (or space) and text; else None."""
        found = None
        if self._is_utf8:
            with suppress(UnicodeDecodeError):
                found = cut_labelled(*part, prefix, ends_at_space)
        return None if found is None else Rows(*found, self._numbers(len(found[0])))

    def lines(self, part: Part) -> Iterator[Numbered]:
        """Yield the lines of a part, more than one list of them if there are some between that are no text."""
        lines = None
        if self._is_utf8:
            with suppress(UnicodeDecodeError):
                lines = cut_lines(*part)
        if lines is None:
            return self._step_by_step(part.raw())
        return iter([(lines, self._numbers(len(lines)))])

    def _numbers(self, count: int) -> range:
        first = self._next
        self._next += count
        return range(first, self._next)

    def _step_by_step(self, block: bytes) -> Iterator[Numbered]:
        raw = block.split(b"\n")
        last = raw.pop()
        if b"\r" in block:
            raw = [line.removesuffix(b"\r") for line in raw]
        if last:  # the end of the file, without a line's end
            raw.append(last)
        return self._between_bad_ones(raw, self._numbers(len(raw)))

    def _between_bad_ones(self, raw: list[bytes], numbers: range) -> Iterator[Numbered]:
        """Yield the lines before a bad one first, so that all that is wrong is reported in the order of the file."""
        begin = 0
        lines: list[str] = []
        for end, line in enumerate(raw):
            try:
                lines.append(str(line, self._stream.encoding, self._options.errors))
            except UnicodeDecodeError as error:
                yield lines, numbers[begin:end]
                self._report(undecodable(self._stream, numbers[end], line, error))
                begin, lines = end + 1, []
        yield lines, numbers[begin:]


def text_lines(stream: Stream, options: ReadOptions, report: Report) -> Iterator[Numbered]:
    """Yield lists of lines without their ends, and their numbers."""
    reader = LineReader(stream, options, report)
    for part in reader.parts():
        yield from reader.lines(part)
