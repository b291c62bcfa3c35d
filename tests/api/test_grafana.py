"""What Grafana's data source of CloudWatch sends: written by hand after its Go source.

Source: grafana/grafana, `pkg/tsdb/cloudwatch/metric_data_query_builder.go` at 6324726506a9101c,
`metric_data_input_builder.go` at 02d10995219956ca, and the health check and the lists of dimensions
of the same time, with `aws-sdk-go-v2`. Its versions before 1.53.0 of the client of CloudWatch speak
the query protocol, later ones CBOR.
"""

import time
import uuid

import pytest

from tests.api.metrics import CBOR, MINUTE, QUERY, client_speaking, refused


@pytest.fixture(scope="module", params=[CBOR, QUERY])
def cloudwatch(endpoint, request):
    return client_speaking(request.param, endpoint)


@pytest.fixture(scope="module")
def start():
    return int(time.time()) // MINUTE * MINUTE - 5 * MINUTE


@pytest.fixture(scope="module")
def namespace(cloudwatch, start):
    """Units of three tables, of one of them by operation, too."""
    name = f"Grafana/{uuid.uuid4()}"
    tables = {"orders": 10.0, "carts": 20.0, "users": 30.0}
    data = [
        {
            "MetricName": "Units",
            "Dimensions": [{"Name": "TableName", "Value": table}],
            "Timestamp": start + MINUTE * minute,
            "Value": value + minute,
        }
        for table, value in tables.items()
        for minute in range(2)
    ]
    by_operation = [
        {"Name": n, "Value": v} for n, v in (("Operation", "Get"), ("TableName", "users"))
    ]
    data.append({**data[0], "Dimensions": by_operation, "Value": 1.0})
    cloudwatch.put_metric_data(Namespace=name, MetricData=data)
    return name


@pytest.fixture
def ask(cloudwatch, start):
    """Sends queries as a panel does; labels and values by time."""

    def send(*queries, **more):
        answer = cloudwatch.get_metric_data(
            MetricDataQueries=[{"ReturnData": True, **each} for each in queries],
            StartTime=start,
            EndTime=start + 5 * MINUTE,
            ScanBy="TimestampAscending",
            LabelOptions={"Timezone": "+0000"},
            **more,
        )
        assert all(each["StatusCode"] == "Complete" for each in answer["MetricDataResults"])
        return [(each["Id"], each["Label"], each["Values"]) for each in answer["MetricDataResults"]]

    return send


def test_the_health_check(cloudwatch):
    asked = {"MetricName": "EstimatedCharges", "Namespace": "AWS/Billing"}
    assert cloudwatch.list_metrics(**asked)["Metrics"] == []


def test_lists_of_names_and_values_of_dimensions(cloudwatch, namespace):
    answer = cloudwatch.list_metrics(
        Namespace=namespace, MetricName="Units", Dimensions=[{"Name": "TableName"}]
    )
    values = {
        each["Value"]
        for metric in answer["Metrics"]
        for each in metric["Dimensions"]
        if each["Name"] == "TableName"
    }
    assert values == {"orders", "carts", "users"}
    assert len(answer["Metrics"]) == 4


def test_a_metric(ask, namespace, start):
    metric = {
        "Namespace": namespace,
        "MetricName": "Units",
        "Dimensions": [{"Name": "TableName", "Value": "orders"}],
    }
    stat = {"Metric": metric, "Period": MINUTE, "Stat": "Sum"}
    assert ask({"Id": "queryA", "MetricStat": stat}) == [("queryA", "Units", [10.0, 11.0])]
    label = "${PROP('Dim.TableName')} ${PROP('Stat')} ${MAX} of ${LABEL}"
    assert ask({"Id": "a", "MetricStat": stat, "Label": label}) == [
        ("a", "orders Sum 11 of Units", [10.0, 11.0])
    ]


def test_a_search_of_one_schema(ask, namespace):
    search = (
        f'REMOVE_EMPTY(SEARCH(\'{{"{namespace}","TableName"}} MetricName="Units" '
        '"TableName"=("orders" OR "carts")\', \'Sum\', 60))'
    )
    label = "${LABEL}|&|${PROP('Dim.TableName')}"
    assert sorted(ask({"Id": "a", "Expression": search, "Label": label})) == [
        ("a", "carts Units|&|carts", [20.0, 21.0]),
        ("a", "orders Units|&|orders", [10.0, 11.0]),
    ]


# Without an exact match metrics with further dimensions are found.
def test_a_search_of_all_schemas(ask, namespace):
    search = (
        f'REMOVE_EMPTY(SEARCH(\'Namespace="{namespace}" MetricName="Units" "TableName"\','
        " 'Sum', 60))"
    )
    found = ask({"Id": "a", "Expression": search})
    assert sorted(values for _, _, values in found) == [
        [1.0],
        [10.0, 11.0],
        [20.0, 21.0],
        [30.0, 31.0],
    ]


def test_math(ask, namespace):
    search = f"SEARCH('{{{namespace},TableName}} MetricName=\"Units\"', 'Sum', 60)"
    expression = f"SUM(REMOVE_EMPTY({search}))/60"
    assert ask({"Id": "e", "Expression": expression, "Period": MINUTE}) == [
        ("e", "e", [1.0, 63 / 60])
    ]
    empty = search.replace("Units", "Nothing")
    assert ask({"Id": "e", "Expression": f"REMOVE_EMPTY({empty})"}) == []


def test_labels_that_are_not_known_are_refused(cloudwatch, start, namespace):
    query = {"Id": "e", "Expression": "SEARCH('x', 'Sum', 60)", "Label": "${FIRST_TIME}"}
    times = {"StartTime": start, "EndTime": start + MINUTE}
    code, text = refused(cloudwatch.get_metric_data, MetricDataQueries=[query], **times)
    assert (code, "${FIRST_TIME} in labels" in text) == ("ValidationError", True)
    zone = {"LabelOptions": {"Timezone": "CET"}, **times}
    code, text = refused(cloudwatch.get_metric_data, MetricDataQueries=[query], **zone)
    assert (code, "LabelOptions.Timezone" in text) == ("ValidationError", True)
