"""STS through boto3: who calls, and sessions of roles and users."""

import asyncio
import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.identities.opening import ensure_administrator
from hashrange.api.iam.registry import IAM, STS
from tests.unit.access.identities.entities import ACCOUNT, NOW_MS, document
from tests.unit.api.iam.clients import Server, refused, session_client

OTHER = "210987654321"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/reader"
ALICE = f"arn:aws:iam::{ACCOUNT}:user/alice"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
NOT_ALLOWED = f"User: {ALICE} is not authorized to perform: sts:AssumeRole on resource: {ROLE}"


def trust(principal, *, condition=None, actions=("sts:AssumeRole",)):
    statement = {"Effect": "Allow", "Principal": {"AWS": principal}, "Action": list(actions)}
    if condition is not None:
        statement["Condition"] = condition
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture
def alice(server, iam):
    """STS as a user without policies."""
    iam.create_user(UserName="alice")
    key = iam.create_access_key(UserName="alice")["AccessKey"]
    return server.client("sts", key["AccessKeyId"], key["SecretAccessKey"])


def role(iam, text, **more):
    iam.create_role(RoleName="reader", AssumeRolePolicyDocument=text, **more)


def may_assume(iam):
    text = document("sts:*", resource=ROLE)
    iam.put_user_policy(UserName="alice", PolicyName="p", PolicyDocument=text)


def subject_of(server, answer):
    keys = answer["Credentials"]
    find = server.identities.credentials.find
    return find(keys["AccessKeyId"], keys["SessionToken"]).subject


def test_who_calls(sts, alice):
    found = sts.get_caller_identity()
    assert found["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/administrator"
    assert (found["Account"], found["UserId"][:4]) == (ACCOUNT, "AIDA")
    assert alice.get_caller_identity()["Arn"] == ALICE


def test_a_role_that_names_the_user_needs_no_policy_of_the_user(server, iam, alice):
    role(iam, trust(ALICE))
    answer = alice.assume_role(RoleArn=ROLE, RoleSessionName="me")
    assert answer["AssumedRoleUser"]["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/me"
    lasts = answer["Credentials"]["Expiration"].timestamp() * 1000 - server.now_ms
    assert lasts == timedelta(hours=1) / timedelta(milliseconds=1)
    own = session_client(server, "sts", answer).get_caller_identity()
    assert own["Arn"] == answer["AssumedRoleUser"]["Arn"]
    assert own["UserId"] == answer["AssumedRoleUser"]["AssumedRoleId"]


def test_a_role_that_names_the_account_needs_a_policy_of_the_user(iam, alice):
    role(iam, trust(ROOT))
    found = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName="me")
    assert found == ("AccessDenied", NOT_ALLOWED)
    may_assume(iam)
    alice.assume_role(RoleArn=ROLE, RoleSessionName="me")


# A policy of the caller's own must not suffice: the role decides whom it trusts.
def test_a_role_that_does_not_trust_the_user(iam, alice, sts):
    role(iam, trust(OTHER))
    may_assume(iam)
    found = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName="me")
    assert found == ("AccessDenied", NOT_ALLOWED)
    assert refused(sts.assume_role, RoleArn=ROLE, RoleSessionName="me")[0] == "AccessDenied"


def test_a_role_that_is_not_there(alice):
    found = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName="me")
    assert found == ("AccessDenied", NOT_ALLOWED)


@pytest.mark.parametrize(
    "arn",
    [
        "nothing-valid-in-here",
        "arn::b:::something/test-role",
        "arn:a::::something/test-role",
        "arn:a:::something/test-role",
        "arn:a:a::aaaaaaaaaa:",
    ],
)
def test_what_is_no_role(alice, arn):
    found = refused(alice.assume_role, RoleArn=arn, RoleSessionName="me")
    assert found == ("ValidationError", f"{arn} is invalid")


@pytest.mark.parametrize(
    ("name", "constraint"),
    [
        ("Session1:2", r"Member must satisfy regular expression pattern: [\w+=,.@-]*"),
        ("s" * 65, "Member must have length less than or equal to 64"),
    ],
)
def test_names_of_sessions(alice, name, constraint):
    text = (
        f"1 validation error detected: Value '{name}' at 'roleSessionName' failed to satisfy "
        f"constraint: {constraint}"
    )
    found = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName=name)
    assert found == ("ValidationError", text)


def test_a_denial_of_the_user_wins(iam, alice):
    role(iam, trust(ALICE))
    text = document("sts:AssumeRole", "Deny")
    iam.put_user_policy(UserName="alice", PolicyName="p", PolicyDocument=text)
    code, text = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName="me")
    assert (code, text) == (
        "AccessDenied",
        f"{NOT_ALLOWED} with an explicit deny in an identity-based policy",
    )


# Another user of the same name must not be trusted.
def test_a_user_that_is_created_again_is_not_trusted(server, iam, alice):
    role(iam, trust(ALICE))
    (key,) = iam.list_access_keys(UserName="alice")["AccessKeyMetadata"]
    iam.delete_access_key(UserName="alice", AccessKeyId=key["AccessKeyId"])
    iam.delete_user(UserName="alice")
    iam.create_user(UserName="alice")
    key = iam.create_access_key(UserName="alice")["AccessKey"]
    again = server.client("sts", key["AccessKeyId"], key["SecretAccessKey"])
    found = refused(again.assume_role, RoleArn=ROLE, RoleSessionName="me")
    assert found == ("AccessDenied", NOT_ALLOWED)


def test_the_external_id(iam, alice):
    condition = {"StringEquals": {"sts:ExternalId": "secret-id"}}
    role(iam, trust(ALICE, condition=condition))
    for given_id in ({}, {"ExternalId": "other"}):
        found = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName="me", **given_id)
        assert found == ("AccessDenied", NOT_ALLOWED)
    alice.assume_role(RoleArn=ROLE, RoleSessionName="me", ExternalId="secret-id")


def test_durations(iam, alice):
    role(iam, trust(ALICE), MaxSessionDuration=7200)
    asked = {"RoleArn": ROLE, "RoleSessionName": "me"}
    alice.assume_role(**asked, DurationSeconds=7200)
    assert refused(alice.assume_role, **asked, DurationSeconds=7201) == (
        "ValidationError",
        "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
    )
    assert refused(alice.assume_role, **asked, DurationSeconds=899) == (
        "ValidationError",
        (
            "1 validation error detected: Value '899' at 'durationSeconds' failed to satisfy "
            "constraint: Member must have value greater than or equal to 900"
        ),
    )


def test_session_policies(server, iam, alice):
    role(iam, trust(ALICE))
    iam.put_role_policy(RoleName="reader", PolicyName="p", PolicyDocument=document())
    reader = "arn:aws:iam::aws:policy/ReadOnlyAccess"
    asked = {"RoleArn": ROLE, "RoleSessionName": "me"}
    answer = alice.assume_role(
        **asked, Policy=document("dynamodb:GetItem"), PolicyArns=[{"arn": reader}]
    )
    assert answer["PackedPolicySize"] > 0
    subject = subject_of(server, answer)
    assert [each.statements[0].actions[0] for each in subject.session] == [
        "dynamodb:GetItem",
        "dynamodb:BatchGetItem",
    ]
    assert refused(alice.assume_role, **asked, Policy="{}")[0] == "MalformedPolicyDocument"
    gone = f"arn:aws:iam::{ACCOUNT}:policy/gone"
    found = refused(alice.assume_role, **asked, PolicyArns=[{"arn": gone}])
    assert found[0] == "ValidationError"


def test_tags_need_a_permission_and_go_on_if_transitive(server, iam, alice):
    asked = {"RoleArn": ROLE, "RoleSessionName": "me"}
    tags = [{"Key": "Team", "Value": "red"}, {"Key": "Site", "Value": "x"}]
    both = ("sts:AssumeRole", "sts:TagSession")
    role(iam, trust(ALICE))
    code, text = refused(alice.assume_role, **asked, Tags=tags)
    assert (code, text) == ("AccessDenied", NOT_ALLOWED.replace("AssumeRole", "TagSession"))
    text = trust([ALICE, ROLE], actions=both)
    iam.update_assume_role_policy(RoleName="reader", PolicyDocument=text)
    first = alice.assume_role(**asked, Tags=tags, TransitiveTagKeys=["Team"])
    assert subject_of(server, first).principal.tags == {"Team": "red", "Site": "x"}
    chained = session_client(server, "sts", first)
    second = chained.assume_role(**asked, Tags=[{"Key": "New", "Value": "y"}])
    assert subject_of(server, second).principal.tags == {"Team": "red", "New": "y"}
    third = session_client(server, "sts", second).assume_role(**asked)
    assert subject_of(server, third).principal.tags == {"Team": "red"}
    other = [{"Key": "team", "Value": "blue"}]
    assert refused(chained.assume_role, **asked, Tags=other) == (
        "InvalidParameterValue",
        (
            "One of the specified transitive tag keys can't be set because it conflicts with a "
            "transitive tag key from the calling session."
        ),
    )
    assert refused(chained.assume_role, **asked, DurationSeconds=3601)[0] == "ValidationError"
    found = refused(alice.assume_role, **asked, Tags=tags, TransitiveTagKeys=["Other"])
    assert found == (
        "InvalidParameterValue",
        "The specified transitive tag key must be included in the requested tags.",
    )
    twice = [{"Key": "a", "Value": "1"}, {"Key": "A", "Value": "1"}]
    assert refused(alice.assume_role, **asked, Tags=twice) == (
        "InvalidParameterValue",
        "Duplicate tag keys found. Please note that Tag keys are case insensitive.",
    )


def test_the_source_identity_stays(server, iam, alice):
    actions = ("sts:AssumeRole", "sts:SetSourceIdentity")
    role(iam, trust(ALICE, actions=actions))
    iam.update_assume_role_policy(
        RoleName="reader", PolicyDocument=trust([ALICE, ROLE], actions=actions)
    )
    asked = {"RoleArn": ROLE, "RoleSessionName": "me"}
    first = alice.assume_role(**asked, SourceIdentity="alice")
    assert first["SourceIdentity"] == "alice"
    chained = session_client(server, "sts", first)
    assert chained.assume_role(**asked)["SourceIdentity"] == "alice"
    assert refused(chained.assume_role, **asked, SourceIdentity="bob")[0] == "AccessDenied"


def test_tokens_have_a_bound(iam, alice):
    role(iam, trust(ALICE, actions=("sts:AssumeRole", "sts:TagSession")))
    letters = [chr(0x4E00 + number) for number in range(5000)]
    tags = [
        {"Key": f"k{place}", "Value": "".join(letters[place * 97 :: 53])[:250]}
        for place in range(50)
    ]
    found = refused(alice.assume_role, RoleArn=ROLE, RoleSessionName="me", Tags=tags)
    assert found[0] == "PackedPolicyTooLarge"


def test_older_sessions_are_revoked_by_a_denial_of_their_time(server, iam, alice):
    role(iam, trust(ALICE))
    answer = alice.assume_role(RoleArn=ROLE, RoleSessionName="me")
    condition = {"DateLessThan": {"aws:TokenIssueTime": "2027-01-15T08:00:01Z"}}
    statement = {"Effect": "Deny", "Action": "*", "Resource": "*", "Condition": condition}
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_role_policy(RoleName="reader", PolicyName="AWSRevokeOlderSessions", PolicyDocument=text)
    own = session_client(server, "iam", answer)
    code, text = refused(own.list_users)
    assert code == "AccessDenied"
    assert text.endswith("with an explicit deny in an identity-based policy")


def test_sessions_of_users(server, iam, alice):
    answer = alice.get_session_token(DurationSeconds=900)
    own = session_client(server, "sts", answer)
    assert own.get_caller_identity()["Arn"] == ALICE
    assert refused(own.get_session_token) == (
        "AccessDenied",
        "Cannot call GetSessionToken with session credentials",
    )
    assert refused(session_client(server, "iam", answer).get_user)[0] == "InvalidClientTokenId"
    assert subject_of(server, answer).principal.has_mfa is False


def test_federated_sessions(server, iam, alice):
    code, text = refused(alice.get_federation_token, Name="app")
    assert code == "AccessDenied"
    assert (
        "sts:GetFederationToken on resource: arn:aws:sts::123456789012:federated-user/app" in text
    )
    iam.put_user_policy(UserName="alice", PolicyName="p", PolicyDocument=document("*"))
    answer = alice.get_federation_token(Name="app", Policy=document("dynamodb:GetItem"))
    assert answer["FederatedUser"]["FederatedUserId"] == f"{ACCOUNT}:app"
    subject = subject_of(server, answer)
    assert (subject.principal.type, len(subject.session)) == ("FederatedUser", 1)
    answer = alice.get_federation_token(Name="app")
    assert subject_of(server, answer).session is None
    assert answer["PackedPolicySize"] == 0


def test_the_rest(sts, administrator):
    found = sts.get_access_key_info(AccessKeyId=administrator[0])
    assert found["Account"] == ACCOUNT
    assert refused(sts.get_access_key_info, AccessKeyId="AKIA" + "B" * 16)[0] == "NoSuchEntity"
    found = refused(sts.decode_authorization_message, EncodedMessage="x")
    assert found[0] == "InvalidAuthorizationMessageException"


def test_without_verification_there_is_an_account_and_nothing_more():
    server = Server(verified=False)
    found = server.client("sts").get_caller_identity()
    assert (found["Account"], found["Arn"]) == (ACCOUNT, ROOT)
    for call in (server.client("iam").list_users, server.client("sts").get_session_token):
        code, text = refused(call)
        assert code == "AccessDenied"
        assert "--auth required" in text


def test_operations_are_authorised(server, iam, alice):
    (key,) = iam.list_access_keys(UserName="alice")["AccessKeyMetadata"]
    own = server.client("iam", key["AccessKeyId"])
    code, text = refused(own.create_user, UserName="bob")
    assert (code, text) == (
        "AccessDenied",
        (
            f"User: {ALICE} is not authorized to perform: iam:CreateUser on resource: "
            f"arn:aws:iam::{ACCOUNT}:user/bob because no identity-based policy allows the "
            "iam:CreateUser action"
        ),
    )
    # Who may not ask is not told whether the user is there.
    assert refused(own.get_user, UserName="nobody")[0] == "AccessDenied"
    team = f"arn:aws:iam::{ACCOUNT}:user/team/*"
    text = document("iam:*", resource=team)
    iam.put_user_policy(UserName="alice", PolicyName="p", PolicyDocument=text)
    own.create_user(UserName="bob", Path="/team/")
    assert own.get_user(UserName="bob")["User"]["Path"] == "/team/"
    assert refused(own.delete_user, UserName="administrator")[0] == "AccessDenied"


def test_every_operation_but_those_of_sessions_asks_policies():
    free = {name for name, each in STS.operations().items() if each.resource is None}
    assert free == {"AssumeRole", "GetCallerIdentity", "GetSessionToken"}
    assert all(each.resource is not None for each in IAM.operations().values())


SERVER = Server()
ADMINISTRATOR = asyncio.run(ensure_administrator(SERVER.identities, ACCOUNT, NOW_MS))
assert ADMINISTRATOR is not None


# No bytes may give a 500.
@given(
    st.sampled_from(["iam", "sts"]),
    st.one_of(
        st.binary(max_size=60),
        st.lists(
            st.tuples(
                st.sampled_from(
                    [
                        "Action",
                        "Version",
                        "UserName",
                        "Tags.member.1.Key",
                        "Tags.member.2",
                        "Tags",
                        "Tags.member",
                        "a.b.c.d.e.f.g.h.i",
                        "MaxItems",
                        "DurationSeconds",
                        ".",
                    ]
                ),
                st.sampled_from(
                    [
                        "CreateUser",
                        "GetCallerIdentity",
                        "2010-05-08",
                        "2011-06-15",
                        "x",
                        "",
                        "%00",
                        "%ff",
                        "%ed%a0%80",
                        "9" * 30,
                        "٣",
                    ]
                ),
            ),
            max_size=8,
        ).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs).encode()),
    ),
)
def test_any_form_gets_an_answer(service, body):
    response = asyncio.run(SERVER.respond(service, body, ADMINISTRATOR[0]))
    assert response.status < 500
