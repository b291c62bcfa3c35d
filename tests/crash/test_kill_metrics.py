"""kill -9 of a server: its metrics survive, but for those of the last minute."""

import time

from hashrange.testing_pages import ServerClock
from tests.api.conftest import client_of
from tests.api.metrics import MINUTE, put, statistics
from tests.crash.server import Server

TABLE = "orders"
DIMENSIONS = [{"Name": "TableName", "Value": TABLE}]


def units(client, began):
    found = statistics(
        client,
        "AWS/DynamoDB",
        began,
        began + 10 * MINUTE,
        name="ConsumedWriteCapacityUnits",
        period=10 * MINUTE,
        Dimensions=DIMENSIONS,
    )
    return sum(each["Sum"] for each in found)


def test_metrics_survive_but_for_the_last_minute(tmp_path):
    began = int(time.time()) // MINUTE * MINUTE - MINUTE
    server = Server(tmp_path / "data", "--testing")
    dynamodb, cloudwatch = client_of(server.url), client_of(server.url, "cloudwatch")
    dynamodb.create_table(
        TableName=TABLE,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    for number in range(10):
        dynamodb.put_item(TableName=TABLE, Item={"pk": {"S": str(number)}})
    ServerClock(server.url).advance(seconds=MINUTE + 1)
    assert units(cloudwatch, began) == 10
    for number in range(3):
        dynamodb.put_item(TableName=TABLE, Item={"pk": {"S": str(number)}})
    # What programs put is durable when it is answered.
    put(cloudwatch, "App", {began: 7.0})
    server.kill()
    server = Server(tmp_path / "data", "--testing")
    cloudwatch = client_of(server.url, "cloudwatch")
    assert units(cloudwatch, began) in {10, 13}
    (kept,) = statistics(cloudwatch, "App", began, began + MINUTE)
    assert kept["Sum"] == 7.0
    assert server.terminate() == 0
