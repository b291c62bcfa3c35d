"""Requests to CloudWatch that are refused, with the codes that its clients know."""

import pytest

from tests.api.metrics import CBOR, JSON, QUERY, client_speaking, refused


@pytest.fixture(scope="module", params=[JSON, CBOR, QUERY])
def cloudwatch(endpoint, request):
    return client_speaking(request.param, endpoint)


DATUM = {"MetricName": "m", "Value": 1.0}
RANGE = {"StartTime": 0, "EndTime": 600}
REFUSALS = [
    (
        "put_metric_data",
        {"Namespace": "AWS/App", "MetricData": [DATUM]},
        "InvalidParameterValue",
        'a namespace must not begin with "AWS/"',
    ),
    (
        "put_metric_data",
        {"MetricData": [DATUM]},
        "ValidationError",
        "Value null at 'namespace' failed to satisfy constraint: Member must not be null",
    ),
    ("put_metric_data", {"Namespace": "App"}, "MissingParameter", "MetricData.member.1.Value"),
    (
        "put_metric_data",
        {"Namespace": "App", "MetricData": [{"MetricName": "m"}]},
        "MissingParameter",
        "MetricData.member.1.Value",
    ),
    (
        "put_metric_data",
        {"Namespace": "App", "MetricData": [{**DATUM, "Values": [1.0]}]},
        "InvalidParameterCombination",
        "mutually exclusive",
    ),
    (
        "put_metric_data",
        {"Namespace": "App", "MetricData": [DATUM, {**DATUM, "Timestamp": 1}]},
        "InvalidParameterValue",
        "MetricData.member.2.Timestamp",
    ),
    (
        "put_metric_data",
        {"Namespace": "App", "MetricData": [{**DATUM, "Value": 1e200}]},
        "InvalidParameterValue",
        "MetricData.member.1.Value",
    ),
    (
        "put_metric_data",
        {"Namespace": "App", "MetricData": [{**DATUM, "StorageResolution": 5}]},
        "InvalidParameterValue",
        "StorageResolution",
    ),
    (
        "put_metric_data",
        {"Namespace": "App", "MetricData": [DATUM] * 1001},
        "InvalidParameterValue",
        "MetricData must not have a size greater than 1000",
    ),
    (
        "get_metric_statistics",
        {"Namespace": "App", "MetricName": "m", "Period": 60, "Statistics": ["Sum"]}
        | {"StartTime": 0, "EndTime": 60 * 1441},
        "InvalidParameterCombination",
        "You have requested up to 1,441 datapoints, which exceeds the limit of 1,440.",
    ),
    (
        "get_metric_statistics",
        {"Namespace": "App", "MetricName": "m", "Period": 61, "Statistics": ["Sum"], **RANGE},
        "InvalidParameterValue",
        "Period must be",
    ),
    (
        "get_metric_statistics",
        {"Namespace": "App", "MetricName": "m", "Period": 60, **RANGE},
        "MissingParameter",
        "Statistics and ExtendedStatistics",
    ),
    (
        "get_metric_statistics",
        {"Namespace": "App", "MetricName": "m", "Period": 60, "ExtendedStatistics": ["p101"]}
        | RANGE,
        "InvalidParameterValue",
        "The value p101",
    ),
    (
        "get_metric_data",
        {"MetricDataQueries": [{"Id": "E1", "Expression": "1"}], **RANGE},
        "ValidationError",
        "The value E1",
    ),
    (
        "get_metric_data",
        {"MetricDataQueries": [{"Id": "e1"}], **RANGE},
        "ValidationError",
        "Exactly one of the parameters MetricStat and Expression",
    ),
    (
        "get_metric_data",
        {"MetricDataQueries": [{"Id": "e1", "Expression": "e2"}] * 2, **RANGE},
        "ValidationError",
        "not unique",
    ),
    (
        "get_metric_data",
        {
            "MetricDataQueries": [
                {"Id": "e1", "Expression": "e2 + METRICS()"},
                {"Id": "e2", "Expression": "e1"},
            ],
            **RANGE,
        },
        "ValidationError",
        "refers to itself",
    ),
    (
        "get_metric_data",
        {"MetricDataQueries": [{"Id": "e1", "Expression": "1 + 1"}], **RANGE},
        "ValidationError",
        "The result must be a time series",
    ),
    (
        "get_metric_data",
        {"MetricDataQueries": [{"Id": "e1", "Expression": "x"}], "NextToken": "x", **RANGE},
        "ValidationError",
        "Unknown id x",
    ),
    ("list_metrics", {"NextToken": "x"}, "InvalidNextToken", "The NextToken provided is invalid"),
    (
        "list_metrics",
        {"IncludeLinkedAccounts": True},
        "ValidationError",
        "hashrange does not support IncludeLinkedAccounts",
    ),
    (
        "describe_anomaly_detectors",
        {},
        "UnknownOperationException",
        "hashrange does not support the CloudWatch operation DescribeAnomalyDetectors",
    ),
]


@pytest.mark.parametrize("row", range(len(REFUSALS)), ids=lambda row: REFUSALS[row][0])
def test_refusals(cloudwatch, row):
    operation, request, code, text = REFUSALS[row]
    found = refused(getattr(cloudwatch, operation), **request)
    assert (found[0], text in found[1]) == (code, True), found


# A chain of as many expressions as a request may have is no failure of the server.
def test_expressions_that_name_each_other(cloudwatch):
    queries = [{"Id": f"e{number}", "Expression": f"e{number + 1}"} for number in range(500)]
    code, text = refused(cloudwatch.get_metric_data, MetricDataQueries=queries, **RANGE)
    assert (code, "nested too deeply" in text) == ("ValidationError", True)
