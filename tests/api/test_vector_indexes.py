"""Vector indexes: their definitions, their life, and what writes of items do with them."""

import pytest

from tests.api.refusals import refusal
from tests.api.tables import keyed
from tests.api.vectors import found, listed, made, search_schema, vector, vector_index
from tests.pace import until

VALIDATION = "ValidationException"
INVALID = "One or more parameter values were invalid: "
WRITE = "One or more parameter values were invalid. "
ONE_ONLINE = (
    "LimitExceededException",
    (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
        "per table"
    ),
)


@pytest.fixture(scope="module")
def table(dynamodb):
    """A table with two indexes of one attribute; its items are those of single tests."""
    schema = search_schema("category", by="tenant")
    name = made(
        dynamodb,
        vector_index("plain"),
        vector_index("schema", **schema),
        tenant="S",
        category="S",
    )
    yield name
    dynamodb.delete_table(TableName=name)


def described(dynamodb, name):
    return dynamodb.describe_table(TableName=name)["Table"].get("VectorIndexes")


def created(dynamodb, *indexes, **changes):
    request = {"TableName": "refused", **keyed(pk="S"), "VectorIndexes": list(indexes), **changes}
    return refusal(dynamodb.create_table, **request)


# The description has the definition, in the order of the request.
def test_a_definition_is_described(dynamodb):
    schema = search_schema("category", "year")
    schema["SearchSchema"].insert(1, {"AttributeName": "tenant", "SearchSchemaElementType": "HASH"})
    include = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["label"]}
    index = vector_index(**schema, Dimensions=4096, Projection=include)
    name = made(dynamodb, index, tenant="S", category="B", year="N")
    (one,) = described(dynamodb, name)
    arn = one.pop("IndexArn")
    assert arn.endswith(f"table/{name}/index/vix")
    assert one == {**index, "IndexStatus": "ACTIVE", "IndexSizeBytes": 0, "ItemCount": 0}
    definitions = dynamodb.describe_table(TableName=name)["Table"]["AttributeDefinitions"]
    assert [each["AttributeName"] for each in definitions] == ["category", "pk", "tenant", "year"]
    dynamodb.delete_table(TableName=name)


ON_DEMAND = "Vector indexes are only supported for PAY_PER_REQUEST tables"
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
CONFLICT = "Conflicting attribute definition for '{}'. "


@pytest.mark.parametrize(
    ("number", "indexes", "changes", "text"),
    [
        (
            170,
            [vector_index()],
            {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS},
            ON_DEMAND,
        ),
        (
            171,
            [vector_index(**search_schema(by="tenant"))],
            {},
            "One element in SearchSchema is not defined in attribute definitions",
        ),
        (
            172,
            [vector_index(Dimensions=4097)],
            {},
            "Number of dimensions must be between 1 and 4096 inclusive.",
        ),
        (
            173,
            [vector_index(f"vix{number}") for number in range(6)],
            {},
            "VectorIndex count exceeds the per-table limit of 5",
        ),
        (
            174,
            [vector_index(), vector_index("vix2", Dimensions=4)],
            {},
            CONFLICT.format("emb")
            + "All VectorIndexes on the same vector attribute must use the same dimensions.",
        ),
        (
            175,
            [vector_index(VectorAttribute={"AttributeName": "pk"})],
            {},
            CONFLICT.format("pk")
            + "An attribute cannot be defined in AttributeDefinitions when used as a "
            "VectorAttribute.",
        ),
        (144, [vector_index(), vector_index()], {}, "Duplicate index name: vix"),
    ],
)
def test_definitions_that_are_refused(dynamodb, number, indexes, changes, text):
    assert created(dynamodb, *indexes, **changes) == (VALIDATION, INVALID + text)


# These are refused by the constraints of the model.
@pytest.mark.parametrize(
    ("changes", "text"),
    [({"Dimensions": 0}, "greater than or equal to 1"), ({"IndexName": "ab"}, "equal to 3")],
)
def test_definitions_that_break_the_model(dynamodb, changes, text):
    code, message = created(dynamodb, vector_index(**changes))
    assert code == VALIDATION
    assert message.endswith(text)


WRITES = [
    (
        177,
        {"emb": listed(1, 0)},
        WRITE + "Invalid size for parameter emb, Expected: 3, Actual: 2 IndexName: plain",
    ),
    (
        178,
        {"emb": {"L": [{"N": "1"}, {"S": "x"}, {"N": "0"}]}},
        WRITE + "Invalid type for parameter emb[1], Expected: 32-bit floating point number, "
        "Actual: S. IndexName: plain",
    ),
    (
        179,
        {"emb": {"S": "x"}},
        WRITE + "Invalid type for parameter emb, Expected: 32-bit floating point number list "
        "IndexName: plain",
    ),
    (
        180,
        {"emb": listed(1, "3.5E+38", 0)},
        WRITE + "Invalid value for parameter emb[1], Value: 3.5E+38 is outside valid range "
        "[-3.4028235E38, 3.4028235E38]. IndexName: plain",
    ),
    (
        181,
        {"emb": listed(1, 0, 0), "tenant": {"S": ""}},
        (
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value. IndexName: schema, IndexKey: tenant"
        ),
    ),
    (
        181,
        {"emb": listed(1, 0, 0), "tenant": {"N": "1"}},
        INVALID + "Type mismatch for Index Key tenant Expected: S Actual: N IndexName: schema",
    ),
]


@pytest.mark.parametrize(("number", "attributes", "text"), WRITES)
def test_items_that_do_not_fit_are_refused(dynamodb, table, number, attributes, text):
    item = {"pk": {"S": "refused"}, **attributes}
    assert refusal(dynamodb.put_item, TableName=table, Item=item) == (VALIDATION, text)
    batch = {table: [{"PutRequest": {"Item": item}}]}
    assert refusal(dynamodb.batch_write_item, RequestItems=batch) == (VALIDATION, text)


@pytest.mark.parametrize(("number", "attributes", "text"), WRITES[:4])
def test_updates_that_do_not_fit_are_refused(dynamodb, table, number, attributes, text):
    for expression in ("SET emb = :v", "SET emb = if_not_exists(emb, :v)"):
        request = {
            "TableName": table,
            "Key": {"pk": {"S": "refused"}},
            "UpdateExpression": expression,
            "ExpressionAttributeValues": {":v": attributes["emb"]},
        }
        assert refusal(dynamodb.update_item, **request) == (VALIDATION, text)
        update = {"TransactItems": [{"Update": request}]}
        code, message = refusal(dynamodb.transact_write_items, **update)
        assert code == "TransactionCanceledException"
        assert "ValidationError" in message


# Removing the vector removes the entry, deleting the item too; a change moves the entry.
def test_entries_follow_their_items(dynamodb):
    schema = search_schema(by="tenant")
    name = made(dynamodb, vector_index("plain"), vector_index("schema", **schema), tenant="S")
    key = {"TableName": name, "Key": {"pk": {"S": "1"}}}

    def counts():
        return [(each["ItemCount"], each["IndexSizeBytes"]) for each in described(dynamodb, name)]

    def of_tenant(value):
        more = {
            "SearchConditionExpression": "tenant = :t",
            "ExpressionAttributeValues": {":t": {"S": value}},
        }
        return [pk for pk, _ in found(dynamodb, name, (1, 0, 0), "schema", **more)]

    item = {"pk": {"S": "1"}, "emb": listed(1, 0, 0), "tenant": {"S": "a"}}
    dynamodb.put_item(TableName=name, Item=item)
    # pk, emb and tenant with their values, and 4 bytes a dimension.
    assert counts() == [(1, 25), (1, 25)]
    assert (of_tenant("a"), of_tenant("b")) == (["1"], [])
    dynamodb.update_item(
        **key,
        UpdateExpression="SET tenant = :b",
        ExpressionAttributeValues={":b": {"S": "b"}},
    )
    assert (of_tenant("a"), of_tenant("b")) == ([], ["1"])
    dynamodb.update_item(**key, UpdateExpression="REMOVE tenant")
    assert (counts()[1], of_tenant("b")) == ((0, 0), [])
    assert found(dynamodb, name, (1, 0, 0), "plain") == [("1", 0.0)]
    dynamodb.update_item(**key, UpdateExpression="REMOVE emb")
    assert found(dynamodb, name, (1, 0, 0), "plain") == []
    dynamodb.put_item(TableName=name, Item=item)
    assert found(dynamodb, name, (0, 1, 0), "plain") == [("1", 1.0)]
    dynamodb.delete_item(**key)
    assert (counts(), found(dynamodb, name, (0, 1, 0), "plain")) == ([(0, 0), (0, 0)], [])
    dynamodb.delete_table(TableName=name)


def update(dynamodb, name, *updates, **changes):
    request = {"TableName": name, "VectorIndexUpdates": list(updates), **changes}
    return dynamodb.update_table(**request)


def update_refused(dynamodb, name, *updates, **changes):
    request = {"TableName": name, "VectorIndexUpdates": list(updates), **changes}
    return refusal(dynamodb.update_table, **request)


# An index of a table in use has the entries of older items when it is ACTIVE.
def test_an_index_is_built_and_removed(dynamodb):
    name = made(dynamodb)
    for number in range(5):
        item = {"pk": {"S": str(number)}, "emb": listed(number, 1, 0)}
        dynamodb.put_item(TableName=name, Item=item)
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "odd"}, "emb": {"S": "no vector"}})
    index = vector_index(**search_schema("tenant"))
    tenant = {"AttributeDefinitions": [{"AttributeName": "tenant", "AttributeType": "S"}]}
    update(dynamodb, name, {"Create": index}, **tenant)
    until(lambda: described(dynamodb, name)[0]["IndexStatus"] == "ACTIVE")
    found_keys = {pk for pk, _ in found(dynamodb, name, (1, 1, 0))}
    assert found_keys == {"0", "1", "2", "3", "4"}
    assert described(dynamodb, name)[0]["ItemCount"] == 5
    refused = update_refused(dynamodb, name, {"Create": index}, **tenant)
    assert refused == (VALIDATION, "Attempting to create an index which already exists")
    two = [{"Create": vector_index(each, **search_schema("tenant"))} for each in ("one", "two")]
    assert update_refused(dynamodb, name, *two, **tenant) == ONE_ONLINE
    update(dynamodb, name, {"Delete": {"IndexName": "vix"}})
    until(lambda: described(dynamodb, name) is None)
    definitions = dynamodb.describe_table(TableName=name)["Table"]["AttributeDefinitions"]
    assert [each["AttributeName"] for each in definitions] == ["pk"]
    gone = refusal(
        dynamodb.search_vectors,
        TableName=name,
        IndexName="vix",
        SearchVector=vector(1, 1, 0),
        TopK=1,
    )
    assert gone == (VALIDATION, "The table does not have the specified index: vix")
    absent = update_refused(dynamodb, name, {"Delete": {"IndexName": "vix"}})
    assert absent[0] == "ResourceNotFoundException"
    dynamodb.delete_table(TableName=name)


REDEFINED = (
    "Attributes cannot be redefined. Please check that your attribute has the same type as "
    "previously defined. Existing schema: Schema:[SchemaElement: key{pk:S:HASH}] New schema: "
    "VectorIndexSchema:[VectorAttribute: key{pk:L:3}]"
)
KEY = vector_index(VectorAttribute={"AttributeName": "pk"})


@pytest.mark.parametrize(
    ("number", "indexes", "changes", "told"),
    [
        (
            176,
            1,
            {"VectorIndexUpdates": [{"Create": KEY}]},
            (VALIDATION, INVALID + REDEFINED),
        ),
        (
            170,
            1,
            {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS},
            (VALIDATION, INVALID + ON_DEMAND),
        ),
        (
            173,
            5,
            {"VectorIndexUpdates": [{"Create": vector_index("vix6")}]},
            (
                "LimitExceededException",
                (
                    "Subscriber limit exceeded: Number of vector secondary indexes exceeds "
                    "per-table limit of 5"
                ),
            ),
        ),
        (
            157,
            1,
            {"VectorIndexUpdates": [{"Create": vector_index("vix0")}]},
            (VALIDATION, "Attempting to create an index which already exists"),
        ),
    ],
)
def test_updates_that_are_refused(dynamodb, number, indexes, changes, told):
    name = made(dynamodb, *(vector_index(f"vix{each}") for each in range(indexes)))
    assert refusal(dynamodb.update_table, TableName=name, **changes) == told
    dynamodb.delete_table(TableName=name)


# Statements and transactions write entries as PutItem does.
def test_statements_and_transactions_write_entries(dynamodb, table):
    dynamodb.execute_statement(
        Statement=f"INSERT INTO \"{table}\" VALUE {{'pk': 'statement', 'emb': [0, 7, 7]}}"
    )
    put = {"TableName": table, "Item": {"pk": {"S": "transaction"}, "emb": listed(0, 7, 8)}}
    dynamodb.transact_write_items(TransactItems=[{"Put": put}])
    keys = [pk for pk, _ in found(dynamodb, table, (0, 7, 7), "plain", TopK=2)]
    assert keys == ["statement", "transaction"]
    refused = refusal(
        dynamodb.execute_statement,
        Statement=f"INSERT INTO \"{table}\" VALUE {{'pk': 'odd', 'emb': [0, 7]}}",
    )
    assert refused == (
        VALIDATION,
        WRITE + "Invalid size for parameter emb, Expected: 3, Actual: 2 IndexName: plain",
    )
