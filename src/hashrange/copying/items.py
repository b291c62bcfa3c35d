"""Items, page by page: read from one place, put into another, counted in both."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.copying.digests import Digest, Tally, joined, text_of
from hashrange.copying.place import CopyError, Named, Pause, Place, RefusedError
from hashrange.copying.progress import Segment
from hashrange.limits import BATCH_WRITE_ITEMS_MAX

PAGE_ITEMS_MAX: Final = 1000
BATCH_BYTES_MAX: Final = 4 * 1024 * 1024
"""Of JSON in one BatchWriteItem, unless one item alone has more; servers refuse 16 MiB."""
TRIES_MAX: Final = 10
"""Of a batch of which nothing is processed; what shrinks may go on."""
REST_SECONDS_FIRST: Final = 0.1
_OF_ITEMS: Final = {
    "ValidationException",
    "SerializationException",
    "ItemCollectionSizeLimitExceededException",
}
"""Refusals that one item of a batch is the reason of."""


class Page(msgspec.Struct, frozen=True, rename="pascal"):
    """What a Scan answers; the items as they stand in it."""

    items: list[msgspec.Raw] = []
    last_evaluated_key: dict[str, Any] | None = None


class _Written(msgspec.Struct, frozen=True, rename="pascal"):
    unprocessed_items: dict[str, list[msgspec.Raw]] = {}


_decode_page: Final = msgspec.json.Decoder(Page).decode
_decode_written: Final = msgspec.json.Decoder(_Written).decode


async def page_of(
    place: Place, table: Named, *, segment: tuple[int, int], after: dict[str, Any] | None
) -> Page:
    """The next page of one segment, its number and that of all, consistently read."""
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
    place: Place, table: Named, digest: Digest, *, parallel: int, told: Callable[[int], None]
) -> Tally:
    """All items of a table, read in so many segments at the same time.

    `told` is called with the number of items of each page.
    """

    async def read(number: int) -> Tally:
        tally, after = Tally(), None
        while True:
            page = await page_of(place, table, segment=(number, parallel), after=after)
            tally = tally.plus(page.items, digest)
            told(len(page.items))
            after = page.last_evaluated_key
            if after is None:
                return tally
            # A place that answers at once must not keep the others from what they have to do.
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        reading = [group.create_task(read(number)) for number in range(parallel)]
    return joined(task.result() for task in reading)


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """A table's way from one place to the other."""

    source: Place
    target: Place
    read: Named
    written: Named
    key_names: Sequence[str]
    digest: Digest
    pause: Pause


async def copy_items(
    route: Route, segments: Sequence[Segment], *, parallel: int, noted: Callable[[int], None]
) -> None:
    """Copy all segments from where they are, so many at the same time. Raises CopyError.

    `noted` is called with the number of items of each page, once they are in TO and their segment
    says so.
    """
    turns, total = asyncio.Semaphore(parallel), len(segments)
    writing = Writing(
        place=route.target,
        table=route.written,
        named=lambda put: _named(route, put),
        pause=route.pause,
    )

    async def copy(number: int, segment: Segment) -> None:
        async with turns:
            while not segment.is_done:
                page = await page_of(
                    route.source, route.read, segment=(number, total), after=segment.after
                )
                async with asyncio.TaskGroup() as group:
                    for puts in batches(page.items):
                        group.create_task(put_all(writing, puts))
                    await asyncio.sleep(0)  # they are on their way while we count
                    tally = segment.tally.plus(page.items, route.digest)
                segment.tally, segment.after = tally, page.last_evaluated_key
                segment.is_done = segment.after is None
                noted(len(page.items))

    async with asyncio.TaskGroup() as group:
        for number, segment in enumerate(segments):
            group.create_task(copy(number, segment))


def batches(items: Sequence[bytes | msgspec.Raw]) -> Iterator[list[bytes]]:
    """The items as write requests, as many together as one BatchWriteItem may have."""
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


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """A table that items are put into.

    `named` tells people which item a write request has.
    """

    place: Place
    table: Named
    named: Callable[[bytes], str]
    pause: Pause


async def put_all(writing: Writing, puts: Sequence[bytes]) -> None:
    """Put a batch until nothing is left unprocessed. Raises CopyError.

    A batch is refused as a whole; then each item is put alone, in order, so that the one that was
    meant is named.
    """
    place, table = writing.place, writing.table
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
                raise CopyError(f"{writing.named(puts[0])}: {error}") from error
            for put in puts:
                await put_all(writing, [put])
            return
        left = [bytes(put) for put in _decode_written(answer).unprocessed_items.get(name, ())]
        tries = tries + 1 if len(left) == len(puts) else 0
        if tries == TRIES_MAX:
            raise CopyError(f"{place.shown} leaves items of {name} unprocessed")
        puts = left
        if puts:
            await writing.pause(REST_SECONDS_FIRST * 2**tries)


def _named(route: Route, put: bytes) -> str:
    """A table, and the key of the item in a write request."""
    item = msgspec.json.decode(put)["PutRequest"]["Item"]
    key = {name: item[name] for name in route.key_names if name in item}
    return f"{route.written.name} {text_of(key).decode()}"
