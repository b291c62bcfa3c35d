"""The pages of a server, beside its APIs: for operators, browsers, tests, and peers."""

from collections.abc import Iterable

from hashrange.assembly.parts import Parts
from hashrange.clock import MovableClock
from hashrange.server.localstack import localstack_pages
from hashrange.server.monitor import Monitor
from hashrange.server.pages import operator_pages, pages
from hashrange.server.routes import Route
from hashrange.server.testing_clock import Controls, clock_pages, snapshot_pages
from hashrange.wire.exchange import Handler


def site_of(
    parts: Parts, monitor: Monitor, controls: Controls, others: Iterable[Route[Handler]]
) -> Handler:
    """The handler of all requests but `POST /`; `others` are rows of the console and of APIs."""
    clock = parts.store.clock
    rows = [
        *operator_pages(
            fault=monitor.fault,
            notes=lambda: [*parts.storage.warnings(), *parts.damage.lines()],
            metrics=monitor.text,
            top=monitor.top,
            monotonic_ns=clock.monotonic_ns,
            token=parts.settings.metrics_token,
        ),
        *localstack_pages(monitor.fault, clock),
        *others,
    ]
    if parts.peering is not None:
        from hashrange.assembly.peering import peer_pages  # noqa: PLC0415 - few need it

        rows += peer_pages(parts.peering.endpoint)
    if isinstance(clock, MovableClock):
        rows += [*clock_pages(clock, controls.move), *snapshot_pages(controls.states)]
    return pages(rows)
