"""Metrics: those that programs put, and those of what happens to tables."""

import time
import uuid

import pytest

from tests.api.conftest import client_of
from tests.api.metrics import (
    CBOR,
    DIMENSIONS,
    JSON,
    MINUTE,
    QUERY,
    client_speaking,
    data,
    put,
    query,
    refused,
    statistics,
    values_of,
)
from tests.engines.postgres_server import url_of
from tests.served import served


@pytest.fixture(
    scope="module", params=["one process", pytest.param("workers", marks=pytest.mark.long)]
)
def server(request, tmp_path_factory):
    more = {}
    if request.param == "workers":
        more = {"memory": False, "data": tmp_path_factory.mktemp("metrics") / "d", "workers": 2}
    with served(testing=True, **more) as server:
        yield server


@pytest.fixture(scope="module", params=[JSON, CBOR, QUERY])
def cloudwatch(server, request):
    return client_speaking(request.param, server.endpoint)


@pytest.fixture
def namespace():
    return f"App/{uuid.uuid4()}"


@pytest.fixture
def now():
    return int(time.time()) // MINUTE * MINUTE


def test_values_that_were_put_are_read_by_period(cloudwatch, namespace, now):
    start = now - 10 * MINUTE
    put(cloudwatch, namespace, {start: 1.0, start + 59: 2.0, start + MINUTE: 4.0})
    found = statistics(cloudwatch, namespace, start, now)
    assert [(each["Timestamp"] - start, each["Sum"], each["SampleCount"]) for each in found] == [
        (0, 3.0, 2.0),
        (60, 4.0, 1.0),
    ]
    (whole,) = statistics(
        cloudwatch,
        namespace,
        start,
        now,
        period=600,
        Statistics=["Average", "Minimum", "Maximum"],
        ExtendedStatistics=["p50", "tm50"],
    )
    assert whole == {
        "Timestamp": start,
        "Average": 7 / 3,
        "Minimum": 1.0,
        "Maximum": 4.0,
        "Unit": "None",
        "ExtendedStatistics": {"p50": 2.0, "tm50": 4 / 3},
    }


def test_values_with_counts_and_statistic_sets(cloudwatch, namespace, now):
    put_data = cloudwatch.put_metric_data
    put_data(
        Namespace=namespace,
        MetricData=[
            {"MetricName": "Size", "Values": [1.0, 5.0], "Counts": [3.0, 1.0], "Timestamp": now},
            {
                "MetricName": "Set",
                "StatisticValues": {"SampleCount": 4, "Sum": 10, "Minimum": 1, "Maximum": 4},
                "Timestamp": now,
            },
        ],
    )
    more = {"Dimensions": [], "ExtendedStatistics": ["p75"]}
    (size,) = statistics(cloudwatch, namespace, now, now + 60, name="Size", **more)
    assert (size["Sum"], size["SampleCount"], size["ExtendedStatistics"]) == (8, 4, {"p75": 1})
    (of_set,) = statistics(cloudwatch, namespace, now, now + 60, name="Set", **more)
    assert (of_set["Sum"], of_set["SampleCount"]) == (10, 4)
    assert "ExtendedStatistics" not in of_set


def test_units_are_apart_until_a_query_asks_for_all(cloudwatch, namespace, now):
    put(cloudwatch, namespace, {now: 1.0}, Unit="Seconds")
    put(cloudwatch, namespace, {now: 2.0}, Unit="Count")
    found = statistics(cloudwatch, namespace, now, now + 60)
    assert {each["Unit"]: each["Sum"] for each in found} == {"Seconds": 1.0, "Count": 2.0}
    (one,) = statistics(cloudwatch, namespace, now, now + 60, Unit="Count")
    assert one["Sum"] == 2.0
    assert values_of(data(cloudwatch, now, now + 60, query(namespace)))["m1"] == {now: 3.0}


# Values of a second are there for the periods below a minute, and for all others as well.
def test_high_resolution(cloudwatch, namespace, now):
    start = now - MINUTE
    put(cloudwatch, namespace, dict.fromkeys(range(start, start + 10), 1.0), StorageResolution=1)
    put(cloudwatch, namespace, {start: 100.0}, name="Slow")

    def sums(period, name="Latency"):
        found = statistics(cloudwatch, namespace, start, start + MINUTE, name=name, period=period)
        return [each["Sum"] for each in found]

    assert sums(1) == [1.0] * 10
    assert sums(5) == [5.0, 5.0]
    assert sums(MINUTE) == [10.0]
    assert sums(1, "Slow") == []


def test_metrics_are_listed(cloudwatch, namespace, now):
    put(cloudwatch, namespace, {now: 1.0})
    put(cloudwatch, namespace, {now: 1.0}, name="Other", Unit="Bytes")
    put(cloudwatch, namespace, {now: 1.0}, name="Other", Unit="Count")

    def names(**asked):
        return [each["MetricName"] for each in cloudwatch.list_metrics(**asked)["Metrics"]]

    assert names(Namespace=namespace) == ["Latency", "Other"]
    assert names(Namespace=namespace, MetricName="Other") == ["Other"]
    assert names(Namespace=namespace, RecentlyActive="PT3H") == ["Latency", "Other"]
    page = {"Name": "Page"}
    assert names(Namespace=namespace, Dimensions=[page]) == ["Latency", "Other"]
    assert names(Namespace=namespace, Dimensions=[{**page, "Value": "cart"}]) == []
    (first, _) = cloudwatch.list_metrics(Namespace=namespace)["Metrics"]
    assert first == {"Namespace": namespace, "MetricName": "Latency", "Dimensions": DIMENSIONS}


def test_more_metrics_than_a_page_are_listed(cloudwatch, namespace):
    for first in range(0, 1200, 600):
        cloudwatch.put_metric_data(
            Namespace=namespace,
            MetricData=[
                {"MetricName": f"m{number:04}", "Value": 1.0}
                for number in range(first, first + 600)
            ],
        )
    pages = cloudwatch.get_paginator("list_metrics").paginate(Namespace=namespace)
    found = [page["Metrics"] for page in pages]
    assert [len(page) for page in found] == [500, 500, 200]
    names = [each["MetricName"] for page in found for each in page]
    assert names == [f"m{number:04}" for number in range(1200)]


def test_metric_math(cloudwatch, namespace, now):
    start = now - 5 * MINUTE
    put(cloudwatch, namespace, {start: 10.0, start + 120: 30.0})
    put(cloudwatch, namespace, {start: 5.0, start + 60: 2.0}, name="Errors")
    answer = data(
        cloudwatch,
        start,
        start + 180,
        query(namespace, ReturnData=False),
        {**query(namespace, name="Errors", ReturnData=False), "Id": "m2"},
        {"Id": "e1", "Expression": "100 * FILL(m2, 0) / m1", "Label": "percent"},
        {"Id": "e2", "Expression": "e1 / 100"},
        {"Id": "e3", "Expression": f"SEARCH('{{\"{namespace}\",Page}} Latency', 'Sum', 60)"},
    )
    assert values_of(answer) == {
        "e1": {start: 50.0, start + 120: 0.0},
        "e2": {start: 0.5, start + 120: 0.0},
        "e3": {start: 10.0, start + 120: 30.0},
    }
    labels = [each["Label"] for each in answer["MetricDataResults"]]
    assert labels == ["percent", "e2", "home Latency"]


def test_datapoints_come_in_pages_and_in_the_order_asked_for(cloudwatch, namespace, now):
    start = now - 5 * MINUTE
    times = range(start, now, MINUTE)
    put(cloudwatch, namespace, {at: float(at - start) for at in times})
    newest = data(cloudwatch, start, now, query(namespace))["MetricDataResults"][0]["Values"]
    assert newest == [240.0, 180.0, 120.0, 60.0, 0.0]
    second = {**query(namespace), "Id": "m2"}
    pages = cloudwatch.get_paginator("get_metric_data").paginate(
        MetricDataQueries=[query(namespace), second],
        StartTime=start,
        EndTime=now,
        ScanBy="TimestampAscending",
        MaxDatapoints=3,
    )
    found = [
        [(each["Id"], each["StatusCode"], each["Values"]) for each in page["MetricDataResults"]]
        for page in pages
    ]
    assert found == [
        [("m1", "PartialData", [0.0, 60.0, 120.0])],
        [("m1", "Complete", [180.0, 240.0]), ("m2", "PartialData", [0.0])],
        [("m2", "PartialData", [60.0, 120.0, 180.0])],
        [("m2", "Complete", [240.0])],
    ]


def create_table(client, name):
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
    )


# What happens to a table is its metrics of the minute, without a request more.
def test_tables_have_metrics():
    name, other = "orders", "unused"
    with served(testing=True) as server:
        dynamodb, cloudwatch = client_of(server.endpoint), client_of(server.endpoint, "cloudwatch")
        for table in (name, other):
            create_table(dynamodb, table)
        check_metrics(dynamodb, cloudwatch, server.clock, (name, other))


def check_metrics(dynamodb, cloudwatch, clock, names):
    name, other = names
    for number in range(12):
        dynamodb.put_item(TableName=name, Item={"pk": {"S": str(number)}})
    absent = {"ConditionExpression": "attribute_not_exists(pk)"}
    for _ in range(3):
        item = {"pk": {"S": "1"}}
        code, _ = refused(dynamodb.put_item, TableName=name, Item=item, **absent)
        assert code == "ConditionalCheckFailedException"
    dynamodb.get_item(TableName=name, Key={"pk": {"S": "1"}}, ConsistentRead=True)
    began = time.time() - 120
    clock.advance(seconds=61)

    def found(metric, **more):
        dimensions = [{"Name": key, "Value": value} for key, value in more.items()]
        points = statistics(
            cloudwatch,
            "AWS/DynamoDB",
            began,
            began + 600,
            name=metric,
            period=600,
            Dimensions=[{"Name": "TableName", "Value": name}, *dimensions],
        )
        return [(each["Unit"], each["Sum"], each["SampleCount"]) for each in points]

    ((unit, units, _),) = found("ConsumedWriteCapacityUnits")
    assert (unit, units) == ("Count", 15)
    ((_, units, _),) = found("ConsumedReadCapacityUnits")
    assert units == 1
    ((_, units, count),) = found("ProvisionedWriteCapacityUnits")
    assert units / count == 7
    assert found("ConditionalCheckFailedRequests") == [("Count", 3, 3)]
    ((unit, total, count),) = found("SuccessfulRequestLatency", Operation="PutItem")
    assert (unit, count) == ("Milliseconds", 12)
    assert 0 < total < 12 * 60_000

    def of_account(metric):
        more = {"name": metric, "period": 600, "Dimensions": [], "Statistics": ["Maximum"]}
        points = statistics(cloudwatch, "AWS/DynamoDB", began, began + 600, **more)
        return [(each["Unit"], each["Maximum"]) for each in points]

    assert of_account("AccountMaxWrites") == [("Count", 80_000)]
    assert of_account("AccountMaxTableLevelReads") == [("Count", 40_000)]
    share = of_account("AccountProvisionedWriteCapacityUtilization")
    assert share == [("Percent", pytest.approx(100 * 14 / 80_000))]
    share = of_account("MaxProvisionedTableReadCapacityUtilization")
    assert share == [("Percent", pytest.approx(100 * 5 / 40_000))]
    listed = cloudwatch.list_metrics(
        Namespace="AWS/DynamoDB", Dimensions=[{"Name": "TableName", "Value": other}]
    )["Metrics"]
    assert {each["MetricName"] for each in listed} == {
        "ProvisionedReadCapacityUnits",
        "ProvisionedWriteCapacityUnits",
    }


# Each process stores what it has counted itself, and all of it is one metric; a server that is
# stopped keeps what it has counted since the last minute.
@pytest.mark.long
def test_the_processes_of_a_server_have_metrics_together(tmp_path):
    place = {"memory": False, "data": tmp_path / "d", "testing": True}
    began = time.time() - 120
    with served(workers=2, **place) as server:
        create_table(client_of(server.endpoint), "orders")
        for number in range(10):
            client_of(server.endpoint).put_item(TableName="orders", Item={"pk": {"S": str(number)}})
    with served(**place) as server:
        (found,) = statistics(
            client_of(server.endpoint, "cloudwatch"),
            "AWS/DynamoDB",
            began,
            began + 600,
            name="ConsumedWriteCapacityUnits",
            period=600,
            Dimensions=[{"Name": "TableName", "Value": "orders"}],
        )
    assert found["Sum"] == 10


# So do servers on one database: each stores its own when it stops.
@pytest.mark.long
def test_several_servers_have_metrics_together():
    place = {"memory": False, "engine": url_of(str(uuid.uuid4()))}
    began = time.time() - 120
    with served(**place) as one, served(**place) as other:
        create_table(client_of(one.endpoint), "orders")
        for number in range(10):
            item = {"pk": {"S": str(number)}}
            for server in (one, other):
                client_of(server.endpoint).put_item(TableName="orders", Item=item)
    with served(**place) as server:
        (found,) = statistics(
            client_of(server.endpoint, "cloudwatch"),
            "AWS/DynamoDB",
            began,
            began + 600,
            name="ConsumedWriteCapacityUnits",
            period=600,
            Dimensions=[{"Name": "TableName", "Value": "orders"}],
        )
    assert (found["Sum"], found["SampleCount"]) == (20, 2)


# Samples of a minute become those of five minutes, then of an hour, and then are gone.
def test_old_values_are_at_coarser_resolutions(cloudwatch, namespace, now, clock):
    start = now // 3600 * 3600 - 3600
    put(cloudwatch, namespace, {start + MINUTE * minute: 1.0 for minute in range(60)})

    def counts():
        return [
            len(statistics(cloudwatch, namespace, start, start + 3600, period=period))
            for period in (MINUTE, 300, 3600)
        ]

    assert counts() == [60, 12, 1]
    clock.advance(days=16)
    assert counts() == [0, 12, 1]
    clock.advance(days=49)
    assert counts() == [0, 0, 1]
    (hour,) = statistics(cloudwatch, namespace, start, start + 3600, period=3600)
    assert (hour["Sum"], hour["SampleCount"]) == (60.0, 60.0)
    assert cloudwatch.list_metrics(Namespace=namespace)["Metrics"] == []
    clock.advance(days=400)
    assert counts() == [0, 0, 0]
