"""Calls of methods on items, as operations of the API, and how they are executed."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.dax.protocol.items import Facts


class Call(msgspec.Struct, frozen=True):
    """A decoded call.

    Attributes:
        operation: its name in the API, such as `GetItem`.
        request: of the type of that operation's row in `api.dynamodb.registry`; not checked.
        encode: the bytes of its answer, from the answer of the operation. Raises UnknownFactError
            if an attribute list is to be defined or loaded first.
        tables: of a transaction, the names of the tables of its actions, in their order.
    """

    operation: str
    request: Any
    encode: Callable[[Any, Facts], bytes]
    tables: Sequence[str] = ()


class Execute(Protocol):
    """Executes calls: with the pipeline, or with a cache in front of another `Execute`."""

    def __call__(self, call: Call, caller: Caller) -> Coroutine[Any, Any, bytes]:
        """The bytes of the answer. Raises DynamoError, StorageError."""
