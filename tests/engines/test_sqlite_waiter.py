"""Who waits for a write goes on: a coroutine that is driven by hand at once, a Task in its loop."""

import asyncio
from contextvars import ContextVar

import pytest

from hashrange.server.connection import advance
from hashrange.storage.loop_waiter import LoopWaiter
from tests.pace import turns


async def waits(waiter, log):
    log.append("begun")
    await waiter
    log.append("ended")
    return "answer"


def test_a_coroutine_that_is_driven_by_hand_goes_on_at_once():
    async def scenario():
        waiter, log = LoopWaiter(asyncio.get_running_loop()), []
        coroutine = waits(waiter, log)

        def wake(awaited):
            assert awaited is waiter
            log.append(advance(coroutine, wake))

        assert advance(coroutine, wake) is None
        assert not waiter.done()
        waiter.set_result(3)
        assert log == ["begun", "ended", "answer"]
        assert waiter.done()
        assert waiter.answered == 3

    asyncio.run(scenario())


# Another task may be the current one.
def test_a_task_goes_on_in_its_loop_and_context():
    name = ContextVar("name", default="none")

    async def scenario():
        waiter, log = LoopWaiter(asyncio.get_running_loop()), []

        async def named():
            name.set("mine")
            answer = await waits(waiter, log)
            return answer, name.get()

        task = asyncio.create_task(named())
        await turns()
        waiter.set_result(None)
        assert log == ["begun"]
        assert await task == ("answer", "mine")

    asyncio.run(scenario())


def test_a_task_that_is_cancelled_waits_no_longer():
    async def scenario():
        waiter, log = LoopWaiter(asyncio.get_running_loop()), []
        task = asyncio.create_task(waits(waiter, log))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert waiter.done()
        assert not waiter.cancel(), "again"
        waiter.set_result(1)
        assert log == ["begun"]

    asyncio.run(scenario())


def test_a_timeout_ends_the_wait():
    async def scenario():
        waiter = LoopWaiter(asyncio.get_running_loop())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waits(waiter, []), 0)
        late = LoopWaiter(asyncio.get_running_loop())
        gathered = asyncio.gather(waits(late, []), waits(waiter_that_is_told_soon(), []))
        await turns()
        late.set_result(1)
        assert await gathered == ["answer", "answer"]

    def waiter_that_is_told_soon():
        loop = asyncio.get_running_loop()
        waiter = LoopWaiter(loop)
        loop.call_soon(loop.call_soon, waiter.set_result, 1)
        return waiter

    asyncio.run(scenario())


# The others of the group are answered all the same.
def test_a_callback_that_fails_is_reported():
    async def scenario():
        loop, reported = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _, context: reported.append(context["exception"]))
        waiter = LoopWaiter(loop)
        waiter.add_done_callback(lambda _: 1 // 0)
        waiter.set_result(1)
        assert [type(each) for each in reported] == [ZeroDivisionError]

    asyncio.run(scenario())


def test_who_awaits_a_final_outcome_does_not_suspend():
    async def scenario():
        waiter, log = LoopWaiter(asyncio.get_running_loop()), []
        waiter.set_result(1)
        assert advance(waits(waiter, log), log.append) == "answer"

    asyncio.run(scenario())
