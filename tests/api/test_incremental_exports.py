"""Incremental exports: the net changes of items within a window, which time passes at once for.

Texts and behaviour, where no other source is given: measurements by users, October 2026.
"""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.conftest import client_of
from tests.api.exports import begun, data_of, exported, in_directory, recoverable, refused
from tests.api.refusals import VALIDATION
from tests.api.tables import keyed
from tests.optional_packages import needs_ion
from tests.served import served

TIME = "InvalidExportTimeException"
MINUTES = timedelta(minutes=1)
TABLE = {**keyed(pk="S", sk="N")}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(scope="module")
def server(root):
    with served(testing=True, s3=f"exports={root}") as server:
        yield server


@pytest.fixture
def client(server):
    return client_of(server.endpoint)


@pytest.fixture
def arn(client, request):
    name = f"t-{abs(hash(request.node.name)):x}"
    client.create_table(TableName=name, **TABLE)
    yield recoverable(client, name)
    client.delete_table(TableName=name)


def item(pk, **more):
    return {"pk": {"S": pk}, "sk": {"N": "1"}, **{name: {"N": str(n)} for name, n in more.items()}}


def now(client, arn):
    found = client.describe_continuous_backups(TableName=arn)["ContinuousBackupsDescription"]
    return found["PointInTimeRecoveryDescription"]["LatestRestorableDateTime"]


def window(start, end=None, **more):
    specification = {"ExportFromTime": start, **more}
    if end is not None:
        specification["ExportToTime"] = end
    return {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": specification}


def history(client, arn, clock):
    """Changes before, within and after a window; gives its bounds."""

    def put(pk, n):
        client.put_item(TableName=arn, Item=item(pk, n=n))

    def delete(pk):
        client.delete_item(TableName=arn, Key=item(pk))

    for pk in ("same", "updated", "deleted", "back", "later"):
        put(pk, 0)
    clock.advance(hours=1)
    start = now(client, arn)
    for n in (1, 2):
        put("updated", n)
        put("new", n)
        put("gone", n)
        put("back", n)
    delete("deleted")
    delete("gone")
    delete("back")
    put("back", 9)
    clock.advance(hours=2)
    end = now(client, arn)
    for pk in ("updated", "new", "later", "after"):
        put(pk, 100)
    delete("same")
    return start, end


def changes_of(root, description):
    lines = [json.loads(line) for line in data_of(in_directory(root), description).splitlines()]
    return {line["Keys"]["pk"]["S"]: line for line in lines}


# Source: Developer Guide, "DynamoDB table export output format": inserts, updates, deletes, and an
# item that comes and goes within the window.
@pytest.mark.parametrize("view", ["NEW_AND_OLD_IMAGES", "NEW_IMAGE"])
def test_net_changes_are_exported(client, arn, clock, root, view):
    start, end = history(client, arn, clock)
    found = exported(client, arn, **window(start, end, ExportViewType=view))
    assert found["ExportType"] == "INCREMENTAL_EXPORT"
    assert found["IncrementalExportSpecification"]["ExportViewType"] == view
    assert "ExportTime" not in found
    assert found["BilledSizeBytes"] == 10_000_000
    old = view == "NEW_AND_OLD_IMAGES"
    expected = {
        "updated": (item("updated", n=2), item("updated", n=0)),
        "new": (item("new", n=2), None),
        "deleted": (None, item("deleted", n=0)),
        "back": (item("back", n=9), item("back", n=0)),
    }
    changes = changes_of(root, found)
    assert {
        pk: (change.get("NewImage"), change.get("OldImage")) for pk, change in changes.items()
    } == {pk: (new, before if old else None) for pk, (new, before) in expected.items()}
    for pk, change in changes.items():
        assert change["Keys"] == item(pk)
        micros = int(change["Metadata"]["WriteTimestampMicros"]["N"])
        assert start <= datetime.fromtimestamp(micros / 1e6, UTC) < end
    summary = json.loads(in_directory(root)[found["ExportManifest"]])
    assert summary["version"] == "2023-08-01"
    assert summary["outputView"] == view
    assert summary["exportType"] == "INCREMENTAL_EXPORT"
    assert {"exportFromTime", "exportToTime"} < summary.keys()
    (summaries,) = [
        each
        for each in client.list_exports(TableArn=arn)["ExportSummaries"]
        if each["ExportArn"] == found["ExportArn"]
    ]
    assert summaries["ExportType"] == "INCREMENTAL_EXPORT"


@needs_ion
def test_data_files_of_all_windows_are_in_one_folder(client, arn, clock, root):
    start, end = history(client, arn, clock)
    found = exported(client, arn, S3Prefix="inc", ExportFormat="ION", **window(start, end))
    files = [key for key in in_directory(root) if key.startswith("inc/AWSDynamoDB/data/")]
    assert [file[-7:] for file in files] == [".ion.gz"]
    from amazon.ion import simpleion  # noqa: PLC0415 - slow to import

    text = data_of(in_directory(root), found)
    records = [each["Record"] for each in simpleion.loads(text, single_value=False)]
    assert {record["Keys"]["pk"] for record in records} == {"updated", "new", "deleted", "back"}
    assert {int(record["Metadata"]["WriteTimestampMicros"]) > 1e15 for record in records} == {True}


# Source: Developer Guide, "Filtering a table export": of a deleted item the old image decides.
def test_the_latest_image_is_filtered(client, arn, clock, root):
    start, end = history(client, arn, clock)
    few = {"FilterExpression": "n < :n", "ExpressionAttributeValues": {":n": {"N": "3"}}}
    found = exported(client, arn, FilterSpecification=few, **window(start, end))
    assert set(changes_of(root, found)) == {"updated", "new", "deleted"}
    one = {
        "KeyConditionExpression": "pk = :p AND sk > :n",
        "ProjectionExpression": "n",
        "ExpressionAttributeValues": {":p": {"S": "updated"}, ":n": {"N": "0"}},
    }
    found = exported(client, arn, FilterSpecification=one, **window(start, end))
    (change,) = changes_of(root, found).values()
    assert change["Keys"] == item("updated")
    assert (change["NewImage"], change["OldImage"]) == ({"n": {"N": "2"}}, {"n": {"N": "0"}})


def test_windows_that_cannot_be_exported_are_refused(client, arn, clock):
    start = now(client, arn)
    with refused(TIME, "period from time cannot be less than the table creation time : 20"):
        begun(client, arn, **window(start - 60 * MINUTES))
    with refused(TIME, "is less than 15 minutes"):
        begun(client, arn, **window(start))
    clock.advance(hours=30)
    for end, text in (
        (start + 31 * 60 * MINUTES, "period to time cannot be greater than the current time : 20"),
        (start + 10 * MINUTES, "is less than 15 minutes"),
        (start - 10 * MINUTES, "is less than 15 minutes"),
        (start + 25 * 60 * MINUTES, "is greater than 24 hours"),
    ):
        # The window is looked at before another time is refused.
        for more in ({}, {"ExportTime": start}):
            with refused(TIME, text):
                begun(client, arn, **window(start, end), **more)
    with refused(VALIDATION, "ExportTime should not be provided for Incremental Export"):
        begun(client, arn, **window(start, start + 15 * MINUTES), ExportTime=start)
    exported(client, arn, **window(start, start + 15 * MINUTES))


def test_the_window_is_within_the_recovery_period(client, arn, clock):
    start = now(client, arn)
    clock.advance(days=3)
    off = {"PointInTimeRecoveryEnabled": False}
    client.update_continuous_backups(TableName=arn, PointInTimeRecoverySpecification=off)
    with refused("PointInTimeRecoveryUnavailableException", "is not enabled for table"):
        begun(client, arn, **window(start))
    recoverable(client, arn)
    clock.advance(hours=1)
    with refused(TIME, "Point in Time Recovery is not available for specified export time"):
        begun(client, arn, **window(start, start + 20 * MINUTES))
    with refused(TIME, "Export Time is invalid"):
        begun(client, arn, ExportTime=start)


# After 8 hours a token is new, after 90 days the service forgets an export.
def test_tokens_and_exports_are_forgotten(client, arn, clock):
    first = exported(client, arn, ClientToken="again")
    clock.advance(hours=7)
    assert begun(client, arn, ClientToken="again")["ExportArn"] == first["ExportArn"]
    clock.advance(hours=2)
    second = exported(client, arn, ClientToken="again")
    assert second["ExportArn"] != first["ExportArn"]
    clock.advance(days=91)
    with refused("ExportNotFoundException", "Export not found"):
        client.describe_export(ExportArn=first["ExportArn"])
    assert client.list_exports(TableArn=arn)["ExportSummaries"] == []
