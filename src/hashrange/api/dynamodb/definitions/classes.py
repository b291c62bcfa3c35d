"""Table classes: recorded and described, without effect on storage. Pure."""

from typing import Final, cast

import msgspec

from hashrange.api.dynamodb.definitions.table_names import as_it_is
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import CLASS_CHANGES_DAYS, CLASS_CHANGES_MAX
from hashrange.messages.tables import operations as messages
from hashrange.messages.tables import replicas as replica_messages
from hashrange.model.table import Table, TableClass
from hashrange.wire import enums

DEFAULT_CLASS: Final = "STANDARD"
"""The class of a table for which none was set."""
_WINDOW_MS: Final = CLASS_CHANGES_DAYS * 24 * 60 * 60 * 1000


def checked_class(name: str | None) -> TableClass | None:
    """The class of that name. Raises ValidationException with a text of its own."""
    if name is not None and name not in enums.TABLE_CLASS.values:
        raise invalid(messages.unknown_table_class())
    return cast("TableClass | None", name)


def reclassed(
    table: Table, table_class: TableClass, now_ms: int, *, is_peer: bool = False
) -> Table:
    """The table with another class; its current class changes nothing and is not counted.

    `is_peer`: it is another replica than that of the request.

    Raises LimitExceededException, also for the current class. Source: Developer Guide, "DynamoDB
    table classes"; measured by users, October 2026.
    """
    recent = [at_ms for at_ms in table.class_changes_ms if at_ms > now_ms - _WINDOW_MS]
    if len(recent) >= CLASS_CHANGES_MAX:
        most, days = CLASS_CHANGES_MAX, CLASS_CHANGES_DAYS
        text = messages.too_many_class_changes(most, days)
        if is_peer:
            text = replica_messages.too_many_class_changes(table.region, most, days)
        raise DynamoError(Fault.LIMIT_EXCEEDED, text)
    if table_class == (table.table_class or DEFAULT_CLASS):
        return table
    return msgspec.structs.replace(
        table,
        table_class=table_class,
        class_changed_ms=now_ms,
        class_changes_ms=(*recent, now_ms),
        changed_ms=now_ms,
        meanwhile=as_it_is(table, now_ms),
    )
