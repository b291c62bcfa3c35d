"""Which table or index a Query or Scan reads."""

from hashrange.errors import invalid
from hashrange.messages.items import queries as messages
from hashrange.tables.opened import OpenTable
from hashrange.tables.targets import Target


def target_of(table: OpenTable, index_name: str | None, *, consistent: bool) -> Target:
    """What is read. Raises ValidationException: no such index, or none that can be read so."""
    if index_name is None:
        return Target(table)
    index = table.table.index(index_name)
    if index is None or index.state == "DELETING":
        raise invalid(messages.no_such_index(index_name))
    if consistent and not index.is_local:
        raise invalid(messages.consistent_global_index())
    if index.state == "BUILDING":
        raise invalid(messages.index_is_backfilling(index_name))
    return Target(table, index)
