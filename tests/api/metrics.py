"""Requests to CloudWatch, in short."""

import pytest
from botocore.exceptions import ClientError

DIMENSIONS = [{"Name": "Page", "Value": "home"}]
MINUTE = 60


def put(client, namespace, values, *, name="Latency", **more):
    """Put values by their times."""
    data = [
        {"MetricName": name, "Dimensions": DIMENSIONS, "Timestamp": at, "Value": value, **more}
        for at, value in values.items()
    ]
    client.put_metric_data(Namespace=namespace, MetricData=data)


def statistics(client, namespace, start, end, *, name="Latency", period=MINUTE, **more):
    chosen = {"Dimensions": DIMENSIONS, "Statistics": ["Sum", "SampleCount"], **more}
    answer = client.get_metric_statistics(
        Namespace=namespace, MetricName=name, StartTime=start, EndTime=end, Period=period, **chosen
    )
    assert answer["Label"] == name
    points = sorted(answer["Datapoints"], key=lambda each: each["Timestamp"])
    return [{**each, "Timestamp": int(each["Timestamp"].timestamp())} for each in points]


def query(namespace, *, name="Latency", stat="Sum", period=MINUTE, **more):
    metric = {"Namespace": namespace, "MetricName": name, "Dimensions": DIMENSIONS}
    return {"Id": "m1", "MetricStat": {"Metric": metric, "Period": period, "Stat": stat}, **more}


def data(client, start, end, *queries, **more):
    """Labels, and values by time, of the queries."""
    request = {"MetricDataQueries": [*queries], "StartTime": start, "EndTime": end, **more}
    return client.get_metric_data(**request)


def values_of(answer):
    return {
        each["Id"]: {
            int(at.timestamp()): value
            for at, value in zip(each["Timestamps"], each["Values"], strict=True)
        }
        for each in answer["MetricDataResults"]
    }


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    return error.value.response["Error"]["Code"], error.value.response["Error"]["Message"]
