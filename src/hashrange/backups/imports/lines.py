"""Splits a stream of bytes into records of bounded length: lines, rows, documents. Pure.

The service takes objects of one line without newlines between them as one record each (measured by
moto's tests that run on AWS).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hashrange.limits.backups import (
    IMPORT_GROUP_RECORDS,
    IMPORT_GROUP_TOKENS,
    IMPORT_RECORD_BYTES_MAX,
)
from hashrange.messages.tables import backups as messages


class Refused(Exception):  # noqa: N818 - not an error of the server; a record is refused
    """A record is no item of the table.

    Args:
        text: the reason, for the log of errors.
        ends_object: nothing more can be read of its object.
    """

    def __init__(self, text: str, *, ends_object: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.ends_object = ends_object


_NEWLINE: Final = b"\n"
_QUOTE: Final = b'"'


class LineSplitter:
    """Lines without their ends; blank lines are left out, unless it `keeps_blank` ones.

    Raises Refused: a line is too long. Nothing can be read after it.
    """

    def __init__(
        self, bytes_max: int = IMPORT_RECORD_BYTES_MAX, *, keeps_blank: bool = False
    ) -> None:
        self._bytes_max = bytes_max
        self._keeps_blank = keeps_blank
        self._rest: list[bytes] = []
        self._rest_bytes = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that end in the next piece of the stream."""
        first, newline, others = piece.partition(_NEWLINE)
        self._keep(first)
        if not newline:
            return []
        lines = others.split(_NEWLINE)
        last = lines.pop()
        lines.insert(0, b"".join(self._rest))
        self._rest, self._rest_bytes = [], 0
        self._keep(last)
        if self._keeps_blank:
            return lines
        return [line for line in lines if line and not line.isspace()]

    def end(self) -> list[bytes]:
        """The last line, if the stream does not end with a newline."""
        line = b"".join(self._rest)
        return [line] if line and not line.isspace() else []

    def _keep(self, part: bytes) -> None:
        self._rest_bytes += len(part)
        if self._rest_bytes > self._bytes_max:
            raise Refused(messages.record_too_long(self._bytes_max), ends_object=True)
        if part:
            self._rest.append(part)


class RowSplitter:
    """Rows of CSV: a newline within quotes does not end a row.

    Raises Refused: a row is too long, or a quote is not closed. Nothing can be read after it.
    """

    def __init__(self, bytes_max: int = IMPORT_RECORD_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._lines = LineSplitter(bytes_max, keeps_blank=True)
        self._open: list[bytes] = []
        """The lines of a row whose last quote is not closed yet."""
        self._open_bytes = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """The rows that end in the next piece of the stream."""
        lines = self._lines.feed(piece)
        return [row for line in lines for row in self._rows(line) if not row.isspace()]

    def _rows(self, line: bytes) -> list[bytes]:
        is_even = _QUOTE not in line or line.count(_QUOTE) % 2 == 0
        if not self._open and is_even:
            return [line] if line else []
        was_open = bool(self._open)
        self._open.append(line)
        self._open_bytes += len(line) + 1
        if self._open_bytes > self._bytes_max:
            raise Refused(messages.record_too_long(self._bytes_max), ends_object=True)
        if is_even or not was_open:
            return []
        row = _NEWLINE.join(self._open)
        self._open, self._open_bytes = [], 0
        return [row]

    def end(self) -> list[bytes]:
        """The last row, if the stream does not end with a newline."""
        rows = [row for line in self._lines.end() for row in self._rows(line)]
        if self._open:
            raise Refused(messages.quote_not_closed(), ends_object=True)
        return rows


_joint: Final = re.compile(rb"\}\s*+\{").search
"""Where one object may end and the next one begin; also within a string."""
_tokens: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}]', re.DOTALL).finditer
"""Strings, of which the last may have no end, and braces outside of them."""
_OPENING: Final = b"{"[0]
_CLOSING: Final = b"}"[0]


def apart(lines: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """The objects of lines, in order, in groups of bounded size.

    A group may be empty: between groups other work may be done while a long line is read.
    """
    if not any(map(_joint, lines)):
        yield lines
        return
    group: list[bytes] = []
    for line in lines:
        for part in _objects(line) if _joint(line) else (line,):
            if part:
                group.append(part)
            if not part or len(group) >= IMPORT_GROUP_RECORDS:
                yield group
                group = []
    yield group


def _objects(line: bytes) -> Iterator[bytes]:
    """The objects of a line, then the rest of it; `b""` after each `IMPORT_GROUP_TOKENS` tokens."""
    depth = start = 0
    for number, token in enumerate(_tokens(line), start=1):
        kind = line[token.start()]
        if kind == _OPENING:
            depth += 1
        elif kind == _CLOSING:
            depth -= 1
            if depth <= 0:
                end = token.end()
                yield line[start:end]
                depth, start = 0, end
        if number % IMPORT_GROUP_TOKENS == 0:
            yield b""
    rest = line[start:]
    if rest and not rest.isspace():
        yield rest
