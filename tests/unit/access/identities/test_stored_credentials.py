"""Credentials of users and sessions."""

import asyncio

import pytest

from hashrange.access.identities.opening import IdentityKeyError, ensure_administrator
from hashrange.access.identities.sessions import Session, token_of
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError, Fault
from tests.unit.access.identities.entities import (
    ACCOUNT,
    NOW_MS,
    SECRET,
    document,
    opened,
    policy,
    put,
    role,
    user,
)

DOTTED = "The security token included in the request is invalid."
UNDOTTED = DOTTED.removesuffix(".")


def with_key(identities, **members):
    key, secret_key = identities.new_key(NOW_MS)
    put(identities, user(keys=(key,), **members))
    return key, secret_key


def refusal(identities, access_key, token=None):
    with pytest.raises(DynamoError) as refused:
        identities.credentials.find(access_key, token)
    assert refused.value.fault is Fault.UNRECOGNIZED_CLIENT
    return str(refused.value)


def test_a_key_of_a_user():
    identities = opened()
    key, secret_key = with_key(identities, tags={"Team": "red"}, inline={"p": document()})
    found = identities.credentials.find(key.id, None)
    assert (found.secret_key, found.expires_ms) == (secret_key, None)
    principal = found.subject.principal
    assert principal.arn == f"arn:aws:iam::{ACCOUNT}:user/alice"
    assert (principal.type, principal.user_name, principal.user_id) == (
        "User",
        "alice",
        "AIDAALICE",
    )
    assert principal.tags == {"Team": "red"}
    assert [len(each.statements) for each in found.subject.identity] == [1]


def test_a_key_that_is_inactive_or_gone_or_was_never_there():
    identities = opened()
    key, _ = with_key(identities)
    assert refusal(identities, "AKIANOBODY") == DOTTED
    put(
        identities,
        user(
            keys=(
                key.__class__(id=key.id, sealed=key.sealed, status="Inactive", created_ms=NOW_MS),
            )
        ),
    )
    assert refusal(identities, key.id) == DOTTED
    put(identities, user())
    assert refusal(identities, key.id) == DOTTED


def test_a_revoked_key_is_dead_in_other_processes_after_a_refresh():
    engine = DictEngine()
    one, other = opened(engine), opened(engine)
    key, _ = with_key(one)
    asyncio.run(other.store.refresh())
    epoch = other.credentials.epoch
    assert other.credentials.find(key.id, None)
    put(one, user())
    asyncio.run(other.store.refresh())
    assert other.credentials.epoch > epoch
    assert refusal(other, key.id) == DOTTED


# What is compiled of policies is cached by subject.
def test_a_subject_is_the_same_until_something_of_it_changes():
    identities = opened()
    arn = policy().arn
    key, _ = with_key(identities, attached=(arn,))
    put(identities, policy())
    first = identities.credentials.find(key.id, None).subject
    put(identities, user("bob"), policy("other"))
    assert identities.credentials.find(key.id, None).subject is first
    put(identities, policy(text=document("dynamodb:GetItem")))
    second = identities.credentials.find(key.id, None).subject
    assert second is not first
    assert second.identity[0].statements[0].actions == ("dynamodb:GetItem",)


def session(**members):
    return Session(
        **{
            "access_key": "ASIAONE",
            "secret_key": "secret",
            "kind": "role",
            "account": ACCOUNT,
            "name": "reader",
            "id": "AROAREADER",
            "session_name": "me",
            "issued_ms": NOW_MS,
            "expires_ms": NOW_MS + 1,
            **members,
        }
    )


def test_a_session_of_a_role():
    identities = opened()
    put(identities, role(tags={"team": "red", "site": "x"}, inline={"p": document()}), policy())
    given = session(tags={"Team": "blue"}, policies=(document(),), policy_arns=(policy().arn,))
    found = identities.credentials.find("ASIAONE", token_of(given, identities.sealer))
    assert (found.secret_key, found.expires_ms) == ("secret", NOW_MS + 1)
    principal = found.subject.principal
    assert principal.arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/me"
    assert principal.issuer == f"arn:aws:iam::{ACCOUNT}:role/reader"
    assert principal.user_id == "AROAREADER:me"
    assert principal.tags == {"site": "x", "Team": "blue"}
    assert principal.token_issued == "2027-01-15T08:00:00Z"
    assert found.subject.session is not None
    assert (len(found.subject.identity), len(found.subject.session)) == (1, 2)


def test_sessions_end_with_their_role():
    identities = opened()
    put(identities, role())
    token = token_of(session(), identities.sealer)
    assert identities.credentials.find("ASIAONE", token)
    put(identities, role(id="AROAANOTHER"))
    assert refusal(identities, "ASIAONE", token) == DOTTED
    put(identities, delete=[role()])
    assert refusal(identities, "ASIAONE", token) == DOTTED


@pytest.mark.parametrize("place", [0, 5, 20, -8])
def test_a_token_that_was_changed(place):
    identities = opened()
    put(identities, role())
    token = token_of(session(), identities.sealer)
    other = "A" if token[place] != "A" else "B"
    changed = token[:place] + other + token[place:][1:]
    assert refusal(identities, "ASIAONE", changed) == UNDOTTED


def test_a_token_that_is_foreign_or_of_another_key():
    identities = opened()
    put(identities, role())
    token = token_of(session(), identities.sealer)
    assert refusal(identities, "ASIATWO", token) == UNDOTTED
    key, _ = with_key(identities)
    assert refusal(identities, key.id, token) == UNDOTTED
    foreign = token_of(session(), opened(secret=b"t" * 32).sealer)
    assert refusal(identities, "ASIAONE", foreign) == UNDOTTED
    for text in ("", "local", "=", "\xff", "A" * 100_000):
        assert refusal(identities, "ASIAONE", text) == UNDOTTED


def test_the_key_of_the_operator_is_needed():
    engine = DictEngine()
    key, secret_key = with_key(opened(engine, b"operator"))
    found = opened(engine, b"operator").credentials.find(key.id, None)
    assert found.secret_key == secret_key
    for wrong in (None, b"other"):
        with pytest.raises(IdentityKeyError):
            opened(engine, wrong)


def test_no_secret_is_stored_or_printed():
    engine = DictEngine()
    identities = opened(engine)
    _, secret_key = with_key(identities)
    assert secret_key.encode() not in b"".join(engine.pairs.values())
    assert "secret" not in repr(session())
    assert SECRET not in b"".join(engine.pairs.values())


def test_the_first_start_makes_one_administrator():
    engine = DictEngine()
    one, other = opened(engine), opened(engine)
    made = asyncio.run(ensure_administrator(one, ACCOUNT, NOW_MS))
    assert made is not None
    assert asyncio.run(ensure_administrator(other, ACCOUNT, NOW_MS)) is None
    found = other.credentials.find(made[0], None)
    assert found.secret_key == made[1]
    assert found.subject.principal.arn == f"arn:aws:iam::{ACCOUNT}:user/administrator"
    assert found.subject.identity[0].statements[0].actions == ("*",)
