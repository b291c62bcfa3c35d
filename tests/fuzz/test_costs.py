"""Requests that cost much for their size: bounded work for each, whatever it compares or copies.

Each of them once held the server for 5 seconds to some minutes, or took gigabytes. The whole of a
request may be 16 MB; these are smaller, so that the tests are fast where the work is bounded.
"""

import pytest

from tests.fuzz.memory import KEY, Refusing, held_bytes
from tests.fuzz.mutations import TABLES, raw

UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
EMPTY_TEXTS = {"L": [{"S": ""}] * 400_000}
"""400,003 bytes, nearly as much as an item may have."""
PADDED_BYTES = 15_000_000


@pytest.fixture(scope="module")
def server():
    own = Refusing(TABLES)
    # One large item, and one with many small sets.
    own.call("PutItem", TableName="ranged", Item={**RANGED, "l": EMPTY_TEXTS})
    sets = {name: {"NS": ["-1"]} for name in NAMES}
    own.call("PutItem", TableName="ranged", Item={**SETS, **sets})
    yield own
    own.close()
    held_bytes()  # gives back the hundreds of megabytes that these requests took


RANGED = {"pk": {"S": "a"}, "sk": {"N": "1"}}
SETS = {"pk": {"S": "b"}, "sk": {"N": "1"}}
NAMES = [f"{letter}{number}" for letter in "abcdefgh" for number in range(60)]
"""As many as an expression has room for."""


def numbers():
    """A set of 2 MB: made when it is needed, and not kept until the end of the run."""
    return {"NS": [str(number) for number in range(300_000)]}


def update(expression, key=RANGED, **values):
    return {
        "TableName": "ranged",
        "Key": key,
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {f":{name}": value for name, value in values.items()} or None,
    }


# What is written is measured as it is computed, and refused at the first too many.
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        pytest.param(
            "SET " + ",".join(f"{name}=:v" for name in NAMES), EMPTY_TEXTS, marks=pytest.mark.long
        ),
        ("SET " + ",".join(f"{name}=l" for name in NAMES), None),
        pytest.param(
            "SET " + ",".join(f"l[{number}]=l" for number in range(300)),
            None,
            marks=pytest.mark.long,
        ),
        ("SET " + ",".join(f"{name}=list_append(l,l)" for name in NAMES[:150]), None),
        ("SET " + ",".join(f"{name}=list_append(:v,:v)" for name in NAMES[:130]), EMPTY_TEXTS),
    ],
    ids=["values", "copies", "nested copies", "appended", "values appended"],
)
def test_updates_that_write_much(server, expression, value):
    values = {} if value is None else {"v": value}
    assert server.invalid("UpdateItem", update(expression, **values)) == UPDATE_TOO_LARGE


@pytest.mark.long
def test_many_small_sets_with_a_large_one(server):
    request = update("ADD " + ",".join(f"{name} :v" for name in NAMES), SETS, v=numbers())
    assert server.invalid("UpdateItem", request) == UPDATE_TOO_LARGE


@pytest.mark.long
def test_many_small_sets_less_a_large_one(server):
    expression = "DELETE " + ",".join(f"{name} :v" for name in NAMES)
    assert server.answer("UpdateItem", update(expression, SETS, v=numbers())) == (200, {})


# Equal lists are compared to their ends; once is enough.
def test_a_large_value_listed_again_and_again(server):
    text = " OR ".join([f"l IN ({','.join([':v'] * 100)})"] * 9)
    different = {"L": [*EMPTY_TEXTS["L"][:-1], {"S": "x"}]}
    request = {"TableName": "ranged", "FilterExpression": text}
    request["ExpressionAttributeValues"] = {":v": different}
    assert server.answer("Scan", request)[1]["Count"] == 0


def test_filters_of_more_conditions_than_are_taken(server):
    conditions = {f"a{number}": {"ComparisonOperator": "NULL"} for number in range(300)}
    scan = {"TableName": "simple", "ScanFilter": conditions}
    assert server.answer("Scan", scan)[1]["Count"] == 1
    conditions["a300"] = {"ComparisonOperator": "NULL"}
    text = "hashrange does not support filters of more than 300 conditions"
    assert server.invalid("Scan", scan) == text


# The items of a transaction may be more than 4 MB, so many updates can copy much of each; none of
# them makes more of its item than an item may have.
def test_transactions_of_much(server):
    keys = [{"pk": {"S": "much"}, "sk": {"N": str(number)}} for number in range(12)]
    for key in keys:
        server.call("PutItem", TableName="ranged", Item={**key, "l": {"S": "x" * 400_000}})
    change = {"UpdateExpression": "SET " + ",".join(f"{name}=l" for name in NAMES)}
    actions = [{"Update": {"TableName": "ranged", "Key": key, **change}} for key in keys]
    told = server.refusal("TransactWriteItems", {"TransactItems": actions})
    text = "Item size to update has exceeded the maximum allowed size"
    reasons = [{"Code": "ValidationError", "Message": text}, *[{"Code": "None"}] * 11]
    assert told["CancellationReasons"] == reasons


# Refusals look for bad base64 before they speak, and echo what they refuse; both are bounded.


def put(value):
    return {"TableName": "simple", "Item": {**KEY, "v": value}}


def padded(opening, unit, closing):
    return raw(opening + ",".join([unit] * (PADDED_BYTES // (len(unit) + 1))) + closing)


@pytest.mark.parametrize(
    ("operation", "made", "beginning"),
    [
        pytest.param(
            "PutItem",
            lambda: put(padded('{"L":[', "{}", "]}")),
            "1 validation error detected: Supplied AttributeValue is empty",
            marks=pytest.mark.long,
        ),
        (
            "PutItem",
            lambda: put(padded('{"SS":[', '""', "]}")),
            "1 validation error detected: One or more parameter values were invalid: Input",
        ),
        pytest.param(
            "BatchGetItem",
            lambda: {"RequestItems": {"!": {"Keys": padded("[", "{}", "]")}}},
            '1 validation error detected: Value \'{"!":{"Keys":[{},{},',
            marks=pytest.mark.long,
        ),
        pytest.param(
            "BatchWriteItem",
            lambda: {"RequestItems": {"!": padded("[", "{}", "]")}},
            "1 validation error detected: Value '{!=[WriteRequest(",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "TransactWriteItems",
            lambda: {"TransactItems": padded("[", "{}", "]")},
            "1 validation error detected: Value '[TransactWriteItem(",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "TransactGetItems",
            lambda: {"TransactItems": padded("[", '{"Get":{"TableName":"!"}}', "]")},
            "1 validation error detected: Value '[TransactGetItem(",
            marks=pytest.mark.long,
        ),
    ],
    ids=["empty values", "set", "echo as JSON", "echo as Java", "actions", "gets"],
)
def test_refusals_of_large_requests(server, operation, made, beginning):
    text = server.invalid(operation, made())
    assert text.startswith(beginning)
    assert len(text) < 300_000
