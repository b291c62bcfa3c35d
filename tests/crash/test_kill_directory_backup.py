"""kill -9 of a backup and of a restore of a data directory, by a command and by a server."""

import os

from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.forks import PIPE, STDOUT, process_of
from tests.pace import until
from tests.unit.processes import run

ITEMS = 40
TEXT_BYTES = 200_000


def filled(directory):
    """A server with some megabytes, of which no two chunks are the same."""
    server = Server(directory)
    client = Client(server.url)
    client.call("CreateTable", TableName="Large", **keyed(pk="N"))
    for number in range(ITEMS):
        item = {"pk": {"N": str(number)}, "text": {"S": os.urandom(TEXT_BYTES // 2).hex()}}
        client.call("PutItem", TableName="Large", Item=item)
    client.close()
    return server


def killed_at(files, look, *arguments):
    """Kill a command when `look` has found so many files; whether it ended before."""
    with process_of([*map(str, arguments)], stderr=STDOUT) as process:
        until(lambda: process.poll() is not None or look() >= files)
        process.kill()
        return process.wait() == 0


def chunks(target):
    return sum(path.is_file() for path in (target / "chunks").rglob("*"))


def ids(target):
    return [
        line.split()[0] for line in run("backup", "any", str(target), "--list").stdout.splitlines()
    ]


def assert_whole(target, place_of):
    """Each backup of a command that was killed, which may be between its last file and its end."""
    for each in ids(target):
        restored = run("restore", str(target), str(place_of(each)), "--backup", each)
        assert restored.returncode == 0, restored.stderr


# A backup is there as a whole or not at all, and the next one begins with what was stored.
def test_backup_is_killed_and_goes_on(tmp_path):
    data, target, place = tmp_path / "data", tmp_path / "target", tmp_path / "restored"
    assert filled(data).terminate() == 0
    for files in (1, 8, 20):
        killed_at(files, lambda: chunks(target), "backup", data, target)
        assert_whole(target, lambda each: tmp_path / f"{files}-{each}")  # noqa: B023 - called at once
        assert verify(data) == ""
    stored = chunks(target)
    made = run("backup", str(data), str(target)).stdout
    assert f" {chunks(target) - stored} of them new" in made
    assert len(ids(target)) >= 1
    unfinished = tmp_path / "restored.restoring"
    for part in (1, 2):
        killed_at(part, lambda: len(list(unfinished.glob("*"))), "restore", target, place)
        if place.exists():
            break
    else:
        assert run("restore", str(target), str(place)).returncode == 0
    assert verify(place) == ""


# The server that makes it is killed: it has all that it had answered, and no half backup is left.
def test_server_is_killed_in_a_backup(tmp_path):
    data, target = tmp_path / "data", tmp_path / "target"
    server = filled(data)
    with process_of(["backup", str(data), str(target)], stderr=PIPE) as process:
        until(lambda: chunks(target) >= 2 or process.poll() is not None)
        server.kill()
        told = process.stderr.read()
    assert process.returncode == 0 or "has ended" in told
    assert_whole(target, lambda each: tmp_path / each)
    server = Server(data)
    client = Client(server.url)
    count = client.call("Scan", TableName="Large", Select="COUNT")["ScannedCount"]
    client.close()
    assert count > 0
    assert run("backup", str(data), str(target)).returncode == 0
    assert server.terminate() == 0
    assert verify(data) == ""
