"""Places: the ends of a copy, each of which performs operations of the API."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

import msgspec

from hashrange.api.steps.operation import Caller

Pause: TypeAlias = Callable[[float], Awaitable[None]]
"""Waits for a number of seconds."""


class CopyError(Exception):
    """The copy failed. The text is one line for the operator."""


class RefusedError(CopyError):
    """A place refused an operation.

    Args:
        place: `Place.shown`.
        operation: the name of the operation.
        code: the name of the error, without its namespace.
        text: the message of the error; may be empty.
    """

    def __init__(self, place: str, operation: str, code: str, text: str) -> None:
        super().__init__(f"{place} refuses {operation}: {text or code}")
        self.code = code
        self.text = text


class TableRef(msgspec.Struct, frozen=True):
    """A table in a place, and the caller of requests for it."""

    name: str
    caller: Caller


class Place(Protocol):
    """One end of a copy."""

    @property
    def shown(self) -> str:
        """The place in messages to the operator; contains no passwords."""

    @property
    def is_live(self) -> bool:
        """Whether other clients may write while the place is read."""

    @property
    def is_canonical(self) -> bool:
        """Whether equal items have equal JSON in all such places."""

    @property
    def master_key_id(self) -> str | None:
        """The id of the key that all data are encrypted with; None if they are not encrypted."""

    @property
    def separate(self) -> bool:
        """Whether accounts and regions have separate tables."""

    async def tables(self) -> list[TableRef]:
        """All tables, in the order of their names."""

    async def call(self, caller: Caller, operation: str, body: bytes) -> bytes:
        """Perform an operation: the body of its response. Raises CopyError, RefusedError."""

    async def drain(self) -> None:
        """Do the background work that the writes require, such as building indexes."""


async def ask(
    place: Place, caller: Caller, operation: str, request: Mapping[str, Any]
) -> dict[str, Any]:
    """`Place.call` with decoded bodies. Raises CopyError, RefusedError."""
    body = await place.call(caller, operation, msgspec.json.encode(request))
    answer: dict[str, Any] = msgspec.json.decode(body) if body else {}
    return answer
