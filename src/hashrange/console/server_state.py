"""The state of the server as its operator sees it: readiness, disk, backups, certificates, load."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hashrange.clock import Clock
from hashrange.console.regions import Members, RegionsState, regions_state
from hashrange.observe.counts import LATENCY_BOUNDS_S, Durations
from hashrange.observe.process_figures import program_version
from hashrange.observe.snapshot import SlowRequest, Spread
from hashrange.server.machine_figures import Certificate, certificates
from hashrange.server.monitor import Monitor
from hashrange.settings.kinds import SQLITE
from hashrange.settings.settings import Settings
from hashrange.settings.sources import SettingView, shown_settings

BACKUP_LOOK_SECONDS: Final = 60
"""For so long the newest backup is not looked for again: its place may be a bucket far away."""
_NS: Final = 1_000_000_000


class Disk(msgspec.Struct, frozen=True, rename="camel"):
    """The file system of the data directory, in bytes."""

    place: str
    free: int
    size: int


class Backup(msgspec.Struct, frozen=True, rename="camel"):
    """Scheduled backups of all data.

    Attributes:
        every: the interval; None if only commands make them.
        newest_ms: when the newest was made; None if there is none.
        failure: why the place cannot be read.
    """

    place: str
    every: str | None
    newest_ms: int | None = None
    failure: str | None = None


class Slow(msgspec.Struct, frozen=True, rename="camel"):
    """A slow request, and the seconds since its answer."""

    seconds_ago: float
    request: SlowRequest


class ServerState(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The answer of the route.

    Attributes:
        fault: why the server is not ready; None if it is.
        connections: open now.
        bounds: upper bounds in seconds of the buckets of durations; the last bucket has none.
        durations: of requests.
        syncs: durations of syncs of the log.
        commits: durations of commits.
        figures: as /metrics names them, without the prefix.
        workers: processes beside the one that writes; None if there is one process.
        disk: None for data in memory or in a database.
    """

    version: str
    now_ms: int
    fault: str | None
    connections: int
    connections_max: int
    bounds: Sequence[float] = LATENCY_BOUNDS_S
    durations: Sequence[int]
    syncs: Sequence[int]
    commits: Sequence[int]
    figures: Mapping[str, float]
    workers: int | None
    disk: Disk | None
    backup: Backup | None
    certificates: Sequence[Certificate]
    slow: Sequence[Slow]


class ServerView:
    """Reads the state of a server.

    Args:
        settings: those in force.
        monitor: counts.
        clock: the time.
        members: reads the members of strong tables that run in this process.
    """

    def __init__(
        self, settings: Settings, monitor: Monitor, clock: Clock, members: Members
    ) -> None:
        self._settings = settings
        self._monitor = monitor
        self._clock = clock
        self._members = members
        self._backup: Backup | None = None
        self._looked_ns = -BACKUP_LOOK_SECONDS * _NS

    async def regions(self) -> RegionsState:
        """The regions now."""
        totals = await self._monitor.totals()
        return await regions_state(self._settings, totals.figures, self._members)

    def settings(self) -> list[SettingView]:
        """The settings in force, without secrets."""
        return shown_settings(self._settings)

    async def state(self) -> ServerState:
        """The state now."""
        fault, totals = await self._monitor.fault(), await self._monitor.totals()
        durations = [each.buckets for each in totals.metrics.requests().values()]
        now_ns, settings = self._clock.monotonic_ns(), self._settings
        return ServerState(
            version=program_version(),
            now_ms=self._clock.now_ms(),
            fault=fault,
            connections=totals.metrics.traffic.connections,
            connections_max=settings.connections_max,
            durations=[sum(each) for each in zip(Durations().buckets, *durations, strict=True)],
            syncs=_buckets(totals.figures, "engine_sync_duration_seconds"),
            commits=_buckets(totals.figures, "engine_commit_duration_seconds"),
            figures={
                **{
                    name: float(value)
                    for name, value in totals.figures.items()
                    if not isinstance(value, Durations)
                },
                **totals.process,
            },
            workers=settings.workers,
            disk=await asyncio.to_thread(self._disk),
            backup=await self._newest(),
            certificates=await asyncio.to_thread(lambda: [*certificates(settings)]),
            slow=[Slow((now_ns - each.at_ns) / _NS, each) for each in reversed(totals.slow)],
        )

    def _disk(self) -> Disk | None:
        settings = self._settings
        if settings.memory or settings.engine != SQLITE:
            return None
        usage = shutil.disk_usage(settings.data)
        return Disk(str(settings.data), usage.free, usage.total)

    async def _newest(self) -> Backup | None:
        """The newest backup of the settings' place, as it was when it was last looked for."""
        place, every = self._settings.backup_to, self._settings.backup_every
        if place is None:
            return None
        from hashrange.backups.directories.job import FAILURES  # noqa: PLC0415 - few have them
        from hashrange.backups.directories.manifests import made_ms_of  # noqa: PLC0415
        from hashrange.backups.directories.target import Target  # noqa: PLC0415

        now_ns = self._clock.monotonic_ns()
        if self._backup is None or now_ns - self._looked_ns >= BACKUP_LOOK_SECONDS * _NS:
            self._looked_ns = now_ns
            try:
                ids = (await Target.at(place, self._clock.new_uuid).contents()).ids
                self._backup = Backup(place, every, made_ms_of(ids[0]) if ids else None)
            except FAILURES as error:
                self._backup = Backup(place, every, failure=str(error) or type(error).__name__)
        return self._backup


def _buckets(figures: Mapping[str, object], name: str) -> Sequence[int]:
    found = figures.get(name)
    return Spread.of(found if isinstance(found, Durations) else Durations()).buckets
