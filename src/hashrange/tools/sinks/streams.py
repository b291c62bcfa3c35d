"""Reads the stream of one table, shard by shard."""

from typing import Any, Final

import msgspec

from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import RefusedError, ask
from hashrange.tools.sinks.changes import Change, change_of
from hashrange.tools.sinks.positions import (
    ChangesGoneError,
    ListedShard,
    TablePosition,
    begun,
    due,
    with_end,
    with_listed,
)

PAGES_MAX: Final = 8
"""Pages of the stream in one read, each of at most 1 MB."""
_TRIMMED: Final = "TrimmedDataAccessException"
_GONE: Final = "ResourceNotFoundException"
_EXPIRED: Final = "ExpiredIteratorException"


class StreamReader:
    """Reads the stream of one table.

    Attributes:
        found: the position after what was read so far; None before `begin`.

    Args:
        place: holds the table.
        table: its name.
        position: where to go on, after `find_shards`; None to begin.
    """

    def __init__(self, place: Endpoint, table: str, position: TablePosition | None) -> None:
        self._place = place
        self._table = place.named(table)
        self._listed: dict[str, ListedShard] = {}
        self._iterators: dict[str, str] = {}
        self.found = position

    @property
    def position(self) -> TablePosition:
        """The position of a reader that has begun."""
        assert self.found is not None, "the reader has begun"
        return self.found

    async def begin(self, stream: str, epoch: int, *, is_new: bool = False) -> None:
        """Begin at the end of a stream, or at the start of one that this process has enabled."""
        self._iterators.clear()
        listed = self._listed = await self._shards(stream)
        self.found = begun(stream, listed, epoch)
        for shard in () if is_new else self.found.shards:
            # What is older is in the snapshot. A reader that stops before the first record reads
            # the shard from its start, which repeats changes.
            self._iterators[shard] = await self._iterator(shard, {"ShardIteratorType": "LATEST"})

    async def changes(self, pages_max: int = PAGES_MAX) -> tuple[list[Change], bool]:
        """The next changes, and whether there may be more. Raises ChangesGoneError."""
        found: list[Change] = []
        pages, empty = 0, set[str]()
        if not self.position.shards.keys() <= self._listed.keys():
            await self.find_shards()
        while waiting := [each for each in due(self.position, self._listed) if each not in empty]:
            for shard in waiting:
                if pages == pages_max:
                    return found, True
                pages += 1
                page, is_open = await self._page(shard)
                found += page
                if not is_open:
                    await self.find_shards()
                elif not page:
                    empty.add(shard)
        return found, False

    def go_back(self, position: TablePosition) -> None:
        """Read again from a position on."""
        self.found = position
        self._iterators.clear()

    async def find_shards(self) -> None:
        """Find the shards that follow those of the position. Raises ChangesGoneError."""
        listed = await self._shards(self.position.stream)
        self.found = with_listed(self.position, listed)
        self._listed = listed

    async def _page(self, shard: str) -> tuple[list[Change], bool]:
        """A page of a shard, and whether the shard may have more, now or later."""
        iterator = self._iterators.get(shard) or await self._iterator(shard, self._start_of(shard))
        try:
            answer = await self._ask("GetRecords", {"ShardIterator": iterator})
        except RefusedError as error:
            if error.code != _EXPIRED:
                raise
            iterator = await self._iterator(shard, self._start_of(shard))
            answer = await self._ask("GetRecords", {"ShardIterator": iterator})
        position, records = self.position, answer["Records"]
        page = [
            change_of(self._table.name, position.stream, position.epoch, each) for each in records
        ]
        following = answer.get("NextShardIterator")
        if following is None:
            self._iterators.pop(shard, None)
            self.found = with_end(position, shard)
            return page, False
        self._iterators[shard] = following
        if records:
            last = records[-1]["dynamodb"]["SequenceNumber"]
            shards = {**position.shards, shard: last}
            self.found = msgspec.structs.replace(position, shards=shards)
        return page, True

    def _start_of(self, shard: str) -> dict[str, str]:
        last = self.position.shards[shard]
        if last:
            return {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        # Unlike TRIM_HORIZON this is refused if the first records have expired.
        start = self._listed[shard].start
        return {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": start}

    async def _iterator(self, shard: str, start: dict[str, str]) -> str:
        request = {"StreamArn": self.position.stream, "ShardId": shard, **start}
        text: str = (await self._ask("GetShardIterator", request))["ShardIterator"]
        return text

    async def _ask(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Raises ChangesGoneError, CopyError."""
        try:
            return await ask(self._place, self._table.caller, operation, request)
        except RefusedError as error:
            if error.code == _TRIMMED:
                raise ChangesGoneError("changes have expired before they were read") from error
            if error.code == _GONE:
                raise ChangesGoneError("the stream is gone") from error
            raise

    async def _shards(self, stream: str) -> dict[str, ListedShard]:
        """The shards of a stream, by id. Raises ChangesGoneError."""
        found: dict[str, ListedShard] = {}
        request: dict[str, Any] = {"StreamArn": stream}
        while True:
            shown = (await self._ask("DescribeStream", request))["StreamDescription"]
            for shard in shown["Shards"]:
                numbers = shard["SequenceNumberRange"]
                each = ListedShard(
                    shard["ShardId"],
                    shard.get("ParentShardId"),
                    numbers["StartingSequenceNumber"],
                    "EndingSequenceNumber" in numbers,
                )
                found[each.id] = each
            if "LastEvaluatedShardId" not in shown:
                return found
            request["ExclusiveStartShardId"] = shown["LastEvaluatedShardId"]
