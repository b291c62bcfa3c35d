"""The parts that both composition roots share: requests and background tasks use them."""

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hashrange.api.admission.consumption import ConsumptionLog, ScaledUnits
from hashrange.api.steps.operation import TableChoices
from hashrange.assembly.engines.kind import Opened
from hashrange.backups.objects.bucket import BucketError
from hashrange.backups.objects.buckets import Buckets
from hashrange.clock import Clock, MovableClock, SteadyClock, SystemClock, draws
from hashrange.observe.metrics import Metrics
from hashrange.optional_packages import MissingPackageError
from hashrange.server.metric_recorder import MetricRecorder
from hashrange.settings.kinds import SQLITE, Namespaces, Throttle, VerifyReads
from hashrange.settings.rules import duration_ms
from hashrange.settings.settings import Settings
from hashrange.storage.engine import Engine, StorageOpenError
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.sqlite.directory import DAMAGE_FILE, VECTORS
from hashrange.tables.catalog.account_units import AccountUnits
from hashrange.tables.catalog.catalog import Catalog, check_namespaces
from hashrange.tables.catalog.secrets import stored_secret
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.jobs.witnesses import Witnesses
from hashrange.tables.log.conversion import ensure_format
from hashrange.tables.opened.indexes import count_collections
from hashrange.tables.vectors.searches import VectorSearches
from hashrange.tables.verifying.noticed import DamageRegister
from hashrange.tables.writing.checked_values import CheckedEngine, ensure_sound
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.tokens import newest_token_ms

if TYPE_CHECKING:
    from hashrange.api.admission.capacities import Capacities
    from hashrange.api.aws_services.kinesis.rates import ShardRates
    from hashrange.api.dynamodb.replicas.keys import ReplicaEncryption
    from hashrange.assembly.peering import CountedCalls, Peering
    from hashrange.regions.strong.groups import StrongGroups
    from hashrange.tables.writing.replica_lag import ReplicaLag


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of one process that requests and background tasks share.

    `scaled` counts what scaled tables consume, `consumption` adds it to the counters of the engine.
    `recorder` adds what `metrics` have counted to the time series.
    `lag` lets eventually consistent reads see old states; None if they see the present.
    """

    settings: Settings
    storage: Opened
    store: Store
    catalog: Catalog
    witnesses: Witnesses
    metrics: Metrics
    consumption: ConsumptionLog
    scaled: ScaledUnits
    recorder: MetricRecorder
    buckets: Buckets
    damage: DamageRegister
    """The places at which data were found damaged."""
    first_reads: FirstReads
    """The rows that were compared, if they are when they are read first."""
    freezing: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    """Held by who keeps the data file as it is."""
    lag: "ReplicaLag | None" = None
    capacities: "Capacities | None" = None
    """The capacity of tables; None without `--throttle on`."""
    rates: "ShardRates | None" = None
    """Rates of the shards of Kinesis data streams; None without `--throttle on`."""
    peering: "Peering | None" = None
    """The connection to servers of other regions; None without `--peer`."""
    strong: "StrongGroups | None" = None
    """The members of strong tables; None without `--regions`."""

    @property
    def is_separate(self) -> bool:
        """Whether each account and region has tables and streams of its own."""
        return self.settings.namespaces == Namespaces.SEPARATE

    async def counted(self) -> None:
        """Store what was counted until now. Raises StorageError."""
        await self.consumption.flush()
        await self.recorder.record(self.store.clock.now_ms())


def clock_of(settings: Settings, cell: memoryview | None = None) -> Clock:
    """The clock of a server, or of one of its processes; movable with `testing`.

    `cell` is shared memory for the offset of a server of several processes.
    """
    return MovableClock(cell) if settings.testing else SystemClock()


def encryption_of_replicas(settings: Settings, storage: Opened) -> "ReplicaEncryption":
    """The encryption that replicas on this server can have, whatever those on others have."""
    from hashrange.api.dynamodb.replicas.keys import ReplicaEncryption  # noqa: PLC0415 - few need it

    accepts = settings.accept_encryption_requests
    choices = TableChoices(accepts_encryption=accepts, master_key_id=storage.master_key_id)
    return ReplicaEncryption(choices)


def parts_of(
    settings: Settings, storage: Opened, clock: Clock, calls: "CountedCalls | None" = None
) -> Parts:
    """The parts of a server, or of one of its processes. Raises StorageOpenError.

    `calls` are those to servers of other regions; by HTTP if None.
    """
    bytes_max = settings.item_collection_mb_max * 1024**2
    damage = DamageRegister(damage_file(settings))
    storage.watch_damage(damage.notice)
    first_reads = FirstReads(partial(ensure_sound, damage.notice))
    engine, lag = _as_settings_want(storage, settings, clock, damage, first_reads=first_reads)
    stamp_ms, steady = storage.stamp_ms, SteadyClock(clock)
    store = Store(engine, clock, collection_bytes_max=bytes_max, stamp_ms=stamp_ms, steady=steady)
    store.vectors = VectorSearches(vectors_folder(settings))
    catalog = Catalog(storage.engine)
    catalog.units = AccountUnits(storage.engine, settings.account_units)
    metrics = Metrics(separate=settings.namespaces == Namespaces.SEPARATE)
    scaled = ScaledUnits()
    consumption = ConsumptionLog(
        ScalingRows(engine), lambda: dict(scaled.totals), clock.now_ms, scaled.follow
    )
    witnesses = Witnesses(storage.engine, clock.now_ms)
    peering = None
    if settings.peers:
        from hashrange.assembly.peering import peering_of  # noqa: PLC0415 - few servers need it

        peering = peering_of(settings, clock, calls)
        encryption = encryption_of_replicas(settings, storage)
        peering.receive(store, catalog, witnesses, settings=settings, encryption=encryption)
    strong = _strong(settings, store, catalog, peering=peering, is_shared=storage.is_shared)
    return Parts(
        settings=settings,
        storage=storage,
        store=store,
        catalog=catalog,
        witnesses=witnesses,
        metrics=metrics,
        consumption=consumption,
        scaled=scaled,
        recorder=MetricRecorder(engine, metrics, clock.now_ms, clock.random_bytes(8)),
        buckets=_buckets(settings, clock),
        lag=lag,
        capacities=_capacities(settings, storage, catalog, clock),
        rates=_rates(settings),
        peering=peering,
        strong=strong,
        damage=damage,
        first_reads=first_reads,
    )


def damage_file(settings: Settings) -> Path | None:
    """Where a server keeps what was found damaged; None for data that are in no directory."""
    if settings.memory or settings.engine != SQLITE:
        return None
    return settings.data / DAMAGE_FILE


def vectors_folder(settings: Settings) -> Path | None:
    """Where a server keeps files of vectors; none for encrypted data, for the files are plain."""
    if settings.memory or settings.engine != SQLITE or settings.encrypt:
        return None
    return settings.data / VECTORS


def _as_settings_want(
    storage: Opened,
    settings: Settings,
    clock: Clock,
    damage: DamageRegister,
    *,
    first_reads: FirstReads,
) -> "tuple[Engine, ReplicaLag | None]":
    """The engine that checks what it reads, or keeps old values for eventually consistent reads."""
    engine = storage.engine
    if settings.verify_reads is VerifyReads.ALWAYS:
        engine = CheckedEngine(engine, damage.notice)
    elif settings.verify_reads is VerifyReads.FIRST and storage.comparing is not None:
        engine = storage.comparing(first_reads)
    if settings.replica_lag is None:
        return engine, None
    from hashrange.tables.writing.replica_lag import (  # noqa: PLC0415 - few servers need it
        OldValues,
        RecordingEngine,
        ReplicaLag,
    )

    old = OldValues(duration_ms(settings.replica_lag), clock.now_ms)
    lag = ReplicaLag(engine, old, draws(settings.realism_seed))
    return RecordingEngine(engine, old), lag


def _capacities(
    settings: Settings, storage: Opened, catalog: Catalog, clock: Clock
) -> "Capacities | None":
    """The capacity of tables; None without `--throttle on`."""
    if settings.throttle is Throttle.OFF:
        return None
    from hashrange.api.admission.own_tables import OwnTables  # noqa: PLC0415 - few servers need it
    from hashrange.api.admission.shared_tables import SharedTables  # noqa: PLC0415

    shared = storage.is_shared or settings.workers is not None
    kind = SharedTables if shared else OwnTables
    return kind(
        storage.engine,
        catalog,
        clock,
        settings.partition_bytes,
        table_units=settings.table_units,
    )


def _rates(settings: Settings) -> "ShardRates | None":
    """Rates of the shards of Kinesis data streams in this process."""
    if settings.throttle is Throttle.OFF:
        return None
    from hashrange.api.aws_services.kinesis.rates import ShardRates  # noqa: PLC0415 - few servers need it

    return ShardRates()


def _strong(
    settings: Settings,
    store: Store,
    catalog: Catalog,
    *,
    peering: "Peering | None",
    is_shared: bool,
) -> "StrongGroups | None":
    """The runner of the members of strong tables; one process of a server of several cannot."""
    if not settings.own_regions or settings.workers is not None:
        return None
    from hashrange.regions.strong.groups import StrongGroups  # noqa: PLC0415 - few servers need it

    calls = None if peering is None else peering.calls
    groups = StrongGroups(
        store,
        catalog,
        calls=calls,
        own=settings.own_regions,
        is_shared=is_shared,
        draw=draws(settings.realism_seed),
    )
    if peering is not None:
        peering.endpoint.verbs.update(groups.verbs)
    store.strong = groups
    return groups


def _buckets(settings: Settings, clock: Clock) -> Buckets:
    buckets = Buckets.of(settings.s3, new_id=clock.new_uuid)
    try:
        buckets.check()
    except (BucketError, MissingPackageError) as error:
        raise StorageOpenError(f"--s3: {error}") from error
    if settings.archive is not None:
        from hashrange.backups.archives.objects import require_duckdb  # noqa: PLC0415 - few starts need it

        try:
            require_duckdb()
        except MissingPackageError as error:
            raise StorageOpenError(f"--archive: {error}") from error
    return buckets


async def made_ready(parts: Parts) -> None:
    """Check format and namespaces of the data; add what is missing. Raises StorageOpenError."""
    engine = parts.storage.engine
    separate = parts.settings.namespaces == Namespaces.SEPARATE
    await check_namespaces(engine, separate=separate)
    # Together, because on new data both write, and then need one sync.
    await asyncio.gather(ensure_format(engine), load_secret(parts))
    await count_collections(engine)


async def load_secret(parts: Parts) -> None:
    """Read the secret of the engine into the store, and create it if there is none yet."""
    store = parts.store
    store.secret = await stored_secret(store.engine, store.clock.random_bytes)
    if store.steady is not None:
        store.steady.seen(await newest_token_ms(store.engine))


async def forget(parts: Parts, loaded_ms: int) -> None:
    """Drop what a process knows of data that were put back to another state at a time.

    Facts about shapes of requests and parsed expressions stay: they hold for all data. Fences find
    plans that were made before.
    """
    parts.catalog.forget()
    parts.store.vectors.forget()
    parts.first_reads.forget()
    if parts.lag is not None:
        parts.lag.forget()
    if parts.capacities is not None:
        parts.capacities.forget()
    parts.store.loaded_ms = loaded_ms
    await load_secret(parts)


def transient_ms(settings: Settings) -> int:
    """Milliseconds for which tables show CREATING, UPDATING and DELETING; 0 for not at all."""
    return settings.transient_status_ms if settings.delay_transient_statuses else 0
