"""Sends the changes of a replica to one on another server, and copies items to it."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from hashrange.model.replication import Replica
from hashrange.model.table import Table
from hashrange.regions.peers.calls import Calls, MessageError, PeerRefusedError, packed, unpacked
from hashrange.regions.peers.messages import (
    CHANGES,
    HANDSHAKE,
    Change,
    Changes,
    Handshake,
    HandshakeReply,
    Received,
)
from hashrange.regions.replication.denials import denied_ms_of
from hashrange.regions.replication.groups import sent_replica
from hashrange.regions.replication.shared_settings import shared_settings
from hashrange.regions.replication.strong_groups import sent_strong_replica
from hashrange.regions.replication.views import View, remote_number, view_of
from hashrange.storage.engine import Engine, Pair
from hashrange.tables.catalog.dropped_tables import encode_table
from hashrange.tables.items.images import (
    OWN_REGION,
    Image,
    image_from,
    version_and_region_of,
)
from hashrange.tables.keys.key_ranges import is_full
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.log.change_log import ChangeRecord
from hashrange.tables.log.tombstones import tombstones_range, version_and_region
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable

PAGE_ROWS: Final = 100
PAGE_BYTES: Final = 1024 * 1024

M = TypeVar("M")

_SPACE_BYTES: Final = 5
"""The number of the table and the space, in the key of an item."""


class NotTakenError(Exception):
    """The other server did not store the changes.

    Attributes:
        received: its answer.
    """

    def __init__(self, received: Received) -> None:
        super().__init__(f"{received.standing}, to wait {received.wait_ms} ms")
        self.received = received


class RemoteTarget:
    """A replica on another server, to which the log of one is sent: a `following.Target`.

    Args:
        calls: to the server.
        source: the replica that was changed.
        replica: the other one.
        received: called with the group as the other server has it.
    """

    def __init__(
        self, calls: Calls, source: OpenTable, replica: Replica, received: Callable[[View], None]
    ) -> None:
        self._calls = calls
        self._source = source
        self._replica = replica
        self._on_view = received
        self.number = remote_number(source.table, replica.region)

    async def take(self, changes: Sequence[ChangeRecord]) -> int:
        """As `Target.take`. Raises PeerError, and NotTakenError."""
        latest: dict[bytes, Change] = {}
        for record in changes:
            change = _change_of(self._source, record)
            if latest.setdefault(change.key, change).version < change.version:
                latest[change.key] = change
        await self.send(tuple(latest.values()))
        return len(changes)

    async def send(
        self,
        changes: tuple[Change, ...],
        *,
        complete_ms: int = 0,
        copied: bool = False,
    ) -> None:
        """Send changes, or until when all were sent. Raises PeerError, and NotTakenError."""
        table = self._source.table
        assert table.replication is not None, "a global table"
        message = Changes(
            account=table.account,
            name=table.name,
            group=table.replication.group,
            changes=changes,
            complete_ms=complete_ms,
            is_copied=copied,
        )
        answer = await self._call(CHANGES, message, Received)
        if answer.view is not None:
            self._on_view(answer.view)
        if not answer.is_written:
            raise NotTakenError(answer)

    async def handshake(self, now_ms: int, *, creates: bool) -> HandshakeReply:
        """Send the group as it is here, and receive it as the other server has it.

        Args:
            now_ms: the time.
            creates: the other server is to create its replica if it has none.

        Raises PeerError.
        """
        table = self._source.table
        draft = self._draft(now_ms) if creates else None
        message = Handshake(
            account=table.account,
            name=table.name,
            view=view_of(table),
            settings=shared_settings(table),
            denied_ms=denied_ms_of(table),
            draft=None if draft is None else encode_table(draft),
        )
        return await self._call(HANDSHAKE, message, HandshakeReply)

    def _draft(self, now_ms: int) -> Table:
        """The definition of the other replica."""
        table = self._source.table
        if table.strong is not None:
            return sent_strong_replica(table, self._replica.region, now_ms)
        return sent_replica(table, self._replica, now_ms)

    async def _call(self, verb: str, message: object, kind: type[M]) -> M:
        sender, receiver = self._source.table.region, self._replica.region
        answer = await self._calls.call(sender, receiver, verb, packed(message))
        try:
            return unpacked(answer, kind)
        except MessageError as error:
            raise PeerRefusedError(f"{receiver}: {error}") from error


class CopyPage(msgspec.Struct, frozen=True):
    """A page of a copy; `start` is where the next begins, empty after the last."""

    changes: tuple[Change, ...]
    start: bytes
    is_last_of_items: bool = False


async def copy_page(
    engine: Engine,
    source: OpenTable,
    start: bytes,
    *,
    is_all: bool,
    from_us: int,
    page_rows: int = PAGE_ROWS,
) -> CopyPage:
    """The changes that items and tombstones of a replica were last made by.

    It is no snapshot: changes that are made meanwhile are in the log.

    Args:
        engine: the items.
        source: the replica.
        start: where the page begins; empty for the first.
        is_all: also those that other regions have made.
        from_us: of its own, those with this version or a later one.
        page_rows: rows that are read.
    """
    table = source.table
    assert table.replication is not None, "a global table"
    regions = table.replication.regions
    _, last = items_range(source.number)
    marks, end = tombstones_range(source.number)
    start = start or items_range(source.number)[0]
    is_items = start < last
    page = await engine.scan(
        start, last if is_items else end, limit=page_rows, bytes_max=PAGE_BYTES
    )
    found: list[Change] = []
    for row in page:
        version, region = (version_and_region_of if is_items else version_and_region)(row[1])
        if is_all or (region == OWN_REGION and version >= from_us):
            found.append(_change_of_row(row, version, regions[region], is_item=is_items))
    if is_full(page, rows=page_rows, bytes_max=PAGE_BYTES):
        return CopyPage(tuple(found), page[-1][0] + b"\x00")
    return CopyPage(tuple(found), marks if is_items else b"", is_last_of_items=is_items)


def _change_of_row(row: Pair, version: int, region: str, *, is_item: bool) -> Change:
    key, value = row
    image = image_from(value) if is_item else None
    return _change(key, version, region, image)


def _change_of(source: OpenTable, record: ChangeRecord) -> Change:
    """The change of a record that this region has made."""
    image = record.before if record.after is None else record.after
    assert image is not None, "a change has an old or a new image"
    key = key_of_item(source, image.item())
    return _change(key, record.version, source.table.region, record.after)


def _change(key: bytes, version: int, region: str, image: Image | None) -> Change:
    size, json = (0, None) if image is None else (image.size, image.json)
    return Change(key[_SPACE_BYTES:], version, region, size, json)
