"""`python -m bench.soak --minutes 60`: a server under a mixed load, and what grows meanwhile.

The load has reads, writes, transactions, items that expire, a stream that is read, and an index
that is built and deleted again and again. Each minute prints its latencies, and memory and files of
the server; at the end they are compared with those of the beginning. Before the load, workers are
stopped while others write, and idle connections are opened, to see what these cost.
"""

import os
import random
import re
import resource
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median
from typing import Final

import click

from bench import bodies, client, open_loop, rows, server
from bench.asking import Answer, Ask, RefusedError, Sent, asker, encoded

ITEMS: Final = 20_000
ACTIONS: Final = 4
CONNECTIONS: Final = 8
EXPIRES_SECONDS: Final = 60
RETENTION_SECONDS: Final = 120
IDLE_CONNECTIONS: Final = 10_000
STOPPED_SECONDS: Final = 20
MEMORY_RATIO_MAX: Final = 1.1
P99_RATIO_MAX: Final = 1.2
IDLE_KB_MAX: Final = 8
WAL_MB_MAX: Final = 64
_TABLE: Final = "Soak"
_INDEX: Final = "by-g"
_KEYS: Final = "by-n"
_SHARE_COMPARED: Final = 6
"""The first and the last sixth of the minutes, after the first two, are compared."""
_WARM_MINUTES: Final = 2
_MINUTE: Final = 60.0
_LOOK_SECONDS: Final = 0.5
_LOOKS_MAX: Final = 240
_KIND_SHARES: Final = {
    "get": 25, "query": 10, "put": 20, "update": 20, "delete": 5, "transact": 10, "expiring": 10
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """The figures of a part of the load."""

    answered: open_loop.OpenAnswered
    memory_mb: float
    file_mb: float
    wal_mb: float
    records: int

    def __str__(self) -> str:
        answered = self.answered
        return (
            f"{answered.requests:,} requests, {answered.failed} failed, "
            f"p50 {answered.p50_us / 1000:.2f} ms, p99 {answered.p99_us / 1000:.2f} ms; "
            f"{self.records:,} records; memory {self.memory_mb:.1f} MB, file {self.file_mb:.1f} MB,"
            f" log {self.wal_mb:.1f} MB"
        )


@click.command()
@click.option("--minutes", default=60, show_default=True)
@click.option("--rate", default=150.0, show_default=True, help="Requests a second.")
@click.option("--directory", type=click.Path(file_okay=False, path_type=Path), default=None)
def main(minutes: int, rate: float, directory: Path | None) -> None:
    """Print what grows and what gets slower under a mixed load."""
    with tempfile.TemporaryDirectory(dir=directory) as name:
        folder = Path(name)
        _print(_stopped_reader(folder / "workers"))
        _print(_idle_connections(folder / "idle"))
        found: list[Minute] = []
        with _served(folder / "data") as started:
            _fill(asker(started.port))
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                for number in range(minutes):
                    loaded = pool.submit(_load, started.port, number, rate)
                    found.append(_minute(started, loaded, folder / "data"))
                    _print(f"minute {number + 1}: {found[-1]}")
        _print(_compared(found))


def _print(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


@contextmanager
def _served(data: Path, *options: str) -> Iterator[server.Server]:
    settings = ["--time-to-live-delay-seconds", "1"]
    settings += ["--stream-retention-seconds", str(RETENTION_SECONDS)]
    command = ["-m", "hashrange", "serve", "--port", "0", "--data", str(data), *settings, *options]
    with server.started([*command, "--log-level", "error"]) as started:
        yield started


def _fill(ask: Ask) -> None:
    ask(
        "CreateTable",
        {
            "TableName": _TABLE,
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in "pg"],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [_index(_INDEX)],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {
                "StreamEnabled": True,
                "StreamViewType": "NEW_AND_OLD_IMAGES",
            },
        },
    )
    expiry = {"Enabled": True, "AttributeName": "expires"}
    ask("UpdateTimeToLive", {"TableName": _TABLE, "TimeToLiveSpecification": expiry})
    for first in range(0, ITEMS, bodies.BATCH):
        puts = [{"PutRequest": {"Item": _item(n)}} for n in range(first, first + bodies.BATCH)]
        ask("BatchWriteItem", {"RequestItems": {_TABLE: puts}})


def _index(name: str) -> Answer:
    return {
        "IndexName": name,
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }


def _key(number: int) -> Answer:
    return {"p": {"S": f"p-{number:08}"}}


def _item(number: int, changed: int = 0) -> Answer:
    group = {"S": f"g-{number % 1000:04}"}
    return {**_key(number), "g": group, "n": {"N": str(changed)}, "v": {"S": "v" * 180}}


def _request(kind: str, number: int, changed: int, now: float) -> Sent:  # noqa: PLR0911 - by kind
    """One request of the load; `number` is that of an item."""
    item = _item(number, changed)
    match kind:
        case "get":
            return _sent("GetItem", {"Key": _key(number)})
        case "query":
            values = {":g": item["g"]}
            condition = {"IndexName": _INDEX, "KeyConditionExpression": "g = :g"}
            return _sent("Query", {**condition, "ExpressionAttributeValues": values})
        case "put":
            return _sent("PutItem", {"Item": item})
        case "update":
            values = {":one": {"N": "1"}, ":least": {"N": "0"}}
            text = {
                "UpdateExpression": "ADD n :one",
                "ConditionExpression": "attribute_not_exists(n) OR n >= :least",
            }
            return _sent(
                "UpdateItem", {"Key": _key(number), **text, "ExpressionAttributeValues": values}
            )
        case "delete":
            return _sent("DeleteItem", {"Key": _key(number)})
        case "expiring":
            soon = {"N": str(int(now) + EXPIRES_SECONDS)}
            key = {"p": {"S": f"expiring-{changed}-{number}"}}
            return _sent("PutItem", {"Item": {**item, **key, "expires": soon}})
        case _:
            items = [_item((number + step) % ITEMS, changed) for step in range(ACTIONS)]
            puts = [{"Put": {"TableName": _TABLE, "Item": each}} for each in items]
            return Sent("TransactWriteItems", encoded({"TransactItems": puts}))


def _sent(target: str, body: Answer) -> Sent:
    return Sent(target, encoded({"TableName": _TABLE, **body}))


def _load(port: int, minute: int, rate: float) -> open_loop.OpenAnswered:
    """The load of one minute; runs in a process of its own."""
    rng, now = random.Random(minute), time.time()
    kinds = rng.choices(
        list(_KIND_SHARES), list(_KIND_SHARES.values()), k=int(rate * _MINUTE * 1.2)
    )
    requests = [_request(kind, rng.randrange(ITEMS), minute, now) for kind in kinds]
    due = open_loop.Due(
        port=port,
        requests=requests,
        per_second=rate,
        seconds=_MINUTE,
        connections=CONNECTIONS,
    )
    return open_loop.run(due)


def _minute(started: server.Server, loaded: Future[open_loop.OpenAnswered], data: Path) -> Minute:
    """Read the stream, and build and delete an index, until the load of the minute has ended."""
    ask = asker(started.port)
    records, wal_mb = 0, 0.0
    update = {"TableName": _TABLE, "AttributeDefinitions": _definitions()}
    ask("UpdateTable", {**update, "GlobalSecondaryIndexUpdates": [{"Create": _index(_KEYS)}]})
    deleted = False
    shards: dict[str, str] = {}
    while not loaded.done():
        records += _read_stream(ask, shards)
        wal_mb = max(wal_mb, _megabytes(data / "hashrange.db-wal"))
        if not deleted and _states(ask).get(_KEYS) == "ACTIVE":
            ask("UpdateTable", {**update, "GlobalSecondaryIndexUpdates": [_removal()]})
            deleted = True
        time.sleep(_LOOK_SECONDS)
    for _ in range(_LOOKS_MAX):
        states = _states(ask)
        if _KEYS not in states:
            break
        if not deleted and states[_KEYS] == "ACTIVE":
            ask("UpdateTable", {**update, "GlobalSecondaryIndexUpdates": [_removal()]})
            deleted = True
        time.sleep(_LOOK_SECONDS)
    return Minute(
        answered=loaded.result(),
        memory_mb=_anonymous_mb(started.pid),
        file_mb=_megabytes(data / "hashrange.db"),
        wal_mb=wal_mb,
        records=records,
    )


def _definitions() -> list[Answer]:
    return [{"AttributeName": n, "AttributeType": "S"} for n in "pg"]


def _removal() -> Answer:
    return {"Delete": {"IndexName": _KEYS}}


def _states(ask: Ask) -> dict[str, str]:
    table = ask("DescribeTable", {"TableName": _TABLE})["Table"]
    return {each["IndexName"]: each["IndexStatus"] for each in table["GlobalSecondaryIndexes"]}


def _read_stream(ask: Ask, iterators: dict[str, str]) -> int:
    """Read what is new in the shards of the stream; `iterators` goes on from call to call."""
    stream = ask("DescribeTable", {"TableName": _TABLE})["Table"]["LatestStreamArn"]
    streams = _streams(ask)
    for shard in streams("DescribeStream", {"StreamArn": stream})["StreamDescription"]["Shards"]:
        if shard["ShardId"] not in iterators:
            at = {"StreamArn": stream, "ShardId": shard["ShardId"]}
            latest = streams("GetShardIterator", {**at, "ShardIteratorType": "LATEST"})
            iterators[shard["ShardId"]] = latest["ShardIterator"]
    records = 0
    for shard, iterator in iterators.items():
        if iterator:
            answer = streams("GetRecords", {"ShardIterator": iterator})
            iterators[shard] = answer.get("NextShardIterator", "")
            records += len(answer["Records"])
    return records


def _streams(ask: Ask) -> Ask:
    """The same port answers the streams API; a record that is trimmed meanwhile is no fault."""

    def asked(target: str, body: Answer) -> Answer:
        try:
            return ask(f"DynamoDBStreams_20120810.{target}", body)
        except RefusedError as refused:
            if "TrimmedDataAccess" in str(refused) or "ExpiredIterator" in str(refused):
                return {"Records": []}
            raise

    return asked


def _compared(found: Sequence[Minute]) -> str:
    """The last minutes beside the first ones, when caches are filled."""
    warm = found[min(_WARM_MINUTES, len(found) - 1) :]
    count = max(1, len(warm) // _SHARE_COMPARED)
    first, last = warm[:count], warm[-count:]
    memory = fmean(m.memory_mb for m in last) / fmean(m.memory_mb for m in first)
    file = fmean(m.file_mb for m in last) / fmean(m.file_mb for m in first)
    p99 = median(m.answered.p99_us for m in last) / median(m.answered.p99_us for m in first)
    wal = max(m.wal_mb for m in found)
    failed = sum(m.answered.failed for m in found)
    return (
        f"last {count} minutes to the first: memory {memory:.2f} (at most {MEMORY_RATIO_MAX}), "
        f"file {file:.2f}, p99 {p99:.2f} (at most {P99_RATIO_MAX}); the log had at most "
        f"{wal:.1f} MB; {failed} requests failed"
    )


def _stopped_reader(data: Path) -> str:
    """The size of the write-ahead log while a process that reads it is stopped."""
    log, largest = data / "hashrange.db-wal", 0.0
    with _served(data, "--workers", "2") as started:
        rows.prepare(asker(started.port))
        reader = _reader(started.pid)
        os.kill(reader, signal.SIGSTOP)
        try:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                writing = pool.submit(_puts, started.port)
                while not writing.done():
                    largest = max(largest, _megabytes(log))
                    time.sleep(_LOOK_SECONDS)
                answered, failed = writing.result()
        finally:
            with suppress(ProcessLookupError):
                os.kill(reader, signal.SIGCONT)
        time.sleep(2)
        after = _megabytes(log)
    return (
        f"a stopped reader: {answered:,} puts in {STOPPED_SECONDS} s, {failed} connections failed; "
        f"the log had at most {largest:.1f} MB (at most {WAL_MB_MAX}), {after:.1f} MB afterwards"
    )


def _reader(pid: int) -> int:
    """A child process of the server that reads for it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    names = {int(each): Path(f"/proc/{each}/cmdline").read_text() for each in children}
    return next(each for each, name in names.items() if "reader" in name)


def _puts(port: int) -> tuple[int, int]:
    """Puts on connections of their own; those that a stopped process holds end by a timeout."""
    row = next(row for row in rows.ROWS if row.name == "put")
    requests = client.wire_requests(rows.requests(row))
    until, answered, failed = time.perf_counter() + STOPPED_SECONDS, 0, 0
    while time.perf_counter() < until:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.settimeout(1)
            try:
                for request in requests:
                    connection.sendall(request)
                    received = b""
                    while client.status_class(received) is None:
                        received += connection.recv(1 << 16)
                    answered += 1
                    if time.perf_counter() >= until:
                        break
            except TimeoutError:
                failed += 1
    return answered, failed


def _idle_connections(data: Path) -> str:
    """The memory of a connection that has had one answer and waits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(IDLE_CONNECTIONS, hard - 1000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 1000), hard))
    request = client.wire_requests([Sent("ListTables", b"{}")])[0]
    with _served(data, "--connections-max", str(count + 100)) as started:
        before = _anonymous_mb(started.pid)
        kept = []
        try:
            for _ in range(count):
                connection = socket.create_connection(("127.0.0.1", started.port))
                kept.append(connection)
                connection.sendall(request)
                connection.recv(1 << 16)
            after = _anonymous_mb(started.pid)
        finally:
            for connection in kept:
                connection.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    each_kb = (after - before) * 1024 / count
    return f"{count:,} idle connections: {each_kb:.1f} KB each (at most {IDLE_KB_MAX})"


def _megabytes(path: Path) -> float:
    try:
        return path.stat().st_size / 1e6
    except FileNotFoundError:
        return 0.0


def _anonymous_mb(pid: int) -> float:
    """Memory of the process itself: pages of the mapped data file are the system's."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024


if __name__ == "__main__":
    main()
