"""Disassociate, and the protection from it: a replica leaves its group, and keeps its items.

Source: Developer Guide, "Disassociating a global table replica"; the API's model.
"""

import msgspec

from hashrange.api.dynamodb.replicas.adding import TableChangedError, refuse_during_change
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.table import Table
from hashrange.regions.replication.groups import disassociated, replicas_of


def check_disassociation(region: str, table: Table) -> None:
    """Refuse a replica that cannot be disassociated by the request. Raises ValidationException."""
    if table.strong is not None:
        raise invalid(messages.strong_disassociation())
    if not replicas_of(table):
        raise invalid(messages.not_replicas(region))
    if region != table.region:
        raise invalid(messages.disassociation_elsewhere(table.region))


async def disassociate(table: Table, context: RequestContext) -> Table:
    """Begin to disassociate a replica that has passed `check_disassociation`.

    The background task ends it when all changes until now are replicated.

    Raises TableChangedError, and DynamoError.
    """
    refuse_during_change(table)
    if not is_unprotected(table):
        raise invalid(messages.disassociation_protected(table.name, table.region))

    def changed(entry: Table) -> Table:
        if entry != table:
            raise TableChangedError
        return disassociated(entry, context.now_ms)

    return await context.catalog.change(table.name, changed)


def is_unprotected(table: Table) -> bool:
    """Whether a replica may be disassociated."""
    return table.replication is not None and table.replication.is_unprotected


def described_protection(table: Table) -> bool | None:
    """DisassociationProtectionEnabled; None for a table that is no eventual replica."""
    if table.strong is not None or not replicas_of(table):
        return None
    return not is_unprotected(table)


def with_protection(table: Table, *, enabled: bool | None) -> Table:
    """The table with other protection; None changes nothing. Raises ValidationException."""
    if enabled is None:
        return table
    if described_protection(table) is None:
        raise invalid(messages.no_disassociation_protection())
    assert table.replication is not None, "a replica"
    replication = msgspec.structs.replace(table.replication, is_unprotected=not enabled)
    return msgspec.structs.replace(table, replication=replication)
