"""Alarms as they are put, listed, changed and deleted; their history."""

import uuid

import pytest

from tests.api.alarms import RULE, TOPIC, alarm, history, names, put_alarm, state
from tests.api.conftest import client_of
from tests.api.metrics import CBOR, JSON, QUERY, client_speaking, refused
from tests.served import served


@pytest.fixture
def name():
    return f"alarm-{uuid.uuid4()}"


def test_an_alarm_is_described_as_it_was_put(cloudwatch, name):
    dimensions = [{"Name": "Page", "Value": "home"}]
    put_alarm(
        cloudwatch,
        name,
        AlarmDescription="slow",
        Dimensions=dimensions,
        AlarmActions=[TOPIC],
        DatapointsToAlarm=1,
    )
    found = alarm(cloudwatch, name)
    assert found["AlarmArn"].startswith("arn:aws:cloudwatch:")
    assert found["AlarmArn"].endswith(f":alarm:{name}")
    expected = {
        "AlarmName": name,
        "AlarmDescription": "slow",
        "ActionsEnabled": True,
        "AlarmActions": [TOPIC],
        "OKActions": [],
        "InsufficientDataActions": [],
        "StateValue": "INSUFFICIENT_DATA",
        "StateReason": "Unchecked: Initial alarm creation",
        "MetricName": "Latency",
        "Namespace": "App",
        "Statistic": "Sum",
        "Period": 60,
        "Dimensions": dimensions,
        "DatapointsToAlarm": 1,
        "TreatMissingData": "ignore",
        **RULE,
    }
    assert {key: found[key] for key in expected} == expected
    (created,) = history(cloudwatch, AlarmName=name)
    assert created[:2] == ("ConfigurationUpdate", f'Alarm "{name}" created')
    assert created[2]["type"] == "Create"
    configured = created[2]["createdAlarm"]
    assert (configured["alarmName"], configured["okactions"]) == (name, [])


@pytest.mark.parametrize("protocol", [JSON, CBOR, QUERY])
def test_alarms_in_each_protocol(server, name, protocol):
    client = client_speaking(protocol, server.endpoint)
    put_alarm(client, name, Dimensions=[{"Name": "Page", "Value": "home"}], OKActions=[TOPIC])
    client.put_composite_alarm(AlarmName=f"{name}-c", AlarmRule=f"OK({name})")
    client.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="a test")
    found = alarm(client, name)
    assert (found["StateValue"], found["Threshold"], found["OKActions"]) == ("OK", 10.0, [TOPIC])
    assert alarm(client, f"{name}-c")["AlarmRule"] == f"OK({name})"
    assert len(history(client, AlarmName=name, HistoryItemType="StateUpdate")) == 1
    code, _ = refused(client.set_alarm_state, AlarmName="-", StateValue="OK", StateReason="")
    assert code == "ResourceNotFound"


# Putting it again keeps its state; each change is in the history, which stays when it is deleted.
def test_a_state_is_kept_and_a_history_stays(cloudwatch, name):
    put_alarm(cloudwatch, name)
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")
    put_alarm(cloudwatch, name, Threshold=11.0)
    found = alarm(cloudwatch, name)
    assert (found["StateValue"], found["Threshold"]) == ("ALARM", 11.0)
    cloudwatch.delete_alarms(AlarmNames=[name, "unknown"])
    assert names(cloudwatch, AlarmNames=[name]) == []
    found = history(cloudwatch, AlarmName=name)
    assert [each[:2] for each in found] == [
        ("ConfigurationUpdate", f'Alarm "{name}" created'),
        ("StateUpdate", "Alarm updated from INSUFFICIENT_DATA to ALARM"),
        ("ConfigurationUpdate", f'Alarm "{name}" updated'),
        ("ConfigurationUpdate", f'Alarm "{name}" deleted'),
    ]
    assert found[1][2] == {
        "version": "1.0",
        "oldState": {
            "stateValue": "INSUFFICIENT_DATA",
            "stateReason": "Unchecked: Initial alarm creation",
        },
        "newState": {"stateValue": "ALARM", "stateReason": "a test"},
    }
    (update,) = history(cloudwatch, AlarmName=name, HistoryItemType="StateUpdate")
    assert update == found[1]
    assert history(cloudwatch, AlarmName=name, AlarmTypes=["CompositeAlarm"]) == []


def test_a_history_comes_in_pages_in_either_order(cloudwatch, name):
    put_alarm(cloudwatch, name)
    for number in range(4):
        value = ("ALARM", "OK")[number % 2]
        cloudwatch.set_alarm_state(AlarmName=name, StateValue=value, StateReason="a test")
    asked = {"AlarmName": name, "MaxRecords": 2}
    oldest = history(cloudwatch, **asked)
    assert len(oldest) == 5
    pages = cloudwatch.get_paginator("describe_alarm_history").paginate(**asked)
    found = [page["AlarmHistoryItems"] for page in pages]
    assert [len(page) for page in found] == [2, 2, 1]
    newest = [each["HistorySummary"] for page in found for each in page]
    assert newest == [summary for _, summary, _ in reversed(oldest)]
    began = min(each["Timestamp"] for page in found for each in page)
    before = began.timestamp() - 1
    assert history(cloudwatch, AlarmName=name, EndDate=before) == []
    assert len(history(cloudwatch, AlarmName=name, StartDate=before)) == 5


def test_alarms_are_found_by_their_members(cloudwatch):
    prefix = f"found-{uuid.uuid4()}"
    first, second, third = (f"{prefix}-{number}" for number in range(3))
    put_alarm(cloudwatch, first, AlarmActions=[TOPIC])
    put_alarm(cloudwatch, second, OKActions=[f"{TOPIC}-other"])
    put_alarm(cloudwatch, third, MetricName="Errors", Dimensions=[{"Name": "a", "Value": "b"}])
    both = f"{prefix}-both"
    cloudwatch.put_composite_alarm(
        AlarmName=both, AlarmRule=f'ALARM({first}) OR NOT OK("{second}")'
    )
    cloudwatch.set_alarm_state(AlarmName=first, StateValue="OK", StateReason="a test")
    asked = {"AlarmNamePrefix": prefix}
    kinds = ["CompositeAlarm", "MetricAlarm"]
    assert names(cloudwatch, **asked) == [first, second, third]
    assert names(cloudwatch, **asked, AlarmTypes=kinds) == [first, second, third, both]
    assert names(cloudwatch, **asked, StateValue="OK") == [first]
    assert names(cloudwatch, **asked, ActionPrefix=TOPIC) == [first, second]
    assert names(cloudwatch, **asked, ActionPrefix=f"{TOPIC}-") == [second]
    assert names(cloudwatch, ChildrenOfAlarmName=both) == [first, second]
    assert names(cloudwatch, ParentsOfAlarmName=second) == [both]
    assert names(cloudwatch, ParentsOfAlarmName=third) == []
    pages = cloudwatch.get_paginator("describe_alarms").paginate(
        **asked, AlarmTypes=kinds, PaginationConfig={"PageSize": 3}
    )
    found = [
        [each["AlarmName"] for each in (*page["MetricAlarms"], *page["CompositeAlarms"])]
        for page in pages
    ]
    assert found == [[first, second, third], [both]]

    def on(metric, **more):
        found = cloudwatch.describe_alarms_for_metric(Namespace="App", MetricName=metric, **more)
        return [each["AlarmName"] for each in found["MetricAlarms"] if prefix in each["AlarmName"]]

    assert on("Latency") == [first, second]
    assert on("Latency", Statistic="Average") == []
    assert on("Errors") == []
    assert on("Errors", Dimensions=[{"Name": "a", "Value": "b"}]) == [third]


def test_actions_are_switched(cloudwatch, name):
    put_alarm(cloudwatch, name)
    cloudwatch.disable_alarm_actions(AlarmNames=[name])
    assert alarm(cloudwatch, name)["ActionsEnabled"] is False
    cloudwatch.enable_alarm_actions(AlarmNames=[name, "unknown"])
    assert alarm(cloudwatch, name)["ActionsEnabled"] is True


def test_alarms_that_rules_name_stay(cloudwatch, name):
    both = f"{name}-both"
    put_alarm(cloudwatch, name)
    cloudwatch.put_composite_alarm(AlarmName=both, AlarmRule=f"ALARM({name})")
    code, text = refused(cloudwatch.delete_alarms, AlarmNames=[name])
    assert code == "ValidationError"
    assert text == f"Cannot delete {name} as there are composite alarm(s) depending on it."
    cloudwatch.delete_alarms(AlarmNames=[name, both])
    assert names(cloudwatch, AlarmNames=[name, both]) == []


def test_alarms_survive_a_restart(tmp_path):
    place = {"memory": False, "data": tmp_path / "d"}
    with served(**place) as server:
        client = client_of(server.endpoint, "cloudwatch")
        put_alarm(client, "kept")
        client.set_alarm_state(AlarmName="kept", StateValue="OK", StateReason="a test")
    with served(**place) as server:
        client = client_of(server.endpoint, "cloudwatch")
        assert state(client, "kept") == "OK"
        assert len(history(client, AlarmName="kept")) == 2


METRIC = {"Metric": {"Namespace": "App", "MetricName": "Latency"}, "Period": 60, "Stat": "Sum"}
MATH = dict.fromkeys(("MetricName", "Namespace", "Statistic", "Period"))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"Period": 45}, "Period must be 10, 20, 30 or a multiple of 60"),
        ({"Statistic": None}, "exactly one of them must be specified"),
        ({"ExtendedStatistic": "p99"}, "exactly one of them must be specified"),
        ({"Threshold": None}, "The parameter Threshold is required."),
        ({"EvaluationPeriods": 2000}, "EvaluationPeriods * Period must be <= 86400"),
        ({"DatapointsToAlarm": 2}, "DatapointsToAlarm must be less than or equal to"),
        ({"TreatMissingData": "no"}, "[breaching, notBreaching, ignore, missing]"),
        ({"AlarmActions": ["page me"]}, "Invalid arn syntax: page me"),
        ({"Namespace": None}, "The parameter Namespace is required."),
        ({"ComparisonOperator": "LessThanLowerThreshold"}, "does not support"),
        ({"ThresholdMetricId": "a"}, "does not support ThresholdMetricId: anomaly detection"),
        ({**MATH, "Metrics": [{"Id": "m", "MetricStat": METRIC}], "Period": 60}, "Period must not"),
        (
            {**MATH, "Metrics": [{"Id": n, "MetricStat": METRIC} for n in "ab"]},
            "exactly one metric matching the ReturnData flag",
        ),
        (
            {
                **MATH,
                "Metrics": [
                    {"Id": "m", "MetricStat": METRIC, "ReturnData": False},
                    {"Id": "e", "Expression": "m + unknown"},
                ],
            },
            "Unknown id unknown",
        ),
        (
            {
                **MATH,
                "Metrics": [
                    {"Id": "m", "MetricStat": METRIC, "ReturnData": False},
                    {"Id": "e", "Expression": "ANOMALY_DETECTION_BAND(m, 2)"},
                ],
            },
            "does not support ANOMALY_DETECTION_BAND: anomaly detection",
        ),
        ({"Tags": [{"Key": "aws:a", "Value": "b"}]}, "that do not begin with aws:"),
    ],
)
def test_alarms_that_cannot_be_are_refused(cloudwatch, name, change, text):
    asked = {
        "AlarmName": name,
        "MetricName": "Latency",
        "Namespace": "App",
        "Statistic": "Sum",
        "Period": 60,
        **RULE,
        **change,
    }
    given = {key: value for key, value in asked.items() if value is not None}
    _, found = refused(cloudwatch.put_metric_alarm, **given)
    assert text in found
    assert names(cloudwatch, AlarmNames=[name]) == []


def test_other_requests_that_are_refused(cloudwatch, name):
    put_alarm(cloudwatch, name)
    code, _ = refused(
        cloudwatch.set_alarm_state, AlarmName="unknown", StateValue="OK", StateReason="a test"
    )
    assert code == "ResourceNotFound"
    code, _ = refused(
        cloudwatch.set_alarm_state,
        AlarmName=name,
        StateValue="OK",
        StateReason="a test",
        StateReasonData="{",
    )
    assert code == "InvalidFormat"
    for call in (cloudwatch.describe_alarms, cloudwatch.describe_alarm_history):
        assert refused(call, NextToken="no token")[0] == "InvalidNextToken"
    put = cloudwatch.put_composite_alarm
    for rule, text in (
        ("ALARM(unknown)", "alarms [unknown] in the alarm rule do not exist"),
        ("ALARM(a", "Error in AlarmRule: Syntax error at position 0"),
        ("TRUE AND", "Error in AlarmRule: Syntax error at position 8"),
        ("(" * 200 + "TRUE" + ")" * 200, "The expression is nested too deeply"),
    ):
        assert text in refused(put, AlarmName=f"{name}-both", AlarmRule=rule)[1]
    assert "another type" in refused(put, AlarmName=name, AlarmRule="TRUE")[1]
    code, _ = refused(put, AlarmName=f"{name}-both", AlarmRule="TRUE", ActionsSuppressor=name)
    assert code == "InvalidParameterCombination"


@pytest.mark.parametrize("protocol", [JSON, CBOR, QUERY])
def test_tags_of_an_alarm_are_changed_and_listed(server, protocol, name):
    client = client_speaking(protocol, server.endpoint)
    put_alarm(client, name, Tags=[{"Key": "team", "Value": "a"}])
    arn = alarm(client, name)["AlarmArn"]

    def tags():
        listed = client.list_tags_for_resource(ResourceARN=arn)["Tags"]
        return {each["Key"]: each["Value"] for each in listed}

    changed = [{"Key": "team", "Value": "b"}, {"Key": "x", "Value": ""}]
    client.tag_resource(ResourceARN=arn, Tags=changed)
    assert tags() == {"team": "b", "x": ""}
    client.untag_resource(ResourceARN=arn, TagKeys=["x", "absent"])
    assert tags() == {"team": "b"}
    many = [{"Key": f"key-{number}", "Value": ""} for number in range(50)]
    code, _ = refused(client.tag_resource, ResourceARN=arn, Tags=many)
    assert code in {"ValidationException", "ValidationError"}
    assert tags() == {"team": "b"}
    gone = f"{arn}-gone"
    for call, more in (
        (client.list_tags_for_resource, {}),
        (client.tag_resource, {"Tags": [{"Key": "a", "Value": "b"}]}),
        (client.untag_resource, {"TagKeys": ["a"]}),
    ):
        assert refused(call, ResourceARN=gone, **more)[0] == "ResourceNotFoundException"
    other = "arn:aws:cloudwatch::000000000000:insight-rule/d"
    code, _ = refused(client.list_tags_for_resource, ResourceARN=other)
    assert code in {"InvalidParameterValueException", "InvalidParameterValue"}
