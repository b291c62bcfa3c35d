"""The catalog entry of a table follows its capacity."""

import pytest

from hashrange.api.admission.followers import follow_capacity
from tests.unit.api.admission.throttled_server import ThrottledServer

ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}


@pytest.fixture
def server():
    made = ThrottledServer()
    yield made
    made.end()


def written(server):
    return server.described()["WarmThroughput"]["WriteUnitsPerSecond"]


# The entry may be changed after it was read: what is dropped is not followed any more.
def test_another_table_of_the_name_does_not_get_the_warm_throughput_of_the_first(server):
    server.create(**ON_DEMAND)
    opened = server.run(server.catalog.open("a-table"))
    capacity = server.capacity()
    capacity.table.write_peaks.previous = 9000.0
    server.run(follow_capacity(server.catalog, opened, capacity, server.time_ms))
    assert written(server) == 18_000
    server.call("DeleteTable")
    server.run(follow_capacity(server.catalog, opened, capacity, server.time_ms))
    server.create(**ON_DEMAND)
    server.run(follow_capacity(server.catalog, opened, capacity, server.time_ms))
    assert written(server) == 4000


# A new version of the entry makes every plan run again.
def test_what_is_followed_already_changes_nothing(server):
    server.create(**ON_DEMAND)
    capacity = server.capacity()
    before = server.run(server.catalog.open("a-table"))
    for peak in (0.0, 9000.0, 9000.0, 5000.0):
        capacity.table.write_peaks.previous = peak
        opened = server.run(server.catalog.open("a-table"))
        server.run(follow_capacity(server.catalog, opened, capacity, server.time_ms))
    assert written(server) == 18_000
    server.update(BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    provisioned = server.run(server.catalog.open("a-table"))
    capacity.table.write_peaks.previous = 11_000.0
    server.run(follow_capacity(server.catalog, provisioned, capacity, server.time_ms))
    assert server.run(server.catalog.open("a-table")).table == provisioned.table
    assert before.table.number == provisioned.table.number


UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
