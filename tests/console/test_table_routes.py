"""The routes about one table: its capacity, costs, triggers, and simulations."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import client_of
from tests.console.asking import post
from tests.console.conftest import make_table
from tests.served import served


def asked(endpoint, route, body, **headers):
    status, _, answer = post(endpoint, route, body, **headers)
    return status, json.loads(answer)


@pytest.fixture(scope="module")
def throttling():
    with served(throttle="on") as server:
        make_table(client_of(server.endpoint), "albums")
        yield server.endpoint


@pytest.fixture(scope="module")
def plain():
    with served() as server:
        make_table(client_of(server.endpoint), "albums")
        yield server.endpoint


def test_partitions_and_the_present_minute(throttling):
    status, found = asked(throttling, "capacity", {"TableName": "albums"})
    assert (status, found["throttles"], found["keys"]) == (200, True, "shown")
    (place,) = found["places"]
    assert (place["index"], place["partition_count"]) == ("", 4)
    starts = [each["start"] for each in place["partitions"]]
    assert starts[0] == ""
    assert starts == sorted(starts)
    assert sum(each["write_units"] for each in place["partitions"]) == 2.0


def test_without_throttling_there_are_no_partitions(plain):
    status, found = asked(plain, "capacity", {"TableName": "albums"})
    assert (status, found["throttles"], found["places"]) == (200, False, [])


@pytest.mark.parametrize("route", ["capacity", "costs", "what-if", "stream"])
def test_a_table_that_is_missing(plain, route):
    designs = [{"Mode": "on-demand", "Keys": {}}]
    status, found = asked(plain, route, {"TableName": "nothing", "Designs": designs})
    assert status == 400
    assert found["__type"].endswith("#ResourceNotFoundException")


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"TableName": 1}', b"x" * 20_000])
@pytest.mark.parametrize("route", ["capacity", "costs", "what-if", "stream"])
def test_requests_of_another_form(plain, route, body):
    status, found = asked(plain, route, body)
    assert status == 400
    assert found["__type"].endswith("#ValidationException")


def test_costs_of_a_load(plain):
    load = {"TableName": "albums", "ReadUnits": 100, "WriteUnits": 10, "ReadPeak": 2}
    status, bill = asked(plain, "costs", load)
    monthly = bill["monthly"]
    assert status == 200
    # 730 hours of 100 read and 10 write units a second, at 0.125 and 0.625 dollars a million.
    assert monthly["on_demand"] == pytest.approx(49.275, abs=0.01)
    # 200 read and 10 write units, at 0.00013 and 0.00065 dollars an hour.
    assert monthly["provisioned"] == pytest.approx(23.725, abs=0.01)
    assert bill["cheapest"] in monthly


@pytest.mark.long
def test_what_if_a_hot_key_were_sharded(plain):
    hot = {"Count": 1000, "HotShare": 0.9}
    asking = {
        "TableName": "albums",
        "WriteUnits": 3000,
        "Designs": [
            {"Mode": "on-demand", "Keys": hot},
            {"Mode": "on-demand", "Keys": {**hot, "Shards": 20}},
            {"Mode": "provisioned", "ReadUnits": 5, "WriteUnits": 100, "Keys": {"Count": 1000}},
        ],
    }
    status, found = asked(plain, "what-if", asking)
    assert status == 200
    hot, sharded, small = found["designs"]
    throttled = [sum(kind["throttled"] for kind in each["kinds"]) for each in (hot, sharded, small)]
    requests = sum(kind["requests"] for kind in hot["kinds"])
    assert throttled[0] > requests / 5
    assert throttled[1] < throttled[0] / 10
    assert "TableWriteProvisionedThroughputExceeded" in small["throttled"]
    # 5 read and 100 write units in provisioned mode, in a month.
    assert small["monthly_usd"] == pytest.approx(47.92, abs=0.1)


def test_a_load_that_no_table_can_have(plain):
    designs = [{"Mode": "on-demand", "Keys": {}}]
    load = {"TableName": "albums", "WriteUnits": 1e12, "Designs": designs}
    assert asked(plain, "what-if", load)[0] == 400
    load = {"TableName": "albums", "WriteUnits": 1, "Designs": designs * 5}
    assert asked(plain, "what-if", load)[0] == 400


def test_units_of_tables_now(plain):
    client_of(plain).scan(TableName="albums", ConsistentRead=True)
    status, found = asked(plain, "units", {"TableNames": ["albums", "nothing"]})
    assert (status, [*found["tables"]]) == (200, ["albums"])
    assert sorted(found["tables"]["albums"]) == ["read_units", "throttled", "write_units"]
    assert asked(plain, "units", {"TableNames": ["albums"] * 51})[0] == 400


# Each account and region has tables of its own, which are counted apart.
def test_a_table_of_another_namespace():
    with served(namespaces="separate", throttle="on") as server:
        there = {"X_Console_Region": "eu-west-1"}
        make_table(client_of(server.endpoint, region_name="eu-west-1"), "albums")
        account = {**there, "X_Console_Account": "000000000000"}
        status, found = asked(server.endpoint, "capacity", {"TableName": "albums"}, **account)
        elsewhere, _ = asked(server.endpoint, "capacity", {"TableName": "albums"})
        assert (status, elsewhere) == (200, 400)
        assert sum(each["write_units"] for each in found["places"][0]["partitions"]) == 2.0


# All processes together, whichever answers.
@pytest.mark.long
def test_the_processes_of_a_server_are_summed(tmp_path):
    with served(workers=2, throttle="on", memory=False, data=tmp_path) as server:
        client = client_of(server.endpoint)
        make_table(client, "albums")
        for _ in range(40):
            client_of(server.endpoint).scan(TableName="albums", ConsistentRead=True)
        places = asked(server.endpoint, "capacity", {"TableName": "albums"})[1]["places"]
        assert [each["partition_count"] for each in places] == [4]


# What was is stored: it is there after a restart, by periods that fit on a page. The table is made
# with two items.
def test_the_past_of_a_table_is_there_after_a_restart(tmp_path):
    options = {"memory": False, "data": tmp_path / "data"}
    key = {"artist": {"S": "Björk"}, "title": {"S": "Jóga"}}
    with served(testing=True, **options) as server:
        client = client_of(server.endpoint)
        make_table(client, "albums")
        for _ in range(60):
            client.get_item(TableName="albums", Key=key, ConsistentRead=True)
        for _ in range(5):
            client.put_item(TableName="albums", Item=key)
        with pytest.raises(ClientError):
            client.put_item(
                TableName="albums", Item=key, ConditionExpression="attribute_not_exists(artist)"
            )
        server.clock.advance(seconds=120)
        asking = {"TableName": "albums", "Hours": 1}
        hour = asked(server.endpoint, "history", asking)[1]["minutes"]
        assert len(hour) == 60
        assert sum(each["read_units"] * each["seconds"] for each in hour) == pytest.approx(60)
    with served(testing=True, **options) as server:
        server.clock.advance(seconds=7200)
        for hours, seconds in ((3, 60), (24, 300), (168, 3600)):
            asking = {"TableName": "albums", "Hours": hours}
            minutes = asked(server.endpoint, "history", asking)[1]["minutes"]
            assert len(minutes) in {hours * 3600 // seconds, hours * 3600 // seconds + 1}
            assert {each["seconds"] for each in minutes[:-1]} == {seconds}

            def total(name, minutes=minutes):
                return sum(each[name] * each["seconds"] for each in minutes)

            assert total("read_units") == pytest.approx(60)
            assert total("write_units") == pytest.approx(8)
            assert total("conditions") == pytest.approx(1)
            assert total("requests") == pytest.approx(67)
            assert max(each["p99_ms"] for each in minutes) > 0
        nothing = asked(server.endpoint, "history", {"TableName": "none", "Hours": 3})
        assert nothing[0] == 400
        wrong = asked(server.endpoint, "history", {"TableName": "albums", "Hours": 5})
        assert wrong[0] == 400
