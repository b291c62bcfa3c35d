"""StartBulkPutItems: the records of objects are put into a table that exists.

What the service does not publish, the form of records and of reports above all, is our own.
"""

import json
import uuid

import pytest
from botocore.exceptions import ClientError

from hashrange.settings.kinds import Throttle
from tests.api.conftest import client_of
from tests.api.imports import GOING_ON, creation, items_of, lines, numbered, put
from tests.api.indexes import attributes, index_of, schema, units
from tests.api.refusals import refusal


@pytest.fixture(scope="module")
def endpoint(start_server, bucket):
    return start_server(s3=f"bucket={bucket}")


@pytest.fixture(scope="module")
def client(endpoint):
    return client_of(endpoint)


@pytest.fixture
def name():
    return f"t-{uuid.uuid4()}"


def begun(client, name, prefix, **more):
    request = {
        "TableName": name,
        "InputS3Configuration": {
            "S3Bucket": "bucket",
            "S3KeyPrefix": prefix,
            "InputFormat": "DYNAMODB_JSON",
        },
        "OutputS3Configuration": {
            "S3Bucket": "bucket",
            "S3KeyPrefix": "reports",
            "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"],
        },
        **more,
    }
    return client.start_bulk_put_items(**request)["BulkOperationDescription"]


def ended(client, arn):
    while True:
        found = client.describe_bulk_operation(BulkOperationArn=arn)["BulkOperationDescription"]
        if found["BulkOperationStatus"] not in GOING_ON:
            return found


def done(client, name, prefix, **more):
    return ended(client, begun(client, name, prefix, **more)["BulkOperationArn"])


def reports(bucket, job):
    folder = bucket / "reports" / "AWSDynamoDB" / job["BulkOperationArn"].rpartition("/")[2]
    found = {place.name: place.read_text() for place in folder.iterdir()}
    return {
        kind: [json.loads(line) for line in found.get(f"{kind}.json", "").splitlines()]
        for kind in ("errors", "condition-check-failures", "manifest")
    }


def test_reports_that_a_bucket_cannot_hold(client, bucket, name):
    client.create_table(**creation(name))
    put(bucket, f"{name}/one.json", lines({"no": {"S": "key"}}))
    output = {"S3Bucket": "bucket", "S3KeyPrefix": "../x", "OutputType": ["ERROR"]}
    job = done(client, name, f"{name}/", OutputS3Configuration=output)
    assert (job["BulkOperationStatus"], job["FailureCode"]) == ("FAILED", "S3InvalidKey")
    assert "'../x/" in job["FailureMessage"]
    assert not (bucket.parent / "x").exists()


# As they are stored, like those in total: so a caller can tell how far the operation is.
def test_bytes_of_compressed_objects(client, bucket, name):
    client.create_table(**creation(name))
    put(bucket, f"{name}/one.json.gz", lines(*numbered(5_000, v={"S": "v" * 100})), zipped=True)
    given = {"S3Bucket": "bucket", "S3KeyPrefix": f"{name}/", "InputFormat": "DYNAMODB_JSON"}
    job = done(client, name, "", InputS3Configuration={**given, "InputCompressionType": "GZIP"})
    size = (bucket / name / "one.json.gz").stat().st_size
    assert (job["ProcessedItemCount"], job["ProcessedInputBytes"]) == (5_000, size)
    assert job["TotalInputBytes"] == size


def test_items_are_put_with_index_entries_and_stream_records(client, endpoint, bucket, name):
    table = creation(
        name,
        AttributeDefinitions=attributes(pk="S", g="S"),
        GlobalSecondaryIndexes=[index_of("all", "g")],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    client.create_table(**table)
    old = {"pk": {"S": "k1"}, "old": {"S": "o"}}
    client.put_item(TableName=name, Item=old)
    items = numbered(300, g={"S": "g"})
    put(bucket, f"{name}/one.json", lines(*items[:100]))
    put(bucket, f"{name}/two.json", lines(*items[100:]))
    job = done(client, name, f"{name}/")
    assert job["BulkOperationStatus"] == "COMPLETED"
    assert (job["ProcessedItemCount"], job["FailedItemCount"]) == (300, 0)
    expected = sorted(items, key=lambda item: item["pk"]["S"])
    assert items_of(client, name) == expected
    assert items_of(client, name, IndexName="all") == expected
    (usage,) = job["BulkOperationUsage"]
    size = client.describe_table(TableName=name)["Table"]["TableSizeBytes"]
    assert usage["Table"]["BulkPutBytes"] == size
    assert usage["GlobalSecondaryIndexes"]["all"]["BulkPutBytes"] == size
    assert job["TotalInputBytes"] == job["ProcessedInputBytes"]
    streams = client_of(endpoint, "dynamodbstreams")
    arn = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    records = streams.get_records(ShardIterator=iterator)["Records"]
    assert len(records) == 301
    changed = [each for each in records if each["eventName"] == "MODIFY"]
    assert [each["dynamodb"]["OldImage"] for each in changed] == [old]


def test_conditions_and_bad_records_are_reported(client, bucket, name):
    client.create_table(**creation(name))
    there = {"pk": {"S": "k1"}, "n": {"N": "7"}}
    client.put_item(TableName=name, Item=there)
    conditional = [
        {"Item": item, "ConditionExpression": "attribute_not_exists(pk)"} for item in numbered(3)
    ]
    bad = [
        {"Item": {"n": {"N": "1"}}},
        {"Item": {"pk": {"S": "x"}}, "ConditionExpression": "no !"},
        {
            "Item": {"pk": {"S": "k1"}, "v": {"S": "v"}},
            "ConditionExpression": "#n = :n",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": {":n": {"N": "7"}},
        },
    ]
    data = "".join(json.dumps(each) + "\n" for each in [*conditional, *bad]) + "nothing\n{}\n"
    put(bucket, name, data.encode())
    job = done(client, name, name)
    assert job["BulkOperationStatus"] == "COMPLETED_WITH_ERRORS"
    assert (job["ProcessedItemCount"], job["FailedItemCount"]) == (7, 3)
    assert items_of(client, name) == [
        {"pk": {"S": "k0"}, "n": {"N": "0"}},
        {"pk": {"S": "k1"}, "v": {"S": "v"}},
        {"pk": {"S": "k2"}, "n": {"N": "2"}},
    ]
    found = reports(bucket, job)
    assert [each["itemS3Pointer"]["itemIndex"] for each in found["errors"]] == [3, 4, 6]
    assert "Missing the key pk" in found["errors"][0]["errorMessages"][0]
    assert found["condition-check-failures"] == [
        {
            "itemS3Pointer": {"bucket": "bucket", "key": name, "itemIndex": 1},
            "bulkOperationArn": job["BulkOperationArn"],
            "attemptedItem": {"pk": {"S": "k1"}, "n": {"N": "1"}},
            "existingItem": there,
        }
    ]
    (manifest,) = found["manifest"]
    assert manifest["failedItemCount"] == 3
    assert [each["reportType"] for each in manifest["reports"]] == [
        "ERROR",
        "CONDITION_CHECK_FAILURE",
    ]


# An item collection that is full refuses an item alone, and not those beside it.
def test_local_indexes(start_server, bucket, name):
    client = client_of(start_server(s3=f"bucket={bucket}", item_collection_mb_max=1))
    keys = {"AttributeDefinitions": attributes(pk="S", sk="N", l="S")}
    local = [index_of("local", "pk", sort=("l",))]
    schema_ = {"KeySchema": schema("pk", sort=("sk",)), "LocalSecondaryIndexes": local}
    client.create_table(**creation(name, **keys, **schema_))
    large = {"l": {"S": "l"}, "v": {"S": "x" * 190_000}}
    items = [{"pk": {"S": "k"}, "sk": {"N": str(number)}, **large} for number in range(4)]
    put(bucket, name, lines(*items))
    job = done(client, name, name)
    assert (job["ProcessedItemCount"], job["FailedItemCount"]) == (4, 2)
    assert len(items_of(client, name)) == 2
    assert list(job["BulkOperationUsage"][0]["LocalSecondaryIndexes"]) == ["local"]


def test_a_bucket_that_does_not_exist(client, name):
    client.create_table(**creation(name))
    source = {"S3Bucket": "nowhere", "InputFormat": "DYNAMODB_JSON"}
    job = done(client, name, "", InputS3Configuration=source)
    assert (job["BulkOperationStatus"], job["FailureCode"]) == ("FAILED", "S3NoSuchBucket")


def test_tokens(client, bucket, name):
    client.create_table(**creation(name))
    put(bucket, name, lines(*numbered(2)))
    job = done(client, name, name, ClientToken=name)
    again = begun(client, name, name, ClientToken=name)
    assert again["BulkOperationArn"] == job["BulkOperationArn"]
    with pytest.raises(ClientError) as told:
        begun(client, name, f"{name}/x", ClientToken=name)
    assert told.value.response["Error"]["Code"] == "IdempotentParameterMismatchException"


def test_an_operation_is_cancelled(client, bucket, name):
    client.create_table(**creation(name))
    # Two items of 400 units wait for each other: 1,024 units a second.
    items = numbered(12, v={"S": "x" * 300_000})
    put(bucket, name, lines(*items))
    arn = begun(client, name, name, MaxWriteRequestUnits=1024)["BulkOperationArn"]
    code, _ = refusal(
        client.start_bulk_put_items,
        TableName=name,
        InputS3Configuration={"S3Bucket": "bucket", "InputFormat": "ION"},
        OutputS3Configuration={"S3Bucket": "bucket", "OutputType": []},
    )
    assert code == "ResourceInUseException"
    told = client.cancel_bulk_operation(BulkOperationArn=arn)
    assert (told["BulkOperationArn"], told["BulkOperationStatus"]) == (arn, "CANCELLING")
    job = ended(client, arn)
    assert job["BulkOperationStatus"] == "CANCELLED"
    assert len(items_of(client, name)) == job["ProcessedItemCount"] < 12
    code, _ = refusal(client.cancel_bulk_operation, BulkOperationArn=arn)
    assert code == "ValidationException"


def test_lists_of_operations(client, bucket, name):
    client.create_table(**creation(name))
    put(bucket, name, lines(*numbered(2)))
    arns = [done(client, name, name)["BulkOperationArn"] for _ in range(3)]
    found, token = [], {}
    while token is not None:
        page = client.list_bulk_operations(MaxResults=2, **token)
        found += [each["BulkOperationArn"] for each in page["BulkOperationsSummaryList"]]
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
    assert [arn for arn in found if arn in arns] == arns[::-1]
    assert len(set(found)) == len(found)


def test_a_table_that_does_not_exist(client, name):
    code, _ = refusal(begun, client=client, name=name, prefix="")
    assert code == "ResourceNotFoundException"


# The units of the table would suffice for one of them a second.
def test_units_of_the_table_are_not_consumed(start_server, bucket, name):
    client = client_of(start_server(s3=f"bucket={bucket}", throttle=Throttle.ON))
    table = creation(name, AttributeDefinitions=attributes(pk="S", g="S"))
    units_ = {"BillingMode": "PROVISIONED", **units(1, 1)}
    index = {**index_of("all", "g"), **units(1, 1)}
    client.create_table(**{**table, **units_, "GlobalSecondaryIndexes": [index]})
    items = numbered(700, g={"S": "g"})
    put(bucket, name, lines(*items))
    job = done(client, name, name)
    assert (job["BulkOperationStatus"], job["ProcessedItemCount"]) == ("COMPLETED", 700)
    client.put_item(TableName=name, Item=items[0])
    assert len(items_of(client, name)) == 700
