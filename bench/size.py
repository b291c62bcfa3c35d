"""`python -m bench.size --items 2000000`: what requests cost as a table grows.

Loads items of 250 bytes into a table with an index of keys alone. At some shares of all items the
server is started anew and measured: the rate of loading, each kind of request, memory, disk. In the
end all items are deleted, and it is measured what the disk gets back. Memory is printed in two
parts: the server's own, and what of its files is mapped, which the system takes back when it needs
it. Set `--directory` to the disk to be measured.
"""

import itertools
import random
import re
import socket
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from bench import client, quiet, server
from bench.asking import Answer, Sent, ask, encoded

SHARES: Final = (0.02, 0.1, 0.5, 1.0)
"""Of all items, at which the server is measured."""
ITEM_BYTES: Final = 250
BATCH: Final = 25
TOGETHER: Final = 10
"""Items with one partition key, and index entries with one key of the index."""
LOADERS: Final = 4
"""Connections over which items are loaded."""
KEYS: Final = 5_000
"""Random items that each kind of request uses."""
_TABLE: Final = "Large"
_INDEX: Final = "ByGroup"
_MIB: Final = 1 << 20
_STABLE_LOOKS: Final = 8
_LOOK_SECONDS: Final = 1.0
_VALUE: Final = "v" * (
    ITEM_BYTES - len("p" + "p-00000001" + "s" + "0" + "g" + "g-00000001" + "n0v") - 1
)
_ANSWERED: Final = b"HTTP/1.1 200"


@click.command()
@click.option("--items", default=2_000_000, show_default=True, help="Items in the end.")
@click.option("--seconds", default=3.0, show_default=True, help="Load of each kind of request.")
@click.option("--connections", default=32, show_default=True)
@quiet.option
@click.option("--stream", is_flag=True, help="Enable a stream of the table.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the data are put: on the disk to be measured.",
)
def main(
    items: int, directory: Path | None, *, stream: bool, constant_us_max: float, **shape: float
) -> None:
    """Print a block of figures for each share of the items."""
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        data = Path(folder) / "data"
        with _served(data) as started:
            ask(started.port, "CreateTable", _table(stream=stream))
        loaded = 0
        for share in SHARES:
            quiet.require(constant_us_max)
            wanted = round(items * share / BATCH) * BATCH
            with _served(data) as started:
                told = _changed(started, (_put(each) for each in range(loaded, wanted)))
                click.echo(f"{wanted:,} items: started in {started.start_ms:.0f} ms, loaded {told}")
                loaded = wanted
                for name in _REQUESTS:
                    click.echo(f"  {name:12}{_measured(started, name, loaded, shape)}")
                click.echo(f"  {_held(started, data, loaded)}")
        with _served(data) as started:
            full = _bytes(data)
            told = _changed(started, (_delete(each) for each in range(loaded)))
            left = _settled_bytes(data)
            click.echo(f"deleted {told}: {full / _MIB:,.0f} MiB on disk became {left / _MIB:,.0f}")


@contextmanager
def _served(data: Path) -> Iterator[server.Server]:
    command = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "warning"]
    with server.started([*command, "--data", str(data)]) as started:
        yield started


def _table(*, stream: bool) -> Answer:
    keys = [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]
    index = {
        "IndexName": _INDEX,
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    streamed = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return {
        "TableName": _TABLE,
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in "psg"],
        "KeySchema": keys,
        "GlobalSecondaryIndexes": [index],
        "BillingMode": "PAY_PER_REQUEST",
        **({"StreamSpecification": streamed} if stream else {}),
    }


def _key(number: int) -> Answer:
    return {"p": {"S": f"p-{number // TOGETHER:08}"}, "s": {"S": str(number % TOGETHER)}}


def _group(number: int) -> Answer:
    # Items of one partition are in different groups.
    return {"S": f"g-{number % TOGETHER + number // TOGETHER**2 * TOGETHER:08}"}


def _item(number: int, changed: int = 0) -> Answer:
    values = {"g": _group(number), "n": {"N": str(changed % 10)}, "v": {"S": _VALUE}}
    return {**_key(number), **values}


def _put(number: int) -> Answer:
    return {"PutRequest": {"Item": _item(number)}}


def _delete(number: int) -> Answer:
    return {"DeleteRequest": {"Key": _key(number)}}


def _by(name: str, value: Answer) -> Answer:
    return {
        "KeyConditionExpression": f"{name} = :k",
        "ExpressionAttributeValues": {":k": value},
        "Limit": TOGETHER,
    }


_REQUESTS: Final[dict[str, tuple[str, Callable[[int, int], Answer]]]] = {
    "put": ("PutItem", lambda number, turn: {"Item": _item(number, turn)}),
    "get": ("GetItem", lambda number, _: {"Key": _key(number)}),
    "update": (
        "UpdateItem",
        lambda number, _: {
            "Key": _key(number),
            "UpdateExpression": "SET n = n + :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        },
    ),
    "query": ("Query", lambda number, _: _by("p", {"S": f"p-{number // TOGETHER:08}"})),
    "index query": (
        "Query",
        lambda number, _: {**_by("g", _group(number)), "IndexName": _INDEX},
    ),
}
"""Of each kind the operation, and its request for an item, in turn 1 or 2: SQLite writes nothing
for an item that stays as it is."""


def _changed(started: server.Server, requests: Iterable[Answer]) -> str:
    """Send writes in batches; their rate and the server's CPU time."""
    connections = [socket.create_connection(("127.0.0.1", started.port)) for _ in range(LOADERS)]
    free, busy = connections.copy(), list[socket.socket]()
    begun, before, count = time.perf_counter(), server.cpu_seconds(started.pid), 0
    pending = iter(requests)
    while batch := list(itertools.islice(pending, BATCH)):
        if not free:
            _answered(busy[0])
            free.append(busy.pop(0))
        sent = Sent("BatchWriteItem", encoded({"RequestItems": {_TABLE: batch}}))
        free[-1].sendall(client.wire_requests([sent])[0])
        busy.append(free.pop())
        count += len(batch)
    for each in busy:
        _answered(each)
    seconds = time.perf_counter() - begun
    for each in connections:
        each.close()
    return f"{count / seconds:,.0f} a second{_cpu(started, before, count)} each"


def _answered(connection: socket.socket) -> None:
    """Wait for an answer to a batch, which must be a success and leave nothing undone."""
    answer = b""
    while client.status_class(answer) is None:
        received = connection.recv(1 << 16)
        assert received, "the server ended the connection"
        answer += received
    assert answer.startswith(_ANSWERED), answer
    assert b'"UnprocessedItems":{}' in answer, answer


def _cpu(started: server.Server, before: float | None, count: int) -> str:
    now = server.cpu_seconds(started.pid)
    if before is None or now is None:
        return ""
    return f", {(now - before) * 1e6 / max(1, count):.0f} µs CPU"


def _measured(started: server.Server, name: str, items: int, shape: dict[str, float]) -> str:
    """The latency and the cost of one kind of request, on random items."""
    target, body = _REQUESTS[name]
    numbers = random.Random(target).sample(range(items), min(KEYS, items))
    requests = [
        Sent(target, encoded({"TableName": _TABLE, **body(number, turn)}))
        for turn in (1, 2)
        for number in numbers
    ]
    load = client.Load(
        port=started.port,
        requests=requests,
        seconds=shape["seconds"],
        connections=int(shape["connections"]),
    )
    server.settle(started.pid)
    before = server.cpu_seconds(started.pid)
    answered = client.run_own(load)
    assert not answered.failed, "some requests failed"
    return (
        f"p50 {answered.p50_us / 1000:6.2f} ms, p99 {answered.p99_us / 1000:6.2f} ms, "
        f"{answered.requests / answered.seconds:8,.0f} a second"
        + _cpu(started, before, answered.requests)
    )


def _held(started: server.Server, data: Path, items: int) -> str:
    status = Path(f"/proc/{started.pid}/status")
    parts = {}
    if status.exists():
        parts = dict(re.findall(r"^Rss(Anon|File):\s+(\d+) kB", status.read_text(), re.MULTILINE))
    memory = ", ".join(
        f"{int(parts[name]) / 1024:,.0f} MiB {what}"
        for name, what in (("Anon", "of memory"), ("File", "mapped"))
        if name in parts
    )
    return f"{memory}; {_bytes(data) / items:,.0f} bytes on disk an item"


def _bytes(data: Path) -> int:
    return sum(each.stat().st_size for each in data.glob("hashrange.db*"))


def _settled_bytes(data: Path) -> int:
    """The bytes on disk once they have not changed for a while."""
    found: list[int] = []
    while len(found) < _STABLE_LOOKS or len(set(found[-_STABLE_LOOKS:])) > 1:
        found.append(_bytes(data))
        time.sleep(_LOOK_SECONDS)
    return found[-1]


if __name__ == "__main__":
    main()
