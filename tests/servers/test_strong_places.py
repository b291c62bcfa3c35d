"""Strong tables with two members on one server, and with servers on PostgreSQL."""

import contextlib

import pytest

from hashrange.assembly.verifying import verify
from tests.api.conftest import client_of
from tests.api.replicas import NAME, ON_DEMAND, described
from tests.api.strong_tables import end, is_regional, is_strong, make_strong
from tests.crash.server import Server
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.ports import free_port
from tests.servers.strong_sides import (
    EAST,
    OHIO,
    OREGON,
    number_of,
    put,
    strong_sides,
    three_servers,
)


class Region:
    """A region of a server: what a client of it sees."""

    def __init__(self, region, url):
        self.region, self.client = region, client_of(url, region_name=region)


@contextlib.contextmanager
def servers(*groups):
    """Servers with the regions of each group, which name each other; the regions by name."""
    ports = {each: free_port() for each in groups}
    urls = {each: f"http://127.0.0.1:{port}" for each, port in ports.items()}
    started = []
    try:
        for (group, place), port in zip(groups, ports.values(), strict=True):
            peers = [
                f"{region}={urls[other]}"
                for other in groups
                if other[0] != group
                for region in other[0].split(",")
            ]
            options = ["--port", str(port), "--regions", group, "--peer", ";".join(peers)]
            started.append(Server(place, *options))
        yield [Region(region, urls[each]) for each in groups for region in each[0].split(",")]
    finally:
        for server in started:
            server.terminate()


def reads(side):
    """Whether a server reads a strong table."""
    with contextlib.suppress(side.client.exceptions.ClientError):
        number_of(side, "a")
        return True
    return False


def is_gone(region):
    with contextlib.suppress(region.client.exceptions.ResourceNotFoundException):
        described(region.client)
        return False
    return True


# Where the members are makes no difference: the table begins beside another member, or far away.
@pytest.mark.parametrize("groups", [(f"{EAST},{OHIO}", OREGON), (EAST, f"{OHIO},{OREGON}")])
@pytest.mark.parametrize("has_witness", [True, False])
def test_two_members_on_one_server(tmp_path, groups, has_witness):
    places = [(group, tmp_path / group.split(",")[0]) for group in groups]
    with servers(*places) as regions:
        east, ohio, oregon = regions
        for _ in range(2):
            east.client.create_table(TableName=NAME, **ON_DEMAND)
            others = [OHIO] if has_witness else [OHIO, OREGON]
            witness = OREGON if has_witness else None
            make_strong(east.client, *others, witness=witness)
            tables = regions[:2] if has_witness else regions
            until(lambda: is_strong(east.client))
            for number, each in enumerate(tables):
                put(each, "a", number)
                assert {number_of(other, "a") for other in tables} == {number}
            end(east.client, *others, witness=witness)
            until(lambda: is_regional(east.client))
            for each in (ohio, oregon):
                until(lambda each=each: is_gone(each))
            east.client.delete_table(TableName=NAME)
    assert [verify(place) for _, place in places] == [[], []]


def test_sqlite_and_postgres(tmp_path):
    places = [tmp_path / EAST, url_of("strong-ohio"), url_of("strong-oregon")]
    with three_servers(places) as sides:
        _, ohio, oregon = sides
        strong_sides(sides, has_witness=False)
        for number, side in enumerate(sides):
            put(side, "a", number)
            assert [number_of(each, "a") for each in sides] == [number] * 3
        ohio.kill()
        put(oregon, "a", 7)
        ohio.start()
        # Its former process had the lease, which has to expire.
        until(lambda: reads(ohio))
        assert [number_of(each, "a") for each in sides] == [7] * 3
        end(ohio.client, EAST, OREGON)
        until(lambda: is_regional(ohio.client))
        assert number_of(ohio, "a") == 7
    assert [verify(place) for place in places] == [[], [], []]
