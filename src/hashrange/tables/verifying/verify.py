"""Verifies that the stored rows are consistent: catalog, items, indexes, counters and logs.

Reads everything once, in pages; every finding is a sentence for the operator.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from itertools import chain
from typing import Final

import msgspec

from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.model.table import Table
from hashrange.storage.engine import KEY_BYTES_MAX, Engine
from hashrange.tables.catalog.dropped_tables import is_at
from hashrange.tables.catalog.secrets import secret_findings
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.jobs.transfers import BULK_JOBS, EXPORTS, IMPORTS
from hashrange.tables.keys import key_spaces, keyspace, system_keys
from hashrange.tables.keys.alarm_keys import alarms_range_of_space
from hashrange.tables.keys.backup_keys import before_range, export_tokens_range, reports_range
from hashrange.tables.keys.consensus_keys import consensus_range, witnesses_range
from hashrange.tables.keys.identity_keys import audit_range
from hashrange.tables.keys.key_ranges import Range, pairs, prefix_range
from hashrange.tables.keys.key_spaces import Space
from hashrange.tables.keys.kinesis_keys import (
    all_records_range,
    deleted_range,
    destination_positions_range,
    ends_range,
    sequence_key,
    streams_range,
)
from hashrange.tables.keys.log_keys import logs_range
from hashrange.tables.keys.metric_keys import metrics_range
from hashrange.tables.keys.replication_keys import positions_range
from hashrange.tables.keys.scaling_keys import capacity_key
from hashrange.tables.log.tombstones import tombstones_range
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.verifying.verify_indexes import collection_findings, index_findings
from hashrange.tables.verifying.verify_items import item_findings, tombstone_findings
from hashrange.tables.verifying.verify_kinesis import kinesis_findings
from hashrange.tables.verifying.verify_logs import log_findings
from hashrange.tables.verifying.verify_system_rows import (
    backup_findings,
    export_findings,
    token_findings,
    trigger_findings,
    witness_findings,
)

_NUMBER_BYTES: Final = 4
_LAST_NUMBER: Final = 2**32 - 1
"""No table has it."""
_FIRST_KEY: Final = b"\x00"
_LAST_KEY: Final = b"\xff" * KEY_BYTES_MAX

_decode_table: Final = msgspec.json.Decoder(Table).decode


async def findings(engine: Engine) -> list[str]:
    """All inconsistencies; empty if there are none. The engine must not be written meanwhile."""

    async def moment() -> Engine:
        return engine

    return await findings_of(moment)


async def findings_of(moment: Callable[[], Awaitable[Engine]]) -> list[str]:
    """As `findings`, of several moments: each table at one, and the rest at one.

    `moment` returns the engine of the moment to go on with, which does not change.
    """
    found: list[str] = []
    catalog = system_keys.catalog_range()
    for key in [key async for key, _ in pairs(await moment(), catalog)]:
        found += await table_findings(await moment(), key)
    found = await system_findings(await moment()) + found
    return found[:VERIFY_FINDINGS_MAX]


async def table_findings(engine: Engine, key: bytes) -> list[str]:
    """Inconsistencies of a table, if the catalog's entry at a key is one that can be read."""
    (entry,) = await engine.read([key])
    table = None if entry is None else _table_of(key, entry)
    if not isinstance(table, Table):
        return []  # deleted, or reported with the catalog
    found = await item_findings(engine, table)
    found += await tombstone_findings(engine, table)
    found += await _row_findings(engine, table)
    if table.import_arn is None:  # which writes all items before the first entry
        found += await index_findings(engine, OpenTable(table, {}, engine.key_bytes_max))
    found += await collection_findings(engine, table)
    found += await log_findings(engine, table)
    return found


async def system_findings(engine: Engine) -> list[str]:
    """Inconsistencies of all rows but those of tables."""
    found: list[str] = []
    tables = await _tables(engine, system_keys.catalog_range(), found)
    dropped = await _tables(engine, system_keys.dropped_range(), found)
    found += await _catalog_findings(engine, tables, dropped)
    found += await token_findings(engine)
    found += await secret_findings(engine)
    found += await kinesis_findings(engine)
    for table in dropped.values():
        found += await log_findings(engine, table)
    found += await trigger_findings(engine, [*tables.values(), *dropped.values()])
    numbers = {table.number for table in (*tables.values(), *dropped.values())}
    witnesses, witness_numbers = await witness_findings(engine, numbers)
    found += witnesses
    backups, backup_numbers = await backup_findings(engine, numbers)
    found += backups
    exports, export_numbers = await export_findings(engine)
    found += exports
    found += await strays(engine, numbers | witness_numbers | backup_numbers | export_numbers)
    return found


async def _tables(engine: Engine, keys: Range, found: list[str]) -> dict[bytes, Table]:
    tables: dict[bytes, Table] = {}
    async for key, entry in pairs(engine, keys):
        table = _table_of(key, entry)
        if isinstance(table, Table):
            tables[key] = table
        else:
            found.append(f"catalog: {table}")
    return tables


def _table_of(key: bytes, entry: bytes) -> Table | str:
    """The table of an entry of the catalog, or what is wrong with it."""
    try:
        table = _decode_table(entry)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return f"the entry at {key.hex()} cannot be read: {error}"
    if 0 < table.number < _LAST_NUMBER:
        return table
    return f"the entry of {table.name} has the number {table.number}"


async def _catalog_findings(
    engine: Engine, tables: dict[bytes, Table], dropped: dict[bytes, Table]
) -> list[str]:
    found = [
        f"catalog: the entry of {table.name} stands at {key.hex()}, where another table belongs"
        for key, table in tables.items()
        if not is_at(table, key)
    ]
    found += [
        f"catalog: {table.name} does not belong at {key.hex()} among the dropped tables"
        for key, table in dropped.items()
        if key != system_keys.dropped_key(table.number) or table.deleted_ms is None
    ]
    numbers = [table.number for table in (*tables.values(), *dropped.values())]
    if len(set(numbers)) < len(numbers):
        found.append("catalog: two tables have one number")
    (sequence,) = await engine.read([system_keys.sequence_key()])
    following = 1 if sequence is None else int.from_bytes(sequence, "big")
    if max(numbers, default=0) >= following:
        found.append(f"catalog: the next table's number, {following}, is taken")
    whole = (_FIRST_KEY, keyspace.table_range(1)[0])
    found += [
        _of_nothing("catalog", key) async for key in _outside(engine, whole, ranges_of_system())
    ]
    return found


async def _row_findings(engine: Engine, table: Table) -> list[str]:
    """Rows of a table that are neither its items, nor entries of its indexes, nor counters."""
    outside = _outside(engine, keyspace.table_range(table.number), ranges_of_table(table))
    return [_of_nothing(table.name, key) async for key in outside]


def ranges_of_system() -> dict[Space, Sequence[Range]]:
    """Where table 0 may have rows of each space, in the order of their keys."""
    return {
        key_spaces.CATALOG: [system_keys.catalog_range()],
        key_spaces.SEQUENCE: [_only(system_keys.sequence_key())],
        key_spaces.DROPPED: [system_keys.dropped_range()],
        key_spaces.TOKEN: [system_keys.tokens_range()],
        key_spaces.TRIGGER: [system_keys.triggers_range()],
        key_spaces.LEASE: [key_spaces.LEASE.range()],
        key_spaces.CHANGES: [_only(system_keys.changes_key()), _only(system_keys.growths_key())],
        key_spaces.FORMAT: [_only(system_keys.format_key())],
        key_spaces.SECRET: [_only(system_keys.secret_key())],
        key_spaces.IDENTITIES: [key_spaces.IDENTITIES.range()],
        key_spaces.SCALING: [key_spaces.SCALING.range()],
        key_spaces.BACKUP: [BACKUPS.range()],
        key_spaces.JOB: [
            *(EXPORTS.range(), IMPORTS.range(), BULK_JOBS.range()),
            *(export_tokens_range(), reports_range()),
        ],
        key_spaces.DAX: [key_spaces.DAX.range()],
        key_spaces.REPLICATION: [positions_range()],
        key_spaces.AUDIT: [audit_range()],
        key_spaces.WITNESS: [witnesses_range()],
        key_spaces.KINESIS: [
            *(streams_range(None), deleted_range(), _only(sequence_key()), ends_range()),
            *(all_records_range(), destination_positions_range()),
        ],
        key_spaces.METRICS: [metrics_range()],
        key_spaces.ALARMS: [alarms_range_of_space()],
    }


def ranges_of_table(table: Table) -> dict[Space, Sequence[Range]]:
    """Where a table may have rows of each space, in the order of their keys."""
    number = table.number
    indexes = sorted(index.number for index in table.kept_indexes)
    counters = [keyspace.TABLE_ITSELF, *indexes]
    vectors = {index.number for index in table.vectors}
    is_local = any(index.is_local for index in table.indexes)
    is_replicated = table.replication is not None
    return {
        key_spaces.ITEMS: [keyspace.items_range(number)],
        key_spaces.INDEX: [keyspace.index_range(number, index) for index in indexes],
        key_spaces.COUNTERS: [
            _only(key)
            for index in counters
            for key in _counter_keys(number, index, has_vectors=index in vectors)
        ],
        key_spaces.LOG: [logs_range(number)],
        key_spaces.BUILDING: [_only(keyspace.building_key(number, index)) for index in counters],
        key_spaces.COLLECTION: [keyspace.collections_range(number)] if is_local else [],
        key_spaces.CAPACITY: [_only(capacity_key(number))],
        key_spaces.BEFORE: [before_range(number)] if table.restore is not None else [],
        key_spaces.TOMBSTONE: [tombstones_range(number)] if is_replicated else [],
        key_spaces.CONSENSUS: [consensus_range(number)] if is_replicated else [],
        key_spaces.VECTOR_LOG: [
            prefix_range(keyspace.vector_log_key(number, index)) for index in sorted(vectors)
        ],
    }


def _counter_keys(number: int, index: int, *, has_vectors: bool) -> list[bytes]:
    keys = [keyspace.item_count_key(number, index), keyspace.bytes_key(number, index)]
    return [*keys, keyspace.saved_bytes_key(number, index)] if has_vectors else keys


def _of_nothing(where: str, key: bytes) -> str:
    return f"{where}: the row at {key.hex()} belongs to nothing"


async def _outside(
    engine: Engine, whole: Range, known: Mapping[Space, Sequence[Range]]
) -> AsyncIterator[bytes]:
    """The first keys of `whole` that are in none of the ranges `known`, which are in order."""
    left = VERIFY_FINDINGS_MAX
    start, end = whole
    for gap_end, following in (*chain(*known.values()), (end, end)):
        if start < gap_end:
            async for key, _ in pairs(engine, (start, gap_end)):
                if left:
                    left -= 1
                    yield key
        start = following


def _only(key: bytes) -> Range:
    return key, key + b"\x00"


async def strays(engine: Engine, numbers: set[int]) -> list[str]:
    """Rows of unknown tables; one scan for each table number, not for each row."""
    found: list[str] = []
    start = keyspace.table_range(1)[0]
    while len(found) < VERIFY_FINDINGS_MAX:
        pairs = await engine.scan(start, _LAST_KEY, limit=1, bytes_max=1)
        if not pairs:
            break
        key = pairs[0][0]
        number = int.from_bytes(key[:_NUMBER_BYTES], "big")
        if len(key) < _NUMBER_BYTES or number == _LAST_NUMBER:
            found.append(f"the key {key.hex()} is of no table")
            start = key + b"\x00"
            continue
        if number not in numbers:
            found.append(f"there are rows of table {number}, which the catalog does not know")
        start = keyspace.table_range(number)[1]
    return found
