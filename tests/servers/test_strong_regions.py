"""Strong tables between servers, each of which holds a region: through boto3, killed, away."""

import pytest

from hashrange.assembly.verifying import verify
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal
from tests.api.replicas import NAME, ON_DEMAND, described
from tests.api.strong_tables import end, is_regional, is_strong, make_strong
from tests.pace import until
from tests.servers.strong_sides import (
    EAST,
    OHIO,
    OREGON,
    exists,
    number_of,
    put,
    strong_sides,
    three_servers,
)


@pytest.fixture
def sides(tmp_path):
    places = [tmp_path / region for region in (EAST, OHIO, OREGON)]
    with three_servers(places) as found:
        yield found
    assert [verify(place) for place in places] == [[], [], []]


def replicas(side):
    table = described(side.client)
    return {each["RegionName"]: each["ReplicaStatus"] for each in table.get("Replicas", ())}


def test_three_servers_see_each_write(sides):
    strong_sides(sides, has_witness=False)
    for number, side in enumerate(sides * 3):
        put(side, "a", number)
        assert [number_of(each, "a") for each in sides] == [number] * 3
    ids = {described(side.client)["TableId"] for side in sides}
    assert len(ids) == 3


def test_the_server_of_a_witness_has_no_table(sides):
    east, ohio, oregon = sides
    strong_sides(sides, has_witness=True)
    assert not exists(oregon)
    put(east, "a", 1)
    assert number_of(ohio, "a") == 1
    oregon.client.create_table(TableName=NAME, **ON_DEMAND)
    put(oregon, "a", 7)
    assert number_of(east, "a") == 1


# The other two go on, whoever is lost; what is back has what it missed.
@pytest.mark.parametrize("has_witness", [True, False])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_one_server_is_lost(sides, has_witness, lost):
    strong_sides(sides, has_witness=has_witness)
    with_table = sides[:2] if has_witness else sides
    put(sides[0], "a", 1)
    sides[lost].kill()
    left = [side for side in with_table if side is not sides[lost]]
    for number, side in enumerate(left, 2):
        put(side, "a", number)
        assert [number_of(each, "a") for each in left] == [number] * len(left)
    sides[lost].start()
    last = number_of(left[0], "a")
    assert [number_of(each, "a") for each in with_table] == [last] * len(with_table)


def test_two_servers_are_lost(sides):
    strong_sides(sides, has_witness=False)
    east, ohio, oregon = sides
    put(east, "a", 1)
    for side in (ohio, oregon):
        side.kill()
    key = {"pk": {"S": "a"}}
    refused = refusal(east.client.put_item, TableName=NAME, Item=key)
    assert refused[0] == "ServiceUnavailable"
    refused = refusal(east.client.get_item, TableName=NAME, Key=key, ConsistentRead=True)
    assert refused[0] == "ServiceUnavailable"
    # Eventually consistent reads need nobody.
    assert east.client.get_item(TableName=NAME, Key=key)["Item"]["n"] == {"N": "1"}
    for side in (ohio, oregon):
        side.start()
    put(oregon, "a", 2)
    assert number_of(east, "a") == 2


@pytest.mark.parametrize("has_witness", [True, False])
def test_a_group_ends(sides, has_witness):
    east, ohio, oregon = sides
    strong_sides(sides, has_witness=has_witness)
    for number in range(50):
        put((east, ohio)[number % 2], str(number), number)
    if has_witness:
        end(ohio.client, EAST, witness=OREGON)
    else:
        end(ohio.client, EAST, OREGON)
    until(lambda: is_regional(ohio.client))
    for side in (east, oregon):
        until(lambda side=side: not exists(side))
    assert [number_of(ohio, str(number)) for number in range(50)] == [*range(50)]
    put(ohio, "after", 1)
    ohio.client.delete_table(TableName=NAME)
    strong_sides(sides, has_witness=has_witness)
    put(ohio, "a", 1)
    assert [number_of(east, key) for key in ("a", "0")] == [1, None]


# It is told when it is back: its table is removed, also if it held the log of the group alone.
@pytest.mark.parametrize("lost", [0, 2])
@pytest.mark.parametrize("has_witness", [True, False])
def test_a_group_ends_while_a_server_is_away(sides, has_witness, lost):
    east, ohio, oregon = sides
    strong_sides(sides, has_witness=has_witness)
    put(east, "a", 1)
    sides[lost].kill()
    put(ohio, "a", 2)
    if has_witness:
        end(ohio.client, EAST, witness=OREGON)
    else:
        end(ohio.client, EAST, OREGON)
    put(ohio, "b", 1)
    assert not is_regional(ohio.client)
    sides[lost].start()
    until(lambda: is_regional(ohio.client))
    for side in (east, oregon):
        until(lambda side=side: not exists(side))
    assert [number_of(ohio, key) for key in ("a", "b")] == [2, 1]


@pytest.mark.parametrize("has_witness", [True, False])
def test_a_group_begins_when_all_servers_are_there(sides, has_witness):
    east, ohio, oregon = sides
    oregon.kill()
    east.client.create_table(TableName=NAME, **ON_DEMAND)
    others = [OHIO] if has_witness else [OHIO, OREGON]
    make_strong(east.client, *others, witness=OREGON if has_witness else None)
    table = described(east.client)
    assert table["TableStatus"] == "UPDATING"
    assert set(replicas(east).values()) == {"CREATING"}
    code, _ = refusal(east.client.put_item, TableName=NAME, Item={"pk": {"S": "a"}})
    assert code == "ServiceUnavailable"
    oregon.start()
    until(lambda: is_strong(east.client))
    put(east, "a", 1)
    assert number_of(ohio, "a") == 1


# What has not begun is given up without the server that is away.
def test_a_group_that_has_not_begun_is_given_up(sides):
    east, ohio, oregon = sides
    oregon.kill()
    east.client.create_table(TableName=NAME, **ON_DEMAND)
    make_strong(east.client, OHIO, witness=OREGON)
    until(lambda: exists(ohio))
    code, _ = refusal(
        ohio.client.update_table,
        TableName=NAME,
        ReplicaUpdates=[{"Delete": {"RegionName": EAST}}],
        GlobalTableWitnessUpdates=[{"Delete": {"RegionName": OREGON}}],
    )
    assert code == "ResourceInUseException"
    end(east.client, OHIO, witness=OREGON)
    until(lambda: not exists(ohio))
    put(east, "a", 1)
    oregon.start()
    until(lambda: is_regional(east.client))
    assert number_of(east, "a") == 1


# Empty servers in their place say that they have nothing: nobody has more than the one left.
def test_a_group_ends_when_both_others_are_lost_for_good(sides, tmp_path):
    east, ohio, oregon = sides
    strong_sides(sides, has_witness=True)
    put(east, "a", 1)
    for side in (ohio, oregon):
        side.kill()
        side.place = tmp_path / f"{side.region}-empty"
    end(east.client, OHIO, witness=OREGON)
    for side in (ohio, oregon):
        side.start()
    until(lambda: is_regional(east.client))
    assert number_of(east, "a") == 1
    put(east, "a", 2)


def test_a_table_of_the_name_is_no_member(sides):
    east, ohio, oregon = sides
    for side in (east, ohio):
        side.client.create_table(TableName=NAME, **ON_DEMAND)
    request = {
        "TableName": NAME,
        "MultiRegionConsistency": "STRONG",
        "ReplicaUpdates": [{"Create": {"RegionName": each}} for each in (OHIO, OREGON)],
    }
    code, text = refusal(east.client.update_table, **request)
    assert (code, "already existed as tables" in text) == (VALIDATION, True)
    ohio.kill()
    make_strong(east.client, OHIO, OREGON)
    ohio.start()
    until(lambda: replicas(east)[OHIO] == "CREATION_FAILED")
    end(east.client, OHIO, OREGON)
    until(lambda: is_regional(east.client))
    assert is_regional(ohio.client)
    until(lambda: not exists(oregon))
    assert refusal(oregon.client.describe_table, TableName=NAME)[0] == NOT_FOUND


def test_settings_are_of_all(sides):
    east, ohio, oregon = sides
    strong_sides(sides, has_witness=False)
    for number in range(20):
        put(east, str(number), number)
    create = {
        "IndexName": "by-n",
        "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    ohio.client.update_table(
        TableName=NAME,
        AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": create}],
    )

    def has_index(side):
        indexes = described(side.client).get("GlobalSecondaryIndexes", [])
        return [each["IndexStatus"] for each in indexes] == ["ACTIVE"]

    for side in sides:
        until(lambda side=side: has_index(side))
    put(oregon, "20", 7)
    for side in sides:
        assert number_of(side, "20") == 7
        found = side.client.query(
            TableName=NAME, IndexName="by-n", KeyConditionExpression="n = :n",
            ExpressionAttributeValues={":n": {"N": "7"}},
        )  # fmt: skip
        assert sorted(each["pk"]["S"] for each in found["Items"]) == ["20", "7"]
