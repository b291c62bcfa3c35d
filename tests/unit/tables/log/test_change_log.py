"""Change records: their format, which is on disks, and which changes are changes."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.canonical import canonical_item
from hashrange.model.log import Actor, LogReader
from hashrange.model.table import Index
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image, image_of
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import logs_range
from hashrange.tables.log import change_log
from hashrange.tables.log.change_log import ChangeRecord, LogRouter
from hashrange.tables.log.shards import with_reader, with_stream
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.unit.model.strategies import items
from tests.unit.tables.definitions import NOON_MS, PK, definition, store_of, write_item

OLD, NEW = Image(3, b'{"a":{"S":"xy"}}'), Image(2, b'{"a":{"S":"x"}}')


def image(item):
    sized = canonical_item(item, Wording.CURRENT)
    return image_of(sized.item, sized.bytes)


STAMP = NOON_MS.to_bytes(8)


# On disks, as builds before format 3 wrote them, and as this one does.
@pytest.mark.parametrize(
    ("record", "older", "expected"),
    [
        (
            ChangeRecord(Actor.CALLER, None, NEW, 7, time_ms=NOON_MS),
            "02 02 0000000000000007 0000 e9d47590 00000002" + NEW.json.hex(),
            "02 02 0000000000000007 0000 542cb2a1 000000027b22610178227d7d",
        ),
        (
            ChangeRecord(Actor.CALLER, OLD, NEW, 2**63, 513, time_ms=NOON_MS),
            "02 03 8000000000000000 0201 081dc3ed 00000003 00000010"
            + OLD.json.hex()
            + "00000002"
            + NEW.json.hex(),
            (
                "02 03 8000000000000000 0201 d9e18bac 00000003000000097b2261017879227d7d"
                "000000027b22610178227d7d"
            ),
        ),
        (
            ChangeRecord(Actor.TIME_TO_LIVE, OLD, None, 2, time_ms=NOON_MS),
            "02 05 0000000000000002 0000 844cb1a8 00000003 00000010" + OLD.json.hex(),
            "02 05 0000000000000002 0000 ffc276e1 00000003000000097b2261017879227d7d",
        ),
        (
            ChangeRecord(Actor.CALLER, OLD, None, 9, time_ms=NOON_MS, unkept=2),
            "03 03 0000000000000009 0000 82048ec6 00000003 00000010" + OLD.json.hex() + "00000002",
            "03 03 0000000000000009 0000 d095c494 00000003000000097b2261017879227d7d00000002",
        ),
    ],
)
def test_format(record, older, expected):
    data = change_log.stored(record)
    assert data.hex() == expected.replace(" ", "")
    old = bytes.fromhex(older)
    for each in (data, old):
        assert change_log.history_from(STAMP + each) == record
        assert change_log.time_ms_of(STAMP + each) == NOON_MS
    if record.unkept is None:
        assert change_log.record_from(STAMP + data) == record
    else:
        with pytest.raises(AssertionError, match="without the image after"):
            change_log.record_from(STAMP + data)


def test_other_formats_are_not_guessed_at():
    data = change_log.stored(ChangeRecord(Actor.CALLER, None, NEW))
    with pytest.raises(AssertionError, match="unknown format"):
        change_log.record_from(STAMP + b"\x04" + data[1:])


# A disk that alters a byte is noticed: every byte behind the stamp is in the checksum.
def test_altered_records_are_noticed():
    data = change_log.stored(ChangeRecord(Actor.CALLER, OLD, NEW, 7))
    for place in range(1, len(data)):
        altered = data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]
        with pytest.raises(AssertionError, match="checksum"):
            change_log.record_from(STAMP + altered)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, NEW, True),
        (OLD, None, True),
        (OLD, NEW, True),
        (OLD, Image(3, b'{"a":{"S":"xz"}}'), True),
        (OLD, Image(3, b'{"a":{"S":"xy"}}'), False),
        # The same bytes in another order are the same item.
        (
            Image(4, b'{"a":{"S":"x"},"b":{"S":"y"}}'),
            Image(4, b'{"b":{"S":"y"},"a":{"S":"x"}}'),
            False,
        ),
        (
            Image(4, b'{"a":{"S":"x"},"b":{"S":"y"}}'),
            Image(4, b'{"b":{"S":"x"},"a":{"S":"y"}}'),
            True,
        ),
    ],
)
def test_change(before, after, expected):
    assert change_log.is_change(before, after) is expected


# As the service: a set has no order, and neither has a map.
def test_order_is_no_change():
    one = image({"s": {"SS": ["b", "a"]}, "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}})
    other = image({"m": {"M": {"y": {"N": "2"}, "x": {"N": "1.0"}}}, "s": {"SS": ["a", "b"]}})
    assert not change_log.is_change(one, other)


# Half of the hashes each: an item goes to the shard whose range has it, whatever the bounds.
@given(st.integers(1, 7), st.binary(min_size=16, max_size=16))
def test_each_hash_has_one_log(shards, hashed):
    table = with_stream(definition(), "KEYS_ONLY", shards, NOON_MS)
    log = LogRouter(table).log_of(b"\x00\x00\x00\x01\x01" + hashed + b"sort")
    (shard,) = (
        shard
        for shard in table.log.open_shards
        if shard.start <= hashed and (not shard.end or hashed < shard.end)
    )
    assert log == keyspace.log_key(1, shard.number)


ITEMS = st.one_of(st.none(), items)


def logged(engine):
    start, end = logs_range(1)
    return [
        change_log.history_from(value)
        for key, value in sorted(engine.pairs.items())
        if start <= key < end
    ]


def opened(**changes):
    table = with_stream(definition(**changes), "KEYS_ONLY", 1, NOON_MS)
    return OpenTable(table, {})


def put(engine, table, item, who=Actor.CALLER):
    key = key_of_item(table, item)
    decide = lambda _: Decision(image(item), None)  # noqa: E731
    asyncio.run(write_item(store_of(engine), ItemWrite(table, key, decide, who)))


# The record goes with the item; the time is that of the write, and nothing is logged of nothing.
def test_writer_logs_what_changed():
    engine, table = DictEngine(now_ms=lambda: NOON_MS), opened()
    put(engine, table, {"pk": {"S": "1"}, "a": {"N": "1"}})
    put(engine, table, {"a": {"N": "1.0"}, "pk": {"S": "1"}})
    put(engine, table, {"pk": {"S": "1"}, "a": {"N": "2"}}, Actor.TIME_TO_LIVE)
    first, second = logged(engine)
    assert (first.before, first.after) == (None, image({"pk": {"S": "1"}, "a": {"N": "1"}}))
    assert (second.before.item(), second.after.item()) == (
        {"pk": {"S": "1"}, "a": {"N": "1"}},
        {"pk": {"S": "1"}, "a": {"N": "2"}},
    )
    assert (first.who, second.who) == (Actor.CALLER, Actor.TIME_TO_LIVE)
    assert (first.time_ms, second.time_ms) == (NOON_MS, NOON_MS)
    assert first.version < second.version


# Only history needs the log: the image after a change is the item's, or that before the next one.
def test_history_has_the_images_before_changes():
    recovery = LogReader(name="recovery", kind="RECOVERY", first_shard=0)
    table = OpenTable(with_reader(definition(), recovery, 1, NOON_MS), {})
    engine = DictEngine(now_ms=lambda: NOON_MS)
    first, second = {"pk": {"S": "1"}, "a": {"N": "1"}}, {"pk": {"S": "1"}, "a": {"N": "22"}}
    for item in (first, second):
        put(engine, table, item)
    key = key_of_item(table, first)
    delete = ItemWrite(table, key, lambda _: Decision(None, None))
    asyncio.run(write_item(store_of(engine), delete))
    made, changed, deleted = logged(engine)
    assert (made.before, made.after, made.unkept) == (None, image(first), None)
    size = image(second).size
    assert (changed.before, changed.after, changed.unkept) == (image(first), None, size)
    assert (deleted.before, deleted.after, deleted.unkept) == (image(second), None, None)


# Tables with indexes take another path through the writer, and batches a third one.
def test_writer_logs_items_of_indexes_and_batches():
    index = Index(name="i", number=1, partition=(PK,), projection="ALL")
    engine, table = DictEngine(), opened(indexes=(index,))
    put(engine, table, {"pk": {"S": "1"}})
    writes = [
        ItemWrite(table, key_of_item(table, item), lambda _, item=item: Decision(image(item), None))
        for item in ({"pk": {"S": "1"}, "b": {"BOOL": True}}, {"pk": {"S": "2"}})
    ]
    asyncio.run(write_items(store_of(engine), writes))
    assert [record.after.item() for record in logged(engine)] == [
        {"pk": {"S": "1"}},
        {"pk": {"S": "1"}, "b": {"BOOL": True}},
        {"pk": {"S": "2"}},
    ]


def test_writer_logs_nothing_without_a_stream():
    engine = DictEngine()
    put(engine, OpenTable(definition(), {}), {"pk": {"S": "1"}})
    assert logged(engine) == []


# What was written by an older build has no streams, and is read as it is.
def test_entries_without_streams_are_read():
    entry = msgspec.json.encode(definition())
    assert b"stream" not in entry
    assert msgspec.json.decode(entry, type=type(definition())).stream is None


@given(ITEMS, ITEMS)
def test_records_are_read_back(before, after):
    images = [None if item is None else image(item) for item in (before, after)]
    record = ChangeRecord(Actor.CALLER, *images, 1, time_ms=NOON_MS)
    assert change_log.record_from(STAMP + change_log.stored(record)) == record
