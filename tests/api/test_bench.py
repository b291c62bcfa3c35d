"""The benchmark proves its own requests; here it only has to run."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


# A benchmark that nobody runs breaks unseen; figures of so short a run mean nothing.
def test_benchmark_runs_and_writes_its_figures(tmp_path):
    command = [sys.executable, "-m", "bench", "--seconds", "0.05", "--own-client"]
    finished = subprocess.run(
        [*command, "--directory", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    (results,) = tmp_path.iterdir()
    rows = json.loads(results.read_text())["rows"]
    assert [row["hashrange"]["row"] for row in rows] == [
        "put",
        "put, streamed",
        "get",
        "update, condition",
        "query, 1 item",
        "batch write of 25",
        "transact of 4",
    ]
    assert all(row["hashrange"]["requests_per_second"] > 0 for row in rows)
