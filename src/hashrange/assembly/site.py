"""The pages of a server, beside its APIs: pages for operators, for tests, and for peers."""

from hashrange.assembly.parts import Parts
from hashrange.clock import MovableClock
from hashrange.server.exchange import Handler
from hashrange.server.monitor import Monitor
from hashrange.server.pages import pages
from hashrange.server.peer_calls import with_peer_calls
from hashrange.server.testing_clock import with_clock
from hashrange.server.testing_controls import Controls
from hashrange.server.testing_snapshots import with_snapshots


def site_of(parts: Parts, monitor: Monitor, controls: Controls) -> Handler:
    """What answers all requests but `POST /`."""
    clock = parts.store.clock
    site = pages(fault=monitor.fault, metrics=monitor.text, top=monitor.top)
    if parts.peering is not None:
        site = with_peer_calls(site, parts.peering.door)
    if not isinstance(clock, MovableClock):
        return site
    return with_snapshots(with_clock(site, clock, controls.move), controls.states)
