"""What requests need to be allowed, by action and resource, and that it is theirs alone."""

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.accesses import Access, Resource
from hashrange.errors import DynamoError, Fault
from hashrange.observe.metrics import Metrics
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.streams.iterators import ShardIterator, iterator_text
from hashrange.wire.arns import owner_of
from tests.api.policies import policy
from tests.api.tables import keyed
from tests.rows import rows
from tests.unit.api.dynamodb.still_server import CALLER, StillServer

T = "a-table"
ARN = "arn:aws:dynamodb:us-east-1:111111111111:table/a-table"
STREAM = f"{ARN}/stream/2026-01-01T00:00:00.000"
BACKUP = f"{ARN}/backup/01489602797149-73d8d5bc"
EXPORT = f"{ARN}/export/01489602797149-73d8d5bc"
IMPORT = f"{ARN}/import/01489602797149-73d8d5bc"
BULK = f"{ARN}/bulk-operation/01489602797149-73d8d5bc"
KEY = {"pk": {"S": "a"}}
UPDATE = {"Key": KEY, "UpdateExpression": "SET a = pk"}
CHECK = {"Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
QUERY = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}
TABLE = keyed(pk="S")
SEARCH = {"TableName": ARN, "IndexName": "vix", "SearchVector": [{"N": "1"}], "TopK": 1}
ENABLE = {"ContributorInsightsAction": "ENABLE"}
ITERATOR = iterator_text(ShardIterator(STREAM, 1, 0, 0))
# Of each operation a request, and what it is done to.
OF_TABLE = {
    "CreateBackup": {"BackupName": "one"},
    "CreateTable": TABLE,
    "DeleteItem": {"Key": KEY},
    "DeleteTable": {},
    "DescribeContinuousBackups": {},
    "DescribeContributorInsights": {},
    "UpdateContributorInsights": ENABLE,
    "DescribeKinesisStreamingDestination": {},
    "DescribeTableReplicaAutoScaling": {},
    "ListBackups": {},
    "ListContributorInsights": {},
    "DescribeTable": {},
    "DescribeTimeToLive": {},
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": KEY},
    "Query": QUERY,
    "Scan": {},
    "UpdateContinuousBackups": {
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}
    },
    "UpdateItem": UPDATE,
    "UpdateTable": {"DeletionProtectionEnabled": True},
    "UpdateTableReplicaAutoScaling": {
        "ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": True}
    },
    "UpdateTimeToLive": {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}},
}
OF_ARN = {
    "DeleteResourcePolicy": {},
    "GetResourcePolicy": {},
    "ListTagsOfResource": {},
    "PutResourcePolicy": {"Policy": policy()},
    "TagResource": {"Tags": [{"Key": "k", "Value": "v"}]},
    "UntagResource": {"TagKeys": ["k"]},
}
OTHERS = {
    "BatchGetItem": ({"RequestItems": {T: {"Keys": [KEY]}, ARN: {"Keys": [KEY]}}}, "both"),
    "BatchWriteItem": (
        {
            "RequestItems": {
                T: [{"PutRequest": {"Item": KEY}}],
                ARN: [{"DeleteRequest": {"Key": KEY}}],
            }
        },
        "both",
    ),
    "DeleteBackup": ({"BackupArn": BACKUP}, "backup"),
    "DescribeBackup": ({"BackupArn": BACKUP}, "backup"),
    "CancelBulkOperation": ({"BulkOperationArn": BULK}, "bulk"),
    "DescribeBulkOperation": ({"BulkOperationArn": BULK}, "bulk"),
    "DescribeEndpoints": ({}, "*"),
    "DescribeExport": ({"ExportArn": EXPORT}, "export"),
    "CreateGlobalTable": (
        {"GlobalTableName": T, "ReplicationGroup": [{"RegionName": "us-east-1"}]},
        "global and replica",
    ),
    "UpdateGlobalTable": (
        {"GlobalTableName": T, "ReplicaUpdates": [{"Delete": {"RegionName": "us-east-1"}}]},
        "global and replica",
    ),
    "UpdateGlobalTableSettings": ({"GlobalTableName": T}, "global"),
    "DescribeGlobalTable": ({"GlobalTableName": T}, "global"),
    "DescribeGlobalTableSettings": ({"GlobalTableName": T}, "global"),
    "DescribeImport": ({"ImportArn": IMPORT}, "import"),
    "DescribeLimits": ({}, "*"),
    "DescribeStream": ({"StreamArn": STREAM}, "stream"),
    "GetRecords": ({"ShardIterator": ITERATOR}, "stream"),
    "GetShardIterator": (
        {
            "StreamArn": STREAM,
            "ShardId": "shardId-00000001761000000000-00000001",
            "ShardIteratorType": "LATEST",
        },
        "stream",
    ),
    "ListBulkOperations": ({}, "*"),
    "SearchVectors": (SEARCH, "index"),
    "ListExports": ({"TableArn": ARN}, "table"),
    "ListGlobalTables": ({}, "all globals"),
    "ListImports": ({"TableArn": ARN}, "table"),
    "ListStreams": ({}, "*"),
    "ListTables": ({}, "*"),
}
RESOURCES = {
    "*": [Resource("*")],
    "backup": [Resource("backup", BACKUP)],
    "bulk": [Resource("bulk-operation", BULK)],
    "export": [Resource("export", EXPORT)],
    "global": [Resource("global-table", T)],
    "global and replica": [Resource("replica", T, region="us-east-1"), Resource("global-table", T)],
    "all globals": [Resource("global-table", "*")],
    "index": [Resource("index", ARN, "vix")],
    "import": [Resource("import", IMPORT)],
    "table": [Resource("table", ARN)],
    "stream": [Resource("stream", STREAM)],
    "both": [Resource("table", T), Resource("table", ARN)],
}


def accesses(operation, request):
    row = OPERATIONS[operation]
    return list(row.accesses(row.check(msgspec.convert(request, row.request))))


@rows("name", [T, ARN])
@rows("operation", OF_TABLE)
def test_operations_on_a_table(operation, name):
    request = {"TableName": name, **OF_TABLE[operation]}
    assert accesses(operation, request) == [Access(operation, Resource("table", name))]


@pytest.mark.parametrize("operation", OF_ARN)
def test_operations_on_a_resource(operation):
    request = {"ResourceArn": ARN, **OF_ARN[operation]}
    assert accesses(operation, request) == [Access(operation, Resource("table", ARN))]


@rows("operation", OTHERS)
def test_other_operations(operation):
    request, resources = OTHERS[operation]
    found = accesses(operation, request)
    assert found == [Access(operation, resource) for resource in RESOURCES[resources]]


# Lists that may be of one table are of none in particular where it is not named.
# The target needs what a restore does to it. Source: Service Authorization Reference.
@pytest.mark.parametrize(
    ("operation", "request_", "source"),
    [
        ("RestoreTableFromBackup", {"BackupArn": BACKUP}, Resource("backup", BACKUP)),
        (
            "RestoreTableToPointInTime",
            {"SourceTableName": "other", "UseLatestRestorableTime": True},
            Resource("table", "other"),
        ),
    ],
)
def test_restores_are_done_to_their_source_and_their_target(operation, request_, source):
    first, *rest = accesses(operation, {"TargetTableName": T, **request_})
    assert first == Access(operation, source)
    assert {each.resource for each in rest} == {Resource("table", T)}
    assert [each.action for each in rest] == [
        *("BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem")
    ]


# The objects are written with the permissions of the caller. Source: Developer Guide, "Requesting a
# table export in DynamoDB".
def test_exports_are_done_to_a_table_and_the_objects_of_a_bucket():
    objects = Resource("object", "arn:aws:s3:::bucket/*")
    assert accesses("ExportTableToPointInTime", {"TableArn": ARN, "S3Bucket": "bucket"}) == [
        Access("ExportTableToPointInTime", Resource("table", ARN)),
        Access("s3:PutObject", objects),
        Access("s3:PutObjectAcl", objects),
        Access("s3:AbortMultipartUpload", objects),
    ]


# With the permissions of S3 that the caller needs. Source: Developer Guide, "Requesting a table
# import"; of bulk operations by analogy.
READ = [
    Access("s3:ListBucket", Resource("object", "arn:aws:s3:::bucket")),
    Access("s3:GetObject", Resource("object", "arn:aws:s3:::bucket/*")),
]
BULK_PUT = {
    "InputS3Configuration": {"S3Bucket": "bucket", "InputFormat": "ION"},
    "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": []},
}


def test_imports_are_done_to_the_table_that_they_create():
    request = {
        "ClientToken": "one",
        "S3BucketSource": {"S3Bucket": "bucket"},
        "InputFormat": "ION",
        "TableCreationParameters": {"TableName": T, **TABLE},
    }
    table = Access("ImportTable", Resource("table", T))
    assert accesses("ImportTable", request) == [table, *READ]


@pytest.mark.parametrize("name", [T, ARN])
def test_bulk_operations_write_reports(name):
    reports = Resource("object", "arn:aws:s3:::reports/*")
    assert accesses("StartBulkPutItems", {"TableName": name, **BULK_PUT}) == [
        Access("StartBulkPutItems", Resource("table", name)),
        *READ,
        Access("s3:AbortMultipartUpload", reports),
        Access("s3:PutObject", reports),
    ]


@pytest.mark.parametrize(
    "operation", ["ListBackups", "ListContributorInsights", "ListExports", "ListImports"]
)
def test_lists_of_all_tables(operation):
    assert accesses(operation, {}) == [Access(operation, Resource("*"))]


def test_streams_and_indexes_are_resources_too():
    assert accesses("GetResourcePolicy", {"ResourceArn": STREAM}) == [
        Access("GetResourcePolicy", Resource("stream", STREAM))
    ]
    request = {"TableName": T, "IndexName": "by-b"}
    assert accesses("DescribeContributorInsights", request) == [
        Access("DescribeContributorInsights", Resource("index", T, "by-b"))
    ]
    assert accesses("UpdateContributorInsights", {**request, **ENABLE}) == [
        Access("UpdateContributorInsights", Resource("index", T, "by-b"))
    ]


# What Query and Scan read is the index, where they name one.
@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_reads_of_an_index(operation):
    request = {"TableName": ARN, "IndexName": "by-b", **OF_TABLE[operation]}
    assert accesses(operation, request) == [Access(operation, Resource("index", ARN, "by-b"))]


# Transactions have no actions of their own: source, Developer Guide, "Using IAM with transactions".
def test_transactions_need_what_their_actions_are():
    sent = [
        {"Put": {"TableName": T, "Item": KEY}},
        {"Update": {"TableName": ARN, **UPDATE}},
        {"Delete": {"TableName": T, "Key": KEY}},
        {"ConditionCheck": {"TableName": T, **CHECK}},
    ]
    assert accesses("TransactWriteItems", {"TransactItems": sent}) == [
        Access("PutItem", Resource("table", T)),
        Access("UpdateItem", Resource("table", ARN)),
        Access("DeleteItem", Resource("table", T)),
        Access("ConditionCheckItem", Resource("table", T)),
    ]
    gets = [{"Get": {"TableName": T, "Key": KEY}}, {"Get": {"TableName": ARN, "Key": KEY}}]
    assert accesses("TransactGetItems", {"TransactItems": gets}) == [
        Access("GetItem", Resource("table", T)),
        Access("GetItem", Resource("table", ARN)),
    ]


STATEMENTS = {
    f'SELECT * FROM "{T}" WHERE pk = ?': ("PartiQLSelect", Resource("table", T)),
    f'SELECT * FROM "{ARN}"."by-b" WHERE pk = ?': ("PartiQLSelect", Resource("index", ARN, "by-b")),
    f"INSERT INTO \"{T}\" VALUE {{'pk': ?}}": ("PartiQLInsert", Resource("table", T)),
    f'UPDATE "{ARN}" SET a = 1 WHERE pk = ?': ("PartiQLUpdate", Resource("table", ARN)),
    f'FROM "{T}" WHERE pk = ? REMOVE a': ("PartiQLUpdate", Resource("table", T)),
    f'DELETE FROM "{T}" WHERE pk = ?': ("PartiQLDelete", Resource("table", T)),
}
EXISTS = f'EXISTS(SELECT * FROM "{ARN}" WHERE pk = ? AND a = 1)'


# Each statement needs the action of what it does; EXISTS is a SELECT.
def test_statements_need_what_they_do():
    sent = [{"Statement": each, "Parameters": [{"S": "a"}]} for each in [*STATEMENTS, EXISTS]]
    for statement, access in zip(sent, STATEMENTS.values(), strict=False):
        assert accesses("ExecuteStatement", statement) == [Access(*access)]
    writes = sent[2:]
    expected = list(dict.fromkeys(Access(*access) for access in STATEMENTS.values()))[2:]
    assert accesses("BatchExecuteStatement", {"Statements": writes[:-1]}) == expected
    expected.append(Access("PartiQLSelect", Resource("table", ARN)))
    assert accesses("ExecuteTransaction", {"TransactStatements": writes}) == expected


def test_each_operation_is_asked_for_above():
    asked = {*OF_TABLE, *OF_ARN, *OTHERS, "TransactWriteItems", "TransactGetItems"}
    asked |= {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}
    asked |= {"ExportTableToPointInTime", "ImportTable", "StartBulkPutItems"}
    asked |= {"RestoreTableFromBackup", "RestoreTableToPointInTime"}
    asked |= {f"{verb}KinesisStreamingDestination" for verb in ("Enable", "Disable", "Update")}
    assert asked == set(OPERATIONS)


@pytest.fixture
def server():
    made = StillServer(transient_ms=0)
    yield made
    made.end()


def refused(server, pipeline, operation, request):
    typed = msgspec.convert(request, OPERATIONS[operation].request)
    with pytest.raises(DynamoError) as error:
        server.run(pipeline.perform(operation, typed, CALLER))
    return error.value


FOREIGN = {
    **{name: {"TableName": ARN, **more} for name, more in OF_TABLE.items()},
    **{name: {"ResourceArn": ARN, **more} for name, more in OF_ARN.items()},
    **{
        name: request
        for name, (request, resources) in OTHERS.items()
        if resources != "*" and "global" not in resources
    },
    "ExportTableToPointInTime": {"TableArn": ARN, "S3Bucket": "bucket"},
    "ListStreams": {"ExclusiveStartStreamArn": STREAM},
    "RestoreTableFromBackup": {"BackupArn": BACKUP, "TargetTableName": "target"},
    "RestoreTableToPointInTime": {
        "SourceTableArn": ARN,
        "TargetTableName": "target",
        "UseLatestRestorableTime": True,
    },
    "StartBulkPutItems": {"TableName": ARN, **BULK_PUT},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": ARN, "Key": KEY}}]},
    "TransactWriteItems": {
        "TransactItems": [
            {"Put": {"TableName": T, "Item": KEY}},
            {"ConditionCheck": {"TableName": ARN, **CHECK}},
        ]
    },
}


MISSING = {
    "CreateBackup": Fault.TABLE_NOT_FOUND,
    "DeleteBackup": Fault.ACCESS_DENIED,
    "UpdateContinuousBackups": Fault.TABLE_NOT_FOUND,
    "DescribeBackup": Fault.ACCESS_DENIED,
    "DescribeContinuousBackups": Fault.TABLE_NOT_FOUND,
    "CancelBulkOperation": Fault.ACCESS_DENIED,
    "DescribeBulkOperation": Fault.ACCESS_DENIED,
    "DescribeExport": Fault.ACCESS_DENIED,
    "ExportTableToPointInTime": Fault.ACCESS_DENIED,
    "DescribeImport": Fault.ACCESS_DENIED,
    "RestoreTableFromBackup": Fault.ACCESS_DENIED,
    "RestoreTableToPointInTime": Fault.VALIDATION,  # as of tables that do not exist
}


# Wherever an ARN stands in a request, in an iterator too: what is in another account is not there,
# or denied if it is a backup or another job, before anything else is looked at. The caller's own
# table of that name is not meant.
@pytest.mark.parametrize("operation", FOREIGN)
def test_resources_of_others_are_not_found(server, operation):
    catalog = Catalog(server.engine)
    pipeline = Pipeline(server.store, catalog, Metrics().consumed, separate=True)
    create = msgspec.convert({"TableName": T, **TABLE}, OPERATIONS["CreateTable"].request)
    server.run(pipeline.perform("CreateTable", create, CALLER))
    error = refused(server, pipeline, operation, FOREIGN[operation])
    assert error.fault is MISSING.get(operation, Fault.RESOURCE_NOT_FOUND)


@rows(
    ("arn", "owner"),
    [
        (ARN, ("111111111111", "us-east-1")),
        (STREAM, ("111111111111", "us-east-1")),
        (f"{ARN}/index/by-b", ("111111111111", "us-east-1")),
        (f"{ARN}/backup/01489602797149-73d8d5bc", ("111111111111", "us-east-1")),
        (f"{ARN}/export/01695353076000-a1e2f3c4", ("111111111111", "us-east-1")),
        (f"{ARN}/backup/", None),
        (f"{ARN}/other/thing", None),
        ("arn:aws:s3:::bucket", None),
        ("arn:", None),
        ("a-table", None),
    ],
)
def test_owners_of_arns(arn, owner):
    assert owner_of(arn) == owner
