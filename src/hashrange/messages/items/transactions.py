"""Texts of transactions. Numbers: docs/messages.md."""

from collections.abc import Sequence


def cancelled(codes: Sequence[str]) -> str:
    """TransactionCanceledException, with a code for each action. Catalogue 200, verified."""
    return (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        f"[{', '.join(codes)}]"
    )


def several_actions_on_one_item() -> str:
    """Source: catalogue 201, verified."""
    return "Transaction request cannot include multiple operations on one item"


def payload_too_large(size: int) -> str:
    """A TransactWriteItems of more than 4 MB. Catalogue 202, quoted by users; it repeats itself."""
    text = "Transaction payload size cannot exceed 4MB. Payload Size: "
    return f"{text}: {text}{size}"


def items_too_large() -> str:
    """Items of a TransactGetItems of more than 4 MB. Source: emulators, not verified."""
    return (
        "Collection size of items exceeded, which can also be caused by the aggregate size of "
        "the items in the transaction exceeding the 4MB limit"
    )


def several_actions_in_one() -> str:
    """An entry with more than one action. Source: catalogue 203."""
    return "TransactItems can only contain one of Check, Put, Update or Delete"


def no_action() -> str:
    """An entry without an action. Source: captures of the service, October 2026."""
    return "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"


def token_of_another_request() -> str:
    """IdempotentParameterMismatchException. Catalogue 204, as captured in September 2026."""
    return (
        "Specified idempotent token was used with different request parameters within the "
        "idempotency window"
    )


def in_progress() -> str:
    """TransactionInProgressException. Source: catalogue 205, from the API's model."""
    return "The transaction with the given request token is already in progress."


def conflict() -> str:
    """TransactionConflictException, and the reason of that name. Catalogue 206, verified."""
    return "Transaction is ongoing for the item"
