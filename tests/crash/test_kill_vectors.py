"""kill -9 of the real server under writers of a table with a vector index, and searches."""

import http.client
import math
import random
import threading
from pathlib import Path
from typing import Any

from hashrange.storage.sqlite.directory import VECTORS
from tests.api.vectors import listed, vector, vector_index
from tests.crash.server import Client, Server, verify
from tests.pace import seconds, until

TABLE = "Vectors"
ITEMS = 60
ROUNDS = 3
WRITERS = 2
TOP = 20
DIMENSIONS = 4096
SEED = 20261128


class Writers:
    """Threads that put and delete items, and search, until the server is killed."""

    def __init__(self, url: str, rng: random.Random, kill_after: int) -> None:
        self.enough = threading.Event()
        self.acknowledged: dict[str, dict[str, Any] | None] = {}
        """By key the item of the last write that was answered; None for one that was deleted."""
        self.unknown: set[str] = set()
        """Keys of writes without an answer."""
        self._left = kill_after
        self._threads = [
            threading.Thread(target=self._write, args=(url, random.Random(rng.random()), number))
            for number in range(WRITERS)
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, url: str, rng: random.Random, number: int) -> None:
        client = Client(url)
        try:
            while True:  # bound: the server is killed
                key = f"{number}-{rng.randrange(ITEMS)}"
                self.unknown.add(key)
                if rng.random() < 0.2:
                    client.call("DeleteItem", TableName=TABLE, Key={"pk": {"S": key}})
                    self.acknowledged[key] = None
                else:
                    item = item_of(rng, key)
                    client.call("PutItem", TableName=TABLE, Item=item)
                    self.acknowledged[key] = item
                self.unknown.discard(key)
                if rng.random() < 0.1:
                    search(client, rng)
                self._left -= 1
                if self._left <= 0:
                    self.enough.set()
        except (OSError, http.client.HTTPException):
            pass  # the server was killed, maybe in the middle of an answer
        finally:
            client.close()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(seconds(60))


def item_of(rng: random.Random, key: str) -> dict[str, Any]:
    return {"pk": {"S": key}, "emb": listed(*(rng.randrange(-9, 10) for _ in range(3)))}


def search(client: Client, rng: random.Random) -> tuple[list[int], list[dict[str, Any]]]:
    """A query, and what it finds."""
    query = [rng.randrange(-9, 10) for _ in range(3)]
    answer = client.call(
        "SearchVectors",
        TableName=TABLE,
        IndexName="vix",
        SearchVector=vector(*query),
        TopK=TOP,
    )
    return query, answer["SearchResults"]


def check(client: Client, rng: random.Random) -> dict[str, dict[str, Any]]:
    """Searches find the best of the items that a scan reads; the items by their keys."""
    items = {each["pk"]["S"]: each for each in client.call("Scan", TableName=TABLE)["Items"]}
    for _ in range(5):
        query, found = search(client, rng)
        best = sorted(math.dist(query, numbers_of(item)) for item in items.values())[:TOP]
        assert [each["Score"] for each in found] == best
        assert all(each["Item"]["pk"]["S"] in items for each in found)
    return items


def numbers_of(item: dict[str, Any]) -> list[float]:
    return [float(each["N"]) for each in item["emb"]["L"]]


def large_item(rng: random.Random, key: str) -> dict[str, Any]:
    """An item with a vector of which some hundred are enough for a file."""
    return {"pk": {"S": key}, "emb": listed(*(rng.randrange(-9, 10) for _ in range(DIMENSIONS)))}


def check_large(client: Client, rng: random.Random, items: dict[str, dict[str, Any]]) -> None:
    """A search finds the best of the items."""
    query = [rng.randrange(-9, 10) for _ in range(DIMENSIONS)]
    request = {"TableName": TABLE, "IndexName": "vix", "SearchVector": vector(*query), "TopK": TOP}
    found = client.call("SearchVectors", **request)["SearchResults"]
    ranked = sorted((math.dist(query, numbers_of(item)), key) for key, item in items.items())
    assert [(each["Score"], each["Item"]["pk"]["S"]) for each in found] == ranked[:TOP]


# After each kill the file of the vectors is as it was, cut off, or older than the last writes; the
# index is also made again under its name.
def test_files_of_vectors_change_no_search(tmp_path: Path) -> None:
    rng, directory = random.Random(SEED), tmp_path / "data"
    folder = directory / VECTORS
    items: dict[str, dict[str, Any]] = {}
    for round_ in range(4):
        server = Server(directory)
        client = Client(server.url)
        index = vector_index(DistanceFunction="EUCLIDEAN", Dimensions=DIMENSIONS)
        if not round_:
            table = {
                "TableName": TABLE,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            }
            client.call("CreateTable", **table, VectorIndexes=[index])
            items = {str(number): large_item(rng, str(number)) for number in range(150)}
            for item in items.values():
                client.call("PutItem", TableName=TABLE, Item=item)
        check_large(client, rng, items)
        until(lambda: len([*folder.iterdir()]) == 1)  # the file of an index that is gone is deleted
        (file,) = folder.iterdir()
        for key in rng.sample([*items], 5):
            items[key] = large_item(rng, key)
            client.call("PutItem", TableName=TABLE, Item=items[key])
        gone = rng.choice([*items])
        del items[gone]
        client.call("DeleteItem", TableName=TABLE, Key={"pk": {"S": gone}})
        check_large(client, rng, items)
        if round_ == 1:
            for update in ({"Delete": {"IndexName": "vix"}}, {"Create": index}):
                client.call("UpdateTable", TableName=TABLE, VectorIndexUpdates=[update])
                until(lambda client=client: is_settled(client))
            check_large(client, rng, items)
        server.kill()
        client.close()
        if round_ == 2:
            content = file.read_bytes()
            file.write_bytes(content[: rng.randrange(len(content))])
    assert verify(directory) == ""


def is_settled(client: Client) -> bool:
    """Whether no index is being built or removed."""
    found = client.call("DescribeTable", TableName=TABLE)["Table"].get("VectorIndexes", [])
    return all(each["IndexStatus"] == "ACTIVE" for each in found)


def test_a_search_has_all_acknowledged_writes_after_a_kill(tmp_path: Path) -> None:
    rng, directory = random.Random(SEED), tmp_path / "data"
    for round_ in range(ROUNDS):
        server = Server(directory)
        client = Client(server.url)
        if not round_:
            client.call(
                "CreateTable",
                TableName=TABLE,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                VectorIndexes=[vector_index(DistanceFunction="EUCLIDEAN")],
            )
        writers = Writers(server.url, rng, kill_after=150)
        assert writers.enough.wait(seconds(60)), "the writers stand still"
        server.kill()
        client.close()
        writers.join()
        assert verify(directory) == ""
        server = Server(directory)
        client = Client(server.url)
        items = check(client, rng)
        for key, item in writers.acknowledged.items():
            assert key in writers.unknown or items.get(key) == item, key
        client.close()
        assert server.terminate() == 0
