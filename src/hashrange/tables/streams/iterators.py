"""Shard iterators: the position of a client in a shard, as text. Pure.

The form is `{ARN of the stream}|1|{base64}`; clients extract the ARN to find the account. The
base64 holds the number of the shard (4 bytes), the number of the next record (8), the time of
creation in ms (8), and a checksum (8) of these and of the ARN. The checksum detects truncated and
mixed-up texts; it is not a protection, since a forged iterator reaches nothing that
GetShardIterator would not give.
"""

from base64 import b64decode, b64encode
from hashlib import blake2b
from struct import Struct
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import ITERATOR_MS_MAX
from hashrange.messages.tables import streams as messages

_FORMAT: Final = "1"
_PARTS: Final = 3
_PLACE: Final = Struct(">IQQ")
_CHECKSUM_BYTES: Final = 8
_PERSON: Final = b"shard iterator"


class ShardIterator(msgspec.Struct, frozen=True):
    """A position in a shard."""

    stream_arn: str
    log: int
    """The number of the shard."""
    record: int
    """The next record to read is the first with this number or a higher one."""
    created_ms: int


def iterator_text(iterator: ShardIterator) -> str:
    """The text of an iterator, as clients receive it."""
    place = _PLACE.pack(iterator.log, iterator.record, iterator.created_ms)
    arn = iterator.stream_arn
    return f"{arn}|{_FORMAT}|{b64encode(place + _checksum(arn, place)).decode()}"


def iterator_from(text: str) -> ShardIterator:
    """The inverse of `iterator_text`. Raises ValidationException for any other text."""
    parts = text.split("|")
    if len(parts) != _PARTS or parts[1] != _FORMAT:
        raise invalid(messages.invalid_iterator())
    arn, _, rest = parts
    try:
        data = b64decode(rest.encode("ascii"), validate=True)
        place, checksum = data[: _PLACE.size], data[_PLACE.size :]
        is_ours = checksum == _checksum(arn, place)
    except ValueError as error:  # also of text that is not ASCII, and of lone surrogates
        raise invalid(messages.invalid_iterator()) from error
    if len(place) != _PLACE.size or not is_ours:
        raise invalid(messages.invalid_iterator())
    log, record, created_ms = _PLACE.unpack(place)
    return ShardIterator(arn, log, record, created_ms)


def check_age(iterator: ShardIterator, now_ms: int, loaded_ms: int = 0) -> None:
    """Raise ExpiredIteratorException if an iterator is older than `ITERATOR_MS_MAX`.

    Or than the data, if they were put back at `loaded_ms`. A clock that was set back since says
    nothing of that.
    """
    is_of_other_data = iterator.created_ms < loaded_ms <= now_ms
    if is_of_other_data or now_ms - iterator.created_ms > ITERATOR_MS_MAX:
        text = messages.iterator_expired(iterator.created_ms, now_ms, ITERATOR_MS_MAX)
        raise DynamoError(Fault.EXPIRED_ITERATOR, text)


def _checksum(arn: str, place: bytes) -> bytes:
    data = arn.encode() + place
    return blake2b(data, digest_size=_CHECKSUM_BYTES, person=_PERSON).digest()
