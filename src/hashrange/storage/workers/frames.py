"""Frames on a stream of bytes: a length of 4 bytes, and a list of messages in MessagePack."""

from collections.abc import Iterator, Sequence
from typing import Final, Generic, TypeVar

import msgspec

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
