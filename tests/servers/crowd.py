"""Many clients of a server with workers, most of which read the same few items.

A stale read shows only if one worker has read a new value, and another one that is asked afterwards
still answers the value before it, from a snapshot that it had kept. A worker that is asked to write
keeps one, from before its write; one that is seldom asked begins a new one. So in most phases all
writes go to one worker, and reads come in pairs: of the other worker, and at once of this one.
"""

import asyncio
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from http import HTTPStatus
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

from hashrange.wire.exchange import target_of
from tests.api.refusals import table_request
from tests.crash.server import AUTHORIZATION, Client
from tests.model.linearizability import Action, Add, Call, Read, Remove, Swap, Write
from tests.pace import SECONDS_MAX
from tests.servers.histories import NOTHING_HAPPENED, TABLE, request_of, shown

CLIENTS: Final = 14
WRITERS: Final = 4
"""Those with the lowest numbers; the others only read."""
SIDES: Final = 2
"""Connections are handed to two workers in turn."""
PHASE_SECONDS: Final = 0.05
PAUSE_SECONDS_MAX: Final = 0.006
"""Of a client between two pairs of reads."""
RETRY_SECONDS: Final = 0.01
"""After a call without an answer: the process that writes may be gone."""


class Connection(asyncio.Protocol):
    """One HTTP connection, with one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = b""
        self._waiter: asyncio.Future[tuple[int, bytes]] | None = None
        self._lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        fields = head.lower().split(b"\r\n")
        lengths = [int(each[15:]) for each in fields if each.startswith(b"content-length:")]
        if len(body) < lengths[0]:
            return
        assert self._waiter is not None, "an answer that nobody asked for"
        waiter, self._waiter, self._received = self._waiter, None, b""
        if not waiter.done():
            waiter.set_result((int(head[9:12]), body))

    def connection_lost(self, _error: Exception | None) -> None:
        self._transport = None
        self._lost.set()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(ConnectionError("the server has closed the connection"))

    async def post(self, request: bytes) -> tuple[int, bytes]:
        """Status and body of the answer. Raises ConnectionError if none came."""
        if self._transport is None:
            raise ConnectionError("the server has closed the connection")
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await asyncio.wait_for(self._waiter, SECONDS_MAX)

    async def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
            await self._lost.wait()


def bytes_of(operation: str, request: dict[str, Any]) -> bytes:
    """A request as it goes over the wire."""
    body = json.dumps(request).encode()
    head = (
        f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
        f"X-Amz-Target: {target_of(operation).decode()}\r\nX-Amz-Date: 20260101T000000Z\r\n"
        f"Authorization: {AUTHORIZATION}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Round:
    """The calls of all clients to a few items that nobody used before."""

    def __init__(self, seed: int, keys: Sequence[str], answers: int) -> None:
        self.calls: dict[str, list[Call]] = defaultdict(list)
        self.keys = keys
        self._answers = answers
        self._answered = 0
        self._random = Random(f"{seed}/phases")
        self._phase_ends = 0.0
        self._values = itertools.count(1)
        self.busy_side: int | None = None
        """Of the worker that all writes go to, while reads come in pairs; None for either."""
        self._idle: frozenset[int] = frozenset()

    @property
    def is_over(self) -> bool:
        return self._answered >= self._answers

    def pause_seconds(self, number: int) -> float:
        """How long a client waits before its next call."""
        now = time.monotonic()
        if now >= self._phase_ends:
            self._phase_ends = now + PHASE_SECONDS
            self._begin_phase()
        if number in self._idle:
            return self._phase_ends - now
        if self.busy_side is None or number < WRITERS:
            return 0
        return self._random.uniform(0, PAUSE_SECONDS_MAX)

    def _begin_phase(self) -> None:
        self.busy_side = self._random.choice([None, *range(SIDES), *range(SIDES)])
        if self.busy_side is None:
            self._idle = frozenset()
            return
        writers = self._random.sample(range(WRITERS), WRITERS - self._random.randint(1, 2))
        readers = range(WRITERS, CLIENTS)
        active = self._random.randint(1, 3)
        self._idle = frozenset([*writers, *self._random.sample(readers, len(readers) - active)])

    def note(self, key: str, call: Call) -> None:
        """What is known of a call."""
        self.calls[key].append(call)
        self._answered += call.returned is not None

    def new_value(self) -> int:
        """That nobody else writes; sums do not reach the next one."""
        return next(self._values) * 100_000


def batch_of(keys: Sequence[str]) -> dict[str, Any]:
    """A strong read of several items at once."""
    asked = {"Keys": [{"pk": {"S": key}} for key in keys], "ConsistentRead": True}
    return {"RequestItems": {TABLE: asked}}


class Visitor:
    """One client, with a connection to each worker."""

    def __init__(self, number: int, host: str, port: int, seed: int) -> None:
        self._number = number
        self._address = (host, port)
        self._random = Random(f"{seed}/{number}")
        self._connections: list[Connection | None] = [None] * SIDES
        self._seen: int | None = None

    async def connect(self, side: int) -> Connection:
        """Connect, if it is not. Raises OSError."""
        connection = self._connections[side]
        if connection is None:
            loop = asyncio.get_running_loop()
            _, connection = await loop.create_connection(Connection, *self._address)
            self._connections[side] = connection
        return connection

    async def take_part(self, one: Round) -> None:
        """Call until the round is over."""
        while not one.is_over:
            if seconds := one.pause_seconds(self._number):
                await asyncio.sleep(seconds)
            side = self._random.randrange(SIDES) if one.busy_side is None else one.busy_side
            if self._number < WRITERS:
                is_answered = await self._change(one, side)
            elif one.busy_side is None:
                is_answered = await self._read_one(one, side)
            else:
                is_answered = await self._read_all(one, 1 - side)
                is_answered = is_answered and await self._read_all(one, side)
            if not is_answered:
                await asyncio.sleep(RETRY_SECONDS)

    async def _read_one(self, one: Round, side: int) -> bool:
        """Read one item; whether it was answered."""
        key = self._random.choice(one.keys)
        called = time.monotonic_ns()
        members = await self._answer(side, *request_of(Read(), key))
        returned = time.monotonic_ns()
        if members is None or "__type" in members:
            return False
        answer = shown(members)
        one.note(key, Call(action=Read(), called=called, returned=returned, answer=answer))
        return True

    async def _read_all(self, one: Round, side: int) -> bool:
        """Read all items in one request; whether it was answered."""
        called = time.monotonic_ns()
        members = await self._answer(side, "BatchGetItem", batch_of(one.keys))
        returned = time.monotonic_ns()
        if members is None or "__type" in members:
            return False
        assert not members["UnprocessedKeys"]
        items = members["Responses"][TABLE]
        found = {item["pk"]["S"]: int(item["v"]["N"]) for item in items}
        for key in one.keys:
            answer = found.get(key)
            one.note(key, Call(action=Read(), called=called, returned=returned, answer=answer))
        return True

    async def _change(self, one: Round, side: int) -> bool:
        """Change an item; whether it was answered."""
        action, key = self._action(one), self._random.choice(one.keys)
        called, returned, answer = time.monotonic_ns(), None, None
        members = await self._answer(side, *request_of(action, key))
        if members is not None:
            if members.get("__type", "").rpartition("#")[2] in NOTHING_HAPPENED:
                return False
            returned, answer = time.monotonic_ns(), shown(members)
            self._seen = answer
        one.note(key, Call(action=action, called=called, returned=returned, answer=answer))
        return returned is not None

    async def _answer(
        self, side: int, operation: str, request: dict[str, Any]
    ) -> dict[str, Any] | None:
        """The members of an answer, or None if nobody knows what happened.

        Raises TimeoutError, AssertionError.
        """
        try:
            connection = await self.connect(side)
            status, body = await connection.post(bytes_of(operation, request))
        except TimeoutError:
            raise
        except OSError:
            self._connections[side] = None
            return None
        members: dict[str, Any] = json.loads(body)
        if status == HTTPStatus.OK:
            return members
        code = members["__type"].rpartition("#")[2]
        if code == "InternalServerError":
            return None
        if code not in {*NOTHING_HAPPENED, "ConditionalCheckFailedException"}:
            raise AssertionError(members)
        return members

    def _action(self, one: Round) -> Action:
        match self._random.randrange(8):
            case 0 | 1 | 2:
                return Add(1)
            case 3 | 4:
                return Swap(self._seen, one.new_value())
            case 5 | 6:
                return Write(one.new_value())
            case _:
                return Remove()

    async def close(self) -> None:
        for connection in self._connections:
            if connection is not None:
                await connection.close()


class Crowd:
    """The clients of one server, over many rounds.

    Args:
        url: of a server with two workers.
        seed: of what they do, as far as that does not depend on time.
    """

    def __init__(self, url: str, seed: int) -> None:
        self._seed = seed
        self._rounds = 0
        client = Client(url)
        client.call("CreateTable", **table_request(TableName=TABLE))
        client.close()
        place = urlsplit(url)
        assert place.hostname is not None
        assert place.port is not None
        address = (place.hostname, place.port)
        self._visitors = [Visitor(number, *address, seed) for number in range(CLIENTS)]

    async def round(self, answers: int, *, keys: int = 3) -> dict[str, list[Call]]:
        """The histories of some new items, by key; at least so many calls were answered."""
        self._rounds += 1
        names = [f"round-{self._rounds}-key-{number}" for number in range(keys)]
        one = Round(self._seed + self._rounds, names, answers)
        for visitor in self._visitors:
            for side in range(SIDES):
                await visitor.connect(side)
        await asyncio.gather(*(visitor.take_part(one) for visitor in self._visitors))
        return one.calls

    async def close(self) -> None:
        for visitor in self._visitors:
            await visitor.close()
