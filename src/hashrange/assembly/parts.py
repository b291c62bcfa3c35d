"""The parts that both composition roots share: requests and background tasks use them.

The connection to servers of other regions is one of them.
"""

import asyncio
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hashrange.api.admission.capacities import Capacities
from hashrange.api.admission.consumption import ConsumptionLog, ScaledUnits
from hashrange.api.admission.own_tables import OwnTables
from hashrange.api.admission.shared_tables import SharedTables
from hashrange.api.dynamodb.replicas.keys import ReplicaEncryption
from hashrange.api.pipeline.operation import TableChoices
from hashrange.assembly.engines.kind import Opened
from hashrange.background.witness_orders import witness_verbs
from hashrange.backups.objects.bucket import BucketError
from hashrange.backups.objects.buckets import Buckets
from hashrange.clock import Clock, MovableClock, SteadyClock, SystemClock, draws
from hashrange.observe.metrics import Metrics
from hashrange.optional_packages import MissingPackageError
from hashrange.regions.peers.client import HttpCalls
from hashrange.regions.peers.endpoint import PeerEndpoint
from hashrange.regions.peers.receiving import Receiver
from hashrange.regions.peers.signing import SECRET_CHARS_MIN
from hashrange.settings.kinds import Namespaces, Throttle
from hashrange.settings.rules import duration_ms
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.tables.catalog.account_units import AccountUnits
from hashrange.tables.catalog.catalog import Catalog, check_namespaces
from hashrange.tables.catalog.secrets import stored_secret
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.jobs.witnesses import Witnesses
from hashrange.tables.log.conversion import ensure_format
from hashrange.tables.opened.indexes import count_collections
from hashrange.tables.writing.checked_values import CheckedEngine
from hashrange.tables.writing.replica_lag import OldValues, RecordingEngine, ReplicaLag
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.tokens import newest_token_ms

_SECRET_BYTES_MAX = 4096


class Peering(msgspec.Struct, frozen=True):
    """The client of calls to other servers, and the endpoint for theirs.

    Attributes:
        calls: sends.
        endpoint: answers calls; `endpoint.verbs` are the handlers.
    """

    calls: HttpCalls
    endpoint: PeerEndpoint


def peering_of(settings: Settings, clock: Clock) -> Peering | None:
    """The connection to the peers of the settings; None without peers.

    Raises StorageOpenError: the file of the key or of certificates cannot be used.
    """
    if not settings.peers:
        return None
    places = {each.region: each for each in settings.peers}
    secret = None if settings.peer_key_file is None else _secret(settings.peer_key_file)
    context = None
    if any(each.is_secure for each in settings.peers):
        context = _context(settings.peer_ca)
    return Peering(
        HttpCalls(places, secret, context, clock.now_ms),
        PeerEndpoint(settings.own_regions, places, secret, clock.now_ms),
    )


def _secret(path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(_SECRET_BYTES_MAX + 1).decode("ascii").strip()
    except OSError as error:
        raise StorageOpenError(f"--peer-key-file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StorageOpenError(f"--peer-key-file {path}: not ASCII") from error
    if not SECRET_CHARS_MIN <= len(text) <= _SECRET_BYTES_MAX:
        raise StorageOpenError(
            f"--peer-key-file {path}: {SECRET_CHARS_MIN} to {_SECRET_BYTES_MAX} characters"
        )
    return text


def _context(issuers: Path | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=None if issuers is None else str(issuers))
    except (OSError, ssl.SSLError) as error:
        raise StorageOpenError(f"--peer-ca {issuers}: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


if TYPE_CHECKING:
    from hashrange.regions.strong.groups import StrongGroups


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of one process that requests and background tasks share.

    `scaled` counts what scaled tables consume, `consumption` adds it to the counters of the engine.
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
    buckets: Buckets
    lag: ReplicaLag | None = None
    capacities: Capacities | None = None
    """The capacity of tables; None without `--throttle on`."""
    peering: Peering | None = None
    """The connection to servers of other regions; None without `--peer`."""
    strong: "StrongGroups | None" = None
    """The members of strong tables; None without `--regions`."""


def clock_of(settings: Settings, cell: memoryview | None = None) -> Clock:
    """The clock of a server, or of one of its processes; movable with `testing`.

    `cell` is shared memory for the offset of a server of several processes.
    """
    return MovableClock(cell) if settings.testing else SystemClock()


def encryption_of_replicas(settings: Settings, storage: Opened) -> ReplicaEncryption:
    """The encryption that replicas on this server can have, whatever those on others have."""
    accepts = settings.accept_encryption_requests
    choices = TableChoices(accepts_encryption=accepts, master_key_id=storage.master_key_id)
    return ReplicaEncryption(choices)


def parts_of(settings: Settings, storage: Opened, clock: Clock) -> Parts:
    """The parts of a server, or of one of its processes. Raises StorageOpenError."""
    bytes_max = settings.item_collection_mb_max * 1024**2
    engine, lag = storage.engine, None
    if settings.verify_reads:
        engine = CheckedEngine(engine)
    if settings.replica_lag is not None:
        old = OldValues(duration_ms(settings.replica_lag), clock.now_ms)
        lag = ReplicaLag(engine, old, draws(settings.realism_seed))
        engine = RecordingEngine(engine, old)
    stamp_ms, steady = storage.stamp_ms, SteadyClock(clock)
    store = Store(engine, clock, collection_bytes_max=bytes_max, stamp_ms=stamp_ms, steady=steady)
    catalog = Catalog(storage.engine)
    catalog.units = AccountUnits(storage.engine, settings.account_units)
    capacities = None
    if settings.throttle is Throttle.ON:
        shared = storage.is_shared or settings.workers is not None
        kind = SharedTables if shared else OwnTables
        capacities = kind(
            storage.engine,
            catalog,
            clock,
            settings.partition_bytes,
            table_units=settings.table_units,
        )
    metrics = Metrics(separate=settings.namespaces == Namespaces.SEPARATE)
    scaled = ScaledUnits()
    consumption = ConsumptionLog(
        ScalingRows(engine), lambda: dict(scaled.totals), clock.now_ms, scaled.follow
    )
    witnesses = Witnesses(storage.engine, clock.now_ms)
    peering = peering_of(settings, clock)
    if peering is not None:
        receiver = Receiver(
            store,
            catalog,
            regions=settings.own_regions,
            shards=settings.stream_shards,
            new_id=clock.new_uuid,
            encryption=encryption_of_replicas(settings, storage),
        )
        peering.endpoint.verbs.update(receiver.verbs | witness_verbs(witnesses))
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
        buckets=_buckets(settings, clock),
        lag=lag,
        capacities=capacities,
        peering=peering,
        strong=strong,
    )


def _strong(
    settings: Settings, store: Store, catalog: Catalog, *, peering: Peering | None, is_shared: bool
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
    if parts.lag is not None:
        parts.lag.forget()
    if parts.capacities is not None:
        parts.capacities.forget()
    parts.store.loaded_ms = loaded_ms
    await load_secret(parts)


def transient_ms(settings: Settings) -> int:
    """Milliseconds for which tables show CREATING, UPDATING and DELETING; 0 for not at all."""
    return settings.transient_status_ms if settings.delay_transient_statuses else 0
