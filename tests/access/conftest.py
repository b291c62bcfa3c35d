"""Servers that verify signatures and ask policies, and a table of two tenants on each."""

import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from hashrange.process import started
from hashrange.settings.settings import Settings
from tests.access.callers import EVERYTHING, Callers
from tests.access.seeding import seeded
from tests.access.tenants import ITEMS, TABLE, TENANT, policy_of
from tests.api.conftest import client_of
from tests.engines.postgres_server import url_of
from tests.served import ServerThread

USERS = {
    "administrator": ((EVERYTHING,), {}),
    "nobody": ((), {}),
    "tenant": ((policy_of("tenants"),), {"tenant": TENANT}),
    "naive": ((policy_of("tenants-naive"),), {"tenant": TENANT}),
    "untagged": ((policy_of("tenants"),), {}),
}
"""Policies and tags of the users."""


class GuardedServer:
    """A server that verifies signatures.

    Attributes:
        callers: makes further callers; None if the server knows only those in its data.
        keys: those of the users.
    """

    def __init__(self, endpoint, keys, callers=None):
        self.endpoint = endpoint
        self.keys = keys
        self.callers = callers
        self._clients = {}

    def client(self, keys, service="dynamodb", **options):
        """A client; those without options are kept, since to make one takes a tenth of a second."""
        if options:
            return client_of(self.endpoint, service, **keys, **options)
        made_of = (service, *sorted(keys.items()))
        if made_of not in self._clients:
            self._clients[made_of] = client_of(self.endpoint, service, **keys)
        return self._clients[made_of]


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


POSTGRES = pytest.param("postgres", marks=pytest.mark.long)
WORKERS = pytest.param("workers", marks=pytest.mark.long)


@pytest.fixture(scope="session", params=["memory", POSTGRES, WORKERS])
def engine(request):
    """What the server keeps its data in; `workers` is a server of several processes."""
    return request.param


@pytest.fixture(scope="session")
def guarded(engine, tmp_path_factory):
    """A server on an engine."""
    settings = {"port": 0, "drain_seconds": 1, "auth": "required"}
    if engine == "workers":
        data = tmp_path_factory.mktemp("access") / "data"
        keys = seeded(data, USERS)
        server = started({**settings, "data": data, "workers": 2})
        yield GuardedServer(server.endpoint, keys)
        server.stop()
        return
    place = {"memory": True} if engine == "memory" else {"engine": url_of(str(uuid.uuid4()))}
    callers = Callers()
    keys = {
        name: callers.user(name, *policies, tags=tags) for name, (policies, tags) in USERS.items()
    }
    server = ServerThread(Settings(**settings, **place), callers)
    yield GuardedServer(server.endpoint, keys, callers)
    server.close()


@pytest.fixture(scope="session")
def world(guarded):
    """The table, with items of both tenants."""
    admin = guarded.client(guarded.keys["administrator"])
    arn = admin.create_table(**TABLE)["TableDescription"]["TableArn"]
    for item in ITEMS.values():
        admin.put_item(TableName=TABLE["TableName"], Item=item)
    stream = admin.describe_table(TableName=TABLE["TableName"])["Table"]["LatestStreamArn"]
    streams = guarded.client(guarded.keys["administrator"], "dynamodbstreams")
    shards = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
    shard = shards[0]["ShardId"]
    start = {"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = streams.get_shard_iterator(**start)["ShardIterator"]
    return World(guarded, admin, arn, stream, shard, iterator, dict(guarded.keys))
