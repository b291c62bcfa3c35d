"""Reads all items of a table or an index, in segments that are read in parallel."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import CopyError, RefusedError, TableRef
from hashrange.tools.copying.tables import describe_table
from hashrange.tools.scanning.expressions import Expressions, InputError
from hashrange.tools.scanning.pacing import Pacer

SEGMENTS_MAX: Final = 1_000_000
"""DynamoDB's limit of TotalSegments."""
PARALLEL_MAX: Final = 64
PARALLEL_CHOSEN_MAX: Final = 16
SEGMENT_BYTES: Final = 16 * 1024 * 1024
"""A table has a segment for so many bytes, if the number is not given."""
_BAD_REQUEST: Final = frozenset({"ValidationException", "ResourceNotFoundException"})


class Segment(msgspec.Struct):
    """The progress of one segment.

    Attributes:
        after: the key after which reading continues; None before the first page.
        is_done: all its items were read.
    """

    after: dict[str, Any] | None = None
    is_done: bool = False


class _Consumed(msgspec.Struct, frozen=True, rename="pascal"):
    capacity_units: float = 0.0


class ScanPage(msgspec.Struct, frozen=True, rename="pascal"):
    """The response of a Scan; items are undecoded JSON."""

    items: list[msgspec.Raw] = []
    count: int = 0
    scanned_count: int = 0
    last_evaluated_key: dict[str, Any] | None = None
    consumed_capacity: _Consumed | None = None

    @property
    def units(self) -> float:
        """The read units that it consumed."""
        return 0.0 if self.consumed_capacity is None else self.consumed_capacity.capacity_units


class ScanTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A table or an index of it, as DescribeTable shows it.

    Attributes:
        table: the table.
        index: the name of the index; None for the table.
        key_names: key attributes of the table, the partition key first.
        own_key_names: those of the index; the same as `key_names` for the table.
        items: the number of items; AWS counts them every six hours.
        size_bytes: of all items, counted as `items`.
        created: the time of creation, which distinguishes it from a later table of the same name.
    """

    table: TableRef
    index: str | None
    key_names: Sequence[str]
    own_key_names: Sequence[str]
    items: int
    size_bytes: int
    created: float


class ScanRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of the read of a table.

    Attributes:
        target: the table or index.
        expressions: filter and projection.
        consistent: strongly consistent reads.
        counts_only: the pages have counts and no items.
        page_items: items on a page, before the filter; None for as many as fit into 1 MB.
        units_a_page: the units that a page should consume, at most; None for no limit.
    """

    target: ScanTarget
    expressions: Expressions = Expressions()
    consistent: bool = False
    counts_only: bool = False
    page_items: int | None = None
    units_a_page: float | None = None

    def body(self) -> dict[str, Any]:
        """The request without segment and start."""
        texts = self.expressions.texts
        members = {member: texts[kind] for kind, member in _MEMBERS.items() if kind in texts}
        body: dict[str, Any] = {
            "TableName": self.target.table.name,
            "ReturnConsumedCapacity": "TOTAL",
            **self.expressions.all_members(**members),
        }
        if self.target.index is not None:
            body["IndexName"] = self.target.index
        if self.consistent:
            body["ConsistentRead"] = True
        if self.counts_only:
            body["Select"] = "COUNT"
        return body


_MEMBERS: Final = {"filter": "FilterExpression", "projection": "ProjectionExpression"}
_decode_page: Final = msgspec.json.Decoder(ScanPage).decode


async def scan_target(place: Endpoint, name: str, index: str | None = None) -> ScanTarget:
    """The table or index of that name. Raises InputError if there is none, CopyError."""
    table = place.named(name)
    try:
        shown = await describe_table(place, table)
    except RefusedError as error:
        raise _as_input(error) from error
    if shown is None:
        raise InputError(f"{place.shown} has no table {name}")
    found: Mapping[str, Any] = shown
    if index is not None:
        indexes = [
            *(shown.get("GlobalSecondaryIndexes") or ()),
            *(shown.get("LocalSecondaryIndexes") or ()),
        ]
        named = {each["IndexName"]: each for each in indexes}
        if index not in named:
            there = f"it has {', '.join(sorted(named))}" if named else "it has none"
            raise InputError(f"the table {name} has no index {index}; {there}")
        found = named[index]
    return ScanTarget(
        table=table,
        index=index,
        key_names=_key_names(shown),
        own_key_names=_key_names(found),
        items=int(found.get("ItemCount") or 0),
        size_bytes=int(found.get("IndexSizeBytes" if index else "TableSizeBytes") or 0),
        created=float(shown.get("CreationDateTime") or 0),
    )


def _key_names(shown: Mapping[str, Any]) -> list[str]:
    ordered = sorted(shown["KeySchema"], key=lambda element: element["KeyType"] != "HASH")
    return [element["AttributeName"] for element in ordered]


def chosen_segments(size_bytes: int) -> int:
    """The number of segments for a table of that size: one for each 16 MiB, 4 to 64."""
    return min(PARALLEL_MAX, max(4, -(-size_bytes // SEGMENT_BYTES)))


def chosen_parallel(segments: int) -> int:
    """How many of the segments are read at the same time, unless the server throttles."""
    return min(segments, PARALLEL_CHOSEN_MAX)


class Scanner:
    """Reads pages of a table.

    Args:
        place: holds the table.
        request: what is read.
        pacer: when requests are sent.
    """

    def __init__(self, place: Endpoint, request: ScanRequest, pacer: Pacer) -> None:
        self._place = place
        self._body = request.body()
        self._request = request
        self._pacer = pacer
        target = request.target
        # Before the first page is read, items have the mean size that the table reports.
        mean = target.size_bytes / target.items if target.items and target.size_bytes else 1024.0
        self._units_an_item = max(mean, 1.0) / (4096 if request.consistent else 8192)

    async def page(self, number: int, total: int, after: Mapping[str, Any] | None) -> ScanPage:
        """The page of segment `number` of `total` after a key.

        Raises:
            InputError: the server refuses the request.
            CopyError: the request failed.
        """
        request = {**self._body, "Segment": number, "TotalSegments": total}
        limit = self._page_items()
        if limit is not None:
            request["Limit"] = limit
        if after is not None:
            request["ExclusiveStartKey"] = after
        body = msgspec.json.encode(request)
        caller = self._request.target.table.caller

        async def send() -> ScanPage:
            return _decode_page(await self._place.call(caller, "Scan", body))

        try:
            page = await self._pacer.read(send, lambda page: page.units)
        except RefusedError as error:
            raise _as_input(error) from error
        if self._request.units_a_page is not None:
            if page.consumed_capacity is None:
                text = f"{self._place.shown} does not report consumed units"
                raise CopyError(f"{text}, so --rate-limit cannot be kept")
            if page.scanned_count:
                self._units_an_item = page.units / page.scanned_count
        return page

    def _page_items(self) -> int | None:
        limits = []
        if self._request.page_items is not None:
            limits.append(self._request.page_items)
        if self._request.units_a_page is not None:
            limits.append(int(self._request.units_a_page / max(self._units_an_item, 1e-6)))
        return max(1, min(limits)) if limits else None


def _as_input(error: RefusedError) -> CopyError:
    return InputError(error.text or error.code) if error.code in _BAD_REQUEST else error


async def read_segments(
    scanner: Scanner,
    segments: Sequence[Segment],
    *,
    parallel: int,
    on_page: Callable[[int, ScanPage], Awaitable[bool]],
    on_progress: Callable[[], None],
) -> None:
    """Read the rest of all segments. Raises CopyError.

    Args:
        scanner: reads pages.
        segments: their progress, which is updated after each page.
        parallel: segments that are read at the same time.
        on_page: receives each page, after the number of its segment; returns whether reading goes
            on. A page counts as read when it returns.
        on_progress: called after the progress was updated.
    """
    total = len(segments)
    waiting = [(number, each) for number, each in enumerate(segments) if not each.is_done]
    waiting.reverse()
    stopped = asyncio.Event()

    async def worker() -> None:
        while waiting and not stopped.is_set():
            number, segment = waiting.pop()
            while not (stopped.is_set() or segment.is_done):
                page = await scanner.page(number, total, segment.after)
                if stopped.is_set():
                    return
                if not await on_page(number, page):
                    stopped.set()
                # Nothing is awaited between the two, so that both or neither are in a checkpoint.
                segment.after = page.last_evaluated_key
                segment.is_done = segment.after is None
                on_progress()

    async with asyncio.TaskGroup() as group:
        for _ in range(min(parallel, len(waiting))):
            group.create_task(worker())
