"""Texts for writes that give up because other writes change the same keys again and again."""


def hot_key() -> str:
    """ThrottlingException of a table on demand. Source: catalogue 283, verified."""
    return (
        "Throughput exceeds the current capacity of your table or index. DynamoDB is "
        "automatically scaling your table or index so please try again shortly. If exceptions "
        "persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/"
        "developerguide/bp-partition-key-design.html"
    )


def too_many_changes() -> str:
    """ThrottlingException of operations on tables. Source: Developer Guide, "Error messages"."""
    return "Rate exceeded"
