"""The AWS CLI, as people type it. Each of its commands takes a second of CPU."""

import json

import pytest


@pytest.fixture(scope="module")
def table(aws):
    """A table with `pk` (S) and `sk` (N) that was made and waited for."""
    answer = aws(
        "create-table",
        *("--table-name", "typed"),
        *("--billing-mode", "PAY_PER_REQUEST"),
        *("--key-schema", "AttributeName=pk,KeyType=HASH", "AttributeName=sk,KeyType=RANGE"),
        "--attribute-definitions",
        *("AttributeName=pk,AttributeType=S", "AttributeName=sk,AttributeType=N"),
        *("--tags", "Key=owner,Value=me"),
    )
    assert answer["TableDescription"]["TableStatus"] == "CREATING"
    assert aws("wait", "table-exists", "--table-name", "typed") is None
    # At once: each command is a process of its own.
    items = [{"pk": {"S": "listed"}, "sk": {"N": str(number)}} for number in range(5)]
    aws("batch-write-item", "--request-items", batch_of("typed", *items))
    return "typed"


def batch_of(table, *items):
    return json.dumps({table: [{"PutRequest": {"Item": item}} for item in items]})


def put(aws, pk, sk, **attributes):
    item = {"pk": {"S": pk}, "sk": {"N": str(sk)}, **attributes}
    return aws("put-item", "--table-name", "typed", "--item", json.dumps(item))


# The CLI waits for a status and prints dates as the numbers that they are on the wire.
@pytest.mark.long
def test_describe_and_list(aws, table):
    described = aws("describe-table", "--table-name", table)["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["CreationDateTime"] > 1_700_000_000
    assert table in aws("list-tables")["TableNames"]


# A command without an answer prints nothing. Binary is typed as it is and printed as base64.
@pytest.mark.long
def test_put_and_get(aws, table):
    assert put(aws, "put", 1, text={"S": "déjà vu 😀"}, bytes={"B": "raw"}) is None
    key = '{"pk": {"S": "put"}, "sk": {"N": "1.0"}}'
    item = aws("get-item", "--table-name", table, "--key", key, "--consistent-read")["Item"]
    assert item == {
        "pk": {"S": "put"},
        "sk": {"N": "1"},
        "text": {"S": "déjà vu 😀"},
        "bytes": {"B": "cmF3"},
    }


# The CLI asks for all pages by itself, and makes tokens of LastEvaluatedKey for those who do not.
@pytest.mark.long
def test_pages(aws, table):
    query = (
        *("query", "--table-name", table, "--key-condition-expression", "pk = :pk"),
        *("--expression-attribute-values", '{":pk": {"S": "listed"}}', "--page-size", "2"),
    )
    every = aws(*query)
    assert [item["sk"]["N"] for item in every["Items"]] == ["0", "1", "2", "3", "4"]
    assert every["Count"] == 5
    first = aws(*query, "--max-items", "3")
    rest = aws(*query, "--starting-token", first["NextToken"])
    assert [item["sk"]["N"] for item in first["Items"] + rest["Items"]] == list("01234")


@pytest.mark.long
def test_update_and_delete(aws, table):
    key = '{"pk": {"S": "updated"}, "sk": {"N": "1"}}'
    updated = aws(
        *("update-item", "--table-name", table, "--key", key, "--return-values", "UPDATED_NEW"),
        *("--update-expression", "ADD visits :one"),
        *("--expression-attribute-values", '{":one": {"N": "1"}}'),
    )
    assert updated == {"Attributes": {"visits": {"N": "1"}}}
    deleted = aws("delete-item", "--table-name", table, "--key", key, "--return-values", "ALL_OLD")
    assert deleted["Attributes"]["visits"] == {"N": "1"}


@pytest.mark.long
def test_batch(aws, table):
    item = {"pk": {"S": "batch"}, "sk": {"N": "1"}}
    answer = aws("batch-write-item", "--request-items", batch_of(table, item))
    assert answer == {"UnprocessedItems": {}}
    keys = json.dumps({table: {"Keys": [item]}})
    answer = aws("batch-get-item", "--request-items", keys)
    assert answer == {"Responses": {table: [item]}, "UnprocessedKeys": {}}


@pytest.mark.long
def test_tags(aws, table):
    arn = aws("describe-table", "--table-name", table)["Table"]["TableArn"]
    assert aws("tag-resource", "--resource-arn", arn, "--tags", "Key=a,Value=b") is None
    assert aws("untag-resource", "--resource-arn", arn, "--tag-keys", "owner") is None
    listed = aws("list-tags-of-resource", "--resource-arn", arn)
    assert listed == {"Tags": [{"Key": "a", "Value": "b"}]}


# Scripts look for the name of the error in this line.
@pytest.mark.parametrize(
    ("words", "operation", "code", "text"),
    [
        (
            ("describe-table", "--table-name", "no-such-table"),
            "DescribeTable",
            "ResourceNotFoundException",
            "Requested resource not found: Table: no-such-table not found",
        ),
        (
            ("describe-table", "--table-name", "ab"),
            "DescribeTable",
            "ValidationException",
            "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: ",
        ),
    ],
)
@pytest.mark.long
def test_errors(aws, words, operation, code, text):
    told = aws(*words, fails=True)
    line = f"An error occurred ({code}) when calling the {operation} operation: {text}"
    assert line.strip() in told
