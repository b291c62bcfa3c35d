"""Whether the JSON of a request is too deep, which every Python is to answer alike.

Left to themselves Python 3.11 gives up at some 1,000 levels, 3.12 at more, and from 3.14 on it goes
by what is left of the stack. Up to our limit each of them has enough, also for the walk that
explains what does not fit.
"""

from itertools import accumulate
from typing import Final

from hashrange.limits import JSON_DEPTH_MAX

DEEP_BYTES_MIN: Final = 2 * (JSON_DEPTH_MAX + 1)
"""Shorter JSON is not too deep: each level is opened and closed."""
_OTHERS: Final = bytes(frozenset(range(256)).difference(b'{[]}"'))
_STEPS: Final = bytes.maketrans(b"{[]}", b"\x01\x01\xff\xff")
"""One further or one back, as signed bytes."""


def is_too_deep(body: bytes) -> bool:
    """Whether JSON has more levels than `JSON_DEPTH_MAX`; of what is no JSON, anything is said."""
    if len(body) < DEEP_BYTES_MIN or body.count(b"{") + body.count(b"[") <= JSON_DEPTH_MAX:
        return False
    marks = body.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _OTHERS)
    # Without two quotes that meet, whatever follows is within a string or outside of it as before.
    outside = marks.replace(b'""', b"").split(b'"')[::2]
    steps = memoryview(b"".join(outside).translate(_STEPS)).cast("b")
    return any(map(JSON_DEPTH_MAX.__lt__, accumulate(steps)))
