"""How much memory the values of a JSON body take, without reading it."""

from typing import Final

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
