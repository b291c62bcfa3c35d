"""Settings that all replicas of a global table have in common."""

from collections.abc import Callable

from hashrange.model.table import Table
from hashrange.operations.pipeline.operation import RequestContext
from hashrange.operations.replicas.shared import synchronised
from hashrange.replication.groups import beside_names, names_of, replicas_of, together, told
from hashrange.replication.shared_settings import settings_changed
from hashrange.tables.catalog_entries import NOTHING_BESIDE, Beside


async def change_settings(
    name: str,
    change: Callable[[Table], Table],
    change_of_peer: Callable[[Table, Table], Table],
    context: RequestContext,
    *,
    beside: Callable[[Table], Beside] = lambda _table: NOTHING_BESIDE,
) -> Table:
    """Change a table, and its other replicas in the same write.

    Args:
        name: of the table.
        change: of the table itself; pure, may run again.
        change_of_peer: of another replica, after the table as it was before; the same.
        context: of the request.
        beside: rows that are written with the entries of several replicas.

    Raises ResourceNotFoundException, and errors of the changes.
    """
    catalog = context.catalog
    opened = await catalog.open(name)
    if opened is None or not replicas_of(opened.table):
        return await catalog.change(name, change)
    _, *others = names_of(catalog, opened.table)
    before = changed = opened.table

    def own(table: Table) -> Table:
        nonlocal before, changed  # the others are changed after it, in the same decision
        before, changed = table, change(table)
        return settings_changed(synchronised(before, changed, changed), context.now_ms)

    def of_peer(entry: Table) -> Table:
        shared = synchronised(before, changed, change_of_peer(before, entry))
        return settings_changed(shared, context.now_ms)

    rows = together(beside_names(others, of_peer), beside(opened.table))
    table = await catalog.change(name, own, rows)
    await told(catalog, others)
    return table
