"""Asynchronous clients of Python, many requests at once: `python/` has their programs.

They are installed into a folder of their own, for aiobotocore wants another botocore than boto3.
"""

import sys

import pytest

from tests.clients.documented import documented
from tests.clients.programs import run_program

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]  # installs packages


@pytest.fixture
def aiobotocore(python):
    return python("with_aiobotocore.py")


@pytest.fixture
def aiodynamo(python):
    return python("with_aiodynamo.py")


# Its waiters are asynchronous, and the table is there at the first look.
def test_aiobotocore_table(aiobotocore):
    assert aiobotocore["table"] == ["CREATING", "ACTIVE"]
    assert aiobotocore["gone"] is False


# 200 requests over 50 connections: each answer belongs to its own request.
def test_aiobotocore_gathered(aiobotocore):
    assert aiobotocore["gathered"] == {"same": True, "found": 200}
    assert aiobotocore["pages"] == {"sizes": [75, 75, 50], "inOrder": True}


def test_aiobotocore_counts_without_losing_any(aiobotocore):
    assert aiobotocore["counter"] == {"distinct": 100, "most": 100}


# Of 50 conditional puts of one key exactly one is carried out.
def test_aiobotocore_race(aiobotocore):
    assert aiobotocore["race"] == {
        "errors": {"ConditionalCheckFailedException": 49},
        "sameWinner": True,
        "first": {
            "class": "ConditionalCheckFailedException",
            "Code": "ConditionalCheckFailedException",
            "Message": "The conditional request failed",
            "status": 400,
        },
    }


def test_aiobotocore_batches_and_segments(aiobotocore):
    assert aiobotocore["batches"] == {"unprocessed": [{}] * 4, "unread": {}, "found": True}
    assert aiobotocore["scan"] == 200 + 1 + 1 + 100


# Those that meet on an account may be refused, as on the service: no money is made or lost.
def test_aiobotocore_transfers(aiobotocore):
    told = aiobotocore["transfers"]
    assert set(told.pop("errors")) <= {"TransactionCanceledException"}
    assert told == {"sum": 500, "some": True, "least": True}


def test_aiobotocore_refusals(aiobotocore):
    missing, invalid, undeleted = aiobotocore["refusals"]
    assert missing == {
        "class": "ResourceNotFoundException",
        "Code": "ResourceNotFoundException",
        "Message": "Requested resource not found",
        "status": 400,
    }
    assert (invalid["class"], invalid["Code"]) == ("ClientError", "ValidationException")
    assert invalid["Message"] == "The provided key element does not match the schema"
    assert undeleted["Message"] == "Requested resource not found: Table: no-such-table not found"


# It reads the description into classes of its own, all members of which have to be there.
def test_aiodynamo_table(aiodynamo):
    assert aiodynamo["table"] == {
        "status": "ACTIVE",
        "items": 0,
        "keys": ["pk", "sk"],
        "created": True,
        "payPerRequest": True,
        "exists": True,
        "other": False,
    }
    assert aiodynamo["expiry"] == ["expires", "ENABLED"]
    assert aiodynamo["gone"] is False


def test_aiodynamo_items(aiodynamo):
    assert aiodynamo["gathered"] == {"same": True, "found": 200}
    assert aiodynamo["kinds"] is True
    assert aiodynamo["update"] == {
        "pk": "updated",
        "sk": 1,
        "count": 99,
        "list": ["a"],
        "map": {"x": 1},
    }


def test_aiodynamo_queries(aiodynamo):
    assert aiodynamo["query"] == {
        "page": [19, 18, 17, 16, 15, 14],
        "stopped": {"pk": "gathered", "sk": 14},
        "odd": [11, 13, 15, 17, 19],
        "count": 200,
        "index": [{"sk": 0, "square": 0}, {"sk": 2, "square": 4}, {"sk": 4, "square": 16}],
    }
    assert aiodynamo["scan"] == {"count": 200 + 1 + 1 + 3 + 20, "few": [198, 199]}


def test_aiodynamo_batches(aiodynamo):
    assert aiodynamo["batches"] == {"unprocessed": [{}, {}], "unread": {}, "found": True}


# It wants a Message beside each Code that is not None.
def test_aiodynamo_transactions(aiodynamo):
    failed = ["ConditionalCheckFailed", "The conditional request failed"]
    assert aiodynamo["transactions"] == {
        "found": [{"pk": "transaction", "sk": 0, "n": 0}, {"n": 2}],
        "reasons": [failed, failed, None, None],
    }


# It finds the class of an error in the raw body, by what stands behind the # of `__type`.
def test_aiodynamo_refusals(aiodynamo):
    names, texts = zip(*aiodynamo["refusals"], strict=True)
    assert names == (
        "ConditionalCheckFailed",
        "ItemNotFound",
        "TableNotFound",
        "ValidationException",
        "ResourceInUse",
    )
    assert "'message': 'The conditional request failed'" in texts[0]
    assert "'The provided key element does not match the schema'" in texts[3]
    assert "'Table already exists: aiodynamo'" in texts[4]


@pytest.mark.parametrize(
    ("heading", "expected"), [("aiobotocore", "'notes'"), ("aiodynamo", "True")]
)
def test_documented(notes, endpoint, environment, python_packages, heading, expected):
    command = [sys.executable, "-c", documented(heading, endpoint)]
    ended = run_program(command, environment | {"PYTHONPATH": python_packages})
    assert expected in ended.stdout, ended.stderr
