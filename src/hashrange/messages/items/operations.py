"""Texts of the operations on items, and of transactions. Numbers: docs/internals/messages.md."""

from hashrange.messages.text import Text

# ConditionalCheckFailedException. Verified.
condition_failed = Text("The conditional request failed", 109)
# PutItem or DeleteItem asked for new values. Verified.
return_values_old_only = Text("ReturnValues can only be ALL_OLD or NONE", 24)
# A put of more than 400 KB. Verified.
item_too_large = Text("Item size has exceeded the maximum allowed size", 44)
# An update that ends in more than 400 KB. Verified.
item_too_large_after_update = Text("Item size to update has exceeded the maximum allowed size", 45)
# An update expression that targets the key. Verified.
key_attribute_updated = Text("One or more parameter values were invalid: Cannot update attribute {name}. This attribute is part of the key", 62)
# ItemCollectionSizeLimitExceededException. The text of the documentation.
collection_too_large = Text("Collection size exceeded.", 285)
# A batch that names an item twice. Verified.
duplicate_keys = Text("Provided list of item keys contains duplicates", 26)
# More than 100 keys over several tables. .
too_many_gets = Text("Too many items requested for the BatchGetItem call", 15)
# More than 25 items over several tables. .
too_many_writes = Text("Too many items requested for the BatchWriteItem call", 17)
# A batch without tables, older layer. Verified.
no_batch_requests = Text("The requestItems parameter is required for {operation}", 13)
# A WriteRequest with both members, or neither. The text is known from emulators only.
one_write_each = Text("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")


# TransactionCanceledException, with a code for each action. Verified.
cancelled = Text("Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]", 200)
# Verified.
several_actions_on_one_item = Text("Transaction request cannot include multiple operations on one item", 201)


def payload_too_large(size: int) -> str:
    """A TransactWriteItems of more than 4 MB. Catalogue 202, quoted by users; it repeats itself."""
    text = "Transaction payload size cannot exceed 4MB. Payload Size: "
    return f"{text}: {text}{size}"


# Items of a TransactGetItems of more than 4 MB. Source: emulators, not verified.
items_too_large = Text("Collection size of items exceeded, which can also be caused by the aggregate size of the items in the transaction exceeding the 4MB limit")
# An entry with more than one action. .
several_actions_in_one = Text("TransactItems can only contain one of Check, Put, Update or Delete", 203)
# An entry without an action. Source: captures of the service, October 2026.
no_action = Text("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
# IdempotentParameterMismatchException. As captured in September 2026.
token_of_another_request = Text("Specified idempotent token was used with different request parameters within the idempotency window", 204)
# TransactionInProgressException. From the API's model.
in_progress = Text("The transaction with the given request token is already in progress.", 205)
# TransactionConflictException, and the reason of that name. Verified.
conflict = Text("Transaction is ongoing for the item", 206)
