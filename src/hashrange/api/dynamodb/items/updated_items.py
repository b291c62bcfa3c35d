"""Applies an update to an item, and bounds its size. Pure."""

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.program import Update
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.sizes import attribute_bytes, item_bytes, value_bytes
from hashrange.model.values import Item
from hashrange.tables.items.images import Image, decode_item


class Updated(msgspec.Struct, frozen=True):
    """An item before and after an update, and its size in bytes after it."""

    old: Item
    new: Item
    size: int


def updated(update: Update, before: Image | None, old: Item | None, key: Item) -> Updated | None:
    """Apply an update; None if the item does not exist and the update does not create it.

    Args:
        update: the update.
        before: the image of the item; None if it does not exist.
        old: the parsed item, if it was parsed already.
        key: the key of the item.

    Raises:
        DynamoError: ValidationException if the update does not fit the item, or makes it too large.
    """
    if before is None:
        if update.only_removes:
            return None
        # A condition sees no item, but an update sees the key of the item that it creates.
        old = key
    elif old is None:
        old = decode_item(before.json)
    new = update.apply(old)
    size = _size_after(before, update, old, new)
    if size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large_after_update())
    return Updated(old, new, size)


def _size_after(before: Image | None, update: Update, old: Item, new: Item) -> int:
    """The size of the updated item; of an existing item only changed attributes are measured."""
    if before is None:
        return item_bytes(new)
    size = before.size
    for name in update.shape.targets:
        value, replaced = new.get(name), old.get(name)
        if value is None:
            size -= 0 if replaced is None else attribute_bytes(name, replaced)
        elif replaced is None:
            size += attribute_bytes(name, value)
        elif value is not replaced:
            size += value_bytes(value) - value_bytes(replaced)
    return size
