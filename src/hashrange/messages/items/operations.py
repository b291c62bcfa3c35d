"""Texts of the operations on items. Numbers: docs/messages.md."""


def condition_failed() -> str:
    """ConditionalCheckFailedException. Catalogue 109, verified."""
    return "The conditional request failed"


def return_values_old_only() -> str:
    """PutItem or DeleteItem asked for new values. Catalogue 24, verified."""
    return "ReturnValues can only be ALL_OLD or NONE"


def item_too_large() -> str:
    """A put of more than 400 KB. Catalogue 44, verified."""
    return "Item size has exceeded the maximum allowed size"


def item_too_large_after_update() -> str:
    """An update that ends in more than 400 KB. Catalogue 45, verified."""
    return "Item size to update has exceeded the maximum allowed size"


def key_attribute_updated(name: str) -> str:
    """An update expression that targets the key. Catalogue 62, verified."""
    return (
        f"One or more parameter values were invalid: Cannot update attribute {name}. "
        "This attribute is part of the key"
    )


def collection_too_large() -> str:
    """ItemCollectionSizeLimitExceededException. Catalogue 285, the text of the documentation."""
    return "Collection size exceeded."


def duplicate_keys() -> str:
    """A batch that names an item twice. Catalogue 26, verified."""
    return "Provided list of item keys contains duplicates"


def too_many_gets() -> str:
    """More than 100 keys over several tables. Catalogue 15."""
    return "Too many items requested for the BatchGetItem call"


def too_many_writes() -> str:
    """More than 25 items over several tables. Catalogue 17."""
    return "Too many items requested for the BatchWriteItem call"


def no_batch_requests(operation: str) -> str:
    """A batch without tables, older layer. Catalogue 13, verified."""
    return f"The requestItems parameter is required for {operation}"


def one_write_each() -> str:
    """A WriteRequest with both members, or neither. The text is known from emulators only."""
    return (
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes"
    )
