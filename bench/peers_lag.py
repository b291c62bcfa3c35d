"""`python -m bench.peers_lag`: how long a change takes to the server of another region.

Two servers on directories hold a region each. First puts measure the rate of one of them while it
replicates; then requests come at half of that rate, and items are put beside them and looked for at
the other server until they are there.
"""

import argparse
import http.client
import json
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from typing import Final

from bench import client, open_loop, rows, server
from bench.asking import Answer, Sent, ask, encoded, headers

GOAL_MS: Final = 50.0
CONNECTIONS: Final = 32
_EAST: Final = "us-east-1"
_WEST: Final = "eu-west-1"
_TABLE: Final = "Bench"
_LOOKS: Final = 400
_PROBE_SECONDS: Final = 0.03
_LOOK_SECONDS: Final = 0.001
"""Between looks: without it they take a third of a processor from the servers."""
_LOST_SECONDS: Final = 20.0


def main() -> None:
    """Print the rate, and percentiles of the lag."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers_lag")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each of the two loads")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        ports = server.free_port(), server.free_port()
        for region, other, port, far in ((_EAST, _WEST, *ports), (_WEST, _EAST, *ports[::-1])):
            command = ["-m", "hashrange", "serve", "--port", str(port), "--regions", region]
            command += ["--data", f"{folder}/{region}"]
            command += ["--peer", f"{other}=http://127.0.0.1:{far}"]
            stack.enter_context(server.started(command))
        _prepare(*ports)
        requests = rows.requests(rows.PUT)
        load = client.Load(
            port=ports[0], requests=requests, seconds=seconds, connections=CONNECTIONS
        )
        most = client.run_own(load)
        rate = most.requests / most.seconds / 2
        _lag_ms(*ports, "settled")
        due = open_loop.Due(
            port=ports[0], requests=requests, per_second=rate, seconds=seconds,
            connections=CONNECTIONS,
        )  # fmt: skip
        lags = _probed(*ports, due)
    sys.stdout.write(f"puts while replicating: {2 * rate:,.0f}/s; at {rate:,.0f}/s the lag of ")
    sys.stdout.write(f"{len(lags)} items: p50 {_at(lags, 50):.1f} ms, p99 {_at(lags, 99):.1f} ms; ")
    sys.stdout.write(f"the goal is {GOAL_MS:.0f} ms\n")


def _probed(near: int, far: int, due: open_loop.Due) -> list[float]:
    """The lags of items that are put while a load runs, in ms."""
    loading = threading.Thread(target=open_loop.run, args=(due,))
    loading.start()
    lags: list[float] = []
    while loading.is_alive():
        lags.append(_lag_ms(near, far, f"probe-{len(lags)}"))
        time.sleep(_PROBE_SECONDS)
    loading.join()
    return lags


def _lag_ms(near: int, far: int, key: str) -> float:
    """Milliseconds from the answer of a put to the first look at the other server that finds it."""
    ask(near, "PutItem", {"TableName": _TABLE, "Item": _key(key)})
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", far, timeout=30)
    body = encoded({"TableName": _TABLE, "Key": _key(key)})
    sent = {**headers(), **_in_west(), "X-Amz-Target": "DynamoDB_20120810.GetItem"}
    while time.perf_counter() - begun < _LOST_SECONDS:
        connection.request("POST", "/", body, sent)
        if "Item" in json.loads(connection.getresponse().read()):
            connection.close()
            return (time.perf_counter() - begun) * 1000
        time.sleep(_LOOK_SECONDS)
    raise AssertionError("a change does not arrive")


def _key(key: str) -> Answer:
    return {"p": {"S": key}, "s": {"S": "0"}}


def _in_west(_sent: Sent | None = None) -> dict[str, str]:
    return {"Authorization": headers()["Authorization"].replace(_EAST, _WEST)}


def _prepare(near: int, far: int) -> None:
    rows.prepare(lambda target, body: ask(near, target, body))
    updates = [{"Create": {"RegionName": _WEST}}]
    ask(near, "UpdateTable", {"TableName": _TABLE, "ReplicaUpdates": updates})
    for _ in range(_LOOKS):
        table = ask(near, "DescribeTable", {"TableName": _TABLE})["Table"]
        if [each["ReplicaStatus"] for each in table["Replicas"]] == ["ACTIVE"]:
            ask(far, "DescribeTable", {"TableName": _TABLE}, _in_west)
            return
        time.sleep(0.1)
    raise AssertionError("the replica was not created")


def _at(lags: list[float], percent: int) -> float:
    return client.percentile_us(lags, percent) / 1e6


if __name__ == "__main__":
    main()
