"""Documents: what is read, and what IAM refuses, in its words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.identities.subjects import Documents
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.documents import parse, policy_chars
from hashrange.access.policies.syntax import Condition, Document, PrincipalNames, Statement
from tests.rows import rows
from tests.unit.access.policies.subjects import ROLE_ARN, TABLE_ARN, statement

SYNTAX = "Syntax errors in policy."
LEGACY = "The policy failed legacy parsing"
OLD = "Policy document must be version 2012-10-17 or greater."
UNIQUE = "Statement IDs (SID) in a single policy must be unique."
PREFACED = "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
PARTITION = 'Partition "other" is not valid for resource "arn:other:dynamodb:r:a:n".'
IDENTITY = (
    'IAM resource path must either be "*", root, or start with user/, federated-user/, role/, '
    "group/, instance-profile/, mfa/, server-certificate/, policy/, sms-mfa/, saml-provider/, "
    "oidc-provider/, report/, access-report/."
)
NO_REGION = "{0} arn:aws:{1}:r::{3} {2} contain region information."
VENDOR = "Resource vendor must be fully qualified and cannot contain regexes."


def _text(*statements, **elements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements), **elements})


def _refusal(text, use=PolicyUse.MANAGED):
    with pytest.raises(MalformedPolicyError) as raised:
        parse(text, use)
    return str(raised.value)


def test_all_elements():
    text = _text(
        statement(
            "Deny",
            Sid="one",
            NotAction=["dynamodb:Get*", "dynamodb:Query"],
            NotResource=TABLE_ARN,
            Condition={
                "ForAllValues:StringEqualsIfExists": {"dynamodb:LeadingKeys": ["a", "b"]},
                "NumericLessThan": {"x:y": [1, 2.5, "3"]},
                "Bool": {"aws:SecureTransport": True},
                "Null": {"aws:TokenIssueTime": "false"},
            },
        ),
        Id="a name",
    )
    assert parse(text, PolicyUse.MANAGED) == Document(
        (
            Statement(
                effect="Deny",
                sid="one",
                actions=("dynamodb:Get*", "dynamodb:Query"),
                not_actions=True,
                resources=(TABLE_ARN,),
                not_resources=True,
                conditions=(
                    Condition(
                        "StringEquals", "dynamodb:leadingkeys", ("a", "b"), "ForAllValues", True
                    ),
                    Condition("NumericLessThan", "x:y", ("1", "2.5", "3")),
                    Condition("Bool", "aws:securetransport", ("true",)),
                    Condition("Null", "aws:tokenissuetime", ("false",)),
                ),
            ),
        )
    )


def test_one_statement_needs_no_list():
    one = statement()
    text = json.dumps({"Statement": one})
    assert parse(text, PolicyUse.INLINE) == Document(
        (Statement(effect="Allow", actions=("dynamodb:*",), resources=("*",)),), has_variables=False
    )


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("*", PrincipalNames(anyone=True)),
        ({"AWS": "*"}, PrincipalNames(anyone=True)),
        ({"AWS": ["1" * 12, ROLE_ARN]}, PrincipalNames(aws=frozenset({"1" * 12, ROLE_ARN}))),
        (
            {"Service": "a.amazonaws.com", "Federated": ["accounts.google.com"]},
            PrincipalNames(
                services=frozenset({"a.amazonaws.com"}),
                federated=frozenset({"accounts.google.com"}),
            ),
        ),
    ],
)
def test_principals(element, expected):
    (found,) = parse(_text(statement(Principal=element)), PolicyUse.RESOURCE).statements
    assert (found.principals, found.not_principals) == (expected, False)
    excepting = statement("Deny", NotPrincipal=element)
    (found,) = parse(_text(excepting), PolicyUse.RESOURCE).statements
    assert (found.principals, found.not_principals) == (expected, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "{}",
        "[" * 100_000,
        '{"Statement": []}',
        '{"Statement": null}',
        '{"Version": "2020-01-01", "Statement": []}',
        _text(statement(), Other=1),
        _text(statement(Other=1)),
        _text({"Action": "a:b", "Resource": "*"}),
        _text(statement(Effect="Permit")),
        _text(statement(Sid=None)),
        _text(statement(Action=[1])),
        _text(statement(Action={"a": 1})),
        _text(statement(NotAction="a:b", Action="a:b")),
        _text(statement(NotResource="*", Resource="*")),
        _text(statement(Condition=[])),
        _text(statement(Condition={"StringEquals": "a"})),
        _text(statement(Condition={"StringEquals": {"a": None}})),
        _text(statement(Condition={"StringEquals": {"a": {"b": "c"}}})),
        _text(statement(Condition={"StringMatches": {"a": "b"}})),
        _text(statement(Condition={"stringequals": {"a": "b"}})),
        _text(statement(Condition={"ForSomeValues:StringEquals": {"a": "b"}})),
        _text(statement(Condition={"NullIfExists": {"a": "true"}})),
        _text(statement(Condition={"StringEqualsIfExistsIfExists": {"a": "b"}})),
        # Of two equal names in an object, parsers take one or the other.
        '{"Statement": {"Effect": "Deny", "Effect": "Allow", "Action": "a:b", "Resource": "*"}}',
        _text(statement())[:-1] + ', "Version": "2012-10-17"}',
        '{"Statement": {"Effect": "Allow", "Action": "\\ud800:b", "Resource": "*"}}',
        '{"Statement": {"Effect": "Allow", "Action": "a:b", "Resource": "*", "Sid": "\ud800"}}',
    ],
    ids=range(32),
)
def test_what_is_no_policy(text):
    assert _refusal(text) == SYNTAX


def _on(resource):
    return _text(statement(Resource=resource))


@rows(
    ("text", "message"),
    [
        (json.dumps({"Statement": statement()}), OLD),
        (_text(statement(Effect="allow")), LEGACY),
        (_text(statement(Condition={"DateLessThan": {"aws:CurrentTime": "now"}})), LEGACY),
        (_text(statement(Sid="a"), statement(Sid="a")), UNIQUE),
        (_text(statement(Action=[])), "Policy statement must contain actions."),
        (_text({"Effect": "Allow", "Resource": "*"}), "Policy statement must contain actions."),
        (_text(statement(Resource=[])), "Policy statement must contain resources."),
        (_text({"Effect": "Allow", "Action": "*"}), "Policy statement must contain resources."),
        (_on("books"), 'Resource books must be in ARN format or "*".'),
        (_on("arn:other:dynamodb:r:a:n"), PARTITION),
        (_on("aws:s3:::books"), 'Partition "s3" is not valid for resource "arn:s3:::books:*".'),
        (_on("arn:aws:iam:::books"), IDENTITY),
        (_on("arn:aws:iam::1:users/a"), IDENTITY),
        (_on("arn:aws:iam:r::user/a"), NO_REGION.format("IAM resource", "iam", "cannot", "user/a")),
        (_on("arn:aws:s3:r::books"), NO_REGION.format("Resource", "s3", "can not", "books")),
        (json.dumps({"Statement": statement(Effect="allow")}), OLD),
        (_on("arn:*"), 'Partition "*" is not valid for resource "arn:*:*:*:*:*".'),
        (_on("arn:aws"), VENDOR),
        (_on("arn:aws:*"), VENDOR),
        (_on("arn:aws:dyn*:r:a:n"), VENDOR),
        (_on("arn:aws::r:a:n"), LEGACY),
        (_on("arn:aws:iam::a"), LEGACY),
        (_text(statement(Action="GetItem")), PREFACED),
        (_text(statement(Action="a:b:c")), "Actions/Condition can contain only one colon."),
        (_text(statement(Action="d*:GetItem")), "Vendor d* is not valid"),
        (_text(statement(Principal="*")), "Policy document should not specify a principal."),
    ],
)  # fmt: skip
def test_refusals_of_iam(text, message):
    assert _refusal(text) == message


@pytest.mark.parametrize(
    "resource",
    [
        "arn:aws:iam",
        "arn:aws:iam::1:*",
        "arn:aws:iam::1:root",
        "arn:aws:iam::*:user/${aws:username}",
        "arn:aws:iam::1:r*/a",
        "arn:aws:s3:r:1:accesspoint/a",
        "arn:aws:dynamodb:r:1:table/a",
    ],
)
def test_resources_of_other_services(resource):
    assert parse(_on(resource), PolicyUse.MANAGED).statements[0].resources == (resource,)


def test_trust_policies():
    trust = {"Effect": "Allow", "Principal": {"AWS": ROLE_ARN}}
    for action in ("sts:AssumeRole", "STS:TagSession", "sts:Assume*", "sts:*", "*"):
        assert parse(_text({**trust, "Action": action}), PolicyUse.TRUST).statements
    for action in ("dynamodb:GetItem", ["sts:AssumeRole", "sts:TagSessions"]):
        text = _text({**trust, "Action": action})
        assert _refusal(text, PolicyUse.TRUST) == (
            "AssumeRole policy may only specify STS AssumeRole actions."
        )
        assert parse(text, PolicyUse.TRUST, is_stored=True).statements
    assert _refusal("{", PolicyUse.TRUST) == "This policy contains invalid Json"


ALNUM = (
    "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular "
    "expression [0-9A-Za-z]*"
)


@rows(
    ("sid", "is_one"),
    [("Reads1", True), ("2026", True), ("", True), ("a b", False), ("a-b", False), ("a_b", False),
     ("a.b", False), ("a:b", False), ("ä", False), ("a\n", False), ("\uff11", False)],
)  # fmt: skip
def test_statement_ids(sid, is_one):
    text = _text(statement(Sid=sid))
    for use in (PolicyUse.MANAGED, PolicyUse.INLINE):
        if is_one:
            assert parse(text, use).statements
        else:
            assert _refusal(text, use) == ALNUM
        assert parse(text, use, is_stored=True).statements
    # Nothing is known of those in other policies.
    assert parse(text, PolicyUse.SESSION).statements
    trust = {"Effect": "Allow", "Principal": {"AWS": ROLE_ARN}, "Action": "sts:AssumeRole"}
    assert parse(_text({**trust, "Sid": sid}), PolicyUse.TRUST).statements


# An upgrade must not turn a policy that was accepted into one that denies everything.
def test_stored_policies_are_read():
    for resource in ("arn:aws:iam:::books", "arn:aws:s3:r::books"):
        text = _on(resource)
        assert parse(text, PolicyUse.MANAGED, is_stored=True).statements
        assert Documents().of(text, PolicyUse.MANAGED).statements[0].effect == "Allow"


def test_order_of_faults():
    faulty = [
        statement(Action="GetItem"),
        statement(Resource="books"),
        statement(Resource=[]),
        statement(Action=[]),
        statement(Sid="a"),
        statement(Sid="a"),
        statement(Condition={"DateEquals": {"a": "never"}}),
    ]
    texts = []
    while faulty:
        texts.append(_refusal(_text(*faulty)))
        faulty.pop()
    assert texts == [
        LEGACY,
        UNIQUE,
        "Policy statement must contain actions.",
        "Policy statement must contain actions.",
        "Policy statement must contain resources.",
        'Resource books must be in ARN format or "*".',
        PREFACED,
    ]


def test_uses_differ():
    old = json.dumps({"Statement": statement()})
    assert not parse(old, PolicyUse.INLINE).has_variables
    short = _on("arn:aws:dynamodb")
    assert parse(short, PolicyUse.INLINE).statements
    assert _refusal(short, PolicyUse.SESSION) == LEGACY
    assert _refusal(_text(statement()), PolicyUse.RESOURCE) == "Missing required field Principal"
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": ROLE_ARN}}
    assert parse(_text(trust), PolicyUse.TRUST).statements[0].resources == ()
    excepting = statement("Allow", NotPrincipal="*")
    assert _refusal(_text(excepting), PolicyUse.RESOURCE) == "Has prohibited field NotPrincipal"


NAMES = st.sampled_from(
    ["Version", "Statement", "Effect", "Action", "NotAction", "Resource", "Condition", "Principal",
     "NotPrincipal", "AWS", "Bool", "StringLike", "Null", "x:y"]
)  # fmt: skip


def test_white_space_is_not_counted():
    assert policy_chars(' {\n"a b":\t1 } ') == 8


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, values, max_size=5), st.sampled_from(PolicyUse))
def test_any_json_is_read_or_refused(raw, use):
    for text in (json.dumps(raw), _text(raw)):
        try:
            made = parse(text, use)
        except MalformedPolicyError:
            continue
        assert made.statements


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    assert _refusal(text) == SYNTAX
