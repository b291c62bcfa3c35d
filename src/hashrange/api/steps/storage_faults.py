"""Maps errors of the storage to DynamoDB's errors."""

from hashrange.api.steps.operation import AnyOperation, TableMode
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.items import throttling
from hashrange.messages.server import (
    internal_server_error,
    stored_key_too_long,
    temporarily_unavailable,
    too_many_writes,
)
from hashrange.messages.tables.operations import table_keeps_changing as keeps_changing
from hashrange.storage.engine import (
    ContendedError,
    KeyTooLongError,
    NoReadLeaseError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)


def fault_of(error: StorageError, operation: AnyOperation) -> Exception:
    """The error for the client; the storage error itself if it must be logged.

    In all of these cases nothing was written, and SDKs may retry.
    """
    match error:
        case ContendedError():
            is_of_items = operation.tables is TableMode.OPEN
            text = throttling.hot_key() if is_of_items else throttling.too_many_changes()
            return DynamoError(Fault.THROTTLED, text)
        case StorageBusyError():
            return DynamoError(Fault.UNAVAILABLE, too_many_writes())
        case KeyTooLongError(key_bytes_max=most):
            return invalid(stored_key_too_long(most))
        case NoReadLeaseError():
            return no_read_lease()
        case StorageUnavailableError():
            # Not logged: a line for each request would hide the line that has the cause.
            return DynamoError(Fault.INTERNAL, internal_server_error())
        case _:
            return error


def no_read_lease() -> DynamoError:
    """The error of a request without a read lease; SDKs retry it, perhaps at another server."""
    return DynamoError(Fault.UNAVAILABLE, temporarily_unavailable())


def table_keeps_changing() -> DynamoError:
    """The error of a request whose table changed each time it was planned."""
    return DynamoError(Fault.UNAVAILABLE, keeps_changing())
