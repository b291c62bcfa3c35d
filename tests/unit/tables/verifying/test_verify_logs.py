"""`hashrange verify` and change logs: what no write could have left there is found."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.canonical import canonical_item
from hashrange.model.log import Actor, LogReader
from hashrange.model.wording import Wording
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_of, stored
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.log_keys import logs_range, record_key
from hashrange.tables.log import change_log
from hashrange.tables.log.change_log import ChangeRecord, LogRouter
from hashrange.tables.log.shards import (
    Horizon,
    rolled,
    trimmed,
    with_reader,
    with_stream,
    without_stream,
)
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition, store_of, write_item

NAME = "logged"


def image(item):
    sized = canonical_item(item, Wording.CURRENT)
    return image_of(sized.item, sized.bytes)


async def write(engine, pk, **attributes):
    """Put an item, or delete it without attributes."""
    table = await Catalog(engine).open(NAME)
    item = {"pk": {"S": pk}, **attributes}
    after = image(item) if attributes else None
    plan = ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))
    await write_item(store_of(engine), plan)


async def made():
    """Two generations of two shards, and records in each of them."""
    engine = DictEngine()
    catalog = Catalog(engine)

    def draft(number):
        return with_stream(definition(number=number, name=NAME), "KEYS_ONLY", 2, NOON_MS)

    await catalog.create(draft, NAME)
    for round_ in range(3):
        for number in range(8):
            await write(engine, str(number), n={"N": str(round_)})
        await catalog.change(NAME, lambda table: rolled(table, table.created_ms + HOUR_MS, HOUR_MS))
    await write(engine, "0")
    return engine


@pytest.fixture
def engine():
    return asyncio.run(made())


def found(engine):
    return asyncio.run(findings(engine))


def records(engine):
    start, end = logs_range(1)
    return sorted(key for key in engine.pairs if start <= key < end)


def change(engine, change_):
    asyncio.run(Catalog(engine).change(NAME, change_))


def test_healthy_logs(engine):
    assert len(records(engine)) == 25
    assert found(engine) == []
    change(engine, lambda table: without_stream(table, NOON_MS))
    assert found(engine) == []
    asyncio.run(Catalog(engine).drop(NAME, NOON_MS, lambda _: None))
    assert found(engine) == []


# No record can go without being missed, but for the last one of a first shard: that may have been
# of an item that is older than the stream.
def test_each_record_is_missed(engine):
    keys = records(engine)
    for key in keys:
        if key == max(other for other in keys if other[:9] == key[:9]) and key[8] in {1, 2}:
            continue
        value = engine.pairs.pop(key)
        assert found(engine), key.hex()
        engine.pairs[key] = value
    assert found(engine) == []


# But what is trimmed may be gone or not.
def test_trimmed_records_are_not_missed(engine):
    change(engine, lambda table: trimmed(table, {1: Horizon(3), 2: Horizon(2)}))
    assert found(engine) == []
    del engine.pairs[record_key(keyspace.log_key(1, 1), 1)]
    assert found(engine) == []


# An item that was changed beside its log: the mistake that the one writer is there to rule out.
def test_change_that_was_not_logged(engine):
    table = asyncio.run(Catalog(engine).open(NAME))
    key = key_of_item(table, {"pk": {"S": "3"}})
    engine.pairs[key] = stored(image({"pk": {"S": "3"}, "n": {"N": "7"}}), key)
    assert found(engine) == [f"{NAME}: the item at {key.hex()} is not as its last record says"]


# The order of attributes is no change, so the log does not know of it.
def test_other_order_is_no_damage(engine):
    asyncio.run(write(engine, "9", a={"N": "1"}, b={"N": "2"}))
    asyncio.run(write(engine, "9", b={"N": "2"}, a={"N": "1"}))
    assert found(engine) == []


def record(before, after):
    images = [None if item is None else image(item) for item in (before, after)]
    return NOON_MS.to_bytes(8) + change_log.stored(ChangeRecord(Actor.CALLER, *images))


ITEM, OTHER = {"pk": {"S": "x"}}, {"pk": {"S": "x"}, "n": {"N": "1"}}


@pytest.mark.parametrize(
    ("value", "end"),
    [
        (b"", "cannot be read"),
        (b"\x01\x02", "cannot be read"),
        (record(None, ITEM)[:-1], "cannot be read"),
        (record(None, {"n": {"N": "1"}, "pk": {"N": "1"}}), "cannot be read"),
        (record(None, None), "is of no item"),
        (record(ITEM, ITEM), "has no change"),
    ],
)
def test_damaged_record(engine, value, end):
    key = records(engine)[3]
    engine.pairs[key] = value
    assert any(end in text for text in found(engine))


def test_record_of_an_item_of_another_shard(engine):
    first, *_, last = records(engine)
    assert first[5:9] != last[5:9]
    stray = engine.pairs[first]
    log = keyspace.log_key(1, 4)
    place = max(int.from_bytes(key[-8:]) for key in records(engine) if key.startswith(log)) + 1
    engine.pairs[record_key(log, place)] = stray
    assert any("is of an item that another shard has" in text for text in found(engine))


def test_record_that_does_not_go_on(engine):
    table = asyncio.run(Catalog(engine).open(NAME))
    log = LogRouter(table.table).log_of(key_of_item(table, ITEM))
    places = [int.from_bytes(key[-8:]) for key in records(engine) if key.startswith(log)]
    start = max(places, default=0) + 1
    engine.pairs[record_key(log, start)] = record(None, ITEM)
    engine.pairs[record_key(log, start + 1)] = record(None, OTHER)
    assert any("does not go on from the one before it" in text for text in found(engine))


@pytest.mark.parametrize("key", [record_key(keyspace.log_key(1, 77), 1), keyspace.log_key(1, 1)])
def test_rows_of_no_shard(engine, key):
    engine.pairs[key] = b""
    assert found(engine)


def with_shards(table, edit):
    log = msgspec.structs.replace(table.log, shards=tuple(edit(list(table.log.shards))))
    return msgspec.structs.replace(table, log=log)


def opened_twice(shards):
    return [*shards[:-1], msgspec.structs.replace(shards[-1], start=b"")]


def numbered_twice(shards):
    return [*shards[:-1], msgspec.structs.replace(shards[-1], number=shards[-2].number)]


@pytest.mark.parametrize("edit", [opened_twice, numbered_twice])
def test_damaged_shards(engine, edit):
    change(engine, lambda table: with_shards(table, edit))
    assert found(engine)


def test_next_number_is_taken(engine):
    def with_next(table):
        return msgspec.structs.replace(table, log=msgspec.structs.replace(table.log, next_shard=2))

    change(engine, with_next)
    assert any("the next is 2" in text for text in found(engine))


# Whatever stands there, the answer is a list of sentences.
@given(data=st.data())
def test_any_record_may_be_anything(data):
    engine = asyncio.run(made())
    key = data.draw(st.sampled_from(records(engine)))
    value = bytearray(engine.pairs[key])
    for _ in range(data.draw(st.integers(1, 3))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    engine.pairs[key] = bytes(value)[: data.draw(st.integers(0, len(value)))]
    assert all(isinstance(text, str) for text in found(engine))


@given(st.binary(max_size=14))
def test_any_row_may_stand_among_the_logs(rest):
    engine = DictEngine()

    def draft(number):
        return with_stream(definition(number=number, name=NAME), "KEYS_ONLY", 1, NOON_MS)

    asyncio.run(Catalog(engine).create(draft, NAME))
    engine.pairs[logs_range(1)[0] + rest] = b"?"
    assert found(engine)


# A position behind the end of a log would pass over the next changes; where records were, or where
# a shard was, it may stand.
def test_positions_of_triggers(engine):
    place = system_keys.trigger_key(1, 1, "mail")
    last = max(int.from_bytes(key[-8:], "big") for key in records(engine) if key[8] == 1)
    begun = {system_keys.trigger_begun_key("mail", NAME): bytes(8)}
    sound = {place: last + 1, system_keys.trigger_key(1, 99, "mail"): 7}
    engine.pairs.update({**begun, **{key: n.to_bytes(8, "big") for key, n in sound.items()}})
    assert found(engine) == []
    engine.pairs[place] = (last + 2).to_bytes(8, "big")
    assert found(engine) == [f"triggers: the row at {place.hex()} is behind the end of its log"]
    engine.pairs[place] = b"7"
    assert found(engine) == [f"triggers: the row at {place.hex()} cannot be read"]


async def history():
    """A table whose records have only the images before changes."""
    engine = DictEngine()
    recovery = LogReader(name="recovery", kind="RECOVERY", first_shard=0)
    await Catalog(engine).create(
        lambda number: with_reader(definition(number=number, name=NAME), recovery, 1, NOON_MS), NAME
    )
    for number in (1, 22, 333):
        await write(engine, "0", n={"N": str(number) * 3})
    return engine


# Of an image that a record does not have the size is known.
def test_history_that_does_not_go_on_is_found():
    engine = asyncio.run(history())
    assert found(engine) == []
    _, second, last = records(engine)
    whole = dict(engine.pairs)
    del engine.pairs[last]
    assert any("is not as its last record says" in text for text in found(engine))
    engine.pairs = dict(whole)
    stamp, record = whole[second][:8], change_log.history_from(whole[second])
    engine.pairs[second] = stamp + change_log.stored(msgspec.structs.replace(record, unkept=1))
    assert any("does not go on" in text for text in found(engine))
    engine.pairs = dict(whole)
    stamp, record = whole[last][:8], change_log.history_from(whole[last])
    other = image({"pk": {"S": "0"}, "n": {"N": "1"}})
    engine.pairs[last] = stamp + change_log.stored(msgspec.structs.replace(record, before=other))
    assert any("does not go on" in text for text in found(engine))
