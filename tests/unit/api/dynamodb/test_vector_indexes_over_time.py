"""Vector indexes of a table in use: their two phases, what waits meanwhile, and what searches see.

Source: measurements of the service by users, August 2026.
"""

import re

import pytest

from hashrange.errors import Fault
from tests.api.vectors import listed, vector, vector_index
from tests.unit.api.dynamodb.still_server import SHOWN_MS, StillServer

IN_USE = "Attempt to change a resource which is still in use: "
ONE_ONLINE = (
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
    "per table"
)
BUSY = f"{IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
ALLOCATING = (
    f"{IN_USE}Index creation is in resource allocation phase. Retry deletion during backfilling "
    "phase or when the index is active. Table: a-table Index: vix"
)
SEARCH = {"IndexName": "vix", "SearchVector": vector(1, 1, 0), "TopK": 100}


@pytest.fixture
def server():
    made = StillServer()
    made.create(BillingMode="PAY_PER_REQUEST")
    for number in range(5):
        made.call("PutItem", Item={"pk": {"S": str(number)}, "emb": listed(number, 1, 0)})
    yield made
    made.end()


def updates(**update):
    return {"VectorIndexUpdates": [update]}


def phase(table):
    """The status of the table and of its index, and whether that is being filled."""
    (index,) = table["VectorIndexes"]
    return table["TableStatus"], index["IndexStatus"], index.get("Backfilling")


# A readiness check has to wait for the index, not for the table; the member is gone at the end.
def test_an_index_is_allocated_then_filled(server):
    answer = server.update(**updates(Create=vector_index()))
    assert phase(answer) == phase(server.describe()) == ("UPDATING", "CREATING", False)
    server.later(SHOWN_MS)
    assert phase(server.describe()) == ("ACTIVE", "CREATING", True)
    server.index()
    assert phase(server.describe()) == ("ACTIVE", "ACTIVE", None)


# There is no partial view: a search is refused, or finds each item of before.
def test_a_search_finds_all_or_is_refused(server):
    server.update(**updates(Create=vector_index()))
    for _ in range(2):
        fault, text = server.refused("SearchVectors", **SEARCH)
        assert fault is Fault.VALIDATION
        assert re.fullmatch(
            "The table does not have the specified index: vix|"
            "Cannot search backfilling vector index: vix",
            text,
        )
        server.later(SHOWN_MS)
    server.index()
    answer = server.call("SearchVectors", **SEARCH)
    assert {each["Item"]["pk"]["S"] for each in answer["SearchResults"]} == set("01234")
    assert answer.keys() == {"SearchResults"}


# What the index that is built accepts depends on its phase, the limit on the table.
def test_what_waits_while_an_index_is_made(server):
    server.update(**updates(Create=vector_index()))
    second = updates(Create=vector_index("second"))
    assert server.refused(**updates(Delete={"IndexName": "vix"})) == (
        Fault.RESOURCE_IN_USE,
        ALLOCATING,
    )
    for _ in range(2):
        assert server.refused(**second) == (Fault.LIMIT_EXCEEDED, ONE_ONLINE)
        assert server.refused("DeleteTable") == (Fault.RESOURCE_IN_USE, BUSY)
        server.later(SHOWN_MS)
    server.update(**updates(Delete={"IndexName": "vix"}))
    server.index()
    assert "VectorIndexes" not in server.describe()
    server.call("DeleteTable")
