"""Write, kill -9, look: what was acknowledged is there, and nothing but what was under way besides.

Each writer has items of its own and one request under way at most, so what every item may be after
the kill is known exactly: as it was last acknowledged, or as the request under way makes it.
"""

import http.client
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.api.streams import Consumer
from tests.crash.server import Client, Server, verify
from tests.pace import seconds

WRITERS = 6
ITEMS = 12
WRITES_MAX = 800
TABLE = "Survivors"
STREAM_OPTIONS = ("--stream-shards", "2", "--stream-shard-seconds", "1")
"""Shards follow each other while there are writes."""

State = dict[str, Any] | None
"""An item, or none."""


class Writer:
    """One client that writes until the server is gone, and knows what it may find afterwards."""

    def __init__(self, number: int, seed: int) -> None:
        self._partition = f"w{number}"
        self._random = random.Random(f"{seed}/{number}")
        self._sequence = 0
        self.acknowledged: dict[str, State] = {}
        self.under_way: dict[str, State] = {}

    def key(self, item: int) -> dict[str, Any]:
        return {"pk": {"S": self._partition}, "sk": {"N": str(item)}}

    def write(self, url: str, on_acknowledged: Callable[[], None]) -> None:
        """Write until the connection breaks."""
        client = Client(url)
        try:
            while True:  # bound: until the server is killed
                operation, request, self.under_way = self._next()
                client.call(operation, **request)
                self.acknowledged.update(self.under_way)
                self.under_way = {}
                on_acknowledged()
        except (OSError, http.client.HTTPException):
            return
        except RuntimeError as error:
            # Of a process that was to write: nobody knows whether it did.
            if "InternalServerError" not in str(error):
                raise
        finally:
            client.close()

    def settle(self, found: dict[str, State]) -> None:
        """Compare what is there with what may be, and go on from it.

        Raises AssertionError: an acknowledged write is lost, or something else is there.
        """
        for item in map(str, range(ITEMS)):
            allowed = [self.acknowledged.get(item)]
            if item in self.under_way:
                allowed.append(self.under_way[item])
            assert found.get(item) in allowed, (
                f"{self._partition}/{item}: found {_brief(found.get(item))}, "
                f"but may be one of {[_brief(state) for state in allowed]}"
            )
        self.acknowledged, self.under_way = dict(found), {}

    def _next(self) -> tuple[str, dict[str, Any], dict[str, State]]:
        """A random request, and what it makes of the items."""
        self._sequence += 1
        item = self._random.randrange(ITEMS)
        before = self.acknowledged.get(str(item))
        match self._random.choice(["put", "put", "update", "delete", "batch", "transaction"]):
            case "put":
                return self._put(item)
            case "update":
                return self._update(item, before)
            case "delete":
                request = {"TableName": TABLE, "Key": self.key(item)}
                return "DeleteItem", request, {str(item): None}
            case "batch":
                return self._batch()
            case _:
                return self._transaction()

    def _put(self, item: int) -> tuple[str, dict[str, Any], dict[str, State]]:
        after = self._image(item)
        return "PutItem", {"TableName": TABLE, "Item": after}, {str(item): after}

    def _update(self, item: int, before: State) -> tuple[str, dict[str, Any], dict[str, State]]:
        count = int((before or {}).get("count", {"N": "0"})["N"]) + 1
        after = {**(before or self.key(item)), "count": {"N": str(count)}}
        request = {
            "TableName": TABLE,
            "Key": self.key(item),
            "UpdateExpression": "ADD #c :one",
            "ExpressionAttributeNames": {"#c": "count"},
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        return "UpdateItem", request, {str(item): after}

    def _batch(self) -> tuple[str, dict[str, Any], dict[str, State]]:
        items = self._random.sample(range(ITEMS), 5)
        puts = {str(item): self._image(item) for item in items[:3]}
        states: dict[str, State] = {**puts, **{str(item): None for item in items[3:]}}
        writes = [{"PutRequest": {"Item": image}} for image in puts.values()]
        deletes = [{"DeleteRequest": {"Key": self.key(item)}} for item in items[3:]]
        return "BatchWriteItem", {"RequestItems": {TABLE: [*writes, *deletes]}}, states

    def _transaction(self) -> tuple[str, dict[str, Any], dict[str, State]]:
        """Of it there must be all or nothing, which `settle` does not ask: transfers do."""
        items = self._random.sample(range(ITEMS), 4)
        puts = {str(item): self._image(item) for item in items[:3]}
        states: dict[str, State] = {**puts, str(items[3]): None}
        actions = [{"Put": {"TableName": TABLE, "Item": image}} for image in puts.values()]
        actions.append({"Delete": {"TableName": TABLE, "Key": self.key(items[3])}})
        token = f"{self._partition}/{self._sequence}"
        return "TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": token}, states

    def _image(self, item: int) -> dict[str, Any]:
        text = f"{self._sequence}:" + "x" * self._random.choice([10, 500, 20_000])
        return {**self.key(item), "text": {"S": text}, "seq": {"N": str(self._sequence)}}


def _brief(state: State) -> str:
    return "nothing" if state is None else f"{state.get('seq')}, {state.get('count')}"


def make_table(directory: Path) -> str:
    """Create the table and kill the server: what it answered must survive that.

    It has an index and a stream, which `verify` compares with the items after each kill.

    Returns:
        The ARN of the stream.
    """
    server = Server(directory, *STREAM_OPTIONS)
    client = Client(server.url)
    answer = client.call(
        "CreateTable",
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
            {"AttributeName": "seq", "AttributeType": "N"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-seq",
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "seq", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    client.close()
    server.kill()
    return str(answer["TableDescription"]["LatestStreamArn"])


def items_of(client: Client, number: int) -> dict[str, State]:
    """A writer's items as they are now."""
    answer = client.call(
        "Query",
        TableName=TABLE,
        ConsistentRead=True,
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": {"S": f"w{number}"}},
    )
    return {item["sk"]["N"]: item for item in answer["Items"]}


class Rounds:
    """Rounds on one directory; every kill comes after a number of acknowledged writes.

    Args:
        directory: of the data.
        seed: of what is written, and when it is killed.
        server: the kind of server.
        kill: what is done to it, after which it has ended.
        writes_max: the most that are acknowledged before a kill.
    """

    def __init__(
        self,
        directory: Path,
        seed: int,
        *,
        server: type[Server] = Server,
        kill: Callable[[Any], None] = Server.kill,
        writes_max: int = WRITES_MAX,
    ) -> None:
        self._server = server
        self._kill = kill
        self._writes_max = writes_max
        self._directory = directory
        self._random = random.Random(seed)
        self._writers = [Writer(number, seed) for number in range(WRITERS)]
        self.kills = 0
        self.acknowledged = 0
        # It keeps its checkpoints over the kills, as a program would that is not killed.
        self._consumer = Consumer(make_table(directory))

    def run(self) -> None:
        """One kill, and a look at all items after it."""
        server = self._server(self._directory, *STREAM_OPTIONS)
        self._look(server.url)
        enough = threading.Event()
        left = self._random.randint(1, self._writes_max)
        lock = threading.Lock()

        def count() -> None:
            nonlocal left
            with lock:
                left -= 1
                self.acknowledged += 1
                if left == 0:
                    enough.set()

        threads = [
            threading.Thread(target=writer.write, args=(server.url, count))
            for writer in self._writers
        ]
        for thread in threads:
            thread.start()
        came_far = enough.wait(seconds(60))
        self._kill(server)
        for thread in threads:
            thread.join(seconds(60))
        assert came_far, "the writers stand still"
        self.kills += 1
        findings = verify(self._directory)
        assert not findings, findings

    def close(self) -> None:
        """The last look, and an orderly end."""
        server = self._server(self._directory, *STREAM_OPTIONS)
        self._look(server.url)
        assert server.terminate() == 0, "SIGTERM must end in exit code 0"

    def _look(self, url: str) -> None:
        client = Client(url)
        items: list[State] = []
        for number, writer in enumerate(self._writers):
            found = items_of(client, number)
            writer.settle(found)
            items += found.values()
        streamed = self._consumer.catch_up(client)
        assert len(streamed) == len(items), "the stream tells of other items than there are"
        assert all(item in streamed.values() for item in items)
        client.close()
