"""What readers and the writer say to each other: proposals, and verdicts.

Each frame has whatever came up in one turn of the event loop. Both are of one version and trust
each other.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from hashlib import blake2b
from typing import Final

import msgspec

SEEN_BYTES_MAX: Final = 1024
"""Longer values are compared by their digest: to digest a kilobyte twice costs more than to send
and compare it."""
_DIGEST_BYTES: Final = 16


class Proposal(msgspec.Struct, frozen=True, array_like=True):
    """A decision, and what it rests on.

    Attributes:
        number: that the verdict bears.
        keys: that were read.
        seen: their values; those of `digests` are empty.
        digests: of long values, by their position.
        fences: digests of the values that they must have, by key.
    """

    number: int
    keys: Sequence[bytes]
    seen: Sequence[bytes | None]
    digests: Mapping[int, bytes]
    fences: Mapping[bytes, bytes]
    puts: Mapping[bytes, bytes]
    deletes: Sequence[bytes]
    adds: Mapping[bytes, int]
    appends: Sequence[tuple[bytes, bytes]]


class Outcome(IntEnum):
    """What became of a proposal."""

    DONE = 0
    """It is durable."""
    LOST = 1
    """A key has another value, which is durable; nothing happened."""
    STALE = 2
    """A fence no longer holds; nothing happened."""
    BUSY = 3
    """Too many writes wait; nothing happened."""
    UNAVAILABLE = 4
    """The storage is down, or full; nothing happened."""
    FAILED = 5
    """Nobody knows whether it happened."""


class Verdict(msgspec.Struct, frozen=True, array_like=True):
    """What became of the proposal of that number."""

    number: int
    outcome: Outcome = Outcome.DONE
    reason: str = ""
    """For people."""


def digest(value: bytes) -> bytes:
    """What a long value is compared by."""
    return blake2b(value, digest_size=_DIGEST_BYTES).digest()


def seen(values: Sequence[bytes | None]) -> tuple[Sequence[bytes | None], Mapping[int, bytes]]:
    """Values as a proposal has them: the short ones, and the digests of the long ones."""
    digests = {
        position: digest(value)
        for position, value in enumerate(values)
        if value is not None and len(value) > SEEN_BYTES_MAX
    }
    if not digests:
        return values, digests
    return [b"" if at in digests else value for at, value in enumerate(values)], digests


def holds(proposal: Proposal, values: Sequence[bytes | None]) -> bool:
    """Whether these are the values that the decision rests on."""
    digests = proposal.digests
    if not digests:
        return values == proposal.seen
    return all(
        (value is not None and digest(value) == digests[position])
        if position in digests
        else value == expected
        for position, (value, expected) in enumerate(zip(values, proposal.seen, strict=True))
    )
