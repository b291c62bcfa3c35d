"""Strong tables in one server: their groups, and what UpdateTable allows and refuses.

Source of texts: measurements of the service by users, October 2026.
"""

import pytest
from botocore.exceptions import ClientError

from tests.api.indexes import index_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal
from tests.api.replicas import ACCOUNTS, NAME, ON_DEMAND, described, in_regions, update
from tests.api.strong_tables import (
    create,
    delete,
    end,
    is_regional,
    is_strong,
    leave_out_workers,
    make_strong,
    strong,
)
from tests.api.tables import keyed
from tests.pace import until

EAST, IRELAND, MUMBAI = "us-east-1", "eu-west-1", "ap-south-1"
OTHERS = (IRELAND, MUMBAI)
NOTHING = "At least one of ProvisionedThroughput, BillingMode, "
COUNT = "Unsupported replica count for global tables with MultiRegionConsistency set to STRONG."
ONE = (
    "Deletion of only one table replica is not supported for global tables with "
    "MultiRegionConsistency set to STRONG."
)


@pytest.fixture(scope="module")
def endpoint(start_server, request):
    leave_out_workers(request)
    return start_server(
        namespaces="separate", regions=f"{EAST},{IRELAND},{MUMBAI},us-west-1,eu-west-2"
    )


@pytest.fixture
def account():
    """One of its own for each test, whose tables no other test sees."""
    return str(next(ACCOUNTS))


@pytest.fixture
def clients(endpoint, account):
    return in_regions(endpoint, account)


def statuses(table):
    replicas = {each["RegionName"]: each["ReplicaStatus"] for each in table.get("Replicas", [])}
    return replicas, table.get("GlobalTableWitnesses", [])


def told(client, **request):
    return refusal(client.update_table, TableName=NAME, **request)


def test_a_table_of_three_regions(clients):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND)
    answer = make_strong(first, *OTHERS)
    assert answer["TableStatus"] == "UPDATING"
    assert answer["MultiRegionConsistency"] == "STRONG"
    assert answer["GlobalTableVersion"] == "2019.11.21"
    assert statuses(answer) == ({IRELAND: "CREATING", MUMBAI: "CREATING"}, [])
    until(lambda: all(map(is_strong, clients)))
    found = [described(client) for client in clients]
    for table, region in zip(found, (EAST, *OTHERS), strict=True):
        assert table["MultiRegionConsistency"] == "STRONG"
        assert "GlobalTableWitnesses" not in table
        assert {*statuses(table)[0], region} == {EAST, *OTHERS}
        assert f":{region}:" in table["TableArn"]
        assert "StreamSpecification" not in table
    assert len({table["TableId"] for table in found}) == 3


# The witness is no table: one of the name can be there, and is not touched.
def test_a_table_of_two_regions_and_a_witness(clients):
    first, second, third = clients
    third.create_table(TableName=NAME, **ON_DEMAND)
    strong(clients, IRELAND, witness=MUMBAI)
    for client, other in ((first, IRELAND), (second, EAST)):
        table = described(client)
        witnesses = [{"RegionName": MUMBAI, "WitnessStatus": "ACTIVE"}]
        assert statuses(table) == ({other: "ACTIVE"}, witnesses)
        assert table["MultiRegionConsistency"] == "STRONG"
    assert is_regional(third)
    end(first, IRELAND, witness=MUMBAI)
    until(lambda: is_regional(first))
    assert refusal(second.describe_table, TableName=NAME)[0] == NOT_FOUND
    assert is_regional(third)


def test_the_region_of_a_witness_has_no_table(clients):
    strong(clients, IRELAND, witness=MUMBAI)
    assert refusal(clients[2].describe_table, TableName=NAME)[0] == NOT_FOUND
    assert clients[2].list_tables()["TableNames"] == []


# The table can be a member of another group afterwards, of either kind.
def test_a_group_ends_as_a_whole(clients):
    first, second, third = clients
    strong(clients, *OTHERS)
    answer = end(second, EAST, MUMBAI)
    assert answer["TableStatus"] == "UPDATING"
    assert statuses(answer)[0] == {EAST: "DELETING", MUMBAI: "DELETING"}
    until(lambda: is_regional(second))
    for client in (first, third):
        assert refusal(client.describe_table, TableName=NAME)[0] == NOT_FOUND
    make_strong(second, EAST, witness=MUMBAI)
    until(lambda: is_strong(second))
    end(second, EAST, witness=MUMBAI)
    until(lambda: is_regional(second))
    update(second, "Create", EAST)
    until(lambda: statuses(described(second))[0] == {EAST: "ACTIVE"})
    assert "MultiRegionConsistency" not in described(second)


STRONG = {"MultiRegionConsistency": "STRONG"}
EVENTUAL = {"MultiRegionConsistency": "EVENTUAL"}
UNSUPPORTED = (
    "Unsupported Region(s) specified for global tables with MultiRegionConsistency set to STRONG: "
)
NEEDS_STRONG = (
    "MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is "
    "present."
)
LOCAL_WITNESS = (
    "Cannot add a witness in the same region as an existing replica when creating a global table "
    "with MultiRegionConsistency set to STRONG."
)
LOCAL = (
    "Cannot add or delete the local region through ReplicaUpdates. "
    "Use CreateTable, DeleteTable, or UpdateTable as required."
)
SEVERAL = "Update table operation with more than one create or delete replica actions not allowed"
KINDS = "Update table operation with more than one type of replica actions not allowed."
ONLY_CREATE = (
    "Only Replica Create actions are supported when MultiRegionConsistency parameter is provided."
)
ALONE = "Requests that modify replicas or witnesses must not also modify other fields"
NO_ACTION = "There are no actions specified in the Global Table Witness Update of the request."
EXISTING = "MultiRegionConsistency parameter is unsupported on existing global table"
NO_MORE = "Cannot add replicas to a global table with strong MultiRegionConsistency"
NOT_ALL = "Update table delete operation does not include all witnesses."


def not_part(what, region):
    return (
        f"Update global table operation failed because one or more {what} were not part of the "
        f"global table. Please retry the request without these {what}: [{region}]."
    )


def members(replicas, witnesses=None, **more):
    found = {"ReplicaUpdates": replicas, **more}
    return found if witnesses is None else {**found, "GlobalTableWitnessUpdates": witnesses}


@pytest.mark.parametrize(
    ("request_members", "text"),
    [
        (members(create(IRELAND), **STRONG), COUNT),
        (members(create(*OTHERS), create("eu-west-2"), **STRONG), COUNT),
        (members(create(IRELAND), create(MUMBAI)), NEEDS_STRONG),
        (members(create(IRELAND), create(MUMBAI), **EVENTUAL), NEEDS_STRONG),
        (
            members(create(IRELAND), create(IRELAND), **STRONG),
            "Cannot target multiple regions with the same action",
        ),
        (members(create(IRELAND), create(EAST), **STRONG), LOCAL_WITNESS),
        (members(create("us-west-1"), create("us-west-1"), **STRONG), UNSUPPORTED + "[us-west-1]."),
        (members(create(IRELAND, "eu-north-1"), **STRONG), UNSUPPORTED + "[eu-north-1]."),
        (members(create(EAST, IRELAND), **STRONG), LOCAL),
        (members(create(*OTHERS), **STRONG, DeletionProtectionEnabled=True), ALONE),
        (members(delete(*OTHERS), **STRONG), ONLY_CREATE),
        (members(create(*OTHERS)), SEVERAL),
        (members(create(IRELAND), delete(MUMBAI)), KINDS),
        (members(create(IRELAND), [{}], **STRONG), NO_ACTION),
        (members(create(IRELAND), [{**create(MUMBAI)[0], **delete(MUMBAI)[0]}], **STRONG), KINDS),
    ],
)
def test_groups_that_cannot_begin(clients, request_members, text):
    clients[0].create_table(TableName=NAME, **ON_DEMAND)
    assert told(clients[0], **request_members) == (VALIDATION, text)
    assert is_regional(clients[0])


@pytest.mark.parametrize(
    "request_members", [STRONG, {**STRONG, "GlobalTableWitnessUpdates": create(MUMBAI)}]
)
def test_members_alone_are_no_change(clients, request_members):
    clients[0].create_table(TableName=NAME, **ON_DEMAND)
    code, text = told(clients[0], **request_members)
    assert code == VALIDATION
    assert text.startswith(NOTHING)
    # What the request has is not asked for. Measured by users, October 2026.
    assert "MultiRegionConsistency" not in text


def test_one_witness_in_a_request(clients):
    clients[0].create_table(TableName=NAME, **ON_DEMAND)
    witnesses = create(MUMBAI, "eu-west-2")
    request = {"ReplicaUpdates": create(IRELAND), "GlobalTableWitnessUpdates": witnesses}
    code, text = told(clients[0], **STRONG, **request)
    assert code == VALIDATION
    assert text.endswith(
        "at 'globalTableWitnessUpdates' failed to satisfy constraint: "
        "Member must have length less than or equal to 1"
    )


def test_a_group_does_not_change(clients):
    first, second, _ = clients
    strong(clients, IRELAND, witness=MUMBAI)
    expected = [
        (members(create("eu-west-2")), NO_MORE),
        (members(create("eu-west-2"), **STRONG), COUNT),
        (members(create("eu-west-2", MUMBAI), **STRONG), EXISTING),
        (members(create("eu-west-2"), **EVENTUAL), EXISTING),
        (members(delete(IRELAND)), NOT_ALL),
        (members(delete(IRELAND), delete("eu-west-2")), not_part("witnesses", "eu-west-2")),
        (members(delete("eu-west-2"), delete(MUMBAI)), not_part("replicas", "eu-west-2")),
    ]
    assert [told(first, **request) for request, _ in expected] == [
        (VALIDATION, text) for _, text in expected
    ]
    for client in (first, second):
        assert refusal(client.delete_table, TableName=NAME) == (VALIDATION, ONE)
    assert is_strong(first)


def test_one_of_three_replicas_does_not_leave(clients):
    strong(clients, *OTHERS)
    assert told(clients[0], ReplicaUpdates=delete(IRELAND)) == (VALIDATION, ONE)
    assert refusal(clients[1].delete_table, TableName=NAME) == (VALIDATION, ONE)


def test_an_eventual_group_does_not_become_strong(clients):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND)
    first.update_table(
        TableName=NAME, MultiRegionConsistency="EVENTUAL", ReplicaUpdates=create(IRELAND)
    )
    until(lambda: statuses(described(first))[0] == {IRELAND: "ACTIVE"})
    assert "MultiRegionConsistency" not in described(first)
    request = members(create(MUMBAI, "eu-west-2"), **STRONG)
    assert told(first, **request) == (VALIDATION, EXISTING)
    request = members(delete(IRELAND), delete(MUMBAI))
    assert told(first, **request) == (VALIDATION, not_part("witnesses", MUMBAI))


def with_item(client):
    client.put_item(TableName=NAME, Item={"pk": {"S": "1"}})


def with_expiry(client):
    specification = {"Enabled": True, "AttributeName": "expires"}
    client.update_time_to_live(TableName=NAME, TimeToLiveSpecification=specification)


@pytest.mark.parametrize(
    ("prepare", "what"),
    [(with_item, "The table must be empty"), (with_expiry, "Time to Live is not supported")],
)
def test_tables_that_cannot_become_strong(clients, prepare, what):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND)
    prepare(first)
    code, text = told(first, **STRONG, ReplicaUpdates=create(*OTHERS))
    assert (code, what in text) == (VALIDATION, True)
    assert is_regional(first)


def test_local_indexes_are_not_for_strong_tables(clients):
    first = clients[0]
    index = index_of("local", "pk", sort=("n",))
    definition = {**keyed(pk="S", sk="S"), "BillingMode": "PAY_PER_REQUEST"}
    definition["AttributeDefinitions"].append({"AttributeName": "n", "AttributeType": "N"})
    first.create_table(TableName=NAME, **definition, LocalSecondaryIndexes=[index])
    code, text = told(first, **STRONG, ReplicaUpdates=create(*OTHERS))
    assert (code, "Local secondary indexes are not supported" in text) == (VALIDATION, True)


def test_a_region_with_a_table_of_the_name(clients):
    first, second, _ = clients
    second.create_table(TableName=NAME, **ON_DEMAND)
    first.create_table(TableName=NAME, **ON_DEMAND)
    code, text = told(first, **STRONG, ReplicaUpdates=create(*OTHERS))
    assert (code, "already existed as tables" in text) == (VALIDATION, True)


TRANSACTIONS = "Transactions are not supported for global tables with MultiRegionConsistency set to"
KEY = {"pk": {"S": "1"}}


@pytest.mark.parametrize(
    ("operation", "request_members"),
    [
        ("transact_get_items", {"TransactItems": [{"Get": {"TableName": NAME, "Key": KEY}}]}),
        ("transact_write_items", {"TransactItems": [{"Put": {"TableName": NAME, "Item": KEY}}]}),
        (
            "transact_write_items",
            {
                "TransactItems": [
                    {
                        "ConditionCheck": {
                            "TableName": NAME,
                            "Key": KEY,
                            "ConditionExpression": "attribute_exists(pk)",
                        }
                    }
                ]
            },
        ),
        (
            "execute_transaction",
            {"TransactStatements": [{"Statement": f"SELECT * FROM \"{NAME}\" WHERE pk = '1'"}]},
        ),
        (
            "execute_transaction",
            {"TransactStatements": [{"Statement": f"INSERT INTO \"{NAME}\" VALUE {{'pk': '1'}}"}]},
        ),
    ],
)
def test_there_are_no_transactions(clients, operation, request_members):
    strong(clients, *OTHERS)
    code, text = refusal(getattr(clients[1], operation), **request_members)
    assert code == VALIDATION
    assert text.startswith(TRANSACTIONS)


def test_there_is_no_time_to_live(clients):
    strong(clients, *OTHERS)
    for client in clients:
        with pytest.raises(ClientError, match="Time to Live is not supported") as error:
            with_expiry(client)
        assert error.value.response["Error"]["Code"] == VALIDATION
    status = clients[0].describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
    assert status["TimeToLiveStatus"] == "DISABLED"


# Streams are of each replica alone, as deletion protection is.
def test_settings_of_one_member(clients):
    first, second, _ = clients
    strong(clients, *OTHERS)
    view = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    second.update_table(TableName=NAME, StreamSpecification=view)
    assert described(second)["StreamSpecification"] == view
    assert "StreamSpecification" not in described(first)
    second.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
    assert "StreamSpecification" not in described(second)
    second.update_table(TableName=NAME, DeletionProtectionEnabled=True)
    assert not described(first)["DeletionProtectionEnabled"]
    code, text = told(first, ReplicaUpdates=delete(*OTHERS))
    assert (code, "deletion protection" in text) == (VALIDATION, True)


def test_settings_of_all_members(clients):
    first, second, third = clients
    strong(clients, IRELAND, MUMBAI)
    first.update_table(TableName=NAME, OnDemandThroughput={"MaxWriteRequestUnits": 500})
    for client in (second, third):
        assert described(client)["OnDemandThroughput"]["MaxWriteRequestUnits"] == 500
