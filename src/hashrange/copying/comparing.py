"""Which items are not the same, once it is known that some are not."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.copying.digests import digest_of, text_of
from hashrange.copying.items import Page, Route, page_of
from hashrange.copying.place import CopyError, Named, Pause, Place, ask

NAMED_MAX: Final = 10
"""Of one table."""
_KEYS_MAX: Final = 25
"""Of one BatchGetItem: so many of the largest items are one answer."""
_TRIES_MAX: Final = 10
_REST_SECONDS: Final = 0.5

_Item = dict[str, Any]
_decode: Final = msgspec.json.Decoder(_Item).decode


async def named_differences(route: Route) -> list[str]:
    """Keys whose items differ, a text each, the first that are found. Reads both tables again.

    Raises CopyError.
    """
    found: list[str] = []
    async for keys, here in _chunks(route.source, route.read, route.key_names):
        there = await _items(route.target, route.written, list(keys.values()), route.pause)
        for text, item in here.items():
            other = there.get(text)
            if other is None:
                found.append(f"{text} is missing")
            elif digest_of(other) != digest_of(item):
                found.append(f"{text} is another item")
        if len(found) >= NAMED_MAX:
            return found[:NAMED_MAX]
    async for keys, _ in _chunks(route.target, route.written, route.key_names):
        there = await _items(route.source, route.read, list(keys.values()), route.pause)
        found += [f"{text} is too much" for text in keys if text not in there]
        if len(found) >= NAMED_MAX:
            return found[:NAMED_MAX]
    return found


async def _chunks(
    place: Place, table: Named, key_names: Sequence[str]
) -> AsyncIterator[tuple[dict[str, _Item], dict[str, _Item]]]:
    """Keys and items of a whole table, by the texts of the keys, some at a time."""
    after: _Item | None = None
    while True:
        page: Page = await page_of(place, table, segment=(0, 1), after=after)
        items = [_decode(item) for item in page.items]
        for start in range(0, len(items), _KEYS_MAX):
            chunk = items[start : start + _KEYS_MAX]
            keys = [{name: item[name] for name in key_names} for item in chunk]
            texts = [text_of(key).decode() for key in keys]
            yield dict(zip(texts, keys, strict=True)), dict(zip(texts, chunk, strict=True))
        after = page.last_evaluated_key
        if after is None:
            return


async def _items(
    place: Place, table: Named, keys: Sequence[_Item], pause: Pause
) -> dict[str, _Item]:
    """Those that are there, by the texts of their keys."""
    found: dict[str, _Item] = {}
    names = tuple(keys[0])
    wanted: dict[str, Any] = {table.name: {"Keys": list(keys), "ConsistentRead": True}}
    for _ in range(_TRIES_MAX):
        answer = await ask(place, table.caller, "BatchGetItem", {"RequestItems": wanted})
        for item in answer["Responses"].get(table.name, ()):
            found[text_of({name: item[name] for name in names}).decode()] = item
        wanted = answer.get("UnprocessedKeys") or {}
        if not wanted:
            return found
        await pause(_REST_SECONDS)
    raise CopyError(f"{place.shown} leaves keys of {table.name} unprocessed")
