"""Bounds the depth of JSON, equally on all versions of Python.

Without it Python 3.11 fails at about 1,000 levels, 3.12 at more, and 3.14 depending on the free
stack. Up to JSON_DEPTH_MAX the stack suffices on all of them, also for `wire.reading`.
"""

from itertools import accumulate
from typing import Final

from hashrange.limits.requests import JSON_DEPTH_MAX

DEEP_BYTES_MIN: Final = 2 * (JSON_DEPTH_MAX + 1)
"""Shorter JSON is not too deep, since each level takes two bytes."""
_OTHERS: Final = bytes(frozenset(range(256)).difference(b'{[]}"'))
_STEPS: Final = bytes.maketrans(b"{[]}", b"\x01\x01\xff\xff")
"""Maps opening brackets to 1 and closing brackets to -1, as signed bytes."""


def is_too_deep(body: bytes) -> bool:
    """Whether JSON has more levels than `JSON_DEPTH_MAX`; undefined for a body that is not JSON."""
    if len(body) < DEEP_BYTES_MIN or body.count(b"{") + body.count(b"[") <= JSON_DEPTH_MAX:
        return False
    marks = body.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _OTHERS)
    # Adjacent quotes are removed: they do not change whether the next byte is within a string.
    outside = marks.replace(b'""', b"").split(b'"')[::2]
    steps = memoryview(b"".join(outside).translate(_STEPS)).cast("b")
    return any(map(JSON_DEPTH_MAX.__lt__, accumulate(steps)))
