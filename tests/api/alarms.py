"""Requests about alarms, in short."""

import json

ON = {"MetricName": "Latency", "Namespace": "App", "Statistic": "Sum", "Period": 60}
RULE = {"EvaluationPeriods": 1, "Threshold": 10.0, "ComparisonOperator": "GreaterThanThreshold"}
TOPIC = "arn:aws:sns:us-east-1:123456789012:page"


def put_alarm(client, name, **more):
    """Put an alarm on a metric; without values it keeps its state, whenever it is evaluated."""
    known = {"AlarmName": name, "TreatMissingData": "ignore", **ON, **RULE}
    client.put_metric_alarm(**{**known, **more})


def alarm(client, name):
    found = client.describe_alarms(AlarmNames=[name], AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    (one,) = [*found["MetricAlarms"], *found["CompositeAlarms"]]
    return one


def state(client, name):
    return alarm(client, name)["StateValue"]


def names(client, **asked):
    found = client.describe_alarms(**asked)
    return [each["AlarmName"] for each in (*found["MetricAlarms"], *found["CompositeAlarms"])]


def history(client, **asked):
    """Items of a history, the oldest first, with their data."""
    pages = client.get_paginator("describe_alarm_history").paginate(
        ScanBy="TimestampAscending", **asked
    )
    return [
        (each["HistoryItemType"], each["HistorySummary"], json.loads(each["HistoryData"]))
        for page in pages
        for each in page["AlarmHistoryItems"]
    ]
