"""The persisted state of a member of the group of a strong table, as rows of the engine.

`hashrange verify` reads it too: the rows of tables with replicas, and those of witnesses.
"""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from struct import Struct
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.consensus import RECENT_WRITES
from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.model.table import Table
from hashrange.regions.consensus.messages import Entry, Snapshot
from hashrange.regions.consensus.saving import Save, Stored
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.jobs.witnesses import decode_witness
from hashrange.tables.keys.consensus_keys import (
    applied_key,
    consensus_range,
    entries_range,
    entry_key,
    index_in,
    index_of,
    index_row,
    starts_key,
    state_key,
    witnesses_range,
    written_key,
)
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.system_keys import catalog_range

Written: TypeAlias = tuple[int, str, bytes, int]
"""A write that took effect: the index of its entry, region, key as in entries, and version."""

_TERM: Final = Struct(">Q")


class _State(msgspec.Struct, frozen=True, array_like=True):
    """The row of a member; `last` is the index of its last entry."""

    term: int
    vote: str | None
    snapshot: Snapshot
    last: int


_NEW: Final = _State(0, None, Snapshot(), 0)
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_State).decode
_decode_table: Final = msgspec.json.Decoder(Table).decode
_decode_write: Final = msgspec.msgpack.Decoder(tuple[str, bytes, int]).decode


async def load(engine: Engine, number: int) -> Stored:
    """The state persisted under the number of a table; a new member if nothing was.

    Raises AssertionError: entries are missing.
    """
    row, applied = await engine.read([state_key(number), applied_key(number)])
    state = _NEW if row is None else _decode(row)
    index, entries = state.snapshot.position.index, list[Entry]()
    async for key, value in pairs(engine, entries_range(number)):
        index += 1
        assert index_of(key) == index, "entries without gaps after the snapshot"
        entries.append(Entry(_TERM.unpack_from(value)[0], value[_TERM.size :]))
    assert index == state.last, "all entries that were saved"
    return Stored(
        term=state.term,
        vote=state.vote,
        snapshot=state.snapshot,
        entries=tuple(entries),
        applied=index_in(applied),
    )


async def count_start(engine: Engine, number: int, fences: Fences = NO_FENCES) -> int:
    """Count a start of a member; no other start of it has the same number."""
    key = starts_key(number)

    def decide(values: Sequence[bytes | None]) -> Changes[int]:
        count = index_in(values[0]) + 1
        return Changes(answer=count, puts={key: index_row(count)})

    return await engine.write([key], decide, fences=fences)


async def writes_before(engine: Engine, number: int, applied: int) -> list[Written]:
    """The writes that decide on the entries after an index that is applied, in order."""
    first, last = max(applied - RECENT_WRITES, 0) + 1, applied + 1
    if last <= first:
        return []
    keys = written_key(number, first), written_key(number, last)
    return [(index_of(key), *_decode_write(value)) async for key, value in pairs(engine, keys)]


def written_row(number: int, write: Written) -> tuple[bytes, bytes]:
    """The key and the value of the row of a write that takes effect."""
    index, *rest = write
    return written_key(number, index), _encode(rest)


async def save(
    engine: Engine,
    number: int,
    change: Save,
    *,
    writes: Sequence[Written] = (),
    fences: Fences = NO_FENCES,
) -> None:
    """Persist a save, in one write; it is durable when this returns.

    Of a snapshot of another member the items are not written here: they must be there before.

    Args:
        engine: stores the rows.
        number: of the table.
        change: the save; they come in the order of their numbers.
        writes: the recent ones before a snapshot of another member, which replace the own.
        fences: of the write.
    """
    decide = partial(_changes, number, change, {row[0]: row for row in writes})
    await engine.write([state_key(number)], decide, fences=fences)


def _changes(
    number: int,
    change: Save,
    writes: dict[int, Written],
    values: Sequence[bytes | None],
) -> Changes[None]:
    before = _NEW if values[0] is None else _decode(values[0])
    base = change.snapshot.position.index
    last = change.first - 1 + len(change.entries)
    state = _State(change.term, change.vote, change.snapshot, last)
    puts = {state_key(number): _encode(state)}
    for index, entry in enumerate(change.entries, change.first):
        puts[entry_key(number, index)] = _TERM.pack(entry.term) + entry.data
    old = before.snapshot.position.index
    first = old + 1
    compacted = range(first, min(base, before.last) + 1)
    cut = range(max(last + 1, first), before.last + 1)
    deletes = [entry_key(number, each) for each in {*compacted, *cut}]
    # They are kept for as long as entries of their time are: a copy of the items may need them.
    gone = range(max(old - RECENT_WRITES, 0) + 1, max(base - RECENT_WRITES, 0) + 1)
    if change.is_installed:
        puts[applied_key(number)] = index_row(base)
        puts.update(written_row(number, write) for write in writes.values())
        gone = range(gone.start, min(base, before.last) + 1)
    deletes += [written_key(number, each) for each in gone if each not in writes]
    return Changes(answer=None, puts=puts, deletes=deletes)


async def log_row_findings(engine: Engine) -> list[str]:
    """Rows of members that cannot be read, and logs with gaps; each is a sentence."""
    found: list[str] = []
    async for name, number, has_log in _members(engine):
        faults = [
            f"{name}: the row at {key.hex()} of the log of its group cannot be read"
            async for key, value in pairs(engine, consensus_range(number))
            if not _is_row(number, key, value)
        ]
        if has_log and not faults:
            try:
                await load(engine, number)
            except AssertionError as error:
                faults = [f"{name}: the log of its group lacks {error}"]
        found += faults[: VERIFY_FINDINGS_MAX - len(found)]
    return found


async def _members(engine: Engine) -> AsyncIterator[tuple[str, int, bool]]:
    """Name, number, and whether there is a log, of tables with replicas and of witnesses."""
    async for _, entry in pairs(engine, catalog_range()):
        try:
            table = _decode_table(entry)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # it is a finding of the catalog
        if table.replication is not None:
            yield table.name, table.number, table.strong is not None and table.strong.has_log
    async for _, row in pairs(engine, witnesses_range()):
        try:
            witness = decode_witness(row)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # likewise, of witnesses
        if witness.gone_ms is None:
            yield f"witness of {witness.name}", witness.number, witness.group.has_log


def _is_row(number: int, key: bytes, value: bytes) -> bool:
    """Whether a row has the form that its key demands."""
    try:
        if key == state_key(number):
            _decode(value)
            return True
        if key in {applied_key(number), starts_key(number)}:
            return len(value) == len(index_row(0))
        index = int.from_bytes(key[-_TERM.size :])
        if key == entry_key(number, index):
            return len(value) >= _TERM.size
        if key != written_key(number, index):
            return False
        _decode_write(value)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
