"""The records of a change log that replicas do not have yet: they are kept longer than streams do.

A server that was stopped for days, or whose clock was moved, replicates them before they go.
"""

from hashrange.model.log import ALL_RECORDS
from hashrange.model.table import Table
from hashrange.regions.replication.groups import name_in, replica_in, replicas_of
from hashrange.regions.replication.positions import ENDED, Link, Positions
from hashrange.regions.replication.views import remote_number
from hashrange.storage.engine import NO_FENCES, Engine
from hashrange.tables.catalog.catalog import Catalog


async def needed_by_replicas(engine: Engine, catalog: Catalog, table: Table) -> dict[int, int]:
    """By the number of a shard, the first record that a replica still needs."""
    needed: dict[int, int] = {}
    if table.deleted_ms is not None or table.strong is not None:
        return needed
    positions = Positions(engine, lambda: NO_FENCES)
    for replica in replicas_of(table):
        if replica.is_remote:
            if replica.state == "CREATION_FAILED":
                continue
            link = Link(table.number, remote_number(table, replica.region))
        else:
            peer = await catalog.open(name_in(catalog, table, replica.region))
            if peer is None or replica_in(peer.table, table.region) is None:
                continue
            link = Link(table.number, peer.number)
        for shard in table.log.shards:
            if shard.number < replica.first_shard or shard.cleared_to == ALL_RECORDS:
                continue
            position = await positions.read(link, shard.number)
            if position < ENDED:
                first = max(position, shard.cleared_to)
                needed[shard.number] = min(first, needed.get(shard.number, first))
    return needed
