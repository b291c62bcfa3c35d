"""Dynamoose: `javascript/dynamoose.mjs` says what it does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

FAILED = {"name": "ConditionalCheckFailedException", "message": "The conditional request failed"}


@pytest.fixture
def seen(javascript):
    return javascript("dynamoose.mjs")


def _invalid(message):
    return {"name": "ValidationException", "message": message}


# The first request to a model makes its table, waits for it, and enables time to live.
def test_table(seen):
    assert seen["table"] == {
        "billing": "PAY_PER_REQUEST",
        "global": [["byRank", {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["age"]}]],
        "local": ["byEmail"],
        "stream": "KEYS_ONLY",
        "expiry": "expires",
        "tags": [{"Key": "made", "Value": "by-dynamoose"}],
    }


def test_create(seen):
    assert seen["create"] == {
        "rest": {
            "team": "red",
            "id": "ada",
            "rank": 1,
            "email": "ada@example.com",
            "list": [1, 2.5],
            "address": {"city": "Zürich"},
            "born": "2001-09-09T01:46:40.000Z",
            "role": "admin",
            "age": 3,
            "active": True,
        },
        "tags": ["x", "y"],
        "blob": [0, 255],
        "times": [True, True, True],
        "again": FAILED,
        "invalid": {
            "name": "ValidationError",
            "message": 'role must equal ["admin","user"], but is set to nobody',
        },
        "missing": None,
    }


def test_batches(seen):
    assert seen["batches"] == {
        "unprocessed": [],
        "found": 75,
        "twice": _invalid("Provided list of item keys contains duplicates"),
    }


def test_query(seen):
    assert seen["query"] == {
        "begins": [f"u{number}" for number in range(10, 20)],
        "pages": [["u74", "u73", "u72"], ["u71", "u70", "u69"]],
        "count": 3,
        "all": 75,
        "global": 15,
        "local": ["u09", "u08"],
        "ages": ["u00", "u01", "u02", "u72", "u73", "u74"],
        "attributes": ["age", "id"],
    }


def test_scan(seen):
    assert seen["scan"] == {
        "filtered": 4,
        "segments": 77,
        "contains": ["ada"],
        "within": ["ada"],
        "without": ["first"],
    }


def test_update(seen):
    assert seen["update"] == {
        "set": ["user", 8],
        "added": [[1, 2.5, 7], ["x", "y", "z"]],
        "deleted": ["y", "z"],
        "met": 2,
        "failed": FAILED,
        "upserted": 2,
    }
    assert seen["concurrent"] == 50


def test_transactions(seen):
    assert seen["transactions"] == {
        "found": ["tx", "ada"],
        "failed": {
            "name": "TransactionCanceledException",
            "message": "Transaction cancelled, please refer cancellation reasons for specific "
            "reasons [ConditionalCheckFailed, None]",
        },
        "reasons": ["ConditionalCheckFailed", "None"],
        "kept": 50,
        "sameItem": _invalid("Transaction request cannot include multiple operations on one item"),
    }


# It deletes an index and adds another, changes the units, and waits after each.
def test_changed_schema(seen):
    assert seen["changed"] == {
        "indexes": [["byA", "ACTIVE"]],
        "units": 6,
        "found": ["2"],
        "expiry": "ttl",
    }


def test_removing(seen):
    assert seen["remove"] == [None, [], 50]
    assert seen["missing"] == {
        "name": "ResourceNotFoundException",
        "message": "Requested resource not found",
    }
