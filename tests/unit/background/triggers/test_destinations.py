"""Calls of destinations: what is a success, what a failure, and one at a time."""

import asyncio
import json
import socket
import threading

import pytest

from hashrange.background.triggers.batches import Failed, Succeeded
from hashrange.background.triggers.destinations import Caller, Function, HttpEndpoint
from hashrange.clock import SystemClock
from tests.pace import SECONDS_MAX, loop_until, turns
from tests.triggers.receivers import Receiver

EVENT = b'{"Records":[]}'
REQUEST_ID = "8c5e2d2e-0001-4000-8000-000000000000"


def caller(destination, *, seconds=20.0, wants_answer=True):
    return Caller(
        destination, SystemClock(), trigger="test", seconds=seconds, wants_answer=wants_answer
    )


def call(destination, **more):
    return asyncio.run(caller(destination, **more).call(EVENT, REQUEST_ID))


@pytest.fixture
def receive():
    """An endpoint that answers so."""
    made = []

    def make(*answer):
        made.append(Receiver(lambda _: answer))
        return HttpEndpoint(made[-1].url)

    yield make
    for receiver in made:
        receiver.close()


def test_status_and_header_tell_a_failure(receive):
    assert call(receive(200, None, {})) == Succeeded(None)
    assert call(receive(202, {"a": 1}, {})) == Succeeded({"a": 1})
    assert call(receive(202, {"a": 1}, {}), wants_answer=False) == Succeeded(None)
    assert call(receive(404, "no", {})) == Failed("status 404", '"no"')
    assert call(receive(302, None, {"Location": "/"})) == Failed("status 302")
    told = call(receive(200, {}, {"X-Amz-Function-Error": "Handled"}))
    assert told == Failed("status 200, Handled", "{}")


def test_endpoint_that_is_not_there_is_a_failure():
    gone = Receiver()
    gone.close()
    assert call(HttpEndpoint(gone.url)).reason == "ConnectionRefusedError"


def test_endpoint_that_does_not_answer_is_a_failure():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        assert call(HttpEndpoint(url), seconds=0.1).reason.startswith("it took longer than 0.1")


def test_function_gets_the_event_and_a_context():
    def handler(event, context):
        left = context.get_remaining_time_in_millis()
        return [event, context.function_name, context.invoked_function_arn, 0 < left <= 20_000]

    told = call(Function("module:handler", handler))
    assert told == Succeeded([json.loads(EVENT), "test", "module:handler", True])


# Not even sys.exit in a function ends the server.
@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit("bad"), KeyboardInterrupt("bad")])
def test_exception_is_a_failure(error):
    def handler(_event, _context):
        raise error

    failed = call(Function("a:b", handler))
    assert (failed.reason, failed.detail) == (type(error).__name__, "bad")


# Who writes a function must find its fault in the log: the line of the function itself, also where
# a library that it calls has raised the exception.
def test_exception_of_a_function_is_logged_with_its_place():
    def handler(event, _context):
        return json.loads(event["Records"])

    def bad(_event, _context):
        raise ValueError("no such\ncustomer")

    line = bad.__code__.co_firstlineno + 1
    failed = call(Function("a:b", bad))
    assert failed.logged == f"ValueError: no such customer ({__file__}:{line} in bad)"
    failed = call(Function("a:b", handler))
    assert failed.logged.endswith(f"({__file__}:{handler.__code__.co_firstlineno + 1} in handler)")
    assert "TypeError: " in failed.logged


# What an endpoint answers may quote the items that it was sent.
def test_answer_of_an_endpoint_is_not_logged():
    assert Failed("status 500", "item 7").logged == "status 500"


class MovedLoop(asyncio.SelectorEventLoop):
    """A loop whose time is moved: a limit is over when a test says so."""

    moved = 0.0

    def time(self):
        return super().time() + self.moved


# Two calls at once would put the changes of an item out of order.
def test_call_that_takes_too_long_is_waited_for_before_the_next():
    release, running, most = threading.Event(), [], []

    def handler(_event, _context):
        running.append(1)
        most.append(len(running))
        release.wait(SECONDS_MAX)
        running.pop()

    async def twice():
        # The second one has this time, too.
        calls = caller(Function("a:b", handler), seconds=SECONDS_MAX)
        first = asyncio.create_task(calls.call(EVENT, REQUEST_ID))
        await loop_until(lambda: running)
        asyncio.get_running_loop().moved = SECONDS_MAX + 1
        first = await first
        second = asyncio.create_task(calls.call(EVENT, REQUEST_ID))
        await turns()
        assert not second.done()
        release.set()
        return first, await second

    with asyncio.Runner(loop_factory=MovedLoop) as runner:
        first, second = runner.run(twice())
    assert isinstance(first, Failed)
    assert second == Succeeded(None)
    assert most == [1, 1]
