"""An item with an update applied to it, within its size. Pure."""

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.program import Update
from hashrange.limits import ITEM_BYTES_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.sizes import attribute_bytes, item_bytes, value_bytes
from hashrange.model.values import Item
from hashrange.tables.images import Image


class Updated(msgspec.Struct, frozen=True):
    """An item before and after an update, and its bytes after it."""

    old: Item
    new: Item
    size: int


def updated(update: Update, before: Image | None, old: Item | None, key: Item) -> Updated | None:
    """The item with an update applied; None if there is none, and none comes of it.

    Args:
        update: of the item.
        before: the item, None for none.
        old: `before`, if it was parsed.
        key: of the item.

    Raises:
        DynamoError: ValidationException, the update does not fit the item, or makes it too large.
    """
    if before is None:
        if update.only_removes:
            return None
        # A condition sees no item here, but an update sees the key that there will be.
        old = key
    elif old is None:
        old = before.item()
    new = update.apply(old)
    size = _size_after(before, update, old, new)
    if size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large_after_update())
    return Updated(old, new, size)


def _size_after(before: Image | None, update: Update, old: Item, new: Item) -> int:
    """The bytes of the item as updated; of one that was there only what changed is measured."""
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
