"""Point-in-time recovery by servers whose clocks differ: the times are those of the database."""

import http.client
import itertools
import json
import uuid
from datetime import timedelta

import pytest

from bench.asking import headers
from hashrange.assembly.verifying import verify
from hashrange.clock import SystemClock
from hashrange.settings.settings import Settings
from tests.api.backups import fill, restored, values
from tests.api.conftest import ServerThread, client_of
from tests.api.refusals import table_request
from tests.engines.postgres_server import url_of

SKEWS = (-timedelta(minutes=20), timedelta(minutes=20))
ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
T = "table"


class SkewedClock(SystemClock):
    """The clock of a machine that is wrong."""

    def __init__(self, skew):
        self._skew_ms = skew // timedelta(milliseconds=1)

    def now_ms(self):
        return super().now_ms() + self._skew_ms


@pytest.fixture
def clients():
    """A client of a server whose clock is behind, and of one whose clock is ahead."""
    url = url_of(str(uuid.uuid4()))
    settings = Settings(port=0, engine=url, drain_seconds=1)
    servers = [ServerThread(settings, clock=SkewedClock(skew)) for skew in SKEWS]
    yield [client_of(server.endpoint) for server in servers]
    for server in servers:
        server.close()
    assert verify(url) == []


def recovery(client):
    found = client.describe_continuous_backups(TableName=T)["ContinuousBackupsDescription"]
    return found["PointInTimeRecoveryDescription"]


def latest(client):
    """The latest restorable time, to the millisecond."""
    return recovery(client)["LatestRestorableDateTime"]


def next_millisecond(client):
    """Wait until the latest restorable time is a later one; the one before."""
    before = latest(client)
    while latest(client) == before:
        pass
    return before


def restore(client, target, time):
    """Restore to a time with milliseconds, which boto3 would leave out."""
    request = {
        "SourceTableName": T,
        "TargetTableName": target,
        "RestoreDateTime": time.timestamp(),
    }
    host = client.meta.endpoint_url.removeprefix("http://")
    connection = http.client.HTTPConnection(host)
    target_header = {"X-Amz-Target": "DynamoDB_20120810.RestoreTableToPointInTime"}
    connection.request("POST", "/", json.dumps(request), headers() | target_header)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    connection.close()
    restored(client, target)
    return values(client, target)


# Each state has commits of both servers; each is restored by both.
def test_a_restore_has_the_commits_up_to_its_time(clients):
    one, _ = clients
    one.create_table(**table_request(TableName=T))
    fill(one, T, range(5), 0)
    one.update_continuous_backups(TableName=T, **ON)
    states = {next_millisecond(one): values(one, T)}
    for turn, client in zip(range(1, 5), itertools.cycle(clients), strict=False):
        fill(client, T, range(turn, 5 + turn), turn)
        states[next_millisecond(client)] = values(client, T)
    for number, ((time, state), client) in enumerate(itertools.product(states.items(), clients)):
        assert restore(client, f"restored-{number}", time) == state
    for number, client in enumerate(clients):
        target = f"latest-{number}"
        client.restore_table_to_point_in_time(
            SourceTableName=T, TargetTableName=target, UseLatestRestorableTime=True
        )
        restored(client, target)
        assert values(client, target) == values(one, T)


# By the clock of the one server recovery was enabled then, and the other would restore later items.
def test_nothing_is_restored_to_a_time_before_recovery_was_enabled(clients):
    one, other = clients
    one.create_table(**table_request(TableName=T))
    before = SystemClock().now_ms() // 1000 - 1
    fill(one, T, range(5), 0)
    one.update_continuous_backups(TableName=T, **ON)
    with pytest.raises(one.exceptions.InvalidRestoreTimeException):
        other.restore_table_to_point_in_time(
            SourceTableName=T, TargetTableName="early", RestoreDateTime=before
        )
