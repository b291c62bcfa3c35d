"""Condition keys of principals, and how elements name them."""

import json

from msgspec import structs

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Naming, Principal, keys_of, naming_by, with_ids
from tests.unit.access.policies.subjects import (
    ACCOUNT,
    FEDERATED,
    FEDERATED_ARN,
    ROLE_ARN,
    ROOT,
    ROOT_ARN,
    SERVICE,
    SESSION,
    USER,
    USER_ARN,
)


def test_keys_of_a_user():
    assert keys_of(USER) == {
        "aws:principaltype": ("User",),
        "aws:principalarn": (USER_ARN,),
        "aws:principalaccount": (ACCOUNT,),
        "aws:userid": ("AIDAEXAMPLE",),
        "aws:username": ("ann",),
        "aws:principaltag/team": ("green",),
        "aws:principalisawsservice": ("false",),
        "aws:viaawsservice": ("false",),
    }


# PrincipalArn of a session is its role, so that policies need not name sessions.
def test_keys_of_sessions():
    keys = keys_of(SESSION)
    assert keys["aws:principalarn"] == (ROLE_ARN,)
    assert keys["aws:userid"] == ("AROAEXAMPLE:morning",)
    assert keys["aws:tokenissuetime"] == ("2026-11-01T08:00:00Z",)
    assert keys.keys().isdisjoint({"aws:username", "aws:multifactorauthpresent"})
    assert keys_of(FEDERATED)["aws:principalarn"] == (FEDERATED_ARN,)


def test_keys_of_others():
    assert keys_of(ROOT)["aws:principalarn"] == (ROOT_ARN,)
    assert keys_of(SERVICE) == {
        "aws:principaltype": ("Service",),
        "aws:principalarn": (SERVICE.arn,),
        "aws:principalisawsservice": ("true",),
        "aws:viaawsservice": ("false",),
    }


def test_keys_of_a_session_with_claims():
    principal = Principal(
        type="AssumedRole",
        arn="arn",
        account=ACCOUNT,
        has_mfa=True,
        tags={"Empty": ""},
        session_keys={"accounts.google.com:sub": "7", "aws:PrincipalType": "Account"},
    )
    keys = keys_of(principal)
    assert keys["accounts.google.com:sub"] == ("7",)
    assert keys["aws:multifactorauthpresent"] == ("true",)
    assert keys["aws:principaltag/empty"] == ("",)
    # Claims cannot stand for what the principal is.
    assert keys["aws:principaltype"] == ("AssumedRole",)


def with_principal(effect, arn, *, element="Principal"):
    statement = {"Effect": effect, element: {"AWS": arn}, "Action": "dynamodb:*", "Resource": "*"}
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    return parse(text, PolicyUse.RESOURCE)


def named_by(document, principal):
    (statement,) = document.statements
    return naming_by(statement, principal, has_boundary=False)


# Whoever is created again under an ARN is another, as IAM has it.
def test_unique_ids_stand_for_arns():
    recreated = structs.replace(USER, user_id="AIDAOTHER")
    document = with_ids(with_principal("Allow", USER_ARN), {USER_ARN: USER.user_id})
    assert named_by(document, USER) is Naming.DIRECT
    assert named_by(document, recreated) is Naming.NONE
    denial = with_ids(with_principal("Deny", USER_ARN), {USER_ARN: USER.user_id})
    assert named_by(denial, USER) is named_by(denial, recreated) is Naming.DIRECT
    others = with_principal("Deny", USER_ARN, element="NotPrincipal")
    others = with_ids(others, {USER_ARN: USER.user_id})
    assert named_by(others, USER) is Naming.NONE
    assert named_by(others, recreated) is Naming.DIRECT


def test_unique_ids_of_roles_and_their_sessions():
    document = with_ids(with_principal("Allow", ROLE_ARN), {ROLE_ARN: "AROAEXAMPLE"})
    session = structs.replace(SESSION, issuer_id="AROAEXAMPLE")
    assert named_by(document, session) is Naming.ISSUER
    assert named_by(document, structs.replace(session, issuer_id="AROAOTHER")) is Naming.NONE
    whole = with_ids(with_principal("Allow", SESSION.arn), {SESSION.arn: SESSION.user_id})
    assert named_by(whole, session) is Naming.DIRECT
    assert named_by(whole, structs.replace(session, user_id="AROAOTHER:morning")) is Naming.NONE
