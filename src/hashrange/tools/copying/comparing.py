"""Finds the items that differ between two tables whose checksums differ."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items import batch_get_item
from hashrange.tools.copying.digests import digest_of, text_of
from hashrange.tools.copying.items import Altered, Page, Route, page_of, unaltered
from hashrange.tools.copying.place import CopyError, Pause, Place, TableRef, ask

NAMED_MAX: Final = 10
"""The most differences that are reported of one table."""
KEYS_MAX: Final = 25
"""Keys in one request: one response has room for so many of the largest items."""
_BATCH_GET: Final = batch_get_item.OPERATION.facts.name
_TRIES_MAX: Final = 10
_PAUSE_SECONDS: Final = 0.5

_Item = dict[str, Any]
_decode: Final = msgspec.json.Decoder(_Item).decode


async def named_differences(route: Route) -> list[str]:
    """Describe the first `NAMED_MAX` items that differ. Reads both tables again.

    Raises CopyError.
    """
    differences: list[str] = []
    async for keys, items in chunks(
        route.source, route.read, route.key_names, altered=route.altered
    ):
        others = await items_of_keys(route.target, route.written, list(keys.values()), route.pause)
        for text, item in items.items():
            other = others.get(text)
            if other is None:
                differences.append(f"{text} is missing")
            elif digest_of(other) != digest_of(item):
                differences.append(f"{text} is another item")
        if len(differences) >= NAMED_MAX:
            return differences[:NAMED_MAX]
    if route.altered is not unaltered:
        return differences  # the keys of TO are not those of FROM
    async for keys, _ in chunks(route.target, route.written, route.key_names):
        others = await items_of_keys(route.source, route.read, list(keys.values()), route.pause)
        differences += [f"{text} is too much" for text in keys if text not in others]
        if len(differences) >= NAMED_MAX:
            return differences[:NAMED_MAX]
    return differences


async def chunks(
    place: Place, table: TableRef, key_names: Sequence[str], *, altered: Altered = unaltered
) -> AsyncIterator[tuple[dict[str, _Item], dict[str, _Item]]]:
    """Keys and items of a whole table, both by the texts of the keys, in chunks."""
    after: _Item | None = None
    while True:
        page: Page = await page_of(place, table, segment=(0, 1), after=after)
        items = [_decode(altered(item)) for item in page.items]
        for start in range(0, len(items), KEYS_MAX):
            chunk = items[start : start + KEYS_MAX]
            keys = [{name: item[name] for name in key_names} for item in chunk]
            texts = [text_of(key).decode() for key in keys]
            yield dict(zip(texts, keys, strict=True)), dict(zip(texts, chunk, strict=True))
        after = page.last_evaluated_key
        if after is None:
            return


async def items_of_keys(
    place: Place, table: TableRef, keys: Sequence[_Item], pause: Pause
) -> dict[str, _Item]:
    """The items with these keys that exist, by the texts of their keys."""
    items: dict[str, _Item] = {}
    names = tuple(keys[0])
    unprocessed: dict[str, Any] = {table.name: {"Keys": list(keys), "ConsistentRead": True}}
    for _ in range(_TRIES_MAX):
        response = await ask(place, table.caller, _BATCH_GET, {"RequestItems": unprocessed})
        for item in response["Responses"].get(table.name, ()):
            items[text_of({name: item[name] for name in names}).decode()] = item
        unprocessed = response.get("UnprocessedKeys") or {}
        if not unprocessed:
            return items
        await pause(_PAUSE_SECONDS)
    raise CopyError(f"{place.shown} leaves keys of {table.name} unprocessed")
