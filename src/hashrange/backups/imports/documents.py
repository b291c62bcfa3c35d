"""Cuts lines of JSON that have several objects, one behind the other, into these objects. Pure.

The service takes objects of one line without newlines between them as one record each (measured by
moto's tests that run on AWS).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hashrange.limits.backups import IMPORT_GROUP_RECORDS, IMPORT_GROUP_TOKENS

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
