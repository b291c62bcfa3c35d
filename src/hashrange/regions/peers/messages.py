"""Messages of replication between servers of regions, and their answers."""

from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.model.replication import StrongGroup
from hashrange.regions.replication.shared_settings import SharedSettings
from hashrange.regions.replication.views import View

HANDSHAKE: Final = "greet"
"""The verb of `Handshake`: each sends the other what it knows of a group."""
CHANGES: Final = "changes"
"""The verb of `Changes`: changes of items."""
ASK: Final = "ask"
"""The verb of `TableQuery`: what the receiver has of a name."""
WITNESS: Final = "witness"
"""The verb of `WitnessOrder`: the receiver becomes or ends a witness."""

Standing: TypeAlias = Literal["MEMBER", "ABSENT", "CONFLICT"]
"""MEMBER: the receiver has a replica of the group. ABSENT: it has no such table. CONFLICT: it has
another table of the name, or a replica of the group in another region where a new one is to be."""


class TableQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for a table by its account and name; nothing is changed by it."""

    account: str
    name: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: whether there is a table, and whether it is protected against deletion.

    `encrypts`: whether tables there can have keys of KMS.
    """

    exists: bool
    is_protected: bool = False
    encrypts: bool = False


class WitnessOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a group, for the region of its witness.

    While the group is CREATING the receiver becomes a witness. Later it does not: one that has lost
    its log has forgotten its votes.
    """

    account: str
    name: str
    group: StrongGroup


class Witnessing(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: whether the receiver has the witness; not if it has ended."""

    exists: bool


class Handshake(msgspec.Struct, frozen=True, kw_only=True):
    """The group, as a replica knows it.

    Attributes:
        account: of the table.
        name: of the table.
        view: the group as the sender has it.
        settings: those that replicas share.
        denied_ms: since when the policies of the sender's replica deny replication; 0 if they do
            not, None if it is not known.
        draft: the definition of the receiver's replica, if it is to be created: a catalog entry.
    """

    account: str
    name: str
    view: View
    settings: SharedSettings
    denied_ms: int | None = None
    draft: bytes | None = None


class HandshakeReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: the same of the receiver, after it has adopted what is later.

    Attributes:
        wants_copy: the receiver is being created, and who copied the items to it has left.
    """

    standing: Standing
    view: View | None = None
    settings: SharedSettings | None = None
    denied_ms: int | None = None
    wants_copy: bool = False


class Change(msgspec.Struct, frozen=True, array_like=True):
    """The last change of an item.

    Attributes:
        key: of the item in the engine, without the table's number and the space.
        version: as in `tables.items.images`.
        region: where it was made.
        size: of the item; 0 if it was deleted.
        json: the item, as it is stored; None if it was deleted.
    """

    key: bytes
    version: int
    region: str
    size: int
    json: bytes | None


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of items, in any order.

    Attributes:
        account: of the table.
        name: of the table.
        group: which group the table must be of.
        changes: each item once.
        complete_ms: the receiver has all changes of the sender until this time; 0 if none is known.
        is_copied: the copy of the items for a new replica is over.
    """

    account: str
    name: str
    group: str
    changes: tuple[Change, ...] = ()
    complete_ms: int = 0
    is_copied: bool = False


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """The answer.

    Attributes:
        standing: as that of `HandshakeReply`.
        is_written: the changes are stored, or have lost.
        wait_ms: a version is so far ahead of the receiver's clock; nothing was written.
        view: the group as the receiver has it.
    """

    standing: Standing
    is_written: bool = False
    wait_ms: int = 0
    view: View | None = None
