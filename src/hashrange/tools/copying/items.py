"""Reads items page by page from one place, puts them into another, and computes checksums."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.limits.requests import BATCH_WRITE_ITEMS_MAX
from hashrange.tools.copying.digests import Digest, Tally, joined, text_of
from hashrange.tools.copying.place import CopyError, Pause, Place, RefusedError, TableRef
from hashrange.tools.copying.progress import Segment

PAGE_ITEMS_MAX: Final = 1000
BATCH_BYTES_MAX: Final = 4 * 1024 * 1024
"""JSON in one BatchWriteItem, unless a single item has more; servers refuse 16 MiB."""
TRIES_MAX: Final = 10
"""Consecutive attempts of a batch of which no item is processed."""
PAUSE_SECONDS_FIRST: Final = 0.1
_OF_ITEMS: Final = {
    "ValidationException",
    "SerializationException",
    "ItemCollectionSizeLimitExceededException",
}
"""Errors that a single item of a batch can cause."""


class Page(msgspec.Struct, frozen=True, rename="pascal"):
    """The response of a Scan; items are undecoded JSON."""

    items: list[msgspec.Raw] = []
    last_evaluated_key: dict[str, Any] | None = None


class _Written(msgspec.Struct, frozen=True, rename="pascal"):
    unprocessed_items: dict[str, list[msgspec.Raw]] = {}


_decode_page: Final = msgspec.json.Decoder(Page).decode
_decode_written: Final = msgspec.json.Decoder(_Written).decode


async def page_of(
    place: Place, table: TableRef, *, segment: tuple[int, int], after: dict[str, Any] | None
) -> Page:
    """The next page of a segment, read consistently.

    Args:
        place: holds the table.
        table: the table.
        segment: the number of the segment, and the number of segments.
        after: LastEvaluatedKey of the page before; None for the first page.
    """
    number, total = segment
    request = {
        "TableName": table.name,
        "Segment": number,
        "TotalSegments": total,
        "Limit": PAGE_ITEMS_MAX,
        "ConsistentRead": True,
    }
    if after is not None:
        request["ExclusiveStartKey"] = after
    return _decode_page(await place.call(table.caller, "Scan", msgspec.json.encode(request)))


async def tally_of(
    place: Place, table: TableRef, digest: Digest, *, parallel: int, on_items: Callable[[int], None]
) -> Tally:
    """The tally of all items of a table, read in `parallel` segments at the same time.

    `on_items` is called with the number of items of each page.
    """

    async def read(number: int) -> Tally:
        tally, after = Tally(), None
        while True:
            page = await page_of(place, table, segment=(number, parallel), after=after)
            tally = tally.plus(page.items, digest)
            on_items(len(page.items))
            after = page.last_evaluated_key
            if after is None:
                return tally
            # A local place answers without suspending; let other tasks run.
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        reading = [group.create_task(read(number)) for number in range(parallel)]
    return joined(task.result() for task in reading)


Altered: TypeAlias = Callable[[bytes | msgspec.Raw], bytes | msgspec.Raw]
"""Makes the JSON of an item that is written of that of one that was read."""


def unaltered(item: bytes | msgspec.Raw) -> bytes | msgspec.Raw:
    """The item as it is."""
    return item


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """The source and the target of one table's items."""

    source: Place
    target: Place
    read: TableRef
    """The table in `source`."""
    written: TableRef
    """The table in `target`."""
    key_names: Sequence[str]
    digest: Digest
    pause: Pause
    altered: Altered = unaltered


async def copy_items(
    route: Route, segments: Sequence[Segment], *, parallel: int, on_page: Callable[[int], None]
) -> None:
    """Copy the rest of all segments, `parallel` of them at the same time. Raises CopyError.

    `on_page` is called with the number of items of each page, after they were written and their
    segment was updated.
    """
    limit, total = asyncio.Semaphore(parallel), len(segments)
    context = WriteContext(
        place=route.target,
        table=route.written,
        named=lambda put: _named(route, put),
        pause=route.pause,
    )

    async def copy(number: int, segment: Segment) -> None:
        async with limit:
            while not segment.is_done:
                page = await page_of(
                    route.source, route.read, segment=(number, total), after=segment.after
                )
                items = [*map(route.altered, page.items)]
                async with asyncio.TaskGroup() as group:
                    for puts in batches(items):
                        group.create_task(put_batch(context, puts))
                    await asyncio.sleep(0)  # the batches are sent while digests are computed
                    tally = segment.tally.plus(items, route.digest)
                segment.tally, segment.after = tally, page.last_evaluated_key
                segment.is_done = segment.after is None
                on_page(len(page.items))

    async with asyncio.TaskGroup() as group:
        for number, segment in enumerate(segments):
            group.create_task(copy(number, segment))


def batches(items: Sequence[bytes | msgspec.Raw]) -> Iterator[list[bytes]]:
    """The items as write requests, grouped by the limits of one BatchWriteItem."""
    batch: list[bytes] = []
    size = 0
    for item in items:
        put = b'{"PutRequest":{"Item":%b}}' % bytes(item)
        if len(batch) == BATCH_WRITE_ITEMS_MAX or (batch and size + len(put) > BATCH_BYTES_MAX):
            yield batch
            batch, size = [], 0
        batch.append(put)
        size += len(put)
    if batch:
        yield batch


class WriteContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context of writes to one table."""

    place: Place
    table: TableRef
    named: Callable[[bytes], str]
    """Describes the item of a write request for the operator."""
    pause: Pause


async def put_batch(context: WriteContext, puts: Sequence[bytes]) -> None:
    """Put a batch until no items are left unprocessed. Raises CopyError.

    If a batch is refused, each item is put alone, in order, so that the error names the item at
    fault.
    """
    place, table = context.place, context.table
    name, tries = table.name, 0
    head = b'{"RequestItems":{%b:[' % msgspec.json.encode(name)
    while puts:
        body = head + b",".join(puts) + b"]}}"
        try:
            answer = await place.call(table.caller, "BatchWriteItem", body)
        except RefusedError as error:
            if error.code not in _OF_ITEMS:
                raise
            if len(puts) == 1:
                raise CopyError(f"{context.named(puts[0])}: {error}") from error
            for put in puts:
                await put_batch(context, [put])
            return
        left = [bytes(put) for put in _decode_written(answer).unprocessed_items.get(name, ())]
        tries = tries + 1 if len(left) == len(puts) else 0
        if tries == TRIES_MAX:
            raise CopyError(f"{place.shown} leaves items of {name} unprocessed")
        puts = left
        if puts:
            await context.pause(PAUSE_SECONDS_FIRST * 2**tries)


def _named(route: Route, put: bytes) -> str:
    """The name of the table and the key of the item in a write request, for the operator."""
    item = msgspec.json.decode(put)["PutRequest"]["Item"]
    key = {name: item[name] for name in route.key_names if name in item}
    return f"{route.written.name} {text_of(key).decode()}"
