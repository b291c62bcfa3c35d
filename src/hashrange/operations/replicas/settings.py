"""Settings that all replicas of a global table have in common."""

from collections.abc import Callable

from hashrange.model.table import Table
from hashrange.operations.pipeline.operation import RequestContext
from hashrange.replication.groups import beside_names, names_of, replicas_of, told


async def change_settings(
    name: str,
    change: Callable[[Table], Table],
    change_of_peer: Callable[[Table], Table],
    context: RequestContext,
) -> Table:
    """Change a table, and its other replicas in the same write.

    Args:
        name: of the table.
        change: of the table itself; pure, may run again.
        change_of_peer: the same change of another replica.
        context: of the request.

    Raises ResourceNotFoundException, and errors of the changes.
    """
    catalog = context.catalog
    opened = await catalog.open(name)
    if opened is None or not replicas_of(opened.table):
        return await catalog.change(name, change)
    _, *others = names_of(catalog, opened.table)
    table = await catalog.change(name, change, beside_names(others, change_of_peer))
    await told(catalog, others)
    return table
