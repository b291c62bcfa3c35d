"""Faults of the storage as DynamoDB tells them: the one place that maps them."""

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.items import contention
from hashrange.messages.requests.http import (
    internal_server_error,
    stored_key_too_long,
    too_many_writes,
)
from hashrange.messages.tables.operations import table_keeps_changing as keeps_changing
from hashrange.operations.pipeline.operation import AnyOperation, TableMode
from hashrange.storage.engine import (
    ContendedError,
    KeyTooLongError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)


def fault_of(error: StorageError, operation: AnyOperation) -> Exception:
    """What a client is told; the error itself where it is to be logged, and no client's matter.

    Nothing has happened in all of these cases: to try again is right, as SDKs do it.
    """
    match error:
        case ContendedError():
            is_of_items = operation.tables is TableMode.OPEN
            text = contention.hot_key() if is_of_items else contention.too_many_changes()
            return DynamoError(Fault.THROTTLED, text)
        case StorageBusyError():
            return DynamoError(Fault.UNAVAILABLE, too_many_writes())
        case KeyTooLongError(key_bytes_max=most):
            return invalid(stored_key_too_long(most))
        case StorageUnavailableError():
            # A line in the log for each request would hide the one that told why.
            return DynamoError(Fault.INTERNAL, internal_server_error())
        case _:
            return error


def table_keeps_changing() -> DynamoError:
    """Of a request whose table changed each time that it was planned."""
    return DynamoError(Fault.UNAVAILABLE, keeps_changing())
