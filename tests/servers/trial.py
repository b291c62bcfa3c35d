"""Clients of three servers behind a balancer, and whether all that they were told is so at the end.

Servers are killed and the database is stopped meanwhile. The clients are boto3's, which send again
what was not answered: so each request here is one that may be done twice, or carries a token.
"""

import contextlib
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema
from tests.api.streams import replayed, streaming
from tests.crash.transfers import ACCOUNTS, BALANCE, CLIENTS, Mover, holdings
from tests.crash.transfers import TABLE as ACCOUNTS_TABLE
from tests.pace import SECONDS_MAX, seconds

TABLE = "Things"
WRITERS = 3
ITEMS = 10
GROUPS = 5
EXPIRES_EACH = 5
"""Of so many writes one is of an item whose time is over already."""
RETRIES = Config(
    retries={"mode": "standard", "max_attempts": 3},
    connect_timeout=seconds(5),
    read_timeout=SECONDS_MAX,
    parameter_validation=False,
)
SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


class Caller:
    """Asks again what boto3 gave up, until it is over; then it raises ConnectionError.

    Attributes:
        given_up: how often boto3 gave up.
    """

    def __init__(self, url: str, over: threading.Event | None = None) -> None:
        self.dynamodb = client_of(url, config=RETRIES)
        self.given_up = 0
        self._over = over or threading.Event()

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        """The answer. Raises RuntimeError for a refusal, with what was answered."""
        method = getattr(self.dynamodb, _METHODS[operation])
        while not self._over.is_set():
            try:
                return method(**request)
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code not in {"InternalServerError", "ServiceUnavailable", "ThrottlingException"}:
                    raise RuntimeError(error.response) from error
            except BotoCoreError:
                pass
            self.given_up += 1
            self._over.wait(0.02)
        raise ConnectionError("it is over")


_METHODS = {
    "PutItem": "put_item",
    "TransactGetItems": "transact_get_items",
    "TransactWriteItems": "transact_write_items",
}


class Putter:
    """Puts items of its own again and again, with versions that grow; some expire at once."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._sequence = 0
        self.tried: dict[str, list[int]] = defaultdict(list)
        self.acknowledged: dict[str, int] = {}
        self.expiring: list[str] = []

    def write(self, caller: Caller, on_done: Callable[[], None]) -> None:
        """Put until it is over."""
        try:
            while True:  # bound: until it is over
                self._put(caller)
                on_done()
        except ConnectionError:
            return

    def _put(self, caller: Caller) -> None:
        self._sequence += 1
        version = {"version": {"N": str(self._sequence)}}
        if self._sequence % EXPIRES_EACH == 0:
            name = f"expires-{self._number}-{self._sequence}"
            self.expiring.append(name)
            until = {"N": str(time.time_ns() // 10**9 - 60)}
            caller.call("PutItem", TableName=TABLE, Item={"pk": {"S": name}, "until": until})
            return
        name = f"stays-{self._number}-{self._sequence % ITEMS}"
        group = {"group": {"S": f"{self._sequence % GROUPS}"}}
        self.tried[name].append(self._sequence)
        caller.call("PutItem", TableName=TABLE, Item={"pk": {"S": name}, **version, **group})
        self.acknowledged[name] = self._sequence

    def check(self, items: dict[str, Any], changes: dict[str, list[int]]) -> None:
        """What is stored was acknowledged last, or was under way; and each version came once."""
        for name, tried in self.tried.items():
            acknowledged = self.acknowledged.get(name, 0)
            version = int(items[name]["version"]["N"]) if name in items else 0
            assert version in {acknowledged, tried[-1]}, f"{name}: {version}, not {acknowledged}"
            expected = [each for each in tried if each <= version]
            assert changes.get(name, []) == expected, f"{name}: the stream has {changes.get(name)}"
        for name in self.expiring:
            assert name not in items, f"{name} has not expired"


class Trial:
    """All clients at work behind one URL."""

    def __init__(self, url: str, seed: int) -> None:
        self.url = url
        self._over = threading.Event()
        self._done = threading.Semaphore(0)
        self._failures: list[BaseException] = []
        self._putters = [Putter(number) for number in range(WRITERS)]
        self._movers = [Mover(number, seed) for number in range(CLIENTS)]
        self._callers = [Caller(url, self._over) for _ in range(WRITERS + CLIENTS)]
        works = [
            *(putter.write for putter in self._putters),
            *(mover.move_with for mover in self._movers),
        ]
        self._threads = [
            threading.Thread(target=self._run, args=each)
            for each in zip(works, self._callers, strict=True)
        ]
        self._make_tables()

    def _make_tables(self) -> None:
        dynamodb = client_of(self.url, config=RETRIES)
        key = {"KeySchema": schema("pk"), "BillingMode": "PAY_PER_REQUEST"}
        definitions = attributes(pk="S")
        dynamodb.create_table(TableName=ACCOUNTS_TABLE, AttributeDefinitions=definitions, **key)
        self.accounts = [f"account-{number}" for number in range(ACCOUNTS)]
        for name in self.accounts:
            item = {"pk": {"S": name}, "holds": {"N": str(BALANCE)}}
            dynamodb.put_item(TableName=ACCOUNTS_TABLE, Item=item)
        dynamodb.create_table(
            TableName=TABLE, AttributeDefinitions=definitions, **key, **streaming()
        )
        specification = {"Enabled": True, "AttributeName": "until"}
        dynamodb.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=specification)

    def add_index(self) -> None:
        """While all are at work."""
        # Sent again because its answer was lost, it is refused: the index is there.
        with contextlib.suppress(ClientError):
            client_of(self.url, config=RETRIES).update_table(
                TableName=TABLE,
                AttributeDefinitions=attributes(pk="S", group="S"),
                GlobalSecondaryIndexUpdates=[{"Create": index_of("by-group", "group")}],
            )

    def _run(self, work: Callable[..., None], caller: Caller) -> None:
        try:
            work(caller, self._done.release)
        except BaseException as error:  # noqa: BLE001 - seen by who waits
            self._failures.append(error)

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def further(self, count: int) -> None:
        """Wait until so much more is done."""
        for _ in range(count):
            assert self._done.acquire(timeout=SECONDS_MAX), f"they stand still: {self._failures}"
            assert not self._failures, self._failures

    @property
    def given_up(self) -> int:
        """How often a client met a fault that it could not repair by itself."""
        return sum(caller.given_up for caller in self._callers)

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(SECONDS_MAX)
        assert not self._failures, self._failures

    def check_transfers(self) -> None:
        """Half a transfer changes the total; one done twice the count of who sent it."""
        caller = Caller(self.url)
        held = holdings(caller, self.accounts)
        assert sum(held.values()) == ACCOUNTS * BALANCE, f"half a transfer: {held}"
        for mover in self._movers:
            mover.settle(caller)
        names = [*self.accounts, *(mover.name for mover in self._movers)]
        moved: Counter[str] = Counter()
        for mover in self._movers:
            moved.update(mover.moved)
        for name, holds in holdings(caller, names).items():
            expected = moved[name] + (BALANCE if name in self.accounts else 0)
            assert holds == expected, f"{name} holds {holds}, but it should be {expected}"

    def items(self, **more: Any) -> dict[str, Any]:
        """The items of the table, or of an index."""
        pages = client_of(self.url, config=RETRIES).get_paginator("scan")
        found = [item for page in pages.paginate(TableName=TABLE, **more) for item in page["Items"]]
        items = {item["pk"]["S"]: item for item in found}
        assert len(items) == len(found), "an item twice"
        return items

    def is_settled(self) -> bool:
        """Whether the index is built, and all has expired that is to expire."""
        described = client_of(self.url, config=RETRIES).describe_table(TableName=TABLE)["Table"]
        indexes = described.get("GlobalSecondaryIndexes", [])
        statuses = [index["IndexStatus"] for index in indexes]
        return statuses == ["ACTIVE"] and not any(
            name.startswith("expires") for name in self.items()
        )

    def check_items(self, records: list[dict[str, Any]]) -> None:
        """Items as acknowledged, the index like the table, the stream like its changes."""
        items = self.items()
        grouped = {name: item for name, item in items.items() if "group" in item}
        assert self.items(IndexName="by-group") == grouped
        by_key = replayed(records)
        assert sorted(map(repr, by_key.values())) == sorted(map(repr, items.values()))
        changes: dict[str, list[int]] = defaultdict(list)
        for record in records:
            name = record["dynamodb"]["Keys"]["pk"]["S"]
            if record["eventName"] == "REMOVE":
                assert record["userIdentity"] == SERVICE, "nobody else deletes"
            elif name.startswith("stays"):
                changes[name].append(int(record["dynamodb"]["NewImage"]["version"]["N"]))
        for putter in self._putters:
            putter.check(items, changes)
