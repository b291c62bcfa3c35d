"""The status that a table shows.

Tables change at once; `transient_ms` makes them show CREATING, UPDATING and DELETING for a while,
as DynamoDB does, for clients that want to see their waiting code work.
"""

from hashrange.model.table import Index, IndexStatus, Table, TableStatus


def status_of(table: Table, now_ms: int, transient_ms: int) -> TableStatus:
    """What DescribeTable shows now."""
    if table.deleted_ms is not None:
        return "DELETING"
    if _is_recent(table.created_ms, now_ms, transient_ms):
        return "CREATING"
    if is_changing(table, now_ms, transient_ms):
        return "UPDATING"
    for index in table.indexes:
        if index.state == "DELETING" or is_allocating(index, now_ms, transient_ms):
            return "UPDATING"
    return "ACTIVE"


def index_status_of(index: Index, now_ms: int, transient_ms: int) -> IndexStatus:
    """What DescribeTable shows now of a global index."""
    if index.state == "DELETING":
        return "DELETING"
    if index.state == "BUILDING" or is_allocating(index, now_ms, transient_ms):
        return "CREATING"
    return "UPDATING" if is_changing(index, now_ms, transient_ms) else "ACTIVE"


def is_allocating(index: Index, now_ms: int, transient_ms: int) -> bool:
    """Whether UpdateTable has just made it: the service looks for room before it fills an index."""
    return _is_recent(index.created_ms, now_ms, transient_ms)


def is_changing(changed: Table | Index, now_ms: int, transient_ms: int) -> bool:
    """Whether a change is under way of what shows as UPDATING meanwhile."""
    return _is_recent(changed.changed_ms, now_ms, transient_ms)


def is_warming(warmed: Table | Index, now_ms: int, transient_ms: int) -> bool:
    """Whether warm throughput shows as UPDATING; what it is of stays ACTIVE."""
    return _is_recent(warmed.warm_changed_ms, now_ms, transient_ms)


def still_shown(dropped: Table, now_ms: int, transient_ms: int) -> bool:
    """Whether a dropped table still shows as DELETING."""
    assert dropped.deleted_ms is not None
    return _is_recent(dropped.deleted_ms, now_ms, transient_ms)


def _is_recent(since_ms: int | None, now_ms: int, transient_ms: int) -> bool:
    """Whether it began less than `transient_ms` ago.

    A time that is still to come is none: another server's clock was ahead, or a test has set the
    clock back.
    """
    return since_ms is not None and since_ms <= now_ms < since_ms + transient_ms
