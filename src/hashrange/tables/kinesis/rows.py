"""The rows of streams in the engine: definitions are created, read, changed and deleted."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.keys import kinesis_keys as keys
from hashrange.tables.keys.key_ranges import Range, pairs
from hashrange.tables.kinesis.records import end_from
from hashrange.tables.kinesis.streams import Ends, StoredShard, StoredStream, shard_finder

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""Of a page that is deleted: about a millisecond of work; requests are served between two pages."""
_NUMBER_BYTES: Final = 4
_OPENED_MAX: Final = 256
"""Definitions that are kept as they were decoded."""
_OPENED_CHARS_MAX: Final = 4_000_000
"""Bytes of all of them, as they are stored."""

_encode: Final = msgspec.json.encode
decode_stream: Final = msgspec.json.Decoder(StoredStream).decode


class OpenStream(msgspec.Struct, frozen=True):
    """A stream as it was read.

    Attributes:
        stream: its definition.
        key: of the row of that.
        fences: hold as long as it is not changed.
        shard_of: the open shard of a hash key.
    """

    stream: StoredStream
    key: bytes
    fences: Fences
    shard_of: Callable[[int], StoredShard]


_kept: Final = BoundedCache[tuple[bytes, bytes], OpenStream](
    entries_max=_OPENED_MAX, chars_max=_OPENED_CHARS_MAX, entry_chars_max=_OPENED_CHARS_MAX // 4
)


def _opened(key: bytes, row: bytes) -> OpenStream:
    found = _kept.get((key, row))
    if found is None:
        stream = decode_stream(row)
        found = OpenStream(stream, key, {key: row}, shard_finder(stream))
        _kept.keep((key, row), found, len(row))
    return found


class StreamRows:
    """The streams of an engine.

    Args:
        engine: has the rows.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def get(self, scope: str, name: str) -> OpenStream | None:
        """The stream of a name."""
        key = keys.stream_key(scope, name)
        (row,) = await self.engine.read([key])
        return None if row is None else _opened(key, row)

    async def all(self, scope: str | None, *, after: str = "") -> AsyncIterator[OpenStream]:
        """The streams of a scope behind a name, in the order of their names; or of all scopes."""
        found = keys.streams_range(scope) if not after else keys.streams_after(scope or "", after)
        async for key, row in pairs(self.engine, found):
            yield _opened(key, row)

    async def create(
        self, scope: str, name: str, make: Callable[[int], StoredStream]
    ) -> StoredStream | None:
        """Store the stream that `make` makes of its number; None if there is one of the name."""
        key, sequence = keys.stream_key(scope, name), keys.sequence_key()

        def decide(stored: list[bytes | None]) -> Changes[StoredStream | None]:
            if stored[0] is not None:
                return Changes(answer=None)
            number = 1 if stored[1] is None else int.from_bytes(stored[1])
            stream = make(number)
            following = (number + 1).to_bytes(_NUMBER_BYTES)
            return Changes(answer=stream, puts={key: _encode(stream), sequence: following})

        return await self.engine.write([key, sequence], decide)

    async def change(
        self,
        opened: OpenStream,
        change: Callable[[StoredStream, Ends], StoredStream],
        *,
        closing: Sequence[StoredShard] = (),
        removing: Sequence[StoredShard] = (),
    ) -> StoredStream:
        """Replace the definition of a stream; `change` may run again, and raise.

        Args:
            opened: the stream as it was read.
            change: gets the definition, and the ends of the shards that it closes.
            closing: those shards.
            removing: shards whose ends are deleted; they have no records.

        Raises:
            StaleFenceError: the stream was changed meanwhile.
        """
        stream, key = opened.stream, opened.key
        ends = [keys.end_key(stream.number, each.number) for each in closing]
        gone = [keys.end_key(stream.number, each.number) for each in removing]

        def decide(stored: list[bytes | None]) -> Changes[StoredStream]:
            last = {
                shard.number: end_from(row).following - 1
                for shard, row in zip(closing, stored[1:], strict=True)
            }
            after = change(stream, last)
            puts = {} if after == stream else {key: _encode(after)}
            return Changes(answer=after, puts=puts, deletes=gone)

        return await self.engine.write([key, *ends], decide, fences=opened.fences)

    async def delete(self, opened: OpenStream) -> None:
        """Delete a stream; its records are deleted later. Raises StaleFenceError."""
        stream, key = opened.stream, opened.key
        deleted = keys.deleted_key(stream.number)
        changes = Changes(answer=None, puts={deleted: _encode(stream)}, deletes=(key,))
        await self.engine.write([key], lambda _: changes, fences=opened.fences)

    async def deleted(self) -> list[int]:
        """The numbers of deleted streams whose rows are still there."""
        found = pairs(self.engine, keys.deleted_range())
        return [decode_stream(row).number async for _, row in found]

    async def clear_page(self, number: int) -> bool:
        """Delete a page of rows of a deleted stream, at last its own; whether there are more."""
        owner = keys.deleted_key(number)
        gone: list[bytes] = []
        ranges: tuple[Range, ...] = (keys.all_records_range(number), keys.ends_range(number))
        for start, end in ranges:
            if not gone:
                page = await self.engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
                gone = [key for key, _ in page]

        def decide(stored: list[bytes | None]) -> Changes[bool]:
            if stored[0] is None:  # another process has done it
                return Changes(answer=False)
            return Changes(answer=bool(gone), deletes=gone or (owner,))

        return await self.engine.write([owner], decide)
