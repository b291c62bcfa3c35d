"""An engine on damaged data: rows that cannot be read, or are wrong, are left out and reported."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from hashrange.model.table import Table
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair, StorageError
from hashrange.tables.catalog.dropped_tables import decode_table, is_at
from hashrange.tables.keys.key_spaces import CATALOG, ITEMS
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.verifying.damage import Rows, line_of_gap
from hashrange.tables.verifying.verify_items import fault_of_item, key_text

T = TypeVar("T")

_PAGE_ROWS: Final = 1000
_PAGE_BYTES: Final = 1024 * 1024
_LAST_NUMBER: Final = 2**32 - 1
"""No table has it."""
_PROBED_BYTES: Final = 512
"""Of keys, where readable rows are sought: longer ones that begin alike are taken for one."""
_PROBES: Final = 64
"""Between damage and the next readable row, which may have readable rows between them."""


class ReadableEngine:
    """`hashrange.storage.engine.Engine` of what can be read of another, which nobody writes.

    Args:
        engine: the damaged data.
        tables: of the catalog, by the keys of their entries; other entries do not appear.
        lose: takes a line about each row, or range of rows, that is left out.

    Attributes:
        left_out: for the number of each table, the items that were left out one by one.
    """

    def __init__(
        self, engine: Engine, tables: Mapping[bytes, Table], lose: Callable[[str], None]
    ) -> None:
        self.key_bytes_max = engine.key_bytes_max
        self.left_out: Counter[int] = Counter()
        self._engine = engine
        self._tables = tables
        self._lose = lose
        self._opened = {each.number: OpenTable(each, {}) for each in tables.values()}
        self._reported: set[bytes] = set()
        self._last: Pair | None = None

    async def read(
        self,
        keys: Sequence[bytes],
        *,
        fences: Fences = NO_FENCES,  # noqa: ARG002 - the data do not change
    ) -> list[bytes | None]:
        """The values of keys; None for those that cannot be read, too."""
        return [await self._value(key) for key in keys]

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,  # noqa: ARG002
    ) -> list[Pair]:
        """A page of what can be read; what cannot is reported once, but with `reverse` it fails."""
        if reverse:
            return await self._engine.scan(
                start, end, limit=limit, bytes_max=bytes_max, reverse=True
            )
        pairs: list[Pair] = []
        room = bytes_max
        while start < end and len(pairs) < limit and room > 0:
            rows, following = await self._page(start, end, min(limit - len(pairs), _PAGE_ROWS))
            for place, pair in enumerate(rows):
                pairs.append(pair)
                self._last = pair
                room -= len(pair[1])
                if room <= 0 and place < len(rows) - 1:
                    return pairs
            start = following
        return pairs

    async def write(
        self,
        keys: Sequence[bytes],  # noqa: ARG002
        decide: Callable[[list[bytes | None]], Changes[T]],  # noqa: ARG002
        *,
        fences: Fences = NO_FENCES,  # noqa: ARG002
    ) -> T:
        """Raises StorageError."""
        raise StorageError("the data are opened read-only")

    async def _value(self, key: bytes) -> bytes | None:
        try:
            (value,) = await self._engine.read([key])
        except StorageError:
            return None
        return None if value is None or self._fault((key, value)) is not None else value

    async def _page(self, start: bytes, end: bytes, limit: int) -> tuple[list[Pair], bytes]:
        """Sound rows from `start`, and where the next page starts."""
        try:
            rows = await self._engine.scan(start, end, limit=limit, bytes_max=_PAGE_BYTES)
        except StorageError as error:
            if limit == 1:
                return [], await self._skip(start, end, str(error))
            return await self._page(start, end, limit // 2)
        if not rows:
            return [], await self._after(start, end)
        sound: list[Pair] = []
        least = start
        for pair in rows:
            fault = self._fault(pair)
            if fault is None and pair[0] < least:
                fault = "is out of order"
            if fault is None:
                sound.append(pair)
                least = pair[0] + b"\x00"
            else:
                self._leave_out(pair, fault)
        # The key of a damaged row says nothing of what follows, unless there is no other.
        return sound, least if sound else max(rows[-1][0], start) + b"\x00"

    def _fault(self, pair: Pair) -> str | None:
        key, value = pair
        if key.startswith(CATALOG.prefix()):
            return None if key in self._tables else "was reported"
        opened = self._opened.get(int.from_bytes(key[:4]))
        if opened is None or not key.startswith(ITEMS.prefix(opened.number)):
            return None
        return fault_of_item(opened, key, value)[1]

    def _leave_out(self, pair: Pair, fault: str) -> None:
        key, value = pair
        if key in self._reported or key.startswith(CATALOG.prefix()):
            return
        self._reported.add(key)
        opened = self._opened.get(int.from_bytes(key[:4]))
        if opened is None:
            self._lose(f"the row at {key.hex()} {fault}")
            return
        table = opened.table
        self.left_out[table.number] += 1
        named = key_text(table, value)
        where = f" (its key: {named})" if named else ""
        self._lose(f"{table.name}: the item at {key.hex()} {fault}{where}")

    async def _after(self, start: bytes, end: bytes) -> bytes:
        """Where rows go on that an altered key before them hides; `end` if there are none."""
        try:
            last = await self._engine.scan(start, end, limit=1, bytes_max=1, reverse=True)
        except StorageError:
            return end
        if not last or last[0][0] < start:
            return end
        reason = "cannot be read: a key is out of order"
        return await self._skip(start, min(last[0][0] + b"\x00", end), reason)

    async def _skip(self, start: bytes, end: bytes, reason: str) -> bytes:
        """Report the rows from `start` that cannot be read; where the next readable ones are."""
        following = await first_readable(self._engine, start, end)
        is_last = following >= end
        first = [] if is_last else await self._engine.scan(following, end, limit=1, bytes_max=1)
        if start not in self._reported:
            self._reported.add(start)
            opened = self._opened.get(int.from_bytes(start[:4]))
            if opened is not None and start.startswith(ITEMS.prefix(opened.number)):
                rows = Rows(f"{opened.table.name}: items", (start, end), opened.table)
            else:
                rows = Rows(f"rows from {start.hex()} to {following.hex()}", (start, end))
            last = self._last if self._last and self._last[0][:5] == start[:5] else None
            self._lose(line_of_gap(rows, last, first[0] if first else None, reason))
        return following


async def readable_tables(engine: Engine, lose: Callable[[str], None]) -> dict[bytes, Table]:
    """The tables of the catalog by the keys of their entries; entries that are wrong are reported.

    Of two tables with one number neither is taken, since the items may be of either.
    """
    found: dict[bytes, Table] = {}
    start, end = CATALOG.range()
    while start < end:
        try:
            page = await engine.scan(start, end, limit=1, bytes_max=1)
        except StorageError as error:
            following = await first_readable(engine, start, end)
            lose(f"catalog: the entries from {start!r} to {following!r} cannot be read: {error}")
            start = following
            continue
        if not page:
            break
        key, value = page[0]
        start = max(key, start) + b"\x00"
        table = _decoded(key, value)
        if table is None:
            name = key[len(CATALOG.prefix()) :].decode(errors="replace")
            lose(f"catalog: the entry of table {name} is damaged: its items are left out")
        else:
            found[key] = table
    counted = Counter(table.number for table in found.values())
    for table in found.values():
        if counted[table.number] > 1:
            lose(f"catalog: {table.name} has the number of another table: both are left out")
    return {key: table for key, table in found.items() if counted[table.number] == 1}


def _decoded(key: bytes, value: bytes) -> Table | None:
    """The table of an entry; None if it cannot be what was written there."""
    try:
        table = decode_table(value)
        is_sound = 0 < table.number < _LAST_NUMBER and is_at(table, key)
    except (msgspec.DecodeError, UnicodeError):
        return None
    return table if is_sound else None


async def first_readable(engine: Engine, start: bytes, end: bytes) -> bytes:
    """Where rows can be read again behind a row that cannot; `end` if nowhere.

    Steps grow until one succeeds, and are then halved; what lies before is probed for readable
    rows, so that two damaged pages do not hide many sound ones between them.
    """
    low, last = _number(start), _number(end)
    step = 1
    while low + step < last and not await _is_readable(engine, low + step, end):
        step <<= 8
    high = min(low + step, last)
    while True:
        high = await _halved(engine, low, high, end)
        width = (high - low) // _PROBES
        probes = range(low + width, high - width, width) if width else ()
        for probe in probes:
            if await _is_readable(engine, probe, end):
                high = probe
                break
        else:
            return end if high >= last else high.to_bytes(_PROBED_BYTES).rstrip(b"\x00")


async def _halved(engine: Engine, bad: int, good: int, end: bytes) -> int:
    while good - bad > 1:
        middle = (good + bad) // 2
        if await _is_readable(engine, middle, end):
            good = middle
        else:
            bad = middle
    return good


async def _is_readable(engine: Engine, number: int, end: bytes) -> bool:
    key = number.to_bytes(_PROBED_BYTES).rstrip(b"\x00")
    try:
        rows = await engine.scan(key, end, limit=1, bytes_max=1)
    except StorageError:
        return False
    return bool(rows) and rows[0][0] >= key


def _number(key: bytes) -> int:
    return int.from_bytes(key[:_PROBED_BYTES].ljust(_PROBED_BYTES, b"\x00"))
