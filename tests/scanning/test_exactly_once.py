"""Each item exactly once: whatever is throttled, lost, stopped or killed, and whenever."""

import asyncio
import csv
import fcntl
import json
import shutil
import signal
import threading
from collections import Counter
from functools import partial

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hashrange.access.signatures.signing import Credentials
from hashrange.clock import SystemClock
from hashrange.tools.copying.endpoint import Retries, connected
from hashrange.tools.scanning.outputs import OutputFile
from hashrange.tools.scanning.scan import ScanOptions, checkpoint_path, opened_scan
from tests.forks import PIPE, process_of
from tests.pace import seconds, until
from tests.scanning.filled import make, numbered, put
from tests.scanning.planted import FAULTS, Planted
from tests.unit.processes import ENVIRONMENT

ITEMS = 40
MANY = 300
NAMES = ("out.json", "out.jsonl", "out.csv", "out.parquet")


@pytest.fixture(scope="module")
def filled(server):
    """An account with a table of some pages, which no test changes."""
    yield from account_with(server, ITEMS)


@pytest.fixture(scope="module")
def many(server):
    """An account with a table of more pages than are read until a checkpoint."""
    yield from account_with(server, MANY)


def account_with(server, items):
    account = server.account()
    client = account.client()
    make(client)
    # So long that items are on disk, in part, which no checkpoint has yet.
    put(client, [{**item, "text": {"S": "x" * 3000}} for item in numbered(items)])
    client.close()
    yield account
    server.clear(account)


class Leaping(SystemClock):
    """Each look at the clock is later, so that there is a checkpoint every few pages."""

    now_ns = 0

    def monotonic_ns(self):
        self.now_ns += 300_000_000
        return self.now_ns


class Killed(BaseException):
    """The process is gone: nothing of what it does afterwards counts."""


def keys_in(path):
    match path.suffix:
        case ".json":
            items = json.loads(path.read_text())
        case ".jsonl":
            items = [json.loads(line) for line in path.read_text().splitlines()]
        case ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                items = [*csv.DictReader(file)]
        case _:
            return Counter(key for (key,) in duckdb.sql(f"SELECT pk FROM '{path}'").fetchall())
    return Counter(item["pk"] for item in items)


def keys(items):
    return Counter(f"order-{number:04}" for number in range(items))


ALL = keys(ITEMS)


async def scanned(account, url, path, options, *, resume, killed):
    """Scan to a file; `killed` is called before each Scan, and may raise."""
    signer = account.environment()

    credentials = Credentials(
        access_key=signer["AWS_ACCESS_KEY_ID"],
        secret_key=signer["AWS_SECRET_ACCESS_KEY"],
        session_token=None,
        region=signer["AWS_REGION"],
    )
    clock = Leaping()
    retries = Retries(throttled=False)
    async with connected(url, credentials, clock, connections=8, retries=retries) as place:
        call = place.call

        async def counted(caller, operation, body):
            if operation == "Scan":
                killed()
            return await call(caller, operation, body)

        place.call = counted
        scan = await opened_scan(place, options, clock, lambda _: None)
        return await scan.to_file(OutputFile(path, typed=False), resume=resume)


# A kill is simulated: what is on disk at that moment is what the next process finds.
@settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    name=st.sampled_from(NAMES),
    segments=st.integers(1, 5),
    faults=st.dictionaries(st.integers(1, 40), st.sampled_from(FAULTS), max_size=4),
    kills=st.lists(st.integers(1, 15), max_size=4),
    data=st.data(),
)
def test_no_item_is_lost_or_doubled(filled, tmp_path_factory, name, segments, faults, kills, data):
    folder = tmp_path_factory.mktemp("scan")
    limit = data.draw(st.integers(1, 9))
    options = ScanOptions(table="orders", segments=segments)
    planted = Planted(filled.endpoint, limit=limit, faults=faults)
    try:
        for number, kill in enumerate([*kills, None]):
            left = [kill]
            kept = folder / f"after-{number}"

            def killed(left=left, folder=folder, kept=kept):
                if left[0] is None:
                    return
                left[0] -= 1
                if left[0] == 0:
                    shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("after-*"))
                    raise Killed
                if left[0] < 0:
                    raise Killed

            result = None
            try:
                result = asyncio.run(
                    scanned(filled, planted.url, folder / name, options, resume=True, killed=killed)
                )
            except* Killed:
                folder = kept
            if result is not None:
                break
    finally:
        planted.close()
    assert keys_in(folder / name) == ALL
    assert result.totals.items == ITEMS
    assert {path.name for path in folder.iterdir() if not path.name.startswith("after-")} == {name}


# The real thing, as often as it takes: a process, kill -9, and the command again.
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_killed_process_continues(many, command, tmp_path, name):

    gate, arrived, opened = threading.Semaphore(0), threading.Semaphore(0), threading.Event()

    def before(_):
        arrived.release()
        if not opened.is_set():
            gate.acquire()

    planted = Planted(many.endpoint, limit=1, before=before)
    path = tmp_path / name
    arguments = ["scan", "orders", "--output", name, "--endpoint", planted.url, "--segments", "3"]
    environment = {**ENVIRONMENT, **many.environment()}

    def offset_beyond(least):
        """The offset in the checkpoint, if it is greater, and more than that is on disk.

        Each look lets one more page through.
        """
        if arrived.acquire(blocking=False):
            gate.release()
        checkpoint, part = checkpoint_path(path), path.with_name(f"{name}.part")
        if not checkpoint.exists():
            return None
        offset = json.loads(checkpoint.read_text())["offset"]
        return offset if least < offset < part.stat().st_size else None

    try:
        seen = 0
        for _ in range(2):
            line = [*arguments, "--resume", "--quiet"]
            with process_of(line, environment=environment, stderr=PIPE) as process:
                try:
                    seen = until(partial(offset_beyond, seen))
                finally:
                    process.kill()
                assert process.wait(seconds(20)) == -signal.SIGKILL
        assert not path.exists()
        opened.set()
        ended = command(*arguments, "--resume", "--json", **many.environment())
    finally:
        opened.set()
        gate.release(1000)
        planted.close()
    assert keys_in(path) == keys(MANY)
    assert json.loads(ended.stdout)["items"] == MANY
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.usefixtures("in_tmp_path")
def test_interrupted_scan_says_how_it_continues(filled, command, tmp_path):
    gate, first = threading.Semaphore(10), threading.Event()

    def before(_):
        if not gate.acquire(blocking=False):
            first.set()
            gate.acquire()

    planted = Planted(filled.endpoint, limit=1, before=before)
    environment = {**ENVIRONMENT, **filled.environment()}
    arguments = ["scan", "orders", "--output", "o.json", "--endpoint", planted.url, "--quiet"]
    try:
        with process_of(arguments, environment=environment, stderr=PIPE) as process:
            assert first.wait(seconds(20))
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == "hashrange: stopped; --resume continues\n"
            assert process.wait(seconds(20)) == 1
        gate.release(1000)
        refused = command(*arguments, code=2, **filled.environment())
        assert "o.json.checkpoint is of a scan that was stopped: --resume" in refused.stderr
        other = command(*arguments, "--resume", "--typed", code=2, **filled.environment())
        assert "belongs to a command with another form: it cannot continue" in other.stderr
        command(*arguments, "--resume", **filled.environment())
    finally:
        gate.release(1000)
        planted.close()
    assert keys_in(tmp_path / "o.json") == ALL


# Two processes that write one file would mix their items.
def test_a_file_is_written_by_one_process(filled, command, tmp_path):
    (tmp_path / "o.jsonl.part").touch()
    with (tmp_path / "o.jsonl.part").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ended = command("scan", "orders", "--output", "o.jsonl", code=2, **filled.environment())
    assert "o.jsonl.part is being written by another process" in ended.stderr
