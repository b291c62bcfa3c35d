"""Which statements concern a request, and which decide it."""

from hashrange.access.policies.decisions import GovernedResource, Subject
from hashrange.access.policies.explaining import explained
from tests.unit.access.policies.subjects import (
    ACCOUNT,
    GET,
    TABLE,
    TABLE_ARN,
    USER,
    USER_ARN,
    document,
    statement,
)

ALLOW = document(statement(Action="dynamodb:PutItem"), statement(Action="dynamodb:Get*", Sid="get"))
DENY = document(statement("Deny", Action=GET, Resource=TABLE_ARN))
TENANT = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}
CONFINED = document(statement(Action=GET, Condition=TENANT))


def _reasons(subject, resource=TABLE, context=None):
    found = explained(subject, GET, resource, context or {})
    rows = [
        (each.kind, each.document, each.place, each.effect, each.holds, each.decides)
        for each in found.statements
    ]
    return found.decision.allowed, rows


def test_the_statement_that_allows_decides():
    assert _reasons(Subject(USER, (ALLOW,))) == (True, [("identity", 0, 2, "Allow", True, True)])


def test_the_statement_that_denies_decides_and_comes_first():
    assert _reasons(Subject(USER, (ALLOW, DENY))) == (
        False,
        [("identity", 1, 1, "Deny", True, True), ("identity", 0, 2, "Allow", True, False)],
    )


def test_a_condition_that_does_not_hold_is_shown_with_its_key():
    subject = Subject(USER, (CONFINED,))
    assert _reasons(subject, context={"dynamodb:leadingkeys": ("bob",)}) == (
        False,
        [("identity", 0, 1, "Allow", False, False)],
    )
    assert _reasons(subject, context={"dynamodb:leadingkeys": ("ann",)})[0]
    found = explained(subject, GET, TABLE, {})
    assert found.statements[0].missing == ("dynamodb:leadingkeys",)


def test_nothing_decides_where_nothing_allows():
    assert _reasons(Subject(USER)) == (False, [])
    bounded = Subject(USER, (ALLOW,), boundary=document(statement(Action="s3:*")))
    assert _reasons(bounded) == (False, [("identity", 0, 2, "Allow", True, False)])


def test_policies_of_tables_are_asked():
    grants = statement(Action=GET, Resource=TABLE_ARN, Principal={"AWS": USER_ARN})
    resource = GovernedResource(TABLE_ARN, ACCOUNT, document(grants))
    assert _reasons(Subject(USER), resource) == (True, [("resource", 0, 1, "Allow", True, True)])
