"""A server that verifies signatures and asks policies, and a table of several tenants on it."""

import asyncio
import contextlib
import threading
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from hashrange.assemble import running
from hashrange.setting_kinds import Auth
from hashrange.settings import Settings
from tests.access.callers import EVERYTHING, Callers
from tests.access.tenants import ITEMS, TABLE, TENANT, TENANTS, VICTIM, policy_of
from tests.api.conftest import client_of
from tests.engines.postgres_server import url_of
from tests.pace import seconds


class GuardedServer:
    """A server in a thread of its own, with callers made in the test."""

    def __init__(self, **settings):
        self.callers = Callers()
        chosen = Settings(port=0, drain_seconds=1, auth=Auth.REQUIRED, **settings)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(chosen),), daemon=True)
        self._thread.start()
        assert self._ready.wait(seconds(20)), "the server did not start"

    async def _run(self, settings):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with running(settings, self.callers) as self.endpoint:
                self._ready.set()
                await self._stop.wait()
        finally:
            self._ready.set()

    def close(self):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(seconds(20))

    def client(self, keys, service="dynamodb", **options):
        return client_of(self.endpoint, service, **keys, **options)


@dataclass
class World:
    """The table of the tenants, its stream, and who wants what of them."""

    server: GuardedServer
    admin: Any
    arn: str
    stream: str
    shard: str
    iterator: str
    keys: dict[str, dict[str, str]]

    def client(self, caller, service="dynamodb"):
        return self.server.client(self.keys[caller], service)

    def items(self):
        """All items, by their keys."""
        found = self.admin.scan(TableName=TABLE["TableName"])["Items"]
        return {(item["tenant"]["S"], item["sk"]["S"]): item for item in found}

    def put_back(self):
        """Exactly the items that were there at first."""
        for tenant, sk in self.items().keys() - ITEMS.keys():
            key = {"tenant": {"S": tenant}, "sk": {"S": sk}}
            self.admin.delete_item(TableName=TABLE["TableName"], Key=key)
        for item in ITEMS.values():
            self.admin.put_item(TableName=TABLE["TableName"], Item=item)


@pytest.fixture(scope="session", params=["memory", "postgres"])
def guarded(request):
    """A server on each engine."""
    place = {"memory": True}
    if request.param == "postgres":
        place = {"engine": url_of(str(uuid.uuid4()))}
    server = GuardedServer(**place)
    yield server
    server.close()


@pytest.fixture(scope="session")
def world(guarded):
    """Two tenants and an administrator."""
    callers = guarded.callers
    keys = {
        "administrator": callers.user("administrator", EVERYTHING),
        "nobody": callers.user("nobody"),
        "tenant": callers.user("acme", policy_of("tenants"), tags={"tenant": TENANT}),
        "naive": callers.user("naive", policy_of("tenants-naive"), tags={"tenant": TENANT}),
        "untagged": callers.user("untagged", policy_of("tenants")),
    }
    admin = guarded.client(keys["administrator"])
    arn = admin.create_table(**TABLE)["TableDescription"]["TableArn"]
    for item in ITEMS.values():
        admin.put_item(TableName=TABLE["TableName"], Item=item)
    stream = admin.describe_table(TableName=TABLE["TableName"])["Table"]["LatestStreamArn"]
    streams = guarded.client(keys["administrator"], "dynamodbstreams")
    shards = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
    shard = shards[0]["ShardId"]
    start = {"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = streams.get_shard_iterator(**start)["ShardIterator"]
    assert {VICTIM, TENANT} == set(TENANTS)
    with contextlib.suppress(Exception):
        streams.close()
    return World(guarded, admin, arn, stream, shard, iterator, keys)
