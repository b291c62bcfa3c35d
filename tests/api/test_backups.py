"""Backups: of one moment, kept when their table is gone, restored as another table.

Texts and behaviour, where no other source is given: measurements by users, October 2026.
"""

import uuid
from datetime import timedelta

import pytest

from tests.api.backups import available, backed_up, fill, restored, values
from tests.api.conftest import client_of
from tests.api.indexes import attributes, index_of
from tests.api.refusals import VALIDATION, refusal

ID = "01489602797149-73d8d5bc"
NO_ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/none/backup/{ID}"
ARN_INVALID = "Invalid Request: BackupArn is not valid"


def name():
    return f"r-{uuid.uuid4()}"


def arns_in(page):
    return [each["BackupArn"] for each in page["BackupSummaries"]]


@pytest.fixture
def table(new_table):
    return new_table(
        AttributeDefinitions=attributes(pk="S", g="S"),
        GlobalSecondaryIndexes=[index_of("by-g", "g")],
    )


# The moment of a backup is that of the request, though its items are read later.
def test_a_backup_has_the_items_of_its_moment(dynamodb, table):
    fill(dynamodb, table, range(700), 1)
    told = dynamodb.create_backup(TableName=table, BackupName="one")["BackupDetails"]
    fill(dynamodb, table, range(350), 2)
    for number in range(600, 700):
        dynamodb.delete_item(TableName=table, Key={"pk": {"S": f"k{number}"}})
    arn = told["BackupArn"]
    details = available(dynamodb, arn)["BackupDetails"]
    assert (told["BackupStatus"], told["BackupType"]) == ("CREATING", "USER")
    assert details == {**told, "BackupStatus": "AVAILABLE"}
    target = name()
    made = dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn)
    summary = made["TableDescription"]["RestoreSummary"]
    assert summary == {
        "SourceBackupArn": arn,
        "SourceTableArn": arn.partition("/backup/")[0],
        "RestoreDateTime": told["BackupCreationDateTime"],
        "RestoreInProgress": True,
    }
    described = restored(dynamodb, target)
    assert "RestoreSummary" not in described
    assert values(dynamodb, target) == {f"k{number}": "1" for number in range(700)}
    assert described["ItemCount"] == 700
    assert len(values(dynamodb, table)) == 600


def test_indexes_are_restored_and_written_again(dynamodb, table):
    put = {"pk": {"S": "a"}, "g": {"S": "x"}, "n": {"N": "1"}}
    dynamodb.put_item(TableName=table, Item=put)
    arn, target = backed_up(dynamodb, table), name()
    dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn)
    (index,) = restored(dynamodb, target)["GlobalSecondaryIndexes"]
    assert (index["IndexName"], index["IndexStatus"]) == ("by-g", "ACTIVE")
    query = {
        "TableName": target,
        "IndexName": "by-g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "x"}},
    }
    assert dynamodb.query(**query)["Items"] == [put]
    dynamodb.delete_item(TableName=target, Key={"pk": {"S": "a"}})
    assert dynamodb.query(**query)["Items"] == []


# An empty list of overrides leaves all indexes out; no list restores them.
def test_indexes_can_be_left_out_and_renamed(dynamodb, table):
    arn, bare, renamed = backed_up(dynamodb, table), name(), name()
    none = {"GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []}
    dynamodb.restore_table_from_backup(TargetTableName=bare, BackupArn=arn, **none)
    found = restored(dynamodb, bare)
    assert "GlobalSecondaryIndexes" not in found
    assert [each["AttributeName"] for each in found["AttributeDefinitions"]] == ["pk"]
    other = {"GlobalSecondaryIndexOverride": [index_of("other", "g")]}
    dynamodb.restore_table_from_backup(TargetTableName=renamed, BackupArn=arn, **other)
    (index,) = restored(dynamodb, renamed)["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "other"
    alien = {"GlobalSecondaryIndexOverride": [index_of("alien", "pk")]}
    told = refusal(
        dynamodb.restore_table_from_backup, TargetTableName=name(), BackupArn=arn, **alien
    )
    assert told == (
        VALIDATION,
        (
            "Invalid Request: Index alien does not match a secondary index that existed in the "
            "source table and cannot be created during the restore operation"
        ),
    )


def test_warm_throughput_cannot_be_overridden(dynamodb, table):
    warm = {"WarmThroughput": {"ReadUnitsPerSecond": 12_001, "WriteUnitsPerSecond": 4_001}}
    told = refusal(
        dynamodb.restore_table_from_backup,
        TargetTableName=name(),
        BackupArn=backed_up(dynamodb, table),
        GlobalSecondaryIndexOverride=[{**index_of("by-g", "g"), **warm}],
    )
    assert told == (
        VALIDATION,
        (
            "One or more parameter values were invalid: WarmThroughput cannot be specified in "
            "GlobalSecondaryIndexOverride for index: by-g"
        ),
    )


def test_capacity_can_be_overridden(dynamodb, table):
    arn, target = backed_up(dynamodb, table), name()
    units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
    given = {"ProvisionedThroughputOverride": units}
    restore = dynamodb.restore_table_from_backup
    told = refusal(restore, TargetTableName=target, BackupArn=arn, **given)
    assert told == (
        VALIDATION,
        "Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED",
    )
    mode = {"BillingModeOverride": "PROVISIONED"}
    told = refusal(restore, TargetTableName=target, BackupArn=arn, **mode)
    assert told == (
        VALIDATION,
        (
            "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to "
            "PROVISIONED"
        ),
    )
    told = refusal(restore, TargetTableName=target, BackupArn=arn, **mode, **given)
    assert told == (
        VALIDATION,
        (
            "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to "
            "PROVISIONED for index by-g"
        ),
    )
    both = {**mode, **given, "GlobalSecondaryIndexOverride": []}
    restore(TargetTableName=target, BackupArn=arn, **both)
    found = restored(dynamodb, target)["ProvisionedThroughput"]
    assert {member: found[member] for member in units} == units


# What belongs to the table and not to its items is to be set again.
def test_settings_are_not_restored(dynamodb, new_table):
    table, target = new_table(Tags=[{"Key": "k", "Value": "v"}]), name()
    dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    dynamodb.update_table(TableName=table, StreamSpecification=stream)
    expiry = {"Enabled": True, "AttributeName": "at"}
    dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=expiry)
    past = {"pk": {"S": "a"}, "n": {"N": "1"}, "at": {"N": "1"}}
    dynamodb.put_item(TableName=table, Item=past)
    told = dynamodb.create_backup(TableName=table, BackupName="full")
    features = available(dynamodb, told["BackupDetails"]["BackupArn"])["SourceTableFeatureDetails"]
    assert features["StreamDescription"] == stream
    assert features["TimeToLiveDescription"]["AttributeName"] == "at"
    arn = told["BackupDetails"]["BackupArn"]
    dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn)
    found = restored(dynamodb, target)
    assert found["DeletionProtectionEnabled"] is False
    assert "StreamSpecification" not in found
    state = dynamodb.describe_time_to_live(TableName=target)["TimeToLiveDescription"]
    assert state == {"TimeToLiveStatus": "DISABLED"}
    assert dynamodb.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"] == []
    dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)


def test_a_backup_outlives_its_table_until_it_is_deleted(dynamodb, new_table):
    table, target = new_table(), name()
    fill(dynamodb, table, range(30), 1)
    arn = backed_up(dynamodb, table)
    dynamodb.delete_table(TableName=table)
    listed = dynamodb.list_backups(TableName=table)["BackupSummaries"]
    assert [each["BackupArn"] for each in listed] == [arn]
    dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=arn)
    restored(dynamodb, target)
    assert len(values(dynamodb, target)) == 30
    deleted = dynamodb.delete_backup(BackupArn=arn)["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    assert dynamodb.list_backups(TableName=table)["BackupSummaries"] == []
    gone = ("BackupNotFoundException", f"Backup not found: {arn}")
    assert refusal(dynamodb.describe_backup, BackupArn=arn) == gone
    assert refusal(dynamodb.delete_backup, BackupArn=arn) == gone
    assert (
        refusal(dynamodb.restore_table_from_backup, BackupArn=arn, TargetTableName=name()) == gone
    )


# What is set up at the end of a restore is not in the answer; the billing mode always is.
@pytest.mark.parametrize("mode", ["PROVISIONED", "PAY_PER_REQUEST"])
def test_the_description_of_a_table_that_is_restored(dynamodb, table, mode):
    units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
    more = {}
    if mode == "PROVISIONED":
        index = index_of("by-g", "g", ProvisionedThroughput=units)
        more = {
            "BillingModeOverride": mode,
            "ProvisionedThroughputOverride": units,
            "GlobalSecondaryIndexOverride": [index],
        }
    target = name()
    restore = dynamodb.restore_table_from_backup
    told = restore(TargetTableName=target, BackupArn=backed_up(dynamodb, table), **more)
    (index,) = told["TableDescription"]["GlobalSecondaryIndexes"]
    assert told["TableDescription"]["BillingModeSummary"] == {"BillingMode": mode}
    for described in (told["TableDescription"], index):
        missing = {"DeletionProtectionEnabled", "IndexStatus", "WarmThroughput"}
        assert not missing & described.keys()
        has_decreases = "NumberOfDecreasesToday" in described["ProvisionedThroughput"]
        assert has_decreases == (mode == "PROVISIONED")
    found = restored(dynamodb, target)
    (index,) = found["GlobalSecondaryIndexes"]
    assert found["DeletionProtectionEnabled"] is False
    assert index["IndexStatus"] == "ACTIVE"
    assert ("BillingModeSummary" in found) == (mode == "PAY_PER_REQUEST")
    for described in (found, index):
        assert described["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
        assert described["WarmThroughput"]["Status"] == "ACTIVE"


# Names of backups are not unique: their ARNs are.
def test_backups_are_listed_in_pages_by_time(dynamodb, new_table):
    table = new_table()
    made = [backed_up(dynamodb, table, "same") for _ in range(3)]
    assert len(set(made)) == 3
    first = dynamodb.list_backups(TableName=table, Limit=2)
    rest = dynamodb.list_backups(
        TableName=table, Limit=2, ExclusiveStartBackupArn=first["LastEvaluatedBackupArn"]
    )
    pages = [*first["BackupSummaries"], *rest["BackupSummaries"]]
    assert sorted(each["BackupArn"] for each in pages) == sorted(made)
    assert "LastEvaluatedBackupArn" not in rest
    at = pages[1]["BackupCreationDateTime"]
    from_there = dynamodb.list_backups(TableName=table, TimeRangeLowerBound=at)
    until_there = dynamodb.list_backups(TableName=table, TimeRangeUpperBound=at)
    assert arns_in(from_there) == sorted(made)[1:]
    assert arns_in(until_there) == sorted(made)[:1]
    assert dynamodb.list_backups(TableName=table, BackupType="SYSTEM")["BackupSummaries"] == []


# Bounds are rounded to milliseconds, before they are compared with each other. A backup of the
# lower one is listed, of the upper one not.
def test_the_bounds_of_a_list_are_rounded(dynamodb, new_table):
    table = new_table()
    arn = backed_up(dynamodb, table)
    at = available(dynamodb, arn)["BackupDetails"]["BackupCreationDateTime"]

    def is_listed(**bounds):
        given = {
            f"TimeRange{bound}Bound": at + timedelta(microseconds=offset)
            for bound, offset in bounds.items()
        }
        return bool(arns_in(dynamodb.list_backups(TableName=table, **given)))

    assert not is_listed(Lower=0, Upper=0)
    assert is_listed(Lower=400)
    assert not is_listed(Lower=600)
    assert not is_listed(Upper=400)
    assert is_listed(Upper=600)
    assert is_listed(Lower=0, Upper=1000)
    assert not is_listed(Lower=100, Upper=-100)


def test_targets_that_exist_are_refused(dynamodb, new_table):
    table = new_table()
    arn = backed_up(dynamodb, table)
    restore = dynamodb.restore_table_from_backup
    told = refusal(restore, BackupArn=arn, TargetTableName=table)
    assert told == ("TableAlreadyExistsException", f"Table already exists: {table}")


def test_faults_of_requests(dynamodb):
    assert refusal(dynamodb.create_backup, TableName="never-made", BackupName="one") == (
        "TableNotFoundException",
        "Table not found: never-made",
    )
    assert refusal(dynamodb.describe_backup, BackupArn=NO_ARN) == (
        "BackupNotFoundException",
        f"Backup not found: {NO_ARN}",
    )
    code, text = refusal(dynamodb.create_backup, TableName="never-made", BackupName="a b")
    assert code == VALIDATION
    assert "backupName" in text
    told = refusal(dynamodb.describe_backup, BackupArn=NO_ARN.partition("/backup/")[0])
    assert told == (VALIDATION, "Invalid Backup ARN")


@pytest.mark.parametrize(
    "wrong",
    ["00001489602797149-73d8d5bc", "1489602797149-73d8d5bc", f"{ID}0", "01489602797149-zzzzzzzz"],
)
def test_an_id_that_no_backup_has(dynamodb, wrong):
    arn = NO_ARN.replace(ID, wrong)
    assert refusal(dynamodb.describe_backup, BackupArn=arn) == (VALIDATION, ARN_INVALID)
    assert refusal(dynamodb.delete_backup, BackupArn=arn) == (VALIDATION, ARN_INVALID)
    told = refusal(dynamodb.restore_table_from_backup, BackupArn=arn, TargetTableName=name())
    assert told == (VALIDATION, ARN_INVALID)


# Digits in upper case are valid, and those of another backup.
def test_an_id_in_upper_case(dynamodb):
    arn = NO_ARN.replace(ID, ID.upper())
    told = refusal(dynamodb.describe_backup, BackupArn=arn)
    assert told == ("BackupNotFoundException", f"Backup not found: {arn}")


def test_a_namespace_has_its_own_backups(start_server):
    endpoint = start_server(namespaces="separate")
    mine = client_of(endpoint, aws_access_key_id="111111111111")
    theirs = client_of(endpoint, aws_access_key_id="222222222222")
    keys = {
        "AttributeDefinitions": attributes(pk="S"),
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    mine.create_table(TableName="mine", **keys)
    fill(mine, "mine", range(3), 1)
    arn = backed_up(mine, "mine")
    assert arn.startswith("arn:aws:dynamodb:us-east-1:111111111111:table/mine/backup/")
    assert theirs.list_backups()["BackupSummaries"] == []
    for call in (theirs.describe_backup, theirs.delete_backup):
        assert refusal(call, BackupArn=arn) == ("AccessDeniedException", "Access is denied")
    restore = theirs.restore_table_from_backup
    told = refusal(restore, BackupArn=arn, TargetTableName="stolen")
    assert told == ("AccessDeniedException", "Access is denied")
    mine.restore_table_from_backup(BackupArn=arn, TargetTableName="again")
    restored(mine, "again")
    assert len(values(mine, "again")) == 3
