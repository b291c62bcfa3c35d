"""The catalog: the definitions of all tables, stored as one entry each.

An entry is read from the engine when its name is first used, and cached. Its bytes are a fence of
every read and write that is planned with it, so a change by another process is noticed then and the
entry is read again. Each change of the catalog increments a counter, which shows processes that
others have changed something.

If callers share their tables, there is one catalog. Otherwise each account and region has a
namespace: a view of the whole catalog, in which tables are stored as `account:region:name`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, Protocol

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import operations as messages
from hashrange.model.namespaces import namespace_prefix
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, ContendedError, Engine, Pair, StorageOpenError
from hashrange.tables.catalog.account_units import AccountUnits, Check, NotSummedError, Reserved
from hashrange.tables.catalog.dropped_tables import (
    NO_EXTRA_ROWS,
    PAGE_BYTES,
    DroppedTables,
    ExtraRows,
    decode_table,
    encode_table,
    opened_entry,
)
from hashrange.tables.keys.key_ranges import end_of
from hashrange.tables.keys.keyspace import TABLE_ITSELF
from hashrange.tables.keys.system_keys import (
    catalog_key,
    catalog_range,
    changes_key,
    dropped_key,
    growths_key,
    name_of_catalog_key,
    sequence_key,
)
from hashrange.tables.log.shards import without_log
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize, read_shown_size

OPEN_TABLES_MAX: Final = 10_000
"""Cached entries; an account may have fewer tables."""
NAMESPACES_MAX: Final = 10_000
"""Cached views of namespaces."""
_NAMES_PAGE: Final = 100
"""Some milliseconds of work if no table is cached."""

_SUMS_MAX: Final = 20
"""How often the units of an account are summed up, if the catalog changes each time."""

_COUNT_BYTES: Final = 8
_COUNTED: Final = {changes_key(): 1}


class _Decide(Protocol):
    """Makes the changes of an entry from the values of its keys; `check` may refuse them."""

    def __call__(self, stored: list[bytes | None], check: Check) -> Changes[Table]: ...


def _bounded(
    decide: _Decide, units: AccountUnits, reserved: Reserved | None, stored: list[bytes | None]
) -> Changes[Table]:
    *values, growths = stored
    added = []

    def check(before: Table | None, table: Table) -> None:
        added.append(units.check(before, table, reserved, growths))

    changes = decide(values, check)
    if not any(added):
        return changes
    count = 1 + int.from_bytes(growths or b"", "big")
    puts = {**changes.puts, growths_key(): count.to_bytes(_COUNT_BYTES, "big")}
    return msgspec.structs.replace(changes, puts=puts)


def _with_extra(
    table: Table, puts: dict[bytes, bytes], extra: Mapping[bytes, bytes | None]
) -> Changes[Table]:
    """The changes of a write of an entry, with the rows beside it."""
    more = {key: value for key, value in extra.items() if value is not None}
    deletes = [key for key, value in extra.items() if value is None]
    return Changes(answer=table, puts={**puts, **more}, deletes=deletes, adds=_COUNTED)


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of what a catalog has in memory: tables that are cached, views, bytes of a page."""

    open_tables: int = OPEN_TABLES_MAX
    namespaces: int = NAMESPACES_MAX
    page_bytes: int = PAGE_BYTES


class Catalog:
    """The tables of one engine, or, from `within`, those of one namespace of it.

    Attributes:
        whole: the whole catalog, of which this one is a view, or itself.
        prefix: of the names in this namespace, as the whole catalog has them.
        dropped: the dropped tables of this namespace.
        on_drop: called with the name of a table that was dropped.
        on_change: called with the name of a table whose definition was replaced.
        on_open: called with a table that was read. All three: on the whole catalog, with its names.
        units: bounds the provisioned units of accounts; None for no bound. Of the whole catalog.
    """

    BOUNDS: ClassVar[Bounds] = Bounds()

    def __init__(self, engine: Engine, *, whole: "Catalog | None" = None, prefix: str = "") -> None:
        self.units: AccountUnits | None = None
        self.on_drop: Callable[[str], None] = _ignore
        self.on_change: Callable[[str], None] = _ignore
        self.on_open: Callable[[OpenTable], None] = _ignore
        self._engine = engine
        self.whole = self if whole is None else whole
        self.prefix = prefix
        self.dropped = DroppedTables(engine, prefix, self.BOUNDS.page_bytes)
        # By the names of the whole, which a view shares.
        self._open: dict[str, OpenTable] = {} if whole is None else whole._open  # noqa: SLF001
        self._views: dict[str, Catalog] = {}
        self.cached: Callable[[str], OpenTable | None] = (
            self._cached_within if prefix else self._open.get
        )
        """The cached table, or None; its fences detect that it has changed since."""

    def within(self, account: str, region: str) -> "Catalog":
        """The namespace of an account in a region, of the whole catalog."""
        prefix = namespace_prefix(account, region)
        views = self.whole._views  # noqa: SLF001
        view = views.get(prefix)
        if view is None:
            if len(views) >= self.BOUNDS.namespaces:
                views.clear()
            view = views[prefix] = type(self)(self._engine, whole=self.whole, prefix=prefix)
        return view

    def _cached_within(self, name: str) -> OpenTable | None:
        return self._open.get(self.prefix + name)

    def forget(self) -> None:
        """Drop all cached tables: the data were put back to another state."""
        self._open.clear()

    async def open(self, name: str) -> OpenTable | None:
        """Read a table and cache it; None if it does not exist."""
        name = self.prefix + name
        key = catalog_key(name)
        (entry,) = await self._engine.read([key])
        self._open.pop(name, None)
        if entry is None:
            return None
        opened = opened_entry(self._engine, key, entry)
        if len(self._open) >= self.BOUNDS.open_tables:
            self._open.clear()
        if opened.table.is_served:  # requests on cached tables do not look at the status
            self._open[name] = opened
            self.whole.on_open(opened)
        return opened

    async def names(self, after: str | None, limit: int) -> list[str]:
        """At most `limit` names that are greater than `after`, ascending."""
        rows = await self._rows("" if after is None else after, limit, is_first=after is None)
        return [name_of_catalog_key(key)[len(self.prefix) :] for key, _ in rows]

    async def page(self, after: str, limit: int, *, first: bool = False) -> list[Table]:
        """At most `limit` tables in the order of their names, after a name (`first`: from it)."""
        return [decode_table(entry) for _, entry in await self._rows(after, limit, is_first=first)]

    async def _rows(self, after: str, limit: int, *, is_first: bool) -> list[Pair]:
        start, end = catalog_range(self.prefix)
        key = catalog_key(self.prefix + after)
        start = max(start, key if is_first else key + b"\x00")
        rows: list[Pair] = []
        while len(rows) < limit:
            left = limit - len(rows)
            page = await self._engine.scan(start, end, limit=left, bytes_max=self.BOUNDS.page_bytes)
            if not page:
                break
            rows += page
            start = page[-1][0] + b"\x00"
        return rows

    async def create(
        self,
        draft: Callable[[int], Table],
        name: str,
        extra: ExtraRows = NO_EXTRA_ROWS,
        *,
        is_bounded: bool = True,
    ) -> Table:
        """Add a table; `draft` returns its definition for a new table number.

        `is_bounded` is as that of `change`. Raises ResourceInUseException if the name is taken.
        """
        key = catalog_key(self.prefix + name)

        def decide(stored: list[bytes | None], check: Check) -> Changes[Table]:
            entry, sequence, *values = stored
            if entry is not None:
                raise DynamoError(Fault.RESOURCE_IN_USE, messages.table_exists(name))
            number = 1 if sequence is None else int.from_bytes(sequence, "big")
            table = draft(number)
            check(None, table)
            puts = {key: encode_table(table), sequence_key(): (number + 1).to_bytes(4, "big")}
            return _with_extra(table, puts, extra.puts(values, table))

        keys = [key, sequence_key(), *extra.keys]
        table = await self._write(keys, decide, is_bounded=is_bounded)
        self.whole.on_change(self.prefix + name)
        return table

    async def change(
        self,
        name: str,
        change: Callable[[Table], Table],
        extra: ExtraRows = NO_EXTRA_ROWS,
        *,
        is_bounded: bool = True,
    ) -> Table:
        """Replace a definition by the result of `change`, which is pure and may run again.

        Without `is_bounded` the quota of the account does not matter: another server has decided.

        Raises ResourceNotFoundException in the wording of the control plane, and errors of
        `change`.
        """
        key = catalog_key(self.prefix + name)

        def decide(stored: list[bytes | None], check: Check) -> Changes[Table]:
            entry, *values = stored
            if entry is None:
                raise not_found(name)
            before = decode_table(entry)
            table = change(before)
            check(before, table)
            return _with_extra(table, {key: encode_table(table)}, extra.puts(values, table))

        table = await self._write([key, *extra.keys], decide, is_bounded=is_bounded)
        self._open.pop(self.prefix + name, None)
        self.whole.on_change(self.prefix + name)
        return table

    async def _write(self, keys: Sequence[bytes], decide: _Decide, *, is_bounded: bool) -> Table:
        """Write an entry, unless the account would have more provisioned units than its quota."""
        units, reserved = self.whole.units if is_bounded else None, None
        if units is None:
            return await self._engine.write(keys, partial(decide, check=_ignore))
        for _ in range(_SUMS_MAX):
            try:
                return await self._engine.write(
                    [*keys, growths_key()], partial(_bounded, decide, units, reserved)
                )
            except NotSummedError as error:
                reserved = await units.reserved(error.table)
        raise ContendedError("the catalog keeps changing")

    async def drop(
        self,
        name: str,
        now_ms: int,
        allow: Callable[[Table], None],
        extra: ExtraRows = NO_EXTRA_ROWS,
    ) -> Table:
        """Move a table from the catalog to the list of dropped tables, whose rows are deleted.

        `allow` raises to refuse it. With point-in-time recovery the items are kept, for the backup
        that is to be written extra. Raises ResourceNotFoundException.
        """
        key = catalog_key(self.prefix + name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            entry, *values = stored
            if entry is None:
                raise not_found(name)
            table = decode_table(entry)
            allow(table)
            dropped = msgspec.structs.replace(
                without_log(table, now_ms),
                deleted_ms=now_ms,
                keeps_items=table.recovery is not None,
            )
            # The catalog entry owns the row of the list: it is written when the entry is deleted.
            puts = {dropped_key(table.number): encode_table(dropped)}
            return _with_extra(dropped, puts, {**extra.puts(values, dropped), key: None})

        table = await self._engine.write([key, *extra.keys], decide)
        self._open.pop(self.prefix + name, None)
        self.whole.on_drop(self.prefix + name)
        return table

    async def size(self, table: Table, index: int = TABLE_ITSELF) -> TableSize:
        """The items and bytes of a table, or of one of its indexes."""
        return await read_shown_size(self._engine, table, index)


async def check_namespaces(engine: Engine, *, separate: bool) -> None:
    """Refuse data whose tables were created with the other setting, and would not be found.

    Raises:
        StorageOpenError: there are tables in separate namespaces, and `separate` is false, or the
            reverse.
    """
    start, end = catalog_range()
    for key, entry in await engine.scan(start, end, limit=1, bytes_max=PAGE_BYTES):
        name = name_of_catalog_key(key)
        if (name != decode_table(entry).name) != separate:
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
    start, end = catalog_range()
    end = await end_of(engine, (start, end))
    while page := await engine.scan(start, end, limit=_NAMES_PAGE, bytes_max=PAGE_BYTES):
        yield {name_of_catalog_key(key): opened_entry(engine, key, entry) for key, entry in page}
        start = page[-1][0] + b"\x00"
        await asyncio.sleep(0)


async def count_changes(engine: Engine) -> int:
    """The counter of catalog changes of all processes: tables created, changed or dropped."""
    (count,) = await engine.read([changes_key()])
    return 0 if count is None else int.from_bytes(count, "big", signed=True)


def _ignore(*_anything: object) -> None:
    pass


def not_found(name: str) -> DynamoError:
    """ResourceNotFoundException of the control plane, which names the table."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.table_not_found(name))
