"""Histories of a few items: what concurrent clients sent to several servers, and were answered."""

import http.client
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any, Protocol, Self

from tests.crash.server import Client
from tests.model.linearizability import Action, Add, Call, Read, Remove, Swap, Write, order_of
from tests.pace import SECONDS_MAX

TABLE = "Registers"
NOTHING_HAPPENED = {
    "ReplicatedWriteConflictException",
    "ServiceUnavailable",
    "ThrottlingException",
    "TransactionConflictException",
}
PAUSE_SECONDS = 0.01
"""After a call that had no answer: its server may be gone."""
_CLIENTS = 6


def request_of(action: Action, key: str) -> tuple[str, dict[str, Any]]:
    """The operation, and the request whose answer shows what `Call.answer` wants."""
    request: dict[str, Any] = {"TableName": TABLE, "Key": {"pk": {"S": key}}}
    match action:
        case Read():
            return "GetItem", {**request, "ConsistentRead": True}
        case Remove():
            return "DeleteItem", {**request, "ReturnValues": "ALL_OLD"}
        case Write(value=value):
            item = {**request.pop("Key"), "v": {"N": str(value)}}
            return "PutItem", {**request, "Item": item, "ReturnValues": "ALL_OLD"}
        case Add(amount=amount):
            values = {":n": {"N": str(amount)}}
            changes = {"UpdateExpression": "ADD v :n", "ReturnValues": "UPDATED_NEW"}
            return "UpdateItem", {**request, **changes, "ExpressionAttributeValues": values}
        case Swap(expected=expected, value=value):
            values = {":new": {"N": str(value)}}
            condition = "attribute_not_exists(v)"
            if expected is not None:
                values[":old"], condition = {"N": str(expected)}, "v = :old"
            changes = {
                "UpdateExpression": "SET v = :new",
                "ConditionExpression": condition,
                "ExpressionAttributeValues": values,
                "ReturnValues": "ALL_OLD",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
            return "UpdateItem", {**request, **changes}


def shown(answer: dict[str, Any]) -> int | None:
    """The value in an answer, or None for no item."""
    item = answer.get("Item") or answer.get("Attributes")
    return int(item["v"]["N"]) if item else None


def answered(call: Callable[[], dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The name of the error, if it is one that may come here, and what was answered."""
    try:
        return "", call()
    except RuntimeError as error:
        members: dict[str, Any] = error.args[0]
    code = members["__type"].rpartition("#")[2]
    if code not in {*NOTHING_HAPPENED, "InternalServerError", "ConditionalCheckFailedException"}:
        raise AssertionError(members)
    return code, members


class Place(Protocol):
    """Servers at which clients call."""

    @property
    def urls(self) -> list[str]:
        """Those that there are now."""

    def client(self, url: str) -> Client:
        """A client of one of them."""

    def create(self, table: str) -> None:
        """Create a table with the key `pk`."""


class Lane:
    """One client: it calls whichever server, and notes what it was answered, and when.

    Attributes:
        target: the URL of the server that it called last.
    """

    def __init__(self, number: int, fleet: Place, keys: Sequence[str], seed: int) -> None:
        self.calls: dict[str, list[Call]] = defaultdict(list)
        self.target: str | None = None
        self._random = Random(f"{seed}/{number}")
        self._number = number
        self._fleet = fleet
        self._keys = keys
        self._clients: dict[str, Client] = {}
        self._seen: int | None = None
        self._count = 0

    def step(self) -> bool:
        """One call; whether it was answered."""
        urls = self._fleet.urls
        if not urls:
            return False
        key, url = self._random.choice(self._keys), self._random.choice(urls)
        action = self._action()
        called, answer, returned = time.monotonic_ns(), None, None
        self.target = url
        try:
            client = self._clients.get(url) or self._clients.setdefault(
                url, self._fleet.client(url)
            )
            operation, request = request_of(action, key)
            code, members = answered(partial(client.call, operation, **request))
        except ConnectionRefusedError:
            return False
        except (OSError, http.client.HTTPException):
            self._clients.pop(url).close()
        else:
            if code in NOTHING_HAPPENED:
                return False
            if code != "InternalServerError":
                returned, answer = time.monotonic_ns(), shown(members)
                self._seen = answer
        if returned is not None or not isinstance(action, Read):
            self.calls[key].append(
                Call(action=action, called=called, returned=returned, answer=answer)
            )
        return returned is not None

    def _action(self) -> Action:
        """Each written value is written by nobody else, but for sums."""
        self._count += 1
        new = (self._count * _CLIENTS + self._number) * 1000
        match self._random.randrange(8):
            case 0 | 1:
                return Read()
            case 2 | 3:
                return Add(1)
            case 4 | 5:
                return Swap(self._seen, new)
            case 6:
                return Write(new)
            case _:
                return Remove()

    def close(self) -> None:
        for client in self._clients.values():
            client.close()


class Recorder:
    """Clients at work on one fleet, and their histories by key."""

    def __init__(self, fleet: Place, seed: int, *, keys: int = 3) -> None:
        fleet.create(TABLE)
        self._keys = [f"key-{number}" for number in range(keys)]
        self._lanes = [Lane(number, fleet, self._keys, seed) for number in range(_CLIENTS)]
        self._over = threading.Event()
        self._answered = threading.Semaphore(0)
        self._failures: list[BaseException] = []
        self._threads = [threading.Thread(target=self._run, args=(lane,)) for lane in self._lanes]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        for lane in self._lanes:
            lane.close()
        assert not self._failures, self._failures

    def further(self, count: int) -> None:
        """Wait for so many more answers."""
        for _ in range(count):
            assert self._failures or self._answered.acquire(timeout=SECONDS_MAX), "none comes"

    def is_called(self, url: str) -> bool:
        """Whether half of the clients called this server last, and wait for it if it is stopped."""
        return 2 * sum(lane.target == url for lane in self._lanes) >= len(self._lanes)

    def _run(self, lane: Lane) -> None:
        try:
            while not self._over.is_set():
                if lane.step():
                    self._answered.release()
                else:
                    self._over.wait(PAUSE_SECONDS)
        except BaseException as error:  # noqa: BLE001 - seen by who looks at the end
            self._failures.append(error)

    @property
    def histories(self) -> dict[str, list[Call]]:
        """All calls, by key."""
        return {
            key: [each for lane in self._lanes for each in lane.calls[key]] for key in self._keys
        }


def unexplained(histories: dict[str, list[Call]]) -> dict[str, list[Call]]:
    """Those that no order explains, in the order in which they began."""
    return {
        key: sorted(calls, key=lambda each: each.called)
        for key, calls in histories.items()
        if order_of(calls) is None
    }
