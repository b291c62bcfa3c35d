"""Texts of backups, restores and point-in-time recovery.

Source of all that do not say otherwise: measurements of the service by users, September and October
2026.
"""

from hashrange.messages.text import Text

# BackupNotFoundException. Verified.
backup_not_found = Text("Backup not found: {arn}", 281)
# A BackupArn of another partition or service, or with an id that no backup has.
backup_arn_invalid = Text("Invalid Request: BackupArn is not valid")
# TableNotFoundException of the backup operations. Verified.
table_not_found = Text("Table not found: {name}", 281)
# ContinuousBackupsUnavailableException while a table is imported.
backups_being_enabled = Text("Backups are being enabled for the table: {name}. Please retry later")
# ListBackups with the ExclusiveStartBackupArn of another region.
start_elsewhere = Text("Invalid Request: The supplied ExclusiveStartBackupArn does not match the region")
# ListBackups from a later time to an earlier one.
time_range_reversed = Text("One or more parameter values were invalid: Time range lower bound must be less than or equal to upper bound")
# BackupInUseException of DeleteBackup, while a table is restored from it.
backup_restoring = Text("Backup is being used to restore table: {arn}")
# BackupInUseException of a second restore from the same backup.
backup_restoring_other = Text("Backup is being used to restore another table: {arn}")
# BackupInUseException while the backup is CREATING; no text of the service is known.
backup_being_made = Text("Backup is being created: {arn}")
# DeleteBackup of the backup of a deleted table; `expires` is in ISO 8601.
system_backup = Text("Invalid Request: User is not allowed to delete the system backup with arn {arn}. It will automatically expire on {expires}")
# TableInUseException: the target is being restored; from a backup, by its ARN.
already_restoring = Text("Table: {name} is already being restored from backup: {source}")
# ResourceInUseException of DeleteTable; the guide says that it is refused, no text is known.
# Source: Developer Guide, "Backing up and restoring DynamoDB tables: How it works".
delete_during_backup = Text("Attempt to change a resource which is still in use: Table: {name} is being backed up, or another table is being restored from it.")
# PointInTimeRecoveryUnavailableException. .
recovery_disabled = Text("Point in time recovery is not enabled for table '{name}'", 281)
# InvalidRestoreTimeException; times are in ISO 8601.
time_outside = Text("RestoreDateTime '{time}' must be within EarliestRestorableDateTime '{earliest}' and LatestRestorableDateTime '{latest}' for table '{table}'")
# RestoreDateTime together with UseLatestRestorableTime.
both_times = Text("Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime")
# Neither RestoreDateTime nor UseLatestRestorableTime.
no_time = Text("Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both")
# SourceTableArn together with SourceTableName.
one_source = Text("Must provide exactly one of: sourceTableArn, sourceTableName")
# A malformed SourceTableArn.
source_arn_invalid = Text("sourceTableArn is not a valid ARN")
# SourceTableArn of another account.
foreign_source = Text("This action is only supported by accounts that match the resource owner's account")
# A restore to another region without SSESpecificationOverride.
encryption_needed = Text("Invalid Request: sseSpecificationOverride must be provided for cross-region restores")
# ProvisionedThroughputOverride of a table that will be on demand; the prefix by analogy.
units_need_provisioned = Text("Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED")
# BillingModeOverride PROVISIONED without ProvisionedThroughputOverride.
provisioned_needs_units = Text("Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED")


def provisioned_index_needs_units(index: str) -> str:
    """The same of a global index of a source on demand that is not overridden."""
    return f"{provisioned_needs_units()} for index {index}"


# OnDemandThroughputOverride of a table that will be provisioned; by analogy.
limits_need_on_demand = Text("Invalid Request: Cannot override OnDemandThroughput unless BillingMode is PAY_PER_REQUEST")
# An overriding index whose key schema and projection no index of the source has.
index_not_in_source = Text("Invalid Request: Index {name} does not match a secondary index that existed in the source table and cannot be created during the restore operation")
# WarmThroughput in an override; the guide says that it is refused, no text is known. Source:
# Developer Guide, "Restoring a table".
warm_throughput_override = Text("One or more parameter values were invalid: WarmThroughput cannot be specified in GlobalSecondaryIndexOverride for index: {index}")
# RecoveryPeriodInDays together with PointInTimeRecoveryEnabled false.
days_without_recovery = Text("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.")
