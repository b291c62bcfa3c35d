"""A copy has of each space of keys what the row of the space says."""

import asyncio
import contextlib

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.keys.key_spaces import SYSTEM, SYSTEM_SPACES, TABLE_SPACES, Copying
from hashrange.tables.log.conversion import ensure_format
from hashrange.tools.copying.place import ask
from tests.api.indexes import index_of
from tests.unit.tools.copying.places import CALLER, EXPIRY, NAME, TABLE, InMemory

LOCAL = index_of("a-local-index", "pk", sort=("other",))
SPACES = [(SYSTEM, each) for each in SYSTEM_SPACES] + [(1, each) for each in TABLE_SPACES]
"""With the number of table 0, or of the only table of both engines."""
SORTED = {
    **TABLE,
    "AttributeDefinitions": [
        *TABLE["AttributeDefinitions"],
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [*TABLE["KeySchema"], {"AttributeName": "sk", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [LOCAL],
}


async def fill(place):
    await ask(place, CALLER, "CreateTable", SORTED)
    expiry = {"TableName": NAME, "TimeToLiveSpecification": EXPIRY}
    await ask(place, CALLER, "UpdateTimeToLive", expiry)
    for number in range(3):
        await place.put(f"key {number}", sk={"S": "a"}, other={"N": str(number)})
    await place.drain()


async def spaces_in(engine):
    """The spaces that have rows."""
    rows = await engine.scan(b"", b"\xff" * 8, limit=1_000, bytes_max=1_000_000)
    heads = {(int.from_bytes(key[:4]), key[4]) for key, _ in rows}
    assert {table for table, _ in heads} == {SYSTEM, 1}
    return {each for table, each in SPACES if (table, each.code) in heads}


# The source has a row in every space; no server and no job is there to do anything with it.
def test_a_copy_has_what_the_rows_of_spaces_say(copied):
    async def run(source, target):
        for engine in source, target:
            await ensure_format(engine)
        places = InMemory("from", source), InMemory("to", target)
        await fill(places[0])
        left = {
            each.prefix(table) + b"x" * 12: b"x"
            for table, each in SPACES
            if each.copying is Copying.LEFT
        }
        await source.write([], lambda _: Changes(answer=None, puts=left))
        assert await spaces_in(source) == {each for _, each in SPACES}
        assert await copied(*places) == []
        return await spaces_in(target)

    with contextlib.ExitStack() as stack:
        engines = [SqliteEngine.open(None, durability=Durability.RELAXED) for _ in range(2)]
        for engine in engines:
            stack.callback(engine.close)
        found = asyncio.run(run(*engines))
    assert found == {each for _, each in SPACES if each.copying is not Copying.LEFT}
