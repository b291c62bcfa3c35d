"""What a person does on the page of a table's stream."""

import pytest

from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.console.conftest import Console, make_table
from tests.served import served
from tests.triggers.receivers import write_file

pytestmark = pytest.mark.toolchain("chromium")
IMAGES = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
PATH = "/tables/changes/stream"


@pytest.fixture
def changes(console):
    """A table with a stream, and two records in it."""
    make_table(console.client, "changes", StreamSpecification=IMAGES)
    yield console.client
    console.client.delete_table(TableName="changes")


def put(client, title, **attributes):
    key = {"artist": {"S": "Björk"}, "title": {"S": title}}
    client.put_item(TableName="changes", Item={**key, **attributes})


def records(page):
    return page.get_by_role("region", name="Records").locator(".records > li")


def waiting(page):
    page.get_by_text("Waiting for changes").wait_for()


def test_changes_are_seen_as_they_happen(console, changes):
    with console.opened(PATH) as page:
        waiting(page)
        put(changes, "Army of Me", year={"N": "1994"})
        records(page).filter(has_text="INSERT").filter(has_text="Army of Me").wait_for()
        put(changes, "Army of Me", year={"N": "1995"})
        change = records(page).filter(has_text="MODIFY")
        change.wait_for()
        assert change.locator("del").inner_text() == "1994"
        assert change.locator("ins").inner_text() == "1995"
        key = {"artist": {"S": "Björk"}, "title": {"S": "Army of Me"}}
        changes.delete_item(TableName="changes", Key=key)
        records(page).filter(has_text="REMOVE").wait_for()
        assert records(page).count() == 3


def test_older_changes_are_read_again(console, changes):
    with console.opened(PATH) as page:
        waiting(page)
        page.get_by_role("button", name="All, from the oldest").click()
        records(page).nth(1).wait_for()
        assert records(page).count() == 2
        assert page.url.endswith("from=start")
        newest = records(page).filter(has_text="Sinnerman")
        newest.locator("summary").first.click()
        assert '"12345678901234567890123456789012345678"' in newest.inner_text()
        newest.get_by_role("button", name="Replay from here").click()
        page.wait_for_url("**from=*0*")
        newest.wait_for()
        assert records(page).count() == 1


def test_records_are_filtered(console, changes):
    with console.opened(f"{PATH}?from=start") as page:
        records(page).nth(1).wait_for()
        field = page.get_by_label("Text or pattern")
        field.fill("sinner")
        records(page).nth(1).wait_for(state="detached")
        page.get_by_text("1 match").wait_for()
        field.fill('{"dynamodb": {"NewImage": {"year": {"N": ["1997"]}}}}')
        records(page).filter(has_text="Jóga").wait_for()
        assert records(page).count() == 1
        field.fill('{"eventName": [{"cidr": "10.0.0.0/8"}]}')
        page.get_by_text("only values, prefix, exists and anything-but").wait_for()
        field.fill("")
        page.get_by_label("Type of change").select_option("REMOVE")
        page.get_by_text("No record matches.").wait_for()
        assert "type=REMOVE" in page.url


def test_a_paused_page_reads_nothing(console, changes):
    with console.opened(PATH) as page, console.opened(PATH) as other:
        waiting(page)
        waiting(other)
        page.get_by_role("button", name="Pause").click()
        page.get_by_text("Paused").wait_for()
        for title in ("Hyperballad", "Isobel"):
            put(changes, title)
            records(other).filter(has_text=title).wait_for()
        assert records(page).count() == 0
        page.get_by_role("button", name="Go on").click()
        records(page).nth(1).wait_for()


def test_a_number_that_no_shard_has(console, changes):
    with console.opened(f"{PATH}?from=1") as page:
        page.get_by_text("no shard of this stream has it").wait_for()


def test_a_table_without_a_stream(console, table):
    with console.opened(f"/tables/{table}/stream") as page:
        page.get_by_text("This table has no stream").wait_for()
        page.get_by_text("aws dynamodb update-table").wait_for()


def test_shards_are_shown_with_their_children(browser):
    with served(testing=True, stream_shard_seconds=3600) as server:
        client = client_of(server.endpoint)
        make_table(client, "changes", StreamSpecification=IMAGES)
        server.clock.advance(seconds=3700)
        put(client, "Unravel")
        with Console(server.endpoint, client, browser).opened(f"{PATH}?from=start") as page:
            tree = page.get_by_role("region", name="Tree of shards")
            tree.locator("li li").get_by_text("open").wait_for()
            assert tree.get_by_text("closed").count() == 1
            records(page).nth(2).wait_for()
            assert records(page).count() == 3
            tree.get_by_role("button", name="Replay").last.click()
            records(page).nth(1).wait_for(state="detached")
            assert "Unravel" in records(page).inner_text()


def test_triggers_are_shown_with_their_failures(browser, tmp_path):
    trigger = {
        "name": "mail",
        "table": "changes",
        "destination": "http://127.0.0.1:9/",
        "starting_position": "TRIM_HORIZON",
    }
    path = write_file(tmp_path / "triggers.toml", trigger)
    with served(triggers=path) as server:
        client = client_of(server.endpoint)
        make_table(client, "changes", StreamSpecification=IMAGES)
        with Console(server.endpoint, client, browser).opened(PATH) as page:
            row = page.get_by_role("region", name="Triggers").get_by_role("row", name="mail")
            row.locator("td.fault").first.wait_for()
            assert row.get_by_role("cell").first.inner_text() == "0"


def test_leases_of_an_application(console, changes):
    arn = changes.describe_table(TableName="changes")["Table"]["LatestStreamArn"]
    reader = client_of(console.endpoint, "dynamodbstreams")
    shard = reader.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]
    changes.create_table(TableName="leases", **keyed(leaseKey="S"))
    lease = {
        "leaseKey": {"S": shard["ShardId"]},
        "checkpoint": {"S": "TRIM_HORIZON"},
        "leaseOwner": {"S": "worker-1"},
    }
    changes.put_item(TableName="leases", Item=lease)
    with console.opened(PATH) as page:
        page.get_by_label("Lease table of the application").fill("leases")
        page.get_by_role("button", name="Show ages").click()
        row = page.get_by_role("region", name="Leases").get_by_role("row", name="worker-1")
        row.wait_for()
        assert row.get_by_role("cell").last.inner_text().endswith(" s")
    changes.delete_table(TableName="leases")
