"""Members of this server: which group, which region, and where their rows are."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from hashrange.model.replication import StrongGroup, Witness
from hashrange.regions.consensus.log import LOG_BOUNDS, LogBounds
from hashrange.regions.strong.transport import Transport
from hashrange.storage.engine import Fences
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

Key: TypeAlias = tuple[str, str]
"""The id of a group, and a region: which member."""


class Place(msgspec.Struct, frozen=True):
    """A member of this server.

    Attributes:
        group: its id.
        members: the regions of all members.
        witness: that of them which has a log only.
        region: its own.
        number: under which its rows are: that of the table, or of the witness.
        name: of the table, as the whole catalog has it; empty for a witness.
    """

    group: str
    members: tuple[str, ...]
    witness: str | None
    region: str
    number: int
    name: str = ""

    @property
    def key(self) -> Key:
        """Which member it is."""
        return self.group, self.region

    @property
    def is_witness(self) -> bool:
        """Whether it has a log only."""
        return self.region == self.witness


class GroupContext(msgspec.Struct, frozen=True):
    """The shared context of all members of this server.

    Attributes:
        store: the items.
        catalog: the whole catalog.
        transport: sends messages.
        fences: of writes, so that nothing is written once another process has the members.
        draw: gives random numbers from 0 up to 1.
        log_bounds: of the logs of all members.
    """

    store: Store
    catalog: Catalog
    transport: Transport
    fences: Callable[[], Fences]
    draw: Callable[[], float]
    log_bounds: LogBounds = LOG_BOUNDS


def place_of(opened: OpenTable, name: str) -> Place | None:
    """The member of a table; None if its writes do not go through a log."""
    table = opened.table
    if table.strong is None or not table.strong.has_log or table.restore is not None:
        return None
    return _place(table.strong, table.region, opened.number, name)


def place_of_witness(witness: Witness) -> Place | None:
    """The member of a witness; None while its group has no log."""
    group = witness.group
    return _place(group, witness.region, witness.number, "") if group.has_log else None


def _place(group: StrongGroup, region: str, number: int, name: str) -> Place:
    return Place(group.id, group.members, group.witness, region, number, name)
