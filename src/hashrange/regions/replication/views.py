"""Views of a group of replicas, and how those of two servers become one. Pure.

Each server has the group in the catalog entries of its replicas. A view says of each region which
incarnation of a replica was there last, and how far that is in its life. Views are merged: of each
region the later incarnation is kept, and of one incarnation the later state. The result does not
depend on the order in which views arrive, nor on how often.
"""

from typing import Final, cast

import msgspec

from hashrange.model.replication import (
    Replica,
    ReplicaCopy,
    ReplicaState,
    Replication,
    StrongGroup,
)
from hashrange.model.table import Table
from hashrange.regions.replication.groups import associated, without_replica
from hashrange.regions.replication.strong_groups import stays, with_group_state
from hashrange.tables.catalog.lifecycle import is_disassociating
from hashrange.tables.log.shards import cut

GONE: Final = "GONE"
_RANKS: Final = {"CREATING": 0, "CREATION_FAILED": 1, "ACTIVE": 2, "DELETING": 3, GONE: 4}
_REMOTE: Final = 0x8000_0000
REGIONS_MAX: Final = 100

_replace: Final = msgspec.structs.replace


class Member(msgspec.Struct, frozen=True, array_like=True):
    """A replica in a view: its incarnation, and its state or GONE."""

    incarnation: int
    state: str

    @property
    def age(self) -> tuple[int, int]:
        """Greater for what is later."""
        return self.incarnation, _RANKS.get(self.state, -1)


class View(msgspec.Struct, frozen=True):
    """A group as one replica has it.

    Attributes:
        group: which group.
        members: by region; the viewing replica is among them.
        regions: all that items and changes may name.
        settings_version: of the settings that replicas share as a whole.
        registers_sum: of the others.
        strong: the group of a strong table.
    """

    group: str
    members: dict[str, Member]
    regions: tuple[str, ...]
    settings_version: tuple[int, str]
    registers_sum: int = 0
    strong: StrongGroup | None = None

    @property
    def settings(self) -> tuple[tuple[int, str], int]:
        """Which settings the replica has."""
        return self.settings_version, self.registers_sum


def remote_number(table: Table, region: str) -> int:
    """The number of a replica on another server in positions, where tables have their numbers."""
    assert table.replication is not None, "a global table"
    return _REMOTE | table.replication.number_of(region)


def is_remote_number(number: int) -> bool:
    """Whether a number stands for a replica on another server."""
    return bool(number & _REMOTE)


def view_of(table: Table) -> View:
    """The view of a replica."""
    replication = table.replication
    assert replication is not None, "a global table"
    gone = {region: Member(number, GONE) for region, number in replication.gone.items()}
    others = {
        each.region: Member(each.incarnation, _sent_state(table, each))
        for each in replication.replicas
    }
    state: ReplicaState = "CREATING" if table.restore is not None else "ACTIVE"
    own = Member(replication.incarnation, "DELETING" if replication.is_leaving else state)
    members = {**gone, **others, table.region: own}
    return View(
        group=replication.group,
        members=members,
        regions=replication.regions,
        settings_version=replication.settings_version,
        registers_sum=replication.registers_sum,
        strong=replication.strong,
    )


def _sent_state(table: Table, replica: Replica) -> ReplicaState:
    """The state of a replica, as it is sent to others.

    One of a strong table is not sent as leaving before this one has what the log has.
    """
    is_ending = table.strong is not None and table.strong.state == "DELETING"
    return "ACTIVE" if is_ending and replica.state == "DELETING" else replica.state


def merged(table: Table, view: View, now_ms: int) -> Table:
    """A replica when it has seen the view of another server; the same table if it knew all.

    Replicas that it did not know are on other servers. What it has written itself is copied to
    them, and from then on changes are sent.
    """
    known = table.replication
    if known is None or known.group != view.group:
        return table
    regions = [each for each in view.regions if each not in known.regions]
    replication = _replace(known, regions=(*known.regions, *regions)[:REGIONS_MAX])
    mine = view_of(table).members
    first_shard = table.log.next_shard
    has_new = False
    for region, member in sorted(view.members.items()):
        last = mine.get(region)
        if member.state not in _RANKS or (last is not None and member.age <= last.age):
            continue
        if region == table.region:
            if not (member.state == "DELETING" and (stays(table) or is_disassociating(table))):
                replication = _of_itself(replication, member)
            continue
        others = tuple(each for each in replication.replicas if each.region != region)
        gone = {name: number for name, number in replication.gone.items() if name != region}
        if member.state == GONE:
            gone[region] = member.incarnation
            replication = _replace(replication, replicas=tuple(map(_sent_all, others)), gone=gone)
            continue
        replica = next((each for each in replication.replicas if each.region == region), None)
        state = cast("ReplicaState", member.state)
        if replica is None or replica.incarnation != member.incarnation:
            has_new = True
            replica = Replica(
                region=region, first_shard=first_shard, incarnation=member.incarnation,
                is_remote=True, copy="OWN",
            )  # fmt: skip
        others = (*others, _replace(replica, state=state))
        replication = _replace(replication, replicas=others, gone=gone)
    if view.strong is not None and view.strong.state == "ACTIVE":
        table = with_group_state(table, view.strong.id, "ACTIVE")
        replication = _replace(replication, strong=table.strong)
    if replication == known:
        return table
    members = {each.region for each in replication.replicas}
    members |= {table.region} if members else set()
    denied = {each: time for each, time in replication.denied.items() if each in members}
    replication = _replace(replication, denied=denied)
    changed = _replace(table, replication=replication)
    changed = associated(changed) if has_new else changed
    return cut(changed, now_ms) if has_new and table.log.open_shards else changed


def without_gone(table: Table, region: str) -> Table:
    """A replica when one on another server has left its group.

    It may have reached some of the others only with its last changes: they send all to each other.
    """
    table = without_replica(table, region)
    replication = table.replication
    if replication is None:
        return table
    replicas = tuple(map(_sent_all, replication.replicas))
    return _replace(table, replication=_replace(replication, replicas=replicas))


def _sent_all(replica: Replica) -> Replica:
    is_kept = replica.state in {"CREATING", "ACTIVE"}
    return _replace(replica, copy="ALL") if replica.is_remote and is_kept else replica


def _of_itself(replication: Replication, member: Member) -> Replication:
    """The group of a replica that other servers have removed, or are removing."""
    if member.incarnation != replication.incarnation:
        return replication
    if member.state == "DELETING":
        return _replace(replication, is_leaving=True)
    if member.state != GONE:
        return replication
    # The others did not wait for it: it is a table of one region from now on.
    last = {each.region: each.incarnation for each in replication.replicas}
    strong = replication.strong
    if strong is not None:
        strong = _replace(strong, state="ENDED")
    gone = {**replication.gone, **last}
    return _replace(replication, replicas=(), gone=gone, is_leaving=False, strong=strong)


def recopied(table: Table, region: str, now_ms: int, *, is_all: bool = False) -> Table:
    """A replica when another server was away for longer than the log is kept for it.

    What was not sent to it yet is copied, or with `is_all` all items, and the log is sent from here
    on.
    """
    replication = table.replication
    if replication is None:
        return table
    first_shard = table.log.next_shard

    def change(each: Replica) -> Replica:
        if each.region != region or not each.is_remote:
            return each
        copy: ReplicaCopy = "OWN" if each.copy == "NONE" else each.copy
        if is_all:
            copy = "ALL"
        return _replace(each, first_shard=first_shard, copy=copy)

    replicas = tuple(map(change, replication.replicas))
    return cut(_replace(table, replication=_replace(replication, replicas=replicas)), now_ms)


def with_copied(table: Table, region: str, incarnation: int) -> Table:
    """A replica when its copy for one on another server is over."""
    replication = table.replication
    if replication is None:
        return table
    replicas = tuple(
        _replace(each, copy="NONE")
        if (each.region, each.incarnation) == (region, incarnation)
        else each
        for each in replication.replicas
    )
    return _replace(table, replication=_replace(replication, replicas=replicas))


def leaving(table: Table) -> Table:
    """A replica that another one has removed: it ends when all others have its changes."""
    assert table.replication is not None, "a global table"
    return _replace(table, replication=_replace(table.replication, is_leaving=True))


def with_regions(table: Table, regions: frozenset[str]) -> Table:
    """A replica that gives numbers to regions, of which changes have come."""
    replication = table.replication
    assert replication is not None, "a global table"
    new = sorted(regions.difference(replication.regions))
    known = (*replication.regions, *new)[:REGIONS_MAX]
    return _replace(table, replication=_replace(replication, regions=known))
