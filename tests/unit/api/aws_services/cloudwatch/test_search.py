"""Which metrics a search expression finds."""

import pytest

from hashrange.api.aws_services.cloudwatch.expressions import ExpressionError
from hashrange.api.aws_services.cloudwatch.search import search_of
from hashrange.tables.series.samples import StoredMetric
from tests.rows import rows

METRICS = {
    "read": ("AWS/DynamoDB", "ConsumedReadCapacityUnits", (("TableName", "orders"),)),
    "write": ("AWS/DynamoDB", "ConsumedWriteCapacityUnits", (("TableName", "orders"),)),
    "events": (
        "AWS/DynamoDB",
        "ReadThrottleEvents",
        (("GlobalSecondaryIndexName", "by_day"), ("TableName", "orders")),
    ),
    "users": ("AWS/DynamoDB", "ConsumedReadCapacityUnits", (("TableName", "users"),)),
    "app": ("App", "Latency", ()),
}


@rows(
    "text, names",
    [
        ("", "app events read users write"),
        ("{AWS/DynamoDB}", ""),
        ("{App}", "app"),
        ("{AWS/DynamoDB,TableName}", "read users write"),
        ('{"AWS/DynamoDB", "TableName"} orders', "read write"),
        ("{AWS/DynamoDB,TableName,GlobalSecondaryIndexName}", "events"),
        ('MetricName="ConsumedReadCapacityUnits"', "read users"),
        ('MetricName="Consumed"', ""),
        ("MetricName=consumed", "read users write"),
        ("{AWS/DynamoDB,TableName} MetricName=read TableName=orders", "read"),
        ("TableName=(orders OR users) MetricName=ConsumedRead", "read users"),
        ("users OR latency", "app users"),
        ("Namespace=App", "app"),
        ("consumed NOT users", "read write"),
        ("(users OR orders) AND write", "write"),
    ],
)
def test_metrics_are_found(text, names):
    search = search_of(text)
    found = [name for name, row in METRICS.items() if search.test(StoredMetric(*row, {}))]
    assert sorted(found) == names.split()


@pytest.mark.parametrize(
    "text", ["(a", "a)", "TableName=", "NOT", "a = =", "(" * 99, "a=(b AND c)"]
)
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ExpressionError):
        search_of(text)
