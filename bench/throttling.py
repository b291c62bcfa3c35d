"""`python -m bench.throttling`: a server that throttles beside the model, in real seconds.

Clients of boto3 without retries put items as fast as they are answered, or a little slower, on
tables with small limits. The times of their requests are then given to the pure model of
`hashrange.capacity`, and what the server granted is compared with what the model grants. With
`--servers 2 --engine postgresql://…` or `--workers 2` the units are shared by several processes.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import boto3
import click
from botocore.config import Config
from botocore.exceptions import ClientError

from bench import server
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.resources import TableCapacity, Terms, new_table
from hashrange.capacity.units import Charge
from hashrange.tables.keys.keyspace import hash16

NAME: Final = "Throttled"
CLIENTS: Final = 4
WINDOW_MS: Final = 10_000
_KIB: Final = 1024
_THROTTLED: Final = {
    *("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"),
}
_LINE: Final = "{name:28}{server:>12,.0f}{model:>12,.0f}{ratio:>8.3f}{windows:>16}"
_HEAD: Final = "case                        server, units  model, units  ratio  ratio of 10 s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A table and the puts on it.

    Attributes:
        terms: of the table.
        index: of its index, by the attribute `state`; None for a table without index.
        units: of each put.
        keys: how many keys are put in turn.
        idles: the table is idle before the puts, for a burst.
        pause_seconds: of each client after each put.
    """

    name: str
    terms: Terms
    index: Terms | None = None
    units: int = 1
    keys: int = 100
    idles: bool = False
    pause_seconds: float = 0.005


@dataclass(frozen=True, slots=True, order=True)
class Put:
    """An attempt: when it was sent, and whether it was admitted."""

    sent_ms: float
    key: str
    is_admitted: bool


CASES: Final = (
    Case(name="50 units a second", terms=Terms(mode="PROVISIONED", read_units=9, write_units=50)),
    Case(
        name="burst after idle seconds",
        terms=Terms(mode="PROVISIONED", read_units=9, write_units=50),
        idles=True,
    ),
    Case(name="one key on demand", terms=Terms(), units=100, keys=1, pause_seconds=0.05),
    Case(
        name="index of 20 units",
        terms=Terms(mode="PROVISIONED", read_units=9, write_units=400),
        index=Terms(mode="PROVISIONED", read_units=9, write_units=20),
    ),
)


@click.command()
@click.option("--seconds", default=30.0, show_default=True, help="Puts of each case.")
@click.option("--idle", default=10.0, show_default=True, help="Seconds before a burst.")
@click.option("--workers", type=int, help="Processes of the server, on a directory.")
@click.option("--engine", help="URL of a PostgreSQL that may be filled.")
@click.option("--servers", "count", default=1, show_default=True, help="On that engine.")
@click.option("--data", help="A directory that may be filled; memory without it.")
def main(
    *,
    seconds: float,
    idle: float,
    workers: int | None,
    engine: str | None,
    count: int,
    data: str | None,
) -> None:
    """Print what the server granted and what the model grants."""
    command = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "error"]
    command += ["--throttle", "on"]
    if engine is not None:
        schema = f"{'&' if '?' in engine else '?'}schema=bench_{time.time_ns() // 10**9}"
        command += ["--engine", engine + schema]
    else:
        command += ["--memory"] if data is None else ["--data", data]
    if workers is not None:
        command += ["--workers", str(workers)]
    click.echo(_HEAD)
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(server.started(command)).port for _ in range(count)]
        for case in CASES:
            click.echo(_LINE.format(name=case.name, **_measured(case, ports, seconds, idle)))


def _measured(case: Case, ports: Sequence[int], seconds: float, idle: float) -> dict[str, Any]:
    clients = [_client(ports[number % len(ports)]) for number in range(CLIENTS)]
    begin_ms = _create(clients[0], case)
    time.sleep(idle if case.idles else 0)
    with ThreadPoolExecutor(CLIENTS) as pool:
        runs = pool.map(lambda client: _puts(client, case, seconds), clients)
        puts = sorted(put for run in runs for put in run)
    clients[0].delete_table(TableName=NAME)
    granted = [(put.sent_ms, case.units * put.is_admitted) for put in puts]
    modelled = list(_modelled(case, puts, begin_ms))
    ratios = _windows(granted, modelled)
    ours, theirs = (sum(units for _, units in each) for each in (granted, modelled))
    return {
        "server": ours,
        "model": theirs,
        "ratio": ours / theirs,
        "windows": f"{min(ratios):.3f} to {max(ratios):.3f}",
    }


def _client(port: int) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": 1}),
    )


def _create(client: Any, case: Case) -> float:
    """Create the table; the time."""
    more: dict[str, Any] = {}
    names = ["pk"]
    if case.index is not None:
        names.append("state")
        more["GlobalSecondaryIndexes"] = [
            {
                "IndexName": "by-state",
                "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
                **_billing(case.index),
            }
        ]
    if case.terms.mode == "PAY_PER_REQUEST":
        more["BillingMode"] = "PAY_PER_REQUEST"
    client.create_table(
        TableName=NAME,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
        **_billing(case.terms),
        **more,
    )
    # The capacity of a table begins with its first request.
    client.get_item(TableName=NAME, Key={"pk": {"S": "first"}})
    return time.time() * 1000


def _billing(terms: Terms) -> dict[str, Any]:
    if terms.mode == "PAY_PER_REQUEST":
        return {}
    units = {"ReadCapacityUnits": terms.read_units, "WriteCapacityUnits": terms.write_units}
    return {"ProvisionedThroughput": {name: int(each) for name, each in units.items()}}


def _puts(client: Any, case: Case, seconds: float) -> list[Put]:
    found: list[Put] = []
    pad = "x" * int((case.units - 0.5) * _KIB)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        number = len(found)
        item = {"pk": {"S": f"key{number % case.keys}"}, "pad": {"S": pad}}
        if case.index is not None:
            item["state"] = {"S": f"{id(client)}-{number}"}
        sent_ms = time.time() * 1000
        found.append(Put(sent_ms, item["pk"]["S"], _is_admitted(client.put_item, item)))
        time.sleep(case.pause_seconds)
    return found


def _is_admitted(put: Callable[..., object], item: dict[str, Any]) -> bool:
    try:
        put(TableName=NAME, Item=item)
    except ClientError as error:
        if error.response["Error"]["Code"] in _THROTTLED:
            return False
        raise
    return True


def _modelled(case: Case, puts: Sequence[Put], begin_ms: float) -> list[tuple[float, float]]:
    """The units that the model grants for the same requests at the same times."""
    arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/{NAME}"
    indexes = {} if case.index is None else {"by-state": case.index}
    capacity: TableCapacity = new_table(
        arn, case.terms, begin_ms, indexes=indexes, has_sort_key=False
    )
    limiter = Limiter({NAME: capacity}, hash16)
    granted, stored = [], set[str]()
    for put in puts:
        place = ({"S": put.key},)
        least = Charge(NAME, place, write_units=1.0)
        if limiter.admit([least], put.sent_ms) is not None:
            granted.append((put.sent_ms, 0.0))
            continue
        charges = [Charge(NAME, place, write_units=float(case.units))]
        if case.index is not None:
            # An entry that moves is deleted and written.
            units = 2.0 if put.key in stored else 1.0
            charges.append(Charge(NAME, ({"S": str(put.sent_ms)},), "by-state", write_units=units))
            stored.add(put.key)
        limiter.charge(charges, put.sent_ms, [least])
        granted.append((put.sent_ms, float(case.units)))
    return granted


def _windows(
    granted: Sequence[tuple[float, float]], modelled: Sequence[tuple[float, float]]
) -> list[float]:
    """The ratios of what was granted in windows of ten seconds; one of all if it was shorter."""
    first, last = granted[0][0], granted[-1][0]
    ratios = []
    start = first
    while not ratios or start + WINDOW_MS <= last:
        sums = [
            sum(units for at, units in each if start <= at < start + WINDOW_MS)
            for each in (granted, modelled)
        ]
        ratios.append(sums[0] / sums[1] if sums[1] else 1.0)
        start += WINDOW_MS / 10
    return ratios


if __name__ == "__main__":
    main()
