"""Statements that do not confine what they seem to."""

import pytest

from hashrange.access.policies.lint import findings
from tests.unit.access.policies.subjects import document, statement

KEYS = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}
NAMES = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "title"]}}
SELECTED = {"StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}
RETURNED = {"StringEqualsIfExists": {"dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"]}}
ON_ITEMS = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"]


def _actions(**elements):
    return {
        action.removeprefix("dynamodb:")
        for finding in findings(document(statement(**elements)))
        for action in finding.actions
    }


@pytest.mark.parametrize(
    ("action", "loose"),
    [
        (ON_ITEMS, set()),
        ([*ON_ITEMS, "dynamodb:Scan"], {"Scan"}),
        ("dynamodb:Get*", {"GetRecords"}),
        ("dynamodb:PartiQL*", {"PartiQLSelect"}),
        ("dynamodb:Describe*", set()),
        (
            "dynamodb:*",
            {
                "ExportTableToPointInTime",
                "GetRecords",
                "ImportTable",
                "PartiQLSelect",
                "ReadDataForReplication",
                "Scan",
                "SearchVectors",
                "StartBulkPutItems",
                "WriteDataForReplication",
            },
        ),
    ],
)
def test_leading_keys_do_not_confine_requests_without_keys(action, loose):
    assert _actions(Action=action, Condition=KEYS) == loose


@pytest.mark.parametrize(
    "condition",
    [
        KEYS | {"Null": {"dynamodb:LeadingKeys": "false"}},
        {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}},
        {"ForAllValues:StringEquals": {"dynamodb:FirstPartitionKeyValues": ["a"]},
         "Null": {"dynamodb:FirstPartitionKeyValues": "false"}},
    ],
)  # fmt: skip
def test_leading_keys_that_must_be_there_confine(condition):
    assert _actions(Condition=condition) == set()


def test_full_scans_can_be_ruled_out_for_partiql():
    whole = {"Bool": {"dynamodb:FullTableScan": "false"}}
    assert _actions(Action="dynamodb:PartiQLSelect", Condition=KEYS | whole) == set()


def test_a_denial_of_leading_keys_does_not_deny_scans():
    others = {"ForAnyValue:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}
    found = _actions(Effect="Deny", Action=[*ON_ITEMS, "dynamodb:Scan"], Condition=others)
    assert found == {"Scan"}
    absent = {"StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}
    (finding,) = findings(document(statement("Deny", Action="dynamodb:Scan", Condition=absent)))
    assert finding.actions == ()
    assert "ForAnyValue" in finding.text


def test_attributes_need_select_and_return_values():
    action = ["dynamodb:GetItem", "dynamodb:Scan", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem"]
    assert _actions(Action=action, Condition=NAMES) == {"GetItem", "Scan", "UpdateItem"}
    assert _actions(Action=action, Condition=NAMES | SELECTED) == {"UpdateItem"}
    both = {
        **NAMES,
        "StringEqualsIfExists": SELECTED["StringEqualsIfExists"] | RETURNED["StringEqualsIfExists"],
    }
    assert _actions(Action=action, Condition=both) == set()
    assert _actions(Action="dynamodb:GetRecords", Condition=both) == {"GetRecords"}


def test_findings_name_their_statement():
    policy = document(
        statement(Sid="fine"), statement(Action="dynamodb:Scan", Sid="loose", Condition=KEYS)
    )
    (finding,) = findings(policy)
    assert (finding.place, finding.sid, finding.actions) == (2, "loose", ("dynamodb:Scan",))
    assert "dynamodb:LeadingKeys" in finding.text


def test_statements_without_these_keys_are_not_looked_at():
    assert findings(document(statement(Condition=SELECTED), statement())) == []
