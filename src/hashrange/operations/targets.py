"""Which table or index a Query or Scan reads."""

from functools import lru_cache
from typing import Final

from hashrange.errors import invalid
from hashrange.messages import queries as messages
from hashrange.tables.opened import OpenTable
from hashrange.tables.targets import Target

TARGETS_MAX: Final = 1024


def target_of(table: OpenTable, index_name: str | None, *, consistent: bool) -> Target:
    """What is read. Raises ValidationException: no such index, or none that can be read so."""
    if index_name is None:
        return _whole(table)
    index = table.table.index(index_name)
    if index is None or index.state == "DELETING":
        raise invalid(messages.no_such_index(index_name))
    if consistent and not index.is_local:
        raise invalid(messages.consistent_global_index())
    if index.state == "BUILDING":
        raise invalid(messages.index_is_backfilling(index_name))
    return Target(table, index)


@lru_cache(maxsize=TARGETS_MAX)
def _whole(table: OpenTable) -> Target:
    """The table itself; one value for each table that was opened, as it never changes."""
    return Target(table)
