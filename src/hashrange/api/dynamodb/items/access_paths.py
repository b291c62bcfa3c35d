"""Finds the table or index that a Query or Scan reads."""

from hashrange.errors import invalid
from hashrange.messages.items import queries as messages
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable


def access_path_of(table: OpenTable, index_name: str | None, *, consistent: bool) -> AccessPath:
    """The table, or its index of that name.

    Raises ValidationException for an index that does not exist, is being built, or has no
    consistent reads.
    """
    if index_name is None:
        return AccessPath(table)
    index = table.table.index(index_name)
    if index is None or index.state == "DELETING":
        raise invalid(messages.no_such_index(index_name))
    if consistent and not index.is_local:
        raise invalid(messages.consistent_global_index())
    if index.state == "BUILDING":
        raise invalid(messages.index_is_backfilling(index_name))
    return AccessPath(table, index)
