"""The content of archives, and its cost there and in tables."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hashrange.backups.archives.objects import require_duckdb
from hashrange.capacity.costs.live_workload import ITEM_OVERHEAD_BYTES
from hashrange.capacity.costs.usage import GB_BYTES
from hashrange.capacity.prices import listed
from hashrange.optional_packages import MissingPackageError
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.archives import Archive
from hashrange.tools.sql.shapes import literal
from hashrange.tools.sql.statements import line_of_error

S3_GB_MONTH: Final = 0.023
"""USD of S3 Standard in us-east-1, of the first 50 TB: https://aws.amazon.com/s3/pricing/."""


class Savings(msgspec.Struct, frozen=True, kw_only=True):
    """The archive of one table.

    Attributes:
        table: its name.
        items: the deletions.
        first: the date of the oldest.
        last: the date of the newest.
        item_bytes: as DynamoDB bills them.
        stored_bytes: of the objects.
        table_usd_month: for the storage of the items in a table.
        archive_usd_month: for that of the objects.
    """

    table: str
    items: int
    first: str
    last: str
    item_bytes: int
    stored_bytes: int
    table_usd_month: float
    archive_usd_month: float

    @property
    def saved_usd_month(self) -> float:
        """The difference."""
        return self.table_usd_month - self.archive_usd_month


async def savings_of(archive: Archive, gb_month: float) -> list[Savings]:
    """The archive of each table; `gb_month` is the price of the bucket in USD.

    Raises InputError, CopyError.
    """
    price = listed().prices["storage_gb_month"].usd
    found = []
    for table, objects in sorted(archive.objects.items()):
        files = [str(await archive.fetch(each.key)) for each in objects]
        items, item_bytes = _rows(table, files)
        dates = sorted(each.name.date for each in objects)
        billed = (item_bytes or 0) + items * ITEM_OVERHEAD_BYTES
        stored = sum(each.size_bytes for each in objects)
        found.append(
            Savings(
                table=table,
                items=items,
                first=dates[0],
                last=dates[-1],
                item_bytes=billed,
                stored_bytes=stored,
                table_usd_month=billed / GB_BYTES * price,
                archive_usd_month=stored / GB_BYTES * gb_month,
            )
        )
    return found


def _rows(table: str, files: Sequence[str]) -> Any:
    """The number of deletions, and the sum of the sizes of their items."""
    try:
        duckdb = require_duckdb()
    except MissingPackageError as error:
        raise InputError(str(error)) from error
    listed_files = ", ".join(map(literal, files))
    statement = (
        "SELECT count(*), sum(bytes) FROM (SELECT key, version, any_value(bytes) AS bytes "  # noqa: S608 - quoted
        f"FROM read_parquet([{listed_files}]) GROUP BY key, version)"
    )
    try:
        with duckdb.connect() as connection:
            (row,) = connection.execute(statement).fetchall()
    except duckdb.Error as error:
        raise CopyError(f"{table}: {line_of_error(error)}") from error
    return row
