"""`python -m bench.replicas`: what a second region costs the puts of the first, in one server.

Puts of 250-byte items go to a table of one region, and to one with a replica in another region of
the same server. CPU time is counted until the replica has all changes; the ratio of the CPU times
of a put is that of the rates, as far as the server's CPU bounds them.
"""

import sys
import tempfile
import time
import urllib.request
from typing import Final

from bench import client, rows, server
from bench.asking import Ask, asker

SECONDS: Final = 4.0
CONNECTIONS: Final = 32
GOAL: Final = 0.45
_REGIONS: Final = "us-east-1,eu-west-1"
_TABLE: Final = "Bench"
_COUNTER: Final = "hashrange_replicated_changes_total"
_QUIET_SECONDS: Final = 0.6
_LOOKS: Final = 400


def main() -> None:
    """Print the rates and the CPU time of puts with one region and with two."""
    runs, kept = 3, sys.argv[1:]
    found = {regions: [_measured(regions, kept) for _ in range(runs)] for regions in (1, 2)}
    for regions, measured in found.items():
        told = ", ".join(f"{rate:,.0f}/s {cpu_us:.1f} us" for rate, cpu_us in measured)
        sys.stdout.write(f"regions: {regions}: {told}\n")
    one, two = (min(cpu_us for _, cpu_us in found[regions]) for regions in (1, 2))
    rate = max(each[0] for each in found[2]) / max(each[0] for each in found[1])
    sys.stdout.write(f"of the puts of one region: {one / two:.2f} by CPU, {rate:.2f} by rate; ")
    sys.stdout.write(f"the goal is {GOAL}\n")


def _measured(regions: int, kept: list[str]) -> tuple[float, float]:
    """Puts a second, and microseconds of CPU time of a put with its replication."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "hashrange", "serve", "--port", "0", "--regions", _REGIONS]
        command += kept or ["--data", f"{folder}/data"]
        with server.started(command) as started:
            ask = asker(started.port)
            rows.prepare(ask)
            if regions > 1:
                _replicate(ask)
            begun = _cpu_seconds(started)
            load = client.Load(
                port=started.port, requests=rows.requests(rows.PUT), seconds=SECONDS,
                connections=CONNECTIONS,
            )  # fmt: skip
            answered = client.run_own(load)
            _settle(started.port)
            spent = _cpu_seconds(started) - begun
    assert answered.failed == 0, "puts were refused"
    return answered.requests / answered.seconds, spent / answered.requests * 1e6


def _cpu_seconds(started: server.Server) -> float:
    found = server.cpu_seconds(started.pid)
    assert found is not None, "this system does not tell CPU times"
    return found


def _replicate(ask: Ask) -> None:
    updates = [{"Create": {"RegionName": "eu-west-1"}}]
    ask("UpdateTable", {"TableName": _TABLE, "ReplicaUpdates": updates})
    for _ in range(_LOOKS):
        table = ask("DescribeTable", {"TableName": _TABLE})["Table"]
        if [each["ReplicaStatus"] for each in table["Replicas"]] == ["ACTIVE"]:
            return
        time.sleep(0.05)
    raise AssertionError("the replica was not created")


def _settle(port: int) -> None:
    """Wait until nothing is replicated any more."""
    last = _replicated(port)
    for _ in range(_LOOKS):
        time.sleep(_QUIET_SECONDS)
        now = _replicated(port)
        if now == last:
            return
        last = now


def _replicated(port: int) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[1]) for line in lines if line.startswith(_COUNTER))


if __name__ == "__main__":
    main()
