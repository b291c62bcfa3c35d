"""Texts of transactions. Numbers: docs/internals/messages.md."""

from hashrange.messages.text import Text

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
