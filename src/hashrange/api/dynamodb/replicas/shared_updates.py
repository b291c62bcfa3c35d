"""UpdateTable of a table with replicas: further changes.

Its index gets a scalable target, and servers of other regions must be able to follow.
"""

from collections.abc import Sequence
from typing import Protocol

from hashrange.api.dynamodb.replicas.keys import encryption_register, refuse_elsewhere
from hashrange.api.dynamodb.replicas.scaled import refuse_unscaled, scaled_index
from hashrange.api.pipeline.operation import RequestContext
from hashrange.model.replication import SettingValue
from hashrange.model.structures.dynamodb import GlobalSecondaryIndexUpdate, SSESpecification
from hashrange.model.table import Table
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.catalog.registers import ENCRYPTION


class SharedUpdate(Protocol):
    """The request, as far as it matters here."""

    @property
    def billing_mode(self) -> str | None:
        """As sent."""

    @property
    def global_secondary_index_updates(self) -> Sequence[GlobalSecondaryIndexUpdate] | None:
        """As sent."""

    @property
    def sse_specification(self) -> SSESpecification | None:
        """As sent."""


async def refuse_for_replicas(name: str, request: SharedUpdate, context: RequestContext) -> None:
    """Refuse what replicas cannot have: units that are not scaled, encryption. Raises DynamoError.

    Without auto scaling a global table is not made provisioned, nor are its indexes changed.
    """
    opened = await context.catalog.open(name)
    if opened is None or not replicas_of(opened.table):
        return
    table = opened.table
    needs_scaling = request.billing_mode == "PROVISIONED"
    if table.billing_mode == "PROVISIONED":
        needs_scaling = bool(request.global_secondary_index_updates)
    if needs_scaling:
        await refuse_unscaled(table, context)
    specification = request.sse_specification
    if specification is not None and encryption_register(specification)[ENCRYPTION] is not None:
        remote = [each.region for each in replicas_of(table) if each.is_remote]
        await refuse_elsewhere(table, context, remote)


def values_of(
    request: SharedUpdate, context: RequestContext, table: Table
) -> dict[str, SettingValue]:
    """Registers of the encryption, and of the scalable targets of new indexes."""
    found: dict[str, SettingValue] = {}
    if request.sse_specification is not None:
        found |= encryption_register(request.sse_specification)
    if table.billing_mode == "PROVISIONED":
        for update in request.global_secondary_index_updates or ():
            if update.create is not None:
                found |= scaled_index(table, str(update.create.index_name), context)
    return found
