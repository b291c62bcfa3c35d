"""The JavaScript document client by itself: `javascript/document_client.mjs` says what it does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

UNDEFINED = (
    "Invalid KeyConditionExpression: An expression attribute value used in expression is not "
    "defined; attribute value: :x"
)


@pytest.fixture
def seen(javascript):
    return javascript("document_client.mjs")


# 200 requests at once over its pool of connections.
def test_gathered(seen):
    assert seen["gathered"] is True


def test_sets(seen):
    assert seen["sets"] == {
        "kinds": ["Set", "Set", "Set"],
        "texts": ["", "a", "b"],
        "numbers": [-1.5, 3],
        "blobs": [[1], [2]],
    }


# 38 digits and the smallest exponents arrive as they were sent; without wrapping it makes BigInts.
def test_numbers(seen):
    texts = ["12345678901234567890123456789012345678", "0.1234567890123456789"]
    texts.append("-0." + "0" * 129 + "1")
    assert seen["numbers"] == {
        "areNumberValues": True,
        "list": texts,
        "set": ["1.5", "9007199254740993"],
        "big": "9007199254740993",
        "custom": [f"number {text}" for text in texts],
        "plain": ["bigint", "number", "number"],
    }


# Each option of marshalling makes another request of the same item.
def test_marshall_options(seen):
    assert "Pass options.convertClassInstanceToMap=true" in seen["marshallOptions"]["refused"]
    assert seen["marshallOptions"]["stored"] == {
        "pk": "options",
        "sk": 1,
        "point": {"x": 1, "y": 2},
        "text": None,
        "set": None,
    }


# Pages that a filter has emptied go on; a token is a key as the program has it.
def test_pages(seen):
    assert seen["pages"] == {
        "found": [[32, 60, 59], [0, 60, 119], [0, 60, 179], [0, 20, None]],
        "rest": [[30, 31], [], []],
    }


def test_index(seen):
    assert seen["index"] == {
        "items": [
            {"pk": "gathered", "sk": 13, "colour": "red", "square": 169},
            {"pk": "gathered", "sk": 11, "colour": "red", "square": 121},
        ],
        "capacity": {
            "TableName": "documents",
            "CapacityUnits": 0.5,
            "Table": {"CapacityUnits": 0},
            "GlobalSecondaryIndexes": {"by-colour": {"CapacityUnits": 0.5}},
        },
    }


# The 200 of before, and the items of the three steps between.
def test_segments(seen):
    assert seen["segments"] == 203


def test_batches(seen):
    assert seen["batches"] == {
        "unprocessed": {},
        "capacity": {"documents": 1, "documents-other": 10},
        "here": [[0, ["y"], {}], [1, ["x"], {}]],
        "there": [10, 11],
    }


def test_update(seen):
    assert seen["update"] == {
        "tags": ["b"],
        "rest": {
            "pk": "updated",
            "sk": 1,
            "list": [1, 2],
            "map": {"deep": [None, True]},
            "seen": False,
            "n": 2,
        },
    }


# A reason for each action, in their order; the same token again changes nothing.
def test_transactions(seen):
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    assert seen["transactions"] == {
        "isItsClass": True,
        "message": (
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[None, ConditionalCheckFailed, None, None]"
        ),
        "reasons": [
            {"Code": "None"},
            failed | {"Item": {"pk": {"S": "stock"}, "sk": {"N": "1"}, "pieces": {"N": "5"}}},
            {"Code": "None"},
            {"Code": "None"},
        ],
        "untouched": None,
        "mismatch": "IdempotentParameterMismatchException",
        "order": {"pk": "order", "sk": 1, "lines": ["a"]},
        "stock": {"pieces": 3},
        "basket": None,
    }


def test_aggregated_client(seen):
    item = {"pk": "aggregated", "sk": 1, "yes": True}
    assert seen["aggregated"] == {"item": item, "attributes": item}


# A request id has 52 letters and digits, as on the service; `Item` stays in the form of the wire.
@pytest.mark.parametrize(
    ("case", "name", "message"),
    [
        ("condition", "ConditionalCheckFailedException", "The conditional request failed"),
        ("unknown", "ValidationException", UNDEFINED),
        ("missing", "ResourceNotFoundException", "Requested resource not found"),
        ("twice", "ValidationException", "Provided list of item keys contains duplicates"),
    ],
)
def test_refusals(seen, case, name, message):
    told = seen["refusals"][case]
    item = told.pop("item", None)
    assert told == {
        "name": name,
        "message": message,
        "fault": "client",
        "isAnError": True,
        "status": 400,
        "attempts": 1,
        "requestId": True,
    }
    expected = {"pk": {"S": "refused"}, "sk": {"N": "1"}, "owner": {"S": "me"}}
    assert item == (expected if case == "condition" else None)
