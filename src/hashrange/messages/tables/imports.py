"""Texts of imports and bulk operations.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

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
