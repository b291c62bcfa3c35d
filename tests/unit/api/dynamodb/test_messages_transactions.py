"""Texts of what meets a transaction that is not durable yet, by their numbers in the catalogue."""

import pytest

from hashrange.errors import Fault
from tests.api.transactions import put
from tests.unit.api.dynamodb.test_transact_conflicts import A, B, Server, T


@pytest.fixture
def server():
    made = Server()
    yield made
    made.end()


@pytest.mark.parametrize(
    ("number", "operation", "request_", "told"),
    [
        (
            205,
            "TransactWriteItems",
            {"TransactItems": [put(T, B)], "ClientRequestToken": "token"},
            (
                Fault.TRANSACTION_IN_PROGRESS,
                "The transaction with the given request token is already in progress.",
            ),
        ),
        (
            206,
            "PutItem",
            {"Item": A},
            (Fault.TRANSACTION_CONFLICT, "Transaction is ongoing for the item"),
        ),
        (
            206,
            "DeleteItem",
            {"Key": A},
            (Fault.TRANSACTION_CONFLICT, "Transaction is ongoing for the item"),
        ),
    ],
)
def test_meeting(server, number, operation, request_, told):
    running, release = server.held(
        "TransactWriteItems", TransactItems=[put(T, A)], ClientRequestToken="token"
    )
    assert server.refused(operation, **request_) == told
    release()
    server.run(running)
