"""Verifies the rows of Kinesis data streams: definitions, ends of shards, records, positions."""

import struct
from collections.abc import AsyncIterator

import msgspec

from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.storage.engine import Engine
from hashrange.tables.keys import kinesis_keys as keys
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.log_keys import record_number
from hashrange.tables.kinesis.positions import POSITION_BYTES
from hashrange.tables.kinesis.records import end_from, record_from
from hashrange.tables.kinesis.rows import decode_stream
from hashrange.tables.kinesis.streams import StoredStream


async def kinesis_findings(engine: Engine) -> list[str]:
    """The faults of all streams."""
    found: list[str] = []
    streams = [
        *await _streams(engine, keys.streams_range(None), found),
        *await _streams(engine, keys.deleted_range(), found),
    ]
    (sequence,) = await engine.read([keys.sequence_key()])
    following = 1 if sequence is None else int.from_bytes(sequence)
    if max((each.number for each in streams), default=0) >= following:
        found.append(f"the number of the next stream, {following}, is taken")
    shards = {(stream.number, shard.number) for stream in streams for shard in stream.shards}
    ends: dict[tuple[int, int], int] = {}
    for faults in (_ends(engine, shards, ends), _records(engine, ends), _positions(engine)):
        async for each in faults:
            if len(found) < VERIFY_FINDINGS_MAX:
                found.append(each)
    return [f"kinesis: {each}" for each in found]


async def _streams(
    engine: Engine, range_: tuple[bytes, bytes], found: list[str]
) -> list[StoredStream]:
    streams = []
    async for key, row in pairs(engine, range_):
        try:
            streams.append(decode_stream(row))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"the definition at {key.hex()} cannot be read: {error}")
    return streams


async def _ends(
    engine: Engine, shards: set[tuple[int, int]], ends: dict[tuple[int, int], int]
) -> AsyncIterator[str]:
    """The faults of the ends of shards, which are put into `ends`."""
    async for key, row in pairs(engine, keys.ends_range()):
        address = keys.address_of(key)
        if not keys.has_address(key, is_record=False) or address not in shards:
            yield f"the end at {key.hex()} is of no shard"
            continue
        try:
            ends[address] = end_from(row).following
        except struct.error:
            yield f"the end at {key.hex()} cannot be read"


async def _positions(engine: Engine) -> AsyncIterator[str]:
    """The faults of positions of destinations, which are deleted some time after their tables."""
    async for key, row in pairs(engine, keys.destination_positions_range()):
        if not keys.has_address(key, is_record=False) or len(row) != POSITION_BYTES:
            yield f"the position at {key.hex()} cannot be read"


async def _records(engine: Engine, ends: dict[tuple[int, int], int]) -> AsyncIterator[str]:
    """The faults of records; a shard with records has an end."""
    async for key, row in pairs(engine, keys.all_records_range()):
        address = keys.address_of(key)
        if not keys.has_address(key, is_record=True) or address not in ends:
            yield f"the record at {key.hex()} is of no shard"
            continue
        if record_number(key) >= ends[address]:
            yield f"the record at {key.hex()} is behind the end of its shard"
        try:
            record_from(key, row)
        except (AssertionError, UnicodeDecodeError, struct.error) as error:
            yield f"the record at {key.hex()} cannot be read: {error}"
