"""Calls between servers: bytes to the server of a region, and bytes back.

The bytes are MessagePack, compressed. Calls have no order: one may arrive twice, late, or not at
all, and its answer may be lost. Callers must bear that.
"""

import zlib
from typing import Final, Protocol, TypeVar

import msgspec

from hashrange.wire.codec import DECODE_ERRORS

BODY_BYTES_MAX: Final = 8 * 1024 * 1024
"""Of a call or of its answer, as sent."""
CALL_SECONDS_MAX: Final = 15.0
"""A call without an answer for so long has failed."""


class PeerError(Exception):
    """A call has no answer; it may have been acted on. The text is one line for the operator."""


class PeerAwayError(PeerError):
    """The server cannot be reached, or does not answer in time: the call may succeed later."""


class PeerRefusedError(PeerError):
    """The server has answered that it does not accept the call, or the answer is not its own."""


class Calls(Protocol):
    """Sends calls to the servers of other regions."""

    async def call(self, sender: str, receiver: str, verb: str, body: bytes) -> bytes:
        """Send one call, and wait for its answer.

        Args:
            sender: the region that calls, one of this server.
            receiver: the region that is called, one of another server.
            verb: what is asked for: a name that the receiver's `PeerEndpoint` has.
            body: at most `BODY_BYTES_MAX` bytes.

        Raises:
            PeerAwayError: no answer came.
            PeerRefusedError: the call or its answer is refused.
        """


PLAIN_BYTES_MAX: Final = 32 * 1024 * 1024
"""Of a message before it is compressed; a receiver never unpacks more."""
_LEVEL: Final = 1

M = TypeVar("M")
_encode: Final = msgspec.msgpack.Encoder().encode


class MessageError(ValueError):
    """The bytes are no message of the expected type, or too many."""


def packed(message: object) -> bytes:
    """A message as bytes."""
    return zlib.compress(_encode(message), _LEVEL)


def unpacked(data: bytes, kind: type[M], plain_bytes_max: int = PLAIN_BYTES_MAX) -> M:
    """The message in bytes. Raises MessageError."""
    inflating = zlib.decompressobj()
    try:
        plain = inflating.decompress(data, plain_bytes_max)
        if not inflating.eof or inflating.unused_data:
            raise MessageError("a message that is cut off, or too long")
        return msgspec.msgpack.decode(plain, type=kind)
    except (zlib.error, *DECODE_ERRORS) as error:
        raise MessageError(f"no {kind.__name__}: {error}") from error
