"""Servers with a clock of their own, and the command as people call it."""

from functools import partial

import pytest

from tests.copying.conftest import command
from tests.copying.tables import client_of
from tests.served import served
from tests.triggers.receivers import Receiver

__all__ = ["command"]


@pytest.fixture
def server():
    """A server whose shards of streams are short, and whose clock the tests move."""
    with served(testing=True, stream_shard_seconds=60) as server:
        yield server


@pytest.fixture
def client(server):
    client = client_of(server.endpoint)
    yield client
    client.close()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def replicate(command, server):
    """Brings a target up to date once."""
    return partial(_replicated, command, server.endpoint)


def _replicated(command, endpoint, target, *arguments, **options):
    return command(
        *("replicate-to", target, "--once", "--table", "orders", "--endpoint", endpoint),
        *arguments,
        **options,
    )
