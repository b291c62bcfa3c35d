"""Restores of tables and backups of another region of the account.

Source: measurements of the service by users, October 2026, and the Developer Guide, "Restoring a
table".
"""

import uuid

import pytest

from tests.api.backups import backed_up, fill, restored, values
from tests.api.conftest import client_of
from tests.api.refusals import VALIDATION, refusal
from tests.api.tables import keyed

ACCOUNT, OTHER_ACCOUNT = "111111111111", "222222222222"
HERE, THERE = "us-east-1", "eu-west-1"
ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
OWN_KEY = {"SSESpecificationOverride": {"Enabled": False}}
KMS_KEY = {"SSESpecificationOverride": {"Enabled": True, "SSEType": "KMS"}}
NEEDED = "Invalid Request: sseSpecificationOverride must be provided for cross-region restores"


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", accept_encryption_requests=True)


@pytest.fixture
def here(endpoint):
    """The region of the sources."""
    return client_of(endpoint, aws_access_key_id=ACCOUNT, region_name=HERE)


@pytest.fixture
def there(endpoint):
    """Another region of the same account."""
    return client_of(endpoint, aws_access_key_id=ACCOUNT, region_name=THERE)


@pytest.fixture
def theirs(endpoint):
    """Another account, in the region of the sources."""
    return client_of(endpoint, aws_access_key_id=OTHER_ACCOUNT, region_name=HERE)


@pytest.fixture
def source(here):
    """The description of a table with recovery and three items."""
    name = f"s-{uuid.uuid4()}"
    here.create_table(TableName=name, **keyed(pk="S"))
    here.update_continuous_backups(TableName=name, **ON)
    fill(here, name, range(3), 1)
    return here.describe_table(TableName=name)["Table"]


def to_latest(source, **more):
    return {
        "SourceTableArn": source["TableArn"],
        "TargetTableName": source["TableName"],
        "UseLatestRestorableTime": True,
        **more,
    }


# The target may have the name of its source, which stays what it is.
def test_a_table_is_restored_in_the_region_of_the_request(here, there, source):
    name = source["TableName"]
    told = there.restore_table_to_point_in_time(**to_latest(source, **KMS_KEY))["TableDescription"]
    assert told["TableArn"] == source["TableArn"].replace(HERE, THERE)
    assert told["RestoreSummary"]["SourceTableArn"] == source["TableArn"]
    target = restored(there, name)
    key = target["SSEDescription"]["KMSMasterKeyArn"]
    assert key.startswith(f"arn:aws:kms:{THERE}:{ACCOUNT}:key/")
    assert values(there, name) == {f"k{number}": "1" for number in range(3)}
    there.put_item(TableName=name, Item={"pk": {"S": "new"}, "n": {"N": "2"}})
    assert len(values(here, name)) == 3
    here.delete_table(TableName=name)
    assert len(values(there, name)) == 4


def test_a_backup_is_restored_in_the_region_of_the_request(here, there, source):
    name = source["TableName"]
    arn = backed_up(here, name)
    fill(here, name, range(3, 6), 2)
    there.restore_table_from_backup(BackupArn=arn, TargetTableName=f"{name}-2", **OWN_KEY)
    target = restored(there, f"{name}-2")
    assert f":{THERE}:{ACCOUNT}:table/" in target["TableArn"]
    assert "SSEDescription" not in target
    assert values(there, f"{name}-2") == {f"k{number}": "1" for number in range(3)}
    assert f"{name}-2" not in here.list_tables()["TableNames"]
    # Nothing else reaches over the border: the backup is one of the region of its table.
    assert there.list_backups(TableName=name)["BackupSummaries"] == []
    for call in (there.describe_backup, there.delete_backup):
        assert refusal(call, BackupArn=arn)[0] == "BackupNotFoundException"
    here.delete_backup(BackupArn=arn)


# Keys of KMS are of a region, so the request has to name one, also for what there is not.
@pytest.mark.parametrize("suffix", ["", "-never-made"])
def test_the_encryption_of_the_target_must_be_given(here, there, source, suffix):
    arn = source["TableArn"] + suffix
    restore = there.restore_table_to_point_in_time
    told = refusal(restore, **{**to_latest(source), "SourceTableArn": arn})
    assert told == (VALIDATION, NEEDED)
    backup = backed_up(here, source["TableName"])
    if suffix:
        backup = backup.rpartition("-")[0] + "-00000000"
    restore = there.restore_table_from_backup
    assert refusal(restore, BackupArn=backup, TargetTableName="target") == (VALIDATION, NEEDED)
    assert "target" not in there.list_tables()["TableNames"]


def test_sources_that_are_not_in_the_other_region(here, there, source):
    name, arn = source["TableName"], source["TableArn"]
    restore = there.restore_table_to_point_in_time
    request = to_latest(source, **OWN_KEY)
    # A name is one of the region of the request.
    del request["SourceTableArn"]
    told = refusal(restore, **request, SourceTableName=name)
    assert told == ("TableNotFoundException", f"Table not found: {name}")
    missing = f"{name}-2"
    told = refusal(restore, **request, SourceTableArn=f"{arn}-2")
    assert told == ("TableNotFoundException", f"Table not found: {missing}")
    backup = f"{arn}/backup/01489602797149-73d8d5bc"
    restore = there.restore_table_from_backup
    told = refusal(restore, BackupArn=backup, TargetTableName="target", **OWN_KEY)
    assert told == ("BackupNotFoundException", f"Backup not found: {backup}")


# The source is told of as another account's, whether it exists or not.
@pytest.mark.parametrize("region", [HERE, THERE])
@pytest.mark.parametrize("suffix", ["", "-never-made"])
def test_other_accounts_are_refused(here, theirs, source, region, suffix):
    arn = source["TableArn"].replace(HERE, region) + suffix
    request = {**to_latest(source, **OWN_KEY), "SourceTableArn": arn}
    told = refusal(theirs.restore_table_to_point_in_time, **request)
    text = "This action is only supported by accounts that match the resource owner's account"
    assert told == (VALIDATION, text)
    backup = backed_up(here, source["TableName"]).replace(HERE, region)
    restore = theirs.restore_table_from_backup
    told = refusal(restore, BackupArn=backup, TargetTableName="stolen", **OWN_KEY)
    assert told == ("AccessDeniedException", "Access is denied")
    assert theirs.list_tables()["TableNames"] == []


def test_a_name_that_is_taken_in_the_region_of_the_request(here, there, source):
    there.create_table(TableName=source["TableName"], **keyed(pk="S"))
    told = refusal(there.restore_table_to_point_in_time, **to_latest(source, **OWN_KEY))
    assert told[0] == "TableAlreadyExistsException"
    assert len(values(here, source["TableName"])) == 3
