"""The catalog: the definitions of all tables, stored as one entry each.

An entry is read from the engine when its name is first used, and cached. Its bytes are a fence of
every read and write that is planned with it, so a change by another process is noticed then and the
entry is read again. Each change of the catalog increments a counter, which tells processes that
others have changed something.

If callers share their tables, there is one catalog. Otherwise each account and region has a
namespace: a view of the whole catalog, in which tables are stored as `account:region:name`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import operations as messages
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, StorageOpenError
from hashrange.tables import keyspace
from hashrange.tables.keyspace import TABLE_ITSELF
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import TableSize, read_size
from hashrange.tables.shards import without_log

OPEN_TABLES_MAX: Final = 10_000
"""Cached entries; an account may have fewer tables."""
NAMESPACES_MAX: Final = 10_000
"""Cached views of namespaces."""
_NAMES_PAGE: Final = 100
"""Some milliseconds of work if no table is cached."""
PAGE_ROWS: Final = 500
PAGE_BYTES: Final = 4 * 1024 * 1024

_COUNTED: Final = {keyspace.changes_key(): 1}

_decode_table: Final = msgspec.json.Decoder(Table).decode
_encode: Final = msgspec.json.Encoder().encode


class Beside(msgspec.Struct, frozen=True):
    """Rows that are written together with a catalog entry.

    Attributes:
        keys: of rows to read.
        puts: the rows to write, from the values of those keys and the new entry. Pure; may run
            again; raises to refuse all.
    """

    keys: Sequence[bytes]
    puts: Callable[[Sequence[bytes | None], Table], Mapping[bytes, bytes]]


NOTHING_BESIDE: Final = Beside((), lambda _values, _table: {})


class Catalog:
    """The tables of one engine, or, from `within`, those of one namespace of it.

    Attributes:
        whole: the whole catalog, of which this one is a view, or itself.
        prefix: of the names in this namespace, as the whole catalog has them.
        on_drop: called with the name of a table that was dropped.
        on_change: called with the name of a table whose definition was replaced. Both are called
            on the whole catalog only, with names as stored there.
    """

    def __init__(self, engine: Engine, *, whole: "Catalog | None" = None, prefix: str = "") -> None:
        self.on_drop: Callable[[str], None] = _ignore
        self.on_change: Callable[[str], None] = _ignore
        self._engine = engine
        self.whole = self if whole is None else whole
        self.prefix = prefix
        # By the names of the whole, which a view shares.
        self._open: dict[str, OpenTable] = {} if whole is None else whole._open  # noqa: SLF001
        self._views: dict[str, Catalog] = {}
        self.cached: Callable[[str], OpenTable | None] = (
            self._cached_within if prefix else self._open.get
        )
        """The cached table, or None; its fences detect that it has changed since."""

    def within(self, account: str, region: str) -> "Catalog":
        """The namespace of an account in a region, of the whole catalog."""
        prefix = _prefix_of(account, region)
        views = self.whole._views  # noqa: SLF001
        view = views.get(prefix)
        if view is None:
            if len(views) >= NAMESPACES_MAX:
                views.clear()
            view = views[prefix] = Catalog(self._engine, whole=self.whole, prefix=prefix)
        return view

    def _cached_within(self, name: str) -> OpenTable | None:
        return self._open.get(self.prefix + name)

    async def open(self, name: str) -> OpenTable | None:
        """Read a table and cache it; None if it does not exist."""
        name = self.prefix + name
        key = keyspace.catalog_key(name)
        (entry,) = await self._engine.read([key])
        if entry is None:
            self._open.pop(name, None)
            return None
        opened = _opened(self._engine, key, entry)
        if len(self._open) >= OPEN_TABLES_MAX:
            self._open.clear()
        if opened.table.restore is None:  # requests on cached tables do not look at the status
            self._open[name] = opened
        return opened

    async def names(self, after: str | None, limit: int) -> list[str]:
        """At most `limit` names that are greater than `after`, ascending."""
        start, end = keyspace.catalog_range(self.prefix)
        if after is not None:
            start = keyspace.catalog_key(self.prefix + after) + b"\x00"
        names: list[str] = []
        while len(names) < limit:
            rows = limit - len(names)
            page = await self._engine.scan(start, end, limit=rows, bytes_max=PAGE_BYTES)
            if not page:
                break
            names += [keyspace.name_of_catalog_key(key)[len(self.prefix) :] for key, _ in page]
            start = page[-1][0] + b"\x00"
        return names

    async def page(self, after: str, limit: int, *, first: bool = False) -> list[Table]:
        """At most `limit` tables in the order of their names, after a name (`first`: from it)."""
        start, end = keyspace.catalog_range(self.prefix)
        key = keyspace.catalog_key(self.prefix + after)
        start = max(start, key if first else key + b"\x00")
        tables: list[Table] = []
        while len(tables) < limit:
            rows = limit - len(tables)
            page = await self._engine.scan(start, end, limit=rows, bytes_max=PAGE_BYTES)
            if not page:
                break
            tables += [_decode_table(entry) for _, entry in page]
            start = page[-1][0] + b"\x00"
        return tables

    async def create(
        self, draft: Callable[[int], Table], name: str, beside: Beside = NOTHING_BESIDE
    ) -> Table:
        """Add a table; `draft` returns its definition for a new table number.

        Raises ResourceInUseException if the name is taken.
        """
        key = keyspace.catalog_key(self.prefix + name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            entry, sequence, *values = stored
            if entry is not None:
                raise DynamoError(Fault.RESOURCE_IN_USE, messages.table_exists(name))
            number = 1 if sequence is None else int.from_bytes(sequence, "big")
            table = draft(number)
            puts = {key: _encode(table), keyspace.sequence_key(): (number + 1).to_bytes(4, "big")}
            puts |= beside.puts(values, table)
            return Changes(answer=table, puts=puts, adds=_COUNTED)

        table = await self._engine.write([key, keyspace.sequence_key(), *beside.keys], decide)
        self.whole.on_change(self.prefix + name)
        return table

    async def change(
        self, name: str, change: Callable[[Table], Table], beside: Beside = NOTHING_BESIDE
    ) -> Table:
        """Replace a definition by the result of `change`, which is pure and may run again.

        Raises ResourceNotFoundException in the wording of the control plane, and errors of
        `change`.
        """
        key = keyspace.catalog_key(self.prefix + name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            entry, *values = stored
            if entry is None:
                raise not_found(name)
            table = change(_decode_table(entry))
            puts = {key: _encode(table), **beside.puts(values, table)}
            return Changes(answer=table, puts=puts, adds=_COUNTED)

        table = await self._engine.write([key, *beside.keys], decide)
        self._forget(name)
        self.whole.on_change(self.prefix + name)
        return table

    async def drop(
        self,
        name: str,
        now_ms: int,
        allow: Callable[[Table], None],
        beside: Beside = NOTHING_BESIDE,
    ) -> Table:
        """Move a table from the catalog to the list of dropped tables, whose rows are deleted.

        `allow` raises to refuse it. With point-in-time recovery the items are kept, for the backup
        that is to be written beside. Raises ResourceNotFoundException.
        """
        key = keyspace.catalog_key(self.prefix + name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            entry, *values = stored
            if entry is None:
                raise not_found(name)
            table = _decode_table(entry)
            allow(table)
            dropped = msgspec.structs.replace(
                without_log(table, now_ms),
                deleted_ms=now_ms,
                keeps_items=table.recovery is not None,
            )
            # The catalog entry owns the row of the list: it is written when the entry is deleted.
            puts = {keyspace.dropped_key(table.number): _encode(dropped)}
            puts |= beside.puts(values, dropped)
            return Changes(answer=dropped, puts=puts, deletes=[key], adds=_COUNTED)

        table = await self._engine.write([key, *beside.keys], decide)
        self._forget(name)
        self.whole.on_drop(self.prefix + name)
        return table

    def _forget(self, name: str) -> None:
        self._open.pop(self.prefix + name, None)

    async def size(self, table: Table, index: int = TABLE_ITSELF) -> TableSize:
        """The items and bytes of a table, or of one of its indexes."""
        return await read_size(self._engine, table.number, index)

    async def change_dropped(self, number: int, change: Callable[[Table], Table]) -> None:
        """Replace the definition of a dropped table, unless its rows are already deleted."""
        key = keyspace.dropped_key(number)

        def decide(stored: list[bytes | None]) -> Changes[None]:
            (entry,) = stored
            if entry is None:
                return Changes(answer=None)
            return Changes(answer=None, puts={key: _encode(change(_decode_table(entry)))})

        await self._engine.write([key], decide)

    async def dropped(self) -> list[Table]:
        """The dropped tables whose rows are not all deleted, in the order of their numbers."""
        return [opened.table for opened in await self.dropped_open()]

    async def dropped_open(self) -> list[OpenTable]:
        """As `dropped`, with their rows of the list of dropped tables as fences."""
        start, end = keyspace.dropped_range()
        dropped: list[OpenTable] = []
        while True:
            page = await self._engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
            if not page:
                return dropped
            tables = [_opened(self._engine, key, entry) for key, entry in page]
            dropped += [opened for opened in tables if _is_within(self.prefix, opened.table)]
            start = page[-1][0] + b"\x00"


def _is_within(prefix: str, table: Table) -> bool:
    return prefix in {"", _prefix_of(table.account, table.region)}


def _opened(engine: Engine, key: bytes, entry: bytes) -> OpenTable:
    return OpenTable(_decode_table(entry), {key: entry}, engine.key_bytes_max, catalog_key=key)


async def check_namespaces(engine: Engine, *, separate: bool) -> None:
    """Refuse data whose tables were created with the other setting, and would not be found.

    Raises:
        StorageOpenError: there are tables in separate namespaces, and `separate` is false, or the
            reverse.
    """
    start, end = keyspace.catalog_range()
    for key, entry in await engine.scan(start, end, limit=1, bytes_max=PAGE_BYTES):
        name = keyspace.name_of_catalog_key(key)
        if (name != _decode_table(entry).name) != separate:
            created_with, started_with = (
                ("shared", "separate") if separate else ("separate", "shared")
            )
            raise StorageOpenError(
                f"the tables in this directory were created with --namespaces {created_with}; "
                f"with --namespaces {started_with} they would not be found"
            )


async def pages_of_names(catalog: Catalog) -> AsyncIterator[list[str]]:
    """The names of all tables, in order; requests are served between two pages."""
    after: str | None = None
    while names := await catalog.names(after, _NAMES_PAGE):
        yield names
        after = names[-1]
        await asyncio.sleep(0)


async def pages_of_tables(engine: Engine) -> AsyncIterator[dict[str, OpenTable]]:
    """All tables of all namespaces by stored name, uncached, in pages as `pages_of_names`."""
    start, end = keyspace.catalog_range()
    while page := await engine.scan(start, end, limit=_NAMES_PAGE, bytes_max=PAGE_BYTES):
        yield {
            keyspace.name_of_catalog_key(key): _opened(engine, key, entry) for key, entry in page
        }
        start = page[-1][0] + b"\x00"
        await asyncio.sleep(0)


async def count_changes(engine: Engine) -> int:
    """The counter of catalog changes of all processes: tables created, changed or dropped."""
    (count,) = await engine.read([keyspace.changes_key()])
    return 0 if count is None else int.from_bytes(count, "big", signed=True)


def is_at(table: Table, key: bytes) -> bool:
    """Whether a catalog key is that of the table, with or without a namespace."""
    prefix = _prefix_of(table.account, table.region)
    return key in {keyspace.catalog_key(table.name), keyspace.catalog_key(prefix + table.name)}


def _prefix_of(account: str, region: str) -> str:
    # No name, no account and no region has a colon in it.
    return f"{account}:{region}:"


def _ignore(_name: str) -> None:
    pass


def not_found(name: str) -> DynamoError:
    """ResourceNotFoundException of the control plane, which names the table."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.table_not_found(name))
