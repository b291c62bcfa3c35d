"""Which fault a change of a table gets while it is CREATING."""

import pytest

from hashrange.api.dynamodb.tables.in_use import fault_of_backups, fault_while_creating
from hashrange.errors import Fault
from hashrange.model.table_features import Restore
from tests.unit.tables.definitions import NOON_MS, definition

SOURCE = {"source_arn": "arn:aws:dynamodb:us-east-1:123456789012:table/s", "time_ms": NOON_MS}


@pytest.mark.parametrize(
    ("restore", "fault"),
    [
        (Restore(**SOURCE), Fault.RESOURCE_NOT_FOUND),
        # A new replica, whose items are copied.
        (Restore(**SOURCE, regions=("us-east-1", "eu-west-1")), Fault.RESOURCE_IN_USE),
        (None, Fault.RESOURCE_IN_USE),
    ],
)
def test_only_a_table_that_is_restored_is_not_there_yet(restore, fault):
    assert fault_while_creating(definition(restore=restore)).fault is fault


# Measured of both kinds of restores, but for their first seconds.
@pytest.mark.parametrize(
    ("restore", "fault"),
    [(Restore(**SOURCE), Fault.BACKUPS_UNAVAILABLE), (None, Fault.TABLE_NOT_FOUND)],
)
def test_backups_of_a_table_that_is_restored_are_being_enabled(restore, fault):
    assert fault_of_backups(definition(restore=restore)).fault is fault
