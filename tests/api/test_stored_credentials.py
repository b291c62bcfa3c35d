"""Servers with `--auth required` know the users in their data: one process, and several."""

import asyncio

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from hashrange.access.identities.opening import ensure_administrator, open_identities
from hashrange.assembly.engines.kinds import opened
from hashrange.clock import SystemClock
from hashrange.process import started
from hashrange.settings.settings import Settings
from hashrange.tables.catalog.secrets import stored_secret

ACCOUNT = "210987654321"


def administrator(directory):
    """Makes the first user of a data directory; gives its keys."""
    clock = SystemClock()

    async def make():
        async with opened(Settings(data=directory), now_ms=clock.now_ms) as storage:
            secret = await stored_secret(storage.engine, clock.random_bytes)
            identities = await open_identities(storage.engine, secret, None, clock.random_bytes)
            return await ensure_administrator(identities, ACCOUNT, clock.now_ms())

    return asyncio.run(make())


@pytest.mark.parametrize("workers", [None, pytest.param(2, marks=pytest.mark.long)])
def test_users_of_a_directory_are_known_to_each_process(workers, tmp_path):
    access_key, secret_key = administrator(tmp_path / "data")
    more = {} if workers is None else {"workers": workers}
    server = started({"port": 0, "data": tmp_path / "data", "auth": "required", **more})
    try:
        # Each client has a connection of its own, and so another process.
        for _ in range(4):
            client = client_of(server.endpoint, access_key, secret_key)
            assert client.list_tables()["TableNames"] == []
        for keys in ((access_key, "wrong"), ("AKIDOTHER", secret_key)):
            with pytest.raises(ClientError, match=r"InvalidSignature|UnrecognizedClient"):
                client_of(server.endpoint, *keys).list_tables()
    finally:
        server.stop()


def client_of(endpoint, access_key, secret_key):
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(retries={"max_attempts": 1}),
    )
