"""What answers of IAM have, operation by operation, as the service was recorded."""

import pytest

from tests.unit.access.identities.entities import ACCOUNT, document
from tests.unit.api.iam.clients import refused
from tests.unit.api.iam.test_policies import ARN, READER, TRUST, made

# Tools compare an answer with the next one, and take what one of them has for a change.

NAMED = {"Path", "RoleName", "RoleId", "Arn", "CreateDate", "AssumeRolePolicyDocument"}
POLICY = {
    *("PolicyName", "PolicyId", "Arn", "Path", "DefaultVersionId", "AttachmentCount"),
    *("PermissionsBoundaryUsageCount", "IsAttachable", "CreateDate", "UpdateDate"),
}
GONE = f"arn:aws:iam::{ACCOUNT}:policy/gone"
PATTERN = r"Member must satisfy regular expression pattern: [\p{L}\p{Z}\p{N}_.:/=+\-@]+"
OF_KEYS = (
    "Member must satisfy constraint: [Member must have length less than or equal to 128, Member "
    f"must have length greater than or equal to 1, {PATTERN}, Member must not be null]"
)


def told(member, constraint):
    text = f"Value at '{member}' failed to satisfy constraint: {constraint}"
    return "ValidationError", f"1 validation error detected: {text}"


def test_a_role_is_described_in_three_ways(iam):
    iam.create_policy(PolicyName="tables", PolicyDocument=document())
    more = {"Description": "d", "PermissionsBoundary": ARN, "Tags": [{"Key": "a", "Value": "b"}]}
    made_role = iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST, **more)["Role"]
    assert set(made_role) == {*NAMED, "PermissionsBoundary", "Tags"}
    whole = {*NAMED, "Description", "MaxSessionDuration", "PermissionsBoundary", "Tags"}
    found = iam.get_role(RoleName="r")["Role"]
    assert set(found) == {*whole, "RoleLastUsed"}
    assert found["RoleLastUsed"] == {}
    (listed,) = iam.list_roles()["Roles"]
    assert set(listed) == {*NAMED, "Description", "MaxSessionDuration"}
    changed = iam.update_role_description(RoleName="r", Description="e")["Role"]
    assert set(changed) == {*NAMED, "Description"}
    assert changed["Description"] == "e"


def test_a_policy_is_described_in_three_ways(iam):
    assert set(made(iam, Description="d")) == POLICY
    found = iam.get_policy(PolicyArn=ARN)["Policy"]
    assert set(found) == {*POLICY, "Description", "Tags"}
    assert found["Tags"] == []
    (listed,) = iam.list_policies(Scope="Local")["Policies"]
    assert set(listed) == POLICY


def test_tags_of_policies_differ_in_case_and_have_an_order(iam):
    keys = ["abc", "b", "z", "a", "A"]
    tags = [{"Key": key, "Value": key} for key in keys]
    assert [each["Key"] for each in made(iam, Tags=tags)["Tags"]] == keys
    listed = iam.list_policy_tags(PolicyArn=ARN)["Tags"]
    assert [each["Key"] for each in listed] == ["A", "a", "b", "z", "abc"]
    assert iam.get_policy(PolicyArn=ARN)["Policy"]["Tags"] == listed
    pages = iam.get_paginator("list_policy_tags").paginate(
        PolicyArn=ARN, PaginationConfig={"PageSize": 2}
    )
    assert [tag for page in pages for tag in page["Tags"]] == listed
    iam.untag_policy(PolicyArn=ARN, TagKeys=["a", "b", "abc"])
    iam.tag_policy(PolicyArn=ARN, Tags=[{"Key": "Z", "Value": ""}])
    listed = iam.list_policy_tags(PolicyArn=ARN)["Tags"]
    assert [each["Key"] for each in listed] == ["A", "Z", "z"]
    twice = [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]
    found = refused(iam.tag_policy, PolicyArn=ARN, Tags=twice)
    assert found == ("InvalidInput", "Duplicate tag keys found.")


def test_tags_of_roles_are_the_same_in_any_case(iam):
    for first, second in (("a", "a"), ("a", "A")):
        tags = [{"Key": first, "Value": "1"}, {"Key": second, "Value": "2"}]
        found = refused(iam.create_role, RoleName="r", AssumeRolePolicyDocument=TRUST, Tags=tags)
        assert found == (
            "InvalidInput",
            "Duplicate tag keys found. Please note that Tag keys are case insensitive.",
        )


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        (("k" * 129, ""), ("key", "Member must have length less than or equal to 128")),
        (("k", "v" * 257), ("value", "Member must have length less than or equal to 256")),
        (("NOWAY!", ""), ("key", PATTERN)),
        (("k", "NOWAY!"), ("value", f"{PATTERN[:-1]}*")),
    ],
)
def test_what_is_no_tag(iam, tag, found):
    member, constraint = found
    tags = [dict(zip(("Key", "Value"), tag, strict=True))]
    answer = refused(iam.tag_policy, PolicyArn=ARN, Tags=tags)
    assert answer == told(f"tags.1.member.{member}", constraint)


@pytest.mark.parametrize("key", ["k" * 129, "", "NOWAY!"])
def test_what_is_no_key_of_a_tag(iam, key):
    found = refused(iam.untag_policy, PolicyArn=ARN, TagKeys=["good", key])
    assert found == told("tagKeys", OF_KEYS)


def test_too_many_keys(iam):
    keys = [f"k{number}" for number in range(51)]
    found = refused(iam.untag_policy, PolicyArn=ARN, TagKeys=keys)
    assert found == told("tagKeys", "Member must have length less than or equal to 50")


# One text for a policy that is gone and for a version that is.
def test_versions_that_are_gone(iam):
    made(iam)
    calls = (iam.get_policy_version, iam.set_default_policy_version, iam.delete_policy_version)
    for call in calls:
        for arn in (GONE, ARN):
            text = f"Policy {arn} version v9 does not exist or is not attachable."
            assert refused(call, PolicyArn=arn, VersionId="v9") == ("NoSuchEntity", text)
        found = refused(call, PolicyArn=ARN, VersionId="invalid")
        pattern = r"v[1-9][0-9]*(\.[A-Za-z0-9-]*)?"
        constraint = f"Member must satisfy regular expression pattern: {pattern}"
        assert found == told("versionId", constraint)


def test_policies_that_are_gone(iam):
    text = f"Policy {GONE} does not exist or is not attachable."
    assert refused(iam.list_entities_for_policy, PolicyArn=GONE) == ("NoSuchEntity", text)
    text = f"Policy {GONE} was not found."
    tags = [{"Key": "a", "Value": "b"}]
    assert refused(iam.tag_policy, PolicyArn=GONE, Tags=tags) == ("NoSuchEntity", text)


@pytest.mark.parametrize("arn", ["longpolicynamebutnoarn", f"arn:aws:iam::{ACCOUNT}:role/reader"])
def test_what_is_no_arn_of_a_policy(iam, arn):
    iam.create_user(UserName="x")
    iam.create_role(RoleName="x", AssumeRolePolicyDocument=TRUST)
    text = f"ARN {arn} is not valid."
    for call, holder in ((iam.attach_user_policy, "User"), (iam.attach_role_policy, "Role")):
        found = refused(call, **{f"{holder}Name": "x"}, PolicyArn=arn)
        assert found == ("ValidationError", text)
    boundary = {"PermissionsBoundary": arn}
    found = refused(iam.put_role_permissions_boundary, RoleName="x", **boundary)
    assert found == ("InvalidInput", text)
    assert refused(iam.create_user, UserName="y", **boundary) == ("InvalidInput", text)


def test_boundaries_that_are_gone(iam):
    iam.create_user(UserName="x")
    text = f"Scope ARN: {GONE} does not exist or is not attachable."
    calls = (
        (iam.put_user_permissions_boundary, {"UserName": "x"}),
        (iam.create_role, {"RoleName": "y", "AssumeRolePolicyDocument": TRUST}),
    )
    for call, named in calls:
        found = refused(call, **named, PermissionsBoundary=GONE)
        assert found == ("NoSuchEntity", text)


def test_trust_policies_that_are_none(iam):
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST)
    for text, message in (
        ("not json", "This policy contains invalid Json"),
        (
            TRUST.replace("sts:AssumeRole", "s3:GetObject"),
            "AssumeRole policy may only specify STS AssumeRole actions.",
        ),
    ):
        found = refused(iam.update_assume_role_policy, RoleName="r", PolicyDocument=text)
        assert found == ("MalformedPolicyDocument", message)


def test_entities_of_other_kinds_are_none(iam):
    iam.create_user(UserName="x")
    iam.attach_user_policy(UserName="x", PolicyArn=READER)
    for kind, count in (("User", 1), ("Role", 0), ("Group", 0), ("LocalManagedPolicy", 0)):
        found = iam.list_entities_for_policy(PolicyArn=READER, EntityFilter=kind)
        assert len(found["PolicyUsers"]) == count
        assert (found["PolicyRoles"], found["IsTruncated"]) == ([], False)


def test_policies_that_are_used(iam):
    for name in ("unused", "attached", "boundary", "both"):
        iam.create_policy(PolicyName=name, PolicyDocument=document())
    arns = {name: ARN.replace("tables", name) for name in ("attached", "boundary", "both")}
    iam.create_user(UserName="u", PermissionsBoundary=arns["boundary"])
    more = {"PermissionsBoundary": arns["both"]}
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST, **more)
    for name in ("attached", "both"):
        iam.attach_user_policy(UserName="u", PolicyArn=arns[name])

    def listed(**more):
        found = iam.list_policies(Scope="Local", **more)["Policies"]
        return [each["PolicyName"] for each in found]

    every = ["attached", "both", "boundary", "unused"]
    uses = ({}, {"PolicyUsageFilter": "PermissionsPolicy"})
    uses = (*uses, {"PolicyUsageFilter": "PermissionsBoundary"})
    assert [listed(**use) for use in uses] == [every] * 3
    assert [listed(OnlyAttached=False, **use) for use in uses] == [every] * 3
    assert [listed(OnlyAttached=True, **use) for use in uses] == [
        ["attached", "both", "boundary"],
        ["attached", "both"],
        ["both", "boundary"],
    ]


def test_no_tags_are_none_to_add(iam):
    iam.create_user(UserName="u")
    told = "InvalidInput", "At least one tag is needed."
    assert refused(iam.tag_user, UserName="u", Tags=[]) == told


def test_a_boundary_that_is_not_there_cannot_be_deleted(iam):
    iam.create_user(UserName="u")
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST)
    assert refused(iam.delete_user_permissions_boundary, UserName="u") == (
        "NoSuchEntity",
        "The user with name u has no permissions boundary.",
    )
    assert refused(iam.delete_role_permissions_boundary, RoleName="r")[0] == "NoSuchEntity"


def test_names_of_inline_policies_are_the_same_in_any_case(iam):
    iam.create_user(UserName="u")
    iam.put_user_policy(UserName="u", PolicyName="MixedName", PolicyDocument=document())
    denial = document(effect="Deny")
    iam.put_user_policy(UserName="u", PolicyName="MIXEDNAME", PolicyDocument=denial)
    assert iam.list_user_policies(UserName="u")["PolicyNames"] == ["MixedName"]
    found = iam.get_user_policy(UserName="u", PolicyName="MIXEDNAME")
    (statement,) = found["PolicyDocument"]["Statement"]
    assert (found["PolicyName"], statement["Effect"]) == ("MIXEDNAME", "Deny")
    iam.delete_user_policy(UserName="u", PolicyName="mixedname")
    assert iam.list_user_policies(UserName="u")["PolicyNames"] == []


def test_a_simulation_has_one_result_for_an_action(iam):
    tables = [f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{name}" for name in "abc"]
    allow = document("dynamodb:GetItem", resource=tables[:2])
    deny = document("dynamodb:GetItem", "Deny", resource=tables[1])

    def simulated(*policies, **more):
        answer = iam.simulate_custom_policy(
            PolicyInputList=policies, ActionNames=["dynamodb:GetItem"], **more
        )
        (result,) = answer["EvaluationResults"]
        specific = result.get("ResourceSpecificResults")
        if specific is not None:
            specific = [
                (each["EvalResourceName"], each["EvalResourceDecision"]) for each in specific
            ]
        return result["EvalResourceName"], result["EvalDecision"], specific

    denied = [(tables[0], "allowed"), (tables[1], "explicitDeny"), (tables[2], "implicitDeny")]
    assert simulated(allow, deny, ResourceArns=tables)[1:] == ("explicitDeny", denied)
    left = [(tables[0], "allowed"), (tables[1], "allowed"), (tables[2], "implicitDeny")]
    assert simulated(allow, ResourceArns=tables)[1:] == ("implicitDeny", left)
    assert simulated(allow, ResourceArns=tables[:2])[1] == "allowed"
    one = (tables[0], "allowed", [(tables[0], "allowed")])
    assert simulated(allow, ResourceArns=tables[:1]) == one
    assert simulated(allow) == ("*", "implicitDeny", None)
