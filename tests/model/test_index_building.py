"""Random writes while an index is built and removed: the entries are right at the end.

The steps of building and the writes run as tasks of one loop on an engine in memory; `verify`
compares every entry with every item.
"""

import asyncio
import random

import msgspec
import pytest

from hashrange.background.index_jobs import index_jobs
from hashrange.model.canonical import canonical_item
from hashrange.model.table import Index, KeyAttribute, Table, Throughput, Vector
from hashrange.model.wording import Wording
from hashrange.storage.engine import StaleFenceError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_of
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.effort import effort
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import store_of, write_item

ITEMS = 400
WRITERS = 4
WRITES = 150


def draft(number):
    pk = KeyAttribute("pk", "S")
    return Table(
        number=number,
        id="id",
        name="Indexed",
        account="000000000000",
        region="us-east-1",
        created_ms=0,
        attributes=(pk, KeyAttribute("g", "S"), KeyAttribute("n", "N")),
        partition=pk,
        sort=None,
        billing_mode="PAY_PER_REQUEST",
        throughput=Throughput(),
    )


INDEX = Index(
    name="by-g",
    number=1,
    partition=(KeyAttribute("g", "S"),),
    sort=(KeyAttribute("n", "N"),),
    projection="INCLUDE",
    non_key=("text",),
    state="BUILDING",
)
VECTORS = Index(
    name="by-v",
    number=1,
    partition=(KeyAttribute("g", "S"),),
    projection="KEYS_ONLY",
    vector=Vector(attribute="v", dimensions=2, distance="COSINE"),
    state="BUILDING",
)


def image(rng, number):
    item = {"pk": {"S": f"p{number}"}, "text": {"S": "x" * rng.randrange(5)}}
    if rng.random() < 0.7:
        item["g"] = {"S": rng.choice("ab")}
    if rng.random() < 0.9:
        item["n"] = {"N": str(rng.randrange(3))} if rng.random() < 0.9 else {"S": "no number"}
    if rng.random() < 0.8:
        numbers = [rng.choice(("0", "12.5", "0.000000123456789")) for _ in range(2)]
        item["v"] = {"L": [{"N": each} for each in numbers]}
    sized = canonical_item(item, Wording.CURRENT)
    return sized.item, image_of(sized.item, sized.bytes)


def write_of(table, rng, number):
    item, after = image(rng, number)
    if rng.random() < 0.25:
        after = None
    return ItemWrite(table, key_of_item(table, item), lambda before: Decision(after, None))


async def write_randomly(engine, catalog, rng, count):
    for _ in range(count):
        # bound: the table changes a few times in all
        while True:
            table = catalog.cached("Indexed") or await catalog.open("Indexed")
            try:
                if rng.random() < 0.3:
                    numbers = rng.sample(range(ITEMS), 4)
                    await write_items(store_of(engine), [write_of(table, rng, n) for n in numbers])
                else:
                    await write_item(store_of(engine), write_of(table, rng, rng.randrange(ITEMS)))
            except StaleFenceError:
                await catalog.open("Indexed")
                continue
            break


def with_index(table, index):
    kind = "indexes" if index.vector is None else "vectors"
    return msgspec.structs.replace(table, next_index=2, **{kind: (index,)})


def deleting(table):
    (index,) = table.all_indexes
    return with_index(table, msgspec.structs.replace(index, state="DELETING"))


@pytest.mark.parametrize("index", [INDEX, VECTORS], ids=["global", "vectors"])
@pytest.mark.parametrize("seed", range(effort(6, 12)))
def test_an_index_is_right_after_building_under_writes(seed, index):
    async def scenario():
        engine = SqliteEngine.open(None)
        catalog = Catalog(engine)
        rng = random.Random(seed)
        await catalog.create(draft, "Indexed")
        await write_randomly(engine, catalog, rng, ITEMS)
        await catalog.change("Indexed", lambda table: with_index(table, index))
        indexer = index_jobs(engine, catalog, unhurried())
        writers = [
            write_randomly(engine, catalog, random.Random(f"{seed}/{n}"), WRITES)
            for n in range(WRITERS)
        ]
        await asyncio.gather(indexer.work(), *writers)
        table = await catalog.open("Indexed")
        assert [index.state for index in table.table.all_indexes] == ["ACTIVE"]
        assert await findings(engine) == []
        assert (await catalog.size(table.table, 1)).items > 0
        # What is removed leaves no row behind, whoever writes meanwhile.
        await catalog.change("Indexed", deleting)
        await asyncio.gather(
            indexer.work(), write_randomly(engine, catalog, random.Random(seed), WRITES)
        )
        table = await catalog.open("Indexed")
        assert table.table.all_indexes == ()
        assert await findings(engine) == []
        engine.close()

    asyncio.run(scenario())
