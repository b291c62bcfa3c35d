"""Texts of imports and bulk operations.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""


def items_refused() -> str:
    """FailureMessage of an import of which at least one record was refused."""
    return (
        "Some of the items failed validation checks and were not imported. Please check CloudWatch "
        "error logs for more details."
    )


def unreadable_record() -> str:
    """In the log of errors: a line that is no JSON or Ion. Our own."""
    return "The record cannot be read; the rest of its object is skipped"


def record_without_item() -> str:
    """In the log of errors: a record without the member Item. Our own."""
    return "The record has no member Item; the rest of its object is skipped"


def record_too_long(bytes_max: int) -> str:
    """In the log of errors. Our own."""
    return f"A record has more than {bytes_max} bytes; the rest of its object is skipped"


def quote_not_closed() -> str:
    """In the log of errors: the end of a CSV object within quotes. Our own."""
    return "A quote is not closed at the end of the object"


def not_utf8() -> str:
    """In the log of errors. Our own."""
    return "The record is not UTF-8"


def cells_do_not_fit(cells: int, headers: int) -> str:
    """In the log of errors: a CSV row of another length than the header. Our own."""
    return f"The row has {cells} cells, the header has {headers}"


def header_invalid() -> str:
    """In the log of errors: the first row of a CSV object. Our own."""
    return "The header has an empty name, a name twice, or more than 255 names"


def not_compressed(kind: str) -> str:
    """In the log of errors: an object that is not what InputCompressionType says. Our own."""
    return f"The object is not {kind}, or damaged"


def cut_off(kind: str) -> str:
    """In the log of errors: a compressed object without its end. Our own."""
    return f"The object is {kind}, and cut off"


def unreadable_row() -> str:
    """In the log of errors: a row with misplaced quotes. Our own."""
    return "The row cannot be read: a quote is misplaced"


def value_not_of_dynamodb(name: str) -> str:
    """In the log of errors: a value of Ion that no type of DynamoDB holds. Our own."""
    return f"The value of {name} is of no type of DynamoDB"


def key_too_long(bytes_max: int) -> str:
    """In the log of errors: PostgreSQL holds shorter keys than the service. Our own."""
    return f"A key of the item has more than {bytes_max} bytes in the engine of this server"


def too_many_objects(most: int) -> str:
    """FailureMessage: a prefix with too many objects. Our own."""
    return f"There are more than {most} objects under the prefix"


def storage_failed() -> str:
    """FailureMessage of a job that the storage of this server did not let go on. Our own."""
    return "The storage of the server failed, for example because its disk is full"


def table_gone() -> str:
    """FailureMessage of a bulk operation whose table was deleted. Our own."""
    return "The table was deleted"


def options_of_other_format(kind: str) -> str:
    """ImportTable with InputFormatOptions of CSV for another format."""
    return f"Invalid Request: Unsupported InputFormatOptions for the given input format: {kind}."


def token_of_other_import() -> str:
    """ImportConflictException: the ClientToken was that of an import of another table."""
    return "Import conflict: Duplicate request detected with conflicting parameters"


def too_many_imports(most: int) -> str:
    """LimitExceededException. Our own."""
    return f"Subscriber limit exceeded: There is a limit of {most} concurrent imports"


def output_without_bucket() -> str:
    """StartBulkPutItems without the bucket of its reports; the model does not require it. Ours."""
    return "The parameter 'OutputS3Configuration.S3Bucket' is required but was not present"


def bulk_going_on(name: str) -> str:
    """ResourceInUseException of StartBulkPutItems: the text is not published. Our own."""
    return f"A bulk operation is in progress on the table: {name}"


def bulk_ended(status: str) -> str:
    """CancelBulkOperation of an operation that has ended: not published. Our own."""
    return f"The bulk operation cannot be cancelled: its status is {status}"


def too_many_bulk_operations(most: int) -> str:
    """LimitExceededException. Our own."""
    return f"Subscriber limit exceeded: There is a limit of {most} concurrent bulk operations"


def bulk_put_into_global_table() -> str:
    """StartBulkPutItems on a table with replicas: the text is not published. Our own."""
    return "Bulk operations are not supported on global tables"


def import_not_found(arn: str) -> str:
    """ImportNotFoundException; the text by analogy with exports."""
    return f"Import not found: Import not found: {arn}"
