"""The table of actions is that of the operations, and of the Service Authorization Reference."""

import pytest

from hashrange.access.policies.actions import ACTIONS, action_row
from hashrange.api.dynamodb.registry import OPERATIONS

# Operations whose requests need other actions than one of their name.
OTHERWISE = {
    "BatchExecuteStatement",
    "ExecuteStatement",
    "ExecuteTransaction",
    "TransactGetItems",
    "TransactWriteItems",
}


def test_each_operation_has_an_action():
    needed = {f"dynamodb:{name}" for name in OPERATIONS.keys() - OTHERWISE}
    assert needed <= ACTIONS.keys()


def test_scans_and_streams_have_no_keys():
    for name in ("Scan", "GetRecords", "ExportTableToPointInTime"):
        row = ACTIONS[f"dynamodb:{name}"]
        assert row.reads_items
        assert "dynamodb:leadingkeys" not in row.keys
    assert "dynamodb:attributes" in ACTIONS["dynamodb:Scan"].keys


def test_other_accounts_reach_nothing_that_resource_policies_do_not():
    assert [
        name for name, row in ACTIONS.items() if row.cross_account > row.resource_policies
    ] == []


def test_actions_of_other_services():
    assert action_row("sts:AssumeRole").resource_policies
    with pytest.raises(KeyError):
        action_row("dynamodb:Nothing")
