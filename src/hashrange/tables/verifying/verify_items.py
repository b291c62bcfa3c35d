"""Verifies the items of a table or of a backup: keys, headers, canonical form; and tombstones."""

from collections.abc import AsyncIterator

import msgspec

from hashrange.errors import DynamoError
from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.model.canonical import canonical_item
from hashrange.model.table import Table
from hashrange.model.wording import Wording
from hashrange.storage.engine import Engine
from hashrange.tables.items import images
from hashrange.tables.items.images import Image, image_from, image_of
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.log.tombstones import is_tombstone, tombstones_range
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize, read_size


async def item_findings(engine: Engine, table: Table) -> list[str]:
    """The faults of the items of a table, and with their counters."""
    found: list[str] = []
    items = item_bytes = 0
    async for image, fault in checked_items(engine, table):
        if image is not None:
            items += 1
            item_bytes += image.size
        if fault is not None and len(found) < VERIFY_FINDINGS_MAX:
            found.append(f"{table.name}: {fault}")
    counted = TableSize(items, item_bytes)
    kept = await read_size(engine, table.number)
    if counted != kept:
        found.append(
            f"{table.name}: counters say {kept.items} items of {kept.size} bytes, "
            f"there are {counted.items} of {counted.size}"
        )
    return found


async def checked_items(
    engine: Engine, table: Table
) -> AsyncIterator[tuple[Image | None, str | None]]:
    """The items under the number of a table: each image, or None, and what is wrong with it."""
    opened = OpenTable(table, {}, engine.key_bytes_max)
    async for key, value in pairs(engine, keyspace.items_range(table.number)):
        image, fault = fault_of_item(opened, key, value)
        finding = None
        if fault is not None:
            named = key_text(table, value)
            finding = f"the item at {key.hex()} {fault}{named and f' (its key: {named})'}"
        yield image, finding


def fault_of_item(table: OpenTable, key: bytes, value: bytes) -> tuple[Image | None, str | None]:
    """The image in a stored value, if it can be read, and what is wrong with it or its key."""
    image = None
    try:
        images.check(key, value)
        image = image_from(value)
        return image, _item_fault(table, key, image)
    except DynamoError as error:
        return image, f"is none that a request could put: {error}"
    except (msgspec.MsgspecError, UnicodeError, AssertionError) as error:
        return image, f"cannot be read: {error}"


async def tombstone_findings(engine: Engine, table: Table) -> list[str]:
    """Tombstones of a table with replicas that cannot be read."""
    found: list[str] = []
    if table.replication is None:
        return found
    async for key, value in pairs(engine, tombstones_range(table.number)):
        if len(found) < VERIFY_FINDINGS_MAX and not is_tombstone(value):
            found.append(f"{table.name}: the tombstone at {key.hex()} cannot be read")
    return found


def key_text(table: Table, value: bytes) -> str:
    """The key attributes of an item as JSON, for the operator; empty if they cannot be read."""
    try:
        item = image_from(value).item()
        key = {name: item[name] for name in (each.name for each in table.key_attributes)}
        return msgspec.json.encode(key).decode()
    except (msgspec.MsgspecError, UnicodeError, AssertionError, KeyError):
        return ""


def _item_fault(table: OpenTable, key: bytes, image: Image) -> str | None:
    item = image.item()
    sized = canonical_item(item, Wording.CURRENT)
    if sized.bytes != image.size:
        return f"has {sized.bytes} bytes, but says {image.size}"
    if image_of(sized.item, sized.bytes) != image:
        return "is not in its canonical form"
    if key_of_item(table, item) != key:
        return "stands under the key of another item"
    return None
