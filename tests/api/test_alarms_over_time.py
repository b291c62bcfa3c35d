"""What alarms do while time passes: they are evaluated, and their actions are done."""

import json
import time
import uuid

import pytest

from tests.api.alarms import TOPIC, alarm, history, names, put_alarm, state
from tests.api.conftest import client_of
from tests.api.indexes import attributes, schema, units
from tests.api.metrics import MINUTE, refused
from tests.api.webhooks import receiving
from tests.served import served

OTHER = f"{TOPIC}-without-webhook"


@pytest.fixture(scope="module")
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture(
    scope="module", params=["one process", pytest.param("workers", marks=pytest.mark.long)]
)
def server(request, tmp_path_factory, receiver):
    more = {}
    if request.param == "workers":
        more = {"memory": False, "data": tmp_path_factory.mktemp("alarms") / "d", "workers": 2}
    with served(testing=True, alarm_webhook=f"{TOPIC}={receiver.url}", **more) as server:
        yield server


@pytest.fixture
def clock(server, name):
    yield server.clock
    server.clock.reset()


@pytest.fixture
def name(cloudwatch, receiver):
    """A name; alarms whose names begin with it are deleted at the end, with what they have sent."""
    name = f"alarm-{uuid.uuid4()}"
    yield name
    for kind in ("CompositeAlarm", "MetricAlarm"):
        for each in reversed(names(cloudwatch, AlarmNamePrefix=name, AlarmTypes=[kind])):
            cloudwatch.delete_alarms(AlarmNames=[each])
    while not receiver.arrived.empty():
        receiver.next()


def put_value(cloudwatch, namespace, value, minutes_ago=0):
    at = int(time.time()) // MINUTE * MINUTE - minutes_ago * MINUTE
    data = {"MetricName": "Latency", "Timestamp": at, "Value": value}
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[data])


# The whole of it: a value above the threshold, the state and its reason, the notification.
def test_a_breaching_value_goes_to_the_webhook(cloudwatch, clock, receiver, name):
    put_alarm(
        cloudwatch,
        name,
        Namespace=name,
        AlarmDescription="too slow",
        AlarmActions=[TOPIC],
        OKActions=[TOPIC],
    )
    put_value(cloudwatch, name, 99.0)
    clock.advance(seconds=MINUTE)
    found = alarm(cloudwatch, name)
    assert found["StateValue"] == "ALARM"
    assert found["StateReason"].startswith("Threshold Crossed: 1 datapoint [99.0 (")
    assert found["StateReason"].endswith(")] was greater than the threshold (10.0).")
    data = json.loads(found["StateReasonData"])
    assert (data["statistic"], data["period"], data["recentDatapoints"]) == ("Sum", 60, [99.0])
    (evaluated,) = data["evaluatedDatapoints"]
    assert (evaluated["value"], evaluated["sampleCount"]) == (99.0, 1.0)
    headers, body = receiver.next()
    assert headers["x-amz-sns-message-type"] == body["Type"] == "Notification"
    assert headers["x-amz-sns-message-id"] == body["MessageId"]
    assert body["TopicArn"] == TOPIC
    assert body["Subject"].startswith(f'ALARM: "{name}" in ')
    assert body["Timestamp"].endswith("Z")
    message = json.loads(body["Message"])
    assert (message["OldStateValue"], message["NewStateValue"]) == ("INSUFFICIENT_DATA", "ALARM")
    assert message["NewStateReason"] == found["StateReason"]
    assert message["AlarmArn"] == found["AlarmArn"]
    trigger = message["Trigger"]
    assert (trigger["MetricName"], trigger["Statistic"]) == ("Latency", "SUM")
    (action,) = history(cloudwatch, AlarmName=name, HistoryItemType="Action")
    assert action[1] == f"Successfully executed action {TOPIC}"
    assert action[2]["actionState"] == "Succeeded"


def test_an_alarm_goes_back_to_ok_and_then_lacks_data(cloudwatch, clock, receiver, name):
    put_value(cloudwatch, name, 99.0, 1)
    more = {"TreatMissingData": "missing", "OKActions": [TOPIC]}
    put_alarm(cloudwatch, name, Namespace=name, **more)
    clock.advance(seconds=1)
    assert state(cloudwatch, name) == "ALARM"
    put_value(cloudwatch, name, 1.0)
    clock.advance(seconds=MINUTE)
    assert state(cloudwatch, name) == "OK"
    assert receiver.message()["OldStateValue"] == "ALARM"
    clock.advance(seconds=10 * MINUTE)
    found = alarm(cloudwatch, name)
    assert found["StateValue"] == "INSUFFICIENT_DATA"
    assert found["StateReason"] == "Insufficient Data: 1 datapoint was unknown."


# An action that cannot be done is no silence: it is in the history, and in the log.
def test_an_action_without_a_webhook_fails(cloudwatch, clock, name):
    put_alarm(cloudwatch, name, Namespace=name, AlarmActions=[OTHER])
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")
    clock.advance(seconds=1)
    (action,) = history(cloudwatch, AlarmName=name, HistoryItemType="Action")
    assert action[1] == f"Failed to execute action {OTHER}"
    assert action[2]["error"] == "No --alarm-webhook has this ARN"


def test_an_action_is_warned_about_when_it_is_put(caplog):
    with served() as server:
        put_alarm(client_of(server.endpoint, "cloudwatch"), "a", AlarmActions=[OTHER])
    texts = [record.getMessage() for record in caplog.records]
    assert any(OTHER in text and "--alarm-webhook" in text for text in texts)


# A webhook that fails is tried again, with the same id, and given up at some time.
def test_a_webhook_is_tried_again(cloudwatch, clock, receiver, name):
    put_alarm(cloudwatch, name, Namespace=name, AlarmActions=[TOPIC])

    def ids(statuses):
        receiver.statuses[:] = statuses
        cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")
        clock.advance(seconds=1)
        for _ in statuses[1:]:
            clock.advance(seconds=20)
        return [receiver.next()[1]["MessageId"] for _ in statuses]

    assert len(set(ids([500, 503, 200]))) == 1
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="a test")
    assert len(set(ids([500] * 4))) == 1
    clock.advance(seconds=100)
    assert receiver.arrived.empty()
    found = history(cloudwatch, AlarmName=name, HistoryItemType="Action")
    assert [each[2]["error"] for each in found] == [None, "status 500"]


def test_disabled_actions_are_not_done(cloudwatch, clock, receiver, name):
    put_alarm(cloudwatch, name, Namespace=name, AlarmActions=[TOPIC], ActionsEnabled=False)
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")
    clock.advance(seconds=1)
    assert receiver.arrived.empty()
    assert history(cloudwatch, AlarmName=name, HistoryItemType="Action") == []


def test_metric_math_and_percentiles(cloudwatch, clock, name):
    for number, value in enumerate((5.0, 50.0)):
        put_value(cloudwatch, name, value, number)
    metric = {"Namespace": name, "MetricName": "Latency"}
    query = {"Metric": metric, "Period": 60, "Stat": "Sum"}
    cloudwatch.put_metric_alarm(
        AlarmName=name,
        EvaluationPeriods=3,
        DatapointsToAlarm=1,
        Threshold=100.0,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
        Metrics=[
            {"Id": "m", "MetricStat": query, "ReturnData": False},
            {"Id": "e", "Expression": "FILL(m, 0) * 2", "Label": "twice"},
        ],
    )
    of_tail = f"{name}-p"
    cloudwatch.put_metric_alarm(
        AlarmName=of_tail,
        EvaluationPeriods=1,
        Threshold=1.0,
        ComparisonOperator="GreaterThanThreshold",
        Namespace=name,
        MetricName="Latency",
        ExtendedStatistic="p99",
        EvaluateLowSampleCountPercentile="ignore",
        Period=60,
    )
    clock.advance(seconds=MINUTE)
    found = alarm(cloudwatch, name)
    assert found["StateValue"] == "ALARM"
    assert found["StateReason"].startswith(
        "Threshold Crossed: 1 out of the last 3 datapoints [100.0 ("
    )
    assert found["StateReason"].endswith(
        "(minimum 1 datapoint for INSUFFICIENT_DATA -> ALARM transition)."
    )
    assert state(cloudwatch, of_tail) == "INSUFFICIENT_DATA"


def test_composite_alarms_follow_their_rules(cloudwatch, clock, receiver, name):
    first, second, both, outer = (f"{name}-{each}" for each in ("1", "2", "both", "outer"))
    for each in (first, second):
        put_alarm(cloudwatch, each, Namespace=name)
    cloudwatch.put_composite_alarm(AlarmName=outer, AlarmRule="FALSE", AlarmActions=[TOPIC])
    cloudwatch.put_composite_alarm(
        AlarmName=both, AlarmRule=f"ALARM({first}) AND NOT ALARM({second})"
    )
    cloudwatch.put_composite_alarm(
        AlarmName=outer,
        AlarmRule=f"ALARM({alarm(cloudwatch, both)['AlarmArn']})",
        AlarmActions=[TOPIC],
    )
    clock.advance(seconds=1)
    assert (state(cloudwatch, both), state(cloudwatch, outer)) == ("OK", "OK")

    def set_to(which, value):
        cloudwatch.set_alarm_state(AlarmName=which, StateValue=value, StateReason="a test")
        clock.advance(seconds=1)

    set_to(first, "ALARM")
    assert (state(cloudwatch, both), state(cloudwatch, outer)) == ("ALARM", "ALARM")
    reason = alarm(cloudwatch, both)["StateReason"]
    assert reason.startswith(f"{alarm(cloudwatch, first)['AlarmArn']} transitioned to ALARM at ")
    message = receiver.message()
    assert message["AlarmName"] == outer
    assert [each["Arn"] for each in message["TriggeringChildren"]] == [
        alarm(cloudwatch, both)["AlarmArn"]
    ]
    set_to(second, "ALARM")
    assert (state(cloudwatch, both), state(cloudwatch, outer)) == ("OK", "OK")


def test_a_suppressor_holds_actions_back(cloudwatch, clock, receiver, name):
    cause, suppressor = f"{name}-cause", f"{name}-suppressor"
    for each in (cause, suppressor):
        put_alarm(cloudwatch, each, Namespace=name)
    cloudwatch.put_composite_alarm(
        AlarmName=name,
        AlarmRule=f"ALARM({cause})",
        AlarmActions=[TOPIC],
        ActionsSuppressor=suppressor,
        ActionsSuppressorWaitPeriod=60,
        ActionsSuppressorExtensionPeriod=30,
    )
    clock.advance(seconds=1)

    def set_to(which, value, seconds=1):
        cloudwatch.set_alarm_state(AlarmName=which, StateValue=value, StateReason="a test")
        clock.advance(seconds=seconds)
        return alarm(cloudwatch, name).get("ActionsSuppressedBy")

    assert set_to(cause, "ALARM") == "WaitPeriod"
    assert set_to(suppressor, "ALARM") == "Alarm"
    clock.advance(minutes=10)
    assert receiver.arrived.empty()
    assert set_to(suppressor, "OK") == "ExtensionPeriod"
    clock.advance(seconds=30)
    assert "ActionsSuppressedBy" not in alarm(cloudwatch, name)
    assert receiver.message()["AlarmName"] == name
    assert set_to(cause, "OK", 61) == "WaitPeriod"
    assert set_to(cause, "ALARM", 61) is None
    assert receiver.arrived.empty()


# Throttled requests of a table: its metric, an alarm on that, its webhook.
def test_throttling_calls_a_webhook(receiver):
    webhook = f"{TOPIC}={receiver.url}"
    with served(testing=True, throttle="on", alarm_webhook=webhook) as server:
        dynamodb, cloudwatch = client_of(server.endpoint), client_of(server.endpoint, "cloudwatch")
        dynamodb.create_table(
            TableName="orders",
            AttributeDefinitions=attributes(pk="S"),
            KeySchema=schema("pk"),
            **units(1, 1),
        )
        put_alarm(
            cloudwatch,
            "throttled",
            Namespace="AWS/DynamoDB",
            MetricName="WriteThrottleEvents",
            Dimensions=[{"Name": "TableName", "Value": "orders"}],
            Threshold=0.0,
            AlarmActions=[TOPIC],
        )
        item = {"pk": {"S": "a"}, "text": {"S": "x" * 300_000}}
        dynamodb.put_item(TableName="orders", Item=item)
        code, _ = refused(dynamodb.put_item, TableName="orders", Item=item)
        assert code == "ProvisionedThroughputExceededException"
        server.clock.advance(seconds=MINUTE)
        assert state(cloudwatch, "throttled") == "ALARM"
        message = receiver.message()
        assert message["AlarmName"] == "throttled"
        assert message["Trigger"]["MetricName"] == "WriteThrottleEvents"
