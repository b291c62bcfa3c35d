"""Reads all rows of a database in one statement, so that they are of one moment.

The statement is a copy to the client, the only kind that sends rows as they are read without a
transaction of several statements: see docs/internals/adr/0023.
"""

import struct
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from hashrange.limits.backups import STORED_ROW_BYTES_MAX
from hashrange.storage.engine import StorageError
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.schema import FORMAT_VERSION
from hashrange.storage.postgres.statements import BYTES_OF
from hashrange.storage.stored_rows import RowKind, StoredRow

# Each part is in the order of its index. That the parts come one after the other is usual and not
# certain: it only makes chunks alike.
ALL_ROWS: Final = f"""
(SELECT {RowKind.PAIR:d}::int2, k, v FROM kv WHERE v IS NOT NULL ORDER BY k)
UNION ALL
(SELECT {RowKind.COUNTER:d}::int2, k, {BYTES_OF.format("sum(n)::int8")} FROM counters
    GROUP BY k ORDER BY k)
UNION ALL
(SELECT {RowKind.LOG:d}::int2, log, {BYTES_OF.format("last")} || {BYTES_OF.format("time")}
    FROM logs ORDER BY log)
"""  # noqa: S608 - made of constants
_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\x00"
_HEADER: Final = struct.Struct(">11sII")
_KEY: Final = struct.Struct(">hihi")
"""Columns, bytes of the kind, the kind, bytes of the key."""
_COLUMNS: Final = 3
_LENGTH: Final = struct.Struct(">i")
_END: Final = struct.Struct(">h")
_END_MARK: Final = -1


class _TakeFailedError(Exception):
    """`take` has failed: an error that the driver does not raise."""


class PostgresRows:
    """`hashrange.storage.stored_rows.RowSource` of a pool."""

    format = FORMAT_VERSION

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def read(self, take: Callable[[Sequence[StoredRow]], Awaitable[None]]) -> None:
        """Hand all rows of one moment over. Raises StorageError, and errors of `take`."""
        parser = CopyParser()
        failures: list[Exception] = []

        async def parsed(data: bytes) -> None:
            try:
                rows = parser.feed(data)
                if rows:
                    await take(rows)
            except Exception as error:
                failures.append(error)
                raise _TakeFailedError from error

        try:
            await self._pool.stream(ALL_ROWS, parsed)
        except _TakeFailedError:
            raise failures[0] from None
        except ConflictError as error:
            raise StorageError("the statement was cancelled by a conflict") from error
        if not parser.has_ended:
            raise StorageError("the database ended the rows before their end")


class CopyParser:
    """Parses the binary form of a copy to the client, cut anywhere. Pure.

    Attributes:
        has_ended: whether the end of the rows was read.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._rest = b""
        self._has_begun = False

    def feed(self, data: bytes) -> list[StoredRow]:
        """The rows that more bytes complete. Raises StorageError: they are none."""
        data = self._rest + data
        at = 0
        if not self._has_begun:
            if len(data) < _HEADER.size:
                self._rest = data
                return []
            signature, flags, extension = _HEADER.unpack_from(data)
            if signature != _SIGNATURE or flags or extension:
                raise StorageError("the database sent rows in a form that is not known")
            self._has_begun, at = True, _HEADER.size
        rows: list[StoredRow] = []
        while (found := self._row(data, at)) is not None:
            row, at = found
            rows.append(row)
        self._rest = data[at:]
        return rows

    def _row(self, data: bytes, at: int) -> tuple[StoredRow, int] | None:
        """The row at a place, and the place behind it; None if it is not complete."""
        end = len(data)
        if end - at < _KEY.size:
            self.has_ended = end - at == _END.size and _END.unpack_from(data, at)[0] == _END_MARK
            return None
        columns, _, kind, size = _KEY.unpack_from(data, at)
        if columns != _COLUMNS or not 0 <= size <= STORED_ROW_BYTES_MAX:
            raise StorageError("the database sent a row that is not known")
        key_at = at + _KEY.size
        value_at = key_at + size + _LENGTH.size
        if value_at > end:
            return None
        (value_size,) = _LENGTH.unpack_from(data, key_at + size)
        if not 0 <= value_size <= STORED_ROW_BYTES_MAX:
            raise StorageError(f"a row has more than {STORED_ROW_BYTES_MAX} bytes, or no value")
        stop = value_at + value_size
        if stop > end:
            return None
        return StoredRow(kind, data[key_at : key_at + size], data[value_at:stop]), stop
