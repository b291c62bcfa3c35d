"""Reads one table for a sink: the records of its stream, and its items page by page.

A page of items is read between two reads of the stream. Items that change between the two are left
out of the page, since their changes follow it; all others are as they were at the first read. So
the page stands in the order of the changes, and no item goes back to an older state.

Source: A. Andreakis, I. Papapanagiotou, "DBLog: A Watermark Based Change-Data-Capture Framework",
2020, https://arxiv.org/abs/2010.12597.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import CopyError, ask
from hashrange.tools.copying.tables import describe_table
from hashrange.tools.sinks.changes import Change, Item, key_bytes, row_of
from hashrange.tools.sinks.positions import ChangesGoneError, TablePosition
from hashrange.tools.sinks.streams import StreamReader

WINDOW_PAGES_MAX: Final = 32
"""Pages of the stream that are read behind a page of items; if there are more, it is read again."""
ROWS_MAX: Final = 1000
_NEW_STREAM: Final = "the table has a new stream"
_VIEWS: Final = frozenset(("NEW_IMAGE", "NEW_AND_OLD_IMAGES"))


class TableReader:
    """Reads one table.

    Attributes:
        key: the names of the key attributes, after `open`.

    Args:
        place: holds the table.
        table: its name.
        position: where to go on; None to begin.
    """

    def __init__(self, place: Endpoint, table: str, position: TablePosition | None) -> None:
        self._place = place
        self._table = place.named(table)
        self._reader = StreamReader(place, table, position)
        self._has_enabled = False
        self.key: Sequence[str] = ()

    @property
    def position(self) -> TablePosition:
        """The position after what was read so far; the caller stores it after delivery."""
        return self._reader.position

    async def open(self) -> None:
        """Find the stream, and begin a snapshot if there is no position.

        Raises:
            ChangesGoneError: the stream no longer has the changes after the position.
            CopyError: the table cannot be read.
        """
        stream = await self._stream(enables=self._reader.found is None)
        if self._reader.found is None:
            await self._reader.begin(stream, epoch=0, is_new=self._has_enabled)
        elif self.position.stream != stream:
            raise ChangesGoneError(_NEW_STREAM)
        else:
            await self._reader.find_shards()

    async def begin_again(self) -> None:
        """Begin another snapshot, of the present stream."""
        await self._reader.begin(await self._stream(), epoch=self.position.epoch + 1)

    async def changes(self) -> tuple[list[Change], bool]:
        """The next changes, and whether there may be more. Raises ChangesGoneError."""
        found = await self._reader.changes()
        if not self.position.shards and await self._stream() != self.position.stream:
            raise ChangesGoneError(_NEW_STREAM)
        return found

    async def rows(self) -> list[Change] | None:
        """The next page of the snapshot and the changes during it, in an order of the items.

        None if too much has changed meanwhile; the changes are then lost to the caller, who must
        begin again at the stored position. Raises ChangesGoneError.
        """
        before = self.position
        request: dict[str, Any] = {
            "TableName": self._table.name,
            "ConsistentRead": True,
            "Limit": ROWS_MAX,
        }
        if before.next_key is not None:
            request["ExclusiveStartKey"] = before.next_key
        page = await ask(self._place, self._table.caller, "Scan", request)
        changes, has_more = await self._reader.changes(WINDOW_PAGES_MAX)
        if has_more:
            return None
        changed = {change.key for change in changes}
        rows = [
            row_of(self._table.name, item, self.key, stream=before.stream, epoch=before.epoch)
            for item in page["Items"]
            if key_bytes({name: item[name] for name in self.key}) not in changed
        ]
        following: Item | None = page.get("LastEvaluatedKey")
        self._reader.found = msgspec.structs.replace(
            self.position, next_key=following, is_copied=following is None
        )
        return rows + changes

    def go_back(self, position: TablePosition) -> None:
        """Read again from a position on."""
        self._reader.go_back(position)

    async def _stream(self, *, enables: bool = False) -> str:
        """The ARN of the stream; `enables`: it is enabled if there is none. Raises CopyError."""
        name = self._table.name
        shown = await describe_table(self._place, self._table)
        if shown is None:
            raise CopyError(f"{self._place.shown} has no table {name}")
        self.key = [each["AttributeName"] for each in shown["KeySchema"]]
        stream = shown.get("StreamSpecification") or {}
        if not (stream.get("StreamEnabled") or enables):
            raise CopyError(f"{name}: its stream was disabled")
        if not stream.get("StreamEnabled"):
            chosen = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
            request = {"TableName": name, "StreamSpecification": chosen}
            answer = await ask(self._place, self._table.caller, "UpdateTable", request)
            shown = answer["TableDescription"]
            self._has_enabled = True
        elif stream["StreamViewType"] not in _VIEWS:
            text = f"its stream has {stream['StreamViewType']}: a sink needs new images"
            raise CopyError(f"{name}: {text}")
        arn: str = shown["LatestStreamArn"]
        return arn
