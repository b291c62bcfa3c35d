"""Identities to test with."""

import asyncio
import json
import os

from hashrange.access.identities.entities import ManagedPolicy, PolicyVersion, Role, User
from hashrange.access.identities.opening import open_identities
from hashrange.access.identities.store import Edit
from hashrange.assembly.engines.trials.dict_engine import DictEngine

ACCOUNT = "123456789012"
NOW_MS = 1_800_000_000_000
SECRET = b"s" * 32


def document(action="dynamodb:*", effect="Allow", resource="*"):
    statement = {"Effect": effect, "Action": action, "Resource": resource}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def opened(engine=None, operator_key=None, secret=SECRET):
    engine = DictEngine() if engine is None else engine
    return asyncio.run(open_identities(engine, secret, operator_key, os.urandom))


def user(name="alice", **members):
    return User(
        account=ACCOUNT, name=name, **{"id": f"AIDA{name.upper()}", "created_ms": NOW_MS, **members}
    )


def role(name="reader", **members):
    trust = (
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole",'
        f'"Principal":{{"AWS":"arn:aws:iam::{ACCOUNT}:root"}}}}]}}'
    )
    members = {"id": f"AROA{name.upper()}", "created_ms": NOW_MS, "trust": trust, **members}
    return Role(account=ACCOUNT, name=name, **members)


def policy(name="tables", text=None, **members):
    version = PolicyVersion("v1", text or document(), NOW_MS)
    return ManagedPolicy(
        account=ACCOUNT,
        name=name,
        id=f"ANPA{name.upper()}",
        created_ms=NOW_MS,
        updated_ms=NOW_MS,
        **{"versions": (version,), **members},
    )


def put(identities, *entities, delete=()):
    """Put and delete entities in one change."""
    store = getattr(identities, "store", identities)
    asyncio.run(store.change(lambda _roster: Edit(None, entities, delete)))
