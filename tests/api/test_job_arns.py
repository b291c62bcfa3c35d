"""ARNs of backups, exports, imports and bulk operations: which part of them is wrong is told.

Source, where there is no other: measurements by users, October 2026. Of bulk operations, and of
partitions and services in the ARNs of imports, nothing is known: they answer as exports do.
"""

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import VALIDATION, refusal
from tests.api.tables import keyed

ID = "01489602797149-73d8d5bc"
DENIED = ("AccessDeniedException", "Access is denied")
INVALID = (VALIDATION, "Invalid Request: BackupArn is not valid")
ACCOUNT, OTHER = "000000000000", "999999999999"
TABLE = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/none"
OPERATIONS = {
    "describe_backup": ("BackupArn", "backup", "Backup", {}),
    "delete_backup": ("BackupArn", "backup", "Backup", {}),
    "restore_table_from_backup": ("BackupArn", "backup", "Backup", {"TargetTableName": "target"}),
    "list_backups": ("ExclusiveStartBackupArn", "backup", "Backup", {}),
    "describe_export": ("ExportArn", "export", "Export", {}),
    "describe_import": ("ImportArn", "import", "Import", {}),
    "describe_bulk_operation": ("BulkOperationArn", "bulk-operation", "Bulk Operation", {}),
    "cancel_bulk_operation": ("BulkOperationArn", "bulk-operation", "Bulk Operation", {}),
}
ABSENT = {
    "backup": ("BackupNotFoundException", "Backup not found: {}"),
    "export": ("ExportNotFoundException", "Export not found: Export not found: {}"),
    "import": ("ImportNotFoundException", "Import not found: Import not found: {}"),
    "bulk-operation": (
        "ResourceNotFoundException",
        "Requested resource not found: ResourceArn: {} not found",
    ),
}


@pytest.fixture(scope="module", params=["shared", "separate"])
def client(request, start_server):
    return client_of(start_server(namespaces=request.param), aws_access_key_id=ACCOUNT)


@pytest.fixture(params=OPERATIONS)
def told(request, client):
    """A function that sends an ARN and gives the refusal, and the words of the ARN's kind."""
    member, kind, title, more = OPERATIONS[request.param]
    call = getattr(client, request.param)

    def told(arn):
        return refusal(call, **{member: arn}, **more)

    return told, kind, title, request.param


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        (ACCOUNT, OTHER),
        (ACCOUNT, ""),
        (ACCOUNT, "00000000000x"),
        ("us-east-1", ""),
        (f"us-east-1:{ACCOUNT}", f"eu-west-1:{OTHER}"),
        (f"arn:aws:dynamodb:us-east-1:{ACCOUNT}", f"arn:aws-cn:s3:us-east-1:{OTHER}"),
    ],
)
def test_another_account_is_denied_whatever_else_is_wrong(told, part, wrong):
    send, kind, *_ = told
    assert send(f"{TABLE}/{kind}/{ID}".replace(part, wrong)) == DENIED


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("arn:aws:", "arn:aws-cn:"),
        ("arn:aws:", "arn:aws-us-gov:"),
        ("arn:aws:", "arn:else:"),
        ("arn:aws:", "arn::"),
        (":dynamodb:", ":s3:"),
    ],
)
def test_another_partition_or_service(told, part, wrong):
    send, kind, *_ = told
    answer = INVALID if kind == "backup" else DENIED
    assert send(f"{TABLE}/{kind}/{ID}".replace(part, wrong)) == answer


@pytest.mark.parametrize(
    "resource",
    ["", "/index/by-a", "/stream/2026-11-27T00:00:00.000", "/other/{}", "/{}/", "/{}/a/b"],
)
@pytest.mark.parametrize("account", [ACCOUNT, OTHER])
def test_what_is_no_such_arn(told, resource, account):
    send, kind, title, _ = told
    arn = TABLE.replace(ACCOUNT, account) + resource.format(kind)
    assert send(arn) == (VALIDATION, f"Invalid {title} ARN")
    assert send("x" * 40) == (VALIDATION, f"Invalid {title} ARN")


def test_one_of_another_region(told):
    send, kind, _, operation = told
    arn = f"{TABLE}/{kind}/{ID}".replace("us-east-1", "eu-west-1")
    code, text = ABSENT[kind]
    answers = [(code, text.format(arn))]
    if kind == "export":
        answers = [("ExportNotFoundException", "Export not found: Invalid export arn")]
    if operation == "list_backups":
        text = "Invalid Request: The supplied ExclusiveStartBackupArn does not match the region"
        answers = [(VALIDATION, text)]
    if operation == "restore_table_from_backup":  # in separate namespaces it may be there
        text = (
            "Invalid Request: sseSpecificationOverride must be provided for cross-region restores"
        )
        answers.append((VALIDATION, text))
    assert send(arn) in answers


def test_one_that_is_not_there(client):
    for operation, (member, kind, _, more) in OPERATIONS.items():
        arn = f"{TABLE}/{kind}/{ID}"
        call = getattr(client, operation)
        if operation == "list_backups":  # it is a place in the list
            assert call(ExclusiveStartBackupArn=arn)["BackupSummaries"] == []
            continue
        code, text = ABSENT[kind]
        assert refusal(call, **{member: arn}, **more) == (code, text.format(arn))


# With shared namespaces a list has backups of all accounts and regions, and goes on behind each.
def test_pages_of_backups_of_several_accounts_and_regions(start_server):
    endpoint, made = start_server(), []
    for number, region in enumerate(["eu-west-1", "us-east-1", "us-west-2"]):
        account = f"{number}" * 12
        client = client_of(endpoint, region_name=region, aws_access_key_id=account)
        name = f"table-{number}"
        client.create_table(TableName=name, **keyed(pk="S"))
        made.append(client.create_backup(TableName=name, BackupName="one")["BackupDetails"])
    found, start = [], {}
    while start is not None:
        page = client.list_backups(Limit=1, **start)
        found += [each["BackupArn"] for each in page["BackupSummaries"]]
        last = page.get("LastEvaluatedBackupArn")
        start = None if last is None else {"ExclusiveStartBackupArn": last}
    assert sorted(found) == sorted(each["BackupArn"] for each in made)


def test_the_table_of_an_export_in_another_account(start_server):
    client = client_of(start_server(namespaces="separate"), aws_access_key_id=ACCOUNT)
    export = client.export_table_to_point_in_time
    assert refusal(export, TableArn=TABLE.replace(ACCOUNT, OTHER), S3Bucket="bucket") == DENIED
    elsewhere = TABLE.replace("us-east-1", "eu-west-1")
    told = refusal(export, TableArn=elsewhere, S3Bucket="bucket")
    assert told == ("TableNotFoundException", f"Table not found: {elsewhere}")
