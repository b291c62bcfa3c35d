"""Managed and inline policies, attachments and boundaries through boto3."""

import json

import pytest

from hashrange.limits.access import MANAGED_POLICY_CHARS_MAX
from tests.unit.access.identities.entities import ACCOUNT, document
from tests.unit.api.iam.clients import refused

ARN = f"arn:aws:iam::{ACCOUNT}:policy/tables"
READER = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"
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


@pytest.fixture(params=["user", "role"])
def holder(iam, request):
    """Calls an operation on a user or on a role: `holder("put_{}_policy", …)`."""
    if request.param == "user":
        iam.create_user(UserName="x")
    else:
        iam.create_role(RoleName="x", AssumeRolePolicyDocument=TRUST)
    member = f"{request.param.title()}Name"

    def call(operation, **parameters):
        return getattr(iam, operation.format(request.param))(**{member: "x", **parameters})

    call.kind = request.param
    return call


def made(iam, text=None, **more):
    return iam.create_policy(PolicyName="tables", PolicyDocument=text or document(), **more)[
        "Policy"
    ]


def test_life_of_a_policy(iam):
    policy = made(iam, Description="All.", Tags=[{"Key": "a", "Value": "b"}])
    assert policy["Arn"] == ARN
    assert (policy["DefaultVersionId"], policy["AttachmentCount"]) == ("v1", 0)
    # CreatePolicy leaves out the description.
    assert iam.get_policy(PolicyArn=ARN)["Policy"] == {**policy, "Description": "All."}
    version = iam.get_policy_version(PolicyArn=ARN, VersionId="v1")["PolicyVersion"]
    assert version["Document"] == json.loads(document())
    code, text = refused(iam.create_policy, PolicyName="TABLES", PolicyDocument=document())
    assert code == "EntityAlreadyExists"
    assert text == "A policy called TABLES already exists. Duplicate names are not allowed."
    iam.delete_policy(PolicyArn=ARN)
    assert refused(iam.get_policy, PolicyArn=ARN) == (
        "NoSuchEntity",
        f"Policy {ARN} was not found.",
    )


def test_versions(iam):
    made(iam)
    for number in range(2, 6):
        text = document(f"dynamodb:Get{number}*")
        version = iam.create_policy_version(
            PolicyArn=ARN, PolicyDocument=text, SetAsDefault=number == 4
        )["PolicyVersion"]
        assert (version["VersionId"], version["IsDefaultVersion"]) == (f"v{number}", number == 4)
    found = refused(iam.create_policy_version, PolicyArn=ARN, PolicyDocument=document())
    assert found[0] == "LimitExceeded"
    listed = iam.list_policy_versions(PolicyArn=ARN)["Versions"]
    assert [each["VersionId"] for each in listed] == ["v5", "v4", "v3", "v2", "v1"]
    assert iam.get_policy(PolicyArn=ARN)["Policy"]["DefaultVersionId"] == "v4"
    found = refused(iam.delete_policy_version, PolicyArn=ARN, VersionId="v4")
    assert found == ("DeleteConflict", "Cannot delete the default version of a policy.")
    assert refused(iam.delete_policy, PolicyArn=ARN)[0] == "DeleteConflict"
    iam.set_default_policy_version(PolicyArn=ARN, VersionId="v5")
    for number in range(1, 5):
        iam.delete_policy_version(PolicyArn=ARN, VersionId=f"v{number}")
    version = iam.create_policy_version(PolicyArn=ARN, PolicyDocument=document())["PolicyVersion"]
    assert version["VersionId"] == "v6"


def test_attachments(iam, holder):
    made(iam)
    holder("attach_{}_policy", PolicyArn=READER)
    holder("attach_{}_policy", PolicyArn=ARN)
    holder("attach_{}_policy", PolicyArn=ARN)
    attached = holder("list_attached_{}_policies")["AttachedPolicies"]
    assert [each["PolicyArn"] for each in attached] == [READER, ARN]
    assert iam.get_policy(PolicyArn=ARN)["Policy"]["AttachmentCount"] == 1
    entities = iam.list_entities_for_policy(PolicyArn=ARN)
    assert [len(entities[kind]) for kind in ("PolicyUsers", "PolicyRoles", "PolicyGroups")] == [
        *((1, 0) if holder.kind == "user" else (0, 1)),
        0,
    ]
    attached = iam.list_policies(OnlyAttached=True, Scope="Local")["Policies"]
    assert [each["Arn"] for each in attached] == [ARN]
    assert refused(iam.delete_policy, PolicyArn=ARN)[0] == "DeleteConflict"
    holder("detach_{}_policy", PolicyArn=ARN)
    code, text = refused(holder, operation="detach_{}_policy", PolicyArn=ARN)
    assert (code, text) == ("NoSuchEntity", f"Policy {ARN} was not found.")
    iam.delete_policy(PolicyArn=ARN)
    code, text = refused(holder, operation="attach_{}_policy", PolicyArn=ARN)
    assert (code, text) == ("NoSuchEntity", f"Policy {ARN} does not exist or is not attachable.")


def test_inline_policies(holder):
    for name in ("b", "a"):
        holder("put_{}_policy", PolicyName=name, PolicyDocument=document())
    assert holder("list_{}_policies")["PolicyNames"] == ["a", "b"]
    found = holder("get_{}_policy", PolicyName="a")
    assert (found["PolicyName"], found["PolicyDocument"]) == ("a", json.loads(document()))
    holder("delete_{}_policy", PolicyName="a")
    code, text = refused(holder, operation="get_{}_policy", PolicyName="a")
    assert (code, text) == (
        "NoSuchEntity",
        f"The {holder.kind} policy with name a cannot be found.",
    )
    most = 2048 if holder.kind == "user" else 10_240
    large = document(resource="arn:aws:dynamodb:*:*:table/" + "a" * most)
    code, text = refused(holder, operation="put_{}_policy", PolicyName="c", PolicyDocument=large)
    assert code == "LimitExceeded"
    assert text == f"Maximum policy size of {most} bytes exceeded for {holder.kind} x"


def test_boundaries(iam, holder):
    made(iam)
    holder("put_{}_permissions_boundary", PermissionsBoundary=ARN)
    found = holder("get_{}")[holder.kind.title()]["PermissionsBoundary"]
    assert found == {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": ARN}
    assert refused(iam.delete_policy, PolicyArn=ARN)[0] == "DeleteConflict"
    holder("delete_{}_permissions_boundary")
    assert "PermissionsBoundary" not in holder("get_{}")[holder.kind.title()]


def test_documents_that_are_none(iam, holder):
    code, text = refused(holder, operation="put_{}_policy", PolicyName="p", PolicyDocument="{}")
    assert (code, text) == ("MalformedPolicyDocument", "Syntax errors in policy.")
    found = refused(iam.create_policy, PolicyName="p", PolicyDocument='{"Statement":[]}')
    assert found[0] == "MalformedPolicyDocument"
    large = document(resource="arn:aws:dynamodb:*:*:table/" + "a" * MANAGED_POLICY_CHARS_MAX)
    code, text = refused(iam.create_policy, PolicyName="p", PolicyDocument=large)
    assert (code, text) == ("LimitExceeded", "Cannot exceed quota for PolicySize: 6144")


def test_built_in_policies(iam):
    names = [each["PolicyName"] for each in iam.list_policies(Scope="AWS")["Policies"]]
    assert {"AdministratorAccess", "AmazonDynamoDBFullAccess", "ReadOnlyAccess"} < set(names)
    assert refused(iam.delete_policy, PolicyArn=READER)[0] == "AccessDenied"
    found = iam.get_policy_version(PolicyArn=READER, VersionId="v1")["PolicyVersion"]
    assert found["Document"]["Statement"][0]["Effect"] == "Allow"


def test_tags(iam):
    made(iam)
    iam.tag_policy(PolicyArn=ARN, Tags=[{"Key": "a", "Value": "b"}])
    assert iam.list_policy_tags(PolicyArn=ARN)["Tags"] == [{"Key": "a", "Value": "b"}]
    iam.untag_policy(PolicyArn=ARN, TagKeys=["a"])
    assert iam.list_policy_tags(PolicyArn=ARN)["Tags"] == []


def test_roles(iam):
    role = iam.create_role(
        RoleName="r", AssumeRolePolicyDocument=TRUST, Description="d", MaxSessionDuration=7200
    )["Role"]
    assert role["AssumeRolePolicyDocument"] == json.loads(TRUST)
    iam.update_role(RoleName="r", Description="e")
    shown = iam.get_role(RoleName="r")["Role"]
    assert (shown["Description"], shown["MaxSessionDuration"]) == ("e", 7200)
    assert [each["RoleName"] for each in iam.list_roles()["Roles"]] == ["r"]
    other = TRUST.replace(ACCOUNT, "210987654321")
    iam.update_assume_role_policy(RoleName="r", PolicyDocument=other)
    shown = iam.get_role(RoleName="r")["Role"]
    assert shown["AssumeRolePolicyDocument"] == json.loads(other)
    nobody = TRUST.replace(":root", ":user/nobody")
    code, text = refused(iam.update_assume_role_policy, RoleName="r", PolicyDocument=nobody)
    assert code == "MalformedPolicyDocument"
    assert text == f'Invalid principal in policy: "AWS":"arn:aws:iam::{ACCOUNT}:user/nobody"'
    longer = {**json.loads(TRUST), "Id": "i" * 2048}
    large = json.dumps(longer)
    code, text = refused(iam.update_assume_role_policy, RoleName="r", PolicyDocument=large)
    assert (code, text) == ("LimitExceeded", "Cannot exceed quota for ACLSizePerRole: 2048")
    iam.tag_role(RoleName="r", Tags=[{"Key": "a", "Value": "b"}])
    assert iam.list_role_tags(RoleName="r")["Tags"] == [{"Key": "a", "Value": "b"}]
    iam.delete_role(RoleName="r")
    assert refused(iam.get_role, RoleName="r")[0] == "NoSuchEntity"


# Terraform asks for these when it deletes a user or role.
def test_what_is_not_built_is_empty(iam):
    iam.create_user(UserName="x")
    iam.create_role(RoleName="x", AssumeRolePolicyDocument=TRUST)
    assert iam.list_groups_for_user(UserName="x")["Groups"] == []
    # Terraform asks for it before it deletes a user with force_destroy.
    assert iam.list_virtual_mfa_devices(AssignmentStatus="Assigned")["VirtualMFADevices"] == []
    assert iam.list_mfa_devices(UserName="x")["MFADevices"] == []
    assert iam.list_instance_profiles_for_role(RoleName="x")["InstanceProfiles"] == []
    assert iam.list_account_aliases()["AccountAliases"] == []
    assert refused(iam.get_login_profile, UserName="x")[0] == "NoSuchEntity"
    assert refused(iam.delete_login_profile, UserName="x")[0] == "NoSuchEntity"
    assert refused(iam.create_group, GroupName="x")[0] == "InvalidAction"


SIMULATED = {
    "reader": ("allowed", "implicitDeny"),
    "writer": ("allowed", "allowed"),
    "confined": ("implicitDeny", "implicitDeny"),
    "denied": ("explicitDeny", "allowed"),
}


@pytest.mark.parametrize("name", SIMULATED)
def test_simulations(iam, name):
    iam.create_user(UserName=name)
    arn = f"arn:aws:iam::{ACCOUNT}:user/{name}"
    full = "arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"
    iam.attach_user_policy(UserName=name, PolicyArn=READER if name == "reader" else full)
    if name == "confined":
        boundary = made(iam, document("sqs:*"))["Arn"]
        iam.put_user_permissions_boundary(UserName=name, PermissionsBoundary=boundary)
    if name == "denied":
        text = document("dynamodb:GetItem", "Deny")
        iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=text)
    results = iam.simulate_principal_policy(
        PolicySourceArn=arn,
        ActionNames=["dynamodb:getitem", "dynamodb:PutItem"],
        ResourceArns=[f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/t"],
    )["EvaluationResults"]
    assert tuple(each["EvalDecision"] for each in results) == SIMULATED[name]
    assert [each["EvalActionName"] for each in results] == ["dynamodb:GetItem", "dynamodb:PutItem"]


def test_simulation_of_conditions(iam):
    text = json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Action": "dynamodb:*",
                    "Resource": "*",
                    "Condition": {
                        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a", "b"]},
                        "Bool": {"aws:SecureTransport": "true"},
                    },
                }
            ],
        }
    )

    def decision(keys):
        entries = [
            {
                "ContextKeyName": "dynamodb:LeadingKeys",
                "ContextKeyValues": keys,
                "ContextKeyType": "stringList",
            },
            {
                "ContextKeyName": "aws:SecureTransport",
                "ContextKeyValues": ["true"],
                "ContextKeyType": "boolean",
            },
        ]
        (result,) = iam.simulate_custom_policy(
            PolicyInputList=[text], ActionNames=["dynamodb:GetItem"], ContextEntries=entries
        )["EvaluationResults"]
        assert result["MissingContextValues"] == []
        return result["EvalDecision"]

    assert (decision(["a"]), decision(["a", "c"])) == ("allowed", "implicitDeny")
    (result,) = iam.simulate_custom_policy(
        PolicyInputList=[text], ActionNames=["dynamodb:GetItem"]
    )["EvaluationResults"]
    assert result["EvalDecision"] == "implicitDeny"
    assert result["MissingContextValues"] == ["aws:securetransport", "dynamodb:leadingkeys"]
    for action in ("dynamodb:Fly", "GetItem", "a:b:c"):
        found = refused(iam.simulate_custom_policy, PolicyInputList=[text], ActionNames=[action])
        assert found == ("InvalidInput", f"Invalid Action Name: {action}")
