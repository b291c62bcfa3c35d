"""MultiRegionConsistency and GlobalTableWitnessUpdates: the checks that need no table. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.api.dynamodb.replicas.requests import (
    ReplicaChange,
    ReplicaChangeKind,
    checked_replicas,
)
from hashrange.errors import invalid
from hashrange.limits.tables import STRONG_MEMBERS, STRONG_REGIONS
from hashrange.messages.tables import replicas as messages
from hashrange.model.structures.dynamodb import (
    GlobalTableWitnessGroupUpdate,
    ReplicationGroupUpdate,
)

STRONG: Final = "STRONG"


def checked_group(
    updates: Sequence[ReplicationGroupUpdate],
    consistency: str | None,
    witnesses: Sequence[GlobalTableWitnessGroupUpdate] | None,
) -> ReplicaChange:
    """The change of a group that a request asks for. Raises ValidationException."""
    change = checked_replicas(updates)
    kind, region = _witness(witnesses or ())
    change = msgspec.structs.replace(change, consistency=consistency, witness=region)
    if consistency is not None and change.kind != "CREATE":
        raise invalid(messages.only_create())
    if kind == "CREATE" and consistency != STRONG:
        raise invalid(messages.witness_without_strong())
    if kind is not None and kind != change.kind:
        raise invalid(messages.several_kinds())
    if consistency == STRONG:
        _check_strong(change)
    elif change.kind == "CREATE" and len(change.overrides) > 1:
        raise invalid(messages.several_actions())
    return change


def check_supported(regions: Sequence[str], possible: Sequence[str]) -> None:
    """Refuse regions that strong tables cannot have, or that this server does not know.

    Args:
        regions: of the request, each once.
        possible: those of this server, and of others that it knows.

    Raises ValidationException.
    """
    wrong = [each for each in regions if each not in STRONG_REGIONS or each not in possible]
    if wrong:
        raise invalid(messages.regions_not_supported(list(dict.fromkeys(wrong))))


def _check_strong(change: ReplicaChange) -> None:
    """Refuse a group that has not three members, or one of them twice."""
    if len(change.regions) != STRONG_MEMBERS - 1:
        raise invalid(messages.replica_count())
    check_supported(change.regions, STRONG_REGIONS)
    if change.witness in change.overrides:
        raise invalid(messages.region_twice())


def _witness(
    updates: Sequence[GlobalTableWitnessGroupUpdate],
) -> tuple[ReplicaChangeKind | None, str | None]:
    """The action on a witness, and its region."""
    if not updates:
        return None, None
    (update,) = updates
    if update.create is not None and update.delete is not None:
        raise invalid(messages.several_kinds())
    if update.create is not None:
        return "CREATE", update.create.region_name
    if update.delete is not None:
        return "DELETE", update.delete.region_name
    raise invalid(messages.no_witness_action())
