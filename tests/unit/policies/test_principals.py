"""Condition keys of principals."""

from hashrange.policies.principals import Principal, keys_of
from tests.unit.policies.subjects import (
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
