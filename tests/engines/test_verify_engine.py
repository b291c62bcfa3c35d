"""`hashrange verify-engine`: what holds, what does not, and that nothing is left behind."""

import asyncio
import re
import signal
import subprocess
import sys
import uuid
from contextlib import asynccontextmanager, contextmanager
from itertools import count

import asyncpg
import msgspec
import pytest
from click.testing import CliRunner

from hashrange.assembly.engines import kinds
from hashrange.cli.commands import commands
from tests.engines.broken_engines import BROKEN, GoesAway
from tests.engines.postgres_server import shared
from tests.pace import seconds


def run(*arguments):
    return CliRunner().invoke(commands, ["verify-engine", *arguments], standalone_mode=False)


def schemas():
    async def listed():
        connection = await asyncpg.connect(shared().url)
        try:
            rows = await connection.fetch("SELECT nspname FROM pg_namespace")
        finally:
            await connection.close()
        return {row["nspname"] for row in rows}

    return asyncio.run(listed())


def on_broken(kind):
    """A table of engines whose only row is on trial with this engine."""

    @contextmanager
    def on_trial(place, name):
        engine = kind()

        @asynccontextmanager
        async def opened():
            yield engine

        yield opened

    row = msgspec.structs.replace(kinds.SQLITE, on_trial=on_trial)
    return lambda _place: row


# The budget is one of calls and not of time, which a stall of the machine would use up.
@pytest.mark.long
def test_a_postgresql_keeps_the_contract_and_is_left_as_it_was(monkeypatch):
    def budget(_now_ns, _seconds):
        def share(part):
            calls = count(1)
            return lambda: next(calls) <= 40 * part

        return share

    monkeypatch.setattr("hashrange.cli.verify_engine.budget", budget)
    done = run(shared().url)
    assert done.exception is None, done.output
    assert "FAILS" not in done.output
    assert re.search(r"holds  load +[1-9][\d,]* writes of 16 clients", done.output)
    assert re.search(r"holds  concurrent callers +[1-9][\d,]* random histories", done.output)
    assert "secret" not in done.output
    (name,) = re.findall(r"hashrange_trial_\w{16}", done.output)
    assert name not in schemas()


def test_a_directory_is_tried_with_sqlite_and_left_as_it_was(tmp_path):
    done = run(str(tmp_path), "--seconds", "0.2")
    assert done.exception is None, done.output
    assert done.output.count("holds") == 9
    assert list(tmp_path.iterdir()) == []


# Each fault is one that a database or an engine could have.
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_promise_is_told_and_fails_the_command(kind, monkeypatch):
    monkeypatch.setattr(kinds, "kind_of", on_broken(kind))
    done = CliRunner().invoke(commands, ["verify-engine", "anything", "--seconds", "0.1"])
    assert done.exit_code == 1
    assert "FAILS" in done.output
    assert "does not meet the requirements" in done.output
    assert re.search(r"Error: .*\(\w+\.py:\d+: .*\)$", done.output, re.MULTILINE)


def test_an_engine_that_goes_away_is_no_verdict(monkeypatch):
    monkeypatch.setattr(kinds, "kind_of", on_broken(GoesAway))
    done = run("anything")
    assert done.exception.message == "anything: it is gone"


def test_what_cannot_be_tried_says_why_in_a_line(tmp_path):
    role = f"r{uuid.uuid4().hex}"

    async def make_role():
        connection = await asyncpg.connect(shared().url)
        await connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'other'")
        await connection.close()

    asyncio.run(make_role())
    for place, text in (
        ("postgresql://a:b@127.0.0.1:1/c", "connection refused"),
        (shared().url.replace(":secret@", ":wrong@"), "access denied"),
        (shared().url.replace("postgres:secret", f"{role}:other"), "needs CREATE on the database"),
        (str(tmp_path / "missing"), "No such file or directory"),
    ):
        before = schemas()
        done = run(place)
        assert done.exception.exit_code == 2
        assert text in done.exception.message
        assert "\n" not in done.exception.message
        assert schemas() <= before


# A shell ignores interrupts in its background.
IN_BACKGROUND = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "kind"),
    [([], signal.SIGINT), ([], signal.SIGTERM), (IN_BACKGROUND, signal.SIGTERM)],
    ids=["interrupted", "terminated", "terminated in the background"],
)
def test_who_stops_it_leaves_nothing_behind(before, kind):
    command = [*before, sys.executable, "-u", "-m", "hashrange", "verify-engine", shared().url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as it:
        begun = it.stdout.readline()
        assert "holds  reads" in it.stdout.readline()
        it.send_signal(kind)
        said = it.communicate(timeout=seconds(60))[1]
    assert it.returncode == 1, said
    assert said.splitlines()[-1] == "hashrange: stopped; the trial schema was removed"
    assert "Traceback" not in said
    assert re.search(r"hashrange_trial_\w+", begun)[0] not in schemas()


TERMINATED_IN_A_STEP = """
import asyncio, signal, sys
from asyncio import events, runners
from hashrange.cli.commands import main
from hashrange.assembly.engines.trials.subject import Subject

def is_moment(frame, event):
    match moment:
        case "before":
            return event == "call" and frame.f_code is Subject.run.__code__
        case "created":
            is_creation = event == "return" and frame.f_code.co_name == "create_task"
            return is_creation and frame.f_back.f_code is runners.Runner.run.__code__
        case "ended":
            is_turn = event == "return" and frame.f_code is events.Handle._run.__code__
            return is_turn and not asyncio.all_tasks()

def terminate(frame, event, argument):
    global left
    if is_moment(frame, event):
        left -= 1
        if not left:
            signal.raise_signal(signal.SIGTERM)

moment, left = sys.argv.pop(), 21  # odd: after a step the loop has one more turn without tasks
sys.setprofile(terminate)
main()
"""


# An exception in a signal handler leaves a task that never ran, or ends a later step too early.
@pytest.mark.parametrize("moment", ["before", "created", "ended"])
def test_it_may_be_stopped_in_each_moment_of_a_step(moment, tmp_path):
    command = [sys.executable, "-c", TERMINATED_IN_A_STEP, "verify-engine", str(tmp_path), moment]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds(60))
    assert (done.returncode, done.stderr) == (
        1,
        "hashrange: stopped; the trial schema was removed\n",
    )
    assert list(tmp_path.iterdir()) == []
