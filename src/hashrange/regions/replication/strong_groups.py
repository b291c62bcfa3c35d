"""Groups of strong tables: how they begin, and what changes in the entries of their members. Pure.

All members are there before the log is used: the group is CREATING until then. To end it, one table
takes what the log has, and is ENDED; the others are removed after that.
"""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from hashrange.model.replication import GroupState, Replica, StrongGroup
from hashrange.model.table import Table
from hashrange.regions.replication.groups import (
    new_replica,
    next_incarnation,
    replica_in,
    replicas_of,
    replication_of,
    with_region,
)

_RANKS: Final[Mapping[GroupState, int]] = {"CREATING": 0, "ACTIVE": 1, "DELETING": 2, "ENDED": 3}
_replace: Final = msgspec.structs.replace


def is_later(state: GroupState, other: GroupState) -> bool:
    """Whether a group comes to one state after another."""
    return _RANKS[state] > _RANKS[other]


def founded(
    table: Table,
    group: StrongGroup,
    regions: Collection[str],
    *,
    remote: Collection[str],
    now_ms: int,
) -> Table:
    """A table of one region, without items, when a group begins with it.

    Args:
        table: as it is.
        group: the new group.
        regions: of the other replicas.
        remote: those of them that other servers are to create.
        now_ms: the time.
    """
    replication = replication_of(table)
    known = replication.regions
    replicas: list[Replica] = []
    for region in regions:
        is_remote = region in remote
        known = with_region(known, region)
        replicas.append(
            Replica(
                region=region,
                state="CREATING" if is_remote else "ACTIVE",
                incarnation=next_incarnation(replication, region, now_ms),
                is_remote=is_remote,
                copy="ALL" if is_remote else "NONE",
            )
        )
    gone = {name: last for name, last in replication.gone.items() if name not in regions}
    return _replace(
        table,
        replication=_replace(
            replication,
            regions=known,
            replicas=tuple(replicas),
            gone=gone,
            # Tables that an earlier group has left are no members of this one.
            group=group.id,
            strong=group,
        ),
    )


def is_founder(table: Table) -> bool:
    """Whether the table is the one with which a group began that is still CREATING."""
    group = table.strong
    return group is not None and group.state == "CREATING" and group.founder == table.region


def strong_replica(source: Table, region: str, now_ms: int) -> Table:
    """The definition of another replica, but for its number and id. It has no stream."""
    draft = new_replica(source, region, name="", now_ms=now_ms, shards=1)
    own = replica_in(source, region)
    assert own is not None, "the source knows it"
    assert draft.replication is not None, "it has the group"
    return _replace(
        draft,
        restore=None,
        replication=_replace(draft.replication, incarnation=own.incarnation, strong=source.strong),
    )


def sent_strong_replica(source: Table, region: str, now_ms: int) -> Table:
    """The definition of a replica that another server is to create."""
    draft = strong_replica(source, region, now_ms)
    assert draft.replication is not None, "it has the group"
    others = tuple(_replace(each, is_remote=True) for each in draft.replication.replicas)
    return _replace(draft, replication=_replace(draft.replication, replicas=others))


def on_one_server(table: Table, regions: Collection[str]) -> Table:
    """A member whose other replicas in these regions are on its own server."""
    assert table.replication is not None, "it has the group"
    replicas = tuple(
        _replace(each, is_remote=False) if each.region in regions else each
        for each in table.replication.replicas
    )
    return _replace(table, replication=_replace(table.replication, replicas=replicas))


def with_group_state(table: Table, group: str, state: GroupState) -> Table:
    """A member when its group comes to a state; the same table if it has been there."""
    replication, strong = table.replication, table.strong
    if replication is None or strong is None or strong.id != group:
        return table
    if not is_later(state, strong.state):
        return table
    replicas = replication.replicas
    if state == "ACTIVE":
        replicas = tuple(_replace(each, copy="NONE") for each in replicas)
    strong = _replace(strong, state=state)
    return _replace(table, replication=_replace(replication, replicas=replicas, strong=strong))


def given_up(table: Table, group: str) -> Table:
    """The founder of a group that has not begun to write: the others are to be removed."""
    strong, replication = table.strong, table.replication
    if replication is None or strong is None or strong.id != group or strong.state != "CREATING":
        return table
    replicas = tuple(_replace(each, state="DELETING") for each in replication.replicas)
    return with_group_state(
        _replace(table, replication=_replace(replication, replicas=replicas)), group, "ENDED"
    )


def without_group(table: Table, group: str) -> Table:
    """The table that remains when all other members are gone."""
    strong = table.strong
    if table.replication is None or strong is None or strong.id != group:
        return table
    return _replace(table, replication=_replace(table.replication, strong=None))


def is_complete(table: Table) -> bool:
    """Whether all replicas are there, as far as this one knows."""
    return all(each.state == "ACTIVE" for each in replicas_of(table))


def stays(table: Table) -> bool:
    """Whether a table does not leave its group, whoever requests it.

    It is alone by now; or it is the one with which a strong group ends: two that each were to end
    it with their own table keep both.
    """
    strong = table.strong
    if strong is not None and strong.state in {"DELETING", "ENDED"} and remains(table):
        return True
    return not replicas_of(table)


def remains(table: Table) -> bool:
    """Whether all other members of a group that ends are to be removed, and this one is not."""
    replication = table.replication
    return (
        replication is not None
        and not replication.is_leaving
        and all(each.state == "DELETING" for each in replication.replicas)
    )
