"""kill -9 of the real server while items expire: each goes once, and no other."""

import time
from collections import Counter

from tests.api.streams import changes_of, streaming
from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.effort import effort
from tests.pace import until

TABLE = "Sessions"
EXPIRED = effort(1000, 2000)
LEFT = 100


def fill(client, now_s):
    """Sessions that are over, some that are not, and some that have no time."""
    client.call(
        "CreateTable",
        TableName=TABLE,
        **keyed(pk="S"),
        **streaming(),
    )
    over = [
        {"pk": {"S": f"over-{n}"}, "expires": {"N": str(now_s - 1 - n)}} for n in range(EXPIRED)
    ]
    left = [{"pk": {"S": f"left-{n}"}, "expires": {"N": str(now_s + 3600)}} for n in range(LEFT)]
    left[0].pop("expires")
    items = over + left
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        client.call("BatchWriteItem", RequestItems={TABLE: puts})


def count(client):
    """Without a scan: the server expires fewer items while requests keep it busy."""
    return client.call("DescribeTable", TableName=TABLE)["Table"]["ItemCount"]


# What was deleted before the kill is not deleted again, what was not is later; and a reader of the
# stream sees the service delete each item once.
def test_each_item_expires_once_over_a_kill(tmp_path):
    server = Server(tmp_path)
    client = Client(server.url)
    fill(client, int(time.time()))
    specification = {"Enabled": True, "AttributeName": "expires"}
    client.call("UpdateTimeToLive", TableName=TABLE, TimeToLiveSpecification=specification)
    while count(client) == EXPIRED + LEFT:  # bound: items expire, or the test runs out of time
        continue
    server.kill()
    client.close()
    assert verify(tmp_path) == ""

    server = Server(tmp_path)
    client = Client(server.url)
    until(lambda: count(client) <= LEFT)
    assert client.call("Scan", TableName=TABLE, Select="COUNT")["Count"] == LEFT
    arn = client.call("DescribeTable", TableName=TABLE)["Table"]["LatestStreamArn"]
    records = changes_of(client, arn)
    removed = [record for record in records if record["eventName"] == "REMOVE"]
    keys = Counter(record["dynamodb"]["Keys"]["pk"]["S"] for record in removed)
    assert keys == Counter(f"over-{n}" for n in range(EXPIRED))
    assert {record["userIdentity"]["PrincipalId"] for record in removed} == {
        "dynamodb.amazonaws.com"
    }
    client.close()
    assert server.terminate() == 0
    assert verify(tmp_path) == ""
