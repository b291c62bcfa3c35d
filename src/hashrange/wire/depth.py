"""Bounds the depth of JSON, equally on all versions of Python, and sizes of decoded requests.

Without it Python 3.11 fails at about 1,000 levels, 3.12 at more, and 3.14 depending on the free
stack. Up to JSON_DEPTH_MAX the stack suffices on all of them, also for `wire.reading`.

16 MB of brackets take 0.3 s, and of anything else less: eight brackets are looked up at once.
"""

import re
from itertools import accumulate
from operator import add
from typing import Final

from hashrange.limits.requests import JSON_DEPTH_MAX

DEEP_BYTES_MIN: Final = 2 * (JSON_DEPTH_MAX + 1)
"""Shorter JSON is not too deep, since each level takes two bytes."""
_OTHERS: Final = bytes(frozenset(range(256)).difference(b'{[]}"'))
_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_BITS: Final = bytes.maketrans(b"[]", b"10")
_BITS_PER_BYTE: Final = 8

# Unlike `split`, it makes no list of the texts.
_without_texts: Final = re.compile(rb'"[^"]*"?').sub


def is_too_deep(body: bytes) -> bool:
    """Whether JSON has more levels than `JSON_DEPTH_MAX`; undefined for a body that is not JSON."""
    if len(body) < DEEP_BYTES_MIN or body.count(b"{") + body.count(b"[") <= JSON_DEPTH_MAX:
        return False
    if b"\\" in body:
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = body.translate(_BRACKETS, _OTHERS)
    if b'"' in marks:
        # Adjacent quotes are removed: they do not change whether the next byte is within a string.
        marks = _without_texts(b"", marks.replace(b'""', b""))
    # Without the innermost brackets, which are most of them, JSON has one level less.
    return _peak(marks.replace(b"[]", b"")) >= JSON_DEPTH_MAX


def _peak(marks: bytes) -> int:
    """The most brackets that are open at a time."""
    size = -(-len(marks) // _BITS_PER_BYTE)
    if not size:
        return 0
    bits = marks.translate(_BITS).ljust(size * _BITS_PER_BYTE, b"0")
    packed = int(bits, 2).to_bytes(size, "big")
    rises = accumulate(memoryview(packed.translate(_RISES)).cast("b"), initial=0)
    peak: int = max(map(add, rises, packed.translate(_PEAKS)))
    return peak


def _walked(bits: int) -> tuple[int, int]:
    """By how much a byte of brackets changes the depth in all, and by how much at most."""
    steps = [1 if bits >> place & 1 else -1 for place in reversed(range(_BITS_PER_BYTE))]
    depths = list(accumulate(steps, initial=0))
    return depths[-1], max(depths)


_WALKED: Final = [_walked(bits) for bits in range(256)]
_RISES: Final = bytes(rise & 0xFF for rise, _ in _WALKED)
"""By the bits of eight brackets, as signed bytes."""
_PEAKS: Final = bytes(peak for _, peak in _WALKED)


_COPIES: Final = 4
"""Of the body: as sent, its texts, the items as they are stored, and while they are written."""
_OBJECT_BYTES: Final = 160
_ARRAY_BYTES: Final = 64
_QUOTE_BYTES: Final = 40


def decoded_bytes(body: bytes) -> int:
    """The bytes of a body and of all that is made of it, until its request is answered.

    Measured with BatchWriteItem on CPython 3.11: between 0.3 and 1.1 times as much is taken.
    """
    return (
        _COPIES * len(body)
        + _OBJECT_BYTES * body.count(b"{")
        + _ARRAY_BYTES * body.count(b"[")
        + _QUOTE_BYTES * body.count(b'"')
    )
