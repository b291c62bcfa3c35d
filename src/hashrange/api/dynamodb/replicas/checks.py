"""Checks of tables whose group of replicas is to be changed."""

from hashrange.api.dynamodb.replicas.adding import refuse_during_bulk, refuse_during_change
from hashrange.api.dynamodb.replicas.keys import refuse_elsewhere
from hashrange.api.dynamodb.replicas.scaled import refuse_unscaled
from hashrange.api.pipeline.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.table import Table
from hashrange.regions.peers.messages import Found, TableQuery
from hashrange.regions.replication.denials import denies
from hashrange.regions.replication.groups import name_in, replica_in


async def check_addable(table: Table, region: str, context: RequestContext) -> None:
    """Refuse a replica that cannot be added now. Raises DynamoError."""
    refuse_during_change(table)
    if denies(table, context.now_ms):
        raise invalid(messages.not_authorized([table.region]))
    is_remote = region in context.choices.peer_regions
    target = context.catalog.within(table.account, region)
    if is_remote:
        found = await found_at_peer(table, region, context)
        exists = found is not None and found.exists
    else:
        exists = await target.open(table.name) is not None
    if exists:
        raise invalid(messages.already_tables(table.name))
    if table.billing_mode == "PROVISIONED":
        await refuse_unscaled(table, context)
    if is_remote and table.encryption is not None:
        await refuse_elsewhere(table, context, [region])
    if replica_in(table, region) is not None:  # it was deleted, which the others do not know yet
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.in_use())
    await refuse_during_bulk(table, context)


async def refuse_protected(table: Table, region: str, context: RequestContext) -> None:
    """Refuse to remove a replica that is protected against deletion. Raises DynamoError."""
    replica = replica_in(table, region)
    if replica is None or replica.state == "CREATION_FAILED":
        return  # a table of the name there is another one
    if replica.is_remote:
        found = await found_at_peer(table, region, context)
        is_protected = found is not None and found.is_protected
    else:
        target = await context.catalog.whole.open(name_in(context.catalog, table, region))
        is_protected = target is not None and target.table.deletion_protection
    if is_protected:
        raise invalid(messages.protected(table.name, region))


async def found_at_peer(table: Table, region: str, context: RequestContext) -> Found | None:
    """The table of the name on the server of another region; None if it does not say."""
    peers = context.choices.peers
    if peers is None:
        return None
    query = TableQuery(account=table.account, name=table.name)
    return await peers.table(query, sender=table.region, receiver=region)
