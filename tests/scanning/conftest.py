"""A server with an account for each test, and the commands as people call them."""

import json
from functools import partial

import pytest

from hashrange.testing import DynamoDBServer
from tests.copying.conftest import command
from tests.served import served

__all__ = ["account", "client", "command", "run", "server"]


@pytest.fixture(scope="module")
def server():
    with served(namespaces="separate") as process:
        server = DynamoDBServer(process.endpoint)
        yield server
        server.close()


@pytest.fixture
def account(server):
    """Credentials of tables that no other test has."""
    account = server.account()
    yield account
    server.clear(account)


@pytest.fixture
def client(account):
    client = account.client()
    yield client
    client.close()


@pytest.fixture
def run(command, account):
    """Runs a command as the account of the test."""
    return partial(command, **account.environment())


@pytest.fixture
def figures(run):
    """Runs a command with --json, and returns what it printed."""

    def figures(*arguments, **options):
        return json.loads(run(*arguments, "--json", **options).stdout)

    return figures
