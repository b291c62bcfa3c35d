"""The parts of a server that answering requests and the background work have in common."""

from dataclasses import dataclass

from hashrange.clock import Clock, MovableClock, SystemClock
from hashrange.engines import Opened
from hashrange.observe.metrics import Metrics
from hashrange.settings import Namespaces, Settings
from hashrange.tables.catalog import Catalog, check_namespaces
from hashrange.tables.conversion import ensure_format
from hashrange.tables.counting import count_collections
from hashrange.tables.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What answering requests and the work beside them have in common."""

    settings: Settings
    storage: Opened
    store: Store
    catalog: Catalog
    metrics: Metrics


def clock_of(settings: Settings, cell: memoryview | None = None) -> Clock:
    """The clock of a server, or of one of its processes.

    `cell` is the memory in which the processes of a server under test share an offset.
    """
    return MovableClock(cell) if settings.testing else SystemClock()


def parts_of(settings: Settings, storage: Opened, clock: Clock) -> Parts:
    """The parts of a server, or of one of its processes."""
    bytes_max = settings.item_collection_mb_max * 1024**2
    store = Store(storage.engine, clock, collection_bytes_max=bytes_max)
    catalog = Catalog(storage.engine)
    return Parts(
        settings=settings, storage=storage, store=store, catalog=catalog, metrics=Metrics()
    )


async def made_ready(parts: Parts) -> None:
    """See that the data can be served so. Raises StorageOpenError."""
    engine = parts.storage.engine
    separate = parts.settings.namespaces == Namespaces.SEPARATE
    await check_namespaces(engine, separate=separate)
    await ensure_format(engine)
    await count_collections(engine)


def transient_ms(settings: Settings) -> int:
    """How long transient statuses of tables are shown."""
    return settings.transient_status_ms if settings.delay_transient_statuses else 0
