"""A search of long vectors gives way to other requests between pages of exact scores, and items."""

import asyncio

from hashrange.api.dynamodb.vectors import search_vectors
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.clock import SystemClock
from hashrange.model.structures.dynamodb import SearchVectors
from hashrange.model.table import Index, Vector
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from tests.unit.tables.definitions import definition
from tests.unit.tables.vectors.test_searches import write

DIMENSIONS, ITEMS = 4096, 20
VECTOR = Vector(attribute="v", dimensions=DIMENSIONS, distance="COSINE")
INDEX = Index(name="vix", number=1, partition=(), projection="ALL", vector=VECTOR)
TABLE = OpenTable(definition(vectors=(INDEX,)), {})


class Context:
    """What a search needs of the context of a call."""

    def __init__(self, store):
        self.store = store


async def turns_of(store, projection):
    """The turns that another task has while a search runs."""
    request = SearchVectors(
        table_name="Table",
        index_name="vix",
        search_vector=[{"N": "1"}] * DIMENSIONS,
        top_k=ITEMS,
        projection_expression=projection,
    )
    plan = search_vectors.fit(search_vectors.check(request), TABLE)
    turns = 0

    def turn():
        nonlocal turns
        turns += 1
        asyncio.get_running_loop().call_soon(turn)

    turn()
    outcome = await search_vectors.run(plan, Context(store))
    assert len(outcome.answer.search_results) == ITEMS
    return turns


def test_a_search_gives_way():
    async def story():
        store = Store(DictEngine(), SystemClock())
        for number in range(ITEMS):
            await write(store, f"k{number}", *range(number, number + DIMENSIONS), table=TABLE)
        await turns_of(store, None)  # reads the vectors
        of_scores = await turns_of(store, "pk")
        assert of_scores > ITEMS * DIMENSIONS / 16_384
        assert await turns_of(store, "v") == of_scores + ITEMS

    asyncio.run(story())
