"""A copy that is killed in the middle, and what the same command then makes of it."""

import contextlib
import json
import signal

import pytest

from tests.copying.conftest import serving
from tests.copying.gate import Gate
from tests.copying.tables import ITEMS, seen
from tests.forks import PIPE, process_of
from tests.pace import seconds
from tests.unit.processes import ENVIRONMENT, run

WAIT_SECONDS = seconds(60)


@contextlib.contextmanager
def standing(*arguments, gate):
    """The command, once it can go no further."""
    command = ["copy", *map(str, arguments)]
    with process_of(command, environment=ENVIRONMENT, stderr=PIPE) as process:
        try:
            assert gate.closed.wait(WAIT_SECONDS)
            yield process
        finally:
            process.kill()


@pytest.fixture
def source(filled):
    """The filled directory behind a gate that lets some pages through."""
    with serving(filled[0]) as (_, url):
        gate = Gate(url, scans=8)
        yield gate
        gate.close()


# Nothing is lost and nothing is there twice: `verify` counts, and all clients see is compared.
@pytest.mark.parametrize("to_endpoint", [False, True])
def test_killed_copy_goes_on(filled, source, copy, tmp_path, to_endpoint):
    with contextlib.ExitStack() as stack:
        target = "to"
        if to_endpoint:
            client, target = stack.enter_context(serving(None))
        with standing(source.url, target, gate=source) as process:
            process.kill()
            assert process.wait(WAIT_SECONDS) == -signal.SIGKILL
        (progress,) = tmp_path.glob("hashrange-copy-*.json")
        segments = json.loads(progress.read_text())["tables"]["whole"]["segments"]
        before = sum(segment["tally"]["items"] for segment in segments)
        assert 0 < before < ITEMS, "it was killed in the middle"
        source.open()
        told = copy(source.url, target).stdout
        assert f"continues the copy recorded in {progress.name}\n" in told
        assert f"whole: about {ITEMS} items, {before} of them copied before\n" in told
        assert f"whole: {ITEMS} items copied and compared\n" in told
        assert list(tmp_path.glob("hashrange-copy-*")) == []
        if not to_endpoint:
            assert run("verify", "to").stdout == "to: sound\n"
            client, _ = stack.enter_context(serving(tmp_path / "to"))
        assert seen(client) == filled[1]


@pytest.mark.usefixtures("in_tmp_path")
def test_interrupted_copy_says_that_it_can_go_on(source, tmp_path):
    with standing(source.url, "to", gate=source) as process:
        process.send_signal(signal.SIGINT)
        stderr = process.stderr.read()
        assert process.wait(WAIT_SECONDS) == 1
    assert stderr == "hashrange: stopped; run the same command again to continue\n"
    assert len(list(tmp_path.glob("hashrange-copy-*.json"))) == 1
