"""The read lease: how long a server may serve reads after the primary has confirmed a row: pure.

A former primary that still runs answers reads, but cannot commit: its synchronous standby has been
promoted. So a server reads only for some seconds after a row of its own was committed. After a
promotion, servers at the new primary wait until the leases at the former one have ended.
Times are seconds of a monotonic clock of this process.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple


class Primary(NamedTuple):
    """A run of a database server: connections to another one are not confirmed by its commits."""

    timeline: int
    """Rises with each promotion."""
    started_us: int
    """Start of the server process, microseconds since the epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease and its limits."""

    seconds: float
    primary: Primary | None = None
    """The server that confirmed a row last."""
    until: float = 0.0
    serves_from: float = 0.0
    """When leases of other servers at former primaries have ended."""


def holds(lease: Lease, now: float) -> bool:
    """Whether reads may be served."""
    return lease.primary is not None and lease.serves_from <= now < lease.until


def confirmed(lease: Lease, *, primary: Primary, elsewhere: int, began: float) -> Lease:
    """The lease after a row was committed.

    Args:
        lease: the lease before.
        primary: where the row was committed.
        elsewhere: how many other servers have committed theirs last on other timelines.
        began: when the statement was sent.
    """
    before = lease.primary
    if not elsewhere:
        serves_from = began
    elif before is not None and before.timeline == primary.timeline:
        serves_from = lease.serves_from
    else:
        serves_from = began + lease.seconds
    until = began + lease.seconds
    return replace(lease, primary=primary, until=until, serves_from=serves_from)
