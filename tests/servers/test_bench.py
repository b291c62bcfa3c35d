"""A benchmark that nobody runs breaks unseen; figures of so short a run mean nothing."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from bench import client
from tests.engines.postgres_server import url_of
from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[2]


def test_benchmark_of_several_servers_runs():
    if client.wrk_path() is None:
        pytest.skip("wrk is not installed")
    url = url_of(str(uuid.uuid4())).partition("?")[0]
    command = [sys.executable, "-m", "bench.servers", "--url", url]
    finished = subprocess.run(
        [*command, "--servers", "2", "--seconds", "1", "--connections", "2"],
        cwd=ROOT,
        env=os.environ | {"HASHRANGE_SLOW_REQUEST_MS": "0"},  # which are logged on stderr
        capture_output=True,
        text=True,
        timeout=seconds(100),
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [["2", row] for row in ("put", "get", "update,")]


def test_benchmark_of_two_builds_runs():
    if client.wrk_path() is None:
        pytest.skip("wrk is not installed")
    url = url_of(str(uuid.uuid4())).partition("?")[0]
    command = [sys.executable, "-m", "bench.postgres", "--url", url, "--old", str(ROOT)]
    finished = subprocess.run(
        [*command, "--workloads", "update", "--seconds", "1", "--rounds", "1"],
        cwd=ROOT,
        env=os.environ | {"HASHRANGE_SLOW_REQUEST_MS": "0"},
        capture_output=True,
        text=True,
        timeout=seconds(100),
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    (line,) = finished.stdout.splitlines()[1:]
    assert line.startswith("update, condition ")
