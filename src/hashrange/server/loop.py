"""The event loop of the server: uvloop where it exists, asyncio's own elsewhere."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine on a new loop until it ends, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main)


def new_loop() -> asyncio.AbstractEventLoop:
    """A loop that logs exceptions of callbacks without the arguments of the callbacks.

    The default handler prints the callback, and with it the requests in its arguments.
    """
    loop = _factory()()
    loop.set_exception_handler(_report)
    return loop


def _factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop  # noqa: PLC0415 - does not exist on Windows
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("%s", context.get("message"), exc_info=context.get("exception"))
