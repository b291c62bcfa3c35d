"""Runs coroutines without a Task, which costs microseconds: most handlers never suspend."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from hashrange.server.exchange import Handler, Request, Response
from hashrange.server.responses import INTERNAL_ERROR

_log: Final = logging.getLogger(__name__)


def advance(
    coroutine: Coroutine[Any, Any, Response], wake: Callable[[Any], object]
) -> Response | None:
    """Run a handler's coroutine until it ends or suspends.

    Returns:
        Its response, the constant 500 if it raised, or None if it awaits: then `wake` is called
        once, from the loop, when the coroutine can go on.
    """
    try:
        awaited = coroutine.send(None)
        if awaited is None:  # asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(wake, None)
        else:
            # How a Task takes a future over from its coroutine.
            assert awaited._asyncio_future_blocking, "not a future of asyncio"  # noqa: SLF001
            awaited._asyncio_future_blocking = False  # noqa: SLF001
            awaited.add_done_callback(wake)
    except StopIteration as ended:
        response: Response = ended.value
        return response
    except (Exception, asyncio.CancelledError):  # noqa: BLE001 - every failure gets an answer
        _log.exception("a request failed")
        return INTERNAL_ERROR
    return None


def in_tasks(handler: Handler) -> Handler:
    """A handler that runs each request in a Task.

    For engines whose database drivers need the current task, as asyncpg does.
    """

    async def respond(request: Request) -> Response:
        return await asyncio.get_running_loop().create_task(handler(request))

    return respond
