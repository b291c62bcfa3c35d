"""The pages of a server, beside its APIs: pages for operators, for tests, and for peers."""

from collections.abc import Coroutine
from typing import Any

from hashrange.assembly.parts import Parts
from hashrange.clock import MovableClock
from hashrange.server.monitor import Monitor
from hashrange.server.pages import operator_pages, pages, peer_pages
from hashrange.server.responses import UNKNOWN_CONTENT_ENCODING
from hashrange.server.testing_clock import Controls, clock_pages, snapshot_pages
from hashrange.wire.exchange import Handler, Request, Response


def site_of(parts: Parts, monitor: Monitor, controls: Controls) -> Handler:
    """The handler of all requests but `POST /`."""
    clock = parts.store.clock
    rows = [
        *operator_pages(
            fault=monitor.fault,
            metrics=monitor.text,
            top=monitor.top,
            monotonic_ns=clock.monotonic_ns,
        )
    ]
    if parts.peering is not None:
        rows += peer_pages(parts.peering.endpoint)
    if isinstance(clock, MovableClock):
        rows += [*clock_pages(clock, controls.move), *snapshot_pages(controls.states)]
    return _with_plain_bodies(pages(rows))


def _with_plain_bodies(handler: Handler) -> Handler:
    """A handler that refuses bodies with a Content-Encoding, which no page needs."""

    def route(request: Request) -> Coroutine[Any, Any, Response]:
        return _refused() if request.decompress and request.body else handler(request)

    async def _refused() -> Response:
        return UNKNOWN_CONTENT_ENCODING

    return route
