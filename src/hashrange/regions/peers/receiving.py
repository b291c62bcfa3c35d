"""Answers what the servers of other regions send: writes their changes, joins their groups."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final, Protocol

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.model.table import Table
from hashrange.regions.peers.calls import MessageError, packed, unpacked
from hashrange.regions.peers.endpoint import CallHandler
from hashrange.regions.peers.messages import (
    ASK,
    CHANGES,
    HANDSHAKE,
    Change,
    Changes,
    Found,
    Handshake,
    HandshakeReply,
    Received,
    TableQuery,
)
from hashrange.regions.replication.denials import ReplicaDenials, denied_ms_of, with_denial
from hashrange.regions.replication.following import write_changes
from hashrange.regions.replication.groups import (
    change_group,
    copied,
    further_entries,
    name_in,
    names_of,
    notify_changed,
    replica_in,
    replicas_of,
    together,
)
from hashrange.regions.replication.positions import Link, Positions
from hashrange.regions.replication.shared_settings import adopted, shared_settings
from hashrange.regions.replication.shared_targets import local_regions, received_targets
from hashrange.regions.replication.strong_groups import on_one_server, stays
from hashrange.regions.replication.views import (
    GONE,
    Member,
    merged,
    remote_number,
    view_of,
    with_regions,
)
from hashrange.storage.engine import KEY_BYTES_MAX, NO_FENCES, ContendedError, StaleFenceError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import decode_table
from hashrange.tables.items.images import Image
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.log.tombstones import GlobalVersion
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import ItemWrite, latest_writes, replicated_write
from hashrange.wire.codec import DECODE_ERRORS

AHEAD_MS_MAX: Final = 60_000
"""By how much a version may be ahead of the clock; changes that are further wait."""
PAGE_CHANGES: Final = 100
_ATTEMPTS: Final = 20
_US: Final = 1000


class Encryption(Protocol):
    """The encryption of tables that a server can have."""

    @property
    def is_accepted(self) -> bool:
        """Whether tables can have keys of KMS."""

    def adopted(self, table: Table, now_ms: int) -> Table:
        """A replica with the encryption of its registers, as far as this server can have it."""


class Receiver:
    """Answers on one server.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        regions: those of this server.
        shards: of the stream of a new replica.
        new_id: makes the id of a new table.
        encryption: what tables of this server can have.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        regions: Collection[str],
        shards: int,
        new_id: Callable[[], str],
        encryption: Encryption,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._regions = frozenset(regions)
        self._shards = shards
        self._new_id = new_id
        self._encryption = encryption
        self._now_ms = store.clock.now_ms
        self._denials = ReplicaDenials(catalog, self._now_ms)
        self._positions = Positions(store.engine, lambda: NO_FENCES)

    @property
    def verbs(self) -> dict[str, CallHandler]:
        """The handler of each verb."""
        return {
            HANDSHAKE: self._handshake,
            CHANGES: self._changed,
            ASK: self._asked,
        }

    async def _handshake(self, sender: str, receiver: str, body: bytes) -> bytes:
        return packed(await self.handshake(sender, receiver, unpacked(body, Handshake)))

    async def _changed(self, sender: str, receiver: str, body: bytes) -> bytes:
        return packed(await self.changed(sender, receiver, unpacked(body, Changes)))

    async def _asked(self, _sender: str, receiver: str, body: bytes) -> bytes:
        query, encrypts = unpacked(body, TableQuery), self._encryption.is_accepted
        opened = await self._catalog.within(query.account, receiver).open(query.name)
        if opened is None:
            return packed(Found(exists=False, encrypts=encrypts))
        is_protected = opened.table.deletion_protection
        return packed(Found(exists=True, is_protected=is_protected, encrypts=encrypts))

    async def handshake(self, sender: str, receiver: str, message: Handshake) -> HandshakeReply:
        """Adopt what is later in a view and in settings, and answer with the own ones."""
        opened = await self._catalog.within(message.account, receiver).open(message.name)
        if opened is None:
            if message.draft is None:
                return HandshakeReply(standing="ABSENT")
            return await self._created(receiver, message)
        replication = opened.table.replication
        if replication is None or replication.group != message.view.group:
            return HandshakeReply(standing="CONFLICT")
        own = message.view.members.get(receiver)
        if own is not None and _is_of_another(opened.table, own):
            return HandshakeReply(standing="CONFLICT")
        table = await adopt(
            self._catalog, opened.table, message, sender,
            now_ms=self._now_ms(), encryption=self._encryption,
        )  # fmt: skip
        return HandshakeReply(
            standing="MEMBER",
            view=view_of(table),
            settings=shared_settings(table),
            denied_ms=denied_ms_of(table),
            wants_copy=_is_left_alone(table),
        )

    async def changed(self, sender: str, receiver: str, message: Changes) -> Received:
        """Write changes, in several writes; those that have lost change nothing."""
        now_ms = self._now_ms()
        latest = max((each.version for each in message.changes), default=0) // _US
        if latest > now_ms + AHEAD_MS_MAX:
            return Received(standing="MEMBER", wait_ms=latest - now_ms - AHEAD_MS_MAX)
        catalog = self._catalog.within(message.account, receiver)
        # The fences of a write show whether a cached entry still holds, but only if there is one.
        known = catalog.cached(message.name) if message.changes else None
        for _ in range(_ATTEMPTS):
            opened, is_read = known or await catalog.open(message.name), known is None
            known = None
            if opened is None:
                return Received(standing="ABSENT")
            refusal = self._refusal(sender, opened.table, message)
            if refusal is not None:
                if is_read:
                    return refusal
                continue
            replication = opened.table.replication
            assert replication is not None, "a global table"
            unknown = {each.region for each in message.changes}.difference(replication.regions)
            if unknown:
                change = partial(with_regions, regions=frozenset(unknown))
                await catalog.change(message.name, change)
                continue
            try:
                plans = latest_writes(_write_of(opened, each) for each in message.changes)
                for first in range(0, len(plans), PAGE_CHANGES):
                    await write_changes(self._store, plans[first : first + PAGE_CHANGES])
            except StaleFenceError:
                continue
            return await self._received(sender, opened, message)
        raise ContendedError("the table changes too often")

    def _refusal(self, sender: str, table: Table, message: Changes) -> Received | None:
        """The answer if a table takes no changes of a region; None if it does."""
        replication = table.replication
        if replication is None or replication.group != message.group:
            return Received(standing="CONFLICT")
        if replica_in(table, sender) is None or self._denials.deny(table):
            return Received(standing="MEMBER", view=view_of(table))
        return None

    async def _received(self, sender: str, opened: OpenTable, message: Changes) -> Received:
        table = opened.table
        if message.complete_ms:
            link = Link(remote_number(table, sender), table.number)
            sending = replica_in(table, sender)
            assert sending is not None, "it was checked"
            await self._positions.set_complete_of(link, sending.incarnation, message.complete_ms)
        restore = table.restore
        if message.is_copied and restore is not None and restore.is_sent:
            name = name_in(self._catalog, table, table.region)
            change = partial(copied, region=table.region, now_ms=self._now_ms())
            table = await self._catalog.whole.change(name, change)
        return Received(standing="MEMBER", is_written=True, view=view_of(table))

    async def _created(self, region: str, message: Handshake) -> HandshakeReply:
        """Create the replica of a draft, empty."""
        try:
            draft = decode_table(message.draft or b"")
        except (msgspec.DecodeError, ValueError) as error:
            raise MessageError(f"no definition of a table: {error}") from error
        if (draft.name, draft.account, draft.region) != (message.name, message.account, region):
            raise MessageError("the definition of another table")
        restore = draft.restore
        is_new = restore is None if draft.strong is not None else restore and restore.is_sent
        if not is_new or draft.replication is None:
            raise MessageError("no definition of a replica")
        members = message.view.members
        here = [each for each in sorted(self._regions - {region}) if each in members]
        here = [each for each in here if members[each].state != GONE]
        if here and draft.strong is None:
            return HandshakeReply(standing="CONFLICT")
        names = await _siblings(self._catalog, draft, here)
        if names is None:
            return HandshakeReply(standing="CONFLICT")
        if restore is not None:
            restore = msgspec.structs.replace(restore, stream_shards=self._shards)

        def made(number: int) -> Table:
            table = on_one_server(self._encryption.adopted(draft, self._now_ms()), here)
            return msgspec.structs.replace(table, number=number, id=self._new_id(), restore=restore)

        catalog = self._catalog.within(message.account, region)
        targets = received_targets(draft, draft.replication.registers, [region])
        extra = together(further_entries(names, partial(on_one_server, regions=[region])), targets)
        try:
            table = await catalog.create(made, message.name, extra, is_bounded=False)
            await notify_changed(self._catalog, names)
        except DynamoError as error:
            if error.fault is Fault.RESOURCE_IN_USE:
                return HandshakeReply(standing="CONFLICT")
            raise
        return HandshakeReply(
            standing="MEMBER", view=view_of(table), settings=shared_settings(table)
        )


async def _siblings(catalog: Catalog, draft: Table, regions: Sequence[str]) -> list[str] | None:
    """The names of other members of the group of a draft on this server.

    Those that are yet to be created are left out; None if there is another table in place.
    """
    found: list[str] = []
    for region in regions:
        name = name_in(catalog, draft, region)
        opened = await catalog.whole.open(name)
        if opened is not None and opened.table.strong != draft.strong:
            return None
        found += [name] if opened is not None else []
    return found


async def adopt(
    catalog: Catalog,
    table: Table,
    received: Handshake | HandshakeReply,
    sender: str,
    *,
    now_ms: int,
    encryption: Encryption,
) -> Table:
    """Adopt the view and settings of the replica in another region, in all of this server.

    Returns the table as it is then.
    """
    view, settings = received.view, received.settings

    def change(each: Table) -> Table:
        if view is not None:
            each = merged(each, view, now_ms)
        if received.denied_ms is not None:
            each = with_denial(each, sender, received.denied_ms or None)
        if settings is None:
            return each
        return encryption.adopted(adopted(each, settings, now_ms), now_ms)

    if change(table) == table:
        return table
    registers = {} if settings is None else settings.registers
    targets = received_targets(table, registers, local_regions(table))
    names = names_of(catalog, table)
    return await change_group(catalog, names, change, targets, is_bounded=False)


def _is_of_another(table: Table, known: Member) -> bool:
    """Whether a received state is that of a later replica in the region, or is not adopted."""
    assert table.replication is not None, "a global table"
    if known.incarnation > table.replication.incarnation:
        return True  # this one was left by an earlier one
    return known.state == "DELETING" and stays(table)


def _is_left_alone(table: Table) -> bool:
    """Whether a new replica gets no more items: the one that sent them has left the group."""
    restore = table.restore
    if restore is None or not restore.is_sent:
        return False
    return all(f":{each.region}:" not in restore.source_arn for each in replicas_of(table))


def _write_of(opened: OpenTable, change: Change) -> ItemWrite[None]:
    """The write of a change. Raises MessageError: the table cannot have such an item."""
    image = None if change.json is None else Image(change.size, change.json)
    start, end = items_range(opened.number)
    key = start + change.key
    if not (start <= key < end and len(key) <= KEY_BYTES_MAX):
        raise MessageError("a key that is too long")
    try:
        if image is not None and key_of_item(opened, image.item()) != key:
            raise MessageError("an item with the key of another one")
    except (DynamoError, *DECODE_ERRORS) as error:
        raise MessageError(f"an item that the table cannot have: {error}") from error
    return replicated_write(opened, key, image, GlobalVersion(change.version, change.region))
