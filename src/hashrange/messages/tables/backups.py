"""Texts of backups, restores, point-in-time recovery, exports and imports.

Source of all that do not say otherwise: measurements of the service by users, September and October
2026.
"""

from hashrange.messages.text import Text

# BackupNotFoundException. Verified.
backup_not_found = Text("Backup not found: {arn}", 281)
# A BackupArn of another partition or service, or with an id that no backup has.
backup_arn_invalid = Text("Invalid Request: BackupArn is not valid")
# TableNotFoundException of the backup operations. Verified.
backup_table_not_found = Text("Table not found: {name}", 281)
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


# ExportNotFoundException. .
export_not_found = Text("Export not found: Export not found: {arn}", 281)
# ExportNotFoundException for the ARN of an export in another region.
export_elsewhere = Text("Export not found: Invalid export arn")
# A TableArn that is not an ARN.
arn_malformed = Text("One or more parameter values were invalid: tableArn is not a valid ARN")
# A TableArn of an index or a stream.
arn_not_of_table = Text("Invalid Request: Table ARN is invalid.")
# TableNotFoundException, with the ARN as sent.
table_not_found = Text("Table not found: {arn}")
# InvalidExportTimeException: in the future, or before recovery was enabled.
time_invalid = Text("Export Time is invalid")
# InvalidExportTimeException: later than the latest restorable time.
time_unavailable = Text("Point in Time Recovery is not available for specified export time")
# InvalidExportTimeException; the time is that of the request, in ISO 8601.
window_before_table = Text("Incremental export period from time cannot be less than the table creation time : {time}")
# InvalidExportTimeException; the time is that of the request, in ISO 8601.
window_in_future = Text("Incremental export period to time cannot be greater than the current time : {time}")
# InvalidExportTimeException, also if the window ends before it begins.
window_short = Text("Difference between export period from time and export period to time is less than 15 minutes")
# InvalidExportTimeException; the text by analogy with that of a short window.
window_long = Text("Difference between export period from time and export period to time is greater than 24 hours")
# IncrementalExportSpecification without ExportType.
window_without_type = Text("Invalid Request: Export Type expected to be Incremental Export when incremental export specification is provided")
# IncrementalExportSpecification with ExportType FULL_EXPORT.
window_of_full = Text("Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be provided")
# ExportType INCREMENTAL_EXPORT without IncrementalExportSpecification.
window_missing = Text("Invalid Request: Incremental Export Specification expected when export type is set as Incremental Export")
# IncrementalExportSpecification without ExportFromTime.
window_start_missing = Text("Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification")
# ExportTime with ExportType INCREMENTAL_EXPORT; the text of the service is not known.
time_of_incremental = Text("Invalid Request: ExportTime should not be provided for Incremental Export")
# S3SseKmsKeyId without S3SseAlgorithm KMS.
key_without_kms = Text("Invalid Request: KMS Key Id is not supported for this encryption type")
# A FilterSpecification without expressions.
filter_empty = Text("Invalid Request: Invalid FilterSpecification: The specification can not be empty")
# ExportConflictException: another request had this ClientToken.
token_conflict = Text("Export conflict: Duplicate request detected with conflicting parameters")
# LimitExceededException; the text of the service is not known.
too_many_exports = Text("Limit exceeded: at most {most} exports can be in progress at the same time")
# FailureMessage of S3NoSuchBucket; the beginning is the service's.
bucket_missing = Text("The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket): {why}")
# FailureMessage of S3AccessDenied; the beginning is the service's.
access_denied = Text("Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied): {why}")
# Why S3BucketOwner was refused; our own text.
other_owner = Text("the bucket {bucket} is not of the account {owner}")
# FailureMessage of KmsNotFoundException: directories are not encrypted; our own text.
no_keys_of_kms = Text("The bucket {bucket} is a directory, whose objects no key of KMS encrypts")
# FailureMessage of an export whose table is gone; our own text.
table_lost = Text("The table, or its history, is gone")


# An ARN that is not of a `Backup`, `Export` or `Import`.
invalid_job_arn = Text("Invalid {kind} ARN")
# AccessDeniedException: the ARN of a backup, export or import is another account's.
foreign_job = Text("Access is denied")
# ListExports and ListImports with an ARN that is not of a table.
table_arn_invalid = Text("tableArn is not a valid ARN")
# A NextToken that was never issued, of ListExports, ListImports and ListContributorInsights. For
# ListContributorInsights no record of the service exists.
next_token_invalid = Text("Invalid Request: Provided nextToken is invalid: {token}")


# FailureMessage of an import of which at least one record was refused.
items_refused = Text("Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more details.")
# In the log of errors: a line that is no JSON or Ion. Our own.
unreadable_record = Text("The record cannot be read; the rest of its object is skipped")
# In the log of errors: a record without the member Item. Our own.
record_without_item = Text("The record has no member Item; the rest of its object is skipped")
# In the log of errors. Our own.
record_too_long = Text("A record has more than {bytes_max} bytes; the rest of its object is skipped")
# In the log of errors: the end of a CSV object within quotes. Our own.
quote_not_closed = Text("A quote is not closed at the end of the object")
# In the log of errors. Our own.
not_utf8 = Text("The record is not UTF-8")
# In the log of errors: a CSV row of another length than the header. Our own.
cells_do_not_fit = Text("The row has {cells} cells, the header has {headers}")
# In the log of errors: the first row of a CSV object. Our own.
header_invalid = Text("The header has an empty name, a name twice, or more than 255 names")
# In the log of errors: an object that is not what InputCompressionType says. Our own.
not_compressed = Text("The object is not {kind}, or damaged")
# In the log of errors: a compressed object without its end. Our own.
cut_off = Text("The object is {kind}, and cut off")
# In the log of errors: a row with misplaced quotes. Our own.
unreadable_row = Text("The row cannot be read: a quote is misplaced")
# In the log of errors: a value of Ion that no type of DynamoDB holds. Our own.
value_not_of_dynamodb = Text("The value of {name} is of no type of DynamoDB")
# In the log of errors: PostgreSQL holds shorter keys than the service. Our own.
key_too_long = Text("A key of the item has more than {bytes_max} bytes in the engine of this server")
# FailureMessage: a prefix with too many objects. Our own.
too_many_objects = Text("There are more than {most} objects under the prefix")
# FailureMessage of a job that the storage of this server did not let go on. Our own.
storage_failed = Text("The storage of the server failed, for example because its disk is full")
# FailureMessage of a bulk operation whose table was deleted. Our own.
table_gone = Text("The table was deleted")
# ImportTable with InputFormatOptions of CSV for another format.
options_of_other_format = Text("Invalid Request: Unsupported InputFormatOptions for the given input format: {kind}.")
# ImportConflictException: the ClientToken was that of an import of another table.
token_of_other_import = Text("Import conflict: Duplicate request detected with conflicting parameters")
# LimitExceededException. Our own.
too_many_imports = Text("Subscriber limit exceeded: There is a limit of {most} concurrent imports")
# StartBulkPutItems without the bucket of its reports; the model does not require it. Ours.
output_without_bucket = Text("The parameter 'OutputS3Configuration.S3Bucket' is required but was not present")
# ResourceInUseException of StartBulkPutItems: the text is not published. Our own.
bulk_going_on = Text("A bulk operation is in progress on the table: {name}")
# CancelBulkOperation of an operation that has ended: not published. Our own.
bulk_ended = Text("The bulk operation cannot be cancelled: its status is {status}")
# LimitExceededException. Our own.
too_many_bulk_operations = Text("Subscriber limit exceeded: There is a limit of {most} concurrent bulk operations")
# StartBulkPutItems on a table with replicas: the text is not published. Our own.
bulk_put_into_global_table = Text("Bulk operations are not supported on global tables")
# ImportNotFoundException; the text by analogy with exports.
import_not_found = Text("Import not found: Import not found: {arn}")
