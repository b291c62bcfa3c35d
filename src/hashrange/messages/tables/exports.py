"""Texts of exports to S3.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

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
