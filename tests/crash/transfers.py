"""Transfers between accounts, kill -9, and the same transfers again: each is done exactly once.

Every transfer has a token, and counts itself in an item of its client. What was under way when the
server was killed is sent again after the restart, and so is what had been acknowledged: then each
account has what all transfers together make of it, whichever of them the kill has met.
"""

import http.client
import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.pace import seconds

CLIENTS = 5
ACCOUNTS = 8
BALANCE = 1000
TABLE = "Accounts"

Transfer = dict[str, Any]
"""A request."""


class Calls(Protocol):
    """A client."""

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        """See `Client.call`."""


class Mover:
    """One client that moves money until the server is gone."""

    def __init__(self, number: int, seed: int) -> None:
        self.name = f"client-{number}"
        self._random = random.Random(f"{seed}/{number}")
        self._sequence = 0
        self.done: list[Transfer] = []
        self.under_way: Transfer | None = None
        self.moved: Counter[str] = Counter()

    def move(self, url: str, on_done: Callable[[], None]) -> None:
        """Move until the connection breaks."""
        client = Client(url)
        try:
            self.move_with(client, on_done)
        finally:
            client.close()

    def move_with(self, client: Calls, on_done: Callable[[], None]) -> None:
        """As `move`, through a client of whatever kind, until it has no server any more."""
        try:
            while True:  # bound: until the server is killed
                self.under_way = self.next_transfer()
                self._finish(client)
                on_done()
        except (OSError, http.client.HTTPException):
            return

    def settle(self, client: Calls) -> None:
        """Send what was under way, and what was done last, again."""
        if self.under_way is not None:
            self._finish(client)
        for transfer in self.done[-3:]:
            units = client.call("TransactWriteItems", **transfer)["ConsumedCapacity"][0]
            assert "ReadCapacityUnits" in units, f"{transfer} was done a second time"

    def _finish(self, client: Calls) -> None:
        """Send until nobody else is at the accounts; then it is done."""
        transfer = self.under_way
        assert transfer is not None
        while True:  # bound: others make way, each after one group of writes
            try:
                client.call("TransactWriteItems", **transfer)
            except RuntimeError as refused:
                if "TransactionConflict" not in str(refused):
                    raise
            else:
                break
        self.done.append(transfer)
        self.under_way = None
        for action in transfer["TransactItems"]:
            change = action["Update"]["ExpressionAttributeValues"][":change"]["N"]
            self.moved[action["Update"]["Key"]["pk"]["S"]] += int(change)

    def next_transfer(self) -> Transfer:
        self._sequence += 1
        one, other = self._random.sample(range(ACCOUNTS), 2)
        amount = self._random.randint(1, 50)
        changes = {f"account-{one}": -amount, f"account-{other}": amount, self.name: 1}
        return {
            "TransactItems": [
                {
                    "Update": {
                        "TableName": TABLE,
                        "Key": {"pk": {"S": name}},
                        "UpdateExpression": "ADD holds :change",
                        "ExpressionAttributeValues": {":change": {"N": str(change)}},
                    }
                }
                for name, change in changes.items()
            ],
            "ClientRequestToken": f"{self.name}/{self._sequence}",
            "ReturnConsumedCapacity": "TOTAL",
        }


def make_accounts(directory: Path) -> None:
    """Create the table with the accounts, and kill the server."""
    server = Server(directory)
    client = Client(server.url)
    client.call(
        "CreateTable",
        TableName=TABLE,
        **keyed(pk="S"),
    )
    names = [f"account-{number}" for number in range(ACCOUNTS)]
    puts = [
        {"Put": {"TableName": TABLE, "Item": {"pk": {"S": name}, "holds": {"N": str(BALANCE)}}}}
        for name in names
    ]
    client.call("TransactWriteItems", TransactItems=puts)
    client.close()
    server.kill()


def holdings(client: Calls, names: list[str]) -> dict[str, int]:
    """What accounts and clients hold, at one moment."""
    gets = [{"Get": {"TableName": TABLE, "Key": {"pk": {"S": name}}}} for name in names]
    responses = client.call("TransactGetItems", TransactItems=gets)["Responses"]
    return {
        name: int(response["Item"]["holds"]["N"]) if response else 0
        for name, response in zip(names, responses, strict=True)
    }


class Transfers:
    """Rounds on one directory; each ends with a kill, and with a look at all accounts."""

    def __init__(self, directory: Path, seed: int, *, transfers_max: int = 300) -> None:
        self._directory = directory
        self._transfers_max = transfers_max
        self._random = random.Random(seed)
        self._movers = [Mover(number, seed) for number in range(CLIENTS)]
        self._names = [f"account-{number}" for number in range(ACCOUNTS)]
        self.kills = 0
        make_accounts(directory)

    @property
    def done(self) -> int:
        """Transfers so far."""
        return sum(len(mover.done) for mover in self._movers)

    def run(self) -> None:
        """Move, kill, and look."""
        server = Server(self._directory)
        enough = threading.Semaphore(0)
        threads = [
            threading.Thread(target=mover.move, args=(server.url, enough.release))
            for mover in self._movers
        ]
        for thread in threads:
            thread.start()
        came_far = all(
            enough.acquire(timeout=seconds(60))
            for _ in range(self._random.randint(1, self._transfers_max))
        )
        server.kill()
        for thread in threads:
            thread.join(seconds(60))
        assert came_far, "the transfers stand still"
        self.kills += 1
        findings = verify(self._directory)
        assert not findings, findings
        self._look()

    def _look(self) -> None:
        server = Server(self._directory)
        client = Client(server.url)
        held = holdings(client, self._names)
        assert sum(held.values()) == ACCOUNTS * BALANCE, f"half a transfer: {held}"
        for mover in self._movers:
            mover.settle(client)
        self.compare(holdings(client, [*self._names, *(mover.name for mover in self._movers)]))
        client.close()
        server.kill()

    def compare(self, held: dict[str, int]) -> None:
        """Raises AssertionError: something was done twice, or not at all."""
        moved: Counter[str] = Counter()
        for mover in self._movers:
            moved.update(mover.moved)
        for name, holds in held.items():
            expected = moved[name] + (BALANCE if name in self._names else 0)
            assert holds == expected, f"{name} holds {holds}, but it should be {expected}"
