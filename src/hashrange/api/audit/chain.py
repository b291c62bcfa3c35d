"""The hash chain of records: each line has the hash of the line before it. Pure.

The hash of a record is SHA-256 of its line as it stands in the file, without the line break, so a
changed byte anywhere is noticed by the next record, or by the head that the engine keeps.
"""

from hashlib import sha256
from typing import Final

import msgspec

from hashrange.api.audit.events import Link
from hashrange.wire.codec import DECODE_ERRORS

ZERO: Final = "0" * 64
"""The value of the first record in place of the hash of the record before."""


class Head(msgspec.Struct, frozen=True):
    """The last record of a chain: its sequence, 0 if there is none, and its hash."""

    sequence: int = 0
    hash: str = ZERO


class _Linked(msgspec.Struct, rename={"link": "hashrange"}):
    link: Link


_decode: Final = msgspec.json.Decoder(_Linked).decode
_encode: Final = msgspec.json.Encoder().encode


def hash_of(line: bytes) -> str:
    """The hash of a line, which has no line break."""
    return sha256(line).hexdigest()


def linked(record: bytes, chain: str, at_ms: int, head: Head) -> tuple[bytes, Head]:
    """The line of a record, without the line break, and the head that it becomes.

    Args:
        record: an encoded object without a link.
        chain: the id of the chain.
        at_ms: milliseconds since the epoch.
        head: the record before.
    """
    sequence = head.sequence + 1
    link = _encode(Link(chain, sequence, at_ms, head.hash))
    line = record[:-1] + b',"hashrange":' + link + b"}"
    return line, Head(sequence, hash_of(line))


def link_of(line: bytes) -> Link | None:
    """The link of a line; None for bytes that are not a record."""
    try:
        return _decode(line).link
    except DECODE_ERRORS:
        return None


class Walk:
    """Follows the lines of a chain, over its files in their order.

    Args:
        chain: the id of the chain.
        head: the record before the first line; None if it is not known.

    Attributes:
        head: the last record so far; None before the first.
    """

    def __init__(self, chain: str, head: Head | None) -> None:
        self._chain = chain
        self.head = head

    def step(self, line: bytes) -> str | None:
        """The fault of the next line, for people; None if it continues the chain.

        After a fault the walk goes on with the faulty line.
        """
        link = link_of(line)
        if link is None:
            return "not a record"
        before, self.head = self.head, Head(link.sequence, hash_of(line))
        if link.chain != self._chain:
            return f"a record of the chain {link.chain}"
        if before is not None and link.sequence != before.sequence + 1:
            return f"record {link.sequence} follows record {before.sequence}"
        if before is not None and link.previous != before.hash:
            return f"record {before.sequence}, before this line, was changed"
        return None
