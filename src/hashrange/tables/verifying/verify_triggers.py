"""Verifies the positions of triggers."""

from typing import Final

from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.keys import key_ranges, keyspace, system_keys
from hashrange.tables.keys.log_keys import record_number
from hashrange.tables.keys.paging import pairs

FINDINGS_MAX: Final = 1000
_NUMBER_BYTES: Final = 8


async def trigger_findings(engine: Engine, tables: list[Table]) -> list[str]:
    """Rows that cannot be read, and positions after the end of a log, which would skip records.

    Positions in removed shards are valid; they are deleted at the next start.
    """
    found: list[str] = []
    trimmed = {
        (table.number, shard.number): shard.trimmed_to
        for table in tables
        for shard in table.log.shards
    }
    positions, end = system_keys.triggers_range(positions=True)
    async for key, value in pairs(engine, (system_keys.triggers_range()[0], end)):
        if len(value) != _NUMBER_BYTES:
            found.append(f"triggers: the row at {key.hex()} cannot be read")
        elif key >= positions:
            place, record = system_keys.trigger_place(key), int.from_bytes(value, "big")
            following = trimmed.get(place)
            if following is not None and record > max(following, await _end(engine, place)):
                found.append(f"triggers: the row at {key.hex()} is behind the end of its log")
        if len(found) == FINDINGS_MAX:
            break
    return found


async def _end(engine: Engine, place: tuple[int, int]) -> int:
    """A number above those of all present records."""
    keys = key_ranges.prefix_range(keyspace.log_key(*place))
    last = await engine.scan(*keys, limit=1, bytes_max=1, reverse=True)
    return record_number(last[0][0]) + 1 if last else 1
