"""Texts of exports to S3.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""


def export_not_found(arn: str) -> str:
    """ExportNotFoundException. Catalogue 281."""
    return f"Export not found: Export not found: {arn}"


def export_elsewhere() -> str:
    """ExportNotFoundException for the ARN of an export in another region."""
    return "Export not found: Invalid export arn"


def arn_malformed() -> str:
    """A TableArn that is not an ARN."""
    return "One or more parameter values were invalid: tableArn is not a valid ARN"


def arn_not_of_table() -> str:
    """A TableArn of an index or a stream."""
    return "Invalid Request: Table ARN is invalid."


def table_not_found(arn: str) -> str:
    """TableNotFoundException, with the ARN as sent."""
    return f"Table not found: {arn}"


def time_invalid() -> str:
    """InvalidExportTimeException: in the future, or before recovery was enabled."""
    return "Export Time is invalid"


def time_unavailable() -> str:
    """InvalidExportTimeException: later than the latest restorable time."""
    return "Point in Time Recovery is not available for specified export time"


def window_before_table(time: str) -> str:
    """InvalidExportTimeException; the time is that of the request, in ISO 8601."""
    return (
        f"Incremental export period from time cannot be less than the table creation time : {time}"
    )


def window_in_future(time: str) -> str:
    """InvalidExportTimeException; the time is that of the request, in ISO 8601."""
    return f"Incremental export period to time cannot be greater than the current time : {time}"


def window_short() -> str:
    """InvalidExportTimeException, also if the window ends before it begins."""
    return (
        "Difference between export period from time and export period to time is less than 15 "
        "minutes"
    )


def window_long() -> str:
    """InvalidExportTimeException; the text by analogy with that of a short window."""
    return (
        "Difference between export period from time and export period to time is greater than 24 "
        "hours"
    )


def window_without_type() -> str:
    """IncrementalExportSpecification without ExportType."""
    return (
        "Invalid Request: Export Type expected to be Incremental Export when incremental export "
        "specification is provided"
    )


def window_of_full() -> str:
    """IncrementalExportSpecification with ExportType FULL_EXPORT."""
    return (
        "Invalid Request: When Export Type is Full Export , Incremental Export Specification "
        "should not be provided"
    )


def window_missing() -> str:
    """ExportType INCREMENTAL_EXPORT without IncrementalExportSpecification."""
    return (
        "Invalid Request: Incremental Export Specification expected when export type is set as "
        "Incremental Export"
    )


def window_start_missing() -> str:
    """IncrementalExportSpecification without ExportFromTime."""
    return "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification"


def time_of_incremental() -> str:
    """ExportTime with ExportType INCREMENTAL_EXPORT; the text of the service is not known."""
    return "Invalid Request: ExportTime should not be provided for Incremental Export"


def key_without_kms() -> str:
    """S3SseKmsKeyId without S3SseAlgorithm KMS."""
    return "Invalid Request: KMS Key Id is not supported for this encryption type"


def filter_empty() -> str:
    """A FilterSpecification without expressions."""
    return "Invalid Request: Invalid FilterSpecification: The specification can not be empty"


def token_conflict() -> str:
    """ExportConflictException: another request had this ClientToken."""
    return "Export conflict: Duplicate request detected with conflicting parameters"


def too_many_exports(most: int) -> str:
    """LimitExceededException; the text of the service is not known."""
    return f"Limit exceeded: at most {most} exports can be in progress at the same time"


def bucket_missing(why: str) -> str:
    """FailureMessage of S3NoSuchBucket; the beginning is the service's."""
    return (
        "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: "
        f"NoSuchBucket): {why}"
    )


def access_denied(why: str) -> str:
    """FailureMessage of S3AccessDenied; the beginning is the service's."""
    return f"Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied): {why}"


def other_owner(bucket: str, owner: str) -> str:
    """Why S3BucketOwner was refused; our own text."""
    return f"the bucket {bucket} is not of the account {owner}"


def no_keys_of_kms(bucket: str) -> str:
    """FailureMessage of KmsNotFoundException: directories are not encrypted; our own text."""
    return f"The bucket {bucket} is a directory, whose objects no key of KMS encrypts"


def table_lost() -> str:
    """FailureMessage of an export whose table is gone; our own text."""
    return "The table, or its history, is gone"
