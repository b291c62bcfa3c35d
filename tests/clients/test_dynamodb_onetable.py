"""OneTable: `javascript/dynamodb_onetable.mjs` says what it does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

FAILED = {"name": "OneTableError", "code": "ConditionalCheckFailedException"}


@pytest.fixture
def seen(javascript):
    return javascript("dynamodb_onetable.mjs")


def _failed(operation, model):
    text = f'OneTable execute failed "{operation}" for "{model}", The conditional request failed'
    return FAILED | {"message": text}


# It names the keys of an index among what is projected into it.
def test_table(seen):
    projected = ["gs1pk", "gs1sk", "name"]
    assert seen["table"] == {
        "exists": [False, True],
        "keys": {
            "primary": {"hash": "pk", "sort": "sk"},
            "gs1": {"hash": "gs1pk", "sort": "gs1sk", "project": projected},
            "ls1": {"type": "local", "hash": "pk", "sort": "created"},
        },
        "projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": projected},
        "local": ["pk", "created"],
    }


# Keys are made of templates, dates of texts and, where they expire, of seconds.
def test_create(seen):
    assert seen["create"] == {
        "account": {"name": "acme", "balance": 0},
        "same": True,
        "raw": {
            "pk": "account#acme",
            "sk": "user#ada@example.com",
            "gs1pk": "user#",
            "gs1sk": "user#ada@example.com",
            "account": "acme",
            "email": "ada@example.com",
            "name": "Ada",
            "created": 1,
            "age": 36,
            "admin": True,
            "since": "2026-03-01T12:30:00.000Z",
            "expires": "2126-03-01T12:30:00.000Z",
            "tags": ["a", "b"],
            "roles": ["one", 2, {"three": None}],
            "address": {"city": "Zürich", "zip": "8000"},
            "_type": "User",
        },
        "expires": {"N": "4928041800"},
        "again": FAILED | {"message": 'Conditional create failed for "Account"'},
        "missing": None,
    }


def test_update(seen):
    assert seen["update"] == {
        "set": ["Ada L.", {"city": "Bern", "zip": "8000"}, None],
        "more": [37, "uno", {"city": "Bern", "zip": "3000"}, None],
        "pushed": ["four", ["b"]],
        "failed": _failed("update", "User"),
        "missing": _failed("update", "User"),
    }


def test_upsert(seen):
    assert seen["upsert"] == [{"name": "upserted", "balance": balance} for balance in (5, 7)]


def test_batches(seen):
    assert seen["batches"] == {"written": True, "read": ["u03", "u04"]}


# Its pages go on where LastEvaluatedKey was, and what a query cost adds up.
def test_find(seen):
    assert seen["find"] == {
        "begins": [f"u{number}" for number in range(10, 20)],
        "between": ["u07", "u06", "u05"],
        "where": [f"u{number}" for number in range(20, 25)],
        "filtered": ["u07"],
        "index": [f"u{number}" for number in range(20, 25)],
        "followed": [["u21", 21]],
        "local": ["u24", "u23"],
        "pages": [[10, "u00"], [10, "u10"], [5, "u20"]],
        "count": 25,
        "stats": {"count": 25, "scanned": 25, "capacity": 0.5},
    }


def test_fetch(seen):
    assert seen["fetch"] == {
        "accounts": ["acme"],
        "users": ["ada@example.com"],
        "grouped": [["Account", 1], ["User", 1]],
    }


def test_scan(seen):
    assert seen["scan"] == {"found": ["u00", "u01", "u02"], "segments": 26}


# An address is free again once its owner has another one, or is gone.
def test_unique(seen):
    taken = (
        'Cannot {} unique attributes "email" for "Login". An item of the same name already exists.'
    )
    refused = {"name": "OneTableError", "code": "UniqueError"}
    assert seen["unique"] == {
        "taken": refused | {"message": taken.format("create")},
        "notMade": None,
        "changed": refused | {"message": taken.format("update")},
        "logins": [["three", "uno@example.com"], ["two", "one@example.com"]],
    }


def test_transactions(seen):
    failed = {"code": "TransactionCanceledException", "message": "Transaction Cancelled"}
    assert seen["transactions"] == {
        "failed": {"name": "OneTableError"} | failed,
        "balances": [6, 4],
    }


def test_remove(seen):
    assert seen["remove"] == {"removed": "u00", "again": _failed("delete", "User"), "left": 0}


# An index is made while the table is in use.
def test_changes(seen):
    assert seen["changes"] == {
        "names": ["gs1", "gs2"],
        "missing": {
            "name": "OneTableError",
            "code": "ResourceNotFoundException",
            "message": (
                'OneTable execute failed "get" for "Account", Requested resource not found'
            ),
        },
        "exists": False,
    }
