# The alarms of target tracking policies: clients find what their policies have made, as on AWS, and
# may change and delete it; it goes with its policy, target and table.
import uuid

import pytest

from tests.api.alarms import history
from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema, units
from tests.api.scaling import READ, WRITE, bounds, place, scaling_client, tracking
from tests.served import served

INDEX_READ = "dynamodb:index:ReadCapacityUnits"
READS = {"metric": "DynamoDBReadCapacityUtilization"}


@pytest.fixture(scope="module")
def scaling(server):
    return scaling_client(server.endpoint)


@pytest.fixture(scope="module")
def cloudwatch(server):
    return client_of(server.endpoint, "cloudwatch")


@pytest.fixture
def client(server):
    return client_of(server.endpoint)


@pytest.fixture
def table(client, scaling):
    """A table with a policy of its write units."""
    name = f"t-{uuid.uuid4()}"
    index = index_of("by-g", "g")
    client.create_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S", g="S"),
        KeySchema=schema("pk"),
        GlobalSecondaryIndexes=[{**index, **units(4, 5)}],
        **units(2, 3),
    )
    scaling.register_scalable_target(**place(name), **bounds(1, 20))
    scaling.put_scaling_policy(**place(name), **tracking())
    return name


def alarms_of(cloudwatch, table):
    prefix = f"TargetTracking-table/{table}"
    return cloudwatch.describe_alarms(AlarmNamePrefix=prefix)["MetricAlarms"]


def names_of(cloudwatch, table):
    return [each["AlarmName"] for each in alarms_of(cloudwatch, table)]


def test_a_policy_has_the_alarms_that_its_answer_names(cloudwatch, scaling, table):
    policy = scaling.describe_scaling_policies(**place(table))["ScalingPolicies"][0]
    found = alarms_of(cloudwatch, table)
    named = {each["AlarmName"]: each["AlarmARN"] for each in policy["Alarms"]}
    assert {each["AlarmName"]: each["AlarmArn"] for each in found} == named
    assert len(found) == 4
    on = [{"Name": "TableName", "Value": table}]
    arn = policy["PolicyARN"]
    for each in found:
        assert each["AlarmActions"] == [arn]
        text = f"DO NOT EDIT OR DELETE. For TargetTrackingScaling policy {arn}."
        assert each["AlarmDescription"] == text
        assert each["Dimensions"] == on
    members = ("MetricName", "Statistic", "Period", "EvaluationPeriods", "Threshold")
    values = [(*(each[name] for name in members), each["ComparisonOperator"]) for each in found]
    consumed, rated = "ConsumedWriteCapacityUnits", "ProvisionedWriteCapacityUnits"
    # 70 and 50 percent of 3 units in a minute; the provisioned units, a sample in five minutes.
    assert values == [
        (consumed, "Sum", 60, 2, 126.0, "GreaterThanThreshold"),
        (consumed, "Sum", 60, 15, 90.0, "LessThanThreshold"),
        (rated, "Average", 300, 3, 3.0, "GreaterThanThreshold"),
        (rated, "Average", 300, 3, 3.0, "LessThanThreshold"),
    ]


def test_those_of_an_index_have_its_dimension(cloudwatch, scaling, table):
    at = place(table, INDEX_READ, "by-g")
    scaling.register_scalable_target(**at, **bounds(1, 20))
    put = scaling.put_scaling_policy(**at, **tracking(**READS, DisableScaleIn=True))
    found = [each for each in alarms_of(cloudwatch, table) if "/index/" in each["AlarmName"]]
    assert [each["AlarmName"] for each in found] == [each["AlarmName"] for each in put["Alarms"]]
    assert [each["Threshold"] for each in found] == [168.0, 4.0, 4.0]
    assert found[0]["MetricName"] == "ConsumedReadCapacityUnits"
    assert found[0]["Dimensions"] == [
        {"Name": "TableName", "Value": table},
        {"Name": "GlobalSecondaryIndexName", "Value": "by-g"},
    ]


def test_they_follow_the_policy(cloudwatch, scaling, table):
    first = names_of(cloudwatch, table)
    scaling.put_scaling_policy(**place(table), **tracking(50.0, DisableScaleIn=True))
    found = alarms_of(cloudwatch, table)
    assert [each["Threshold"] for each in found] == [90.0, 3.0, 3.0]
    assert [each["AlarmName"] for each in found] == [
        each for each in first if "AlarmLow" not in each
    ]
    scaling.delete_scaling_policy(**place(table), PolicyName="p")
    assert alarms_of(cloudwatch, table) == []
    summaries = [summary for _, summary, _ in history(cloudwatch, AlarmName=first[0])]
    assert summaries == [f'Alarm "{first[0]}" {verb}' for verb in ("created", "updated", "deleted")]


def test_they_go_with_the_target(cloudwatch, scaling, table):
    scaling.register_scalable_target(**place(table, READ), **bounds(1, 20))
    scaling.put_scaling_policy(**place(table, READ), **tracking(**READS))
    assert len(alarms_of(cloudwatch, table)) == 8
    scaling.deregister_scalable_target(**place(table, WRITE))
    left = {each["MetricName"] for each in alarms_of(cloudwatch, table)}
    assert left == {"ConsumedReadCapacityUnits", "ProvisionedReadCapacityUnits"}


def test_they_follow_the_table(client, cloudwatch, server, table):
    client.update_table(TableName=table, **units(2, 5))
    server.clock.advance(seconds=1)
    assert [each["Threshold"] for each in alarms_of(cloudwatch, table)] == [210.0, 150.0, 5.0, 5.0]
    client.delete_table(TableName=table)
    server.clock.advance(seconds=1)
    assert alarms_of(cloudwatch, table) == []


# As on AWS, nothing keeps a user from it; the next change of the units makes them anew.
def test_one_that_is_deleted_or_changed_stays_so_for_a_while(client, cloudwatch, server, table):
    high, low, *others = alarms_of(cloudwatch, table)
    server.clock.advance(seconds=1)
    cloudwatch.delete_alarms(AlarmNames=[low["AlarmName"]])
    cloudwatch.disable_alarm_actions(AlarmNames=[high["AlarmName"]])
    server.clock.advance(seconds=1)
    assert names_of(cloudwatch, table) == [each["AlarmName"] for each in (high, *others)]
    assert not alarms_of(cloudwatch, table)[0]["ActionsEnabled"]
    client.update_table(TableName=table, **units(2, 5))
    server.clock.advance(seconds=1)
    found = alarms_of(cloudwatch, table)
    assert [each["AlarmName"] for each in found][:2] == [high["AlarmName"], low["AlarmName"]]
    assert found[0]["ActionsEnabled"]


# The alarms of policies that were removed while no server ran, and those of an older version.
def test_a_server_that_starts_makes_what_is_missing(tmp_path):
    with served(memory=False, data=tmp_path / "d", testing=True) as server:
        client, scaling = client_of(server.endpoint), scaling_client(server.endpoint)
        client.create_table(
            TableName="orders",
            AttributeDefinitions=attributes(pk="S"),
            KeySchema=schema("pk"),
            **units(2, 3),
        )
        scaling.register_scalable_target(**place("orders"), **bounds(1, 20))
        scaling.put_scaling_policy(**place("orders"), **tracking())
        cloudwatch = client_of(server.endpoint, "cloudwatch")
        cloudwatch.delete_alarms(AlarmNames=names_of(cloudwatch, "orders"))
    with served(memory=False, data=tmp_path / "d", testing=True) as server:
        server.clock.advance(seconds=1)
        assert len(alarms_of(client_of(server.endpoint, "cloudwatch"), "orders")) == 4


def test_of_a_long_name_it_has_the_beginning(client, cloudwatch, scaling):
    table = "t" * 255
    client.create_table(
        TableName=table,
        AttributeDefinitions=attributes(pk="S"),
        KeySchema=schema("pk"),
        **units(2, 3),
    )
    scaling.register_scalable_target(**place(table), **bounds(1, 20))
    put = scaling.put_scaling_policy(**place(table), **tracking())
    named = [each["AlarmName"] for each in put["Alarms"]]
    assert {len(each) for each in named} == {255}
    assert len(cloudwatch.describe_alarms(AlarmNames=named)["MetricAlarms"]) == 4
