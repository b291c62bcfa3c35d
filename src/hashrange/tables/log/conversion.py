"""Converts rows of format 1 to format 2.

In format 1, items had a header of 5 bytes without version and checksum, change records had a time
instead of the engine's stamp, and the shards of a log were members of the streams in the catalog.

Rows of format 2 are not changed, so an interrupted conversion can be started again.
"""

from collections.abc import Mapping
from functools import partial
from struct import Struct
from typing import Any, Final

import msgspec

from hashrange.model.log import Actor
from hashrange.storage.engine import STAMP_BYTES, Changes, Engine
from hashrange.tables.items.images import Image, stored_unpacked
from hashrange.tables.keys import system_keys
from hashrange.tables.keys.key_spaces import Kind, kind_of
from hashrange.tables.keys.log_keys import is_record_key, log_of_record
from hashrange.tables.log import change_log
from hashrange.tables.log.change_log import ChangeRecord

_ITEM_HEADER: Final = Struct(">BI")
_RECORD_HEADER: Final = Struct(">BBQ")
_BEFORE, _AFTER, _EXPIRED = 1, 2, 4
_IMAGE_BEFORE: Final = Struct(">II")
_SIZE: Final = Struct(">I")
_OLD: Final = 1
FORMAT: Final = 2
"""The format of converted rows. Items that were written since have formats 3 and 4 beside them."""
PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
_FORMAT_BYTES: Final = 4
_END: Final = b"\xff" * 5
"""Greater than all keys, since no table has such a number."""

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class Converter:
    """Converts rows in the order of their keys.

    Attributes:
        stamps: the stamp of the last record of each log so far, in milliseconds.
    """

    def __init__(self) -> None:
        self.stamps: dict[bytes, int] = {}

    def value(self, key: bytes, value: bytes) -> bytes:
        """The value of a key in format 2; unreadable values are kept, and found by `verify`."""
        match kind_of(key):
            case Kind.TABLE:
                return _entry(value)
            case Kind.IMAGE:
                return _image(value)
            case Kind.RECORD if is_record_key(key):
                return self._record(log_of_record(key), value)
            case _:
                return value

    @property
    def marker(self) -> tuple[bytes, bytes]:
        """The row that marks all others as converted."""
        return system_keys.format_key(), FORMAT.to_bytes(_FORMAT_BYTES)

    def _record(self, log: bytes, value: bytes) -> bytes:
        # A stamp of format 2 begins with a zero byte, so its first byte is not that of format 1.
        if value[:1] != bytes((_OLD,)) or len(value) < _RECORD_HEADER.size:
            return value
        flags, time_ms = _RECORD_HEADER.unpack_from(value)[1:]
        # Times of format 1 were those of requests, which are not in the order of the commits.
        stamp = self.stamps[log] = max(time_ms, self.stamps.get(log, 0))
        place, before, after = _RECORD_HEADER.size, None, None
        if flags & _BEFORE:
            size, length = _IMAGE_BEFORE.unpack_from(value, place)
            place += _IMAGE_BEFORE.size
            before = Image(size, value[place : place + length])
            place += length
        if flags & _AFTER:
            (size,) = _SIZE.unpack_from(value, place)
            after = Image(size, value[place + _SIZE.size :])
        who = Actor.TIME_TO_LIVE if flags & _EXPIRED else Actor.CALLER
        record = change_log.stored(ChangeRecord(who, before, after))
        return bytes(stamp.to_bytes(STAMP_BYTES)) + record


def _image(value: bytes) -> bytes:
    if value[:1] != bytes((_OLD,)) or len(value) < _ITEM_HEADER.size:
        return value
    _, size = _ITEM_HEADER.unpack_from(value)
    return stored_unpacked(Image(size, value[_ITEM_HEADER.size :]))


def _entry(value: bytes) -> bytes:
    """A catalog entry; `streams` had shards, and `next_log` was the number of the next one."""
    try:
        table: Any = _decode(value)
        if "next_log" not in table:
            return value
        following = next_shard = table.pop("next_log")
        shards: list[Any] = []
        for stream in reversed(table.get("streams", ())):
            own = stream.pop("shards")
            stream["first_shard"] = min(shard["number"] for shard in own)
            if "disabled_ms" in stream:
                stream["end_shard"] = following
            following = stream["first_shard"]
            shards = own + shards
        table["log"] = {"shards": shards, "next_shard": next_shard}
    except (msgspec.MsgspecError, TypeError, AttributeError, KeyError, ValueError):
        return value
    return _encode(table)


async def ensure_format(engine: Engine, page_rows: int = PAGE_ROWS) -> int:
    """Convert all rows, unless they are marked as converted; returns the number converted.

    For engines that do not convert rows when they are opened. Servers of older builds must be
    stopped; several servers of this build may convert at the same time.
    """
    converter = Converter()
    key, format_2 = converter.marker
    if await engine.read([key]) == [format_2]:
        return 0
    count, start = 0, b""
    while page := await engine.scan(start, _END, limit=page_rows, bytes_max=PAGE_BYTES):
        converted = {row: converter.value(row, value) for row, value in page}
        old_rows = {row: value for row, value in page if converted[row] != value}
        if old_rows:
            await engine.write(list(old_rows), partial(_replaced, old_rows, converted))
        count += len(old_rows)
        start = page[-1][0] + b"\x00"
    await engine.write([key], lambda _: Changes(answer=None, puts={key: format_2}))
    return count


def _replaced(
    old_rows: Mapping[bytes, bytes], converted: Mapping[bytes, bytes], stored: list[bytes | None]
) -> Changes[None]:
    """The rows that have not changed since they were read; others were converted meanwhile."""
    same = [
        row
        for (row, value), current in zip(old_rows.items(), stored, strict=True)
        if value == current
    ]
    return Changes(answer=None, puts={row: converted[row] for row in same})
