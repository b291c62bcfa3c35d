"""What an operator sees on the page Regions."""

import json

import pytest

from hashrange.settings.sources import load
from tests.api.replicas import NAME, ON_DEMAND, in_regions
from tests.api.strong_tables import is_strong, make_strong
from tests.console.asking import ask
from tests.console.conftest import Console
from tests.pace import until
from tests.ports import free_port
from tests.served import ServerThread, served

EAST, WEST = "us-east-1", "eu-west-1"


def got(endpoint):
    return json.loads(ask(endpoint, "GET", "/_console/api/regions")[2])


def thread(region, port, other, other_port):
    peer = f"{other}=http://127.0.0.1:{other_port}"
    settings = {"port": str(port), "memory": "true", "drain_seconds": "1", "regions": region}
    return ServerThread(load({**settings, "peer": peer}, {}))


# Where nothing is written, nobody else notices that a region is cut off.
def test_a_server_that_is_gone_is_seen(browser):
    ports = free_port(), free_port()
    east, west = thread(EAST, ports[0], WEST, ports[1]), thread(WEST, ports[1], EAST, ports[0])
    try:
        (peer,) = got(east.endpoint)["peers"]
        assert (peer["region"], peer["isOpen"], peer["awaySeconds"]) == (WEST, True, 0)
        assert peer["address"] == f"127.0.0.1:{ports[1]}"
        west.close()
        assert not got(east.endpoint)["peers"][0]["isOpen"]
    finally:
        east.close()


@pytest.mark.toolchain("chromium")
def test_a_cut_is_shown_on_the_page(browser):
    ports = free_port(), free_port()
    east, west = thread(EAST, ports[0], WEST, ports[1]), thread(WEST, ports[1], EAST, ports[0])
    try:
        with Console(east.endpoint, None, browser).opened("/regions") as page:
            region = page.get_by_role("region", name=WEST)
            region.get_by_text("reached", exact=True).wait_for()
            west.close()
            region.get_by_text("cut off").first.wait_for()
    finally:
        east.close()


@pytest.mark.toolchain("chromium")
def test_strong_tables_have_their_leader_and_members(browser):
    with served(regions=f"{EAST},{WEST},ap-south-1") as server:
        client = in_regions(server.endpoint, "000000000000")[0]
        client.create_table(TableName=NAME, **ON_DEMAND)
        make_strong(client, WEST, witness="ap-south-1")
        until(lambda: is_strong(client))
        until(lambda: [each for each in got(server.endpoint)["strong"] if each["leader"]])
        client.put_item(TableName=NAME, Item={"pk": {"S": "a"}})
        with Console(server.endpoint, client, browser).opened("/regions") as page:
            row = page.get_by_role("region", name="Strong tables").get_by_role("row").nth(1)
            row.wait_for()
            assert NAME in row.inner_text()
            assert "ap-south-1, witness" in row.inner_text()
            assert "leads" in row.inner_text()
            assert "strong" in page.get_by_role("region", name="Replicas").inner_text()
            page.get_by_text("0 conflicts: changes of other regions").wait_for()


def test_a_server_without_regions_says_so(console):
    found = got(console.endpoint)
    assert (found["own"], found["peers"], found["strong"]) == ([], [], [])
    with console.opened("/regions") as page:
        page.get_by_text("This server has no regions").wait_for()


@pytest.mark.toolchain("chromium")
def test_a_reader_sees_replicas_and_no_peers(users):
    with users.signed_in("/regions", "app") as page:
        page.get_by_role("alert").wait_for()
        assert "hashrange:DescribeServer" in page.get_by_role("alert").inner_text()
