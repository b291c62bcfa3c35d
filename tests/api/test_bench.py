"""The benchmark proves its own requests; here it only has to run."""

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench import rows
from bench.check import BASELINE, compared, grown
from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[2]
ANYHOW = ("--constant-us-max", "1000000")
"""On a busy machine, too."""
UNHURRIED = os.environ | {"HASHRANGE_SLOW_REQUEST_MS": "0"}
"""Slow requests are logged on stderr, which is to be empty; on a busy machine some are slow."""


def ran(*words, quiet_seconds=60):
    """A module of the benchmarks that was run with arguments: what it printed, and its code."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=UNHURRIED,
        capture_output=True,
        text=True,
        timeout=seconds(quiet_seconds),
        check=False,
    )


# A benchmark that nobody runs breaks unseen; figures of so short a run mean nothing.
@pytest.mark.long
def test_benchmark_runs_and_writes_its_figures(tmp_path):
    command = ["bench", "--seconds", "0.05", "--own-client"]
    finished = ran(*command, *ANYHOW, "--directory", str(tmp_path))
    assert (finished.returncode, finished.stderr) == (0, "")
    (results,) = tmp_path.iterdir()
    rows = json.loads(results.read_text())["rows"]
    assert [row["hashrange"]["row"] for row in rows] == [
        "put",
        "put, streamed",
        "put, recoverable",
        "get",
        "select",
        "select, new literals",
        "update, condition",
        "query, 1 item",
        "batch write of 25",
        "transact of 4",
        "put, encrypted",
        "get, encrypted",
        "put, throttled",
        "get, throttled",
        "update, throttled",
        "query, throttled",
        "get, signed",
        "get, LeadingKeys",
        "get, TLS",
        "get, DAX hit",
    ]
    assert all(row["hashrange"]["requests_per_second"] > 0 for row in rows)


# Figures of a busy machine are worse than none: they would be compared with others.
@pytest.mark.long
@pytest.mark.parametrize(
    "program",
    [
        ["bench", "--seconds", "0.05", "--own-client"],
        ["bench.peers", "--only", "hashrange", "--workloads", "mixed"],
    ],
    ids=["bench", "peers"],
)
def test_nothing_is_measured_while_the_machine_is_busy(tmp_path, program):
    command = [*program, "--constant-us-max", "0.001"]
    finished = ran(*command, "--directory", str(tmp_path), quiet_seconds=100)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith("Error: the machine is not quiet: the constant answer costs")
    assert list(tmp_path.iterdir()) == []


# As above.
@pytest.mark.long
def test_gets_over_dax_are_measured():
    finished = ran("bench.dax", "--requests", "50")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "hit over DAX" in finished.stdout


# As above; the peers themselves are for those who have their toolchains.
@pytest.mark.long
def test_comparison_runs_and_writes_its_figures(tmp_path):
    command = ["bench.peers", "--only", "hashrange", "--workloads", "mixed"]
    # The open loop draws when its requests are due: in a shorter time a slow machine has none.
    shape = ["--seconds", "0.5", "--connections", "2", *ANYHOW]
    finished = ran(*command, *shape, "--directory", str(tmp_path), quiet_seconds=100)
    assert (finished.returncode, finished.stderr) == (0, "")
    (results,) = tmp_path.glob("*.json")
    (rows,) = (peer["rows"] for peer in json.loads(results.read_text())["peers"][:1])
    assert [(row["loop"], row["failed"]) for row in rows] == [("closed", 0), ("open", 0)]
    assert all(row["requests_per_second"] > 0 for row in rows)


# As above.
@pytest.mark.long
def test_servers_are_measured_side_by_side():
    command = ["bench.sidebyside", "--only", "hashrange", "--workloads", "get"]
    finished = ran(*command, "--seconds", "0.5", "--rounds", "1", "--connections", "2")
    assert (finished.returncode, finished.stderr) == (0, "")
    row = [cell.strip() for cell in finished.stdout.splitlines()[-1].split("|")[1:-1]]
    assert row[:2] == ["get", "2"]
    assert all(float(ratio) > 0 for ratio in row[2:4])
    assert row[4:8] == ["-"] * 4  # of Dynoxide, which is for those who have its toolchain


# Counted, not timed: the same on a slow machine and a loaded one. The margin is for what a feature
# may cost; what this stops is the sum of small steps, none of which would be seen by itself.
@pytest.mark.long
def test_hot_paths_are_not_much_longer_than_the_baseline():
    minor = platform.python_version().rpartition(".")[0]
    if minor not in json.loads(BASELINE.read_text()):
        pytest.skip(f"no baseline for Python {minor}")
    command = ["bench.check", "--bytecode-only", "--margin", "15"]
    finished = ran(*command, quiet_seconds=100)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "update, condition" in finished.stdout
    # Recovery stores one image where a stream stores both.
    assert counted("put, recoverable", finished.stdout) <= counted("put, streamed", finished.stdout)


def counted(row, table):
    """The count of a row in the table that `bench.check` prints."""
    (found,) = re.findall(rf"^  {row} +([\d,]+) ", table, re.MULTILINE)
    return int(found.replace(",", ""))


@pytest.mark.parametrize(
    ("now", "named"), [(104, []), (105, []), (106, ["bytecode of get"]), (50, [])]
)
def test_a_hot_path_may_grow_by_the_margin(now, named):
    changes = compared({"get": now, "new": 7}, {"get": 100})
    assert grown("bytecode", changes, 5) == named


# SQLite neither writes nor syncs what stays as it is: such puts would be told faster than puts are.
@pytest.mark.long
@pytest.mark.parametrize("row", [*rows.PUTS, rows.TRANSACT], ids=lambda row: row.name)
def test_each_put_is_a_change(row):
    stored = {}
    for sent in 2 * rows.requests(row):
        body = json.loads(sent.body)
        for put in [each["Put"] for each in body.get("TransactItems", [])] or [body]:
            item = put["Item"]
            key = (item["p"]["S"], item["s"]["S"])
            assert stored.get(key) != item
            stored[key] = item


# With so little time the ratios mean nothing, but both sides must have granted something.
@pytest.mark.long
def test_the_server_is_compared_with_the_model_of_throttling():
    command = ["bench.throttling", "--seconds", "0.5", "--idle", "0"]
    finished = ran(*command, quiet_seconds=100)
    assert (finished.returncode, finished.stderr) == (0, "")
    _head, *lines = finished.stdout.splitlines()
    assert len(lines) == 4
    assert all(float(line.split()[-4]) > 0 for line in lines)


# As above: the program must run to its end, and its jobs must bring all items.
@pytest.mark.long
def test_imports_and_exports_are_measured(tmp_path):
    command = ["bench.bulk", "--items", "600", "--large", "60"]
    shape = ["--rounds", "1", "--no-requests", "--directory", str(tmp_path)]
    finished = ran(*command, *shape)
    assert (finished.returncode, finished.stderr) == (0, "")
    told = [line.partition(":")[0] for line in finished.stdout.splitlines()]
    jobs = [("import", 250), ("export", 250), ("import", 4096), ("export", 4096)]
    assert told == [f"{job} of {size:5} bytes" for job, size in jobs]


# As above: changes must arrive while the load runs.
@pytest.mark.long
def test_the_lag_between_servers_is_measured():
    finished = ran("bench.peers_lag", "--seconds", "0.5")
    assert finished.returncode == 0, finished.stderr
    assert "the goal is 50 ms" in finished.stdout


# As above: each kind of server must be put back, which the program checks with a read.
@pytest.mark.long
def test_loads_of_snapshots_are_measured():
    finished = ran("bench.snapshots", "--megabytes", "1", "--loads", "1")
    assert finished.returncode == 0, finished.stderr
    told = [line.split("  ")[0] for line in finished.stdout.splitlines()]
    assert told == ["in memory", "in a directory", "with two workers"]


# As above: each kind of search must find entries, of an index that is built meanwhile.
@pytest.mark.long
def test_the_cost_of_vector_indexes_is_measured():
    finished = ran("bench.vectors", "--entries", "200", "--searches", "2", "--seconds", "1")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("search") == 7


# As above: all that a minute needs must run.
@pytest.mark.long
def test_the_cost_of_stored_metrics_is_measured():
    finished = ran("bench.series", "--minutes", "1")
    assert finished.returncode == 0, finished.stderr
    assert [line.split()[0] for line in finished.stdout.splitlines()] == ["1", "10", "100", "1000"]
