"""Texts of the operations on items. Numbers: docs/internals/messages.md."""

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
