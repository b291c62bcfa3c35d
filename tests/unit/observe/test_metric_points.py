"""The growth of counts as metrics of CloudWatch."""

import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.limits.server import METRIC_INDEXES_MAX
from hashrange.observe.counts import OTHER
from hashrange.observe.figures import labelled
from hashrange.observe.metric_points import Counts, counts_of, latencies, points
from hashrange.observe.metrics import TABLE_FAULTS, Metrics

MS = 1_000_000
KINESIS = "ChangeDataCaptureForKinesisDataStreams"


def shown(before, after):
    return {
        (each.scope, each.name, *each.dimensions.values()): (each.values.count, each.values.sum)
        for each in points(before, after)
    }


@pytest.fixture
def metrics():
    metrics = Metrics()
    metrics.consumed("PutItem")["orders"].write_units += 5
    metrics.consumed("GetItem")["orders"].read_units += 2
    metrics.consumed("Query")["orders"].read_units += 1.5
    puts = metrics.on_tables("PutItem", "1", "eu")["orders"]
    for duration in (1 * MS, 3 * MS):
        puts.add(duration)
    for fault in sorted(TABLE_FAULTS):
        puts.fail(fault)
    metrics.on_tables("DescribeTable", "1", "eu")["orders"].add(MS)
    metrics.of("PutItem").fail("ValidationException")
    metrics.of("PutItem").fail("ConditionalCheckFailedException")
    metrics.throttles["orders", "by_day", "WriteThrottleEvents"] = 3
    metrics.throttles["orders", "", "ThrottledRequests"] = 3
    return metrics


FIGURES = {
    labelled("table_expired_items_total", "orders"): 7,
    labelled("dax_cluster_cache_hits_total", "1", "eu", "hot", "item"): 9.0,
    labelled("dax_cluster_calls_total", "1", "eu", "hot", "GetItem"): 12.0,
    labelled("dax_cluster_calls_total", "1", "eu", "hot", "TransactGetItems"): 2.0,
    labelled("dax_cluster_calls_total", "1", "eu", "hot", "Query"): 0.0,
    labelled("dax_cluster_failed_calls_total", "1", "eu", "hot", "throttled"): 3.0,
    labelled("dax_cluster_evicted_bytes_total", "1", "eu", "hot"): 70.0,
    labelled("dax_cluster_cache_bytes", "1", "eu", "hot"): 300.0,
    labelled("dax_cluster_cache_memory_percent", "1", "eu", "hot"): 30.0,
    labelled("dax_cluster_connections", "1", "eu", "hot"): 0.0,
    labelled("destination_failed_records_total", "orders"): 1,
    labelled("destination_throttled_records_total", "orders"): 4,
    labelled("destination_units_total", "orders"): 30,
    labelled("destination_lag_seconds", "orders"): 1.5,
    labelled("online_index_percent", "orders", "by_day"): 40.0,
    labelled("online_index_write_units_total", "orders", "by_day"): 25.0,
    "expired_items_total": 7,
}


def test_what_happened_is_a_point(metrics):
    found = shown(Counts(), counts_of(metrics, FIGURES))
    # Of each operation one, of which `shown` keeps the last.
    assert found.pop(("", "TotalRequestCount", "hot")) == (1, 2)
    assert found == {
        ("", "ConsumedReadCapacityUnits", "orders"): (1, 3.5),
        ("", "ConsumedWriteCapacityUnits", "orders"): (1, 5),
        ("", "SuccessfulRequestLatency", "orders", "PutItem"): (2, 4),
        ("", "ConditionalCheckFailedRequests", "orders"): (1, 1),
        ("", "TransactionConflict", "orders"): (1, 1),
        ("", "SystemErrors", "orders", "PutItem"): (1, 1),
        ("", "ThrottledRequests", "orders", "PutItem"): (1, 1),
        ("", "WriteThrottleEvents", "orders", "by_day"): (3, 3),
        ("", "TimeToLiveDeletedItemCount", "orders"): (1, 7),
        ("", "ItemCacheHits", "hot"): (1, 9),
        ("", "GetItemRequestCount", "hot"): (1, 12),
        ("", "TransactGetItemsCount", "hot"): (1, 2),
        ("", "FailedRequestCount", "hot"): (1, 3),
        ("", "ThrottledRequestCount", "hot"): (1, 3),
        ("", "EvictedSize", "hot"): (1, 70),
        ("", "EstimatedDbSize", "hot"): (1, 300),
        ("", "CacheMemoryUtilization", "hot"): (1, 30),
        ("", "ClientConnections", "hot"): (1, 0),
        ("", "FailedToReplicateRecordCount", "orders", KINESIS): (1, 1),
        ("", "ThrottledPutRecordCount", "orders", KINESIS): (1, 4),
        ("", "ConsumedChangeDataCaptureUnits", "orders", KINESIS): (1, 30),
        ("", "AgeOfOldestUnreplicatedRecord", "orders", KINESIS): (1, 1500),
        ("", "OnlineIndexPercentageProgress", "orders", "by_day"): (1, 40),
        ("", "OnlineIndexConsumedWriteCapacity", "orders", "by_day"): (1, 25),
        ("", "UserErrors"): (1, 1),
    }


# Indexes after the bound are counted as a part of their table.
def test_an_index_has_what_its_table_has_not():
    metrics = Metrics()
    counts = metrics.consumed("PutItem")["orders"]
    for number in range(METRIC_INDEXES_MAX + 2):
        counts.write_units += 3
        counts.of_index(f"i{number}").write_units += 2
    found = shown(Counts(), counts_of(metrics, {}))
    table = found.pop(("", "ConsumedWriteCapacityUnits", "orders"))
    assert table == (1, METRIC_INDEXES_MAX + 2 * 3)
    assert len(found) == METRIC_INDEXES_MAX
    assert found["", "ConsumedWriteCapacityUnits", "orders", "i7"] == (1, 2)


# A request on two tables is one request, and one of each table.
def test_a_request_on_several_tables_is_of_each():
    metrics = Metrics()
    latencies = metrics.on_tables("BatchGetItem", "1", "eu")
    latencies[frozenset(["orders"])].add(MS)
    latencies[frozenset(["orders", "users"])].add(3 * MS)
    latencies[frozenset(["orders", "users"])].fail("ProvisionedThroughputExceededException")
    operation = "BatchGetItem"
    assert shown(Counts(), counts_of(metrics, {})) == {
        ("", "SuccessfulRequestLatency", "orders", operation): (2, 4),
        ("", "SuccessfulRequestLatency", "users", operation): (1, 3),
        ("", "ThrottledRequests", "orders", operation): (1, 1),
        ("", "ThrottledRequests", "users", operation): (1, 1),
    }
    assert sum(metrics.requests()[operation].buckets) == 2


# Requests on a stream are of its table and label; faults have no label, as on AWS.
def test_requests_on_a_stream():
    metrics = Metrics()
    requests = metrics.on_tables("GetRecords", "1", "eu")
    stream = ("arn:aws:dynamodb:eu:000000000001:table/orders", "2026")
    requests[stream].add(MS)
    before = counts_of(metrics, {})
    requests[stream].add(3 * MS)
    requests[stream].fail("InternalServerError")
    assert shown(before, counts_of(metrics, {})) == {
        ("", "SuccessfulRequestLatency", "orders", "GetRecords", "2026"): (1, 3),
        ("", "SystemErrors", "orders", "GetRecords"): (1, 1),
    }
    assert sum(metrics.requests()["GetRecords"].buckets) == 2


# Each action of a transaction that was in the way counts, beside the requests on one item.
def test_conflicts_of_transactions():
    metrics = Metrics()
    metrics.consumed("TransactWriteItems")["orders"].conflicts += 2
    before = counts_of(metrics, {})
    assert shown(Counts(), before)["", "TransactionConflict", "orders"] == (2, 2)
    metrics.consumed("TransactGetItems")["orders"].conflicts += 1
    found = shown(before, counts_of(metrics, {}))
    assert found == {("", "TransactionConflict", "orders"): (1, 1)}


# A latency that stays the same is that of changes of an earlier minute.
def test_latencies_of_replication():
    figure = labelled("replication_latency_seconds", "1:eu:orders", "ap")
    before, after = (
        counts_of(Metrics(separate=True), {figure: seconds}) for seconds in (0.25, 1.5)
    )
    (point,) = points(before, after)
    assert (point.scope, point.name, point.unit) == ("1:eu", "ReplicationLatency", "Milliseconds")
    assert point.dimensions == {"TableName": "orders", "ReceivingRegion": "ap"}
    assert (point.values.count, point.values.sum) == (1, 1500)
    assert [*points(after, after)] == []
    assert len([*points(after, before)]) == 1


def test_only_what_has_grown_is_a_point(metrics):
    before = counts_of(metrics, FIGURES)
    metrics.consumed("PutItem")["orders"].write_units += 1
    assert shown(before, counts_of(metrics, FIGURES)) == {
        ("", "ConsumedWriteCapacityUnits", "orders"): (1, 1),
        # A gauge is a point whether it has grown or not.
        ("", "EstimatedDbSize", "hot"): (1, 300),
        ("", "CacheMemoryUtilization", "hot"): (1, 30),
        ("", "ClientConnections", "hot"): (1, 0),
        ("", "AgeOfOldestUnreplicatedRecord", "orders", KINESIS): (1, 1500),
        ("", "OnlineIndexPercentageProgress", "orders", "by_day"): (1, 40),
    }


def test_accounts_have_their_own_metrics():
    metrics = Metrics(separate=True)
    metrics.on_tables("GetItem", "1", "eu")["orders"].add(MS)
    metrics.on_tables("GetItem", "2", "eu")["orders"].add(MS)
    metrics.of("GetItem").fail("ValidationException")
    assert set(shown(Counts(), counts_of(metrics, {}))) == {
        ("1:eu", "SuccessfulRequestLatency", "orders", "GetItem"),
        ("2:eu", "SuccessfulRequestLatency", "orders", "GetItem"),
    }


def test_tables_that_share_a_label_have_no_metrics():
    metrics = Metrics()
    metrics.consumed_on(OTHER, "PutItem").write_units += 1
    metrics.latency_on(OTHER, "PutItem").add(MS)
    assert [*points(Counts(), counts_of(metrics, {}))] == []


def test_latencies_keep_their_count_and_sum():
    buckets = [0] * 14
    buckets[3], buckets[10], buckets[13] = 98, 1, 1
    found = latencies(buckets, 98 * 0.4 + 80 + 3000)
    assert (found.count, found.sum) == (100, pytest.approx(3119.2))
    assert 0.25 < found.minimum <= 0.5
    assert 2900 < found.maximum < 3100


# A code that is not one would never be counted.
def test_faults_of_tables_exist():
    assert {each.code for each in Fault} >= TABLE_FAULTS
    assert DynamoError(Fault.CONDITION_FAILED).fault.code in TABLE_FAULTS
