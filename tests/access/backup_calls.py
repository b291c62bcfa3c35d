"""Calls for backups and restores: a tenant makes none."""

BACKUP = "/backup/01489602797149-73d8d5bc"
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
    )
