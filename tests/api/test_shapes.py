"""Every answer is looked at: what the model of the API does not have does not pass."""

import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from tests.api.backups import backed_up, restored
from tests.api.conftest import client_of
from tests.api.exports import begun, ended
from tests.api.imports import imported, put
from tests.api.indexes import attributes, index_of, schema
from tests.api.items import values
from tests.api.kinesis import arn_of, created
from tests.api.policies import policy
from tests.api.shapes import assert_error_shape, assert_shape

ITEM = {"pk": {"S": "p"}, "sk": {"S": "s"}}
CONSUMED = {"TableName": "t", "CapacityUnits": 1.0}


@pytest.mark.parametrize(
    ("operation", "answer", "fault"),
    [
        ("GetItem", {"Itme": ITEM}, "GetItem.Itme is unknown"),
        ("GetItem", {"Item": {"a": {"X": "x"}}}, "GetItem.Item{a}.X is unknown"),
        ("GetItem", {"Item": {"a": {}}}, "is not of one type"),
        ("GetItem", {"Item": [ITEM]}, "GetItem.Item is no map"),
        ("GetItem", {"Item": {"a": {"S": 1}}}, "is no string"),
        ("GetItem", {"Item": {"a": {"B": "?"}}}, "is no blob"),
        ("GetItem", {"Item": {"a": {"BOOL": "true"}}}, "is no boolean"),
        ("GetItem", {"ConsumedCapacity": {**CONSUMED, "Units": 1}}, "Units is unknown"),
        ("Scan", {"Count": 1.0}, "Scan.Count is no integer"),
        ("Scan", {"Items": ITEM}, "Scan.Items is no list"),
        ("Scan", {"Items": [ITEM, "x"]}, "Scan.Items[1] is no map"),
        ("DescribeTable", {"Table": {"TableStatus": "READY"}}, "is none of"),
        ("DescribeTable", {"Table": {"CreationDateTime": "now"}}, "is no timestamp"),
        ("DescribeEndpoints", {}, "DescribeEndpoints.Endpoints is missing"),
        ("TagResource", {"Tags": []}, "answers nothing"),
    ],
)
def test_what_does_not_pass(operation, answer, fault):
    with pytest.raises(AssertionError) as told:
        assert_shape(operation, answer)
    assert fault in str(told.value)


def test_errors_that_do_not_pass():
    kind = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
    assert_error_shape("PutItem", {"__type": kind, "message": "m", "Item": ITEM})
    for more in ({"Item": [ITEM]}, {"Reason": "x"}):
        with pytest.raises(AssertionError):
            assert_error_shape("PutItem", {"__type": kind, "message": "m", **more})


@pytest.mark.parametrize("status", [200, 400])
def test_a_client_looks_at_raw_answers(endpoint, status):
    client = client_of(endpoint)
    answer = {"status_code": status, "body": b'{"Unknown": 1}'}
    with pytest.raises(AssertionError):
        client.meta.events.emit("response-received.dynamodb.GetItem", response_dict=answer)


NAME = {"TableName": "shapes"}
TABLE = {
    **NAME,
    "AttributeDefinitions": attributes(pk="S", sk="S", g="S"),
    "KeySchema": schema("pk", sort=("sk",)),
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [index_of("by-g", "g")],
    "LocalSecondaryIndexes": [index_of("local", "pk", sort=("g",))],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    "OnDemandThroughput": {"MaxReadRequestUnits": 100},
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
}
STORED = {**ITEM, "g": {"S": "g"}, "b": {"B": b"\0"}, "m": {"M": {"l": {"L": [{"NS": ["1"]}]}}}}
TOLD = {"ReturnConsumedCapacity": "INDEXES"}
MEASURED = {**TOLD, "ReturnItemCollectionMetrics": "SIZE"}
SET = {"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": values(x={"N": "1"})}
PARTITION = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": values(p={"S": "p"})}


def write_and_read(client):
    """Each operation on items."""
    client.put_item(**NAME, Item=STORED, **MEASURED, ReturnValues="ALL_OLD")
    client.update_item(**NAME, Key=ITEM, **SET, **MEASURED, ReturnValues="ALL_NEW")
    client.get_item(**NAME, Key=ITEM, **TOLD)
    client.query(**NAME, **PARTITION, **TOLD, Limit=1)
    client.query(**NAME, **PARTITION, **TOLD, IndexName="local", Select="ALL_ATTRIBUTES")
    client.scan(**NAME, **TOLD, IndexName="by-g", TotalSegments=2, Segment=0)
    client.batch_get_item(RequestItems={"shapes": {"Keys": [ITEM]}}, **TOLD)
    writes = [{"PutRequest": {"Item": STORED}}]
    client.batch_write_item(RequestItems={"shapes": writes}, **MEASURED)
    client.transact_get_items(TransactItems=[{"Get": {**NAME, "Key": ITEM}}], **TOLD)
    client.transact_write_items(TransactItems=[{"Put": {**NAME, "Item": STORED}}], **MEASURED)
    select = {"Statement": "SELECT * FROM shapes WHERE pk = 'p' AND sk = 's'"}
    client.execute_statement(**select, **TOLD, Limit=1)
    client.batch_execute_statement(Statements=[select], **TOLD)
    delete = {"Statement": "DELETE FROM shapes WHERE pk = 'no' AND sk = 'no'"}
    client.execute_transaction(TransactStatements=[delete], **TOLD)
    client.delete_item(**NAME, Key=ITEM, **MEASURED, ReturnValues="ALL_OLD")


def tag_and_describe(client, arn):
    """Each operation that a table stays the same by, but for its tags, policy and expiry."""
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}])
    client.list_tags_of_resource(ResourceArn=arn)
    client.untag_resource(ResourceArn=arn, TagKeys=["k"])
    client.put_resource_policy(ResourceArn=arn, Policy=policy())
    client.get_resource_policy(ResourceArn=arn)
    client.delete_resource_policy(ResourceArn=arn)
    expiry = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "at"}}
    client.update_time_to_live(**NAME, **expiry)
    client.describe_time_to_live(**NAME)
    back_up(client)
    client.describe_table(**NAME)
    client.list_tables()
    client.describe_endpoints()
    client.describe_limits()


def back_up(client):
    """Each operation on backups and exports."""
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    client.update_continuous_backups(**NAME, **recovery)
    client.describe_continuous_backups(**NAME)
    arn = backed_up(client, NAME["TableName"])
    client.list_backups()
    latest = {"UseLatestRestorableTime": True}
    source = {"SourceTableName": NAME["TableName"]}
    client.restore_table_to_point_in_time(**source, TargetTableName="at-a-time", **latest)
    client.restore_table_from_backup(BackupArn=arn, TargetTableName="of-a-backup")
    for name in ("at-a-time", "of-a-backup"):
        restored(client, name)
        client.delete_table(TableName=name)
    client.delete_backup(BackupArn=arn)
    table = client.describe_table(**NAME)["Table"]["TableArn"]
    ended(client, begun(client, table)["ExportArn"])
    client.list_exports()


def count_keys(client):
    """Each operation on contributor insights."""
    client.update_contributor_insights(**NAME, ContributorInsightsAction="ENABLE")
    described = client.describe_contributor_insights(**NAME)
    assert described["ContributorInsightsRuleList"]
    listed = client.list_contributor_insights()["ContributorInsightsSummaries"]
    assert [each["TableName"] for each in listed] == [NAME["TableName"]]


def stream_changes(client, kinesis):
    """Each operation on destinations."""
    stream = {**NAME, "StreamArn": arn_of(created(kinesis))}
    precision = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    client.enable_kinesis_streaming_destination(**stream)
    client.update_kinesis_streaming_destination(
        **stream, UpdateKinesisStreamingConfiguration=precision
    )
    (described,) = client.describe_kinesis_streaming_destination(**NAME)[
        "KinesisDataStreamDestinations"
    ]
    assert described["DestinationStatus"] == "ACTIVE"
    client.disable_kinesis_streaming_destination(**stream)


def read_objects(client, bucket):
    """Each operation on imports, and on bulk operations."""
    put(bucket, "one.csv", b"pk,sk,g\np,s,g\n")
    table = {each: TABLE[each] for each in ("AttributeDefinitions", "KeySchema", "BillingMode")}
    indexes = TABLE["GlobalSecondaryIndexes"]
    creation = {"TableName": "imported", **table, "GlobalSecondaryIndexes": indexes}
    options = {"Csv": {"HeaderList": ["pk", "sk", "g"], "Delimiter": ","}}
    csv = {"InputFormat": "CSV", "InputFormatOptions": options}
    imported(client, "imported", ClientToken="one", TableCreationParameters=creation, **csv)
    assert client.list_imports()["ImportSummaryList"]
    client.delete_table(TableName="imported")
    # So many that the operation goes on when it is cancelled.
    line = b'{"Item":{"pk":{"S":"%d"},"sk":{"S":"s"}}}\n'
    put(bucket, "many.json", b"".join(line % number for number in range(5000)))
    source = {"S3Bucket": "bucket", "S3KeyPrefix": "many", "InputFormat": "DYNAMODB_JSON"}
    reports = {"S3Bucket": "bucket", "S3KeyPrefix": "to", "OutputType": ["ERROR"]}
    arn = client.start_bulk_put_items(
        **NAME,
        InputS3Configuration=source,
        OutputS3Configuration=reports,
        ClientToken="one",
        PerformanceTier="STANDARD",
        MaxWriteRequestUnits=1024,
    )["BulkOperationDescription"]["BulkOperationArn"]
    client.cancel_bulk_operation(BulkOperationArn=arn)
    client.describe_bulk_operation(BulkOperationArn=arn)
    assert client.list_bulk_operations()["BulkOperationsSummaryList"]


def read_changes(streams, arn):
    """Each operation on streams."""
    streams.list_streams()
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    first = {"ShardId": shards[0]["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = streams.get_shard_iterator(StreamArn=arn, **first)["ShardIterator"]
    assert streams.get_records(ShardIterator=iterator)["Records"]


UNBUILT = {
    *("CreateGlobalTable", "UpdateGlobalTable", "UpdateGlobalTableSettings"),
    *("DescribeGlobalTable", "DescribeGlobalTableSettings"),
    "ListGlobalTables",
}
"""Reads of features that are not built: tests/api/test_unbuilt_reads.py."""
OF_REPLICAS = {"DescribeTableReplicaAutoScaling", "UpdateTableReplicaAutoScaling"}
"""They need a server with regions: tests/api/test_replica_scaling.py."""


OF_VECTORS = {"SearchVectors"}
"""A search of tests/api/test_vector_search.py."""


# Each operation, with all that can be asked for.
def test_every_operation_is_answered_in_its_shape(start_server, tmp_path):
    endpoint, seen = start_server(s3=f"bucket={tmp_path}"), set()

    def note(event_name, response_dict, **_):
        seen.add((event_name.rpartition(".")[2], response_dict["status_code"]))

    client, streams = client_of(endpoint), client_of(endpoint, "dynamodbstreams")
    for each in (client, streams):
        service = each.meta.service_model.service_id.hyphenize()
        each.meta.events.register_last(f"response-received.{service}", note)
    table = client.create_table(**TABLE)["TableDescription"]
    write_and_read(client)
    tag_and_describe(client, table["TableArn"])
    read_objects(client, tmp_path)
    count_keys(client)
    stream_changes(client, client_of(endpoint, "kinesis"))
    read_changes(streams, table["LatestStreamArn"])
    client.update_table(**NAME, DeletionProtectionEnabled=False)
    client.delete_table(**NAME)
    expected = OPERATIONS.keys() - UNBUILT - OF_REPLICAS - OF_VECTORS
    assert seen == {(operation, 200) for operation in expected}
