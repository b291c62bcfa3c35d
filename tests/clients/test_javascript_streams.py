"""The JavaScript SDK's clients of streams: `streams.mjs` and `kinesis.mjs` say what they do."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]


@pytest.fixture
def seen(javascript):
    return javascript("streams.mjs")


def test_table(seen):
    assert seen["table"] == {"listed": [True], "label": True}


# An open shard goes on; its numbers are larger than JavaScript's own.
def test_records(seen):
    a, one, two = {"pk": "a"}, {"pk": "a", "n": 1}, {"pk": "a", "n": 2}
    assert seen["records"] == {
        "shards": 1,
        "ended": False,
        "dates": True,
        "names": ["INSERT", "MODIFY", "REMOVE"],
        "keys": [a, a, a],
        "old": [None, one, two],
        "new": [one, two, None],
        "sorted": True,
    }


# A closed shard ends, with the record that it says is its last.
def test_disabled(seen):
    assert seen["disabled"] == {"ended": True, "last": True}


def test_errors(seen):
    assert seen["errors"] == {"notFound": True, "message": True}


# The client of Kinesis speaks HTTP/2, and HTTP/1.1 with the request handler of docs/kinesis.md.
def test_kinesis(javascript):
    seen = javascript("kinesis.mjs")
    assert seen["records"] == {
        "shards": 1,
        "failed": 0,
        "data": ["a", "é", ""],
        "numbers": True,
        "dates": True,
        "behind": 0,
    }
    assert seen["destination"] == {
        "status": "ENABLING",
        "changes": [["INSERT", "old"], ["MODIFY", "new"]],
    }
    message = "Stream none under account 000000000000 not found."
    assert seen["errors"] == {"notFound": True, "message": message}
