"""Sends the region of a witness the state of its group, and answers such calls of other servers."""

import logging
from collections.abc import Callable, Collection
from typing import Final

from hashrange.model.replication import GroupState, StrongGroup, Witness
from hashrange.model.table import Table
from hashrange.regions.peers.asking import Asking
from hashrange.regions.peers.calls import MessageError, packed, unpacked
from hashrange.regions.peers.endpoint import CallHandler
from hashrange.regions.peers.messages import WITNESS, Witnessing, WitnessOrder
from hashrange.tables.jobs.witnesses import Witnesses

AWAY_MS: Final = 5_000
"""For so long a server that has not answered is not asked again."""

_log: Final = logging.getLogger(__name__)


class WitnessOrders:
    """Orders to witnesses of this server and of others.

    Args:
        witnesses: those of this server.
        own: the regions of this server.
        asking: asks the servers of other regions; None if there are none.
        now_ms: the clock.
    """

    def __init__(
        self,
        witnesses: Witnesses,
        own: Collection[str],
        asking: Asking | None,
        now_ms: Callable[[], int],
    ) -> None:
        self.witnesses = witnesses
        self._own = frozenset(own)
        self._asking = asking
        self._now_ms = now_ms
        self._away: dict[str, int] = {}
        """By region, when it did not answer."""
        self._confirmed: dict[str, GroupState] = {}
        """By the id of a group, the state that its witness knows."""
        self._missing: set[str] = set()
        """Groups whose witness has lost its rows."""

    async def send(self, table: Table, group: StrongGroup) -> bool:
        """Send the witness of a table the state of its group.

        Returns:
            Whether it has that state now; a group without a witness has always.
        """
        region = group.witness
        if region is None or self._confirmed.get(group.id) == group.state:
            return True
        exists = await self._sent(table, group, region)
        if exists is None:
            return False
        if exists is (group.state == "ENDED"):
            if not exists and group.id not in self._missing:
                self._missing.add(group.id)
                _log.error("%s does not have the witness of %s", region, table.arn)
            return False
        self._confirmed[group.id] = group.state
        return True

    def forget(self, group: StrongGroup) -> None:
        """Forget a group that is gone."""
        self._confirmed.pop(group.id, None)
        self._missing.discard(group.id)

    async def _sent(self, table: Table, group: StrongGroup, region: str) -> bool | None:
        """Whether the witness exists after the order; None if its server is away."""
        if region in self._own:
            return await self.witnesses.follow(
                Witness(
                    number=0, account=table.account, name=table.name, region=region, group=group
                )
            )
        now_ms = self._now_ms()
        if self._asking is None or 0 <= now_ms - self._away.get(region, 0) < AWAY_MS:
            return None
        order = WitnessOrder(account=table.account, name=table.name, group=group)
        answer = await self._asking.witness(order, sender=table.region, receiver=region)
        if answer is None:
            self._away[region] = self._now_ms()
            return None
        return answer.exists


def witness_verbs(witnesses: Witnesses) -> dict[str, CallHandler]:
    """The handler of the verb of orders."""

    async def answer(_sender: str, receiver: str, body: bytes) -> bytes:
        order = unpacked(body, WitnessOrder)
        if order.group.witness != receiver:
            raise MessageError("the witness of another region")
        witness = Witness(
            number=0, account=order.account, name=order.name, region=receiver, group=order.group
        )
        return packed(Witnessing(exists=await witnesses.follow(witness)))

    return {WITNESS: answer}
