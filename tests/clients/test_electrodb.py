"""ElectroDB, many entities in one table: `javascript/electrodb.mjs` says what it does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

ADA = {"employee": "ada", "office": "north", "team": "red", "title": "Junior", "created": 1}
UPSERTED = ADA | {"employee": "upsert"}


@pytest.fixture
def seen(javascript):
    return javascript("electrodb.mjs")


# ElectroDB puts what it caught into an error of its own, and looks at the name of the cause.
def _refused(cause, message):
    return {
        "name": "ElectroError",
        "code": 4001,
        "message": (
            f'Error thrown by DynamoDB client: "{message}" - For more detail on this error '
            "reference: https://electrodb.dev/en/reference/errors/#aws-error"
        ),
        "cause": cause,
        "status": 400,
    }


FAILED = _refused("ConditionalCheckFailedException", "The conditional request failed")


# Keys are made of entities and attributes; a second create of the same is refused.
def test_create(seen):
    assert seen["create"] == {
        "created": "ada",
        "keys": [
            "$work#employee_ada",
            "$employee_1",
            "$work#team_red",
            "$assignments#employee_1#title_junior#employee_ada",
        ],
        "item": ADA
        | {
            "salary": 100,
            "skills": ["a", "b"],
            "tasks": ["one"],
            "address": {"city": "Zürich", "zip": "8000"},
            "active": True,
        },
        "again": FAILED,
        "missing": None,
    }


# One UpdateItem of SET, ADD, list_append and a condition over names that it made up.
def test_patch(seen):
    assert seen["patch"] == {
        "patched": ADA
        | {
            "salary": 105,
            "skills": ["a", "b", "c"],
            "tasks": ["one", "two"],
            "address": {"city": "Bern"},
            "active": False,
        },
        "deleted": {
            "employee": "ada",
            "salary": 104,
            "skills": ["b", "c"],
            "tasks": ["uno"],
            "address": {"zip": "3000"},
        },
        "failed": FAILED,
        "missing": FAILED,
    }


def test_upsert(seen):
    first, second = seen["upsert"]
    assert first == UPSERTED | {"salary": 7}
    assert second == UPSERTED | {"salary": 10, "title": "Lead", "active": True}


# 60 puts and 60 reads, which it cuts into batches and sends side by side.
def test_batches(seen):
    assert seen["batches"] == {"unprocessed": [[], [], []], "salaries": sum(range(60))}


# A cursor is LastEvaluatedKey of the index with the table's key, made into a text and back.
def test_query(seen):
    assert seen["query"] == {
        "some": [{"employee": f"p{number}", "salary": number} for number in range(10, 14)],
        "rich": ["p57", "p56", "p55"],
        "pages": [[25, "p00", "p24"], [25, "p25", "p49"], [8, "p50", "p57"]],
        "found": ["p07"],
        "matched": ["p07"],
    }


def test_collection(seen):
    assert seen["collection"] == {
        "employees": ["ada", "upsert"],
        "tasks": [["t2", "closed"], ["t1", "open"]],
        "filtered": ["t2"],
    }


def test_scan(seen):
    assert seen["scan"] == 58


# `remove` wants the item to be there, `delete` does not.
def test_remove(seen):
    task = {"task": "t1", "team": "red", "status": "open", "points": 3}
    assert seen["remove"] == {"removed": task, "again": FAILED, "deleted": None}


# It takes the reasons of a cancelled transaction for its answer, action by action.
def test_transactions(seen):
    held = [False, "None", None]
    broken = [True, "ConditionalCheckFailed", "The conditional request failed"]
    assert seen["transactions"] == {
        "failed": [True, [held, broken, held]],
        "old": 104,
        "done": [False, [False, False, False]],
        "salary": 105,
        "tasks": [{"task": "x1", "team": "red", "status": "open", "points": 1}, None],
    }


def test_refusals(seen):
    missing = _refused("ResourceNotFoundException", "Requested resource not found")
    assert seen["refusals"]["missing"] == missing
    invalid = seen["refusals"]["invalid"]
    assert (invalid["name"], invalid["code"], invalid["cause"]) == (
        "ElectroValidationError",
        3001,
        None,
    )
