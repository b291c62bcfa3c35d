"""DynamoDB-Toolbox: `javascript/dynamodb_toolbox.mjs` says what it does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

DEFAULTS = {"type": "fruit", "sold": False}


@pytest.fixture
def seen(javascript):
    return javascript("dynamodb_toolbox.mjs")


# What comes back is parsed against the schema: an attribute of another type would be refused.
def test_items(seen):
    assert seen["items"] == {
        "item": DEFAULTS
        | {
            "shop": "items",
            "id": "1",
            "price": 12.5,
            "name": "déjà vu",
            "tags": ["a", "b"],
            "sizes": [1, 2],
            "raw": [0, 255],
            "origin": {"country": "CH"},
            "stock": {"here": 1, "über all": 2},
            "rest": [None, {"deep": [True]}],
        },
        "some": {
            "name": "déjà vu",
            "sizes": [2],
            "origin": {"country": "CH"},
            "stock": {"here": 1},
        },
        "missing": None,
    }


# Sums are made of the values before the update, whatever else it changes.
def test_update(seen):
    item = {"shop": "update", "id": "1", "type": "fruit", "sold": True, "price": 15}
    item["name"] = "fallback"
    assert seen["update"] == {
        "first": item
        | {
            "tags": ["a", "b"],
            "sizes": [1, 2, 3],
            "origin": {"country": "CH", "year": 11},
            "stock": {"here": 4},
        },
        "next": item | {"tags": ["b"], "sizes": [0, 1, 2, 3], "stock": {"here": 3, "there": 7}},
        "merged": {"sizes": [9], "stock": {"only": 1}},
    }


CONDITIONS = {
    *("eq", "ne", "range", "between", "in", "beginsWith", "contains"),
    *("exists", "absent", "type", "size", "or", "not"),
}


# The negation is refused and changes nothing, the condition itself lets the put through.
def test_conditions(seen):
    expected = ["ConditionalCheckFailedException", 5, 6]
    assert seen["conditions"] == dict.fromkeys(CONDITIONS, expected)


def test_query(seen):
    assert seen["query"] == {
        "range": ["05", "04", "03"],
        "first": [24, {"pk": "SHOP#query", "sk": "PRODUCT#23"}],
        "rest": [str(number) for number in range(24, 30)],
        "both": ["o1", "00", "01"],
        "global": [{"id": f"0{number}", "price": 100 - number} for number in (9, 7, 5, 3, 1)],
        "local": ["29", "28", "27"],
        "count": 31,
    }


# Each new item is written to the table and to both indexes.
def test_batches(seen):
    found = [{"id": f"0{number}", "price": number} for number in range(5)]
    assert seen["batches"] == {"capacity": [25 * 3], "found": [*found, None, None]}


def test_deletes(seen):
    assert seen["deletes"] == {
        "failed": {
            "name": "ConditionalCheckFailedException",
            "message": "The conditional request failed",
            "code": None,
        },
        "old": DEFAULTS | {"shop": "deletes", "id": "1", "price": 1},
        "left": 0,
    }


def test_transactions(seen):
    assert seen["transactions"] == {
        "failed": {
            "name": "TransactionCanceledException",
            "message": (
                "Transaction cancelled, please refer cancellation reasons for specific reasons "
                "[None, ConditionalCheckFailed, None, None]"
            ),
            "code": None,
        },
        "isItsKind": True,
        "codes": ["None", "ConditionalCheckFailed", "None", "None"],
        "item": DEFAULTS | {"shop": "transactions", "id": "1", "price": 1},
        "kept": None,
        "prices": [2, None, 1, 4],
    }


def test_scan(seen):
    assert seen["scan"] == {"count": 31, "orders": [["o1", 7]]}


# The item of a failed condition is formatted like any other.
def test_refusals(seen):
    assert seen["refusals"] == {
        "condition": {
            "name": "ConditionalCheckFailedException",
            "message": "The conditional request failed",
            "code": None,
            "status": 400,
        },
        "isItsKind": True,
        "item": DEFAULTS | {"shop": "refusals", "id": "1", "price": 3},
        "missing": {
            "name": "ResourceNotFoundException",
            "message": "Requested resource not found",
            "code": None,
        },
        "invalid": {
            "name": "Error",
            "message": "Attribute 'price' should be a number.",
            "code": "parsing.invalidAttributeInput",
        },
    }
