"""What happens between looking for expired items and deleting them."""

import asyncio

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.table import Index, KeyAttribute
from hashrange.model.values import Item
from hashrange.tables.items.images import image_of
from hashrange.tables.keys import keyspace
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.expiry import expire_page
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from tests.unit.tables.definitions import NOON_MS, definition, store_of, write_item

NOON_S = NOON_MS // 1000
EXPIRY = Index(
    name="(time to live)",
    number=1,
    partition=(),
    sort=(KeyAttribute("expires", "N"),),
    projection="KEYS_ONLY",
)
TABLE = OpenTable(definition(expiry=EXPIRY), {})
KEY: Item = {"pk": {"S": "a"}}


class Interrupted(DictEngine):
    """Somebody else writes between a scan and what follows."""

    meanwhile = None

    async def scan(self, *arguments, **options):
        pairs = await super().scan(*arguments, **options)
        if self.meanwhile:
            await self.meanwhile()
        return pairs


async def put(engine, item):
    image = None if item is None else image_of(item, 10)
    key = key_of(TABLE, KEY)
    await write_item(store_of(engine), ItemWrite(TABLE, key, lambda _: Decision(image, None)))


# The time that was seen is not the one that counts: the item may be in use again.
@pytest.mark.parametrize(
    "meanwhile",
    [{**KEY, "expires": {"N": str(NOON_S + 60)}}, {**KEY, "expires": {"S": "never"}}, KEY, None],
    ids=["later", "never", "without", "deleted"],
)
def test_an_item_that_changes_meanwhile_stays(meanwhile):
    async def main():
        engine = Interrupted()
        await put(engine, {**KEY, "expires": {"N": str(NOON_S - 1)}})
        engine.meanwhile = lambda: put(engine, meanwhile)
        told = await expire_page(store_of(engine), TABLE, NOON_S)
        engine.meanwhile = None
        items = await engine.scan(*keyspace.items_range(1), limit=9, bytes_max=9999)
        return told, len(items)

    assert asyncio.run(main()) == ((0, False), meanwhile is not None)


# Time that was moved, but is over too, is over.
def test_an_item_that_expired_again_goes():
    async def main():
        engine = Interrupted()
        await put(engine, {**KEY, "expires": {"N": str(NOON_S - 1)}})
        engine.meanwhile = lambda: put(engine, {**KEY, "expires": {"N": str(NOON_S - 2)}})
        return await expire_page(store_of(engine), TABLE, NOON_S), len(engine.pairs)

    (deleted, more), left = asyncio.run(main())
    assert (deleted, more) == (1, True)
    assert left <= 4  # counters, at zero
