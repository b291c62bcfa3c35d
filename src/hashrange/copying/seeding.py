"""Tables filled from files of items, and written to them, through any endpoint of the API."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.copying.digests import text_of
from hashrange.copying.item_lines import ItemError, Keyed, json_of
from hashrange.copying.items import Page, Writing, batches, page_of, put_all
from hashrange.copying.place import CopyError, Named, Pause, Place, ask
from hashrange.copying.seed_files import LineError, Placed, line_error
from hashrange.copying.tables import active, described

WINDOW_ITEMS: Final = 200
"""Put at the same time, in eight batches."""
_WINDOW_BYTES_MAX: Final = 8 * 1024 * 1024

Key = Sequence[tuple[str, str]]
"""The names and types of key attributes, the partition key first."""


async def found(place: Place, table: Named, create: Key, pause: Pause) -> dict[str, Any]:
    """The table as DescribeTable shows it; made if it is not there and `create` is its key.

    Raises:
        CopyError: it is not there, or has another key.
    """
    shown = await described(place, table)
    if shown is None:
        if not create:
            text = f"{place.shown} has no table {table.name}; --create makes one, as --create id:S"
            raise CopyError(text)
        await ask(place, table.caller, "CreateTable", _creation(table.name, create))
    elif create and (has := key_of(shown)) != list(create):
        raise CopyError(f"the table {table.name} is there, and its key is {text_of_key(has)}")
    return await active(place, table, pause)


def key_of(shown: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The key of a table that was described."""
    types = types_of(shown)
    ordered = sorted(shown["KeySchema"], key=lambda element: element["KeyType"] != "HASH")
    return [(each["AttributeName"], types[each["AttributeName"]]) for each in ordered]


def types_of(shown: Mapping[str, Any]) -> dict[str, str]:
    """The types that a table's keys and indexes fix, by the names of attributes."""
    return {each["AttributeName"]: each["AttributeType"] for each in shown["AttributeDefinitions"]}


def text_of_key(key: Key) -> str:
    """As on the command line."""
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


class Filling:
    """Puts the items of a file into a table, as PutItem would, in the order of the file.

    Args:
        place: has the table.
        table: that is filled.
        keyed: its key.
        name: of the file, for people.
        pause: waits.

    Attributes:
        items: put until now.
    """

    def __init__(
        self, place: Place, table: Named, keyed: Keyed, name: str, *, pause: Pause
    ) -> None:
        self._keys = keyed.keys
        self._name = name
        self._writing = Writing(place=place, table=table, named=self._named, pause=pause)
        self._lines: dict[bytes, int] = {}
        self.items = 0

    async def run(self, items: Iterable[Placed], told: Callable[[int], None]) -> None:
        """Put all; `told` is called with numbers of items that were.

        Raises:
            LineError: a line is refused; what stands before it is in the table.
            CopyError: a write is refused.
        """
        window: dict[bytes, tuple[int, bytes]] = {}
        size = 0
        try:
            for placed in items:
                key = text_of({name: placed.item[name] for name in self._keys})
                body = self._body(placed)
                # Of two items with one key the later stays: they are never on their way together.
                if key in window or len(window) == WINDOW_ITEMS or size > _WINDOW_BYTES_MAX:
                    await self._put([*window.values()], told)
                    window, size = {}, 0
                window[key] = (placed.line, body)
                size += len(body)
        except LineError as error:
            await self._put([*window.values()], told)
            raise LineError(f"{error}; items loaded before: {self.items:,}") from error
        await self._put([*window.values()], told)

    def _body(self, placed: Placed) -> bytes:
        try:
            return json_of(placed.item)
        except ItemError as error:
            raise line_error(self._name, placed.line, error) from error

    async def _put(self, window: Sequence[tuple[int, bytes]], told: Callable[[int], None]) -> None:
        groups = [*batches([body for _, body in window])]
        puts = [put for group in groups for put in group]
        self._lines = {put: line for put, (line, _) in zip(puts, window, strict=True)}
        ended = await asyncio.gather(
            *(put_all(self._writing, group) for group in groups), return_exceptions=True
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
        told(len(window))

    def _named(self, put: bytes) -> str:
        line = self._lines.get(bytes(put))
        # A server may give back what it left unprocessed in other words.
        where = min(self._lines.values()) if line is None else line
        return f"{self._name} {'line' if line else 'behind line'} {where}"


async def pages(place: Place, table: Named) -> AsyncIterator[Page]:
    """All items of a table, page by page, consistently read. Raises CopyError."""
    after: dict[str, Any] | None = None
    while True:
        page = await page_of(place, table, segment=(0, 1), after=after)
        yield page
        after = page.last_evaluated_key
        if after is None:
            return


def line_of(item: msgspec.Raw) -> bytes:
    """The JSON of an item on one line, as it was sent."""
    text = bytes(item)
    # Line breaks stand between members alone: within texts they are escaped.
    return msgspec.json.format(text, indent=-1) if b"\n" in text or b"\r" in text else text
