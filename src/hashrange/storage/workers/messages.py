"""The messages between workers and the writer, in frames: proposals, delegations, replies.

A frame holds all messages of one iteration of the event loop. Both processes run the same build and
trust each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from hashlib import blake2b
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

COMPARED_BYTES_MAX: Final = 1024
"""Longer values are compared by digest. For shorter ones, computing two digests costs more than
sending and comparing the value."""
_DIGEST_BYTES: Final = 16


class Delegation(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """A decision that the writer is to make.

    Attributes:
        number: repeated in the reply.
        keys: the keys that are read.
        arguments: those of the `DelegableDecision`.
        fences: the digests of the fences' values, by key.
    """

    number: int
    keys: Sequence[bytes]
    arguments: Sequence[bytes]
    fences: Mapping[bytes, bytes]


class Proposal(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The changes of a write, and the values on which they were decided.

    Attributes:
        number: repeated in the reply.
        keys: the keys that were read.
        values: their values; empty for those with a digest.
        digests: the digests of long values, by position.
        fences: the digests of the fences' values, by key.
    """

    number: int
    keys: Sequence[bytes]
    values: Sequence[bytes | None]
    digests: Mapping[int, bytes]
    fences: Mapping[bytes, bytes]
    puts: Mapping[bytes, bytes]
    deletes: Sequence[bytes]
    adds: Mapping[bytes, int]
    appends: Sequence[tuple[bytes, bytes]]


class Probe(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Asks whether the writer can write; the reply is DONE, or UNAVAILABLE with the reason.

    Attributes:
        number: repeated in the reply.
    """

    number: int


Request: TypeAlias = Delegation | Proposal | Probe
"""The messages that a worker sends."""


class ReplyStatus(IntEnum):
    """The outcome of a proposal; nothing was changed unless it is DONE or FAILED."""

    DONE = 0
    """The changes are durable."""
    CONFLICT = 1
    """A conflict: a key has another value, which is durable."""
    STALE = 2
    """A fence no longer holds."""
    BUSY = 3
    """The queue of the writer is full."""
    UNAVAILABLE = 4
    """The storage is down or full."""
    FAILED = 5
    """It is unknown whether the changes were made."""


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """The reply to the request with the same number."""

    number: int
    status: ReplyStatus = ReplyStatus.DONE
    reason: str = ""
    """The text of an error, for the log; to a probe, for operators."""
    answer: tuple[int, ...] = ()
    """Of a decision that the writer made."""


def digest(value: bytes) -> bytes:
    """The digest by which a long value is compared."""
    return blake2b(value, digest_size=_DIGEST_BYTES).digest()


def values_and_digests(
    values: Sequence[bytes | None],
) -> tuple[Sequence[bytes | None], Mapping[int, bytes]]:
    """The values of a proposal, with long ones left empty, and the digests of the long ones."""
    # Values are short as a rule, and then together no longer than that.
    if sum(map(len, filter(None, values))) <= COMPARED_BYTES_MAX:
        return values, {}
    digests = {
        position: digest(value)
        for position, value in enumerate(values)
        if value is not None and len(value) > COMPARED_BYTES_MAX
    }
    if not digests:
        return values, digests
    return [b"" if position in digests else value for position, value in enumerate(values)], digests


def is_current(proposal: Proposal, values: Sequence[bytes | None]) -> bool:
    """Whether `values` are those on which the proposal was decided."""
    digests = proposal.digests
    if not digests:
        return values == proposal.values
    return all(
        (value is not None and digest(value) == digests[position])
        if position in digests
        else value == expected
        for position, (value, expected) in enumerate(zip(values, proposal.values, strict=True))
    )


T = TypeVar("T")

FRAME_BYTES_MAX: Final = 1 << 30
"""Asserted on frames that are read; a batch with all its index entries may have a quarter."""
_LENGTH_BYTES: Final = 4

_encode: Final = msgspec.msgpack.Encoder().encode


def framed(messages: Sequence[msgspec.Struct]) -> bytes:
    """One frame with these messages."""
    payload = _encode(messages)
    return len(payload).to_bytes(_LENGTH_BYTES) + payload


class FrameDecoder(Generic[T]):
    """Decodes the messages of a stream of frames.

    Args:
        messages: the type of a frame's content, a list of messages.
    """

    def __init__(self, messages: type[list[T]]) -> None:
        self._decode = msgspec.msgpack.Decoder(messages).decode
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[T]:
        """The messages of all frames that are complete with these bytes."""
        rest = self._rest
        rest += data
        start = 0
        while len(rest) - start >= _LENGTH_BYTES:
            length = int.from_bytes(rest[start : start + _LENGTH_BYTES])
            assert length <= FRAME_BYTES_MAX, "frames are bounded"
            end = start + _LENGTH_BYTES + length
            if len(rest) < end:
                break
            yield from self._decode(bytes(rest[start + _LENGTH_BYTES : end]))
            start = end
        del rest[:start]
