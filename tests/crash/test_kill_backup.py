"""kill -9 of the real server while it makes a backup and restores it, or a table to a time.

Tables are written meanwhile; the copies have the items of their moments, each once.
"""

import pytest

from tests.api.imports import creation
from tests.api.indexes import index_of
from tests.api.tables import attributes
from tests.crash.server import Client, Server, verify
from tests.effort import effort

KILLS = effort(2, 8)
ITEMS = effort(3000, 12000)
PUTS_A_KILL = 3
TEXT = "x" * 500
BATCH = 25
ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
AT_FIRST = {f"k{number}": "0" for number in range(ITEMS)}


def item(key, value):
    return {"pk": {"S": key}, "n": {"N": value}, "g": {"S": f"g{value}"}, "t": {"S": TEXT}}


class Killed:
    """A server that is killed while it works, with the table `source` of ITEMS items."""

    def __init__(self, directory):
        self._directory = directory
        self._value = 0
        self._start()
        index = index_of("by-g", "g")
        keys = attributes(pk="S", g="S")
        made = creation("source", AttributeDefinitions=keys, GlobalSecondaryIndexes=[index])
        self.client.call("CreateTable", **made)
        self.client.call("UpdateContinuousBackups", TableName="source", **ON)
        keys = list(AT_FIRST)
        for start in range(0, ITEMS, BATCH):
            puts = [{"PutRequest": {"Item": item(key, "0")}} for key in keys[start : start + BATCH]]
            self.client.call("BatchWriteItem", RequestItems={"source": puts})

    def _start(self):
        self._server = Server(self._directory)
        self.client = Client(self._server.url)

    def write(self):
        """Change an item, delete one and put a new one, where the copy has not been or has."""
        self._value += 1
        value, call = str(self._value), self.client.call
        call("PutItem", TableName="source", Item=item(f"k{-self._value % ITEMS}", value))
        call("DeleteItem", TableName="source", Key={"pk": {"S": f"k{self._value}"}})
        call("PutItem", TableName="source", Item=item(f"new{value}", value))

    def finish(self, is_done):
        """Kill the server while it works, a little later each time; then let it finish."""
        interrupted = 0
        for kill in range(KILLS):
            for _ in range(kill * PUTS_A_KILL):
                self.write()
            interrupted += not is_done(self.client)
            self.stop(self._server.kill)
            assert verify(self._directory) == ""
            self._start()
        while not is_done(self.client):
            pass  # bound: the work ends, or the test runs out of time
        assert interrupted, "it was too quick"

    def stop(self, stop=None):
        self.client.close()
        (stop or self._server.terminate)()

    def values(self, table, **more):
        """The numbers `n` of all items of a table, or an index, by partition key."""
        found, start = [], {}
        while start is not None:
            page = self.client.call("Scan", TableName=table, **more, **start)
            found += [(each["pk"]["S"], each["n"]["N"]) for each in page["Items"]]
            last = page.get("LastEvaluatedKey")
            start = last and {"ExclusiveStartKey": last}
        assert len(found) == len(dict(found))
        return dict(found)


@pytest.fixture
def killed(tmp_path):
    """Its data are sound in the end, and nothing holds the source any more."""
    made = Killed(tmp_path / "data")
    yield made
    made.client.call("DeleteTable", TableName="source")
    made.stop()
    assert verify(tmp_path / "data") == ""


def is_active(name):
    def is_done(client):
        return client.call("DescribeTable", TableName=name)["Table"]["TableStatus"] == "ACTIVE"

    return is_done


def assert_restored(killed):
    assert killed.values("target") == AT_FIRST
    assert killed.values("target", IndexName="by-g") == AT_FIRST


def test_a_backup_and_its_restore_go_on_after_kills(killed):
    made = killed.client.call("CreateBackup", TableName="source", BackupName="one")
    details = made["BackupDetails"]
    assert details["BackupStatus"] == "CREATING"
    arn = {"BackupArn": details["BackupArn"]}

    def is_made(client):
        described = client.call("DescribeBackup", **arn)["BackupDescription"]
        return described["BackupDetails"]["BackupStatus"] == "AVAILABLE"

    killed.finish(is_made)
    killed.client.call("RestoreTableFromBackup", TargetTableName="target", **arn)
    killed.finish(is_active("target"))
    assert_restored(killed)
    killed.client.call("DeleteBackup", **arn)


def test_a_restore_to_a_time_goes_on_after_kills(killed):
    first = latest(killed.client)
    while latest(killed.client) == first:
        pass  # bound: the time of the test
    killed.write()
    killed.client.call(
        "RestoreTableToPointInTime",
        SourceTableName="source",
        TargetTableName="target",
        RestoreDateTime=first,
    )
    killed.finish(is_active("target"))
    assert_restored(killed)


def latest(client):
    described = client.call("DescribeContinuousBackups", TableName="source")
    recovery = described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return recovery["LatestRestorableDateTime"]
