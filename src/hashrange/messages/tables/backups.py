"""Texts of backups, restores and point-in-time recovery.

Source of all that do not say otherwise: measurements of the service by users, September and October
2026.
"""


def backup_not_found(arn: str) -> str:
    """BackupNotFoundException. Catalogue 281, verified."""
    return f"Backup not found: {arn}"


def backup_arn_invalid() -> str:
    """A BackupArn of another partition or service, or with an id that no backup has."""
    return "Invalid Request: BackupArn is not valid"


def table_not_found(name: str) -> str:
    """TableNotFoundException of the backup operations. Catalogue 281, verified."""
    return f"Table not found: {name}"


def backups_being_enabled(name: str) -> str:
    """ContinuousBackupsUnavailableException while a table is imported."""
    return f"Backups are being enabled for the table: {name}. Please retry later"


def start_elsewhere() -> str:
    """ListBackups with the ExclusiveStartBackupArn of another region."""
    return "Invalid Request: The supplied ExclusiveStartBackupArn does not match the region"


def time_range_reversed() -> str:
    """ListBackups from a later time to an earlier one."""
    return (
        "One or more parameter values were invalid: "
        "Time range lower bound must be less than or equal to upper bound"
    )


def backup_restoring(arn: str) -> str:
    """BackupInUseException of DeleteBackup, while a table is restored from it."""
    return f"Backup is being used to restore table: {arn}"


def backup_restoring_other(arn: str) -> str:
    """BackupInUseException of a second restore from the same backup."""
    return f"Backup is being used to restore another table: {arn}"


def backup_being_made(arn: str) -> str:
    """BackupInUseException while the backup is CREATING; no text of the service is known."""
    return f"Backup is being created: {arn}"


def system_backup(arn: str, expires: str) -> str:
    """DeleteBackup of the backup of a deleted table; `expires` is in ISO 8601."""
    return (
        f"Invalid Request: User is not allowed to delete the system backup with arn {arn}. "
        f"It will automatically expire on {expires}"
    )


def already_restoring(name: str, source: str) -> str:
    """TableInUseException: the target is being restored; from a backup, by its ARN."""
    return f"Table: {name} is already being restored from backup: {source}"


def delete_during_backup(name: str) -> str:
    """ResourceInUseException of DeleteTable; the guide says that it is refused, no text is known.

    Source: Developer Guide, "Backing up and restoring DynamoDB tables: How it works".
    """
    return (
        f"Attempt to change a resource which is still in use: Table: {name} is being backed up, or "
        "another table is being restored from it."
    )


def recovery_disabled(name: str) -> str:
    """PointInTimeRecoveryUnavailableException. Catalogue 281."""
    return f"Point in time recovery is not enabled for table '{name}'"


def time_outside(time: str, earliest: str, latest: str, table: str) -> str:
    """InvalidRestoreTimeException; times are in ISO 8601."""
    return (
        f"RestoreDateTime '{time}' must be within EarliestRestorableDateTime '{earliest}' and "
        f"LatestRestorableDateTime '{latest}' for table '{table}'"
    )


def both_times() -> str:
    """RestoreDateTime together with UseLatestRestorableTime."""
    return (
        "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for "
        "point-in-time restore request. Please specify either RestoreDateTime time or "
        "UseLatestRestorableTime"
    )


def no_time() -> str:
    """Neither RestoreDateTime nor UseLatestRestorableTime."""
    return (
        "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
        "specified, but not both"
    )


def one_source() -> str:
    """SourceTableArn together with SourceTableName."""
    return "Must provide exactly one of: sourceTableArn, sourceTableName"


def source_arn_invalid() -> str:
    """A malformed SourceTableArn."""
    return "sourceTableArn is not a valid ARN"


def foreign_source() -> str:
    """SourceTableArn of another account."""
    return "This action is only supported by accounts that match the resource owner's account"


def encryption_needed() -> str:
    """A restore to another region without SSESpecificationOverride."""
    return "Invalid Request: sseSpecificationOverride must be provided for cross-region restores"


def units_need_provisioned() -> str:
    """ProvisionedThroughputOverride of a table that will be on demand; the prefix by analogy."""
    return (
        "Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED"
    )


def provisioned_needs_units() -> str:
    """BillingModeOverride PROVISIONED without ProvisionedThroughputOverride."""
    return (
        "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to "
        "PROVISIONED"
    )


def provisioned_index_needs_units(index: str) -> str:
    """The same of a global index of a source on demand that is not overridden."""
    return f"{provisioned_needs_units()} for index {index}"


def limits_need_on_demand() -> str:
    """OnDemandThroughputOverride of a table that will be provisioned; by analogy."""
    return (
        "Invalid Request: Cannot override OnDemandThroughput unless BillingMode is PAY_PER_REQUEST"
    )


def index_not_in_source(name: str) -> str:
    """An overriding index whose key schema and projection no index of the source has."""
    return (
        f"Invalid Request: Index {name} does not match a secondary index that existed in the "
        "source table and cannot be created during the restore operation"
    )


def warm_throughput_override(index: str) -> str:
    """WarmThroughput in an override; the guide says that it is refused, no text is known.

    Source: Developer Guide, "Restoring a table".
    """
    return (
        "One or more parameter values were invalid: WarmThroughput cannot be specified in "
        f"GlobalSecondaryIndexOverride for index: {index}"
    )


def days_without_recovery() -> str:
    """RecoveryPeriodInDays together with PointInTimeRecoveryEnabled false."""
    return (
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
        "recovery."
    )
