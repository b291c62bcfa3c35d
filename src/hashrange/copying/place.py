"""What tables are copied from and to: something that answers the operations of the API."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

import msgspec

from hashrange.operations.pipeline.operation import Caller

Pause: TypeAlias = Callable[[float], Awaitable[None]]
"""Waits for so many seconds."""


class CopyError(Exception):
    """The copy cannot go on. The text is one line, for people."""


class RefusedError(CopyError):
    """An operation was refused, in the words of whoever refused it.

    Args:
        place: as people call it.
        operation: that was asked for.
        code: the fault's name, without its namespace.
        text: what was said, if anything.
    """

    def __init__(self, place: str, operation: str, code: str, text: str) -> None:
        super().__init__(f"{place} refuses {operation}: {text or code}")
        self.code = code


class Named(msgspec.Struct, frozen=True):
    """A table in a place, and as whom it is asked for."""

    name: str
    caller: Caller


class Place(Protocol):
    """One end of a copy."""

    @property
    def shown(self) -> str:
        """As people know it; without passwords."""

    @property
    def is_live(self) -> bool:
        """Others may write while it is read."""

    @property
    def is_canonical(self) -> bool:
        """Two that are have the same text for the same item."""

    @property
    def separate(self) -> bool:
        """Each account and region has tables of its own."""

    async def tables(self) -> list[Named]:
        """All tables, in the order of their names."""

    async def call(self, caller: Caller, operation: str, body: bytes) -> bytes:
        """The answer's body to the body of a request. Raises CopyError, RefusedError."""

    async def settle(self) -> None:
        """Do what the writes have left to be done in the background."""


async def ask(
    place: Place, caller: Caller, operation: str, request: Mapping[str, Any]
) -> dict[str, Any]:
    """As `Place.call`, with members for bodies."""
    body = await place.call(caller, operation, msgspec.json.encode(request))
    answer: dict[str, Any] = msgspec.json.decode(body) if body else {}
    return answer
