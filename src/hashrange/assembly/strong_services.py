"""The composition root of what runs strong tables in the background."""

from collections.abc import Callable

from hashrange.assembly.parts import Parts
from hashrange.background.strong_keeper import StrongKeeper
from hashrange.background.strong_members import StrongMembers
from hashrange.background.witness_orders import WitnessOrders
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.strong.groups import StrongGroups
from hashrange.storage.engine import Fences


def strong_services(
    parts: Parts, groups: StrongGroups, fences: Callable[[], Fences], cuts: Cuts | None
) -> list[StrongKeeper | StrongMembers]:
    """The tasks that begin and end the groups of strong tables, and run their members."""
    settings, peering, store = parts.settings, parts.peering, parts.store
    asking = None if peering is None else peering.asking
    orders = WitnessOrders(parts.witnesses, settings.own_regions, asking, store.clock.now_ms)
    keeper = StrongKeeper(store, parts.catalog, orders, logs=groups, fences=fences)
    members = StrongMembers(groups, store, parts.catalog, fences=fences, cuts=cuts)

    def changed() -> None:
        keeper.wake_all()
        members.wake_all()

    parts.witnesses.on_change = changed
    return [keeper, members]
