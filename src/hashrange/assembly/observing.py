"""Observers of all requests of a process: the access log."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from hashrange.assembly.parts import Parts
from hashrange.background.tasks import BackgroundTasks
from hashrange.observe.figures import Figures
from hashrange.server.endpoint_state import in_tasks
from hashrange.storage.engine import StorageOpenError
from hashrange.wire.exchange import Handler, Response


def _as_it_is(handler: Handler) -> Handler:
    """Nothing around a handler."""
    return handler


class Observers(msgspec.Struct, frozen=True):
    """A wrapper of handlers of requests, and its figures."""

    around: Callable[[Handler], Handler]
    figures: Callable[[], Figures] = dict


@asynccontextmanager
async def observing(
    parts: Parts, identified: Callable[[Response], Response]
) -> AsyncIterator[Observers]:
    """Observe requests within a context. Raises StorageOpenError: the log cannot be opened."""
    path, clock = parts.settings.access_log, parts.store.clock
    tasked = in_tasks if parts.storage.needs_tasks else _as_it_is
    if path is None:
        yield Observers(tasked)
        return
    from hashrange.server.access_log import AccessLog  # noqa: PLC0415 - few servers need it

    try:
        log = AccessLog(path, clock, identified)
    except OSError as error:
        raise StorageOpenError(f"--access-log {path}: {error.strerror or error}") from error
    tasks = BackgroundTasks()
    tasks.begin([log])
    try:
        yield Observers(lambda handler: log.around(tasked(handler)), log.figures)
    finally:
        await tasks.end()
        await log.close()
