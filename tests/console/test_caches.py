"""What a person does on the page Caches."""

import pytest

from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.dax_session import DaxSession
from tests.api.tables import keyed
from tests.console.asking import ask
from tests.console.conftest import Console
from tests.pace import until
from tests.served import served

pytestmark = pytest.mark.toolchain("chromium")


@pytest.fixture(scope="module")
def server(browser):
    with served() as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="albums", **keyed(pk="S"))
        client.put_item(TableName="albums", Item={"pk": {"S": "a"}})
        yield Console(server.endpoint, client, browser)


def available(dax, name):
    found = dax.describe_clusters(ClusterNames=[name])["Clusters"]
    return next((each for each in found if each["Status"] == "available"), None)


def test_a_cluster_is_created_grows_and_is_deleted(server):
    dax = dax_client(server.endpoint)
    with server.opened("/caches") as page:
        page.get_by_text("No clusters yet").wait_for()
        page.get_by_role("button", name="Create cluster").click()
        page.get_by_label("Name").fill("cache")
        page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
        region = page.get_by_role("region", name="cache")
        region.get_by_text("available", exact=True).first.wait_for()
        region.locator("summary").click()
        page.get_by_role("button", name="Nodes …").click()
        page.get_by_label("Number of nodes").fill("2")
        page.get_by_role("button", name="Change", exact=True).click()
        region.get_by_text("cache-b").wait_for()
        until(lambda: available(dax, "cache"))
        page.get_by_role("tab", name="Events").click()
        page.get_by_role("region", name="Events").get_by_role("row").nth(1).wait_for()
        page.reload()
        page.get_by_role("region", name="Events").wait_for()
        page.goto("/_console/caches")
        region.locator("summary").click()
        page.get_by_role("button", name="Delete …").click()
        page.get_by_label("Type cache to confirm").fill("cache")
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_text("No clusters yet").wait_for()
    assert dax.describe_clusters()["Clusters"] == []


def test_hit_rates_are_those_of_the_cluster(server):
    dax = dax_client(server.endpoint)
    dax.create_cluster(**cluster("rates"))
    node = until(lambda: available(dax, "rates"))["Nodes"][0]["Endpoint"]
    with DaxSession(node["Address"], node["Port"]) as session:
        for _ in range(4):
            session.get("albums", "a")
    with server.opened("/caches") as page:
        shown = page.get_by_role("region", name="rates")
        shown.get_by_text("of 4 reads").wait_for()
        assert "75 %" in shown.inner_text()
    assert (
        b'dax_cluster_cache_hits_total{account="000000000000",cache="item",cluster="rates",'
        in (ask(server.endpoint, "GET", "/metrics")[2])
    )
    dax.delete_cluster(ClusterName="rates")


def test_a_parameter_group_is_made_and_changed(server):
    with server.opened("/caches?view=parameters") as page:
        page.get_by_role("button", name="Create parameter group").click()
        page.get_by_label("Name").fill("short")
        page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
        field = page.get_by_label("record-ttl-millis")
        field.fill("1000")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved; it holds").wait_for()
        page.reload()
        field.wait_for()
        assert field.input_value() == "1000"
