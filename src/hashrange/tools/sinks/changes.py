"""Changes of items as targets receive them, with versions that grow with each change. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from hashrange.background.triggers.patterns import Fields, matches
from hashrange.tools.copying.place import CopyError

EPOCH: Final = 10**30
"""The distance of versions of two snapshots; sequence numbers must be below it."""
EPOCH_MAX: Final = 10**8 - 1
"""So that a version has at most 38 digits, as a number of DynamoDB may have."""

Item = dict[str, Any]
"""An item in DynamoDB's JSON: numbers are strings, so none loses digits."""

_sorted: Final = msgspec.json.Encoder(order="sorted").encode


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an item, or a row of a snapshot.

    Attributes:
        table: the name of the table.
        version: greater than those of all earlier changes of the item. A row of a snapshot has the
            version of the snapshot, which is less than those of all changes after it.
        keys: the key of the item.
        new: the item after the change; None if it was deleted.
        record: the record in the form of Lambda's events.
    """

    table: str
    version: int
    keys: Item
    new: Item | None
    record: Mapping[str, Any]

    @property
    def key(self) -> bytes:
        """The key as bytes that are equal for equal keys of one table."""
        return key_bytes(self.keys)


def key_bytes(keys: Item) -> bytes:
    """A key as bytes; equal numbers have equal texts in what the server answers."""
    return _sorted(keys)


def document_id(key: bytes, bytes_max: int) -> str:
    """The key as a text: its JSON, or the digest of one that is too long."""
    return key.decode() if len(key) <= bytes_max else sha256(key).hexdigest()


def snapshot_version(epoch: int) -> int:
    """The version of the rows of a snapshot."""
    return epoch * EPOCH


def change_of(table: str, stream: str, epoch: int, record: Mapping[str, Any]) -> Change:
    """The change of a record of GetRecords."""
    image = record["dynamodb"]
    number = int(image["SequenceNumber"])
    if number >= EPOCH:
        raise CopyError(f"{table}: the sequence number {number} is too large for a version")
    version = snapshot_version(epoch) + number
    shown = {**record, "eventSourceARN": stream, "tableName": table, "version": str(version)}
    identity = record.get("userIdentity")
    if identity is not None:
        # GetRecords and Lambda spell these members differently.
        shown["userIdentity"] = {
            "principalId": identity["PrincipalId"],
            "type": identity["Type"],
        }
    return Change(
        table=table,
        version=version,
        keys=image["Keys"],
        new=None if record["eventName"] == "REMOVE" else image.get("NewImage"),
        record=shown,
    )


def row_of(table: str, item: Item, key: Sequence[str], *, stream: str, epoch: int) -> Change:
    """An item of a snapshot, as an insertion without a sequence number."""
    version, keys = snapshot_version(epoch), {name: item[name] for name in key}
    shown = {
        "eventName": "INSERT",
        "eventSource": "aws:dynamodb",
        "eventSourceARN": stream,
        "tableName": table,
        "version": str(version),
        "dynamodb": {"Keys": keys, "NewImage": item},
    }
    return Change(table=table, version=version, keys=keys, new=item, record=shown)


def wanted(changes: Iterable[Change], filters: Sequence[Fields]) -> list[Change]:
    """The changes that match one of the patterns; all of them if there are none."""
    if not filters:
        return list(changes)
    return [each for each in changes if any(matches(one, each.record) for one in filters)]


def newest(changes: Iterable[Change]) -> list[Change]:
    """The last change of each item."""
    found: dict[tuple[str, bytes], Change] = {}
    for change in changes:
        found[change.table, change.key] = change
    return list(found.values())
