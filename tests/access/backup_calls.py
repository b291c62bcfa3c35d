"""Calls for backups, restores, exports and contributor insights: a tenant makes none."""

BACKUP = "/backup/01489602797149-73d8d5bc"
JOB = "01489602797149-73d8d5bc"
IMPORT = {"S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "ION"}
NEW = {
    "AttributeDefinitions": [{"AttributeName": "tenant", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "tenant", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
BULK = {
    "InputS3Configuration": {"S3Bucket": "bucket", "InputFormat": "ION"},
    "OutputS3Configuration": {"S3Bucket": "bucket", "OutputType": []},
}
LATEST = {"TargetTableName": "mine", "UseLatestRestorableTime": True}


def backup_calls(table):
    """Methods of the client, and their requests from the world."""
    return (
        ("create_backup", lambda _: {"TableName": table, "BackupName": "mine"}),
        ("delete_backup", lambda world: {"BackupArn": world.arn + BACKUP}),
        (
            "restore_table_from_backup",
            lambda world: {"BackupArn": world.arn + BACKUP, "TargetTableName": "mine"},
        ),
        ("restore_table_to_point_in_time", lambda _: {"SourceTableName": table, **LATEST}),
        ("restore_table_to_point_in_time", lambda world: {"SourceTableArn": world.arn, **LATEST}),
        (
            "export_table_to_point_in_time",
            lambda world: {"TableArn": world.arn, "S3Bucket": "mine"},
        ),
        ("list_exports", lambda world: {"TableArn": world.arn}),
        (
            "import_table",
            lambda _: {**IMPORT, "TableCreationParameters": {**NEW, "TableName": table}},
        ),
        ("describe_import", lambda world: {"ImportArn": f"{world.arn}/import/{JOB}"}),
        ("list_imports", lambda world: {"TableArn": world.arn}),
        ("start_bulk_put_items", lambda _: {**BULK, "TableName": table}),
        ("start_bulk_put_items", lambda world: {**BULK, "TableName": world.arn}),
        (
            "describe_bulk_operation",
            lambda world: {"BulkOperationArn": f"{world.arn}/bulk-operation/{JOB}"},
        ),
        (
            "cancel_bulk_operation",
            lambda world: {"BulkOperationArn": f"{world.arn}/bulk-operation/{JOB}"},
        ),
        ("list_bulk_operations", lambda _: {}),
    )


def insight_calls(table):
    """The same for contributor insights, which tell the keys of all tenants."""
    enable = {"TableName": table, "ContributorInsightsAction": "ENABLE"}
    return (
        ("describe_contributor_insights", lambda _: {"TableName": table}),
        ("list_contributor_insights", lambda _: {}),
        ("update_contributor_insights", lambda _: enable),
    )
