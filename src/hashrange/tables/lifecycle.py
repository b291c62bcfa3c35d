"""The status that a table shows.

Tables change at once; `transient_ms` makes them show CREATING, UPDATING and DELETING for a while,
as DynamoDB does, for clients that want to see their waiting code work.
"""

from hashrange.model.table import Table, TableStatus


def status_of(table: Table, now_ms: int, transient_ms: int) -> TableStatus:
    """What DescribeTable shows now."""
    if table.deleted_ms is not None:
        return "DELETING"
    if now_ms < table.created_ms + transient_ms:
        return "CREATING"
    if table.changed_ms is not None and now_ms < table.changed_ms + transient_ms:
        return "UPDATING"
    return "ACTIVE"


def is_warming(table: Table, now_ms: int, transient_ms: int) -> bool:
    """Whether warm throughput shows as UPDATING; the table itself stays ACTIVE for it."""
    return table.warm_changed_ms is not None and now_ms < table.warm_changed_ms + transient_ms


def still_shown(dropped: Table, now_ms: int, transient_ms: int) -> bool:
    """Whether a dropped table still shows as DELETING."""
    assert dropped.deleted_ms is not None
    return now_ms < dropped.deleted_ms + transient_ms
