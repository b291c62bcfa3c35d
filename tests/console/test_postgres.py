"""The rooms of the console on PostgreSQL, with and without sign-in."""

import contextlib
import uuid

import pytest

from tests.api.conftest import client_of
from tests.console.conftest import Console, guarded_server, item_of, make_table
from tests.engines.postgres_server import url_of
from tests.house.sources import ROOT
from tests.pace import until
from tests.served import served

SHOP = ROOT / "examples" / "models" / "shop.toml"
pytestmark = [pytest.mark.toolchain("chromium"), pytest.mark.long]


@pytest.fixture(scope="module", params=["off", "required"])
def rooms(request, browser, tmp_path_factory):
    """Opens a page, and a client of the same server."""
    engine = url_of(str(uuid.uuid4()))
    with contextlib.ExitStack() as stack:
        if request.param == "required":
            place = tmp_path_factory.mktemp("postgres")
            server = stack.enter_context(guarded_server(browser, place, engine=engine))
            yield server.signed_in, server.client
            return
        started = stack.enter_context(served(memory=False, engine=engine))
        client = client_of(started.endpoint)
        make_table(client, "albums")
        yield Console(started.endpoint, client, browser).opened, client


def test_an_item_is_edited(rooms):
    opened, client = rooms
    with opened("/tables/albums") as page:
        grid = page.get_by_role("grid")
        grid.get_by_text("1997", exact=True).dblclick()
        page.get_by_label("New value of year").fill("1998")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Write 1 change").click()
        page.get_by_text("1 change written").wait_for()
    assert item_of(client, "albums", "Jóga")["year"] == {"N": "1998"}


def test_a_statement_is_planned_and_run(rooms):
    opened, _ = rooms
    with opened("/partiql") as page:
        page.get_by_role("textbox", name="PartiQL statements").click()
        page.keyboard.insert_text("SELECT * FROM albums WHERE artist = 'Björk'")
        page.get_by_role("button", name="Run").click()
        page.get_by_role("grid").get_by_text("Jóga").wait_for()


def test_a_backup_is_restored(rooms):
    opened, client = rooms
    client.create_backup(TableName="albums", BackupName="first")
    with opened("/jobs?view=backups") as page:
        page.get_by_text("AVAILABLE").wait_for()
        page.get_by_label("Actions of first").click()
        page.get_by_role("button", name="Restore …").click()
        page.get_by_label("To a new table").fill("albums-again")
        page.get_by_role("dialog").get_by_role("button", name="Restore", exact=True).click()
        page.get_by_text("albums-again is being restored").wait_for()
    until(lambda: "albums-again" in client.list_tables()["TableNames"])


def test_a_model_is_committed(rooms):
    opened, client = rooms
    with opened("/design") as page:
        page.get_by_label("Open a file").set_input_files(SHOP)
        page.get_by_role("list", name="Findings").wait_for()
        page.get_by_role("button", name="Commit to the server").click()
        page.get_by_label("Put the sample items").check()
        page.get_by_role("button", name="Make 1 table").click()
        page.get_by_role("dialog").get_by_role("link", name="Shop").wait_for()
    assert client.scan(TableName="Shop", ConsistentRead=True)["Count"] == 6


# The roster and the audit log are those of the database.
def test_access_is_decided(browser, tmp_path):
    engine = url_of(str(uuid.uuid4()))
    with guarded_server(browser, tmp_path, engine=engine) as server:
        with server.signed_in("/access?name=app") as page:
            page.get_by_role("button", name="Create a key").click()
            page.get_by_label("The new keys").wait_for()
            page.get_by_role("button", name="I have kept it").click()
            page.get_by_role("link", name="What may it do?").click()
            page.get_by_label("Action").fill("dynamodb:DeleteTable")
            page.get_by_label("Resource").fill("albums")
            page.get_by_role("button", name="May it?").click()
            page.get_by_text("Denied").wait_for()
            page.get_by_role("tab", name="Audit log").click()
            page.get_by_role("button", name="CreateAccessKey").first.wait_for()
        assert len(server.of("iam").list_access_keys(UserName="app")["AccessKeyMetadata"]) == 2


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/tables", "albums"),
        ("/tables/albums/capacity", "on demand"),
        ("/tables/albums/stream", "stream"),
        ("/tables/albums/settings", "Point-in-time recovery"),
        ("/jobs", "Export a table …"),
        ("/regions", "This server has no regions"),
        ("/caches", "DAX"),
        ("/access", "Who may what"),
        ("/server", "ready"),
    ],
)
def test_each_room_opens(rooms, path, text):
    opened, _ = rooms
    with opened(path) as page:
        page.locator("main").get_by_text(text).first.wait_for()
        assert page.get_by_role("alert").count() == 0
