"""A policy of a table names the users and roles of the time when it was set, not their names."""

import json
from pathlib import Path

import pytest

from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.api.test_dax_access import code_of
from tests.api.test_identities import ACCOUNT, keys_of, made_administrator
from tests.served import served

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)


class World:
    def __init__(self, endpoint, administrator):
        self.endpoint = endpoint
        self.iam = client_of(endpoint, "iam", **administrator)
        self.db = client_of(endpoint, **administrator)

    def user(self, name):
        """The ARN and the keys of a new user."""
        arn = self.iam.create_user(UserName=name)["User"]["Arn"]
        return arn, keys_of(self.iam.create_access_key(UserName=name)["AccessKey"])

    def without(self, name, keys):
        self.iam.delete_access_key(UserName=name, AccessKeyId=keys["aws_access_key_id"])
        self.iam.delete_user(UserName=name)

    def role(self, name):
        return self.iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]

    def session(self, arn):
        keys = self.user(f"caller-{arn.rpartition('/')[2]}-{len(self.iam.list_users()['Users'])}")
        name = keys[0].rpartition("/")[2]
        may = {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": "*"}
        text = json.dumps({"Version": "2012-10-17", "Statement": [may]})
        self.iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=text)
        sts = client_of(self.endpoint, "sts", **keys[1])
        made = sts.assume_role(RoleArn=arn, RoleSessionName="session")["Credentials"]
        return {**keys_of(made), "aws_session_token": made["SessionToken"]}

    def table(self, name, **more):
        """The ARN of a new table."""
        self.db.create_table(TableName=name, **keyed(pk="S"), **more)
        return f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{name}"

    def reads(self, table, keys):
        db = client_of(self.endpoint, **keys)
        return code_of(db.get_item, TableName=table, Key={"pk": {"S": "a"}}) is None


def shared(principal, table):
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": principal},
        "Action": "dynamodb:GetItem",
        "Resource": f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{table}",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def principal_in(policy):
    return json.loads(policy)["Statement"][0]["Principal"]["AWS"]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    place = str(tmp_path_factory.mktemp("recreated") / "data")
    administrator = made_administrator(place)
    with served(memory=False, data=Path(place), auth="required") as server:
        yield World(server.endpoint, administrator)


@pytest.mark.parametrize("at_creation", [True, False])
def test_a_user_of_the_same_name_is_another(world, at_creation):
    name = f"bob-{at_creation}"
    arn, keys = world.user(name)
    more = {"ResourcePolicy": shared(arn, name)} if at_creation else {}
    resource = world.table(name, **more)
    if not at_creation:
        world.db.put_resource_policy(ResourceArn=resource, Policy=shared(arn, name))
    assert world.reads(name, keys)
    shown = world.db.get_resource_policy(ResourceArn=resource)
    assert principal_in(shown["Policy"]) == arn
    unique_id = world.iam.get_user(UserName=name)["User"]["UserId"]
    world.without(name, keys)
    _, keys = world.user(name)
    assert not world.reads(name, keys)
    assert principal_in(world.db.get_resource_policy(ResourceArn=resource)["Policy"]) == unique_id
    # The same text names the new user by now, so it is another policy.
    made = world.db.put_resource_policy(ResourceArn=resource, Policy=shared(arn, name))
    assert made["RevisionId"] != shown["RevisionId"]
    assert world.reads(name, keys)


def test_a_user_that_is_renamed_is_the_same(world):
    arn, keys = world.user("ann")
    resource = world.table("renamed")
    world.db.put_resource_policy(ResourceArn=resource, Policy=shared(arn, "renamed"))
    world.iam.update_user(UserName="ann", NewUserName="anna")
    assert world.reads("renamed", keys)
    _, keys = world.user("ann")
    assert not world.reads("renamed", keys)


@pytest.mark.parametrize("by_session", [True, False])
def test_a_role_of_the_same_name_is_another(world, by_session):
    name = f"role-{by_session}"
    arn = world.role(name)
    named = f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/session" if by_session else arn
    resource = world.table(name)
    world.db.put_resource_policy(ResourceArn=resource, Policy=shared(named, name))
    assert world.reads(name, world.session(arn))
    world.iam.delete_role(RoleName=name)
    world.role(name)
    assert not world.reads(name, world.session(arn))


def test_a_trust_policy_shows_the_id_of_whoever_is_gone(world):
    arn, keys = world.user("trusted")
    unique_id = world.iam.get_user(UserName="trusted")["User"]["UserId"]
    trust = json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": {
                "Effect": "Allow",
                "Principal": {"AWS": [arn, f"arn:aws:iam::{ACCOUNT}:root"]},
                "Action": "sts:AssumeRole",
            },
        }
    )

    def shown():
        role = world.iam.get_role(RoleName="trusting")["Role"]
        (listed,) = world.iam.list_roles(PathPrefix="/trusting/")["Roles"]
        assert listed["AssumeRolePolicyDocument"] == role["AssumeRolePolicyDocument"]
        return role["AssumeRolePolicyDocument"]["Statement"]["Principal"]["AWS"][0]

    world.iam.create_role(RoleName="trusting", Path="/trusting/", AssumeRolePolicyDocument=trust)
    assert shown() == arn
    world.without("trusted", keys)
    assert shown() == unique_id
    world.user("trusted")
    assert shown() == unique_id
    world.iam.update_assume_role_policy(RoleName="trusting", PolicyDocument=trust)
    assert shown() == arn
