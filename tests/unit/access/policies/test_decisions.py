"""Decisions by the evaluation rules of the IAM User Guide, each a row."""

import pytest

from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.access.policies.verdicts import Decision
from tests.rows import rows
from tests.unit.access.policies.subjects import (
    ACCOUNT,
    ANONYMOUS,
    FEDERATED,
    FEDERATED_ARN,
    GET,
    OTHER_ACCOUNT,
    OTHER_TABLE,
    ROLE_ARN,
    ROOT,
    ROOT_ARN,
    SERVICE,
    SESSION,
    SESSION_ARN,
    TABLE,
    TABLE_ARN,
    USER,
    USER_ARN,
    document,
    governed,
    statement,
    subject,
)

ALLOWED = Decision(allowed=True)
ALL = document(statement())
NOTHING = document(statement(Action="s3:*"))


def _implicit(kind):
    return Decision(allowed=False, kind=kind)


def _explicit(kind):
    return Decision(allowed=False, kind=kind, explicit=True)


def _decide(who, what=TABLE, action=GET, **context):
    values = {key.replace("_", ":", 1).lower(): value for key, value in context.items()}
    return Decisions().decide(who, action, what, values)


@rows(
    ("statements", "expected"),
    [
        ([], _implicit("identity")),
        ([statement()], ALLOWED),
        ([statement(Action="*")], ALLOWED),
        ([statement(Action="DYNAMODB:getitem")], ALLOWED),
        ([statement(Action="dynamodb:Get????")], ALLOWED),
        ([statement(Action="dynamodb:Put*")], _implicit("identity")),
        ([statement(NotAction="dynamodb:Put*")], ALLOWED),
        ([statement(NotAction=["s3:*", "dynamodb:Get*"])], _implicit("identity")),
        ([statement(Resource=TABLE_ARN)], ALLOWED),
        ([statement(Resource=[f"{TABLE_ARN}/index/*", "arn:aws:s3:::b"])], _implicit("identity")),
        ([statement(Resource="arn:aws:dynamodb:*:*:table/b*")], ALLOWED),
        ([statement(NotResource=f"{TABLE_ARN}s")], ALLOWED),
        ([statement(NotResource=TABLE_ARN)], _implicit("identity")),
        ([statement(Resource=f"{TABLE_ARN[:-5]}${{aws:username, 'x'}}")], _implicit("identity")),
        ([statement("Deny")], _explicit("identity")),
        ([statement(), statement("Deny", Action="dynamodb:Get*")], _explicit("identity")),
        ([statement("Deny", Action="dynamodb:Put*"), statement()], ALLOWED),
        ([statement(Action="dynamodb:Put*"), statement(Action=GET)], ALLOWED),
    ],
)
def test_identity_policies(statements, expected):
    assert _decide(subject(USER, *statements)) == expected


def test_several_policies_are_one():
    allow, deny = document(statement()), document(statement("Deny"))
    assert _decide(Subject(USER, (NOTHING, allow))) == ALLOWED
    assert _decide(Subject(USER, (allow, deny))) == _explicit("identity")


@pytest.mark.parametrize(
    ("resource", "matches"),
    [
        (f"{TABLE_ARN}-${{aws:username}}", True),
        (f"{TABLE_ARN}-${{aws:PrincipalTag/team}}", False),
        (f"{TABLE_ARN}-${{aws:PrincipalTag/none}}", False),
        # A variable before the fifth colon is plain text.
        (f"arn:aws:dynamodb:us-east-1:${{aws:PrincipalAccount}}:{TABLE_ARN[38:]}-ann", False),
    ],
)
def test_variables_in_resources(resource, matches):
    table = GovernedResource(f"{TABLE_ARN}-ann", ACCOUNT)
    expected = ALLOWED if matches else _implicit("identity")
    assert _decide(subject(USER, statement(Resource=resource)), table) == expected
    excepted = _implicit("identity") if matches else ALLOWED
    assert _decide(subject(USER, statement(NotResource=resource)), table) == excepted


def test_variables_of_the_request_in_resources():
    who = subject(USER, statement(Resource=f"{TABLE_ARN[:-5]}${{aws:SourceVpc}}"))
    assert _decide(who, aws_SourceVpc=("books",)) == ALLOWED
    assert _decide(who, aws_SourceVpc=("*",)) == _implicit("identity")
    assert _decide(who) == _implicit("identity")


# A boundary and a session policy limit what identity policies allow, and allow nothing.
@rows("boundary", [None, ALL, NOTHING, "deny"])
@rows("session", [None, (ALL,), (NOTHING,), (NOTHING, ALL), "deny"])
@rows("identity", [ALL, NOTHING, "deny"])
def test_all_that_go_with_a_principal_must_allow(identity, boundary, session):
    deny = document(statement(), statement("Deny", Action=GET))
    documents = {
        "identity": (deny if identity == "deny" else identity,),
        "boundary": deny if boundary == "deny" else boundary,
        "session": (deny,) if session == "deny" else session,
    }
    if identity == "deny":
        expected = _explicit("identity")
    elif boundary == "deny":
        expected = _explicit("boundary")
    elif session == "deny":
        expected = _explicit("session")
    elif identity is NOTHING:
        expected = _implicit("identity")
    elif boundary is NOTHING:
        expected = _implicit("boundary")
    elif session == (NOTHING,):
        expected = _implicit("session")
    else:
        expected = ALLOWED
    assert _decide(Subject(SESSION, **documents)) == expected


OF_ACCOUNT = [ACCOUNT, ROOT_ARN]
NO, NONE_NEEDED, LIMITED = "no", "none needed", "limited"
# Principal, who is named, and what else is needed in the same account.
NAMED = [
    (USER, "*", NONE_NEEDED),
    (USER, USER_ARN, NONE_NEEDED),
    *((USER, name, NO) for name in (*OF_ACCOUNT, ROLE_ARN, OTHER_ACCOUNT, f"{USER_ARN}a")),
    (SESSION, "*", NONE_NEEDED),
    (SESSION, SESSION_ARN, NONE_NEEDED),
    (SESSION, ROLE_ARN, LIMITED),
    *((SESSION, name, NO) for name in (*OF_ACCOUNT, USER_ARN, OTHER_ACCOUNT)),
    (FEDERATED, FEDERATED_ARN, NONE_NEEDED),
    (FEDERATED, USER_ARN, LIMITED),
    *((FEDERATED, name, NO) for name in (*OF_ACCOUNT, ROLE_ARN, SESSION_ARN)),
]


@rows(("principal", "named", "needed"), NAMED)
def test_resource_policies_in_the_same_account(principal, named, needed):
    table = governed(document(statement(Principal={"AWS": named})))
    session = (ALL,) if principal.type == "FederatedUser" else None
    plain = Subject(principal, (), None, session)
    bounded = Subject(principal, (), NOTHING, session)
    confined = Subject(principal, (), None, (NOTHING,))
    allowed = Subject(principal, (ALL,), None, session)
    expected = {
        NONE_NEEDED: [ALLOWED, ALLOWED, ALLOWED],
        LIMITED: [ALLOWED, _implicit("boundary"), _implicit("session")],
        NO: [_implicit("identity")] * 3,
    }[needed]
    assert [_decide(who, table) for who in (plain, bounded, confined)] == expected
    assert _decide(allowed, table) == ALLOWED


# IAM User Guide, "IAM role principals": what is granted by aws:PrincipalArn with a wildcard in
# Principal is limited by explicit denials only.
@rows("condition", [
    {"aws:PrincipalArn": ROLE_ARN},
    {"aws:PrincipalAccount": ACCOUNT},
    {"aws:userid": SESSION.user_id},
])  # fmt: skip
def test_a_wildcard_with_a_condition_on_the_caller(condition):
    shared = statement(Principal="*", Condition={"StringEquals": condition})
    table = governed(document(shared))
    assert _decide(Subject(SESSION, (), None, (NOTHING,)), table) == ALLOWED
    assert _decide(Subject(SESSION, (), NOTHING), table) == ALLOWED
    denying = document(statement("Deny", Action=GET))
    assert _decide(Subject(SESSION, (), None, (denying,)), table) == _explicit("session")
    other = governed(document(shared), other=True)
    assert _decide(Subject(SESSION, (ALL,), None, (NOTHING,)), other) == _implicit("session")


@rows(("principal", "named", "needed"), NAMED)
def test_resource_policies_deny_whom_they_name_in_any_way(principal, named, needed):
    denying = governed(document(statement("Deny", Principal={"AWS": named})))
    excepting = governed(document(statement("Deny", NotPrincipal={"AWS": named})))
    who = Subject(principal, (ALL,), None, (ALL,))
    is_named = needed != NO or (named in OF_ACCOUNT)
    assert _decide(who, denying) == (_explicit("resource") if is_named else ALLOWED)
    assert _decide(who, excepting) == (ALLOWED if is_named else _explicit("resource"))
    # NotPrincipal does not spare principals with a boundary.
    bounded = Subject(principal, (ALL,), ALL, (ALL,))
    assert _decide(bounded, excepting) == _explicit("resource")


@rows(("principal", "named", "needed"), NAMED)
def test_resource_policies_of_another_account(principal, named, needed):
    table = governed(document(statement(Principal={"AWS": named})), other=True)
    session = (ALL,)
    is_named = needed != NO or named in OF_ACCOUNT
    both = Subject(principal, (ALL,), None, session)
    assert _decide(both, table) == (ALLOWED if is_named else _implicit("resource"))
    assert _decide(Subject(principal, (), None, session), table) == _implicit("identity")
    assert _decide(Subject(principal, (ALL,), NOTHING, session), table) == _implicit("boundary")
    assert _decide(Subject(principal, (ALL,), None, (NOTHING,)), table) == _implicit("session")
    assert _decide(both, OTHER_TABLE) == _implicit("resource")


@rows(
    ("action", "same_account", "other_account"),
    [
        ("dynamodb:GetItem", True, True),
        ("dynamodb:DescribeTable", True, True),
        ("dynamodb:GetRecords", True, True),
        ("dynamodb:PartiQLSelect", True, False),
        ("dynamodb:PutResourcePolicy", True, False),
        ("dynamodb:UpdateTimeToLive", True, False),
        ("dynamodb:ExportTableToPointInTime", True, False),
        ("dynamodb:CreateTable", False, False),
        ("dynamodb:RestoreTableFromBackup", False, False),
        ("dynamodb:ListTables", False, False),
    ],
)
def test_actions_that_resource_policies_reach(action, same_account, other_account):
    policy = document(statement(Principal="*"))
    here, there = governed(policy), governed(policy, other=True)
    expected = ALLOWED if same_account else _implicit("identity")
    assert _decide(Subject(USER), here, action) == expected
    expected = ALLOWED if other_account else _implicit("resource")
    assert _decide(subject(USER, statement()), there, action) == expected


def test_the_root_user_needs_no_policy():
    root = Subject(ROOT)
    assert _decide(root) == ALLOWED
    assert _decide(root, OTHER_TABLE) == _implicit("resource")
    shared = governed(document(statement(Principal={"AWS": ACCOUNT})), other=True)
    assert _decide(root, shared) == ALLOWED
    locked = governed(document(statement("Deny", Principal="*")))
    assert _decide(root, locked) == _explicit("resource")
    # Or nobody could ever undo such a policy.
    assert _decide(root, locked, "dynamodb:DeleteResourcePolicy") == ALLOWED
    assert _decide(root, locked, "dynamodb:PutResourcePolicy") == _explicit("resource")


# Identity policies complete short ARNs with wildcards, resource policies do not.
def test_short_arns():
    short = statement(Resource="arn:aws:dynamodb")
    assert _decide(subject(USER, short)) == ALLOWED
    denying = document({**short, "Effect": "Deny", "Principal": "*"})
    assert _decide(subject(USER, short), governed(denying)) == ALLOWED


def test_services_and_the_anonymous_need_a_resource_policy():
    service = Subject(SERVICE)
    assert _decide(service) == _implicit("resource")
    named = governed(document(statement(Principal={"Service": SERVICE.arn})))
    assert _decide(service, named) == ALLOWED
    assert _decide(service, governed(document(statement(Principal={"Service": "x"})))) == (
        _implicit("resource")
    )
    assert _decide(Subject(ANONYMOUS)) == _implicit("resource")
    assert _decide(Subject(ANONYMOUS), governed(document(statement(Principal="*")))) == ALLOWED


# GetFederationToken without a policy makes a session that can do nothing by itself.
def test_federated_sessions_without_a_policy():
    assert _decide(Subject(FEDERATED, (ALL,))) == _implicit("session")
    direct = governed(document(statement(Principal={"AWS": FEDERATED_ARN})))
    assert _decide(Subject(FEDERATED), direct) == ALLOWED


CONFINED = statement(
    Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}
)


@pytest.mark.parametrize(
    ("keys", "allowed"), [(("ann",), True), (("ann", "bob"), False), (("bob",), False), ((), True)]
)
def test_leading_keys_with_a_variable(keys, allowed):
    decision = _decide(subject(USER, CONFINED), dynamodb_LeadingKeys=keys)
    assert decision == (ALLOWED if allowed else _implicit("identity"))


# As on AWS, where the guide says to leave Scan out of such policies.
def test_scans_have_no_leading_keys_and_pass():
    assert _decide(subject(USER, CONFINED), action="dynamodb:Scan") == ALLOWED


def test_keys_of_principals_and_resources():
    tagged = GovernedResource(TABLE_ARN, ACCOUNT, keys={"aws:resourcetag/team": ("green",)})
    same_team = {"StringEquals": {"aws:ResourceTag/Team": "${aws:PrincipalTag/Team}"}}
    assert _decide(subject(USER, statement(Condition=same_team)), tagged) == ALLOWED
    assert _decide(subject(USER, statement(Condition=same_team))) == _implicit("identity")
    assert _decide(subject(SESSION, statement(Condition=same_team)), tagged) == (
        _implicit("identity")
    )
    own = {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}}
    assert _decide(subject(USER, statement(Condition=own))) == ALLOWED


# A request cannot say that it is somebody else's.
def test_keys_of_the_principal_cannot_be_overridden():
    who = subject(USER, statement(Condition={"StringEquals": {"aws:username": "bob"}}))
    assert _decide(who, aws_username=("bob",)) == _implicit("identity")
    variable = {"StringEquals": {"x:y": "${aws:username}-${x:z}"}}
    who = subject(USER, statement(Condition=variable))
    request = {"x:y": ("bob-1",), "x:z": ("1",), "aws:username": ("bob",)}
    assert Decisions().decide(who, GET, TABLE, request) == _implicit("identity")
    resource = f"{TABLE_ARN[:-5]}${{aws:username}}${{x:z}}"
    who = subject(USER, statement(Resource=resource))
    assert _decide(who, aws_username=("book",), x_z=("s",)) == _implicit("identity")
    # A session has no user name, whatever a request may say.
    absent = {"Null": {"aws:username": "true"}}
    assert _decide(subject(SESSION, statement(Condition=absent)), aws_username=("bob",)) == ALLOWED


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ([], "because no identity-based policy allows the dynamodb:GetItem action"),
        ([statement("Deny")], "with an explicit deny in an identity-based policy"),
    ],
)
def test_texts_of_denials(statements, reason):
    who = subject(SESSION, *statements)
    text = denial(_decide(who), who, GET, TABLE)
    start = f"User: {SESSION_ARN} is not authorized to perform: dynamodb:GetItem on resource:"
    assert text == f"{start} {TABLE_ARN} {reason}"


def test_verdicts_that_no_request_changes_are_found_without_one():
    decisions = Decisions()
    assert decisions.verdict(subject(USER, statement()), GET, TABLE) == ALLOWED
    assert decisions.verdict(subject(USER, statement("Deny"), CONFINED), GET, TABLE) != ALLOWED
    pending = decisions.verdict(subject(USER, CONFINED), GET, TABLE)
    assert not isinstance(pending, Decision)
    assert pending.decision({"dynamodb:leadingkeys": ("bob",)}) == _implicit("identity")


def test_compiled_verdicts_are_kept():
    decisions = Decisions()
    who = subject(USER, CONFINED)
    assert decisions.verdict(who, GET, TABLE) is decisions.verdict(who, GET, TABLE)
    changed = Subject(USER, (document(statement("Deny")),))
    assert decisions.verdict(changed, GET, TABLE) == _explicit("identity")
    assert decisions.verdict(who, GET, governed(None)) is not decisions.verdict(who, GET, TABLE)


_KEYS = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["ann"]}}


# Whom the connection alone rules out is denied before there is a plan; nobody else.
@rows(
    ("statements", "hopeless"),
    [
        ([statement(Condition=_KEYS)], False),
        ([statement(Condition={"StringEquals": {"dynamodb:LeadingKeys": "${aws:userid}"}})], False),
        ([statement(Condition={**_KEYS, "IpAddress": {"aws:SourceIp": "10.0.0.0/8"}})], True),
        ([statement(), statement("Deny", Condition=_KEYS)], False),
        ([statement(), statement("Deny", Condition={"Bool": {"aws:SecureTransport": "false"}})], 1),
        (
            [
                statement(),
                statement("Deny", Condition={"Bool": {"aws:SecureTransport": "false"}, **_KEYS}),
            ],
            False,
        ),
        ([statement(Resource="arn:aws:dynamodb:*:*:table/${dynamodb:Select}")], False),
        (
            [
                statement(),
                statement("Deny", Resource="arn:aws:dynamodb:*:*:table/${dynamodb:Select}"),
            ],
            False,
        ),
    ],
)
def test_what_the_connection_alone_denies(statements, hopeless):
    connection = {"aws:sourceip": ("203.0.113.7",), "aws:securetransport": ("false",)}
    verdict = Decisions().verdict(subject(USER, *statements), GET, TABLE)
    assert verdict.best_case.decision(connection).allowed != bool(hopeless)
