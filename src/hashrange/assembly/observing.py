"""Observers of all requests of a process: the access log, and traces."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from hashrange.assembly.parts import Parts
from hashrange.background.tasks import BackgroundTasks
from hashrange.clock import Clock
from hashrange.observe.figures import Figures
from hashrange.optional_packages import MissingPackageError, imported
from hashrange.server.endpoint_state import in_tasks
from hashrange.storage.engine import StorageOpenError
from hashrange.wire.exchange import Handler, Response

if TYPE_CHECKING:
    from hashrange.server.access_log import AccessLog
    from hashrange.server.traces import Traces

_TRACING: Final = {
    "opentelemetry.sdk.trace": "opentelemetry-sdk",
    "opentelemetry.exporter.otlp.proto.http": "opentelemetry-exporter-otlp-proto-http",
}
"""Packages by modules."""


class Observers(msgspec.Struct, frozen=True):
    """A wrapper of handlers of requests, and its figures."""

    around: Callable[[Handler], Handler]
    figures: Callable[[], Figures] = dict


@asynccontextmanager
async def observing(
    parts: Parts, identified: Callable[[Response], Response]
) -> AsyncIterator[Observers]:
    """Observe requests within a context. Raises StorageOpenError: an observer cannot begin."""
    async with AsyncExitStack() as observers:
        around = [in_tasks] if parts.storage.needs_tasks else []
        figures: Callable[[], Figures] = dict
        if parts.settings.access_log is not None:
            log = await observers.enter_async_context(_logging(parts, identified))
            around.append(log.around)
            figures = log.figures
        if parts.settings.traces_to is not None:
            traces = await observers.enter_async_context(
                _tracing(parts.settings.traces_to, parts.store.clock, identified)
            )
            around.append(traces.around)
        yield Observers(partial(_wrapped, around), figures)


def _wrapped(around: Sequence[Callable[[Handler], Handler]], handler: Handler) -> Handler:
    """A handler within others, the last of which is the outermost."""
    for wrap in around:
        handler = wrap(handler)
    return handler


@asynccontextmanager
async def _logging(
    parts: Parts, identified: Callable[[Response], Response]
) -> "AsyncIterator[AccessLog]":
    from hashrange.server.access_log import AccessLog  # noqa: PLC0415 - few servers need it

    path = parts.settings.access_log
    assert path is not None, "it is set"
    try:
        log = AccessLog(path, parts.store.clock, identified)
    except OSError as error:
        raise StorageOpenError(f"--access-log {path}: {error.strerror or error}") from error
    tasks = BackgroundTasks()
    tasks.begin([log])
    try:
        yield log
    finally:
        await tasks.end()
        await log.close()


@asynccontextmanager
async def _tracing(
    collector: str, clock: Clock, identified: Callable[[Response], Response]
) -> "AsyncIterator[Traces]":
    try:
        for module, package in _TRACING.items():
            imported(module, package, "--traces-to needs OpenTelemetry")
    except MissingPackageError as error:
        raise StorageOpenError(str(error)) from error
    from hashrange.server.traces import Traces  # noqa: PLC0415 - few servers need it

    traces = Traces(collector, clock, identified)
    try:
        yield traces
    finally:
        await asyncio.to_thread(traces.close)
