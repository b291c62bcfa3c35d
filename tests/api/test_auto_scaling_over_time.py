"""What auto scaling does to tables while time passes."""

import uuid
from datetime import timedelta

import pytest

from tests.api.alarms import history
from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema, units
from tests.api.scaling import bounds, place, scaling_client, tracking
from tests.served import served


@pytest.fixture(
    scope="module", params=["one process", pytest.param("workers", marks=pytest.mark.long)]
)
def server(request, tmp_path_factory):
    more = {}
    if request.param == "workers":
        more = {"memory": False, "data": tmp_path_factory.mktemp("scaling") / "d", "workers": 2}
    with served(testing=True, **more) as server:
        yield server


def provisioned(client, name, units_a_second=5):
    client.create_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S"),
        KeySchema=schema("pk"),
        **units(units_a_second, units_a_second),
    )


def write_units(client, name):
    table = client.describe_table(TableName=name)["Table"]
    return table["ProvisionedThroughput"]["WriteCapacityUnits"]


def write(client, name, count, **attributes):
    """Write so many items: in few requests, so that they are of one minute on a slow machine."""
    puts = [
        {"PutRequest": {"Item": {"pk": {"S": str(number)}, **attributes}}}
        for number in range(count)
    ]
    for first in range(0, count, 25):
        client.batch_write_item(RequestItems={name: puts[first : first + 25]})


def tracked(cloudwatch, name):
    """The alarms of a table's policies: those of consumed units first, high before low."""
    prefix = f"TargetTracking-table/{name}"
    return cloudwatch.describe_alarms(AlarmNamePrefix=prefix)["MetricAlarms"]


def activities(scaling, name, **more):
    return scaling.describe_scaling_activities(**place(name), **more)["ScalingActivities"]


# What is missing is told to the caller; the command that installs it names a path of the server.
def test_cron_without_its_package_is_refused_without_a_path(without):
    without("croniter")
    with served() as server:
        client = client_of(server.endpoint)
        provisioned(client, "orders")
        scaling = scaling_client(server.endpoint)
        scaling.register_scalable_target(**place("orders"), **bounds(1, 9))
        with pytest.raises(scaling.exceptions.ValidationException) as refused:
            scaling.put_scheduled_action(
                **place("orders"),
                ScheduledActionName="morning",
                Schedule="cron(0 8 * * ? *)",
                ScalableTargetAction=bounds(1, 2),
            )
    text = str(refused.value)
    assert "croniter, which is not installed" in text
    assert "/" not in text.partition("operation: ")[2]


# The table is moved into its bounds; a scheduled action moves the bounds.
def test_bounds_and_scheduled_actions_change_the_table(server, clock):
    client, scaling = client_of(server.endpoint), scaling_client(server.endpoint)
    name = f"t-{uuid.uuid4()}"
    provisioned(client, name)
    scaling.register_scalable_target(**place(name), **bounds(8, 20))
    clock.advance(seconds=61)
    assert write_units(client, name) == 8
    (activity,) = activities(scaling, name)
    assert activity["Description"] == "Setting write capacity units to 8."
    assert activity["Cause"] == "minimum capacity was set to 8"
    assert activity["StatusCode"] == "Successful"
    tomorrow = clock.now() + timedelta(days=1)
    scaling.put_scheduled_action(
        **place(name),
        ScheduledActionName="once",
        Schedule=f"at({tomorrow:%Y-%m-%dT%H:%M:%S})",
        ScalableTargetAction=bounds(12, 12),
    )
    clock.advance(hours=23)
    assert write_units(client, name) == 8
    clock.advance(hours=2)
    assert write_units(client, name) == 12
    assert scaling.describe_scheduled_actions(**place(name))["ScheduledActions"] == []
    causes = [activity["Cause"] for activity in activities(scaling, name)]
    assert "scheduled action name once was triggered" in causes


# Two minutes above the target, then fifteen far below it. With workers each process adds what it
# has counted every five seconds of real time, for which this test does not wait.
@pytest.mark.parametrize("server", ["one process"], indirect=True)
def test_target_tracking_follows_what_is_consumed(server, clock):
    client, scaling = client_of(server.endpoint), scaling_client(server.endpoint)
    cloudwatch = client_of(server.endpoint, "cloudwatch")
    name = f"t-{uuid.uuid4()}"
    provisioned(client, name, 1)
    scaling.register_scalable_target(**place(name), **bounds(1, 4))
    scaling.put_scaling_policy(**place(name), **tracking(50.0))

    def minute(writes):
        write(client, name, writes)
        # To the middle of the next minute: however slow the machine is, none is left out.
        clock.advance(seconds=90 - clock.now().second)

    clock.advance(seconds=90 - clock.now().second)
    for _ in range(2):
        minute(60)
    assert write_units(client, name) == 2
    (activity,) = activities(scaling, name)
    assert "AlarmHigh" in activity["Cause"]
    # The alarm has moved, and has the threshold of the new units; its action does nothing more.
    high, *_ = tracked(cloudwatch, name)
    assert high["AlarmName"] in activity["Cause"]
    assert (high["StateValue"], high["Threshold"]) == ("ALARM", 60.0)
    done = [
        each for each in history(cloudwatch, AlarmName=high["AlarmName"]) if each[0] == "Action"
    ]
    assert [summary for _, summary, _ in done] == [
        f"Successfully executed action {high['AlarmActions'][0]}"
    ]
    assert activity["Cause"].endswith("in state ALARM triggered policy p")
    for _ in range(17):
        minute(1)
    assert write_units(client, name) == 1
    assert "AlarmLow" in activities(scaling, name)[0]["Cause"]
    states = [each["StateValue"] for each in tracked(cloudwatch, name)[:2]]
    assert states == ["OK", "ALARM"]
    for _ in range(2):
        minute(1)
    assert len(activities(scaling, name)) == 2
    told = activities(scaling, name, IncludeNotScaledActivities=True)
    assert told[0]["NotScaledReasons"][0]["Code"] == "AlreadyAtMinCapacity"


def index_units(client, name):
    (index,) = client.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    return index["ProvisionedThroughput"]["WriteCapacityUnits"]


# An index is scaled by what its entries consume; its table, which consumes as much, is not.
@pytest.mark.parametrize("server", ["one process"], indirect=True)
def test_an_index_follows_its_own_entries(server, clock):
    client, scaling = client_of(server.endpoint), scaling_client(server.endpoint)
    name, dimension = f"t-{uuid.uuid4()}", "dynamodb:index:WriteCapacityUnits"
    client.create_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S", g="S"),
        KeySchema=schema("pk"),
        GlobalSecondaryIndexes=[index_of("by-g", "g", **units(1, 1))],
        **units(9, 9),
    )
    at = place(name, dimension, "by-g")
    scaling.register_scalable_target(**at, **bounds(1, 4))
    scaling.put_scaling_policy(**at, **tracking(50.0))
    scaling.register_scalable_target(**place(name), **bounds(9, 20))
    scaling.put_scaling_policy(**place(name), **tracking(50.0))
    clock.advance(seconds=90 - clock.now().second)
    for _ in range(3):
        write(client, name, 60, g={"S": f"{clock.now()}"})
        clock.advance(seconds=90 - clock.now().second)
    # The entries of the second minute replace those of the first, which takes two units each.
    assert index_units(client, name) == 4
    assert write_units(client, name) == 9


# With separate namespaces a table of the same name in another account is another table.
def test_separate_namespaces_are_scaled_by_themselves():
    with served(testing=True, namespaces="separate") as server:
        name, clock = "orders", server.clock
        clients = {}
        for account in ("111111111111", "222222222222"):
            keys = {"aws_access_key_id": account}
            clients[account] = client_of(server.endpoint, **keys)
            provisioned(clients[account], name, 1)
            scaling = client_of(server.endpoint, "application-autoscaling", **keys)
            scaling.register_scalable_target(**place(name), **bounds(1, 4))
            scaling.put_scaling_policy(**place(name), **tracking(50.0))
        clock.advance(seconds=90 - clock.now().second)
        busy, idle = clients.values()
        for _ in range(3):
            write(busy, name, 60)
            clock.advance(seconds=90 - clock.now().second)
        assert (write_units(busy, name), write_units(idle, name)) == (2, 1)
