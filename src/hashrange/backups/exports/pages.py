"""Pages of lines: of a table at one moment, and of changes within a window."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from hashrange.backups.exports.changes import NetChange, WindowChanges
from hashrange.backups.exports.data_files import LinePage
from hashrange.backups.exports.ion_text import VERSION, item_text, number_text, struct
from hashrange.backups.tables.items import Source
from hashrange.model.backup import ION, NEW_IMAGE, Window
from hashrange.model.values import Item
from hashrange.storage.engine import Pair
from hashrange.tables.items import images
from hashrange.tables.items.images import Image

_encode: Final = msgspec.json.Encoder().encode


class ItemChange(msgspec.Struct, frozen=True):
    """The net change of an item: at least one of the images is not None."""

    keys: Item
    written_micros: int
    new: Item | None
    old: Item | None


def stored_lines(values: Sequence[bytes]) -> bytes:
    """Lines of DYNAMODB_JSON of stored items, which are spliced unread."""
    return images.json_lines_of(values, b'{"Item":', b"}\n")


def item_lines(items: Sequence[Item], export_format: str) -> bytes:
    """Lines of items."""
    if export_format == ION:
        return _ion(struct({"Item": item_text(item)}) for item in items)
    return b"".join(b'{"Item":%b}\n' % _encode(item) for item in items)


def change_lines(changes: Sequence[ItemChange], export_format: str, view_type: str) -> bytes:
    """Lines of changes, with old images unless only new ones are exported."""
    with_old = view_type != NEW_IMAGE
    if export_format == ION:
        return _ion(_change_struct(change, with_old=with_old) for change in changes)
    return b"".join(
        _encode(_change_object(change, with_old=with_old)) + b"\n" for change in changes
    )


def _ion(structs: Iterable[str]) -> bytes:
    return "".join(f"{VERSION}{each}\n" for each in structs).encode()


def _images(change: ItemChange, *, with_old: bool) -> Mapping[str, Item]:
    found = {"OldImage": change.old if with_old else None, "NewImage": change.new}
    return {name: item for name, item in found.items() if item is not None}


def _change_object(change: ItemChange, *, with_old: bool) -> Mapping[str, object]:
    return {
        "Metadata": {"WriteTimestampMicros": {"N": str(change.written_micros)}},
        "Keys": change.keys,
        **_images(change, with_old=with_old),
    }


def _change_struct(change: ItemChange, *, with_old: bool) -> str:
    items = {"Keys": change.keys, **_images(change, with_old=with_old)}
    fields = {name: item_text(item) for name, item in items.items()}
    written = number_text(str(change.written_micros))
    return struct(
        {"Record": struct({"Metadata": struct({"WriteTimestampMicros": written}), **fields})}
    )


class ItemFilter(Protocol):
    """The FilterSpecification of an export."""

    @property
    def bounds(self) -> tuple[bytes, bytes] | None:
        """The range of the engine keys of items that a key condition allows; None for all."""

    def holds(self, item: Item) -> bool:
        """Whether the filter expression allows an item."""

    def projected(self, item: Item) -> Item:
        """The attributes that are exported."""


class ItemPages:
    """Lines of a full export.

    Args:
        source: the items.
        export_format: of the lines.
        item_filter: the filter; None for all items.
    """

    def __init__(
        self, source: Source, export_format: str, item_filter: ItemFilter | None = None
    ) -> None:
        self._source = source
        self._format = export_format
        self._filter = item_filter
        self._bounds = None if item_filter is None else item_filter.bounds

    async def read(self, start: bytes | None) -> LinePage:
        """The page that starts at a key of an item. Raises SnapshotLostError."""
        if start is None and self._bounds is not None:
            start = self._bounds[0]
        page = await self._source.page(start)
        rows, position = page.rows, page.start
        if self._bounds is not None:
            end = self._bounds[1]
            rows = [row for row in rows if row[0] < end]
            if position is not None and position >= end:
                position = None
        if not rows:
            return LinePage(b"", 0, 0, position)
        size_bytes = images.sizes_of([value for _, value in rows])
        lines, items = self._lines(rows)
        return LinePage(lines, items, size_bytes, position)

    def _lines(self, rows: Sequence[Pair]) -> tuple[bytes, int]:
        values = [value for _, value in rows]
        found = self._filter
        if found is None and self._format != ION:
            return stored_lines(values), len(values)
        items = map(images.item_of, values)
        if found is not None:
            items = map(found.projected, filter(found.holds, items))
        kept = list(items)
        return item_lines(kept, self._format), len(kept)


class ChangedItemPages:
    """Lines of an incremental export.

    Args:
        changes: the changes that were collected.
        window: with the view type.
        export_format: of the lines.
        key_of: the key attributes of an item.
        item_filter: the filter; None for all items.
    """

    def __init__(
        self,
        changes: WindowChanges,
        window: Window,
        export_format: str,
        *,
        key_of: Callable[[Item], Item],
        item_filter: ItemFilter | None = None,
    ) -> None:
        self._changes = changes
        self._view_type = window.view_type
        self._format = export_format
        self._key_of = key_of
        self._filter = item_filter

    async def read(self, start: bytes | None) -> LinePage:
        """The page that starts at a key of an item."""
        page = await self._changes.page(start)
        found = [self._change(key, change) for key, change in page.changes]
        kept = [change for change in found if change is not None]
        size_bytes = sum(change.size_bytes for _, change in page.changes)
        lines = change_lines(kept, self._format, self._view_type)
        return LinePage(lines, len(kept), size_bytes, page.start)

    def _change(self, key: bytes, net: NetChange) -> ItemChange | None:
        """The change to export; None if the filter excludes it, or nothing has changed in all."""
        latest = _item(net.new) or _item(net.old)
        if latest is None:
            return None
        new, old, found = _item(net.new), _item(net.old), self._filter
        if found is not None:
            bounds = found.bounds
            if bounds is not None and not bounds[0] <= key < bounds[1]:
                return None
            # The latest image decides; of a deleted item that is the old one.
            if not found.holds(latest):
                return None
            new, old = (None if each is None else found.projected(each) for each in (new, old))
        return ItemChange(self._key_of(latest), net.version, new, old)


def _item(json: bytes | None) -> Item | None:
    return None if json is None else Image(0, json).item()
