"""What members of groups persist comes back from the rows of an engine, after any saves."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.limits.consensus import RECENT_WRITES
from hashrange.model.replication import Replication, StrongGroup, Witness
from hashrange.regions.consensus.messages import Entry, Position, Snapshot
from hashrange.regions.consensus.saving import Save, Stored
from hashrange.regions.strong.log_rows import (
    count_start,
    load,
    log_row_findings,
    save,
    writes_before,
    written_row,
)
from hashrange.storage.engine import Changes
from hashrange.tables.jobs.witnesses import encode_witness
from hashrange.tables.keys import consensus_keys
from hashrange.tables.keys.consensus_keys import witness_key
from hashrange.tables.keys.system_keys import catalog_key
from tests.model.simulated_member import stored_after
from tests.unit.tables.definitions import definition

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


REGIONS = ("eu-west-1", "us-east-1", "us-west-2")
GROUP = StrongGroup(id="a-group", members=REGIONS, state="ACTIVE")
STRONG = definition(number=NUMBER, replication=Replication(regions=REGIONS, strong=GROUP))
WITNESS = Witness(number=NUMBER, account="0" * 12, name="a-table", region="us-west-2", group=GROUP)


def found_with(rows, *, catalog=STRONG):
    """What `verify` finds of a member with two entries and a write, some rows written over."""

    async def run():
        engine = DictEngine()
        if catalog is WITNESS:
            engine.pairs[witness_key("a-group")] = encode_witness(WITNESS)
        else:
            engine.pairs[catalog_key(catalog.name)] = msgspec.json.encode(catalog)
        await save(engine, NUMBER, a_save(entries=entries(b"a", b"b")))
        await count_start(engine, NUMBER)
        key, row = written_row(NUMBER, (1, "west", b"key", 1))
        engine.pairs[key] = row
        for damaged, value in rows.items():
            if value is None:
                del engine.pairs[damaged]
            else:
                engine.pairs[damaged] = value
        return await log_row_findings(engine)

    return asyncio.run(run())


@pytest.mark.parametrize("catalog", [STRONG, WITNESS], ids=["table", "witness"])
def test_verify_finds_nothing_in_rows_that_were_saved(catalog):
    assert found_with({}, catalog=catalog) == []


@pytest.mark.parametrize("catalog", [STRONG, WITNESS], ids=["table", "witness"])
@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({consensus_keys.state_key(NUMBER): b"\x93"}, "cannot be read"),
        ({consensus_keys.applied_key(NUMBER): b"\x01"}, "cannot be read"),
        ({consensus_keys.starts_key(NUMBER): b""}, "cannot be read"),
        ({consensus_keys.entry_key(NUMBER, 2): b"\x00"}, "cannot be read"),
        ({consensus_keys.written_key(NUMBER, 1): b"\xc1"}, "cannot be read"),
        ({consensus_keys.consensus_range(NUMBER)[0] + b"\x09": b""}, "cannot be read"),
        ({consensus_keys.entry_key(NUMBER, 1): None}, "entries without gaps"),
        ({consensus_keys.entry_key(NUMBER, 2): None}, "all entries that were saved"),
    ],
)
def test_verify_finds_a_damaged_row(rows, text, catalog):
    (finding,) = found_with(rows, catalog=catalog)
    assert text in finding
