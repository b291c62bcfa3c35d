"""The one writer, on an engine that is a dict: the item and the counters go together."""

import asyncio
import itertools
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError, invalid
from hashrange.storage.engine import StaleFenceError
from hashrange.tables.items.images import Image, ItemChanges
from hashrange.tables.keys.keyspace import bytes_key, item_count_key
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import read_size
from hashrange.tables.writing import writer
from hashrange.tables.writing.write_plans import Decision, ItemWrite, WriteResult
from hashrange.tables.writing.writer import write_items
from tests.unit.tables.definitions import Told, definition, store_of, write_item

FENCE = {b"fence": b"1"}
ONE, TWO = (OpenTable(definition(number=number), FENCE) for number in (1, 2))
SMALL, LARGE = Image(10, b"{}"), Image(100, b'{"a":{"S":"x"}}')


@pytest.fixture
def engine():
    return DictEngine(dict(FENCE))


def replacing(after, seen=None):
    """A decision to put `after`; it notes what it has seen."""

    def decide(before):
        if seen is not None:
            seen.append(before)
        return Decision(after, "done")

    return decide


def write(engine, after, key=b"key", table=ONE):
    return asyncio.run(write_item(store_of(engine), ItemWrite(table, key, replacing(after))))


def size(engine, table=ONE):
    counted = asyncio.run(read_size(engine, table.number))
    return counted.items, counted.size


# Charged is the larger of both images, whichever it is; of nothing nothing.
@pytest.mark.parametrize(("before", "after"), [*itertools.product([None, SMALL, LARGE], repeat=2)])
def test_a_write_tells_its_larger_image(engine, before, after):
    write(engine, before)
    assert write(engine, after).size == max(image.size if image else 0 for image in (before, after))


# What tells of a write sees what became of it, whether the table is looked at first or not.
@pytest.mark.parametrize("needs_preread", [False, True])
def test_what_is_told_is_made_of_what_was_done(engine, needs_preread):
    table = OpenTable(definition(), FENCE)
    table.needs_preread = needs_preread
    write = ItemWrite(table, b"key", replacing(LARGE))
    plan = Told(write, lambda done: ("told", done))
    told = asyncio.run(writer.write_item(plan, SimpleNamespace(store=store_of(engine))))
    assert told == ("told", WriteResult("done", 100))


def test_decision_sees_the_item_before(engine):
    write(engine, LARGE)
    seen = []
    asyncio.run(write_item(store_of(engine), ItemWrite(ONE, b"key", replacing(SMALL, seen))))
    asyncio.run(write_item(store_of(engine), ItemWrite(ONE, b"none", replacing(None, seen))))
    assert seen == [LARGE, None]


# The image that was handed in, handed back, is no change: nothing is written.
def test_same_image_writes_nothing(engine):
    write(engine, LARGE)
    stored = engine.pairs[b"key"]
    answer = asyncio.run(
        write_item(
            store_of(engine), ItemWrite(ONE, b"key", lambda before: Decision(before, "kept"))
        )
    )
    assert answer == WriteResult("kept", 100)
    assert engine.pairs[b"key"] is stored


def refuse(_):
    raise invalid("no")


def test_refusal_changes_nothing_and_is_told(engine):
    write(engine, LARGE)
    before = dict(engine.pairs)
    with pytest.raises(DynamoError, match="no"):
        asyncio.run(write_item(store_of(engine), ItemWrite(ONE, b"key", refuse)))
    assert engine.pairs == before


# A table that changed meanwhile: the plan was made for another one.
def test_stale_plan_is_not_carried_out(engine):
    engine.pairs[b"fence"] = b"2"
    with pytest.raises(StaleFenceError):
        write(engine, SMALL)
    assert engine.pairs == {b"fence": b"2"}


def test_several_items_are_written_as_one(engine):
    write(engine, LARGE, b"a")
    writes = [
        ItemWrite(ONE, b"a", lambda before: Decision(None, before)),
        ItemWrite(ONE, b"b", lambda before: Decision(SMALL, before)),
        ItemWrite(TWO, b"c", lambda before: Decision(LARGE, before)),
        ItemWrite(TWO, b"d", lambda before: Decision(before, before)),
    ]
    done = asyncio.run(write_items(store_of(engine), writes))
    assert [one.answer for one in done] == [LARGE, None, None, None]
    assert {key for key in engine.pairs if len(key) == 1} == {b"b", b"c"}
    assert size(engine, ONE) == (1, 10)
    assert size(engine, TWO) == (1, 100)


def test_refusal_of_one_changes_none(engine):
    before = dict(engine.pairs)
    writes = [ItemWrite(ONE, b"a", replacing(SMALL)), ItemWrite(ONE, b"b", refuse)]
    with pytest.raises(DynamoError, match="no"):
        asyncio.run(write_items(store_of(engine), writes))
    assert engine.pairs == before


# Every table that is written must be as the plans know it.
def test_fences_of_all_tables_hold(engine):
    other = OpenTable(definition(number=2), {b"other": b"1"})
    writes = [ItemWrite(ONE, b"a", replacing(SMALL)), ItemWrite(other, b"b", replacing(SMALL))]
    with pytest.raises(StaleFenceError):
        asyncio.run(write_items(store_of(engine), writes))
    assert engine.pairs == FENCE


# Only what moves: a counter that is not touched is no conflict for anyone.
@pytest.mark.parametrize(
    ("before", "after", "items", "size"),
    [
        (None, SMALL, 1, 10),
        (SMALL, None, -1, -10),
        (SMALL, LARGE, None, 90),
        (LARGE, SMALL, None, -90),
        (SMALL, Image(10, b"other"), None, None),
        (None, None, None, None),
    ],
)
def test_counters_that_move(before, after, items, size):
    moved = {item_count_key(1): items, bytes_key(1): size}
    expected = {key: amount for key, amount in moved.items() if amount is not None}
    changes = ItemChanges()
    old_size = None if before is None else before.size
    changes.replace(ONE, b"key", old_size, after, version=1)
    assert changes.adds == expected


keys = st.sampled_from([b"a", b"b", b"c"])
images = st.one_of(st.none(), st.builds(Image, st.integers(1, 500), st.just(b"{}")))


async def counted_after(history):
    """What the counters say after each step, one by one or together."""
    engine = DictEngine(dict(FENCE))
    for step, together in history:
        writes = [ItemWrite(ONE, key, replacing(after)) for key, after in step.items()]
        if together:
            await write_items(store_of(engine), writes)
        else:
            for one in writes:
                await write_item(store_of(engine), one)
        told = await read_size(engine, ONE.number)
        yield told.items, told.size


# After any history the counters are what counting would give.
@given(st.lists(st.tuples(st.dictionaries(keys, images, min_size=1), st.booleans())))
def test_counters_are_what_counting_gives(history):
    model = {}
    expected = []
    for step, _ in history:
        model.update(step)
        present = [image for image in model.values() if image is not None]
        expected.append((len(present), sum(image.size for image in present)))

    async def told():
        return [counted async for counted in counted_after(history)]

    assert asyncio.run(told()) == expected
