"""BatchExecuteStatement and ExecuteTransaction: several statements in one request."""

import uuid

import pytest

from tests.api.items import answer, error_of, stored
from tests.api.refusals import VALIDATION, refusal
from tests.api.statements import items, responses, statement_table, transacted
from tests.api.transactions import FAILED, NONE, check, delete, get, put, update

DUPLICATE = {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
TOTAL = {"ReturnConsumedCapacity": "TOTAL"}


@pytest.fixture(scope="module")
def table(new_table):
    return statement_table(new_table)


@pytest.fixture
def keys(dynamodb, table, pk):
    """Keys of three items that are there, and of one that is not, as `4`."""
    found = [{"pk": {"S": pk}, "sk": {"S": str(number)}} for number in range(1, 5)]
    for number, key in enumerate(found[:3], 1):
        dynamodb.put_item(TableName=table, Item={**key, "n": {"N": str(number)}})
    return found


def where(key):
    return f"WHERE pk = '{key['pk']['S']}' AND sk = '{key['sk']['S']}'"


def inserted(table, key, members=""):
    return f"INSERT INTO \"{table}\" VALUE {{'pk': '{key['pk']['S']}', 'sk': '{key['sk']['S']}'{members}}}"  # noqa: E501


def test_reads_in_a_batch(dynamodb, table, keys):
    sent = [
        {"Statement": f'SELECT * FROM "{table}" {where(keys[0])}'},
        {"Statement": f'SELECT n FROM "{table}" {where(keys[1])}', "ConsistentRead": True},
        {"Statement": f'SELECT * FROM "{table}" {where(keys[3])}'},
        {
            "Statement": f"SELECT * FROM \"{table}\" WHERE pk IN [?] AND sk = '3'",
            "Parameters": [keys[0]["pk"]],
        },
        {"Statement": 'SELECT * FROM "never-made" WHERE pk = 1'},
        {"Statement": f'SELECT * FROM "{table}"."none" {where(keys[0])}'},
    ]
    told = answer(dynamodb.batch_execute_statement, Statements=sent, **TOTAL)
    assert told["Responses"] == [
        {"TableName": table, "Item": {**keys[0], "n": {"N": "1"}}},
        {"TableName": table, "Item": {"n": {"N": "2"}}},
        {"TableName": table},
        {"TableName": table, "Item": {**keys[2], "n": {"N": "3"}}},
        {"Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"}},
        {
            "Error": {
                "Code": "ValidationError",
                "Message": "The table does not have the specified index",
            }
        },
    ]
    assert told["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 2.5}]


# Each statement stands for itself: what is wrong with one does not keep others from being done.
def test_writes_in_a_batch(dynamodb, table, keys):
    told = responses(
        dynamodb,
        inserted(table, keys[3]),
        inserted(table, keys[0]),
        f'UPDATE "{table}" SET n = 7 {where(keys[1])} RETURNING MODIFIED NEW *',
        f'DELETE FROM "{table}" {where(keys[2])} AND n = 0 RETURNING ALL OLD *',
        f'UPDATE "{table}" SET a = b WHERE pk = 1',
        "SLECT",
        'DELETE FROM "never-made" WHERE pk = 1',
    )
    assert told == [
        {"TableName": table},
        {"TableName": table, "Error": DUPLICATE},
        {"TableName": table, "Item": {"n": {"N": "7"}}},
        {"TableName": table, "Error": FAILED},
        {
            "Error": {
                "Code": "ValidationError",
                "Message": "Where clause does not contain a mandatory equality on all key "
                "attributes",
            }
        },
        {"Error": {"Code": "ValidationError", "Message": "Unsupported operation: Id"}},
        {"Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"}},
    ]
    assert stored(dynamodb, table, keys[3]) == keys[3]
    assert stored(dynamodb, table, keys[1])["n"] == {"N": "7"}
    assert stored(dynamodb, table, keys[2])["n"] == {"N": "3"}


# A failed member is charged for the item that is there; it is told in the total of its table, if
# another member succeeded there. Source: measured by users, August 2026.
def test_cost_of_a_batch_of_writes(dynamodb, table, keys):
    large = {**keys[1], "a": {"S": "x" * 3000}}
    dynamodb.put_item(TableName=table, Item=large)
    succeeds = inserted(table, keys[3], ", 'g': 'x'")
    for failing, units in (([keys[0]], 1.0), ([keys[0], keys[1], keys[2]], 5.0)):
        sent = [{"Statement": inserted(table, key)} for key in failing]
        told = answer(dynamodb.batch_execute_statement, Statements=sent, **TOTAL)
        assert "ConsumedCapacity" not in told
        sent = [*sent, {"Statement": succeeds}]
        (told,) = answer(
            dynamodb.batch_execute_statement, Statements=sent, ReturnConsumedCapacity="INDEXES"
        )["ConsumedCapacity"]
        one = {"CapacityUnits": 1.0}
        assert told == {
            "TableName": table,
            "CapacityUnits": units + 2.0,
            "Table": one,
            "GlobalSecondaryIndexes": {"global": one},
        }
        dynamodb.delete_item(TableName=table, Key=keys[3])


def test_cost_of_a_batch_on_several_tables(dynamodb, table, keys, new_table):
    other = statement_table(new_table)
    sent = [{"Statement": inserted(table, keys[0])}, {"Statement": inserted(other, keys[0])}]
    told = answer(dynamodb.batch_execute_statement, Statements=sent, **TOTAL)
    assert told["ConsumedCapacity"] == [{"TableName": other, "CapacityUnits": 1.0}]


# What did not meet a condition is answered, what was there before an INSERT is not.
# Source: captures of the service, September 2026.
def test_a_batch_answers_what_failed(dynamodb, table, keys):
    update = f'UPDATE "{table}" SET n = 7 {where(keys[0])} AND n = 0'
    told = answer(
        dynamodb.batch_execute_statement,
        Statements=[
            {"Statement": update, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
            {
                "Statement": f'UPDATE "{table}" SET n = 7 {where(keys[1])} AND n = 0',
                "ReturnValuesOnConditionCheckFailure": "NONE",
            },
            {
                "Statement": inserted(table, keys[2]),
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            },
        ],
    )
    old = stored(dynamodb, table, keys[0])
    assert told["Responses"] == [
        {"TableName": table, "Error": {**FAILED, "Item": old}},
        {"TableName": table, "Error": FAILED},
        {"TableName": table, "Error": DUPLICATE},
    ]


@pytest.mark.parametrize(
    ("call", "member", "most"),
    [
        ("batch_execute_statement", "Statements", 25),
        ("execute_transaction", "TransactStatements", 100),
    ],
)
def test_how_many_statements(dynamodb, table, pk, call, member, most):
    sent = [
        {"Statement": inserted(table, {"pk": {"S": pk}, "sk": {"S": str(number)}})}
        for number in range(most + 1)
    ]
    code, text = refusal(getattr(dynamodb, call), **{member: sent})
    assert (code, text[-48:]) == (
        VALIDATION,
        f"Member must have length less than or equal to {most}"[-48:],
    )
    getattr(dynamodb, call)(**{member: sent[:most]})
    found = items(dynamodb, f"SELECT sk FROM \"{table}\" WHERE pk = '{pk}'")
    assert len(found) == most


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("execute_statement", {}),
        ("execute_statement", {"Statement": ""}),
        ("execute_statement", {"Statement": "x" * 8193}),
        ("execute_statement", {"Statement": "SELECT", "Parameters": []}),
        ("execute_statement", {"Statement": "SELECT", "Limit": 0}),
        ("execute_statement", {"Statement": "SELECT", "NextToken": ""}),
        ("execute_statement", {"Statement": "SELECT", "ReturnConsumedCapacity": "ALL"}),
        ("batch_execute_statement", {"Statements": [{}]}),
        ("execute_transaction", {"TransactStatements": [{"Statement": "S", "Parameters": []}]}),
    ],
)
def test_constraints_of_the_model(dynamodb, call, request_):
    code, text = refusal(getattr(dynamodb, call), **request_)
    assert code == VALIDATION
    assert text.startswith("1 validation error detected: Value ")


# A transaction of statements is one of actions: the same items, the same cost.
def test_a_transaction_of_writes(dynamodb, table, keys):
    told = transacted(
        dynamodb,
        inserted(table, keys[3], ", 'g': 'x'"),
        f'UPDATE "{table}" SET n = n + 1 {where(keys[0])} AND n = 1',
        f'DELETE FROM "{table}" {where(keys[1])}',
        f'EXISTS(SELECT * FROM "{table}" {where(keys[2])} AND n = 3)',
        **TOTAL,
    )
    assert told["Responses"] == []
    twins = [{**key, "pk": {"S": str(uuid.uuid4())}} for key in keys]
    for number, key in enumerate(twins[:3], 1):
        dynamodb.put_item(TableName=table, Item={**key, "n": {"N": str(number)}})
    one = {"ExpressionAttributeValues": {":n": {"N": "1"}}}
    actions = [
        put(table, {**twins[3], "g": {"S": "x"}}),
        update(table, twins[0], "SET n = n + :n", ConditionExpression="n = :n", **one),
        delete(table, twins[1]),
        check(table, twins[2], "n <> :n", **one),
    ]
    expected = dynamodb.transact_write_items(TransactItems=actions, **TOTAL)
    assert told["ConsumedCapacity"] == expected["ConsumedCapacity"]
    for key, twin in zip(keys, twins, strict=True):
        found, other = stored(dynamodb, table, key), stored(dynamodb, table, twin)
        assert found == (None if other is None else {**other, **key})


def test_a_transaction_of_reads(dynamodb, table, keys):
    told = transacted(
        dynamodb,
        f'SELECT * FROM "{table}" {where(keys[0])}',
        f'SELECT n FROM "{table}" {where(keys[1])}',
        f'SELECT * FROM "{table}" {where(keys[3])}',
        **TOTAL,
    )
    gets = [get(table, keys[0]), get(table, keys[1], ProjectionExpression="n"), get(table, keys[3])]
    assert told == answer(dynamodb.transact_get_items, TransactItems=gets, **TOTAL)


def reasons(dynamodb, *statements):
    sent = [each if isinstance(each, dict) else {"Statement": each} for each in statements]
    told = error_of(dynamodb.execute_transaction, TransactStatements=sent)
    assert told["Error"]["Code"] == "TransactionCanceledException"
    return told["CancellationReasons"]


# All statements or none; each has its reason.
def test_a_transaction_is_cancelled(dynamodb, table, keys):
    update_of = {
        "Statement": f'UPDATE "{table}" SET n = 9 {where(keys[1])} AND n = 0',
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    before = [stored(dynamodb, table, key) for key in keys]
    told = reasons(
        dynamodb,
        inserted(table, keys[0]),
        update_of,
        inserted(table, keys[3]),
        f'EXISTS(SELECT * FROM "{table}" {where(keys[2])} AND n IS MISSING)',
    )
    assert told == [DUPLICATE, {**FAILED, "Item": before[1]}, NONE, FAILED]
    assert [stored(dynamodb, table, key) for key in keys] == before


MISMATCH = {
    "Code": "ValidationError",
    "Message": "The provided key element does not match the schema",
}
NOT_FOUND = {"Code": "ResourceNotFound", "Message": "Requested resource not found"}


# Source of what cancels and what refuses: measured by users, September 2026.
def test_what_names_no_item_cancels(dynamodb, table, keys):
    change = f'UPDATE "{table}" SET n = 1 WHERE '
    told = reasons(
        dynamodb,
        f"{change} pk = 'a'",
        f"{change} pk IN ['a'] AND sk = '1'",
        f"{change} pk = 'a' AND sk = 1",
        f'UPDATE "{table}" SET n = 1 {where(keys[0])}',
    )
    assert told == [MISMATCH, MISMATCH, MISMATCH, NONE]
    missing = 'UPDATE "never-made" SET a = 1 WHERE pk = 1'
    assert reasons(dynamodb, missing, missing) == [NOT_FOUND, NOT_FOUND]
    read = f'SELECT * FROM "{table}" {where(keys[0])}'
    assert reasons(dynamodb, read, 'SELECT * FROM "never-made"."i"') == [NONE, NOT_FOUND]
    other = f"SELECT * FROM \"{table}\" WHERE pk = 1 AND sk = '1'"
    assert reasons(dynamodb, read, read, other) == [NONE, NONE, MISMATCH]
    assert stored(dynamodb, table, keys[0])["n"] == {"N": "1"}


def test_a_transaction_that_is_sent_again(dynamodb, table, keys):
    statement = f'UPDATE "{table}" SET n = n + 1 {where(keys[0])}'
    more = {"ClientRequestToken": str(uuid.uuid4()), **TOTAL}
    first, again = (transacted(dynamodb, statement, **more) for _ in range(2))
    assert stored(dynamodb, table, keys[0])["n"] == {"N": "2"}
    assert "WriteCapacityUnits" in first["ConsumedCapacity"][0]
    assert "ReadCapacityUnits" in again["ConsumedCapacity"][0]
    sent = [{"Statement": statement.replace("+ 1", "+ 2")}]
    code, _ = refusal(dynamodb.execute_transaction, TransactStatements=sent, **more)
    assert code == "IdempotentParameterMismatchException"


def test_exists_stands_in_transactions_only(dynamodb, table, keys):
    statement = f'EXISTS(SELECT * FROM "{table}" {where(keys[0])} AND n = 1)'
    code, text = refusal(dynamodb.execute_statement, Statement=statement)
    assert (code, text) == (
        VALIDATION,
        "EXISTS can only be used in ExecuteTransaction write requests.",
    )
    (told,) = responses(dynamodb, statement)
    assert told == {"Error": {"Code": "ValidationError", "Message": text}}
