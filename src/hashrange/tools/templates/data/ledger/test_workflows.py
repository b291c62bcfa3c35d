"""Transfers: both sides or none, once, and never more than there is."""

import pytest

import patterns
import workflows
from dynamo import query_all

LUNCH = {
    "transferId": "t-9",
    "debit": "ada",
    "credit": "bob",
    "amount": 900,
    "text": "Dinner",
    "at": "2026-11-22T09:00:00.000Z",
}


def balances(db):
    accounts = ("ada", "bob", "bank")
    return [int(patterns.balance_of_an_account(db, each)["balance"]) for each in accounts]


def test_money_moves_and_is_not_made(db):
    assert workflows.post_a_transfer(db, LUNCH) == "posted"
    assert balances(db) == [9000, 1000, -10000]
    statement = patterns.statement_of_a_month(db, "bob", "2026-11").items
    assert [each["amount"] for each in statement] == [900, 100]


def test_a_repeated_transfer_moves_nothing(db):
    assert workflows.post_a_transfer(db, LUNCH) == "posted"
    assert workflows.post_a_transfer(db, LUNCH) == "posted"
    with pytest.raises(ValueError, match="another transfer"):
        workflows.post_a_transfer(db, {**LUNCH, "amount": 901})
    assert balances(db) == [9000, 1000, -10000]


def test_no_account_is_overdrawn(db):
    assert workflows.post_a_transfer(db, {**LUNCH, "amount": 9901}) == "short"
    assert workflows.post_a_transfer(db, {**LUNCH, "credit": "nobody"}) == "no account"
    assert balances(db) == [9900, 100, -10000]
    assert patterns.transfer_by_id(db, "t-9") is None


def test_a_transfer_is_reversed_once(db):
    at = "2026-11-22T10:00:00.000Z"
    workflows.post_a_transfer(db, LUNCH)
    assert workflows.reverse_a_transfer(db, "t-9", "r-1", at) == "posted"
    assert workflows.reverse_a_transfer(db, "t-9", "r-1", at) == "posted"
    assert workflows.reverse_a_transfer(db, "t-9", "r-2", at) == "reversed"
    assert balances(db) == [9900, 100, -10000]


def test_entries_and_balances_agree(db):
    for number, amount in enumerate((1, 20, 300)):
        workflows.post_a_transfer(db, {**LUNCH, "transferId": f"t-1{number}", "amount": amount})
    key = {":pk": "ACCOUNT#ada#2026-11"}
    entries = query_all(
        db,
        TableName=patterns.TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=key,
    )
    assert sum(each["amount"] for each in entries) == balances(db)[0]
    assert workflows.volume_of_a_day(db, "2026-11-22") == 321
