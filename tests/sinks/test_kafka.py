"""Kafka as a target, recorded: a double of the REST API v2, which has topics of partitions."""

import json
import zlib

import pytest

from tests.scanning.filled import make, numbered, put
from tests.sinks.recorded import Recorded

PARTITIONS = 3
ITEMS = 130


class Proxy(Recorded):
    """What the proxy does with a POST of records.

    Source: Confluent's documentation, "REST Proxy API Reference", API v2, Topics.
    """

    def __init__(self):
        self.partitions = [[] for _ in range(PARTITIONS)]
        self.errors = []
        super().__init__()

    def answer(self, path, body):
        if path != "/topics/orders":
            return 404, {"error_code": 40401, "message": "Topic not found."}
        return 200, {"offsets": [self._stored(each) for each in json.loads(body)["records"]]}

    def _stored(self, record):
        if self.errors:
            error = self.errors.pop()
            return {"partition": None, "offset": None, "error_code": 50003, "error": error}
        key = json.dumps(record.get("key")).encode()
        number = zlib.crc32(key) % PARTITIONS
        self.partitions[number].append(record)
        offset = len(self.partitions[number]) - 1
        return {"partition": number, "offset": offset, "error_code": None, "error": None}

    def values_of(self, pk):
        """The values of an item, by partition."""
        found = [
            [each["value"] for each in records if each.get("key") == {"pk": {"S": pk}}]
            for records in self.partitions
        ]
        return [values for values in found if values]


@pytest.fixture
def proxy():
    proxy = Proxy()
    yield proxy
    proxy.close()


def test_changes_of_an_item_are_in_one_partition_in_order(client, proxy, replicate):
    make(client)
    put(client, numbered(ITEMS))
    replicate(f"kafka:{proxy.url}", "--header", "Authorization: Basic x")
    put(client, [{"pk": {"S": "order-0001"}, "n": {"N": str(number)}} for number in range(5)])
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    replicate(f"kafka:{proxy.url}")
    (values,) = proxy.values_of("order-0001")
    names = [value["eventName"] for value in values]
    assert names == ["INSERT", *["MODIFY"] * 5, "REMOVE"]
    versions = [int(value["version"]) for value in values]
    assert versions == sorted(set(versions))
    assert sum(map(len, proxy.partitions)) == ITEMS + 1 + 6
    assert [proxy.headers[0][name] for name in ("Authorization", "Content-Type")] == [
        "Basic x",
        "application/vnd.kafka.json.v2+json",
    ]
    (end,) = (each for records in proxy.partitions for each in records if "key" not in each)
    assert end["value"] == {"eventName": "SNAPSHOT_END", "tableName": "orders", "version": "0"}


def test_record_that_is_not_stored_is_sent_again(client, proxy, replicate):
    make(client)
    put(client, numbered(1))
    proxy.errors = ["planted"]
    printed = replicate(f"kafka:{proxy.url}").stderr
    assert "/topics/orders did not store a record: planted; will retry" in printed
    assert len(proxy.values_of("order-0000")) == 1
