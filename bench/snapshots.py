"""`python -m bench.snapshots`: how long a server takes to be put back to a snapshot.

Saves a server of some 10 MB, changes an item and loads the snapshot, as a suite of tests does
between two tests; in memory, in a data directory, and with workers. The first read afterwards
counts too, because it finds nothing cached.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Final

import click

from bench import server
from bench.asking import Ask, asker
from hashrange.testing_pages import ServerSnapshots

_TABLE: Final = "Snapshots"
_NAME: Final = "bench"
_VALUE_BYTES: Final = 400
_BATCH: Final = 25
_WARM_LOADS: Final = 2


@click.command()
@click.option("--megabytes", default=10, show_default=True, help="Of the data.")
@click.option("--loads", default=20, show_default=True, help="That are measured.")
def main(megabytes: int, loads: int) -> None:
    """Print the time of a load for each kind of server: the median, and the longest."""
    with tempfile.TemporaryDirectory() as folder:
        kinds = {
            "in memory": ["--memory"],
            "in a directory": ["--data", f"{folder}/one"],
            "with two workers": ["--data", f"{folder}/workers", "--workers", "2"],
        }
        for name, more in kinds.items():
            command = ["-m", "hashrange", "serve", "--port", "0", "--testing", *more]
            with server.started(command) as started:
                snapshots = ServerSnapshots(f"http://127.0.0.1:{started.port}")
                _fill(asker(started.port), megabytes)
                snapshots.save(_NAME)
                taken = list(_loads(asker(started.port), snapshots, loads + _WARM_LOADS))
                size = snapshots.sizes()[_NAME] / 1e6
            kept = sorted(taken[_WARM_LOADS:])
            sys.stdout.write(
                f"{name:<18} {size:5.1f} MB: {statistics.median(kept):5.1f} ms, "
                f"at most {kept[-1]:5.1f} ms\n"
            )


def _fill(ask: Ask, megabytes: int) -> None:
    keys = [{"AttributeName": "p", "KeyType": "HASH"}]
    table = {
        "TableName": _TABLE,
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": keys,
        "BillingMode": "PAY_PER_REQUEST",
    }
    ask("CreateTable", table)
    value = {"S": "v" * _VALUE_BYTES}
    for first in range(0, megabytes * 1_000_000 // _VALUE_BYTES, _BATCH):
        items = ({"p": {"S": f"p-{first + n}"}, "v": value} for n in range(_BATCH))
        puts = [{"PutRequest": {"Item": item}} for item in items]
        ask("BatchWriteItem", {"RequestItems": {_TABLE: puts}})


def _loads(ask: Ask, snapshots: ServerSnapshots, times: int) -> Iterator[float]:
    """The milliseconds of each load with the first read after it, which must not see a change."""
    key = {"p": {"S": "later"}}
    for _ in range(times):
        ask("PutItem", {"TableName": _TABLE, "Item": key})
        begun = time.perf_counter()
        snapshots.load(_NAME)
        found = ask("GetItem", {"TableName": _TABLE, "Key": key, "ConsistentRead": True})
        yield (time.perf_counter() - begun) * 1000
        assert "Item" not in found, "the load kept a later item"


if __name__ == "__main__":
    main()
