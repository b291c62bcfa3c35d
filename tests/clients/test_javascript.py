"""The JavaScript SDK, its client and its errors: `javascript/sdk.mjs` says what it does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]


@pytest.fixture
def seen(javascript):
    return javascript("sdk.mjs")


# Its waiters read TableStatus, its dates are numbers in JSON.
def test_table(seen):
    assert seen["table"] == {
        "created": "CREATING",
        "waited": "SUCCESS",
        "described": "ACTIVE",
        "createdIsADate": True,
    }


# TagResource answers without a body, which this SDK has to take for an answer.
def test_tags(seen):
    assert seen["tags"] == [{"Key": "owner", "Value": "me"}]


# Every type of the document client, there and back; a number beyond what a double can hold too.
def test_documents(seen):
    assert seen["documents"] == {
        "names": ["a", "b"],
        "large": "12345678901234567890",
        "bytes": [0, 255],
        "sameKeys": True,
        "rest": {
            "pk": "kinds",
            "sk": 1,
            "text": "déjà vu 😀",
            "empty": "",
            "fraction": -12.5,
            "yes": True,
            "nothing": None,
            "list": [1, "two", {"three": [3]}],
            "map": {"nested": {"deep": "down"}},
        },
    }


def test_update(seen):
    assert seen["update"] == {
        "attributes": {"pk": "updated", "sk": 1, "count": 1, "tags": ["a"]},
        "consumed": {"TableName": "javascript", "CapacityUnits": 1},
    }


def test_delete(seen):
    assert seen["delete"] == {"old": {"pk": "deleted", "sk": 1}, "found": False}


# The members that a client loops on are there, and empty.
def test_batches(seen):
    assert seen["batches"] == {"unprocessed": {}, "unread": {}, "found": 25}


def test_pages(seen):
    assert seen["pages"] == {
        "query": [[0, 1, 2], [3, 4, 5], [6]],
        "backwards": [[6, 5, 4], [3, 2, 1], [0]],
        "scan": 25,
    }


# The SDK makes its own classes of errors from `__type`, with the members of the model.
def test_condition_failed(seen):
    assert seen["conditionFailed"] == {
        "isItsClass": True,
        "message": "The conditional request failed",
        "item": {"pk": {"S": "condition"}, "sk": {"N": "1"}, "owner": {"S": "me"}},
        "status": 400,
    }


def test_not_found(seen):
    assert seen["notFound"] == {
        "isItsClass": True,
        "name": "ResourceNotFoundException",
        "message": "Requested resource not found",
        "hasRequestId": True,
    }


# A fault that is not in the model of the operation.
def test_invalid(seen):
    assert seen["invalid"] == {
        "name": "ValidationException",
        "message": "The provided key element does not match the schema",
        "fault": "client",
    }


def test_gone(seen):
    assert seen["gone"] == {"deleted": "DELETING", "waited": "SUCCESS"}
