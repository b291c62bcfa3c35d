"""`python -m bench.expiry`: how much slower requests are while 100,000 items expire.

Measures puts before, during and after the deletion of the items; the result is the ratio of the
latencies.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Final

from bench import client, rows, server
from bench.asking import Answer, ask, asker

ITEMS: Final = 100_000
CONNECTIONS: Final = 32
SECONDS: Final = 4.0
_TABLE: Final = "Expiring"


def main() -> None:
    """Print p50 and p99 of puts in each phase, and how long the expiry took."""
    with tempfile.TemporaryDirectory() as folder:
        kept = sys.argv[1:] or ["--data", f"{folder}/data"]
        command = ["-m", "hashrange", "serve", "--port", "0", *kept]
        with server.started(command) as started:
            rows.prepare(asker(started.port))
            _fill(started.port)
            quiet = [_puts(started.port), _puts(started.port)]
            _enable(started.port)
            begun = time.perf_counter()
            busy = list(_until_gone(started.port))
            seconds = time.perf_counter() - begun
            quiet.append(_puts(started.port))
    for name, runs in (("quiet", quiet), ("expiring", busy)):
        told = ", ".join(f"{run.p50_us / 1000:.2f} / {run.p99_us / 1000:.2f}" for run in runs)
        sys.stdout.write(f"{name}: p50 / p99 in ms: {told}\n")
    sys.stdout.write(f"{ITEMS} items were gone after {seconds:.1f} s\n")


def _fill(port: int) -> None:
    keys = {"AttributeName": "p", "KeyType": "HASH"}
    ask(
        port,
        "CreateTable",
        {
            "TableName": _TABLE,
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
            "KeySchema": [keys],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for first in range(0, ITEMS, 25):
        puts = [{"PutRequest": {"Item": _item(number)}} for number in range(first, first + 25)]
        ask(port, "BatchWriteItem", {"RequestItems": {_TABLE: puts}})


def _item(number: int) -> Answer:
    expires = int(time.time()) - 1 - number % 1000
    return {"p": {"S": f"p-{number:08}"}, "expires": {"N": str(expires)}, "v": {"S": "v" * 200}}


def _enable(port: int) -> None:
    specification = {"Enabled": True, "AttributeName": "expires"}
    request = {"TableName": _TABLE, "TimeToLiveSpecification": specification}
    ask(port, "UpdateTimeToLive", request)


def _until_gone(port: int) -> Iterator[client.Answered]:
    while ask(port, "Scan", {"TableName": _TABLE, "Limit": 1})["Count"]:  # bound: they go
        yield _puts(port)


def _puts(port: int) -> client.Answered:
    row = rows.PUT
    load = client.Load(
        port=port,
        requests=rows.requests(row),
        seconds=SECONDS,
        connections=CONNECTIONS,
    )
    return client.run_own(load)


if __name__ == "__main__":
    main()
