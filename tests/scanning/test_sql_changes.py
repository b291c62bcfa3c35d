"""`hashrange sql` on incremental exports: changes, and the state that they and a full one give."""

import json
import shutil
from decimal import Decimal

import pytest

from tests.api.exports import exported, recoverable
from tests.copying.tables import client_of
from tests.scanning.filled import items_in, make, put
from tests.served import served

TOTALS = "SELECT count(*), count(n), sum(n), min(pk), max(pk) FROM orders"
CHANGES = (
    "SELECT Keys.pk, Keys.sk, OldImage.n old, NewImage.n new, NewImage IS NULL gone, _time "
    "FROM orders ORDER BY 1, 2"
)


def item(pk, sk=1, n=None):
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}, **({} if n is None else {"n": {"N": n}})}


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """A full export and two incremental ones behind it, and the items at the end."""
    root = tmp_path_factory.mktemp("changes")
    with served(testing=True, s3=f"exports={root}") as server:
        client = client_of(server.endpoint)
        make(client, sk="N")
        arn = recoverable(client, "orders")

        def now():
            found = client.describe_continuous_backups(TableName="orders")
            found = found["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
            return found["LatestRestorableDateTime"]

        put(client, [item("same", n="0.1"), item('é"\\', 1, "1"), item("gone", n="5")])
        server.clock.advance(hours=1)
        times = [now()]
        ids = [exported(client, arn, ExportTime=times[0])]
        put(client, [item('é"\\', 1, "2.25"), item("new", -1, "1" * 20)])
        for _ in range(2):
            server.clock.advance(hours=1)
            times.append(now())
            window = {"ExportFromTime": times[-2], "ExportToTime": times[-1]}
            more = {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": window}
            ids.append(exported(client, arn, **more))
            client.delete_item(TableName="orders", Key=item("gone"))
            put(client, [item('é"\\', 1, "3.5"), item('é"\\', 2)])
        window = {**window, "ExportFromTime": times[-2]}
        more["IncrementalExportSpecification"] = window
        exported(client, arn, ExportFormat="ION", S3Prefix="ion", **more)
        items = items_in(client)
        client.close()
    folders = [root / "AWSDynamoDB" / each["ExportArn"].rpartition("/")[2] for each in ids]
    return root, folders, items


def rows_of(ended):
    return [[*json.loads(line, parse_float=Decimal).values()] for line in ended.stdout.splitlines()]


def figures(items):
    found = [Decimal(each["n"]["N"]) for each in items if "n" in each]
    names = sorted(each["pk"]["S"] for each in items)
    return [len(items), len(found), sum(found), names[0], names[-1]]


def copied(exports, target, *numbers):
    """A directory with some of the exports."""
    root, folders, _ = exports
    for number in numbers:
        shutil.copytree(folders[number], target / "AWSDynamoDB" / folders[number].name)
    shutil.copytree(root / "AWSDynamoDB/data", target / "AWSDynamoDB/data")
    return target


def test_full_and_incremental_exports_are_the_state_at_their_end(exports, command, tmp_path):
    _, _, items = exports
    folder = copied(exports, tmp_path, 0, 1, 2)
    ended = command("sql", TOTALS, "--from", folder, "--output", "json")
    assert rows_of(ended) == [figures(items)]
    assert ": 3 items of the export of 20" in ended.stderr
    assert ", with 5 changes until 20" in ended.stderr
    query = "SELECT item FROM orders ORDER BY pk, sk"
    ended = command("sql", query, "--from", folder, "--output", "json")
    found = [row for (row,) in rows_of(ended)]
    assert found == sorted(items, key=lambda each: (each["pk"]["S"].encode(), each["sk"]["N"]))


def test_an_incremental_export_has_a_row_for_each_change(exports, command):
    _, folders, _ = exports
    ended = command("sql", CHANGES, "--from", folders[1], "--output", "json")
    *found, last = [row[:-1] for row in rows_of(ended)]
    assert found == [["new", -1, None, int("1" * 20), False]]
    assert last == ['é"\\', 1, Decimal(1), Decimal("2.25"), False]
    assert "orders: 2 changes from 20" in ended.stderr
    ended = command("sql", CHANGES, "--from", folders[2], "--output", "json")
    gone, *_ = rows_of(ended)
    assert gone[:-1] == ["gone", 1, Decimal(5), None, True]
    assert gone[-1].startswith("20")


def test_changes_that_are_missing_are_refused(exports, command, tmp_path):
    folder = copied(exports, tmp_path, 0, 2)
    refused = command("sql", TOTALS, "--from", folder, code=2).stderr
    assert "orders: no export has the changes from 20" in refused
    both = copied(exports, tmp_path / "both", 1, 2)
    refused = command("sql", TOTALS, "--from", both, code=2).stderr
    assert "there are several exports of orders: give one of " in refused


def test_damaged_changes_are_refused(exports, command, tmp_path):
    folder = copied(exports, tmp_path, 0, 1)
    for path in (folder / "AWSDynamoDB").glob("*/manifest-summary.json"):
        summary = json.loads(path.read_text())
        path.write_text(json.dumps({**summary, "itemCount": summary["itemCount"] + 1}))
        refused = command("sql", TOTALS, "--from", path.parent, code=1).stderr
        assert "orders: the files are damaged: " in refused
    refused = command("sql", TOTALS, "--from", folder, code=1).stderr
    assert "orders: the files are damaged: " in refused


def test_changes_in_ion_are_refused(exports, command):
    root, _, _ = exports
    refused = command("sql", TOTALS, "--from", root / "ion", code=2).stderr
    assert "has changes of orders as ION: use DYNAMODB_JSON" in refused
