"""What time does to point-in-time recovery: periods end, and deleted tables are forgotten.

Source: Developer Guide, "Point-in-time recovery".
"""

from datetime import timedelta

import pytest

from tests.api.backups import fill, restored, values
from tests.api.conftest import client_of
from tests.api.refusals import refusal
from tests.api.tables import keyed
from tests.api.test_point_in_time_recovery import enabled, name, recovery
from tests.served import served


@pytest.fixture(scope="module")
def server():
    with served(testing=True) as made:
        yield made


@pytest.fixture
def client(server):
    yield client_of(server.endpoint)
    server.clock.reset()


@pytest.fixture
def table(client):
    made = name()
    client.create_table(TableName=made, **keyed(pk="S"))
    return made


def test_a_deleted_table_can_be_restored_for_35_days(server, client, table):
    enabled(client, table)
    fill(client, table, range(30), 1)
    client.delete_table(TableName=table)
    server.clock.advance(days=34, hours=23)
    (found,) = client.list_backups(TableName=table, BackupType="SYSTEM")["BackupSummaries"]
    target = name()
    client.restore_table_from_backup(TargetTableName=target, BackupArn=found["BackupArn"])
    restored(client, target)
    assert values(client, target) == {f"k{number}": "1" for number in range(30)}
    server.clock.advance(hours=2)
    assert client.list_backups(TableName=table, BackupType="SYSTEM")["BackupSummaries"] == []
    code, _ = refusal(client.describe_backup, BackupArn=found["BackupArn"])
    assert code == "BackupNotFoundException"


# What is older than the period cannot be restored; what is within it is as it was.
def test_the_period_moves_on(server, client, table):
    enabled(client, table, RecoveryPeriodInDays=2)
    fill(client, table, range(10), 1)
    first = recovery(client, table)["LatestRestorableDateTime"]
    server.clock.advance(days=1, hours=12)
    fill(client, table, range(5), 2)
    second = recovery(client, table)["LatestRestorableDateTime"]
    server.clock.advance(days=1)
    fill(client, table, range(10), 3)
    told = recovery(client, table)
    assert first < told["EarliestRestorableDateTime"] < second
    latest, earliest = told["LatestRestorableDateTime"], told["EarliestRestorableDateTime"]
    assert latest - earliest == timedelta(days=2)
    target = name()

    of = {"SourceTableName": table, "TargetTableName": target}
    restore = client.restore_table_to_point_in_time
    code, _ = refusal(restore, RestoreDateTime=first, **of)
    assert code == "InvalidRestoreTimeException"
    restore(RestoreDateTime=second, **of)
    restored(client, target)
    assert values(client, target) == {f"k{n}": "2" if n < 5 else "1" for n in range(10)}


def test_the_latest_time_is_behind_where_the_waits_of_the_service_are_shown():
    with served(testing=True, delay_transient_statuses=True, transient_status_ms=1) as server:
        client, made = client_of(server.endpoint), name()
        client.create_table(TableName=made, **keyed(pk="S"))
        client.get_waiter("table_exists").wait(TableName=made)
        enabled(client, made)
        moved = server.clock.advance(hours=1)
        told = recovery(client, made)["LatestRestorableDateTime"]
        assert timedelta(minutes=4) < moved - told <= timedelta(minutes=5)
