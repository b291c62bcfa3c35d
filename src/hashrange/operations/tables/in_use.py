"""Texts of updates that are refused while another change of the table goes on. Pure.

Source: measured by users, October 2026.
"""

from hashrange.messages.tables import index_updates as index_messages
from hashrange.messages.tables import operations as messages
from hashrange.model.table import Table
from hashrange.operations.indexes.states import RequestedChanges
from hashrange.operations.indexes.updates import online_updates


def in_use_text(
    table: Table, requested: RequestedChanges, *, names_class: bool, names_billing: bool
) -> str:
    """The text of a refused update, which depends on it and on the change that goes on.

    Args:
        table: as it is.
        requested: the changes.
        names_class: the request has a class.
        names_billing: it has a billing mode or units, whether they are others or not.
    """
    before = table.meanwhile
    if before is None or before.at_ms != table.changed_ms:
        return messages.table_busy(table.name, "updated")
    if before.table_class != table.table_class:
        return _by_class(table, requested, names_class=names_class)
    if online_updates(requested.updates):
        return index_messages.during_units(table.name)
    if requested.limits:
        return messages.on_demand_during_billing()
    if names_billing:
        return messages.units_being_updated(table.name)
    return messages.table_busy(table.name, "updated")


def _by_class(table: Table, requested: RequestedChanges, *, names_class: bool) -> str:
    assert table.table_class is not None, "it has just been changed"
    if names_class:
        return messages.class_being_updated(table.name, table.table_class)
    if requested.limits:
        return messages.on_demand_during_class(table.table_class)
    if online_updates(requested.updates):
        return index_messages.during_class()
    return messages.table_busy(table.name, "updated")
