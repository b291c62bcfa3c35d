"""A table of one account is not copied to another unless both have said so."""

import json

import pytest

from hashrange.settings.settings import Settings
from tests.access.callers import EVERYTHING, Callers
from tests.api.conftest import client_of
from tests.api.refusals import refusal
from tests.api.tables import keyed
from tests.api.test_replica_accounts import policy
from tests.served import ServerThread

EAST, WEST = "us-east-1", "eu-west-1"
OWNER, GUEST = "111111111111", "222222222222"
NAME = "orders"
ARNS = [
    f"arn:aws:dynamodb:{region}:{account}:table/{NAME}"
    for region, account in ((EAST, OWNER), (WEST, GUEST))
]
TABLE = {"TableName": NAME, **keyed(pk="S")}
DENIED = "AccessDeniedException"


def allowing(*actions):
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    return {"Version": "2012-10-17", "Statement": [statement]}


@pytest.fixture
def client():
    """Makes clients of users with policies, in a region of their account."""
    callers = Callers()
    settings = Settings(
        port=0, memory=True, drain_seconds=1, auth="required", namespaces="separate",
        regions=f"{EAST},{WEST}",
    )  # fmt: skip
    server = ServerThread(settings, callers)

    def of(name, account, region, *policies):
        keys = callers.user(name, *policies, account=account)
        return client_of(server.endpoint, region_name=region, **keys)

    yield of
    server.close()


@pytest.fixture
def owner(client):
    made = client("owner", OWNER, EAST, EVERYTHING)
    made.create_table(**TABLE, GlobalTableSettingsReplicationMode="ENABLED")
    made.put_item(TableName=NAME, Item={"pk": {"S": "secret"}})
    return made


def join(guest, **more):
    request = {
        "TableName": NAME,
        "GlobalTableSourceArn": ARNS[0],
        "GlobalTableSettingsReplicationMode": "ENABLED",
        "ResourcePolicy": policy(ARNS, ARNS[1]),
        **more,
    }
    return guest.create_table(**request)


def test_a_guest_needs_both_accounts(client, owner):
    guest = client("guest", GUEST, WEST, EVERYTHING)
    assert refusal(join, guest=guest)[0] == DENIED
    # The table tells nothing of itself before.
    for mode in ("DISABLED", "ENABLED"):
        owner.update_table(TableName=NAME, GlobalTableSettingsReplicationMode=mode)
        code, text = refusal(join, guest=guest)
        assert (code, "AssociateTableReplica" in text) == (DENIED, True)
    # To let in a user is not to let in the others of the account.
    one = f"arn:aws:iam::{GUEST}:user/chosen"
    owner.put_resource_policy(ResourceArn=ARNS[0], Policy=policy(ARNS, ARNS[0], lets_in=[one]))
    assert refusal(join, guest=guest)[0] == DENIED
    weak = client(
        "chosen", GUEST, WEST, allowing("dynamodb:CreateTable", "dynamodb:PutResourcePolicy")
    )
    code, text = refusal(join, guest=weak)
    assert (code, "AssociateTableReplica" in text) == (DENIED, True)
    chosen = client("chosen", GUEST, WEST, EVERYTHING)
    denying = json.loads(policy(ARNS, ARNS[0], lets_in=[one]))
    denying["Statement"].append({
        "Effect": "Deny", "Action": "dynamodb:AssociateTableReplica", "Resource": ARNS[0],
        "Principal": "*",
    })  # fmt: skip
    owner.put_resource_policy(ResourceArn=ARNS[0], Policy=json.dumps(denying))
    assert refusal(join, guest=chosen)[0] == DENIED
    assert guest.list_tables()["TableNames"] == []


@pytest.mark.parametrize(
    "actions",
    [
        ["dynamodb:AssociateTableReplica"],
        ["dynamodb:AssociateTableReplica", "dynamodb:CreateTable"],
        ["dynamodb:AssociateTableReplica", "dynamodb:PutResourcePolicy"],
        ["dynamodb:CreateTable", "dynamodb:PutResourcePolicy"],
    ],
)
def test_a_guest_needs_its_own_permissions(client, owner, actions):
    owner.put_resource_policy(ResourceArn=ARNS[0], Policy=policy(ARNS, ARNS[0], lets_in=[GUEST]))
    guest = client("weak", GUEST, WEST, allowing(*actions))
    assert refusal(join, guest=guest)[0] == DENIED


# What one account changes reaches the other only as replication does it.
def test_members_stay_apart(client, owner):
    owner.put_resource_policy(ResourceArn=ARNS[0], Policy=policy(ARNS, ARNS[0], lets_in=[GUEST]))
    guest = client("admitted", GUEST, WEST, EVERYTHING)
    join(guest)
    for call, request in (
        ("get_item", {"Key": {"pk": {"S": "secret"}}}),
        ("put_item", {"Item": {"pk": {"S": "secret"}}}),
        ("describe_table", {}),
        ("update_table", {"TableClass": "STANDARD_INFREQUENT_ACCESS"}),
        ("delete_table", {}),
    ):
        elsewhere = client("admitted", GUEST, EAST, EVERYTHING)
        assert refusal(getattr(elsewhere, call), TableName=ARNS[0], **request)[0] == DENIED
