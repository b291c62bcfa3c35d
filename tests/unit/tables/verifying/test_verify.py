"""Verify finds what was planted, says nothing of what is well, and never fails itself."""

import asyncio
import functools
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.canonical import canonical_item
from hashrange.model.wording import Wording
from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import Image, image_of, stored
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.unit.tables.definitions import NOON_MS, SK, definition, on_demand, store_of

EVERYTHING = (b"\x00", b"\xff" * 8)
FIRST, SECOND, DROPPED = 1, 2, 3
"""Numbers of the tables `first` (partition key), `second` (both keys) and `dropped`."""
ITEM = {"pk": {"S": "0"}, "sk": {"N": "7"}, "v": {"L": [{"BOOL": True}, {"SS": ["a", "b"]}]}}
"""An item of each table, as it is stored."""
LONG_NAME = "n" * 65_536
"""An earlier build let UpdateItem store it."""


def image(item):
    sized = canonical_item(item, Wording.CURRENT)
    return image_of(sized.item, sized.bytes)


async def fill(engine, name):
    """Three items, through the one writer."""
    table = await Catalog(engine).open(name)
    items = [{**ITEM, "pk": {"S": str(number)}} for number in range(3)]
    writes = [
        ItemWrite(table, key_of_item(table, item), lambda _, item=item: Decision(image(item), None))
        for item in items
    ]
    await write_items(store_of(engine), writes)


async def healthy(engine):
    """Two tables with items, and one that was dropped and is not yet cleared."""
    catalog = Catalog(engine)
    await catalog.create(lambda number: definition(number=number, name="first"), "first")
    await catalog.create(
        lambda number: on_demand(
            number=number, name="second", attributes=(definition().partition, SK), sort=SK
        ),
        "second",
    )
    await catalog.create(lambda number: definition(number=number, name="dropped"), "dropped")
    for name in ("first", "second", "dropped"):
        await fill(engine, name)
    await catalog.drop("dropped", NOON_MS, lambda _: None)


@pytest.fixture
def engine():
    engine = SqliteEngine.open(None)
    asyncio.run(healthy(engine))
    yield engine
    engine.close()


def rows(engine) -> dict[bytes, bytes]:
    return dict(asyncio.run(engine.scan(*EVERYTHING, limit=1000, bytes_max=10**9)))


def plant(engine, changes: Mapping[bytes, bytes | None]):
    """Make rows what they should not be; None removes."""
    puts = {key: value for key, value in changes.items() if value is not None}
    deletes = [key for key, value in changes.items() if value is None]
    made = Changes(answer=None, puts=puts, deletes=deletes)
    asyncio.run(engine.write([system_keys.sequence_key()], lambda _: made))


def found(engine) -> list[str]:
    return asyncio.run(findings(engine))


def key_in(number, item=ITEM):
    table = definition(number=number)
    if number == SECOND:
        table = msgspec.structs.replace(table, sort=SK)
    return key_of_item(OpenTable(table, {}), item)


def test_all_is_well(engine):
    assert found(engine) == []


# What one item has must not hide what is wrong behind it, nor its own part in counters and indexes.
def test_verify_goes_on_behind_an_item_that_no_request_could_put(engine):
    long = image_of({**ITEM, LONG_NAME: {"S": ""}}, 65_600)
    misplaced = at(key_in(SECOND)[:21], image(ITEM))
    plant(engine, at(key_in(FIRST), long) | at(key_in(SECOND), long) | misplaced)
    told = found(engine)
    assert [text.partition(" at ")[0] for text in told] == [
        "first: the item",
        "first: counters say 3 items of 48 bytes, there are 3 of 65632",
        "second: the item",
        "second: the item",
        "second: counters say 3 items of 48 bytes, there are 4 of 65648",
    ]


def test_empty_engine_is_well():
    engine = SqliteEngine.open(None)
    assert found(engine) == []
    engine.close()


def entry(number, **changes):
    """The catalog entry of a table, changed."""
    name = {FIRST: "first", SECOND: "second"}[number]
    return msgspec.json.encode(definition(number=number, name=name, **changes))


def at(key, image):
    """An image under a checksum that matches."""
    return {key: stored(image, key)}


STORED = stored(image(ITEM), key_in(FIRST))


def altered(number, old, new):
    """The item of a table with other JSON, under a checksum that matches."""
    whole = image(ITEM)
    assert old in whole.json
    return at(key_in(number), Image(whole.size, whole.json.replace(old, new)))


NEXT = (4).to_bytes(4, "big")

DAMAGES = {
    "an item of another size": (
        at(key_in(FIRST), Image(99, image(ITEM).json)),
        "first: the item at",
        "but says 99",
    ),
    "an item with a number that is not canonical": (
        altered(SECOND, b'"7"', b'"7.0"'),
        "second: the item at",
        "is not in its canonical form",
    ),
    "an item with a set out of order": (
        altered(FIRST, b'["a","b"]', b'["b","a"]'),
        "first: the item at",
        "is not in its canonical form",
    ),
    "an item with white space": (
        altered(FIRST, b'{"pk"', b'{ "pk"'),
        "first: the item at",
        "is not in its canonical form",
    ),
    "an item with a value of no type": (
        altered(FIRST, b'{"BOOL":true}', b"{}"),
        "first: the item at",
        "is none that a request could put",
    ),
    "an item with a value of an unknown type": (
        altered(FIRST, b'{"BOOL":true}', b'{"BOOL":true,"X":1}'),
        "first: the item at",
        "is not in its canonical form",
    ),
    "half an item": ({key_in(FIRST): STORED[:-9]}, "first: the item at", "cannot be read"),
    "an empty row": ({key_in(FIRST): b""}, "first: the item at", "cannot be read"),
    "an item of a format that is not known": (
        {key_in(FIRST): b"\x01" + STORED[1:]},
        "first: the item at",
        "cannot be read",
    ),
    "an item whose bytes were altered": (
        {key_in(FIRST): STORED.replace(b"7", b"8")},
        "first: the item at",
        "the checksum does not match",
    ),
    "an item with a name that is too long": (
        at(key_in(FIRST), image_of({**ITEM, LONG_NAME: {"S": ""}}, 65_600)),
        "first: the item at",
        'must be less than 65536 bytes (its key: {"pk":{"S":"0"}})',
    ),
    "an item with a name that is too long within a map": (
        at(key_in(FIRST), image_of({**ITEM, "m": {"M": {LONG_NAME: {"S": ""}}}}, 65_600)),
        "first: the item at",
        '(its key: {"pk":{"S":"0"}})',
    ),
    "an item that was stored under another key": (
        {key_in(FIRST): stored(image(ITEM), key_in(SECOND))},
        "first: the item at",
        "the checksum does not match",
    ),
    "an item without its sort key": (
        at(key_in(SECOND), image({"pk": {"S": "0"}})),
        "second: the item at",
        "is none that a request could put",
    ),
    "an item of another table": (
        {key_in(SECOND): None} | at(key_in(SECOND)[:21], image(ITEM)),
        "second: the item at",
        "stands under the key of another item",
    ),
    "an item that is not counted": (
        at(key_in(FIRST, {"pk": {"S": "new"}}), image({"pk": {"S": "new"}})),
        "first: counters say 3 items",
        "there are 4",
    ),
    "an item that is gone and still counted": (
        {key_in(FIRST): None},
        "first: counters say 3 items",
        "there are 2",
    ),
    "no counter of items": (
        {keyspace.item_count_key(FIRST): None},
        "first: counters say 0 items",
        "there are 3",
    ),
    "no counter of bytes": (
        {keyspace.bytes_key(SECOND): None},
        "second: counters say 3 items of 0 bytes",
        "there are 3",
    ),
    "a catalog entry that cannot be read": (
        {system_keys.catalog_key("first"): b"{}"},
        "catalog: the entry at",
        "cannot be read",
    ),
    "a secret of the wrong length": (
        {system_keys.secret_key(): b"short"},
        "secret: it has 5 bytes",
        "instead of 32",
    ),
    "a catalog entry of another name": (
        {system_keys.catalog_key("third"): entry(FIRST), system_keys.catalog_key("first"): None},
        "catalog: the entry of first stands at",
        "where another table belongs",
    ),
    "a catalog entry that is gone": (
        {system_keys.catalog_key("first"): None},
        "there are rows of table 1",
        "which the catalog does not know",
    ),
    "a table whose number is the system's": (
        {system_keys.catalog_key("first"): entry(FIRST).replace(b'"number":1', b'"number":0')},
        "catalog: the entry of first has the number 0",
        "",
    ),
    "two tables of one number": (
        {system_keys.catalog_key("second"): entry(SECOND).replace(b'"number":2', b'"number":1')},
        "catalog: two tables have one number",
        "",
    ),
    "a table and a dropped one of one number": (
        {system_keys.dropped_key(FIRST): entry(FIRST, deleted_ms=NOON_MS)},
        "catalog: two tables have one number",
        "",
    ),
    "a next number that is taken": (
        {system_keys.sequence_key(): b"\x00\x00\x00\x02"},
        "catalog: the next table's number, 2, is taken",
        "",
    ),
    "no next number": (
        {system_keys.sequence_key(): None},
        "catalog: the next table's number, 1, is taken",
        "",
    ),
    "a dropped table that cannot be read": (
        {system_keys.dropped_key(DROPPED): b"\xff"},
        "catalog: the entry at",
        "cannot be read",
    ),
    "rows of a dropped table that is not on the list": (
        {system_keys.dropped_key(DROPPED): None},
        "there are rows of table 3",
        "which the catalog does not know",
    ),
    "a dropped table at the place of another": (
        {
            system_keys.dropped_key(DROPPED): None,
            system_keys.dropped_key(9): msgspec.json.encode(
                definition(number=DROPPED, name="dropped", deleted_ms=NOON_MS)
            ),
        },
        "catalog: dropped does not belong at",
        "among the dropped tables",
    ),
    "a dropped table that nobody dropped": (
        {system_keys.dropped_key(9): msgspec.json.encode(definition(number=9, name="ninth"))},
        "catalog: ninth does not belong at",
        "among the dropped tables",
    ),
    "a row of a table of nobody": (
        {keyspace.item_count_key(77): NEXT},
        "there are rows of table 77",
        "which the catalog does not know",
    ),
    "a row of the greatest number": (
        {keyspace.bytes_key(2**32 - 2): NEXT},
        "there are rows of table 4294967294",
        "which the catalog does not know",
    ),
    "a row of the number that no table has": (
        {b"\xff" * 9: b""},
        "the key ffffffffffffffffff is of no table",
        "",
    ),
    "a key too short for a number": ({b"\x07": b""}, "the key 07 is of no table", ""),
    "a row of the system that nobody knows": (
        {b"\x00\x00\x00\x00\xf0": b""},
        "catalog: the row at 00000000f0",
        "belongs to nothing",
    ),
    "a row before all others": ({b"\x00": b""}, "catalog: the row at 00", "belongs to nothing"),
    "an index entry of a table without indexes": (
        {keyspace.index_range(FIRST, 1)[0] + b"entry": b"{}"},
        "first: the row at",
        "belongs to nothing",
    ),
    "a change record of a table without a log": (
        {keyspace.log_key(FIRST, 1) + b"\x00" * 8: b"{}"},
        "first: there are records of shard 1",
        "which is none of it",
    ),
}


@pytest.mark.parametrize(("changes", "beginning", "end"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_found(engine, changes, beginning, end):
    plant(engine, changes)
    told = found(engine)
    assert any(text.startswith(beginning) and end in text for text in told), told


# No row can go without being missed.
def test_each_row_is_missed(engine):
    for key, value in rows(engine).items():
        number = int.from_bytes(key[:4], "big")
        if number == DROPPED or key == system_keys.changes_key():
            continue  # these are on their way out; and who watches that counter begins anew
        plant(engine, {key: None})
        assert found(engine), key.hex()
        plant(engine, {key: value})
    assert found(engine) == []


@functools.cache
def healthy_rows():
    engine = SqliteEngine.open(None)
    asyncio.run(healthy(engine))
    stored = rows(engine)
    engine.close()
    return stored


# Whatever stands there, the answer is a list of sentences.
@given(data=st.data())
def test_any_row_may_be_anything(data):
    engine = DictEngine(dict(healthy_rows()))
    key = data.draw(st.sampled_from(sorted(engine.pairs)))
    value = bytearray(engine.pairs[key])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(value) - 1))
        value[place] = data.draw(st.integers(0, 255) | st.sampled_from(b'0123456789-"[]{},:'))
    engine.pairs[key] = bytes(value)
    assert all(isinstance(text, str) for text in found(engine))


# Nor is there a key that it cannot meet, and it says so of each.
@given(
    key=st.binary(min_size=1, max_size=12).filter(lambda key: key[:4] != b"\x00" * 4),
    value=st.binary(max_size=5),
)
def test_any_key_may_be_there(key, value):
    assert len(found(DictEngine({key: value}))) == 1


# What nobody could read to its end is not made.
def test_findings_have_a_bound(engine):
    plant(engine, {key_in(FIRST, {"pk": {"S": f"{number}"}}): b"?" for number in range(10, 1500)})
    assert len(found(engine)) == 1000
