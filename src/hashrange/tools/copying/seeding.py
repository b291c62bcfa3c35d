"""Loads files of items into tables, and reads tables to dump them, in any place."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.tools.copying.digests import text_of
from hashrange.tools.copying.item_lines import ItemError, KnownTypes, json_of
from hashrange.tools.copying.items import Page, WriteContext, batches, page_of, put_batch
from hashrange.tools.copying.place import CopyError, Pause, Place, TableRef, ask
from hashrange.tools.copying.seed_files import LineError, LineItem, line_error
from hashrange.tools.copying.tables import describe_table, wait_until_active

WINDOW_ITEMS: Final = 200
"""The number of items that are put at the same time, in eight batches."""
_WINDOW_BYTES_MAX: Final = 8 * 1024 * 1024

Key = Sequence[tuple[str, str]]
"""The names and types of key attributes, the partition key first."""


async def ensure_table(place: Place, table: TableRef, create: Key, pause: Pause) -> dict[str, Any]:
    """The description of a table, which is created if it is missing and `create` is not empty.

    Args:
        place: holds the table.
        table: the table.
        create: the key that the table has, or is created with; empty to require the table.
        pause: waits until the table is active.

    Raises:
        CopyError: the table is missing, or has another key than `create`.
    """
    shown = await describe_table(place, table)
    if shown is None:
        if not create:
            text = f"{place.shown} has no table {table.name}; --create makes one, as --create id:S"
            raise CopyError(text)
        await ask(place, table.caller, "CreateTable", _creation(table.name, create))
    elif create and (has := key_of(shown)) != list(create):
        raise CopyError(f"the table {table.name} is there, and its key is {text_of_key(has)}")
    return await wait_until_active(place, table, pause)


def key_of(shown: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The key of a table, from its description."""
    types = types_of(shown)
    ordered = sorted(shown["KeySchema"], key=lambda element: element["KeyType"] != "HASH")
    return [(each["AttributeName"], types[each["AttributeName"]]) for each in ordered]


def types_of(shown: Mapping[str, Any]) -> dict[str, str]:
    """The types of the key attributes of a table and its indexes, by name."""
    return {each["AttributeName"]: each["AttributeType"] for each in shown["AttributeDefinitions"]}


def text_of_key(key: Key) -> str:
    """The key in the form of the command line, `id:S,time:N`."""
    return ",".join(f"{name}:{kind}" for name, kind in key)


def _creation(name: str, key: Key) -> dict[str, Any]:
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": each, "AttributeType": kind} for each, kind in key
        ],
        "KeySchema": [
            {"AttributeName": each, "KeyType": role}
            for (each, _), role in zip(key, ("HASH", "RANGE"), strict=False)
        ],
    }


class Loader:
    """Puts the items of a file into a table; of items with one key, the last one stays.

    Args:
        place: holds the table.
        table: the table.
        known_types: the key of the table.
        name: the name of the file, for error texts.
        pause: waits before retries.

    Attributes:
        items: the number of items put so far.
    """

    def __init__(
        self, place: Place, table: TableRef, known_types: KnownTypes, name: str, *, pause: Pause
    ) -> None:
        self._keys = known_types.keys
        self._name = name
        self._context = WriteContext(place=place, table=table, named=self._named, pause=pause)
        self._lines: dict[bytes, int] = {}
        self.items = 0

    async def run(self, items: Iterable[LineItem], on_items: Callable[[int], None]) -> None:
        """Put all items; `on_items` is called with the number of items after each window.

        Raises:
            LineError: a line is invalid; the items before it are in the table.
            CopyError: a write is refused.
        """
        window: dict[bytes, tuple[int, bytes]] = {}
        size = 0
        try:
            for placed in items:
                key = text_of({name: placed.item[name] for name in self._keys})
                body = self._body(placed)
                # Two items with one key are never in one window, so the later one is put last.
                if key in window or len(window) == WINDOW_ITEMS or size > _WINDOW_BYTES_MAX:
                    await self._put([*window.values()], on_items)
                    window, size = {}, 0
                window[key] = (placed.line, body)
                size += len(body)
        except LineError as error:
            await self._put([*window.values()], on_items)
            raise LineError(f"{error}; items loaded before: {self.items:,}") from error
        await self._put([*window.values()], on_items)

    def _body(self, placed: LineItem) -> bytes:
        try:
            return json_of(placed.item)
        except ItemError as error:
            raise line_error(self._name, placed.line, error) from error

    async def _put(
        self, window: Sequence[tuple[int, bytes]], on_items: Callable[[int], None]
    ) -> None:
        groups = [*batches([body for _, body in window])]
        puts = [put for group in groups for put in group]
        self._lines = {put: line for put, (line, _) in zip(puts, window, strict=True)}
        ended = await asyncio.gather(
            *(put_batch(self._context, group) for group in groups), return_exceptions=True
        )
        faults = [each for each in ended if isinstance(each, BaseException)]
        if faults:
            first, last = window[0][0], window[-1][0]
            if isinstance(faults[0], CopyError):
                loaded = f"items loaded before line {first}: {self.items:,}"
                text = f"{faults[0]}; {loaded}; of lines {first} to {last}: some"
                raise CopyError(text) from faults[0]
            raise faults[0]
        self.items += len(window)
        on_items(len(window))

    def _named(self, put: bytes) -> str:
        line = self._lines.get(bytes(put))
        # A server may return unprocessed requests with other JSON than was sent.
        where = min(self._lines.values()) if line is None else line
        return f"{self._name} {'line' if line else 'behind line'} {where}"


async def pages(place: Place, table: TableRef) -> AsyncIterator[Page]:
    """All items of a table, page by page, read consistently. Raises CopyError."""
    after: dict[str, Any] | None = None
    while True:
        page = await page_of(place, table, segment=(0, 1), after=after)
        yield page
        after = page.last_evaluated_key
        if after is None:
            return


def lines_of(items: Sequence[msgspec.Raw]) -> bytes:
    """The JSON of items, each on a line."""
    text = b"\n".join([*items, b""])
    if text.count(b"\n") == len(items) and b"\r" not in text:
        return text
    return b"\n".join([*map(line_of, items), b""])


def line_of(item: msgspec.Raw) -> bytes:
    """The JSON of an item on one line."""
    text = bytes(item)
    # Line breaks can only be between members: within strings they are escaped.
    return msgspec.json.format(text, indent=-1) if b"\n" in text or b"\r" in text else text
