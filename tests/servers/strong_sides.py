"""Three servers, each of which holds a region, and strong tables on them."""

import contextlib

from tests.api.conftest import client_of
from tests.api.replicas import NAME, ON_DEMAND, described
from tests.api.strong_tables import is_strong, make_strong
from tests.crash.server import Server
from tests.pace import until
from tests.ports import free_port

EAST, OHIO, OREGON = "us-east-1", "us-east-2", "us-west-2"


class Side:
    """A server that holds one region, which is stopped and started again on its port."""

    def __init__(self, region, place, *options):
        self.region, self.place, self.port, self.options = region, place, free_port(), options
        self.peers = []
        self.server = None
        self.client = client_of(self.url, region_name=region)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        peers = ";".join(f"{peer.region}={peer.url}" for peer in self.peers)
        self.server = Server(
            self.place, "--port", str(self.port), "--regions", self.region, "--peer", peers,
            *self.options,
        )  # fmt: skip

    def kill(self):
        self.server.kill()
        self.server = None


@contextlib.contextmanager
def three_servers(places, *options):
    """The sides, running; they are ended at the end."""
    regions = (EAST, OHIO, OREGON)
    sides = [Side(*each, *options) for each in zip(regions, places, strict=True)]
    for side in sides:
        side.peers = [each for each in sides if each is not side]
    try:
        for side in sides:
            side.start()
        yield sides
    finally:
        for side in sides:
            if side.server is not None:
                side.server.terminate()


def strong_sides(sides, *, has_witness):
    """A strong table, whose last region is a witness or has a replica."""
    east, ohio, _ = sides
    east.client.create_table(TableName=NAME, **ON_DEMAND)
    others = [OHIO] if has_witness else [OHIO, OREGON]
    make_strong(east.client, *others, witness=OREGON if has_witness else None)
    for side in (east, ohio) if has_witness else sides:
        until(lambda side=side: exists(side) and is_strong(side.client))


def exists(side):
    """Whether there is a table."""
    with contextlib.suppress(side.client.exceptions.ResourceNotFoundException):
        return described(side.client) is not None
    return False


def put(side, key, number, **request):
    """Write an item."""
    item = {"pk": {"S": key}, "n": {"N": str(number)}}
    return side.client.put_item(TableName=NAME, Item=item, **request)


def number_of(side, key):
    """What a strong read of an item sees."""
    request = {"TableName": NAME, "Key": {"pk": {"S": key}}, "ConsistentRead": True}
    item = side.client.get_item(**request).get("Item")
    return None if item is None else int(item["n"]["N"])
