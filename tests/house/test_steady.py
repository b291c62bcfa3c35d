"""`make steady` makes the runs that are left, and stops only what the tests have started."""

import os
import subprocess
import sys

from tests import records
from tests.steady.__main__ import left
from tests.steady.disturbances import children_of, slow_syncs

WANTED = {("3.11", "load"): 2, ("3.14", "none"): 1}
SYNC = "import os, time; f = open('f', 'w'); a = time.monotonic(); os.fsync(f.fileno()); "


def test_runs_that_are_left():
    assert left(WANTED, []) == [("3.11", "load"), ("3.11", "load"), ("3.14", "none")]
    assert left(WANTED, [("3.14", "none"), ("3.11", "load"), ("3.11", "syncs")]) == [
        ("3.11", "load")
    ]
    assert left(WANTED, [*WANTED, *WANTED]) == []


def test_records(tmp_path):
    path = tmp_path / "folder" / "record"
    assert records.rows_of(path) == []
    records.add(path, {"code": 0})
    records.add(path, {"code": 1})
    assert records.rows_of(path) == [{"code": 0}, {"code": 1}]


# A record of other code says nothing of this one.
def test_a_digest_is_of_the_words_and_of_the_content(tmp_path):
    (tmp_path / "a.py").write_text("a")
    before = records.digest_of(["x"], [tmp_path])
    assert before == records.digest_of(["x"], [tmp_path])
    assert before != records.digest_of(["y"], [tmp_path])
    (tmp_path / "a.py").write_text("b")
    assert before != records.digest_of(["x"], [tmp_path])


def test_children_are_those_of_a_process_and_of_theirs():
    nested = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    command = [sys.executable, "-c", f"print(1, flush=True); {nested}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout.readline()
        assert started.pid in children_of(os.getpid())
        assert os.getpid() not in children_of(started.pid)
        started.communicate(b"\n")


def test_syncs_are_slow(tmp_path):
    variables = {**os.environ, **slow_syncs(tmp_path)}
    command = [sys.executable, "-c", f"{SYNC}print(time.monotonic() - a)"]
    ran = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
    )
    assert float(ran.stdout) >= 0.05
