"""What members of groups persist comes back from the rows of an engine, after any saves."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.limits.consensus import RECENT_WRITES
from hashrange.regions.consensus.messages import Entry, Position, Snapshot
from hashrange.regions.consensus.saving import Save, Stored
from hashrange.regions.strong.log_rows import count_start, load, save, writes_before, written_row
from hashrange.storage.engine import Changes
from hashrange.tables.keys import consensus_keys
from tests.model.simulated_member import stored_after

NUMBER = 7


def a_save(**members):
    changed = {
        "number": 1,
        "term": 1,
        "vote": None,
        "snapshot": Snapshot(),
        "first": 1,
        "entries": (),
        "is_installed": False,
    }
    return Save(**{**changed, **members})


def loaded(*saves):
    async def run():
        engine = DictEngine()
        for each in saves:
            await save(engine, NUMBER, each)
        return await load(engine, NUMBER)

    return asyncio.run(run())


def entries(*data):
    return tuple(Entry(1, each) for each in data)


def test_a_new_member_has_nothing():
    assert loaded() == Stored()


def test_entries_are_replaced_from_the_first_on():
    stored = loaded(
        a_save(term=3, vote="west", entries=entries(b"a", b"b", b"c")),
        a_save(term=4, first=2, entries=entries(b"d")),
    )
    assert stored == Stored(term=4, vote=None, entries=entries(b"a", b"d"))


def test_a_snapshot_of_another_member_moves_what_is_applied():
    snapshot = Snapshot(Position(2, 9), b"where")
    change = a_save(snapshot=snapshot, first=10, is_installed=True)
    stored = loaded(a_save(entries=entries(b"a", b"b")), change)
    assert stored == Stored(term=1, snapshot=snapshot, applied=9)


def test_a_missing_entry_is_told():
    async def run():
        engine = DictEngine()
        await save(engine, NUMBER, a_save(entries=entries(b"a", b"b")))
        keys = [consensus_keys.entry_key(NUMBER, 1)]
        await engine.write(keys, lambda _: Changes(answer=None, deletes=keys))
        await load(engine, NUMBER)

    with pytest.raises(AssertionError, match="gaps"):
        asyncio.run(run())


def test_rows_are_in_the_range_of_the_table():
    start, end = consensus_keys.consensus_range(NUMBER)
    keys = [
        consensus_keys.state_key(NUMBER),
        consensus_keys.applied_key(NUMBER),
        consensus_keys.entry_key(NUMBER, 0),
        consensus_keys.entry_key(NUMBER, 2**64 - 1),
    ]
    assert all(start <= key < end for key in keys)
    assert keys == sorted(keys)


# Each save cuts, appends, compacts or installs, as a member does.
@st.composite
def all_saves(draw):
    base, last, found = 0, 0, []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        is_installed = draw(st.booleans()) and draw(st.booleans())
        if is_installed:
            base = last = last + draw(st.integers(1, 3))
        first = draw(st.integers(base + 1, last + 1))
        data = draw(st.lists(st.binary(max_size=3), max_size=4))
        last = first - 1 + len(data)
        if not is_installed and data:
            base = draw(st.integers(base, first - 1))
        change = a_save(
            number=number,
            term=draw(st.integers(0, 9)),
            vote=draw(st.none() | st.text(max_size=3)),
            snapshot=Snapshot(Position(1, base)),
            first=first,
            entries=entries(*data),
            is_installed=is_installed,
        )
        found.append(change)
    return found


@given(all_saves())
def test_what_is_loaded_is_what_was_saved(saves):
    expected = Stored()
    for each in saves:
        expected = stored_after(expected, each)
    assert loaded(*saves) == expected


def test_starts_are_counted():
    async def run():
        engine = DictEngine()
        return [await count_start(engine, NUMBER) for _ in range(3)]

    assert asyncio.run(run()) == [1, 2, 3]


def written(index):
    return index, "east", b"key-%d" % index, index * 10


def rows_after(changes, *, applied):
    """The writes that decide after an index, when members were at work with a window of five."""

    async def run():
        engine = DictEngine()
        rows = dict(written_row(NUMBER, written(index)) for index in range(1, FAR + 31))
        key = consensus_keys.applied_key(NUMBER)
        await engine.write([key], lambda _: Changes(answer=None, puts=rows))
        for each, writes in changes:
            await save(engine, NUMBER, each, writes=writes)
        return await writes_before(engine, NUMBER, applied)

    return asyncio.run(run())


FAR = RECENT_WRITES - 5
"""So far from the beginning, writes are forgotten."""


# Those before the entries that were removed are not needed by anybody.
def test_writes_are_kept_as_long_as_entries_that_they_decide_on():
    begun = a_save(entries=entries(*[b"x"] * (FAR + 30))), ()
    removed = a_save(snapshot=Snapshot(Position(1, FAR + 20)), first=FAR + 31), ()
    assert rows_after([begun], applied=3) == [written(index) for index in (1, 2, 3)]
    assert rows_after([begun], applied=FAR + 20) == [written(i) for i in range(16, FAR + 21)]
    assert rows_after([begun, removed], applied=FAR + 20) == [
        written(i) for i in range(16, FAR + 21)
    ]
    assert rows_after([begun, removed], applied=FAR + 17) == [
        written(i) for i in range(16, FAR + 18)
    ]


def test_writes_come_with_a_snapshot_of_another_member():
    begun = a_save(entries=entries(*[b"x"] * (FAR + 30))), ()
    theirs = [(FAR + 38, "west", b"k", 380), (FAR + 40, "west", b"l", 400)]
    installed = (
        a_save(snapshot=Snapshot(Position(2, FAR + 40)), first=FAR + 41, is_installed=True),
        theirs,
    )
    assert rows_after([begun, installed], applied=FAR + 40) == theirs
    assert rows_after([begun, installed], applied=FAR + 30) == []
