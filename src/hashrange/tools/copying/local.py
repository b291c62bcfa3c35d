"""A data directory or a database as a place: operations are called without a socket."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from hashrange.api.dynamodb.registry import decoder_of
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller, TableChoices
from hashrange.assembly.engines.kinds import kind_of, opened
from hashrange.background.dropper import Dropper
from hashrange.background.index_jobs import index_jobs
from hashrange.background.tasks import Pacer
from hashrange.clock import Clock
from hashrange.errors import DynamoError, Fault
from hashrange.observe.metrics import Metrics
from hashrange.settings.settings import Settings
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.catalog.catalog import Catalog, pages_of_names
from hashrange.tables.log.conversion import ensure_format
from hashrange.tables.opened.indexes import count_collections
from hashrange.tables.writing.store import Store
from hashrange.tools.copying.place import CopyError, Pause, RefusedError, TableRef
from hashrange.wire.answers import encode

TRIES_MAX: Final = 10
"""Attempts of a request that failed because of a full queue or of contention."""
PAUSE_SECONDS: Final = 0.1
"""The delay before each of them."""
_PASSING: Final = {Fault.THROTTLED, Fault.UNAVAILABLE}
"""Faults that are retried: the queue of writes is full, or other servers changed the same keys."""
_HOST: Final = "localhost"


class LocalPlace:
    """The tables of one engine.

    Args:
        place: a directory or the URL of a database.
        engine: holds the tables.
        clock: the clock of the operations.
        separate: whether accounts and regions have separate tables.
        master_key_id: of the key of an encrypted directory.
        pause: waits before a request is retried.

    Attributes:
        shown: the directory, or the URL without its password.
        is_live: True for a database, which other servers may use.
        is_canonical: True, since engines store canonical JSON and copies keep the order of
            attributes.
        separate: whether accounts and regions have separate tables.
    """

    is_canonical: Final = True

    def __init__(
        self,
        place: str,
        engine: Engine,
        clock: Clock,
        *,
        separate: bool,
        master_key_id: str | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        kind = kind_of(place)
        self.shown, self.is_live = kind.shown(place), kind.is_shared
        self.separate = separate
        self.master_key_id = master_key_id
        self._engine = engine
        self._clock = clock
        self._pause = pause
        self._catalog = Catalog(engine)
        self._pipeline = Pipeline(
            Store(engine, clock),
            self._catalog,
            Metrics().consumed,
            separate=separate,
            # Only a copy from another engine requests encryption, of a table that has it there.
            choices=TableChoices(accepts_encryption=True, master_key_id=master_key_id),
        )

    async def tables(self) -> list[TableRef]:
        """All tables of the engine, in the order of their names, with callers that own them."""
        tables: list[TableRef] = []
        async for names in pages_of_names(self._catalog):
            for name in names:
                opened_table = await self._catalog.open(name)
                if opened_table is not None:
                    table = opened_table.table
                    tables.append(TableRef(table.name, Caller(table.account, table.region, _HOST)))
        return tables

    async def call(self, caller: Caller, operation: str, body: bytes) -> bytes:
        """Perform an operation; returns the body of the response.

        Throttling and contention are retried. Raises CopyError, RefusedError.
        """
        request = decoder_of(operation).decode(body)
        for _ in range(TRIES_MAX):
            try:
                answer = await self._pipeline.perform(operation, request, caller)
            except DynamoError as error:
                if error.fault in _PASSING:
                    await self._pause(PAUSE_SECONDS)
                    continue
                if isinstance(error.__cause__, StorageError):
                    raise CopyError(f"{self.shown}: {error.__cause__}") from error
                code = error.fault.code
                raise RefusedError(self.shown, operation, code, error.message or "") from error
            except StorageError as error:
                raise CopyError(f"{self.shown}: {error}") from error
            else:
                return encode(answer)
        raise CopyError(f"{self.shown} is too busy")

    async def drain(self) -> None:
        """Build indexes (that of expiry too) and remove dropped tables. Raises CopyError."""
        pacer = Pacer(self._clock.monotonic_ns, arrived=lambda: 0)
        try:
            await index_jobs(self._engine, self._catalog, pacer).work()
            await Dropper(self._engine, self._catalog, self._clock, 0, pacer=pacer).clear()
        except StorageError as error:
            raise CopyError(f"{self.shown}: {error}") from error


@contextlib.asynccontextmanager
async def opened_source(
    place: str, clock: Clock, key: KeySource | None = None
) -> AsyncIterator[LocalPlace]:
    """Open a directory that no server uses, or a database, to read it.

    `key` is that of an encrypted directory. Raises StorageOpenError; a missing directory or schema
    is not created.
    """
    async with kind_of(place).opened_to_verify(place, key) as (engine, master_key_id):
        separate = bool(await _is_separate(engine))
        yield LocalPlace(place, engine, clock, separate=separate, master_key_id=master_key_id)


@contextlib.asynccontextmanager
async def opened_target(
    settings: Settings, clock: Clock, *, separate: bool
) -> AsyncIterator[LocalPlace]:
    """Open a directory that no server uses, or a database, and create it if it is missing.

    `separate` applies if there are no tables yet; otherwise the names of the tables decide.
    Raises StorageOpenError.
    """
    place = kind_of(settings.engine).place_of(settings)
    async with opened(settings) as storage:
        await ensure_format(storage.engine)
        await count_collections(storage.engine)
        kept = await _is_separate(storage.engine)
        yield LocalPlace(
            place,
            storage.engine,
            clock,
            separate=separate if kept is None else kept,
            master_key_id=storage.master_key_id,
        )


async def _is_separate(engine: Engine) -> bool | None:
    """Whether accounts and regions have separate tables; None if there are no tables."""
    catalog = Catalog(engine)
    for name in await catalog.names(None, 1):
        table = await catalog.open(name)
        return None if table is None else table.table.name != name
    return None
