"""What a member of the group of a strong table has persisted, as rows of the engine."""

from collections.abc import Sequence
from struct import Struct
from typing import Final

import msgspec

from hashrange.consensus.messages import Entry, Snapshot
from hashrange.consensus.saving import Save, Stored
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.consensus_keys import (
    applied_key,
    entries_range,
    entry_key,
    index_in,
    index_of,
    index_row,
    state_key,
)
from hashrange.tables.paging import pairs

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


async def load(engine: Engine, number: int) -> Stored:
    """What was persisted under the number of a table; a new member if nothing was.

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


async def save(engine: Engine, number: int, change: Save) -> None:
    """Persist a save, in one write; it is durable when this returns.

    Of a snapshot of another member the items are not written here: they must be there before.

    Args:
        engine: stores the rows.
        number: of the table.
        change: the save; they come in the order of their numbers.
    """
    key = state_key(number)

    def decide(values: Sequence[bytes | None]) -> Changes[None]:
        (row,) = values
        return _changes(number, _NEW if row is None else _decode(row), change)

    await engine.write([key], decide)


def _changes(number: int, before: _State, change: Save) -> Changes[None]:
    base = change.snapshot.position.index
    last = change.first - 1 + len(change.entries)
    state = _State(change.term, change.vote, change.snapshot, last)
    puts = {state_key(number): _encode(state)}
    for index, entry in enumerate(change.entries, change.first):
        puts[entry_key(number, index)] = _TERM.pack(entry.term) + entry.data
    if change.is_installed:
        puts[applied_key(number)] = index_row(base)
    first = before.snapshot.position.index + 1
    compacted = range(first, min(base, before.last) + 1)
    cut = range(max(last + 1, first), before.last + 1)
    gone = {*compacted, *cut}
    return Changes(answer=None, puts=puts, deletes=[entry_key(number, each) for each in gone])
