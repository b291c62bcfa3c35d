"""Users and access keys through boto3."""

import pytest

from hashrange.limits.access import USERS_MAX
from tests.unit.access.identities.entities import ACCOUNT, document, put, user
from tests.unit.api.iam.clients import refused

ARN = f"arn:aws:iam::{ACCOUNT}:user"


def test_life_of_a_user(iam):
    tags = [{"Key": "Team", "Value": "red"}]
    made = iam.create_user(UserName="Alice", Path="/people/", Tags=tags)["User"]
    assert made["Arn"] == f"{ARN}/people/Alice"
    assert made["UserId"].startswith("AIDA")
    assert len(made["UserId"]) == 21
    assert (made["Path"], made["UserName"], made["Tags"]) == ("/people/", "Alice", tags)
    assert made["CreateDate"].isoformat() == "2027-01-15T08:00:00+00:00"
    assert iam.get_user(UserName="alice")["User"] == made
    listed = iam.list_users(PathPrefix="/people/")["Users"]
    assert [each["UserName"] for each in listed] == ["Alice"]
    iam.update_user(UserName="Alice", NewUserName="Bob", NewPath="/")
    assert iam.get_user(UserName="Bob")["User"]["Arn"] == f"{ARN}/Bob"
    iam.delete_user(UserName="Bob")
    code, text = refused(iam.get_user, UserName="Bob")
    assert (code, text) == ("NoSuchEntity", "The user with name Bob cannot be found.")


def test_a_user_without_name_is_the_caller(iam, administrator):
    assert iam.get_user()["User"]["UserName"] == "administrator"
    (key,) = iam.list_access_keys()["AccessKeyMetadata"]
    assert (key["AccessKeyId"], key["Status"]) == (administrator[0], "Active")


def test_names_differ_by_more_than_case(iam):
    iam.create_user(UserName="alice")
    code, text = refused(iam.create_user, UserName="ALICE")
    assert (code, text) == ("EntityAlreadyExists", "User with name ALICE already exists.")
    iam.create_user(UserName="bob")
    assert refused(iam.update_user, UserName="bob", NewUserName="Alice")[0] == "EntityAlreadyExists"
    iam.update_user(UserName="bob", NewUserName="Bob")


def test_keys(server, iam):
    iam.create_user(UserName="alice")
    made = iam.create_access_key(UserName="alice")["AccessKey"]
    assert made["AccessKeyId"].startswith("AKIA")
    assert (len(made["AccessKeyId"]), len(made["SecretAccessKey"])) == (20, 40)
    key = made["AccessKeyId"]
    assert server.identities.credentials.find(key, None).secret_key == made["SecretAccessKey"]
    iam.create_access_key(UserName="alice")
    code, text = refused(iam.create_access_key, UserName="alice")
    assert (code, text) == ("LimitExceeded", "Cannot exceed quota for AccessKeysPerUser: 2")
    iam.update_access_key(UserName="alice", AccessKeyId=key, Status="Inactive")
    found = iam.list_access_keys(UserName="alice")["AccessKeyMetadata"]
    assert [each["Status"] for each in found] == ["Inactive", "Active"]
    own = server.client("sts", key)
    assert refused(own.get_caller_identity)[0] == "InvalidClientTokenId"
    iam.delete_access_key(UserName="alice", AccessKeyId=key)
    code, text = refused(iam.delete_access_key, UserName="alice", AccessKeyId=key)
    assert (code, text) == ("NoSuchEntity", f"The Access Key with id {key} cannot be found.")


def test_users_that_have_something_are_not_deleted(iam):
    iam.create_user(UserName="alice")
    key = iam.create_access_key(UserName="alice")["AccessKey"]["AccessKeyId"]
    arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"
    iam.attach_user_policy(UserName="alice", PolicyArn=arn)
    iam.put_user_policy(UserName="alice", PolicyName="p", PolicyDocument=document())
    texts = []
    for undo in (
        lambda: iam.delete_access_key(UserName="alice", AccessKeyId=key),
        lambda: iam.detach_user_policy(UserName="alice", PolicyArn=arn),
        lambda: iam.delete_user_policy(UserName="alice", PolicyName="p"),
    ):
        code, text = refused(iam.delete_user, UserName="alice")
        assert code == "DeleteConflict"
        texts.append(text)
        undo()
    assert texts == [
        "Cannot delete entity, must delete access keys first.",
        "Cannot delete entity, must detach all policies first.",
        "Cannot delete entity, must delete policies first.",
    ]
    iam.delete_user(UserName="alice")


def test_pages(iam):
    for name in "edcBa":
        iam.create_user(UserName=name)
    pages = iam.get_paginator("list_users").paginate(PaginationConfig={"PageSize": 2})
    names = [[user["UserName"] for user in page["Users"]] for page in pages]
    assert names == [["a", "administrator"], ["B", "c"], ["d", "e"]]
    assert refused(iam.list_users, Marker="!")[0] == "ValidationError"


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        (
            {},
            (
                "1 validation error detected: Value null at 'userName' failed to satisfy "
                "constraint: Member must not be null"
            ),
        ),
        (
            {"UserName": "a" * 65},
            (
                "1 validation error detected: Value at 'userName' failed to satisfy constraint: "
                "Member must have length less than or equal to 64"
            ),
        ),
        (
            {"UserName": "a b"},
            (
                "The specified value for userName is invalid. It must contain only alphanumeric "
                "characters and/or the following: +=,.@_-"
            ),
        ),
        (
            {"UserName": "a", "Path": "x"},
            (
                "The specified value for path is invalid. It must begin and end with / and contain "
                "only alphanumeric characters and/or / characters."
            ),
        ),
    ],
)
def test_members(iam, parameters, text):
    assert refused(iam.create_user, **parameters) == ("ValidationError", text)


# The model has other lengths of names, and other prefixes, for some operations.
def test_members_that_differ_by_operation(iam):
    name, arn = "a" * 65, "arn:aws:iam::aws:policy/ReadOnlyAccess"
    code, text = refused(iam.attach_user_policy, UserName=name, PolicyArn=arn)
    assert (code, "length less than or equal to 64" in text) == ("ValidationError", True)
    assert refused(iam.delete_user, UserName=name)[0] == "NoSuchEntity"
    code, text = refused(iam.list_policies, PathPrefix="/service-role")
    assert (code, "It must begin and end with /" in text) == ("ValidationError", True)
    assert iam.list_roles(PathPrefix="/service-role")["Roles"] == []


def test_devices_without_a_user_are_those_of_the_caller(iam, administrator):
    assert iam.list_mfa_devices()["MFADevices"] == []


def test_members_that_are_not_acted_on_are_refused(iam):
    arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"
    found = refused(iam.list_entities_for_policy, PolicyArn=arn, PathPrefix="/x/")
    assert found == ("InvalidInput", "PathPrefix is not supported by this server")


def test_the_quota_of_users(server, iam):
    put(server.identities, *(user(f"user{number}") for number in range(USERS_MAX - 1)))
    code, text = refused(iam.create_user, UserName="alice")
    assert (code, text) == (
        "LimitExceeded",
        f"Cannot exceed quota for UsersPerAccount: {USERS_MAX}",
    )


def test_tags(iam):
    iam.create_user(UserName="alice", Tags=[{"Key": "Team", "Value": "red"}])
    added = [{"Key": "team", "Value": "blue"}, {"Key": "site", "Value": ""}]
    iam.tag_user(UserName="alice", Tags=added)
    found = iam.list_user_tags(UserName="alice")["Tags"]
    assert sorted(found, key=lambda each: each["Key"]) == added[::-1]
    iam.untag_user(UserName="alice", TagKeys=["TEAM"])
    assert iam.list_user_tags(UserName="alice")["Tags"] == added[1:]
    twice = [{"Key": "a", "Value": "1"}, {"Key": "A", "Value": "1"}]
    assert refused(iam.tag_user, UserName="alice", Tags=twice)[0] == "InvalidInput"
    own = [{"Key": "aws:x", "Value": "1"}]
    assert refused(iam.tag_user, UserName="alice", Tags=own)[0] == "InvalidInput"
    many = [{"Key": f"k{number}", "Value": ""} for number in range(50)]
    assert refused(iam.tag_user, UserName="alice", Tags=many)[0] == "LimitExceeded"
    assert refused(iam.tag_user, UserName="alice", Tags=[*many, *added])[0] == "ValidationError"
