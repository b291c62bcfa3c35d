# What requests do is in the metrics of their tables and indexes, by whatever operation.
import time
import uuid

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of, schema
from tests.api.metrics import statistics
from tests.api.streams import arn_of, changes_of, streaming
from tests.api.tables import keyed
from tests.api.vectors import listed, made, vector, vector_index

A, B = ({"pk": {"S": each}, "g": {"S": "x"}, "l": {"S": "y"}} for each in "ab")


@pytest.fixture(scope="module")
def cloudwatch(server):
    return client_of(server.endpoint, "cloudwatch")


@pytest.fixture
def client(server):
    return client_of(server.endpoint)


@pytest.fixture
def table(client):
    """A table with a global and a local index."""
    name = f"t-{uuid.uuid4()}"
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=attributes(pk="S", g="S", sk="S", l="S"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[index_of("by-g", "g")],
        LocalSecondaryIndexes=[index_of("by-l", "pk", sort=("l",))],
    )
    return name


def found(server, cloudwatch, metric, **dimensions):
    """Unit, sum and count of what was stored until now."""
    began = time.time() - 60
    server.clock.advance(seconds=61)
    points = statistics(
        *(cloudwatch, "AWS/DynamoDB", began, began + 3600 * 24),
        name=metric,
        period=3600 * 24,
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
    )
    server.clock.reset()
    return [(each["Unit"], each["Sum"], each["SampleCount"]) for each in points]


def put_both(client, table):
    for item in (A, B):
        client.put_item(TableName=table, Item={**item, "sk": {"S": "s"}})


def statement(table, text):
    return {"Statement": text.format(f'"{table}"')}


INSERT = "INSERT INTO {} VALUE {{'pk': 'a', 'sk': 's', 'g': 'x', 'l': 'y'}}"
WRITES = {
    "PutItem": lambda client, table, item: client.put_item(TableName=table, Item=item),
    "BatchWriteItem": lambda client, table, item: client.batch_write_item(
        RequestItems={table: [{"PutRequest": {"Item": item}}]}
    ),
    "TransactWriteItems": lambda client, table, item: client.transact_write_items(
        TransactItems=[{"Put": {"TableName": table, "Item": item}}]
    ),
    "ExecuteStatement": lambda client, table, _: client.execute_statement(
        **statement(table, INSERT)
    ),
    "BatchExecuteStatement": lambda client, table, _: client.batch_execute_statement(
        Statements=[statement(table, INSERT)]
    ),
    "ExecuteTransaction": lambda client, table, _: client.execute_transaction(
        TransactStatements=[statement(table, INSERT)]
    ),
}


# A local index uses the units of its table, a global one has its own, as on AWS.
@pytest.mark.parametrize("operation", WRITES)
def test_an_index_has_what_its_entries_cost(server, client, cloudwatch, table, operation):
    WRITES[operation](client, table, {**A, "sk": {"S": "s"}})
    metric = "ConsumedWriteCapacityUnits"
    of_item = 2 if "ransact" in operation else 1
    own = [("Count", of_item + 1, 1)]
    assert found(server, cloudwatch, metric, TableName=table) == own
    index = {"TableName": table, "GlobalSecondaryIndexName": "by-g"}
    assert found(server, cloudwatch, metric, **index) == [("Count", 1, 1)]


READS = {
    "Query": lambda client, on: client.query(
        **on, KeyConditionExpression="g = :g", ExpressionAttributeValues={":g": {"S": "x"}}
    ),
    "Scan": lambda client, on: client.scan(**on),
    "ExecuteStatement": lambda client, on: client.execute_statement(
        **statement(on["TableName"], "SELECT * FROM {}.\"by-g\" WHERE g = 'x'")
    ),
}


@pytest.mark.parametrize("operation", READS)
def test_an_index_has_what_its_reads_cost(server, client, cloudwatch, table, operation):
    put_both(client, table)
    READS[operation](client, {"TableName": table, "IndexName": "by-g"})
    client.get_item(TableName=table, Key={"pk": {"S": "a"}, "sk": {"S": "s"}}, ConsistentRead=True)
    metric = "ConsumedReadCapacityUnits"
    index = {"TableName": table, "GlobalSecondaryIndexName": "by-g"}
    assert found(server, cloudwatch, metric, **index) == [("Count", 0.5, 1)]
    assert found(server, cloudwatch, metric, TableName=table) == [("Count", 1, 1)]


VECTOR_WRITES = {
    "PutItem": lambda client, name, item: client.put_item(TableName=name, Item=item),
    "BatchWriteItem": lambda client, name, item: client.batch_write_item(
        RequestItems={name: [{"PutRequest": {"Item": item}}]}
    ),
    "TransactWriteItems": lambda client, name, item: client.transact_write_items(
        TransactItems=[{"Put": {"TableName": name, "Item": item}}]
    ),
}


# The entry has less than the least charge; a search costs by dimensions and by what it finds.
@pytest.mark.parametrize("operation", VECTOR_WRITES)
def test_a_vector_index_has_bytes(server, client, cloudwatch, operation):
    name = made(client, vector_index("near"))
    VECTOR_WRITES[operation](client, name, {"pk": {"S": "a"}, "emb": listed(1, 0, 0)})
    search = {"TableName": name, "IndexName": "near", "SearchVector": vector(1, 0, 0), "TopK": 1}
    client.search_vectors(**search)
    index = {"TableName": name, "VectorIndexName": "near"}
    for metric in ("VectorWriteRequestBytes", "VectorSearchRequestBytes"):
        assert found(server, cloudwatch, metric, **index) == [("Bytes", 1024, 1)]
    metric = "ConsumedWriteCapacityUnits"
    units = 2 if "ransact" in operation else 1
    assert found(server, cloudwatch, metric, TableName=name) == [("Count", units, 1)]


RETURNED = {
    "Query": (
        lambda client, table: client.query(
            TableName=table,
            KeyConditionExpression="pk = :a",
            ExpressionAttributeValues={":a": {"S": "a"}},
        ),
        1,
    ),
    "Scan": (lambda client, table: client.scan(TableName=table, Select="COUNT"), 2),
    "ExecuteStatement": (
        lambda client, table: client.execute_statement(**statement(table, "SELECT * FROM {}")),
        2,
    ),
}


# Items after the filter, of each request that could return some.
@pytest.mark.parametrize("operation", RETURNED)
def test_items_that_are_returned(server, client, cloudwatch, table, operation):
    call, items = RETURNED[operation]
    put_both(client, table)
    call(client, table)
    where = {"TableName": table, "Operation": operation}
    assert found(server, cloudwatch, "ReturnedItemCount", **where) == [("Count", items, 1)]


def test_an_item_that_a_statement_reads_by_its_key(server, client, cloudwatch, table):
    put_both(client, table)
    for key in "ab-":
        text = f"SELECT * FROM {{}} WHERE pk = '{key}' AND sk = 's'"
        client.execute_statement(**statement(table, text))
    where = {"TableName": table, "Operation": "ExecuteStatement"}
    assert found(server, cloudwatch, "ReturnedItemCount", **where) == [("Count", 2, 1)]


def test_a_query_that_finds_nothing_has_a_zero(server, client, cloudwatch, table):
    RETURNED["Query"][0](client, table)
    where = {"TableName": table, "Operation": "Query"}
    assert found(server, cloudwatch, "ReturnedItemCount", **where) == [("Count", 0, 1)]


def test_records_of_a_stream(server, client, cloudwatch):
    name = f"t-{uuid.uuid4()}"
    client.create_table(TableName=name, **keyed(pk="S"), **streaming())
    for key in "ab":
        client.put_item(TableName=name, Item={"pk": {"S": key}})
    streams = client_of(server.endpoint, "dynamodbstreams")
    arn = arn_of(client, name)
    records = changes_of(streams, arn)
    bytes_read = sum(each["dynamodb"]["SizeBytes"] for each in records)
    label = arn.rpartition("/")[2]
    where = {"TableName": name, "Operation": "GetRecords", "StreamLabel": label}
    for metric, unit, total in (
        ("ReturnedRecordsCount", "Count", len(records)),
        ("ReturnedBytes", "Bytes", bytes_read),
    ):
        ((unit_found, sum_found, reads),) = found(server, cloudwatch, metric, **where)
        assert (unit_found, sum_found) == (unit, total)
        assert reads >= 1
    ((unit_found, milliseconds, count),) = found(
        server, cloudwatch, "SuccessfulRequestLatency", **where
    )
    assert (unit_found, count) == ("Milliseconds", reads)
    assert milliseconds > 0
    assert len(records) == 2


def test_what_an_index_writes_while_it_is_built(server, client, cloudwatch):
    name = f"t-{uuid.uuid4()}"
    client.create_table(TableName=name, **keyed(pk="S"))
    for number, size in enumerate((10, 1500)):
        item = {"pk": {"S": str(number)}, "g": {"S": "x"}, "more": {"S": "y" * size}}
        client.put_item(TableName=name, Item=item)
    client.put_item(TableName=name, Item={"pk": {"S": "without"}})
    client.update_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S", g="S"),
        GlobalSecondaryIndexUpdates=[{"Create": index_of("by-g", "g")}],
    )
    server.clock.advance(seconds=1)
    where = {"TableName": name, "GlobalSecondaryIndexName": "by-g"}
    metric = "OnlineIndexConsumedWriteCapacity"
    assert found(server, cloudwatch, metric, **where) == [("Count", 3, 1)]


def of_key(key):
    return {"pk": {"S": key}, "sk": {"S": "s"}}


def selected(table):
    return f"""SELECT * FROM "{table}" WHERE pk = 'a' AND sk = 's'"""


ON_SEVERAL = {
    "BatchGetItem": lambda client, *tables: client.batch_get_item(
        RequestItems={each: {"Keys": [of_key("a")]} for each in tables}
    ),
    "BatchWriteItem": lambda client, *tables: client.batch_write_item(
        RequestItems={each: [{"PutRequest": {"Item": of_key("a")}}] for each in tables}
    ),
    "TransactGetItems": lambda client, *tables: client.transact_get_items(
        TransactItems=[{"Get": {"TableName": each, "Key": of_key("a")}} for each in tables]
    ),
    "TransactWriteItems": lambda client, *tables: client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": tables[0], "Item": of_key("a")}},
            {"Delete": {"TableName": tables[-1], "Key": of_key("b")}},
        ]
    ),
    "BatchExecuteStatement": lambda client, *tables: client.batch_execute_statement(
        Statements=[{"Statement": selected(each)} for each in tables]
    ),
    "ExecuteTransaction": lambda client, *tables: client.execute_transaction(
        TransactStatements=[{"Statement": selected(each)} for each in tables]
    ),
}


# A request on two tables is one of each.
@pytest.mark.parametrize("operation", ON_SEVERAL)
def test_latencies_of_batches_and_transactions(server, client, cloudwatch, table, operation):
    other = f"t-{uuid.uuid4()}"
    client.create_table(TableName=other, **keyed(pk="S", sk="S"))
    ON_SEVERAL[operation](client, table)
    ON_SEVERAL[operation](client, table, other)
    for name, requests in ((table, 2), (other, 1)):
        where = {"TableName": name, "Operation": operation}
        ((unit, total, count),) = found(server, cloudwatch, "SuccessfulRequestLatency", **where)
        assert (unit, count) == ("Milliseconds", requests)
        assert total > 0


# Whether a statement has its values in its text or beside it, and whether it succeeds or not.
def test_requests_of_statements(server, client, cloudwatch, table):
    put = f"""INSERT INTO "{table}" VALUE {{'pk': ?, 'sk': 's'}}"""
    for key in "ab":
        client.execute_statement(Statement=put, Parameters=[{"S": key}])
        client.execute_statement(Statement=selected(table).replace("'a'", f"'{key}'"))
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.execute_statement(
            Statement=f"""UPDATE "{table}" SET n = 1 WHERE pk = 'a' AND sk = 's' AND n = 5"""
        )
    with pytest.raises(client.exceptions.ClientError, match="ValidationException"):
        client.execute_statement(Statement=f"""SELECT * FROM "{table}" WHERE""")
    where = {"TableName": table, "Operation": "ExecuteStatement"}
    ((unit, total, count),) = found(server, cloudwatch, "SuccessfulRequestLatency", **where)
    assert (unit, count) == ("Milliseconds", 4)
    assert total > 0
    failed = found(server, cloudwatch, "ConditionalCheckFailedRequests", TableName=table)
    assert failed == [("Count", 1, 1)]
