"""Answers what the servers of other regions order of the witnesses of strong tables here."""

from hashrange.model.replication import Witness
from hashrange.regions.peers.endpoint import CallHandler
from hashrange.regions.peers.messages import WITNESS, Witnessing, WitnessOrder
from hashrange.regions.peers.packing import MessageError, packed, unpacked
from hashrange.tables.jobs.witnesses import Witnesses


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
