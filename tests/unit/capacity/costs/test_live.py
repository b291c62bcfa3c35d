"""The load and the usage of a live server, by value."""

import pytest

from hashrange.capacity.costs.live_workload import (
    MeasuredLoad,
    live_usage,
    measured_load,
    stored_gb,
    workload_text,
)
from hashrange.capacity.simulation.workload import parsed
from hashrange.observe.snapshot import KeyCount, KeyCounts
from tests.api.indexes import schema
from tests.unit.observe.test_rates import AFTER, BEFORE

LOAD = MeasuredLoad(seconds=10, read_units=30.0, write_units=60.0)
GB = 1024**3
SHOWN = {
    "TableName": "orders",
    "TableArn": "arn:aws:dynamodb:us-east-1:0:table/orders",
    "KeySchema": schema("id", sort=("at",)),
    "TableSizeBytes": 2 * GB,
    "ItemCount": 1024**2,
    "ProvisionedThroughput": {"ReadCapacityUnits": 50, "WriteCapacityUnits": 100},
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-state",
            "IndexSizeBytes": GB,
            "ItemCount": 1024**2,
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
        }
    ],
    "Replicas": [{"RegionName": "eu-west-1"}],
    "StreamSpecification": {"StreamEnabled": True},
}


def test_the_load_between_two_snapshots():
    both = measured_load(BEFORE, AFTER)
    assert both.seconds > 0
    found = [measured_load(BEFORE, AFTER, {name}) for name in AFTER.tables]
    assert both.write_units == sum(each.write_units for each in found)
    assert measured_load(BEFORE, AFTER, {"none"}).read_units == 0


# 100 bytes more for each item, in the table and in its index.
def test_the_storage_that_is_billed():
    assert stored_gb([SHOWN]) == pytest.approx(3 + 200 / 1024)


def test_the_usage():
    usage = live_usage(LOAD, [SHOWN], recovery=True)
    assert (usage.read_units, usage.write_units, usage.replicas, usage.pitr) == (30, 60, 1, True)
    assert usage.stream_reads == 730 * 3600
    assert live_usage(LOAD, [{**SHOWN, "StreamSpecification": None}]).stream_reads == 0


# 2 KB an item: a write has two units in each place, a read half a unit.
def test_a_workload():
    hot = KeyCounts(100, [KeyCount("0:us-east-1:orders", '"a"', 25), KeyCount("t", '"b"', 9)])
    text = workload_text(SHOWN, LOAD, hot)
    workload = parsed(text)
    writes, reads = workload.traffic
    assert (writes.rate, writes.item_bytes, reads.rate) == (15, 2048, 60)
    assert (writes.keys.kind, writes.keys.share) == ("hot", 0.25)
    assert set(writes.entries) == {"by-state"}
    assert workload.indexes["by-state"].write_units == 7
    assert (workload.table.mode, workload.table.write_units) == ("provisioned", 100)
    assert workload.table.stored_bytes == 2 * GB


def test_a_workload_of_an_empty_table():
    shown = {
        "TableName": "t",
        "TableArn": "arn:aws:dynamodb:us-east-1:0:table/t",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "OnDemandThroughput": {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 40},
        "LocalSecondaryIndexes": [{"IndexName": "l"}],
    }
    workload = parsed(workload_text(shown, LOAD))
    assert (workload.table.mode, workload.table.sort_key) == ("on-demand", "none")
    assert (workload.table.max_read_units, workload.table.max_write_units) == (None, 40)
    assert workload.table.local_indexes == ("l",)
    assert workload.traffic[0].keys.kind == "uniform"
