"""`python -m bench.bulk`: how fast tables are imported and exported, and what requests feel of it.

Imports items of 250 bytes into a table with an index of keys alone, and items of 4 KB into one
without, from objects in gzip; then exports each table. The buckets are directories. Each job runs
some times without requests, for its rate and the server's CPU time; then once more with requests,
whose latencies are compared with those before it. Of the rounds the fastest counts.
"""

import gzip
import json
import random
import tempfile
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from bench import client, rows, server
from bench.asking import Answer, Ask, asker

_SMALL_BYTES: Final = 250
_LARGE_BYTES: Final = 4096
_OBJECTS: Final = 4
"""That the items of an import are divided among."""
_GZIP_LEVEL: Final = 1
_LOOK_SECONDS: Final = 1.0
"""Between two looks at a job, which are requests: for a moment after one the job gives way."""
_QUIET_SECONDS: Final = 2.0
_CONNECTIONS: Final = 8
_NAME: Final = "bulk"
_TABLE: Final = "Bulk"
_ENDED: Final = frozenset({"COMPLETED", "FAILED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The items of one table: so many bytes each, and whether there is an index of them."""

    item_bytes: int
    items: int
    indexed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A job that has ended."""

    items: int
    item_bytes: int
    seconds: float
    cpu_seconds: float | None

    def __str__(self) -> str:
        rate = self.items / self.seconds
        told = f"{rate:8,.0f} items/s {rate * self.item_bytes / 1e6:6.1f} MB/s"
        if self.cpu_seconds is None:
            return told
        return f"{told} {self.cpu_seconds * 1e6 / self.items:6.1f} µs CPU an item"


@click.command()
@click.option("--items", default=200_000, show_default=True, help="Items of 250 bytes.")
@click.option("--large", default=20_000, show_default=True, help="Items of 4 KB.")
@click.option("--rounds", default=3, show_default=True, help="Of each job, without requests.")
@click.option("--requests/--no-requests", default=True, help="Also with requests.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the data and the buckets are put: on the disk to be measured.",
)
def main(items: int, large: int, rounds: int, directory: Path | None, *, requests: bool) -> None:
    """Print a line for each job, and one for each kind of request beside it."""
    shapes = (
        Shape(item_bytes=_SMALL_BYTES, items=items, indexed=True),
        Shape(item_bytes=_LARGE_BYTES, items=large, indexed=False),
    )
    for shape in shapes:
        with tempfile.TemporaryDirectory(dir=directory) as folder:
            _make_objects(shape, Path(folder) / "bucket")
            for name, job in _JOBS.items():
                runs = [_alone(shape, job, Path(folder)) for _ in range(rounds)]
                best = min(runs, key=lambda run: run.cpu_seconds or run.seconds)
                click.echo(f"{name} of {shape.item_bytes:5} bytes: {best}")
                for row in (rows.PUT, rows.GET) if requests else ():
                    told = _beside(shape, job, row, Path(folder))
                    click.echo(f"  {row.name}: {told}")


Job = Callable[[Ask, Shape], Generator[None, None, float]]
"""Prepares, yields, begins, and yields after each look; returns how many seconds it took."""


def _alone(shape: Shape, job: Job, folder: Path) -> Run:
    with _served(folder) as started:
        steps = job(asker(started.port), shape)
        next(steps)
        server.settle(started.pid)
        before = server.cpu_seconds(started.pid)
        seconds = _followed(steps)
        after = server.cpu_seconds(started.pid)
    used = None if before is None or after is None else after - before
    return Run(items=shape.items, item_bytes=shape.item_bytes, seconds=seconds, cpu_seconds=used)


def _beside(shape: Shape, job: Job, row: rows.Row, folder: Path) -> str:
    """The latencies of requests before a job, and while it goes on."""
    with _served(folder) as started, ThreadPoolExecutor(1) as pool:
        ask = asker(started.port)
        rows.prepare(ask)
        steps = job(ask, shape)
        next(steps)
        server.settle(started.pid)
        quiet = [_load(started.port, row, _QUIET_SECONDS) for _ in range(2)]
        ended = pool.submit(_followed, steps)
        busy = []
        while not ended.done():  # bound: the job ends
            busy.append(_load(started.port, row, _QUIET_SECONDS / 4))
        seconds = ended.result()
    p99 = [min(each.p99_us for each in runs) / 1000 for runs in (quiet, busy)]
    rate = shape.items / seconds
    return (
        f"p99 {p99[0]:.2f} ms alone, {p99[1]:.2f} beside the job: {p99[1] / p99[0]:.2f} times; "
        f"the job {rate:,.0f} items/s"
    )


def _followed(steps: Generator[None, None, float]) -> float:
    """Follow a job to its end; how many seconds it took, by the clock of the server."""
    while True:  # bound: the job ends
        try:
            next(steps)
        except StopIteration as ended:
            return ended.value
        time.sleep(_LOOK_SECONDS)


def _load(port: int, row: rows.Row, seconds: float) -> client.Answered:
    load = client.Load(
        port=port, requests=rows.requests(row), seconds=seconds, connections=_CONNECTIONS
    )
    answered = client.run_own(load)
    assert not answered.failed, "some requests failed"
    return answered


@contextmanager
def _served(folder: Path) -> Iterator[server.Server]:
    """A server without data, and the bucket."""
    command = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "warning"]
    place = f"{_NAME}={folder / 'bucket'}"
    with (
        tempfile.TemporaryDirectory(dir=folder) as data,
        server.started([*command, "--data", f"{data}/data", "--s3", place]) as started,
    ):
        yield started


def _make_objects(shape: Shape, bucket: Path) -> None:
    """The objects of an import, whose items are in no order of keys."""
    (bucket / "in").mkdir(parents=True)
    words = random.Random(shape.item_bytes)
    text = " ".join("".join(words.choices("etaoinshrdlu", k=6)) for _ in range(40_000))
    for number in range(_OBJECTS):
        with gzip.open(bucket / "in" / f"{number}.json.gz", "wb", _GZIP_LEVEL) as file:
            for each in range(number, shape.items, _OBJECTS):
                line = json.dumps({"Item": _item(shape, each, text)}, separators=(",", ":"))
                file.write(line.encode() + b"\n")


def _item(shape: Shape, number: int, text: str) -> Answer:
    key = {"p": {"S": f"p-{number:08}"}, "s": {"S": str(number % 10)}}
    values = {"g": {"S": f"g-{number // 10:08}"}, "n": {"N": str(number)}}
    length = shape.item_bytes - sum(len(name) + len(str(number)) for name in "psgnv") - 13
    start = number * 61 % (len(text) - length)
    return {**key, **values, "v": {"S": text[start : start + length]}}


def _table(shape: Shape) -> Answer:
    keys = [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]
    index = {
        "IndexName": "ByGroup",
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    names = "psg" if shape.indexed else "ps"
    return {
        "TableName": _TABLE,
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in names],
        "KeySchema": keys,
        "BillingMode": "PAY_PER_REQUEST",
        **({"GlobalSecondaryIndexes": [index]} if shape.indexed else {}),
    }


def _imported(ask: Ask, shape: Shape) -> Generator[None, None, float]:
    yield
    request = {
        "ClientToken": str(uuid.uuid4()),
        "S3BucketSource": {"S3Bucket": _NAME, "S3KeyPrefix": "in/"},
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "GZIP",
        "TableCreationParameters": _table(shape),
    }
    job = ask("ImportTable", request)["ImportTableDescription"]
    while job["ImportStatus"] not in _ENDED:  # bound: the job ends
        yield
        job = ask("DescribeImport", {"ImportArn": job["ImportArn"]})["ImportTableDescription"]
    found = job["ImportStatus"], job["ImportedItemCount"]
    assert found == ("COMPLETED", shape.items), job
    return job["EndTime"] - job["StartTime"]


def _exported(ask: Ask, shape: Shape) -> Generator[None, None, float]:
    _followed(_imported(ask, shape))
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    ask("UpdateContinuousBackups", {"TableName": _TABLE, **recovery})
    arn = ask("DescribeTable", {"TableName": _TABLE})["Table"]["TableArn"]
    yield
    job = ask("ExportTableToPointInTime", {"TableArn": arn, "S3Bucket": _NAME, "S3Prefix": "out"})
    job = job["ExportDescription"]
    while job["ExportStatus"] not in _ENDED:  # bound: the job ends
        yield
        job = ask("DescribeExport", {"ExportArn": job["ExportArn"]})["ExportDescription"]
    assert (job["ExportStatus"], job["ItemCount"]) == ("COMPLETED", shape.items), job
    return job["EndTime"] - job["StartTime"]


_JOBS: Final[dict[str, Job]] = {"import": _imported, "export": _exported}


if __name__ == "__main__":
    main()
