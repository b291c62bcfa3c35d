"""The composition root of the background tasks of a server."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, Self

from hashrange.assembly.directory_backups import directory_backups
from hashrange.assembly.jobs import job_runners
from hashrange.assembly.parts import Parts, encryption_of_replicas, transient_ms
from hashrange.background.alarm_keeper import AlarmKeeper
from hashrange.background.capacity_keeper import CapacityKeeper
from hashrange.background.damage_watch import DamageWatch
from hashrange.background.destination_task import DestinationTask
from hashrange.background.dropper import Dropper
from hashrange.background.expirer import Expirer, TokenSweeper
from hashrange.background.job_runner import JobContext, JobRunner
from hashrange.background.kinesis_trimmer import KinesisTrimmer
from hashrange.background.leader import Leader
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.background.metric_keeper import MetricKeeper
from hashrange.background.replica_charges import WriteCharges
from hashrange.background.replication_task import ReplicationTask
from hashrange.background.replicator import Replicator
from hashrange.background.scaler import Scaler
from hashrange.background.tasks import BackgroundTask, Pacer
from hashrange.background.time_shift import Pass, TimeShift
from hashrange.background.watched_tables import CatalogWatch
from hashrange.observe.figures import Figures
from hashrange.observe.snapshot import JobState
from hashrange.regions.replication.cuts import Cuts
from hashrange.server.testing_clock import Move
from hashrange.settings.kinds import Namespaces
from hashrange.settings.rules import cut_rules
from hashrange.settings.settings import Settings
from hashrange.storage.engine import Fences

if TYPE_CHECKING:
    from hashrange.background.peer_replicator import PeerReplicator
    from hashrange.background.scrubber import Scrubber
    from hashrange.background.strong_keeper import StrongKeeper
    from hashrange.background.strong_members import StrongMembers
    from hashrange.background.triggers.definitions import Definition
    from hashrange.background.triggers.runner import TriggerRunner
    from hashrange.background.verifier import Verifier


class _Woken(Protocol):
    """Tasks that work on tables that were changed."""

    def wake(self, name: str) -> None:
        """A table was changed."""

    def wake_all(self) -> None:
        """Any table may have been changed."""


def triggers_of(settings: Settings) -> "list[Definition]":
    """The triggers that the file of the settings defines. Raises TriggerError."""
    if settings.triggers is None:
        return []
    from hashrange.background.triggers.definitions import triggers_from  # noqa: PLC0415 - few starts need it

    return triggers_from(
        settings.triggers,
        retention_ms=settings.stream_retention_seconds * 1000,
        separate=settings.namespaces == Namespaces.SEPARATE,
    )


class BackgroundServices:
    """The background tasks of a server, each group under a lease; `of` makes it."""

    def __init__(
        self,
        parts: Parts,
        groups: Sequence[tuple[Leader, Sequence[BackgroundTask]]],
        figures: Sequence[Callable[[], Figures]],
        *,
        move: Move,
        jobs: Callable[[], Sequence[JobState]],
    ) -> None:
        self._parts = parts
        self._groups = groups
        self._figures = figures
        self.move = move
        """Moves the clock and does the work that has become due: `TimeShift.move`."""
        self.jobs = jobs
        """How far the jobs have come that this process does."""

    @classmethod
    async def of(
        cls,
        parts: Parts,
        triggers: "Sequence[Definition]",
        *,
        arrived: Callable[[], int],
        watch_seconds: float | None,
    ) -> Self:
        """Make the tasks, and fix where each trigger begins, before the first request.

        Args:
            parts: those of the process that runs the tasks.
            triggers: those to deliver records to.
            arrived: grows with requests; `Pacer` learns from it whether the server is busy.
            watch_seconds: how often to check whether other processes have changed the catalog;
                None if no other process can.
        """
        store, catalog, settings = parts.store, parts.catalog, parts.settings
        engine, clock, shared = store.engine, store.clock, parts.storage.is_shared
        pacer = Pacer(clock.monotonic_ns, arrived)
        expirer = Expirer(store, catalog, settings.time_to_live_delay_seconds, pacer=pacer)
        sessions = parts.storage.sessions
        leader = Leader(engine, clock, "background", is_shared=shared, sessions=sessions)
        cuts = _cuts(parts)
        replicator = _replicator(parts, leader.fences, cuts)
        destinations = _destinations(parts, leader.fences)
        peers = _peers(parts, leader.fences)
        strong = _strong(parts, leader.fences, cuts)
        tasks, passes = _tasks(
            parts,
            pacer,
            expirer=expirer,
            replicators=[replicator, *peers, *strong, destinations],
            leader=leader,
            watch_seconds=watch_seconds,
        )
        alarms = AlarmKeeper(store, catalog, settings.alarm_webhook, leader.fences, pacer=pacer)
        scrubbers = _scrubbers(parts, pacer)
        passes += [alarms.drain, *(each.drain for each in scrubbers)]
        move = TimeShift(clock, passes, before=parts.counted).move
        backups = directory_backups(parts, leader.fences, pacer)
        watch = DamageWatch(parts.storage.engine, parts.damage, pacer=pacer)
        tasks += [alarms, watch, *parts.storage.background_tasks, *backups]
        tasks += [*scrubbers, *_verifiers(parts, pacer)]
        # A lease of its own, since not all servers of a database need have triggers.
        delivering = Leader(engine, clock, "triggers", is_shared=shared, sessions=sessions)
        runners, counted = await _runners(triggers, parts, fences=delivering.fences)
        figures = (
            *(expirer.figures, replicator.figures, destinations.figures, pacer.jobs.figures),
            *(each.figures for each in backups),
            *(each.figures for each in scrubbers),
            *(each.figures for each in tasks if isinstance(each, JobRunner)),
            parts.damage.kept,
            *(alarms.figures, counted),
            *(() if parts.peering is None else (parts.peering.calls.figures,)),
            partial(_peer_figures, peers),
            *(() if parts.strong is None else (parts.strong.running.figures,)),
        )
        groups = [(leader, tasks), (delivering, runners)]
        return cls(parts, groups, figures, move=move, jobs=pacer.jobs.states)

    def figures(self) -> Figures:
        """Figures of the tasks and of the engine, for metrics."""
        parts, leaders = self._parts, [leader for leader, _ in self._groups]
        return {
            **parts.storage.figures(),
            "background_failures_total": sum(leader.failures for leader in leaders),
            "background_leads": float(leaders[0].leads),
            "transaction_items": len(parts.store.in_flight),
            **{name: figure for each in self._figures for name, figure in each().items()},
        }

    def begin(self) -> None:
        """Begin to compete for the leases; the tasks run while they are held."""
        for leader, tasks in self._groups:
            if tasks:
                leader.begin(tasks)

    async def end(self) -> None:
        """Cancel the tasks and release the leases."""
        for leader, tasks in reversed(self._groups):
            if tasks:
                await leader.end()


def _verifiers(parts: Parts, pacer: Pacer) -> "list[Verifier]":
    """The task that verifies the data of a server; none if they are in no directory."""
    if parts.storage.freeze is None or parts.settings.memory:
        return []
    from hashrange.assembly.verifying import verifier  # noqa: PLC0415 - servers in memory need none

    return [verifier(parts, parts.storage.freeze, pacer)]


def _scrubbers(parts: Parts, pacer: Pacer) -> "list[Scrubber]":
    """The task that reads all rows; none without `--scrub-days`."""
    days, clock = parts.settings.scrub_days, parts.store.clock
    if days is None:
        return []
    from hashrange.background.scrubber import Scrubber  # noqa: PLC0415 - few servers need it

    return [Scrubber(parts.storage.engine, parts.damage.notice, days, clock, pacer=pacer)]


def _replicator(parts: Parts, fences: Callable[[], Fences], cuts: Cuts | None) -> Replicator:
    store, delay_ms = parts.store, parts.settings.replication_delay_ms
    charges = WriteCharges(parts.capacities, parts.scaled, store.clock.now_ms)
    return Replicator(
        store, parts.catalog, fences=fences, delay_ms=delay_ms, charges=charges, cuts=cuts
    )


def _destinations(parts: Parts, fences: Callable[[], Fences]) -> DestinationTask:
    store, catalog, separate = parts.store, parts.catalog, parts.is_separate
    return DestinationTask(
        store,
        catalog,
        fences=fences,
        separate=separate,
        rates=parts.rates,
        endpoints=parts.settings.stream_endpoints,
    )


def _cuts(parts: Parts) -> Cuts | None:
    rules = parts.settings.replication_cut
    return None if rules is None else Cuts(cut_rules(rules), parts.store.clock.now_ms)


def _peers(parts: Parts, fences: Callable[[], Fences]) -> "list[PeerReplicator]":
    """The replicators to each region of another server."""
    settings, peering = parts.settings, parts.peering
    if peering is None:
        return []
    from hashrange.background.peer_replicator import PeerReplicator  # noqa: PLC0415 - few need it
    from hashrange.regions.peers.conversation import Side  # noqa: PLC0415
    from hashrange.regions.replication.positions import Positions  # noqa: PLC0415

    return [
        PeerReplicator(
            Side(
                region=peer.region,
                calls=peering.calls,
                store=parts.store,
                catalog=parts.catalog,
                positions=Positions(parts.store.engine, fences),
                delay_ms=settings.replication_delay_ms,
                encryption=encryption_of_replicas(settings, parts.storage),
            ),
            settings.peer_log_seconds * 1000,
        )
        for peer in settings.peers
    ]


def _strong(
    parts: Parts, fences: Callable[[], Fences], cuts: Cuts | None
) -> "list[StrongKeeper | StrongMembers]":
    """The tasks of strong tables; nothing without regions."""
    if parts.strong is None:
        return []
    from hashrange.assembly.strong_services import strong_services  # noqa: PLC0415 - few need it

    return strong_services(parts, parts.strong, fences, cuts)


def _peer_figures(peers: "Sequence[PeerReplicator]") -> Figures:
    if not peers:
        return {}
    from hashrange.background.peer_replicator import peer_figures  # noqa: PLC0415 - few need it

    return peer_figures(peers)


async def _runners(
    triggers: "Sequence[Definition]",
    parts: Parts,
    *,
    fences: Callable[[], Fences],
) -> tuple[list[BackgroundTask], Callable[[], Figures]]:
    """The tasks of triggers, and their figures.

    Where each trigger begins in its stream is fixed before the first request.
    """
    if not triggers:
        return [], dict
    from hashrange.background.triggers.namespaces import NamespacesRunner  # noqa: PLC0415 - few starts need it
    from hashrange.background.triggers.positions import forget_gone  # noqa: PLC0415
    from hashrange.background.triggers.runner import TriggerRunner  # noqa: PLC0415
    from hashrange.background.triggers.sources import TriggerCounters  # noqa: PLC0415

    store, catalog, counters = parts.store, parts.catalog, TriggerCounters()
    await forget_gone(store.engine, catalog)

    def make(definition: "Definition") -> "TriggerRunner":
        return TriggerRunner(definition, store, catalog, counters, fences=fences)

    runners: list[BackgroundTask] = []
    for each in triggers:
        in_all = parts.is_separate and ":" not in each.table
        runner = NamespacesRunner(each, store.engine, catalog, make) if in_all else make(each)
        await runner.begin()
        runners.append(runner)
    return runners, lambda: counters.figures(store.clock.now_ms())


def _tasks(
    parts: Parts,
    pacer: Pacer,
    *,
    expirer: Expirer,
    replicators: "Sequence[ReplicationTask | StrongKeeper | StrongMembers]",
    leader: Leader,
    watch_seconds: float | None,
) -> tuple[list[BackgroundTask], list[Pass]]:
    """The tasks, which changes of the catalog wake, and passes that do at once all work due."""
    store, catalog, settings = parts.store, parts.catalog, parts.settings
    dropper = Dropper(store.engine, catalog, store.clock, transient_ms(settings), pacer=pacer)
    tokens = TokenSweeper(store.engine, store.kept_ms)
    trimmer = KinesisTrimmer(store.engine, store.kept_ms, pacer=pacer)
    rules = StreamRules(
        shard_ms=settings.stream_shard_seconds * 1000,
        retention_ms=settings.stream_retention_seconds * 1000,
    )
    streams = LogMaintenance(store, catalog, rules, pacer=pacer)
    fences, shown_ms, counted = leader.fences, transient_ms(settings), parts.consumption
    scaler = Scaler(store, catalog, counted, pacer=pacer, fences=fences, transient_ms=shown_ms)
    separate, now_ms = parts.is_separate, store.clock.now_ms
    metrics = MetricKeeper(store.engine, now_ms, fences, pacer=pacer, separate=separate)
    metrics.quotas = settings.account_units, settings.table_units
    context = JobContext(store, catalog, pacer, leader.fences, damaged=parts.damage.notice)
    indexes, *jobs = job_runners(parts, context)

    woken: list[_Woken] = [*jobs, indexes, expirer, *replicators]

    def changed(name: str) -> None:
        if leader.leads:
            for each in woken:
                each.wake(name)

    def changed_elsewhere() -> None:
        dropper.wake()
        for each in woken:
            each.wake_all()

    catalog.on_drop, catalog.on_change = dropper.wake, changed
    parts.storage.listen(partial(_appended, leader, replicators))
    tasks: list[BackgroundTask] = [
        *(dropper, indexes, expirer, tokens, trimmer, streams, scaler, metrics),
        *(*jobs, *replicators),
    ]
    if watch_seconds is not None:
        watch = CatalogWatch(store.engine, changed_elsewhere, look_seconds=watch_seconds)
        tasks.append(watch)
    # Shards are rolled before expired items are logged, and indexes are built before they are read.
    passes: list[Pass] = [
        *(dropper.clear, indexes.work, streams.drain, expirer.drain),
        *(tokens.drain, trimmer.drain, scaler.drain, metrics.drain),
        *(job.work for job in jobs),
        *(each.drain for each in replicators),
    ]
    if parts.capacities is not None:
        passes.append(CapacityKeeper(parts.capacities).drain)
    return tasks, passes


def _appended(
    leader: Leader, replicators: Sequence[BackgroundTask], logs: Collection[bytes]
) -> None:
    """Let those that replicate know of records."""
    if logs and leader.leads:
        for each in replicators:
            if isinstance(each, ReplicationTask):
                each.appended(logs)
