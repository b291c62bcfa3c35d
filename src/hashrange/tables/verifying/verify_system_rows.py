"""Verifies rows beside tables: backups, exports, tokens, triggers, witnesses."""

from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.jobs.transfers import EXPORTS
from hashrange.tables.jobs.witnesses import decode_witness
from hashrange.tables.keys import key_ranges, keyspace, system_keys
from hashrange.tables.keys.consensus_keys import witness_key, witnesses_range
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.log_keys import record_number
from hashrange.tables.verifying.verify_items import checked_items
from hashrange.tables.writing.tokens import is_token


async def backup_findings(engine: Engine, tables: AbstractSet[int]) -> tuple[list[str], set[int]]:
    """The faults of backups, and the numbers of their items.

    Args:
        engine: holds them.
        tables: the numbers of tables, dropped ones included; those of deleted tables may be
            backups' as well.
    """
    found: list[str] = []
    numbers: set[int] = set()
    async for key, value in pairs(engine, BACKUPS.range()):
        try:
            backup = BACKUPS.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"backups: the description at {key.hex()} cannot be read: {error}")
            continue
        if key != BACKUPS.key(backup.arn):
            found.append(f"backups: {backup.arn} stands at {key.hex()}, where another belongs")
        if backup.items in numbers or (backup.items in tables and not backup.is_system):
            found.append(f"backups: the items of {backup.arn} belong to something else as well")
        numbers.add(backup.items)
        table = msgspec.structs.replace(backup.table, number=backup.items)
        async for _, fault in checked_items(engine, table):
            if fault is not None and len(found) < VERIFY_FINDINGS_MAX:
                found.append(f"{backup.arn}: {fault}")
    return found, numbers


async def export_findings(engine: Engine) -> tuple[list[str], set[int]]:
    """The faults of exports, and the numbers of the images of those in progress."""
    found: list[str] = []
    numbers: set[int] = set()
    async for key, value in pairs(engine, EXPORTS.range()):
        try:
            job = EXPORTS.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"exports: the description at {key.hex()} cannot be read: {error}")
            continue
        if key != EXPORTS.key(job.arn):
            found.append(f"exports: {job.arn} stands at {key.hex()}, where another belongs")
        if job.ended_ms is None:
            numbers.add(job.number)
    return found, numbers


async def token_findings(engine: Engine) -> list[str]:
    """The tokens that cannot be read."""
    return [
        f"catalog: the token at {key.hex()} cannot be read"
        async for key, row in pairs(engine, system_keys.tokens_range())
        if not is_token(row)
    ]


async def witness_findings(engine: Engine, tables: AbstractSet[int]) -> tuple[list[str], set[int]]:
    """The faults of witnesses, and their numbers.

    Args:
        engine: has them.
        tables: the numbers of all tables, which no witness has.
    """
    found: list[str] = []
    numbers: set[int] = set()
    (sequence,) = await engine.read([system_keys.sequence_key()])
    following = 1 if sequence is None else int.from_bytes(sequence, "big")
    async for key, row in pairs(engine, witnesses_range()):
        try:
            witness = decode_witness(row)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"witnesses: the row at {key.hex()} cannot be read: {error}")
            continue
        if key != witness_key(witness.group.id):
            found.append(f"witnesses: {witness.group.id} stands at {key.hex()}")
        if witness.gone_ms is not None:
            continue
        if witness.number in tables | numbers or not 0 < witness.number < following:
            found.append(f"witnesses: {witness.group.id} has the number {witness.number}")
        numbers.add(witness.number)
    return found, numbers


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
        if len(found) == VERIFY_FINDINGS_MAX:
            break
    return found


async def _end(engine: Engine, place: tuple[int, int]) -> int:
    """A number above those of all present records."""
    keys = key_ranges.prefix_range(keyspace.log_key(*place))
    last = await engine.scan(*keys, limit=1, bytes_max=1, reverse=True)
    return record_number(last[0][0]) + 1 if last else 1
