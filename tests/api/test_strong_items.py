"""Items of strong tables in one server: what is written in one region is read in the others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from tests.api.indexes import attributes, index_of
from tests.api.refusals import refusal
from tests.api.replicas import ACCOUNTS, NAME, described, figure, in_regions
from tests.api.streams import arn_of, changes_of
from tests.api.strong_tables import end, is_regional, strong
from tests.api.tables import keyed
from tests.pace import until

EAST, IRELAND, MUMBAI = "us-east-1", "eu-west-1", "ap-south-1"
CONFLICT = (
    "ReplicatedWriteConflictException",
    "One or more items in this request are being modified by a request in another Region.",
)
WRITES_MAX = 500
INDEX = index_of("by-n", "n")
DEFINITION = {
    **keyed(pk="S", sk="S"),
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": attributes(pk="S", sk="S", n="N"),
    "GlobalSecondaryIndexes": [INDEX],
}


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", regions=f"{EAST},{IRELAND},{MUMBAI}")


@pytest.fixture
def clients(endpoint):
    found = in_regions(endpoint, str(next(ACCOUNTS)))
    strong(found, IRELAND, MUMBAI, **DEFINITION)
    return found


def key(sk):
    return {"pk": {"S": "a"}, "sk": {"S": sk}}


def put(client, sk, number, **request):
    item = {**key(sk), "n": {"N": str(number)}}
    return client.put_item(TableName=NAME, Item=item, **request)


def get(client, sk):
    return client.get_item(TableName=NAME, Key=key(sk), ConsistentRead=True).get("Item")


def value_of(client, sk):
    return int(get(client, sk)["n"]["N"])


def test_strong_reads_see_the_last_write_of_any_region(clients):
    for turn in range(6):
        writer, *readers = clients[turn % 3 :] + clients[: turn % 3]
        put(writer, "x", turn)
        assert [value_of(reader, "x") for reader in readers] == [turn, turn]
    writer, reader = clients[:2]
    writer.delete_item(TableName=NAME, Key=key("x"))
    assert get(reader, "x") is None


def test_all_strong_reads_see_it(clients):
    writer, reader = clients[:2]
    for turn in range(5):
        put(writer, "x", turn)
        query = reader.query(
            TableName=NAME, ConsistentRead=True, KeyConditionExpression="pk = :a",
            ExpressionAttributeValues={":a": {"S": "a"}},
        )  # fmt: skip
        assert [each["n"]["N"] for each in query["Items"]] == [str(turn)]
        put(writer, "x", turn + 100)
        scan = reader.scan(TableName=NAME, ConsistentRead=True)
        assert [each["n"]["N"] for each in scan["Items"]] == [str(turn + 100)]
        put(writer, "x", turn + 200)
        batch = reader.batch_get_item(
            RequestItems={NAME: {"Keys": [key("x")], "ConsistentRead": True}}
        )
        assert [each["n"]["N"] for each in batch["Responses"][NAME]] == [str(turn + 200)]
        put(writer, "x", turn + 300)
        statement = f"SELECT * FROM \"{NAME}\" WHERE pk = 'a' AND sk = 'x'"
        selected = reader.execute_statement(Statement=statement, ConsistentRead=True)
        assert [each["n"]["N"] for each in selected["Items"]] == [str(turn + 300)]
        put(writer, "x", turn + 400)
        member = {"Statement": statement, "ConsistentRead": True}
        several = reader.batch_execute_statement(Statements=[member])
        assert several["Responses"][0]["Item"]["n"]["N"] == str(turn + 400)


def test_conditions_and_updates_see_the_last_write(clients):
    first, second, third = clients
    put(first, "x", 1)
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    item = {**key("x"), "n": {"N": "2"}}
    code, _ = refusal(second.put_item, TableName=NAME, Item=item, **condition)
    assert code == "ConditionalCheckFailedException"
    for client in (second, third, first):
        client.update_item(
            TableName=NAME, Key=key("x"), UpdateExpression="ADD n :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )  # fmt: skip
    assert value_of(second, "x") == 4
    old = put(third, "x", 9, ReturnValues="ALL_OLD", ReturnConsumedCapacity="TOTAL")
    assert old["Attributes"]["n"] == {"N": "4"}
    # The item, and two entries of its index.
    assert old["ConsumedCapacity"]["CapacityUnits"] == 3
    statement = f"UPDATE \"{NAME}\" SET n = 10 WHERE pk = 'a' AND sk = 'x'"
    first.execute_statement(Statement=statement)
    assert value_of(third, "x") == 10
    gone = second.delete_item(TableName=NAME, Key=key("x"), ReturnValues="ALL_OLD")
    assert gone["Attributes"]["n"] == {"N": "10"}


def test_batches_are_written_everywhere(clients):
    first, second, _ = clients
    puts = [{"PutRequest": {"Item": {**key(f"{n:02}"), "n": {"N": str(n)}}}} for n in range(25)]
    answer = first.batch_write_item(RequestItems={NAME: puts})
    assert answer["UnprocessedItems"] == {}
    deletes = [{"DeleteRequest": {"Key": key(f"{n:02}")}} for n in range(0, 25, 2)]
    second.batch_write_item(RequestItems={NAME: deletes})
    found = clients[2].scan(TableName=NAME, ConsistentRead=True)["Items"]
    assert sorted(int(each["n"]["N"]) for each in found) == list(range(1, 25, 2))

    def indexed():
        pages = [
            client.query(
                TableName=NAME, IndexName="by-n", KeyConditionExpression="n = :n",
                ExpressionAttributeValues={":n": {"N": "7"}},
            )["Items"] for client in clients
        ]  # fmt: skip
        return [[each["sk"]["S"] for each in page] for page in pages] == [["07"]] * 3

    until(indexed)
    statements = [
        {"Statement": f"UPDATE \"{NAME}\" SET n = {n} WHERE pk = 'a' AND sk = '{n:02}'"}
        for n in (1, 3)
    ]
    second.batch_execute_statement(Statements=statements)
    assert value_of(first, "03") == 3


INCREMENT = {
    "Key": key("x"),
    "UpdateExpression": "ADD n :one",
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}


# They write it again and again until one is refused; what was answered well is all there.
@pytest.mark.parametrize(
    ("number", "operation", "request_"),
    [
        (284, "update_item", {"TableName": NAME, **INCREMENT}),
        (284, "batch_write_item", {"RequestItems": {NAME: [{"DeleteRequest": {"Key": key("x")}}]}}),
    ],
)
def test_of_two_regions_that_write_an_item_one_is_told(
    clients, endpoint, number, operation, request_
):
    assert number == 284
    put(clients[0], "x", 0)
    before = figure(endpoint, "hashrange_strong_conflicts_total")
    refused, done, over = [], [], threading.Event()

    def writes(client):
        for _ in range(WRITES_MAX):
            if over.is_set():
                return
            try:
                client.update_item(TableName=NAME, **INCREMENT)
                done.append(1)
                getattr(client, operation)(**request_)
                if operation == "update_item":
                    done.append(1)
            except ClientError as error:
                members = error.response["Error"]
                refused.append((members["Code"], members["Message"]))
                if error.operation_name == "".join(map(str.title, operation.split("_"))):
                    over.set()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(writes, clients))
    assert over.is_set()
    assert set(refused) == {CONFLICT}
    assert figure(endpoint, "hashrange_strong_conflicts_total") - before >= len(refused)
    if operation == "update_item":
        assert value_of(clients[1], "x") == len(done)


def shown(record):
    """What is the same in all regions: all but the number and the time of the commit there."""
    hidden = {"SequenceNumber", "ApproximateCreationDateTime"}
    return {name: member for name, member in record.items() if name not in hidden}


def test_streams_are_identical(clients, endpoint):
    view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    for client in clients:
        client.update_table(TableName=NAME, StreamSpecification=view)
        until(lambda client=client: arn_of(client, NAME))
    for turn in range(12):
        put(clients[turn % 3], str(turn % 4), turn)
        clients[(turn + 1) % 3].delete_item(TableName=NAME, Key=key(str((turn + 2) % 4)))
    account = described(clients[0])["TableArn"].split(":")[4]
    found = []
    for client, streams in zip(
        clients, in_regions(endpoint, account, "dynamodbstreams"), strict=True
    ):
        get(client, "0")  # what the others have written is there
        records = changes_of(streams, arn_of(client, NAME))
        found.append([(each["eventName"], shown(each["dynamodb"])) for each in records])
    assert len(found[0]) > 12
    assert found[0] == found[1] == found[2]


def test_items_stay_when_the_group_ends(clients):
    put(clients[1], "x", 1)
    end(clients[2], EAST, IRELAND)
    until(lambda: is_regional(clients[2]))
    assert value_of(clients[2], "x") == 1
    put(clients[2], "x", 2)
    assert value_of(clients[2], "x") == 2
