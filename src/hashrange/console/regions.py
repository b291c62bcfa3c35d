"""Regions as an operator sees them: servers of other regions, cuts, lag, strong tables."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from hashrange.observe.figures import Figures, name_and_labels
from hashrange.settings.peers import PeerAddress
from hashrange.settings.settings import Settings

if TYPE_CHECKING:
    from hashrange.regions.strong.group import MemberReport

Members: TypeAlias = "Callable[[], Sequence[MemberReport]]"
PROBE_SECONDS_MAX: Final = 2.0
"""A server whose port is not open after this time is away."""


class Peer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The server of another region.

    Attributes:
        address: host and port.
        is_open: its port is open.
        away_seconds: for how long replication has not reached it; 0 if it does.
        lag_seconds: the age of the oldest change that waits, or was just sent.
        changes: that were sent to it.
    """

    region: str
    address: str
    is_open: bool
    away_seconds: float
    lag_seconds: float
    changes: float


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """The age of the oldest change of a table that a region got last; `table` by stored name."""

    table: str
    region: str
    seconds: float


class RegionsState(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The answer of the route.

    Attributes:
        own: regions of this server.
        peers: servers of other regions.
        cuts: the setting that keeps changes from regions, for tests; empty if it is not set.
        latencies: of replication.
        strong: members of strong tables that run here.
        conflicts: writes of strong tables that were refused since another region wrote meanwhile.
        lost_changes: changes of other regions that had lost to a later one when they arrived here.
    """

    own: Sequence[str]
    peers: Sequence[Peer]
    cuts: str
    latencies: Sequence[Latency]
    strong: "Sequence[MemberReport]"
    conflicts: float
    lost_changes: float


async def regions_state(settings: Settings, figures: Figures, members: Members) -> RegionsState:
    """The state now; the ports of all other servers are looked at together."""
    numbers = {name: each for name, each in figures.items() if isinstance(each, float | int)}
    opened = await asyncio.gather(*(_is_open(each) for each in settings.peers))
    return RegionsState(
        own=settings.own_regions,
        peers=[
            _peer(address, numbers, is_open=is_open)
            for address, is_open in zip(settings.peers, opened, strict=True)
        ],
        cuts=settings.replication_cut or "",
        latencies=[*_latencies(numbers)],
        strong=members(),
        conflicts=numbers.get("strong_conflicts_total", 0),
        lost_changes=numbers.get("replication_conflicts_total", 0),
    )


def _peer(address: PeerAddress, numbers: Mapping[str, float], *, is_open: bool) -> Peer:
    def figure(name: str) -> float:
        return numbers.get(f"{name}@{address.region}", 0)

    return Peer(
        region=address.region,
        address=f"{address.host}:{address.port}",
        is_open=is_open,
        away_seconds=figure("peer_away_seconds"),
        lag_seconds=figure("peer_lag_seconds"),
        changes=figure("peer_changes_total"),
    )


def _latencies(numbers: Mapping[str, float]) -> Sequence[Latency]:
    found = []
    for key, value in numbers.items():
        name, labels = name_and_labels(key)
        if name == "replication_latency_seconds":
            table, region = labels
            found.append(Latency(table=table, region=region, seconds=value))
    return found


async def _is_open(address: PeerAddress) -> bool:
    """Whether a connection can be opened: that of a server that is cut off cannot, in time."""
    opening = asyncio.get_running_loop().create_task(
        asyncio.open_connection(address.host, address.port)
    )
    done, _ = await asyncio.wait([opening], timeout=PROBE_SECONDS_MAX)
    if not done:
        opening.cancel()
        return False
    try:
        _, writer = opening.result()
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
