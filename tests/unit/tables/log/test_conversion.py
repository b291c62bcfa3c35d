"""From rows of format 1 to rows of format 2: by value, and again after every interruption."""

import asyncio

import msgspec
import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.log import Actor
from hashrange.model.table import Table
from hashrange.tables.items.images import Image, check, image_and_version, stored, stored_unpacked
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.log_keys import record_key
from hashrange.tables.log import change_log
from hashrange.tables.log.change_log import ChangeRecord
from hashrange.tables.log.conversion import Converter, ensure_format
from tests.rows import rows
from tests.unit.tables.definitions import NOON_MS, definition

JSON = b'{"pk":{"S":"x"}}'
ITEM = keyspace.item_key(1, {"S": "x"}, None)
ENTRY = keyspace.index_entry_key(
    keyspace.index_partition_prefix(1, 1, [{"S": "x"}], []), [{"S": "x"}]
)
LOG = keyspace.log_key(1, 3)
OLD_IMAGE = b"\x01\x00\x00\x00\x03" + JSON


def old_record(time_ms, flags=2):
    return b"\x01" + bytes((flags,)) + time_ms.to_bytes(8) + b"\x00\x00\x00\x03" + JSON


@pytest.mark.parametrize("key", [ITEM, ENTRY])
def test_items_and_entries_get_a_version_and_a_checksum(key):
    converted = Converter().value(key, OLD_IMAGE)
    assert image_and_version(converted) == (Image(3, JSON), 0)
    check(key, converted)
    assert Converter().value(key, converted) == converted


# The time of a request was not that of its commit, so times of one log went back now and then.
def test_records_get_stamps_that_do_not_decrease():
    converter = Converter()
    times = [5, 9, 7, 10]
    values = [
        converter.value(record_key(LOG, number), old_record(time_ms))
        for number, time_ms in enumerate(times, 1)
    ]
    expected = [
        ChangeRecord(Actor.CALLER, None, Image(3, JSON), time_ms=time_ms)
        for time_ms in (5, 9, 9, 10)
    ]
    assert [change_log.record_from(value) for value in values] == expected
    assert converter.stamps == {LOG: 10}
    assert [converter.value(record_key(LOG, 1), value) for value in values] == values


def test_both_images_and_the_origin_of_a_record_stay():
    head = b"\x01\x07" + NOON_MS.to_bytes(8)
    before = b"\x00\x00\x00\x03" + len(JSON).to_bytes(4) + JSON
    value = Converter().value(record_key(LOG, 1), head + before + b"\x00\x00\x00\x04" + JSON)
    record = change_log.record_from(value)
    assert record == ChangeRecord(
        Actor.TIME_TO_LIVE, Image(3, JSON), Image(4, JSON), time_ms=NOON_MS
    )


def old_entry(**members):
    entry = msgspec.json.decode(msgspec.json.encode(definition()))
    entry.pop("log", None)
    return msgspec.json.encode({**entry, **members})


def shard(number, **members):
    return {"number": number, "opened_ms": 1, **members}


@pytest.mark.parametrize("key", [system_keys.catalog_key("t"), system_keys.dropped_key(1)])
def test_shards_of_streams_become_those_of_the_log(key):
    first = {"view_type": "KEYS_ONLY", "created_ms": 1, "disabled_ms": 2}
    streams = [
        {**first, "shards": [shard(2, closed_ms=2, parent=1), shard(3, closed_ms=2)]},
        {"view_type": "NEW_IMAGE", "created_ms": 3, "shards": [shard(4), shard(5)]},
    ]
    value = Converter().value(key, old_entry(streams=streams, next_log=6))
    table = msgspec.json.decode(value, type=Table)
    assert [one.number for one in table.log.shards] == [2, 3, 4, 5]
    assert table.log.next_shard == 6
    assert [(one.first_shard, one.end_shard) for one in table.streams] == [(2, 4), (4, None)]
    assert [[one.number for one in table.shards_of(each)] for each in table.streams] == [
        [2, 3],
        [4, 5],
    ]
    assert Converter().value(key, value) == value


def test_a_table_that_never_had_a_stream_stays_as_it_is():
    entry = old_entry()
    assert Converter().value(system_keys.catalog_key("t"), entry) == entry


# What is damaged is told by verify; a conversion must not stop at it, nor hide it.
@rows("key", [ITEM, record_key(LOG, 1), system_keys.catalog_key("t"), b"", b"\x01"])
@rows("value", [b"", b"\x01", b"{}", b"[]", b'{"next_log":1,"streams":[{}]}'])
def test_what_cannot_be_read_stays_as_it_is(key, value):
    assert Converter().value(key, value) == value


class StoppedError(Exception):
    """The process ends."""


class Stopping(DictEngine):
    """An engine whose process ends after some writes."""

    def __init__(self, pairs, writes):
        super().__init__(pairs)
        self.left = writes

    async def write(self, keys, decide, **fences):
        if not self.left:
            raise StoppedError
        self.left -= 1
        return await super().write(keys, decide, **fences)


@pytest.mark.parametrize("writes", range(6))
def test_conversion_goes_on_where_it_was_stopped(writes):
    keys = [keyspace.item_key(1, {"N": str(number)}, None) for number in range(7)]
    engine = Stopping(dict.fromkeys(keys, OLD_IMAGE), writes)
    if writes < 5:
        with pytest.raises(StoppedError):
            asyncio.run(ensure_format(engine, page_rows=2))
    engine.left = 99
    asyncio.run(ensure_format(engine, page_rows=2))
    assert engine.pairs == {
        **dict.fromkeys(keys, stored_unpacked(Image(3, JSON))),
        system_keys.format_key(): (2).to_bytes(4),
    }
    assert asyncio.run(ensure_format(engine)) == 0


# Another server of this build converts at the same time, and has begun to serve.
def test_a_row_that_was_changed_meanwhile_is_left_alone():
    class Late(DictEngine):
        async def scan(self, *args, **options):
            page = await super().scan(*args, **options)
            self.pairs[ITEM] = stored(Image(9, JSON), ITEM, 7)
            return page

    engine = Late({ITEM: OLD_IMAGE})
    asyncio.run(ensure_format(engine))
    assert engine.pairs[ITEM] == stored(Image(9, JSON), ITEM, 7)
