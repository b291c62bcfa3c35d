"""kill -9 of the real server while it builds and removes an index under writers."""

import http.client
import random
import threading
from pathlib import Path
from typing import Any

from tests.api.indexes import attributes, index_of, projected, schema
from tests.crash.server import Client, Server, verify
from tests.pace import seconds

TABLE = "Indexed"
ITEMS = 2500
WRITERS = 3
BY_G = index_of("by-g", "g", sort=("n",), **projected("INCLUDE", "seq"))
SEED = 20261121


def item_of(rng: random.Random, number: int, seq: int) -> dict[str, Any]:
    """An item; one in three belongs into the index."""
    item = {"pk": {"S": f"p{number % 7}"}, "sk": {"N": str(number)}, "seq": {"N": str(seq)}}
    if rng.random() < 0.6:
        item["g"] = {"S": rng.choice("ab")}
    if rng.random() < 0.6:
        item["n"] = {"N": str(rng.randrange(3))}
    return item


def fill(client: Client, rng: random.Random) -> None:
    """Items from before the index: some of them have what cannot be a key of it."""
    client.call(
        "CreateTable",
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=attributes(pk="S", sk="N", at="S"),
        KeySchema=schema("pk", sort=("sk",)),
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("at",))],
    )
    items = [item_of(rng, number, 0) for number in range(ITEMS)]
    for item in rng.sample(items, ITEMS // 10):
        item[rng.choice("gn")] = rng.choice([{"BOOL": True}, {"B": "AA=="}])
    for start in range(0, ITEMS, 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        client.call("BatchWriteItem", RequestItems={TABLE: puts})


class Writers:
    """Threads that put, change and delete items until the server is gone or they are told to."""

    def __init__(self, url: str, rng: random.Random, kill_after: int) -> None:
        self.enough = threading.Event()
        self._stop = threading.Event()
        self._left = kill_after
        self._threads = [
            threading.Thread(target=self._write, args=(url, random.Random(rng.random())))
            for _ in range(WRITERS)
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, url: str, rng: random.Random) -> None:
        client = Client(url)
        try:
            while not self._stop.is_set():  # bound: the server is killed, or the test stops them
                item = item_of(rng, rng.randrange(ITEMS), rng.randrange(1000))
                if rng.random() < 0.2:
                    key = {name: item[name] for name in ("pk", "sk")}
                    client.call("DeleteItem", TableName=TABLE, Key=key)
                else:
                    client.call("PutItem", TableName=TABLE, Item=item)
                self._left -= 1
                if self._left <= 0:
                    self.enough.set()
        except (OSError, http.client.HTTPException):
            pass  # the server was killed, maybe in the middle of an answer
        finally:
            client.close()

    def join(self) -> None:
        """Wait for their end."""
        self._stop.set()
        for thread in self._threads:
            thread.join(seconds(60))


def indexes_of(client: Client) -> list[dict[str, Any]]:
    """The global indexes as they are described."""
    table = client.call("DescribeTable", TableName=TABLE)["Table"]
    return list(table.get("GlobalSecondaryIndexes", []))


def killed(directory: Path, rng: random.Random, change: dict[str, Any], kill_after: int) -> str:
    """Ask for a change and kill the server some writes later; the status that was last seen."""
    server = Server(directory)
    client = Client(server.url)
    writers = Writers(server.url, rng, kill_after)
    client.call(
        "UpdateTable",
        TableName=TABLE,
        AttributeDefinitions=attributes(g="S", n="N"),
        GlobalSecondaryIndexUpdates=[change],
    )
    assert writers.enough.wait(seconds(60)), "the writers stand still"
    status = next((index["IndexStatus"] for index in indexes_of(client)), "GONE")
    server.kill()
    client.close()
    writers.join()
    assert verify(directory) == ""
    return status


def finished(directory: Path, rng: random.Random, count: int) -> None:
    """Let a new server bring to its end what was left undone, under writers; then look."""
    server = Server(directory)
    client = Client(server.url)
    writers = Writers(server.url, rng, 1)
    # bound: the server finishes it, or the test runs out of time
    while [each["IndexStatus"] for each in indexes_of(client)] != ["ACTIVE"] * count:
        continue
    writers.join()
    if count:
        check(client)
    client.close()
    assert server.terminate() == 0
    assert verify(directory) == ""


def walk(client: Client, **request: Any) -> list[dict[str, Any]]:
    """All items of a scan."""
    found: list[dict[str, Any]] = []
    while True:  # bound: each page begins after the one before
        answer = client.call("Scan", TableName=TABLE, **request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def check(client: Client) -> None:
    """The index has every item that belongs into it, as it is now, and no other."""
    expected = {
        item["sk"]["N"]: item
        for item in walk(client)
        if "S" in item.get("g", {}) and "N" in item.get("n", {})
    }
    found = walk(client, IndexName="by-g")
    assert {item["sk"]["N"]: item for item in found} == expected
    assert len(found) == len(expected)
    (index,) = indexes_of(client)
    assert index["ItemCount"] == len(expected) > 0


def test_an_index_survives_kills_while_it_is_built_and_removed(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    directory = tmp_path / "data"
    server = Server(directory)
    client = Client(server.url)
    fill(client, rng)
    client.close()
    assert server.terminate() == 0
    created = killed(directory, rng, {"Create": BY_G}, kill_after=20)
    finished(directory, rng, 1)
    deleted = killed(directory, rng, {"Delete": {"IndexName": "by-g"}}, kill_after=1)
    finished(directory, rng, 0)
    # At least once it was killed in the middle.
    assert "CREATING" in created or "DELETING" in deleted
