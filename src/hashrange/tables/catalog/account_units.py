"""The quota of an account: the provisioned units of all its tables and indexes in a region.

The units are summed up over the catalog, before the write that adds some. Each such write counts
itself in a row, which shows the next one whether its sum holds; if not, it is summed up again.
Units that go away meanwhile are still in the sum: a request may be refused a moment too late.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables.throughput import above_account_maximum
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.dropped_tables import PAGE_BYTES, decode_table
from hashrange.tables.keys.system_keys import catalog_range, growths_key

MEMBERS: Final = ("ReadCapacityUnits", "WriteCapacityUnits")
_PAGE: Final = 100

Units: TypeAlias = tuple[int, int]
"""Provisioned read and write units a second."""
Check: TypeAlias = Callable[[Table | None, Table], None]
"""Raises unless a table may be replaced by another one; None for a new table."""


class Reserved(msgspec.Struct, frozen=True):
    """The units of an account in a region, and the row of `growths_key` at that time."""

    units: Units
    growths: bytes | None


class NotSummedError(Exception):
    """A change adds units, and those of the account are not known as they are now."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.name)
        self.table = table


class AccountUnits:
    """Sums up and bounds the units of accounts.

    Args:
        engine: holds the catalog.
        most: the quota of read units and of write units.
    """

    def __init__(self, engine: Engine, most: int) -> None:
        self._engine = engine
        self._most = most

    async def reserved(self, table: Table) -> Reserved:
        """The units of the account and region of a table. Takes some 20 microseconds a table."""
        (growths,) = await self._engine.read([growths_key()])
        start, end = catalog_range()
        reads = writes = 0
        while page := await self._engine.scan(start, end, limit=_PAGE, bytes_max=PAGE_BYTES):
            for found in [decode_table(entry) for _key, entry in page]:
                if (found.account, found.region) == (table.account, table.region):
                    more_reads, more_writes = provisioned(found)
                    reads, writes = reads + more_reads, writes + more_writes
            start = page[-1][0] + b"\x00"
        return Reserved((reads, writes), growths)

    def check(
        self, before: Table | None, table: Table, reserved: Reserved | None, growths: bytes | None
    ) -> bool:
        """Whether a change adds units; refuse it if they are beyond the quota. Pure.

        Args:
            before: the table as it is stored; None for a new one.
            table: the table after the change.
            reserved: what was summed up; None if nothing was.
            growths: the row of `growths_key` in the write that changes the table.

        Raises:
            NotSummedError: `reserved` has to be made, or made again.
            DynamoError: LimitExceededException.
        """
        is_added = False
        old = (0, 0) if before is None else provisioned(before)
        for place, (was, units) in enumerate(zip(old, provisioned(table), strict=True)):
            more = units - was
            if more <= 0:
                continue
            if reserved is None or reserved.growths != growths:
                raise NotSummedError(table)
            now = reserved.units[place]
            if now + more > self._most:
                text = above_account_maximum(
                    MEMBERS[place], table.region, now, most=self._most, more=more
                )
                raise DynamoError(Fault.LIMIT_EXCEEDED, text)
            is_added = True
        return is_added


def provisioned(table: Table) -> Units:
    """The provisioned units of a table and its global indexes; none if it is on demand."""
    units = list(_units(table))
    return sum(reads for reads, _ in units), sum(writes for _, writes in units)


def _units(table: Table) -> Iterator[Units]:
    if table.billing_mode == "PROVISIONED":
        yield table.throughput.read_units, table.throughput.write_units
        for index in table.indexes:
            if not index.is_local and index.state != "DELETING":
                yield index.throughput.read_units, index.throughput.write_units
