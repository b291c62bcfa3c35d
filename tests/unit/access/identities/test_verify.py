"""`hashrange verify` finds damaged rows of identities."""

import asyncio

import pytest

from hashrange.access.identities.verify import identity_findings
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.tables.keys.identity_keys import REVISION_KEY
from hashrange.tables.verifying.verify import findings
from tests.unit.access.identities.entities import NOW_MS, opened, policy, put, role, user


@pytest.fixture
def engine():
    engine = DictEngine()
    identities = opened(engine)
    key, _ = identities.new_key(NOW_MS)
    put(identities, user(keys=(key,), attached=(policy().arn,)), role(), policy())
    return engine


def found(engine):
    return asyncio.run(identity_findings(engine))


def test_sound_identities(engine):
    assert found(engine) == []
    assert asyncio.run(findings(engine)) == []


def test_what_cannot_be_read(engine):
    engine.pairs[user().row_key] = b"{"
    (line,) = found(engine)
    assert "cannot be read" in line


def test_rows_that_stand_elsewhere(engine):
    engine.pairs[user("bob").row_key] = engine.pairs.pop(user().row_key)
    (line,) = found(engine)
    assert line.startswith("identities: arn:aws:iam::123456789012:user/alice stands at")


def test_a_policy_that_is_gone(engine):
    del engine.pairs[policy().row_key]
    (line,) = found(engine)
    assert line.endswith(
        "has the policy arn:aws:iam::123456789012:policy/tables, which is not there"
    )


def test_a_policy_that_is_none(engine):
    put(opened(engine), role(trust="{}"))
    (line,) = found(engine)
    assert line == (
        "identities: arn:aws:iam::123456789012:role/reader: its trust policy is none: "
        "Syntax errors in policy."
    )


def test_one_id_for_two(engine):
    put(opened(engine), user("bob", id="AIDAALICE"))
    (line,) = found(engine)
    assert line.endswith("have the same id")


def test_no_revision(engine):
    del engine.pairs[REVISION_KEY]
    assert found(engine) == ["identities: there are some, but no revision"]
