"""What a person does on the page Backups and jobs."""

import json
import time

import pytest

from tests.api.conftest import client_of
from tests.console.asking import post
from tests.console.conftest import Console, make_table
from tests.pace import until
from tests.served import served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    place = tmp_path_factory.mktemp("bucket")
    with served(s3=f"exports={place}") as server:
        client = client_of(server.endpoint)
        (place / "new").mkdir()
        (place / "new" / "a.csv").write_text("artist;title;year\nBjörk;Hyperballad;1995\n")
        item = {"artist": {"S": "Nina Simone"}, "title": {"S": "Feeling Good"}}
        (place / "more.json").write_text(json.dumps({"Item": item}))
        make_table(client, "albums")
        make_table(client, "plain")
        make_table(client, "filled")
        make_table(client, "unrecoverable")
        client.update_continuous_backups(
            TableName="albums",
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        )
        yield server.endpoint, client


def past(endpoint, table, time_ms):
    status, _, body = post(endpoint, "past", {"TableName": table, "timeMs": time_ms})
    return status, json.loads(body)


# The size then is what a restore of that time has.
def test_the_size_of_a_table_at_a_time(server):
    endpoint, client = server
    sizes = []
    for number in range(3):
        item = {"artist": {"S": "new"}, "title": {"S": str(number)}, "n": {"S": "x" * number}}
        client.put_item(TableName="albums", Item=item)
        found = client.describe_table(TableName="albums")["Table"]
        sizes.append((next_ms(), found["ItemCount"], found["TableSizeBytes"]))
        next_ms()
    for number in range(3):
        key = {"artist": {"S": "new"}, "title": {"S": str(number)}}
        client.delete_item(TableName="albums", Key=key)
    for at, items, size in sizes:
        expected = {"size": {"items": items, "bytes": size, "isExact": True}}
        assert past(endpoint, "albums", at) == (200, expected)


def now_ms():
    return time.time_ns() // 1_000_000


def next_ms():
    """The next millisecond, once it has begun: stamps of changes are milliseconds."""
    before = now_ms()
    while (at := now_ms()) == before:
        pass
    return at


def test_times_that_are_not_kept_are_refused(server):
    endpoint, _ = server
    for table, at in (("unrecoverable", now_ms()), ("albums", 1), ("albums", -1)):
        status, found = past(endpoint, table, at)
        assert (status, "is not kept" in found["message"]) == (400, True)
    assert past(endpoint, "nothing", 1)[1]["__type"].endswith("ResourceNotFoundException")
    assert post(endpoint, "past", {"TableName": "albums", "timeMs": "x"})[0] == 400


@pytest.mark.toolchain("chromium")
def test_a_backup_is_made_restored_and_deleted(server, browser):
    endpoint, client = server
    with Console(endpoint, client, browser).opened("/jobs?view=backups") as page:
        page.get_by_role("button", name="Create backup").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Table").select_option("plain")
        dialog.get_by_label("Name of the backup").fill("first")
        dialog.get_by_role("button", name="Create", exact=True).click()
        row = page.get_by_role("row").filter(has_text="first")
        row.get_by_text("AVAILABLE").wait_for()
        row.locator("summary").click()
        row.get_by_role("button", name="Restore …").click()
        dialog.get_by_label("To a new table").fill("plain-again")
        dialog.get_by_role("button", name="Restore", exact=True).click()
        page.get_by_text("plain-again is being restored").wait_for()
        until(lambda: "plain-again" in client.list_tables()["TableNames"])
        waiter = client.get_waiter("table_exists")
        waiter.wait(TableName="plain-again", WaiterConfig={"Delay": 1})
        assert client.scan(TableName="plain-again")["Count"] == 2
        page.goto("/_console/jobs?view=backups")
        row.locator("summary").click()
        row.get_by_role("button", name="Delete …").click()
        assert dialog.get_by_role("button", name="Delete").is_disabled()
        dialog.get_by_label("Type first to confirm").fill("first")
        dialog.get_by_role("button", name="Delete").click()
        page.get_by_text("No backups yet").wait_for()
    assert client.list_backups()["BackupSummaries"] == []


@pytest.mark.toolchain("chromium")
def test_a_state_of_a_table_is_chosen_and_restored(server, browser):
    endpoint, client = server
    with Console(endpoint, client, browser).opened("/jobs?view=recovery&table=plain") as page:
        page.get_by_text("Earlier states of this table are not kept").wait_for()
        page.get_by_role("button", name="Turn it on").click()
        page.get_by_role("slider", name="Time").wait_for()
        page.get_by_label("Table").select_option("albums")
        page.get_by_text("2 items").first.wait_for()
        slider = page.get_by_role("slider", name="Time")
        slider.focus()
        page.keyboard.press("ArrowLeft")
        page.wait_for_url("**at=*")
        page.reload()
        page.get_by_role("button", name="Restore this state …").click()
        page.get_by_label("To a new table").fill("albums-then")
        page.get_by_role("dialog").get_by_role("button", name="Restore", exact=True).click()
        page.get_by_text("albums-then is being restored").wait_for()
    until(lambda: "albums-then" in client.list_tables()["TableNames"])


@pytest.mark.toolchain("chromium")
def test_an_export_is_begun_and_its_end_is_seen(server, browser):
    endpoint, client = server
    with Console(endpoint, client, browser).opened("/jobs") as page:
        page.get_by_role("button", name="Export a table …").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Table").select_option("albums")
        dialog.get_by_label("Bucket", exact=True).fill("exports")
        dialog.get_by_role("button", name="Export", exact=True).click()
        row = page.get_by_role("row").filter(has_text="Export")
        row.get_by_text("COMPLETED").wait_for()


@pytest.mark.toolchain("chromium")
def test_objects_become_a_table(server, browser):
    endpoint, client = server
    with Console(endpoint, client, browser).opened("/jobs") as page:
        page.get_by_role("button", name="Import …").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Table name").fill("imported")
        dialog.get_by_label("Partition key : attribute").fill("artist")
        dialog.get_by_role("button", name="+ sort key").click()
        dialog.get_by_label("Sort key : attribute").fill("title")
        dialog.get_by_label("Bucket", exact=True).fill("exports")
        dialog.get_by_label("Prefix of the objects").fill("new/")
        dialog.get_by_label("Format").select_option("CSV")
        dialog.get_by_label("Separator").select_option(";")
        dialog.get_by_role("button", name="Import", exact=True).click()
        row = page.get_by_role("row").filter(has_text="imported")
        row.get_by_text("COMPLETED").wait_for()
    found = {name: {"S": text} for name, text in FIRST_ROW.items()}
    assert client.scan(TableName="imported")["Items"] == [found]


FIRST_ROW = {"artist": "Björk", "title": "Hyperballad", "year": "1995"}


# What overwrites items says so, and begins only when that is understood.
@pytest.mark.toolchain("chromium")
def test_objects_are_put_into_a_table(server, browser):
    endpoint, client = server
    with Console(endpoint, client, browser).opened("/jobs") as page:
        page.get_by_role("button", name="Import …").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Into").select_option("filled")
        dialog.get_by_label("Bucket", exact=True).fill("exports")
        dialog.get_by_label("Prefix of the objects").fill("more")
        button = dialog.get_by_role("button", name="Import", exact=True)
        assert button.is_disabled()
        dialog.get_by_label("Items of filled with the same keys are overwritten").check()
        button.click()
        row = page.get_by_role("row").filter(has_text="Bulk operation")
        row.get_by_text("COMPLETED").wait_for()
    assert client.scan(TableName="filled")["Count"] == 3


@pytest.mark.toolchain("chromium")
def test_a_console_that_only_reads_has_no_buttons_here(console_read_only):
    with console_read_only.opened("/jobs?view=backups") as page:
        page.get_by_text("No backups yet").wait_for()
        assert page.get_by_role("button", name="Create backup").count() == 0
    with console_read_only.opened("/jobs") as page:
        page.get_by_text("No jobs").wait_for()
        assert page.get_by_role("button", name="Export").count() == 0
        assert page.get_by_role("button", name="Import").count() == 0
