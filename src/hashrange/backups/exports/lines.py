"""Lines of data files: items, and changes of items, in both formats. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.backups.exports.ion_text import VERSION, item_text, number_text, struct
from hashrange.model.export_job import ION, NEW_IMAGE
from hashrange.model.values import Item
from hashrange.tables.items import images

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
