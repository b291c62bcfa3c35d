"""Texts of transactions, by their numbers in the catalogue.

Those of transactions that meet need a write that is held: tests/unit/api/dynamodb.
"""

import uuid

import pytest

from tests.api.items import padding
from tests.api.refusals import VALIDATION, breaks, refusal, violated
from tests.api.transactions import PAYLOAD, READ_TOO_LARGE, delete, get, put

KIB = 1024
TOO_LONG = "t" * 37
FEW = "have length greater than or equal to 1"
MANY = "have length less than or equal to 100"
CALLS = {"get": "transact_get_items", "write": "transact_write_items"}


@pytest.fixture
def told(dynamodb):
    """Code and text of what a transaction is refused for."""

    def refused(kind, actions, **request):
        return refusal(getattr(dynamodb, CALLS[kind]), TransactItems=actions, **request)

    return refused


@pytest.mark.parametrize(
    ("number", "kind", "request_", "text"),
    [
        (19, "get", {}, breaks("[]", "transactItems", FEW)),
        (19, "write", {}, breaks("[]", "transactItems", FEW)),
        (
            21,
            "write",
            {"ClientRequestToken": TOO_LONG},
            breaks(TOO_LONG, "clientRequestToken", "have length less than or equal to 36"),
        ),
    ],
)
def test_members(told, simple, number, kind, request_, text):
    actions = [put(simple, {"pk": {"S": "a"}})] if request_ else []
    assert told(kind, actions, **request_) == violated(text)


# The list is shown as Java prints it.
@pytest.mark.parametrize(
    ("number", "kind", "action", "begin"),
    [
        (20, "get", get, "TransactGetItem(get=Get("),
        (20, "write", put, "TransactWriteItem(conditionCheck=null, put=Put("),
    ],
)
def test_more_than_a_hundred(told, simple, number, kind, action, begin):
    code, text = told(kind, [action(simple, {"pk": {"S": str(each)}}) for each in range(101)])
    assert code == VALIDATION
    assert text.startswith(f"1 validation error detected: Value '[{begin}")
    assert text.endswith(f"]' at 'transactItems' failed to satisfy constraint: Member must {MANY}")


@pytest.mark.parametrize(
    ("number", "kind", "actions", "expected"),
    [
        (
            201,
            "get",
            [get, get],
            "Transaction request cannot include multiple operations on one item",
        ),
        (
            201,
            "write",
            [put, delete],
            "Transaction request cannot include multiple operations on one item",
        ),
        (
            203,
            "write",
            [lambda t, k: {**put(t, k), **delete(t, k)}],
            "TransactItems can only contain one of Check, Put, Update or Delete",
        ),
    ],
)
def test_actions(told, simple, pk, number, kind, actions, expected):
    made = [action(simple, {"pk": {"S": pk}}) for action in actions]
    assert told(kind, made) == (VALIDATION, expected)


# Eleven items of more than 4 MB together. What the service says of reads is not published.
@pytest.mark.parametrize(("number", "kind"), [(202, "get"), (202, "write")])
def test_too_large(told, dynamodb, composite, pk, number, kind):
    items = [
        {"pk": {"S": pk}, "sk": {"S": str(each)}, "a": padding(390 * KIB)} for each in range(11)
    ]
    actions = [put(composite, item) for item in items]
    if kind == "get":
        keys = [{"pk": item["pk"], "sk": item["sk"]} for item in items]
        for item in items:
            dynamodb.put_item(TableName=composite, Item=item)
        actions = [get(composite, key) for key in keys]
    size = sum(len(f"pk{pk}sk{each}a") + 390 * KIB for each in range(11))
    assert told(kind, actions) == (
        VALIDATION,
        READ_TOO_LARGE if kind == "get" else f"{PAYLOAD}: {PAYLOAD}{size}",
    )


@pytest.mark.parametrize(("number", "token"), [(204, "of-another-")])
def test_token_of_another_request(told, dynamodb, simple, pk, number, token):
    token += uuid.uuid4().hex[:20]
    actions = [put(simple, {"pk": {"S": pk}})]
    dynamodb.transact_write_items(TransactItems=actions, ClientRequestToken=token)
    other = [put(simple, {"pk": {"S": f"{pk}x"}})]
    assert told("write", other, ClientRequestToken=token) == (
        "IdempotentParameterMismatchException",
        (
            "Specified idempotent token was used with different request parameters within the "
            "idempotency window"
        ),
    )


# A code for each action, in their order.
@pytest.mark.parametrize(
    ("number", "conditions", "codes"),
    [
        (200, ["attribute_exists(pk)"], "ConditionalCheckFailed"),
        (200, [None, "attribute_exists(pk)"], "None, ConditionalCheckFailed"),
        (200, ["attribute_exists(pk)", None], "ConditionalCheckFailed, None"),
    ],
)
def test_cancelled(told, simple, pk, number, conditions, codes):
    actions = [
        put(
            simple,
            {"pk": {"S": f"{pk}{each}"}},
            **({"ConditionExpression": condition} if condition else {}),
        )
        for each, condition in enumerate(conditions)
    ]
    assert told("write", actions) == (
        "TransactionCanceledException",
        (
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]"
        ),
    )
