"""Tables of a directory, a database or an endpoint, whose items are written as lines."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, cast

import msgspec

from hashrange.backups.objects.bucket import Bucket, BucketError, ObjectEntry
from hashrange.capacity.prices import list_price_on_demand
from hashrange.clock import Clock
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.local import LocalPlace
from hashrange.tools.copying.place import CopyError, TableRef
from hashrange.tools.copying.seeding import key_of, lines_of, pages
from hashrange.tools.copying.tables import describe_table
from hashrange.tools.scanning.expressions import InputError, placeholder_of
from hashrange.tools.scanning.moments import restored, table_address
from hashrange.tools.scanning.scan import ScanOptions, opened_scan
from hashrange.tools.scanning.segments import ScanPage
from hashrange.tools.sql.exports import DATA, MANIFEST, ExportFolder, data_keys
from hashrange.tools.sql.items import Items
from hashrange.tools.sql.loading import Lines
from hashrange.tools.sql.shapes import time_of
from hashrange.tools.sql.statements import KeyRange, Statement

_UNIT_BYTES: Final = 8192
"""Of an eventually consistent read."""
_NEW_ID_BYTES: Final = 4
_decode_page: Final = msgspec.json.Decoder(ScanPage).decode


class Read(msgspec.Struct, frozen=True):
    """The read of a table for a statement.

    Attributes:
        table: the name of the table.
        statement: the statement.
        moment: the time of the state that it reads; None for now.
    """

    table: str
    statement: Statement
    moment: str | None


class Source(Protocol):
    """Tables that are read. All methods raise InputError, CopyError and OSError."""

    @property
    def shown(self) -> str:
        """The source in messages."""

    async def names(self) -> Collection[str]:
        """The names of the tables."""

    async def items(self, read: Read, target: Lines) -> Items:
        """The items of a table, in files or written to `target`."""


class Exports:
    """The tables of exports in a directory."""

    def __init__(self, folder: Path) -> None:
        self.shown = str(folder)
        self._folder = ExportFolder(folder)

    async def names(self) -> Collection[str]:
        """The names of the tables that were exported."""
        return self._folder.tables()

    async def items(self, read: Read, target: Lines) -> Items:
        """The items of a table, in the files of its export."""
        refuse_moment(read, "an export has one moment")
        return self._folder.items(read.table, target)


class BucketExports:
    """The tables of exports in a bucket; their files are fetched when they are read.

    Args:
        bucket: has the exports.
        shown: the bucket in messages.
        prefix: with which the keys of the exports begin.
        folder: an empty folder, which the caller removes.
    """

    def __init__(self, bucket: Bucket, shown: str, prefix: str, folder: Path) -> None:
        self.shown = shown
        self._bucket, self._prefix, self._folder = bucket, prefix, folder
        self._exports: ExportFolder | None = None

    async def names(self) -> Collection[str]:
        """The names of the tables that were exported."""
        if self._exports is None:
            folders: dict[str, Path] = {}
            for entry in await self._listed():
                parent, _, name = entry.key.rpartition("/")
                if name.startswith(MANIFEST) and name.endswith(".json"):
                    # Keys are not trusted to be names of files.
                    folder = folders.setdefault(parent, self._folder / str(len(folders)))
                    await fetch_file(self._bucket, entry.key, folder / name)
            if not folders:
                raise InputError(f"{self.shown} has no export that begins with {self._prefix!r}")
            self._exports = ExportFolder(self._folder)
        return self._exports.tables()

    async def items(self, read: Read, target: Lines) -> Items:
        """The items of a table, in the files of its export."""
        refuse_moment(read, "an export has one moment")
        assert self._exports is not None, "the table is among the names"
        for export in self._exports.exports(read.table):
            for key in data_keys(export.folder):
                await fetch_file(self._bucket, key, export.folder / DATA / Path(key).name)
        return self._exports.items(read.table, target)

    async def _listed(self) -> list[ObjectEntry]:
        try:
            return [entry async for entry in self._bucket.list(self._prefix)]
        except BucketError as error:
            raise CopyError(str(error)) from error


async def fetch_file(bucket: Bucket, key: str, path: Path) -> None:
    """Write an object to a file, whose directory is made. Raises CopyError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("wb") as file:
            async for chunk in bucket.get(key):
                file.write(chunk)
    except BucketError as error:
        raise CopyError(str(error)) from error


class Directory:
    """The tables of a data directory or database. What no server uses does not change meanwhile.

    Args:
        place: the tables.
        clock: the time.
    """

    def __init__(self, place: LocalPlace, clock: Clock) -> None:
        self.shown = place.shown
        self._place, self._clock = place, clock
        self._tables: dict[str, TableRef] = {}

    async def names(self) -> Collection[str]:
        """The names of the tables. Two accounts or regions that have the same one are refused."""
        if not self._tables:
            for table in await self._place.tables():
                name = table.name.rpartition("/")[2]
                if name in self._tables:
                    text = f"several accounts or regions have {name}: read it by --endpoint"
                    raise InputError(f"{self.shown}: {text}")
                self._tables[name] = table
        return self._tables

    async def items(self, read: Read, target: Lines) -> Items:
        """The items of a table, written to `target`."""
        refuse_moment(read, "start a server on the data, and give its --endpoint")
        table = self._tables[read.table]
        described = await described_table(self._place, table)
        time_ms, count = self._clock.now_ms(), 0
        async for page in pages(self._place, table):
            target.write(lines_of(page.items))
            count += len(page.items)
        return Items(
            table=read.table,
            files=(),
            key=key_of(described),
            time=time_of(time_ms),
            count=count,
            remark=f"{count:,} items of {self.shown}",
        )


def refuse_moment(read: Read, instead: str) -> None:
    """Raise InputError if a statement reads a moment; `instead` is what to do."""
    if read.moment is not None:
        raise InputError(f"AS OF {read.moment}: only an endpoint restores a moment; {instead}")


class Live:
    """The tables of an endpoint.

    Args:
        place: the endpoint.
        clock: time and randomness.
        note: shows a line to the operator.
        confirm: called before a live table is read, with a text and its units; raises InputError.
    """

    def __init__(
        self,
        place: Endpoint,
        clock: Clock,
        *,
        note: Callable[[str], None],
        confirm: Callable[[str, float], None],
    ) -> None:
        self.shown = place.shown
        self._place, self._clock, self._note, self._confirm = place, clock, note, confirm

    async def names(self) -> Collection[str]:
        """The names of the tables."""
        return [table.name for table in await self._place.tables()]

    async def items(self, read: Read, target: Lines) -> Items:
        """The items of a table, or of the keys that the statement reads, written to `target`."""
        described = await described_table(self._place, self._place.named(read.table))
        key = key_of(described)
        key_range = read.statement.key_range(key)
        time_ms = self._clock.now_ms()
        if read.moment is None:
            if key_range is None:
                units = described.get("TableSizeBytes", 0) / _UNIT_BYTES
                text = (
                    f"a Scan of {read.table}, by its size in DescribeTable: {units:,.1f} read units"
                )
                self._confirm(f"{text}, ${list_price_on_demand(units, 0):,.4f} on demand", units)
            count, remark = await self._read(read.table, key_range, target)
        else:
            moment = table_address(f"{read.table}@{read.moment}")
            if isinstance(moment.moment, datetime):
                time_ms = int(moment.moment.timestamp() * 1000)
            new_id = self._clock.random_bytes(_NEW_ID_BYTES).hex()
            async with restored(
                self._place, moment, new_id, label="sql", pause=asyncio.sleep, note=self._note
            ) as name:
                count, remark = await self._read(name, key_range, target)
            remark = f"{remark} of a copy as of {read.moment}, none of the table"
        return Items(
            table=read.table,
            files=(),
            key=key,
            time=time_of(time_ms),
            count=count,
            remark=remark,
            key_range=key_range,
            asked=() if key_range is None else read.statement.columns,
        )

    async def _read(self, table: str, key_range: KeyRange | None, target: Lines) -> tuple[int, str]:
        """Write items; returns their number and how they were read."""
        if key_range is not None:
            return await self._query(self._place.named(table), key_range, target)
        options = ScanOptions(table=table, typed=True)
        scan = await opened_scan(self._place, options, self._clock, lambda _: None)
        # A scan without a checkpoint writes and flushes, and does no more.
        totals = (await scan.to_stream(cast("BinaryIO", target))).totals
        return totals.items, f"{totals.items:,} items by Scan, {totals.units:,.1f} read units"

    async def _query(self, table: TableRef, key_range: KeyRange, target: Lines) -> tuple[int, str]:
        request = {
            "TableName": table.name,
            "ReturnConsumedCapacity": "TOTAL",
            **key_condition(key_range),
        }
        count, requests, units = 0, 0, 0.0
        after: dict[str, Any] | None = {}
        while after is not None:
            start = {"ExclusiveStartKey": after} if after else {}
            body = msgspec.json.encode({**request, **start})
            page = _decode_page(await self._place.call(table.caller, "Query", body))
            target.write(lines_of(page.items))
            count, requests, units = count + len(page.items), requests + 1, units + page.units
            after = page.last_evaluated_key
        name = "Query" if requests == 1 else "Queries"
        return count, f"{count:,} items by {requests:,} {name}, {units:,.1f} read units"


def key_condition(key_range: KeyRange) -> dict[str, Any]:
    """The members of a Query of a range of keys."""
    names: dict[str, str] = {}
    values: dict[str, Mapping[str, str]] = {}
    conditions = []
    for number, (name, (operator, value)) in enumerate(key_range.comparisons.items()):
        values[f":v{number}"] = value
        conditions.append(f"{placeholder_of(name, names)} {operator} :v{number}")
    return {
        "KeyConditionExpression": " AND ".join(conditions),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


async def described_table(place: LocalPlace | Endpoint, table: TableRef) -> dict[str, Any]:
    """The description of a table. Raises InputError: there is none."""
    described = await describe_table(place, table)
    if described is None:
        raise InputError(f"{place.shown} has no table {table.name}")
    return described
