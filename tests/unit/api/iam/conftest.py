"""A server of IAM and STS, and its administrator."""

import asyncio

import pytest

from hashrange.access.identities.opening import ensure_administrator
from tests.unit.access.identities.entities import ACCOUNT, NOW_MS
from tests.unit.api.iam.clients import Server


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def administrator(server):
    """The access key and secret key."""
    return asyncio.run(ensure_administrator(server.identities, ACCOUNT, NOW_MS))


@pytest.fixture
def iam(server, administrator):
    return server.client("iam", *administrator)


@pytest.fixture
def sts(server, administrator):
    return server.client("sts", *administrator)
