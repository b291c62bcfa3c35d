"""Messages between servers as bytes: MessagePack, compressed. Pure."""

import zlib
from typing import Final, TypeVar

import msgspec

from hashrange.wire.codec import DECODE_ERRORS

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


def unpacked(data: bytes, kind: type[M]) -> M:
    """The message in bytes. Raises MessageError."""
    inflating = zlib.decompressobj()
    try:
        plain = inflating.decompress(data, PLAIN_BYTES_MAX)
        if not inflating.eof or inflating.unused_data:
            raise MessageError("a message that is cut off, or too long")
        return msgspec.msgpack.decode(plain, type=kind)
    except (zlib.error, *DECODE_ERRORS) as error:
        raise MessageError(f"no {kind.__name__}: {error}") from error
