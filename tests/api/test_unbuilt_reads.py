"""What templates and consoles read of features that are not built: that there is nothing.

Texts and codes are those of the service where nothing is there either. Source, where no other is
given: measurements of the service by users, October 2026.
"""

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import attributes
from tests.api.items import answer
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, refusal, violated

TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/never-made"
BACKUP = f"{TABLE}/backup/01489173575360-b308cd7d"
NO_SUCH_TABLE = "Requested resource not found: Table: never-made not found"
NO_NAME = "The parameter 'TableName' is required but was not present in the request"
TOKEN = "0123456789abcdef" * 7
SHORT = "have length greater than or equal to 37"


# The tables and ARNs that a list is asked of need not exist, where what is listed outlives them.
@pytest.mark.parametrize(
    ("operation", "request_", "told"),
    [
        (
            "list_backups",
            {
                "TableName": "never-made",
                "Limit": 100,
                "BackupType": "ALL",
                "TimeRangeLowerBound": 0,
                "TimeRangeUpperBound": 0,
                "ExclusiveStartBackupArn": BACKUP,
            },
            {"BackupSummaries": []},
        ),
        ("list_exports", {}, {"ExportSummaries": []}),
        ("list_exports", {"TableArn": TABLE, "MaxResults": 25}, {"ExportSummaries": []}),
        ("list_imports", {}, {"ImportSummaryList": []}),
        ("list_imports", {"TableArn": TABLE, "PageSize": 25}, {"ImportSummaryList": []}),
        ("list_bulk_operations", {"MaxResults": 1}, {"BulkOperationsSummaryList": []}),
        ("list_global_tables", {}, {"GlobalTables": []}),
        (
            "list_global_tables",
            {
                "RegionName": "eu-west-1",
                "Limit": 1000,
                "ExclusiveStartGlobalTableName": "never-made",
            },
            {"GlobalTables": []},
        ),
    ],
)
def test_lists_are_empty(dynamodb, operation, request_, told):
    assert answer(getattr(dynamodb, operation), **request_) == told


@pytest.mark.parametrize(
    ("operation", "request_", "told"),
    [
        (
            "list_backups",
            {"TimeRangeLowerBound": 2, "TimeRangeUpperBound": 1},
            (
                VALIDATION,
                (
                    "One or more parameter values were invalid: "
                    "Time range lower bound must be less than or equal to upper bound"
                ),
            ),
        ),
        (
            "list_backups",
            {"Limit": 101},
            violated(breaks(101, "limit", "have value less than or equal to 100")),
        ),
        (
            "list_backups",
            {"Limit": 0, "ExclusiveStartBackupArn": "x", "BackupType": "user"},
            violated(
                breaks(0, "limit", "have value greater than or equal to 1"),
                breaks("x", "exclusiveStartBackupArn", SHORT),
                breaks(
                    "user", "backupType", "satisfy enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]"
                ),
            ),
        ),
        ("list_backups", {"ExclusiveStartBackupArn": TABLE}, (VALIDATION, "Invalid Backup ARN")),
        (
            "list_backups",
            {"TableName": "ab"},
            violated(breaks("ab", "tableName", "have length greater than or equal to 3")),
        ),
        (
            "list_exports",
            {"MaxResults": 26},
            violated(breaks(26, "maxResults", "have value less than or equal to 25")),
        ),
        ("list_exports", {"TableArn": "never-made"}, (VALIDATION, "tableArn is not a valid ARN")),
        ("list_imports", {"TableArn": BACKUP}, (VALIDATION, "tableArn is not a valid ARN")),
        (
            "list_imports",
            {"TableArn": f"{TABLE}/index/idx"},
            (VALIDATION, "tableArn is not a valid ARN"),
        ),
        *(
            (
                operation,
                {"NextToken": TOKEN},
                (VALIDATION, f"Invalid Request: Provided nextToken is invalid: {TOKEN}"),
            )
            for operation in ("list_exports", "list_imports", "list_bulk_operations")
        ),
        (
            "list_imports",
            {"PageSize": 0, "NextToken": "x"},
            violated(
                breaks(0, "pageSize", "have value greater than or equal to 1"),
                breaks("x", "nextToken", "have length greater than or equal to 112"),
                breaks("x", "nextToken", "satisfy regular expression pattern: ([0-9a-f]{16})+"),
            ),
        ),
        (
            "list_global_tables",
            {"Limit": 0, "ExclusiveStartGlobalTableName": "ab"},
            violated(
                breaks(
                    "ab", "exclusiveStartGlobalTableName", "have length greater than or equal to 3"
                ),
                breaks(0, "limit", "have value greater than or equal to 1"),
            ),
        ),
    ],
)
def test_parameters_of_lists(dynamodb, operation, request_, told):
    assert refusal(getattr(dynamodb, operation), **request_) == told


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        ("describe_backup", "BackupArn"),
        ("describe_export", "ExportArn"),
        ("describe_import", "ImportArn"),
        ("describe_bulk_operation", "BulkOperationArn"),
    ],
)
def test_arns_are_required_and_long(dynamodb, operation, member):
    path = member[0].lower() + member[1:]
    call = getattr(dynamodb, operation)
    assert refusal(call) == violated(absent(path))
    assert refusal(call, **{member: "x"}) == violated(breaks("x", path, SHORT))


# A plain table is no global table, and one that there is not is none either.
@pytest.mark.parametrize("exists", [True, False])
def test_global_tables(dynamodb, simple, exists):
    name = simple if exists else "never-made"
    gone = f"Global table with name: '{name}' does not exist."
    code = "GlobalTableNotFoundException"
    told = refusal(dynamodb.describe_global_table, GlobalTableName=name)
    assert told == (code, f"Global table not found: {gone}")
    told = refusal(dynamodb.describe_global_table_settings, GlobalTableName=name)
    assert told == (code, gone)
    told = refusal(dynamodb.describe_table_replica_auto_scaling, TableName=name)
    assert told == (NOT_FOUND, gone)


def test_names_of_global_tables(dynamodb):
    for operation in (dynamodb.describe_global_table, dynamodb.describe_global_table_settings):
        assert refusal(operation) == violated(absent("globalTableName"))
        assert refusal(operation, GlobalTableName="ab") == violated(
            breaks("ab", "globalTableName", "have length greater than or equal to 3")
        )
    assert refusal(dynamodb.describe_table_replica_auto_scaling) == (VALIDATION, NO_NAME)


# Its settings are looked at before the table. Source: captures of the service, September 2026.
def test_scaling_of_no_global_table(dynamodb):
    call = dynamodb.update_table_replica_auto_scaling
    failed = "Failed to update settings for global table with name: \u2018never-made\u2019"
    nothing = f"{failed} because at least one update parameter must be specified."
    assert refusal(call, TableName="never-made") == (VALIDATION, nothing)
    sent = {"ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 1, "MaximumUnits": 2}}
    unless = "are required unless auto scaling is being disabled."
    missing = f"{failed}: Parameters 'ScalingPolicyUpdate' {unless}"
    assert refusal(call, TableName="never-made", **sent) == (VALIDATION, missing)


def test_kinesis_streaming_destination(dynamodb, simple):
    call = dynamodb.describe_kinesis_streaming_destination
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    for name in (simple, arn):
        told = answer(call, TableName=name)
        assert told == {"TableName": simple, "KinesisDataStreamDestinations": []}
    assert refusal(call, TableName="never-made") == (NOT_FOUND, NO_SUCH_TABLE)
    assert refusal(call) == (VALIDATION, NO_NAME)


# A table that is CREATING is not there yet.
def test_transient_statuses(start_server):
    dynamodb = client_of(start_server(delay_transient_statuses=True, transient_status_ms=600_000))
    dynamodb.create_table(
        TableName="never-made",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=attributes(pk="S"),
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )
    table = {"TableName": "never-made"}
    told = (NOT_FOUND, NO_SUCH_TABLE)
    assert refusal(dynamodb.describe_kinesis_streaming_destination, **table) == told


# The service makes no global tables of the version 2017.11.29 any more.
@pytest.mark.parametrize("exists", [True, False])
def test_global_tables_of_the_earlier_version(dynamodb, simple, exists):
    name = simple if exists else "never-made"
    text = (
        "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is "
        "not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of "
        "version 2017.11.29 (Legacy)."
    )
    region = {"RegionName": "eu-west-1"}
    told = refusal(dynamodb.create_global_table, GlobalTableName=name, ReplicationGroup=[region])
    assert told == (VALIDATION, text)
    updates = [{"Create": region}]
    told = refusal(dynamodb.update_global_table, GlobalTableName=name, ReplicaUpdates=updates)
    assert told == (VALIDATION, text)
    updates = [{"Delete": region}]
    told = refusal(dynamodb.update_global_table, GlobalTableName=name, ReplicaUpdates=updates)
    absence = f"Global table not found: Global table with name: '{name}' does not exist."
    assert told == ("GlobalTableNotFoundException", absence)
    told = refusal(dynamodb.update_global_table_settings, GlobalTableName=name)
    assert told[0] == "GlobalTableNotFoundException"
    assert told[1] == f"Global table with name: '{name}' does not exist."


INVALID = "One or more parameter values were invalid"
REGIONS = (
    "[ap-east-2, sa-east-1, us-gov-west-1, ca-west-1, us-west-1, us-isob-east-1, us-west-2, "
    "me-central-1, cn-north-1, ap-northeast-1, ap-northeast-2, af-south-1, ca-central-1, "
    "ap-northeast-3, us-iso-west-1, eu-north-1, il-central-1, us-gov-east-1, ap-southeast-1, "
    "us-east-1, eu-west-1, ap-southeast-2, eu-west-2, us-east-2, ap-southeast-3, eu-west-3, "
    "ap-southeast-4, ap-south-1, eu-south-1, ap-southeast-5, ap-south-2, us-isob-west-1, "
    "us-isof-south-1, eu-south-2, ap-southeast-6, cn-northwest-1, ap-southeast-7, mx-central-1, "
    "us-northeast-1, us-iso-east-1, eu-central-1, me-south-1, eu-central-2, us-isof-east-1, "
    "ap-east-1]"
)
NO_REGION = f"satisfy enum value set: {REGIONS}"

TWO_ACTIONS = (
    f"{INVALID}: A ReplicaUpdate structure cannot contain both a create replica action and a "
    "delete replica action"
)


def prefixed(violation):
    code, text = violated(violation)
    return code, f"{INVALID}: {text}"


# What is behind the model has a prefix, and the list is asked before the name. Source: captures of
# the service, September 2026.
@pytest.mark.parametrize(
    ("operation", "request_", "told"),
    [
        ("create_global_table", {}, (VALIDATION, INVALID)),
        ("create_global_table", {"GlobalTableName": "never-made"}, (VALIDATION, INVALID)),
        (
            "create_global_table",
            {"GlobalTableName": "x", "ReplicationGroup": []},
            (
                VALIDATION,
                "TableName must be at least 3 characters long and at most 255 characters long",
            ),
        ),
        (
            "create_global_table",
            {"GlobalTableName": "never-made", "ReplicationGroup": []},
            (VALIDATION, f"{INVALID}: Global table must have atleast one replica"),
        ),
        (
            "create_global_table",
            {"GlobalTableName": "never-made", "ReplicationGroup": [{}]},
            prefixed(absent("replicationGroup.1.member.regionName")),
        ),
        (
            "create_global_table",
            {"GlobalTableName": "never-made", "ReplicationGroup": [{"RegionName": "bad-region"}]},
            prefixed(breaks("bad-region", "replicationGroup.1.member.regionName", NO_REGION)),
        ),
        ("update_global_table", {}, violated(absent("globalTableName"), absent("replicaUpdates"))),
        (
            "update_global_table",
            {"GlobalTableName": "never-made", "ReplicaUpdates": []},
            (VALIDATION, INVALID),
        ),
        (
            "update_global_table",
            {"GlobalTableName": "never-made", "ReplicaUpdates": [{}]},
            (VALIDATION, INVALID),
        ),
        *(
            (
                "update_global_table",
                {"GlobalTableName": "never-made", "ReplicaUpdates": [{action: {}}]},
                violated(absent(f"replicaUpdates.1.member.{action.lower()}.regionName")),
            )
            for action in ("Create", "Delete")
        ),
        (
            "update_global_table",
            {
                "GlobalTableName": "never-made",
                "ReplicaUpdates": [
                    {"Create": {"RegionName": "us-east-2"}, "Delete": {"RegionName": "us-east-1"}}
                ],
            },
            (VALIDATION, TWO_ACTIONS),
        ),
        (
            "update_global_table",
            {
                "GlobalTableName": "never-made",
                "ReplicaUpdates": [{"Create": {"RegionName": "bad-region"}}],
            },
            prefixed(breaks("bad-region", "replicasToAdd.1.member.regionName", NO_REGION)),
        ),
    ],
)
def test_requests_of_the_earlier_version(dynamodb, operation, request_, told):
    assert refusal(getattr(dynamodb, operation), **request_) == told
